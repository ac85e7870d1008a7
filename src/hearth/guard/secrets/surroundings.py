"""What stands around a setting: a user or a host beside it, a section above it, lines of a file of settings.

Where programs read logins a value is a password whatever it looks like; elsewhere it has to look like one. Prose goes
on after a word and code calls and subscripts; a line of settings does neither.
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


_NEXT_LINE = 160
_START = regex(
    r"""[\t >]{0,40}(?:[#;!]{1,2}[ \t]{0,4}|//[ \t]{0,4}|[-*][ \t]{1,3})?"""
    r"""(?:(?:define|export|setx?|setenv|env|arg|my|const|let|var|option|local|declare|\(setq"""
    r"""|\(def[a-z]{3,5}|[a-z]{3,8}_param)[ \t]{1,4}"""
    r"""|[a-z][\w-]{1,16}(?:[ \t][\w./:-]{1,40}){0,6}[ \t]"""
    r"""(?:(?:config:)?set[ \t]|--(?:set|env|from-literal)[ =]|-e[ \t])|set-item[ \t]env:)?"""
    r"""[$@&:({\[<"']{0,3}(?P<name>[\w./:-]{0,64})["'\]]{0,2}"""
)
_SETTING = regex(
    r"""[ \t]{0,40}(?:[#;!]{1,2}(?:[ \t]|$)|//[ \t]|\[[\w.: -]{1,60}\][ \t]*$"""
    r"""|(?:[#;!]{1,2}|//)?["']?[\w.-]{1,64}["']?[ \t]{0,24}(?:[+:]?=>?|:)"""
    r"""[ \t]{0,24}["']?[^()\[\]{}\n]{0,100}["']?[;,]?[ \t]*\r?$)"""
)
_REFERENCE = regex(r"\$[({][^\n)}]{0,60}[)}]")
_CODE = regex(r"[(){}]|\b(?:def|self|import|return|function|class|new|await)\b")


def name_before(lowered: str, start: int) -> str | None:
    """What of the name stands before ``start`` in its line; None where the line begins with anything else."""
    first = lowered.rfind("\n", max(0, start - _NEXT_LINE), start) + 1
    if first == 0 and start > _NEXT_LINE:
        return None
    found = _START.fullmatch(lowered, first, start)
    return found["name"] if found and not found["name"].startswith("redacted:") else None


def is_among_settings(lowered: str, start: int, end: int) -> bool:
    """Is the line above or below a setting, a comment or a section, and none of them code?"""
    near = [line for line in (_line_above(lowered, start), _line_below(lowered, end)) if line.strip()]
    near = [_REFERENCE.sub("", line) for line in near]
    return any(map(_SETTING.match, near)) and not any(map(_CODE.search, near))


def _line_above(text: str, at: int) -> str:
    last = text.rfind("\n", max(0, at - _NEXT_LINE), at)
    while last > 0 and text[last - 1] in "\r\n":
        last -= 1
    return text[text.rfind("\n", max(0, last - _NEXT_LINE), last) + 1 : last] if last > 0 else ""


def _line_below(text: str, at: int) -> str:
    first = text.find("\n", at, at + _NEXT_LINE)
    while 0 <= first < len(text) - 1 and text[first + 1] in "\r\n":
        first += 1
    if first < 0:
        return ""
    last = text.find("\n", first + 1, first + _NEXT_LINE)
    return text[first + 1 : last] if last >= 0 else text[first + 1 : first + _NEXT_LINE]
