"""Does a setting stand where programs read logins: beside a user or a host, under a section?

There a value is a password whatever it looks like; elsewhere it has to look like one.
"""

from __future__ import annotations

from hearth.lazy import regex

_REACH = 300
_LINES = 4
_HEAD = 400
_PARTNER = (
    r"(?:user(?:name|id)?|usr|login|uid|ip_?addr(?:ess)?|host(?:name)?|server|account|identity|machine|ssid|dbname|database"
    r"|data source"
    r"|initial catalog|e-?mail|port)"
)
_PAIRED = regex(
    rf"""{_PARTNER}(?:["'`*]{{0,3}}(?:\])?[ \t]{{0,24}}(?:=>?|:|>|\|)|["'],[ ]|</(?:key|name)>|["'][ ]value=)"""
)
_LISTED = regex(
    r"(?:^|\n)[ \t]{0,8}(?:identity|host(?:name)?|user(?:name)?|account|from|login|machine|server|poll|port|uri"
    r"|auth|tls\w{0,12}|protocol)"
    r"[ \t]{1,8}[^\s:]\S{0,80}[ \t]{0,8}(?:$|[\r\n])"
)
_INDENTED = regex(r"""[ \t]{1,40}(?:- )?["']?[\w.-]{1,60}["']?[ ]?:[ \t]""")
_ENTRY = regex(
    r"""[ \t]{0,40}(?:- )?["']?[\w.-]{1,60}["']?[ ]?:(?:[ \t]{1,4}[^\s]{1,120})?[ \t]{0,4}[,{\[]?\r?(?:\n|$)"""
)
_SECTION = regex(r"(?:^|\n)\[[a-z0-9_. :@/-]{1,40}\]\r?\n[^()\[\]{}]*$")


def has_partner(lowered: str, start: int, end: int, *, listed: bool) -> bool:
    """Does a pair within four lines of the range name a user or a host? ``listed``: pairs of a name and a blank."""
    first, last = _window(lowered, start, end)
    pattern = _LISTED if listed else _PAIRED
    return pattern.search(lowered, first, start) is not None or pattern.search(lowered, end, last) is not None


def in_section(lowered: str, at: int) -> bool:
    """The line is one of a file with sections: no code writes ``[client]``."""
    start = lowered.rfind("\n", max(0, at - _REACH), at) + 1
    return _SECTION.search(lowered[max(0, start - _HEAD) : start]) is not None


def in_block(text: str, start: int, end: int) -> bool:
    """An indented line ``name: value`` with one like it, or one that opens a block, above or below."""
    first = text.rfind("\n", max(0, start - _REACH), start) + 1
    last = text.find("\n", end, end + _REACH)
    if first == 0 or _INDENTED.match(text, first, end) is None:
        return False
    above = text.rfind("\n", max(0, first - 1 - _REACH), first - 1) + 1
    return _ENTRY.match(text, above, first) is not None or (last >= 0 and _ENTRY.match(text, last + 1) is not None)


def _window(text: str, start: int, end: int) -> tuple[int, int]:
    first, last = start, end
    for _ in range(_LINES):
        first = text.rfind("\n", max(0, start - _REACH), max(0, first))
        if first < 0:
            first = max(0, start - _REACH)
            break
    for _ in range(_LINES):
        last = text.find("\n", last + 1, end + _REACH)
        if last < 0:
            last = min(len(text), end + _REACH)
            break
    return first, last
