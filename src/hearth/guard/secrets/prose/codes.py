"""PINs and codes of doors, alarms and safes: figures, so what they open has to be named beside them."""

from __future__ import annotations

from collections.abc import Iterator

from hearth.guard.secrets.prose.sentences import Offer, compile_names, offers, said_of
from hearth.guard.secrets.prose.words import CODES, FOREIGN_OPENED, OPENED, SURE
from hearth.guard.secrets.vocabulary import Places, Span, named
from hearth.lazy import regex

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


def coded(lowered: str, places: Places) -> Iterator[Span]:
    """``lowered`` is a text in lower case."""
    for literal, found in named(_NAMES, lowered, places):
        start, end = found.span()
        stop = said_of(literal, lowered, end)
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
