"""Passwords in sentences that name one, in many languages: "Das WLAN-Passwort lautet …", "пароль от роутера: …".

The value stands behind what joins it to the name, behind a word that leads to it ("type …"), before the name
("… is the password"), or alone on the line below.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from re import MULTILINE, Pattern

from hearth.core.lazy import regex
from hearth.guard.secrets.passwords import (
    count_kinds,
    is_long_word,
    is_password,
    is_setting,
    is_typed,
    speaks_of_passwords,
    stands_out,
)
from hearth.guard.secrets.prose import PASSWORDS, Offer, compile_names, end_of_description, offers
from hearth.guard.secrets.randomness import is_scrambled, is_stand_in
from hearth.guard.secrets.rules import Places, Span, find_names
from hearth.text.words import rows

_NAMES = compile_names(PASSWORDS)
_VALUE = regex(
    r"[^\s\"'`«»„“”‘’「」『』,;|()<>\[\]{}。、！？…\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{5,64}"
)
_FOUR = regex(r"[a-z]{4}(?:[ -][a-z]{4}){3}(?![\w-])")
_QUOTES = "\"'`„“«「『‘’"
_SIGNS = ":：=|→⇒-–—\"'`*_)"
# Names with which programs assign.
_ASSIGNED = ("pass", "contrase", "senha", "clave", "pw", "api key")
# Names of a network, which are a password's only with a colon or a verb after them.
_NETWORKS = ("wifi", "wi-fi", "wlan")
_SIXTEEN = regex(r"[a-z0-9]{16}(?!\w)")
# What speaks of passwords instead of telling one.
_ABOUT = regex(
    r"reset|chang|polic|manag|rule|length|expir|hint|rotat|issue|field|page|form|minim|maxim|version|hash|algorithm|crypt"
    r"|änder|zurück|regel|länge|vaihd|caduc|cambi|modif|option|file|generat|strength|require|must|should|method|type|example"
)
_NO_PASSWORD = regex(
    r"\d+\.\d[\w.+~-]*|\d+[-–]?[a-zäöåü]{2,}(?:-\w+)*|\d{1,2}[:.]\d\d|.*[/\\].*|.*@[\w-]+\.\w+|[\w.-]+\.(?:md|txt|ya?ml|json|py|[jt]s|sh|c|h"
    r"|conf|cfg|ini|xml|pdf|html?|php|env|pem|key|crt|kdbx|gpg|zip|csv|log|sql|org|com|net|io)|[a-z]+\d?-\w*(?:ed|bit|based)"
    r"|(?:sha|md|utf|base|aes|rc|des|rsa|pbkdf|http|ipv|tls|ssl|oauth|log|win|latin|iso|rfc|cve|bug|nt"
    r"|v)-?\d[\w.-]*|[a-z]+:.*|--?\w.*|[%&$~].*|.*%20.*|.*&#\d.*",
)
_DIGIT = regex(r"\d")
# No password is told from words without one.
_FIGURE = regex(
    r"\d|\w [\"'`„“«]\w|\w[!@#$%^&*+?~]\w|[a-z]-[a-z]{3,12}-[a-z]{3,12}-|(?<![a-z])[a-z]{4}([ -])[a-z]{4}\1[a-z]{4}\1"
)
_CODE = regex(r"[<>{}`\\\[$]")
_REACH = 140
_NEAR_GAP = 48
_LEAST_MIXED = 8
_BEHIND = 90
_WORD = r"(?P<secret>[^\s\"'`«»„“”,;|()<>\[\]{}]{6,64})"
# To the end of a sentence that names a password, and to the end of its line.
_SENTENCE = regex(r"(?:[^\n.!?]|[.!?](?! |\n|$))*")
_BELOW = regex(
    r"(?P<rest>[^\n]{0,40}?)[ \t:：?*_`#]{0,6}\r?\n(?:[ \t]*\r?\n)?[ \t>*+-]{0,6}(?:[A-Z]\w{0,16}: )?[`*\"]{0,3}"
    r"(?P<secret>[^\s\"`«»“”,;|()<>\[\]{}]{6,64})[`*\"]{0,3}[ \t]*(?:\r?\n|$)"
)
_IN_BRACKETS = regex(rf"{_WORD}[`*\"]{{0,3}} \($")
_ALONE = regex(rf"(?:^|[ \t\"'`*„“«(:：→]|(?<=[^\x00-\x7f])){_WORD}")
_SPLIT = regex(r"[.!?] |[;|]|//")
_CELL = regex(rf"[^|\n]{{0,30}}\|[ \t]*[`*]{{0,3}}{_WORD}(?P<mark>[`*]{{0,3}})[ \t]*(?:\||$)", MULTILINE)
_HEX = regex(r"[0-9a-fA-F-]{16,}")


def spoken(text: str, lowered: str, places: Places) -> Iterator[Span]:
    """``lowered`` is ``text`` in lower case with the same length."""
    for literal, found in find_names(_NAMES, lowered, places):
        start, end = found.span()
        stop = end_of_description(literal, lowered, end)
        if _FIGURE.search(text, end, stop):
            yield from _find_offered(text, lowered, (end, stop), literal)
            if literal not in _NETWORKS:
                yield from _find_after(text, lowered, end, stop)
                yield from _in_row(text, start, end)
                yield from _below(text, end)
        if literal not in _NETWORKS:
            yield from _before(text, lowered, start)


def _find_after(text: str, lowered: str, end: int, stop: int) -> Iterator[Span]:
    """``…, type x7-Lamp``: what a word leads to in the sentence that goes on at ``end``."""
    stop = _SENTENCE.match(lowered, end, stop).end()  # type: ignore[union-attr]
    for value in _lead().finditer(lowered, max(0, end - 1), min(len(lowered), stop + 1)):
        start, last = value.span("secret")
        secret = text[start:last].rstrip(".:?*_")
        if stands_out(secret):
            yield start, start + len(secret), "password"
    yield from _find_mixed(text, end, stop)


def _find_mixed(text: str, start: int, end: int) -> Iterator[Span]:
    """What nobody takes for a word, wherever a sentence about a password has it."""
    for value in _ALONE.finditer(text, start, end):
        if value.end() == end and (text[end : end + 1].isalnum() or text[end : end + 1] in ("-", "_")):
            continue  # it goes on
        secret = value["secret"].rstrip(".:?*_!")
        if (
            len(secret) >= _LEAST_MIXED
            and count_kinds(secret) >= 3
            and not _HEX.fullmatch(secret)
            and stands_out(secret)
        ):
            yield value.start("secret"), value.start("secret") + len(secret), "password"


def _in_row(text: str, start: int, end: int) -> Iterator[Span]:
    """The cell beside one that names a password."""
    first = text.rfind("\n", max(0, start - _BEHIND), start) + 1
    if not text[first:start].lstrip().startswith("|"):
        return
    cell = _CELL.match(text, end, end + _REACH)
    if cell and (stands_out(cell["secret"]) or (cell["mark"] and is_password(cell["secret"], quoted=True))):
        yield *cell.span("secret"), "password"


def _before(text: str, lowered: str, start: int) -> Iterator[Span]:
    """``x7-Lamp is my password``, ``x7-Lamp (password)``: what stands before the name."""
    first = max(lowered.rfind("\n", 0, start) + 1, start - _BEHIND)
    if not _FIGURE.search(text, first, start):
        return
    sentence = max((split.end() for split in _SPLIT.finditer(text, first, start)), default=first)
    yield from _find_mixed(text, sentence, start)
    for pattern in (_link(), _IN_BRACKETS):
        if value := pattern.search(lowered, first, start):
            place = value.span("secret")
            if stands_out(text[slice(*place)]):
                yield *place, "password"


def _below(text: str, end: int) -> Iterator[Span]:
    """A line that holds nothing else, below one that ends with the name, or a heading."""
    value = _BELOW.match(text, end, end + _REACH)
    if value and not _ABOUT.search(value["rest"].lower()) and not _CODE.search(value["rest"]):
        secret = value["secret"]
        if not _NO_PASSWORD.fullmatch(secret.lower()) and (
            stands_out(secret)
            or (
                not value["rest"].strip()
                and "=" not in secret
                and secret[0] != "^"
                and is_password(secret, quoted=False)
            )
        ):
            yield *value.span("secret"), "password"


@cache
def _lead() -> Pattern[str]:
    words = "|".join(row.pattern for row in rows("secrets") if row.kind == "lead")
    return regex(rf"(?<![\w])(?:{words})[:：]?[ ][\"'`*„“«(]{{0,3}}{_WORD}")


@cache
def _link() -> Pattern[str]:
    words = "|".join(row.pattern.replace(" ", "[ ]") for row in rows("secrets") if row.kind == "link")
    return regex(rf"{_WORD}[\"'`*”»]{{0,3}}[ ](?:{words})[ ][\w-]{{0,16}}$")


def _find_offered(text: str, lowered: str, place: tuple[int, int], name: str) -> Iterator[Span]:
    assigned = name in _ASSIGNED
    for offer in offers(lowered, *place):
        if name in _NETWORKS and not offer.joint:
            continue
        if end := _password_end(text, offer, assigned=assigned):
            yield offer.start, end, "password"
            return


def _password_end(text: str, offer: Offer, *, assigned: bool) -> int:
    """0 where no password begins."""
    four = _FOUR.match(text, offer.start)
    if four and is_scrambled(four[0].replace(" ", "").replace("-", "")):
        return four.end()
    found = _VALUE.match(text, offer.start)
    if (
        found is None
        or _CODE.search(offer.gap)
        or "|" in offer.joint
        or ("=" in offer.joint and (assigned or offer.gap))
    ):
        return 0  # code, a table, an assignment
    value = found[0].rstrip(".:?*_")
    if _ABOUT.search(offer.gap) or _NO_PASSWORD.fullmatch(value.lower()) or is_stand_in(value):
        return 0
    return offer.start + len(value) if _is_placeholder_word(value, offer) else 0


def _is_placeholder_word(value: str, offer: Offer) -> bool:
    """A sentence goes on with identifiers, too: a password has a digit among letters, or a sign inside."""
    if not offer.joint:
        return (
            is_typed(value)
            or count_kinds(value) >= 4
            or stands_out(value)
            or (_SIXTEEN.match(value) is not None and _DIGIT.search(value) is not None)
        )
    if offer.joint[-1] in _QUOTES and offer.joint[0] not in _SIGNS and is_setting(value):
        return stands_out(value) or (len(offer.gap) < _NEAR_GAP and not speaks_of_passwords(value))
    if offer.joint[0] in "-–—" and offer.gap:
        return stands_out(value)
    if value.isdigit():
        return False
    return (
        is_password(value, quoted=False)
        or is_long_word(value)
        or (len(value) >= 8 and _DIGIT.search(value) is not None and count_kinds(value) >= 3)
    )
