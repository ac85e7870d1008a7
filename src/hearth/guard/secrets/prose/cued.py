"""Passwords that sentences lead to, and logins that people hand on, without naming a password."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from functools import cache

from hearth.core.lazy import regex
from hearth.guard.secrets.passwords import count_kinds, is_password, is_setting, stands_out
from hearth.guard.secrets.vocabulary import Span, spellings
from hearth.language.words import Row, rows

_KINDS = ("login", "unlock", "change")
# The words that open a pattern, one of which a text must have.
_FIRST = regex(r"(?:\(\?:)?([\w|'-]+)")
_VALUE = regex(r"(?:[ ]?[:→])?[ \t]{1,3}[\"'`*„“«(]{0,3}(?P<secret>[^\s\"'`«»„“”,;|()<>\[\]{}]{6,64})")
_REACH = 160


def cued(text: str, lowered: str, words: Set[str]) -> Iterator[Span]:
    """``lowered`` is ``text`` in lower case with the same length; ``words`` its words among ``cue_words``."""
    for opener in {opener for word in words for opener in _openers_of().get(word, ())}:
        at = lowered.find(opener)
        while at >= 0:
            if not lowered[at - 1 : at].isalnum():
                yield from _led_to(text, lowered, at, opener)
            at = lowered.find(opener, at + len(opener))


def _led_to(text: str, lowered: str, at: int, opener: str) -> Iterator[Span]:
    for pattern in _patterns()[opener]:
        cue = pattern.match(lowered, at, at + _REACH)
        value = _VALUE.match(text, cue.end()) if cue else None
        if value is None:
            continue
        secret = value["secret"].rstrip(".:*_")
        if stands_out(secret):
            yield value.start("secret"), value.start("secret") + len(secret), "password"


@cache
def cue_words() -> frozenset[str]:
    """The words that open a cue, as texts write them."""
    return frozenset(_openers_of())


@cache
def _openers_of() -> dict[str, set[str]]:
    """Openers by the words that they are written as."""
    found: dict[str, set[str]] = {}
    for opener in _patterns():
        for word in spellings([opener], closed=True):
            found.setdefault(word, set()).add(opener)
    return found


@cache
def _patterns() -> dict[str, list[re.Pattern[str]]]:
    """The patterns by the word that opens them."""
    patterns: dict[str, list[re.Pattern[str]]] = {}
    for row in rows("secrets"):
        if row.kind in _KINDS:
            for opener in _openers(row):
                patterns.setdefault(opener, []).append(regex(row.expression))
    return patterns


def _openers(row: Row) -> list[str]:
    found: list[str] = []
    depth, branch = 0, 0
    for at, char in enumerate(row.pattern + "|"):
        depth += (char == "(") - (char == ")")
        if char == "|" and depth == 0:
            opener = _FIRST.match(row.pattern, branch)
            found += opener[1].split("|") if opener else []
            branch = at + 1
    return found


_NAMES = (
    "root admin administrator administrateur administrador sa postgres mysql user guest demo test dev stage"
    " staging prod"
    " deploy debian ubuntu pi oracle vagrant support service backup operator manager info office kasse gast invitado"
)
_USERS = frozenset(_NAMES.split())
_EMAIL = regex(r"[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{2,40}")
_LOGIN = regex(
    r"(?<!\w)(?:log ?in|logins|logon|accounts?|credentials?|creds?|users?|username|zugang\w{0,6}"
    r"|anmeld\w{2,6}|benutzer\w{0,6}"
    r"|identifiants?|connexion|compte|usuario|cuenta|acceso|accesso|utente|credenzial\w|conta|acesso|inlog\w{0,8}|gebruiker"
    r"|konto|tunnu\w{1,6}|kirjaut\w{1,8}|logowani\w{1,2}|użytkownik|логин|доступ|учётка|wi-?fi|wlan|ssid|netzwerk|hotspot|ssh|ftp|vpn)(?!\w)"
)
_USER = regex(r"(?:^|[\s:=*`\"'(>])(?P<user>[\w.@+-]{2,64})[*`\"']{0,2} $")
_GIVEN_VALUE = regex(
    r"[*`\"']{0,2}(?P<secret>[^\s*`\"'|,;()<>/]{4,64})[*`\"']{0,2}(?=[ \t]{0,4}(?:$|[\r\n,;.)|(]|--|–|—))"
)
_PAIR = regex(r":(?<=[\w-]:)(?P<secret>[^\s:/`\"'<>(){}\[\]|]{4,64})(?P<end>`|[ \t]*(?=$|[\r\n]))")
_BEFORE = regex(r"(?:^|`)(?P<user>[A-Za-z][\w.@+-]{1,63})$")
_CHANGED = regex(r"passwd|chpasswd|htpasswd")
_TOLD = regex(r"log ?in|passw|account|credential|creds|zugang|konto|compte|cuenta|utent|konta|логин|парол")
_LISTED = regex(r'(?:^|\n)"[\w.@+-]{1,64}"[ \t]{1,8}"(?P<secret>[^"\n]{4,128})"[ \t]*(?=$|[\r\n])')
_GIVEN_REACH = 120
_OWNER = regex(r"[a-z][\w.@+-]{1,40}")


def given(text: str, lowered: str) -> Iterator[Span]:
    """``lowered`` is ``text`` in lower case with the same length."""
    at = text.find(" / ")
    while at >= 0:
        yield from _beside(text, lowered, at + 1)
        at = text.find(" / ", at + 3)
    for pair in _PAIR.finditer(text):
        yield from _joined(text, lowered, pair.start(), pair.span("secret"), pair["end"])
    if '" "' in text:
        rows = [row.span("secret") for row in _LISTED.finditer(text)]
        if len(rows) > 1 and any(
            count_kinds(text[first:last]) > 1 and is_password(text[first:last], quoted=True) for first, last in rows
        ):
            yield from ((first, last, "password") for first, last in rows if is_setting(text[first:last]))


def _beside(text: str, lowered: str, slash: int) -> Iterator[Span]:
    line = lowered[_line_start(text, slash) : slash]
    user, value = _USER.search(line), _GIVEN_VALUE.match(text, slash + 2)
    if user is None or value is None or " / " in line:
        return
    start = value.start("secret")
    secret = value["secret"].rstrip(".")
    owner = _OWNER.fullmatch(text, slash - len(line) + user.start("user"), slash - len(line) + user.end("user"))
    if _is_beside(user["user"], line[: user.start("user")], secret, alone=owner is not None):
        yield start, start + len(secret), "password"


def _is_beside(user: str, before: str, secret: str, *, alone: bool) -> bool:
    """``alone``: the user is written as users are, so that nothing else needs to tell of a login."""
    if secret.lower() in _USERS or not is_setting(secret):
        return False
    named = user in _USERS or _EMAIL.fullmatch(user) is not None
    told = _LOGIN.search(before) is not None
    if stands_out(secret) and (told or before.endswith("(") or (alone and count_kinds(secret) > 2)):
        return True
    if told:
        return named or is_password(secret, quoted=False)
    return named and count_kinds(secret) > 1 and (any(map(str.isdigit, secret)) or not secret.isalnum())


def _joined(text: str, lowered: str, colon: int, place: tuple[int, int], end: str) -> Iterator[Span]:
    first = _line_start(text, colon)
    before = _BEFORE.search(text[first:colon].lstrip(" \t-*|"))
    secret = text[slice(*place)]
    if before is None or (end == "`") != (before[0][0] == "`") or secret.isdigit() or not is_setting(secret):
        return
    known = before["user"].lower() in _USERS
    above = known and end != "`" and _CHANGED.search(lowered, max(0, first - _GIVEN_REACH), first)
    if not known and end != "`" and not _TOLD.search(lowered, max(0, first - 2 * _GIVEN_REACH), first):
        return
    if above or (
        count_kinds(secret) > (2 if known else 3) and is_password(secret, quoted=False) and not secret[0].isdigit()
    ):
        yield *place, "password"


def _line_start(text: str, at: int) -> int:
    """At most ``_REACH`` characters before ``at``."""
    least = max(0, at - _GIVEN_REACH)
    return max(least, text.rfind("\n", least, at) + 1)
