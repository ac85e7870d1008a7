"""Does a name begin a line of a file of settings, and are the lines beside it such lines?

Prose goes on after a word and code calls and subscripts; such a line does neither.
"""

from __future__ import annotations

from hearth.lazy import regex

_REACH = 160
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
    first = lowered.rfind("\n", max(0, start - _REACH), start) + 1
    if first == 0 and start > _REACH:
        return None
    found = _START.fullmatch(lowered, first, start)
    return found["name"] if found and not found["name"].startswith("redacted:") else None


def is_among_settings(lowered: str, start: int, end: int) -> bool:
    """Is the line above or below a setting, a comment or a section, and none of them code?"""
    near = [line for line in (_line_above(lowered, start), _line_below(lowered, end)) if line.strip()]
    near = [_REFERENCE.sub("", line) for line in near]
    return any(map(_SETTING.match, near)) and not any(map(_CODE.search, near))


def _line_above(text: str, at: int) -> str:
    last = text.rfind("\n", max(0, at - _REACH), at)
    while last > 0 and text[last - 1] in "\r\n":
        last -= 1
    return text[text.rfind("\n", max(0, last - _REACH), last) + 1 : last] if last > 0 else ""


def _line_below(text: str, at: int) -> str:
    first = text.find("\n", at, at + _REACH)
    while 0 <= first < len(text) - 1 and text[first + 1] in "\r\n":
        first += 1
    if first < 0:
        return ""
    last = text.find("\n", first + 1, first + _REACH)
    return text[first + 1 : last] if last >= 0 else text[first + 1 : first + _REACH]
