"""PINs and codes of doors, and codes that replace a phone or a password."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from hearth.core.lazy import regex
from hearth.guard.secrets.prose import (
    CODES,
    FOREIGN_OPENED,
    OPENED,
    SURE,
    Offer,
    compile_names,
    end_of_description,
    occurring,
    offers,
)
from hearth.guard.secrets.randomness import is_stand_in
from hearth.guard.secrets.rules import Places, Span, find_names, spellings

_NAMES = compile_names(CODES)
_SURE = regex(rf"(?:{SURE})\w{{0,4}}(?:[ -]?(?:code|kod\w?|koodi))?")
_OPENED = regex(OPENED)
_COMPOUND = regex(
    r"(?:ovi|portti|hälytys|hälyttimen|lukon|kassakaapin|tür|tor|haustür|alarm|zugangs|eingangs|tresor|port"
    r"|dörr|larm|dør|deur|poort|kluis"
    r"|kassaskåps?|dørs?|garage|pin|pass|digi)-?$"
)
_OF = regex(
    rf"(?: (?:for|of|to|on|at|in|de|del|della|dello|du|da|do|das|dos|des|la|le|les|l'|el|the|our|my|för|til"
    rf"|till|van|von|der|die|das|fürs?|w|na)){{0,3}} (?:l'|d')?{OPENED}(?: \w{{1,12}}(?= [*#]?\d))?"
)
_FOREIGN = regex(FOREIGN_OPENED)
_BESIDE = 28
_FIGURES = regex(r"\d{3}|\d[ -]\d|[*#]\d")
_VALUE = regex(
    r"(?:[*]|#(?=\w{3,8}[*#]))?(?P<figures>\d{3,10}|[a-zа-я]{1,2}\d{3,8}|\d{2,8}[a-zа-я]\d{0,6}"
    r"|\d{1,2}(?:[- ]\d{1,2}){2,3}|\d{3,4}[ -]\d{3,4})[*#]?"
    r"(?![\w/%€$£]|[.,:-]\d|-\w| ?[+×=])"
)
# A measure, a year, or what every manual tells.
_UNIT = regex(
    r"[ ]?(?:digit|char|number|line|day|time|attempt|minute|hour|second|month|year|week|people|user|entries"
    r"|words|bytes?|[kmg]b|px"
    r"|ziffer|stell|zeichen|tage|minuten|jahr|dígit|digit|caract|chiffre|jours|cifr|giorni|merkki|numero"
    r"|päiv|vuo|siffr|tecken|dag"
    r"|cijfer|teken|цифр|символ|дн|cyfr|znak|dni|位|文字|桁|자리|번|年|月|€|eur|usd|\$)"
)
_YEAR = regex(r"(?:19|20)\d\d")
_TOLD = frozenset(("1234", "12345", "123456", "12345678", "123456789", "1234567890", "4321", "654321", "123", "123321"))
_HARMLESS = regex(
    r"(?:default|error|exit|status|country|area|zip|postal|post|product|course|module|source|dial|dress"
    r"|colou?r|discount|promo"
    r"|qr|bar|sort|iso|http|return|gift|voucher|coupon|tracking|swift|tax|invoice|order|byte|op|response"
    r"|state|section)[ _-]{0,2}$"
)
_MARKUP = regex(r"[<>{}=`\\\[]")
_ADDRESS = regex(r"[,\d][^\n]{0,20}$")


def find_codes(lowered: str, places: Places) -> Iterator[Span]:
    """``lowered`` is a text in lower case."""
    for literal, found in find_names(_NAMES, lowered, places):
        start, end = found.span()
        stop = end_of_description(literal, lowered, end)
        if not _FIGURES.search(lowered, end, stop):
            continue
        near = lowered[max(0, start - _BESIDE) : start].rpartition("\n")[2]
        if near[-1:] in ("<", "/", "_") or _HARMLESS.search(near):
            continue
        sure = _SURE.fullmatch(found[0]) is not None
        owned = _is_owned(near)
        if of := _OF.match(lowered, end):
            owned, end = True, min(of.end(), stop)
        for offer in offers(lowered, end, stop):
            if (sure or owned or _is_of(offer.gap)) and (last := _code_end(lowered, offer, near, found[0])):
                yield offer.start, last, "code"
                break


def _is_owned(near: str) -> bool:
    """``door code``, ``ovikoodi``, ``门禁密码``: what it opens stands before it."""
    words = near.rstrip(" -'")[-24:]
    last = list(_OPENED.finditer(words))
    ends = bool(last) and last[-1].end() >= len(words) - 4
    return ends or _COMPOUND.search(words) is not None or _FOREIGN.search(near[-4:]) is not None


def _is_of(gap: str) -> bool:
    """``code du portail``, ``код домофона``: what it opens stands behind it."""
    return not _MARKUP.search(gap) and (_OPENED.search(gap) is not None or _FOREIGN.search(gap) is not None)


def _code_end(lowered: str, offer: Offer, near: str, name: str) -> int:
    """0 where no code begins."""
    found = _VALUE.match(lowered, offer.start)
    if found is None or "serial" in offer.gap or _UNIT.match(lowered, found.end()):
        return 0
    figures = found["figures"]
    pressed = found[0] != figures
    if figures in _TOLD or len(set(figures)) == 1 or (len(figures) < 4 and not pressed):
        return 0
    if not offer.joint and (len(figures) < 4 or (_YEAR.fullmatch(figures) and not pressed)):
        return 0
    # Where PIN is a code of the post.
    if name.startswith("pin") and len(figures.replace(" ", "")) == 6 and not offer.gap and _ADDRESS.search(near):
        return 0
    return found.end()


_KIND = (
    r"(?:recovery|backup|back-up|scratch|emergency|one-time|one time|rescue|reserve|restore"
    r"|wiederherstellung\w?|sicherungs|backup-|notfall|vara"
    r"|varmuus\w{0,7}|palautus|secours|récupération|recuperación|respaldo|recuperação|recupero"
    r"|återställning\w?|reserv|gjenopprettings"
    r"|gendannelses|herstel|zapasow\w{1,3}|odzyskiwania|резервн\w{2,3}|восстановлени\w|备份|恢复|復元|バックアップ|복구|백업)"
)
_THING = (
    r"(?:codes?|keys?|kod\w{0,3}|schlüssel|koodi\w{0,3}|códigos?|codici|codice|claves?|clés?|nyckl?\w{1,4}"
    r"|nøgle\w?|kluc\w{1,3}|код\w{0,2}|ключ\w{0,2}|码|代码|コード|키|코드)"
)
_NAMED = regex(
    rf"{_KIND}[ -]?{_THING}|(?:codes?|clés?|códigos?|codici|claves?|koodit) (?:de |di |d')?{_KIND}|{_THING} {_KIND}"
)
_KINDS = (
    "recovery backup back-up scratch emergency one-time one rescue restore secours récupération "
    "recuperación respaldo reserva "
    "recuperação recupero zapasowe zapasowy zapasowych odzyskiwania"
)
_RECOVERY_COMPOUND = (
    "wiederherstellung", "sicherungs", "notfall", "backup-", "varakood", "varmuus", "palautus", "återställning",
    "reservkod",
    "gjenoppretting",
    "gendannelse", "herstel", "резервн", "восстановлени", "备份", "恢复", "復元", "バックアップ", "복구", "백업",
)  # fmt: skip
_COMPOUND_ENDS = ("scode", "lcode", "kod", "p-code")
KIND_WORDS = spellings(_KINDS.split(), closed=True)
_THINGS = (
    "cod",
    "kod",
    "key",
    "cód",
    "schlü",
    "kood",
    "clav",
    "clé",
    "nyck",
    "nøgl",
    "klucz",
    "код",
    "ключ",
    "码",
    "コード",
    "キー",
    "키",
    "코드",
)
_BEFORE, _AFTER = 16, 40
_CODE = (
    r"(?=[a-z-]{0,24}[0-9])(?:[0-9]{6,10}|[a-z0-9]{4,12}(?:-[a-z0-9]{4,12}){1,7}|[a-z0-9]{8,24}"
    r"|[0-9]{3,5} [0-9]{3,5}(?![ ]?[0-9]))"
)
_CODES = regex(rf"(?<![\w-]){_CODE}(?![\w/]|-\w|\.\w)")
_LINE = regex(
    rf"[ \t>]{{0,12}}(?:[-*+•]|\d{{1,2}}[.):]|\[[ x]\])?[ \t]{{0,4}}[`\"]?(?P<codes>{_CODE}(?:[ ,;\t"
    rf"|/]{{1,6}}{_CODE}){{0,9}})[`\",]{{0,2}}[ \t]*\r?(?:\n|$)"
)
_JOINED = regex(
    r"[^\n]{0,60}?[:=→–—]|[^\n]{0,40}?(?<!\w)(?:is|are|ist|sind|lauten?|son|es|est|sont|on|ovat|är|er|zijn"
    r"|to)[ ]|[ \t]{0,3}(?=\S)"
)
_BLANK = regex(r"(?:[ \t]{0,8}\r?\n){1,2}")
_DATE = regex(
    r".*[a-z]{6}.*|\d{4}-\d\d-\d\d.*|(?:19|20)\d{6}|[a-z]{4,}-[a-z]{3,}-?\d{0,4}|[a-z]{4,12}\d{1,4}"
    r"|\d{3}-\d{3}-\d{4}|\d{2,4}-\d{4,8}"
)
_MOST = 40
_CLOSE, _GAP = 36, 3
_FACTORS = ("otp", "2fa", "mfa", "factor", "faktor", "authenticator", "authy")
FACTOR_WORDS = spellings(
    (
        "otp",
        "totp",
        "2fa",
        "mfa",
        "two-factor",
        "zwei-faktor",
        "2-factor",
        "authenticator",
        "authy",
        "2fa-code",
        "totp-seed",
    ),
    closed=True,
)
_SEED = regex(
    r"(?<![A-Za-z0-9+/=_-])(?:[A-Z2-7]{16,64}|[A-Z2-7]{4}(?:[ -][A-Z2-7]{4}){3,15}"
    r"|[a-z2-7]{4}(?: [a-z2-7]{4}){3,15})(?![A-Za-z0-9+/=_-])"
)
_SEED_DIGIT = regex("[2-7]")
_BITLOCKER = regex(r"(?<![\w-])(?:[0-9]{6}-){7}[0-9]{6}(?![\w-])")
_REACH = 90


def recovering(text: str, lowered: str, scripts: frozenset[int], words: Set[str]) -> Iterator[Span]:
    """``lowered`` is ``text`` in lower case with the same length."""
    done = 0
    for word in sorted(_names(lowered, scripts, words), key=lambda word: word.start()):
        if word.start() >= done:
            for start, done in _find_listed_codes(lowered, word.end()):
                yield start, done, "recovery-code"
    for factor in _FACTORS if not FACTOR_WORDS.isdisjoint(words) else ():
        at = lowered.find(factor)
        while at >= 0:
            end = lowered.find("\n", at, at + _REACH)
            for seed in _SEED.finditer(text, at, end if end >= 0 else min(len(text), at + _REACH)):
                if (
                    (_SEED_DIGIT.search(seed[0]) or seed[0].count(" ") > 3)
                    and len(set(seed[0])) > 6
                    and not is_stand_in(seed[0])
                ):
                    yield *seed.span(), "totp-seed"
            at = lowered.find(factor, at + len(factor))
    if "-" in text:
        for key in _BITLOCKER.finditer(text) if "bitlocker" in lowered or "recover" in lowered else ():
            yield *key.span(), "recovery-code"


def _hints(near: str) -> bool:
    return any(thing in near for thing in _THINGS)


def _names(lowered: str, scripts: frozenset[int], words: Set[str]) -> Iterator[re.Match[str]]:
    kinds = {word.strip("`\"'($*:,.)") for word in KIND_WORDS & words}
    if "one" in kinds:  # a word of nearly every text
        kinds.remove("one")
        kinds.add("one time")
    if scripts or any(end in lowered for end in _COMPOUND_ENDS):
        kinds.update(occurring(_RECOVERY_COMPOUND, lowered, scripts))
    for kind in kinds:
        at = lowered.find(kind)
        while at >= 0:
            near = lowered[max(0, at - _BEFORE) : at + _AFTER]
            named = _NAMED.search(lowered, max(0, at - _BEFORE), at + _AFTER) if _hints(near) else None
            if named:
                yield named
            at = lowered.find(kind, max(at + len(kind), named.end() if named else 0))


def _find_listed_codes(lowered: str, at: int) -> Iterator[tuple[int, int]]:
    """The codes that stand in the line that goes on at ``at``, and in the lines below that hold nothing else."""
    end = lowered.find("\n", at)
    end = min(end if end >= 0 else len(lowered), at + 400)
    joined = _JOINED.match(lowered, at, end)
    first = _CODES.search(lowered, joined.end(), min(end, joined.end() + _CLOSE)) if joined else None
    if first and joined and first.start() - joined.end() <= _GAP:
        for code in _CODES.finditer(lowered, first.start(), end):
            if not _DATE.fullmatch(code[0]):
                yield code.span()
    at = end
    blank = _BLANK.match(lowered, at)
    at = blank.end() if blank else at
    for _ in range(_MOST):
        line = _LINE.match(lowered, at)
        if line is None:
            return
        if not _DATE.fullmatch(line["codes"]):
            yield line.span("codes")
        at = line.end()
