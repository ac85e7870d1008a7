"""Takes out of text what no reader sees: control characters, invisible letters, direction marks, tags.

What scripts need stays: joiners inside Persian, Indic and emoji sequences, variation selectors of emoji, Mongolian
selectors, every combining mark. Of a run of such characters only the first can stay, so runs can carry nothing.
"""

from __future__ import annotations

import re
from unicodedata import category, combining

from hearth.core.lazy import regex

# Unassigned planes are as good for smuggling as tags. Variation selectors of Han (U+E0100 on) go, too: each holds a
# byte, and without them the same character shows in its usual form.
_SUSPECT = regex(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ue000-\uf8ff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U0001fffe\U0001ffff\U0002fffe\U0002ffff"
    "\U0003fffe-\U0010ffff]"
)
# Colours, cursor movements, titles and links of terminals, with what they hold.
_ESCAPE = regex(
    r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90-\x9f\n]*+(?:\x07|\x1b\\|\x9c)"
)
_ENDS_LINE = "\r\x85\u2028\u2029"
_ZWNJ, _ZWJ = "\u200c", "\u200d"
_JOINING = regex(
    "[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\u1a20-\u1c4f\ua800-\uaaff\uabc0-\uabff\ufb50-\ufdff"
    "\ufe70-\ufefc\U00010a00-\U00010d3f\U00011000-\U00011fff\U0001e900-\U0001e95f]"
)
_PICTURE = regex(
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf\u2900-\u297f"
    "\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_SKINS = regex("[\U0001f3fb-\U0001f3ff]")
_VIRAMA = 9


def visible(text: str) -> str:
    """The text as its reader sees it, with ``\\n`` as the only line end.

    Private-use and unassigned characters become ``\\u{e000}``, lone surrogates U+FFFD: they show as boxes, so they
    aren't hidden, but what a model makes of them is not what a person sees.
    """
    if "\r\n" in text:
        text = text.replace("\r\n", "\n")
    if _SUSPECT.search(text) is None:
        return text
    return _SUSPECT.sub(_show, _ESCAPE.sub("", text))


def _show(found: re.Match[str]) -> str:
    char = found[0]
    code = ord(char)
    if char in _ENDS_LINE:
        return "\n"
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    if category(char) == "Co" or (code >= 0x40000 and not 0xE0000 <= code <= 0xE0FFF and code & 0xFFFE != 0xFFFE):
        return f"\\u{{{code:x}}}"
    return char if _is_needed(char, found.string, found.start()) else ""


def _is_needed(char: str, text: str, at: int) -> bool:
    before, after = text[max(0, at - 1) : at], text[at + 1 : at + 2]
    if char == _ZWNJ:
        joins = _JOINING.match(before) or _JOINING.match(after)
        return _is_virama(before) or (joins is not None and _is_letter(before) and _is_letter(after))
    if char == _ZWJ:
        if _PICTURE.match(after):
            return _is_picture(before, text[max(0, at - 2) : at - 1])
        return _JOINING.match(before) is not None and _is_letter(before)
    if char in "\ufe0e\ufe0f":
        return _PICTURE.match(before) is not None or (before != "" and before in "0123456789#*" and after == "\u20e3")
    if "\u180b" <= char <= "\u180f":
        return "\u1820" <= before <= "\u18aa"
    return "\U00013430" <= char <= "\U0001343f" and "\U00013000" <= before < "\U00013430"


def _is_picture(before: str, earlier: str) -> bool:
    if before == "\ufe0f" or _SKINS.match(before):
        return _PICTURE.match(earlier) is not None
    return _PICTURE.match(before) is not None


def _is_letter(char: str) -> bool:
    return char != "" and category(char)[0] in "LMN"


def _is_virama(char: str) -> bool:
    return char != "" and combining(char) == _VIRAMA and _JOINING.match(char) is not None
