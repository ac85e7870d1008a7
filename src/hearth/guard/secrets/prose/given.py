"""Logins that people hand on without naming the password: ``admin / x7-Lamp``, ```kim:x7-Lamp```, lists of both."""

from __future__ import annotations

from collections.abc import Iterator

from hearth.guard.secrets.passwords import count_kinds, is_password, is_setting, stands_out
from hearth.guard.secrets.vocabulary import Span
from hearth.lazy import regex

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
_VALUE = regex(r"[*`\"']{0,2}(?P<secret>[^\s*`\"'|,;()<>/]{4,64})[*`\"']{0,2}(?=[ \t]{0,4}(?:$|[\r\n,;.)|(]|--|–|—))")
_PAIR = regex(r":(?<=[\w-]:)(?P<secret>[^\s:/`\"'<>(){}\[\]|]{4,64})(?P<end>`|[ \t]*(?=$|[\r\n]))")
_BEFORE = regex(r"(?:^|`)(?P<user>[A-Za-z][\w.@+-]{1,63})$")
_CHANGED = regex(r"passwd|chpasswd|htpasswd")
_TOLD = regex(r"log ?in|passw|account|credential|creds|zugang|konto|compte|cuenta|utent|konta|логин|парол")
_LISTED = regex(r'(?:^|\n)"[\w.@+-]{1,64}"[ \t]{1,8}"(?P<secret>[^"\n]{4,128})"[ \t]*(?=$|[\r\n])')
_REACH = 120
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
    user, value = _USER.search(line), _VALUE.match(text, slash + 2)
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
    above = known and end != "`" and _CHANGED.search(lowered, max(0, first - _REACH), first)
    if not known and end != "`" and not _TOLD.search(lowered, max(0, first - 2 * _REACH), first):
        return
    if above or (
        count_kinds(secret) > (2 if known else 3) and is_password(secret, quoted=False) and not secret[0].isdigit()
    ):
        yield *place, "password"


def _line_start(text: str, at: int) -> int:
    """At most ``_REACH`` characters before ``at``."""
    least = max(0, at - _REACH)
    return max(least, text.rfind("\n", least, at) + 1)
