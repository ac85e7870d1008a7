"""Makes inert what a model could take for the end of our block, for a role or for a call of a tool.

The characters that make it one are replaced by others that look like them and that neither Unicode normalisation nor
decoding of entities turns back: ``</vault-context>`` becomes ``‹/vault-context›``, the colon of ``Human:`` U+2236.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from unicodedata import is_normalized, normalize

from hearth.guard.fence.markers import ATTRIBUTED, FOLLOWED, NAMES
from hearth.guard.invisible import visible
from hearth.lazy import regex
from hearth.text.lookalikes import skeleton

_INERT = {"<": "‹", ">": "›", "[": "⁅", "]": "⁆", ":": "∶"}
_OPEN = r"<[\s/\\]*+"
_VAULT = r"v\s*+a\s*+u\s*+l\s*+t"
_GAP = r"[-_\s.]?"


def _alternatives(names: Iterable[str]) -> str:
    """Grouped by their first letters, for speed; the longest first, because the first that matches is taken."""
    groups: dict[str, list[str]] = {}
    for name in sorted(names, key=len, reverse=True):
        groups.setdefault(name[:2], []).append(name[2:].replace("-", _GAP).replace("*", "[a-z]{2,10}"))
    return "|".join(f"{start}(?:{'|'.join(rest)})" for start, rest in groups.items())


_NAMES = _alternatives(NAMES)
_ATTRIBUTED = "|".join(rf"{name}\s++{attribute}\s*+=" for name, attribute in ATTRIBUTED)
_FOLLOWED = "|".join(rf"{name}\s*+>\s*+<\s*+{first}\b" for name, first in FOLLOWED)
# All run over a skeleton of the text. Each begins at a character that its repetitions don't hold: linear.
_BRACKETS = regex(
    rf"{_OPEN}{_VAULT}\s*+[-_]|<\s*+[/\\][\s/\\]*+{_VAULT}"
    rf"|{_OPEN}antml\b"
    rf"|{_OPEN}(?:{_ATTRIBUTED}|{_FOLLOWED})"
    rf"|{_OPEN}(?:[a-z]\w{{1,15}}+:)?(?P<name>{_NAMES})(?=\s*+/?\s*+>|\s++[\w:.-]{{1,40}}+\s*+=)"
    r"|<\s*+\|\s*+/?[\w.:▁-]{1,40}+\s*+(?:\|\s*+)?>"
    r"|<\s*+<\s*+/?\s*+sys\s*+>\s*+>"
)
_SQUARE = regex(r"\[\s*+/?\s*+(?:inst|system[ _]prompt|available[ _]tools|tool[ _](?:calls|results|content))\s*+\]")
_ROLE = regex(
    r"^(?:[^\S\n]|[>#*_+|~.\d()\[\]\"'-])*+(?P<role>human|assistant|user|system|developer|(?<=[# ])(?<=#.)"
    r"(?:instruction|response))(?:[^\S\n]|[*_\])\"'])*+(?P<colon>:)",
    re.MULTILINE,
)
# In small letters these are keys of settings, which a wrong colon would break.
_KEYS = frozenset(("user", "system", "developer"))
_REST = regex(r"[^<>\n]{0,300}+>")
_END = regex(r"<\s*+[/\\]\s*+(\w++)")
_TYPE = regex(r"\w<[A-Z][a-z]\w*[>,\s]")
_ENTITY = regex(r"&(?=[#\w])")
_ZEROS = regex(r"&#([xX]?)0+(?=[0-9a-fA-F])")
# No character has so great a number, and Python refuses to read enormous ones.
_ENORMOUS = regex(r"&(?=#[0-9]{9})")
_PASSES = 8


def inert(text: str) -> str:
    """``text``, which holds no invisible characters, without delimiters; nothing else of it changes.

    Where a delimiter hides in entities or compatibility characters, its line is decoded (or the text, if it spans
    lines), so that it reads as a browser would show it.
    """
    text = _escape(text)
    if not _is_disguised(text):
        return text
    mended = "\n".join(_escape(fold(line)) if _is_disguised(line) else line for line in text.split("\n"))
    return _escape(fold(text)) if _is_disguised(mended) else mended


def fold(text: str) -> str:
    """Decoded as often as it takes: entities, compatibility characters, invisible ones.

    Entities wrapped in each other more than eight times are taken apart instead.
    """
    settled, text = _fold(text)
    return text if settled else _ENTITY.sub("& ", text)


def _fold(text: str) -> tuple[bool, str]:
    for _ in range(_PASSES):
        before, text = text, visible(normalize("NFKC", _decode(text)))
        if text == before:
            return True, text
    return False, text


def delimiters(text: str) -> int:
    """How many characters of ``text`` make something a delimiter, undisguised or as lookalikes."""
    return sum(1 for _ in _find(text, skeleton(text)))


def _is_disguised(text: str) -> bool:
    if "&" not in text and is_normalized("NFKC", text):
        return False
    settled, folded = _fold(text)
    return not settled or next(_find(folded, skeleton(folded)), None) is not None


def _decode(text: str) -> str:
    if "&" not in text:
        return text
    return html.unescape(_ENORMOUS.sub("& ", _ZEROS.sub(r"&#\1", text)))


def _escape(text: str) -> str:
    shadow = skeleton(text)
    places = list(_find(text, shadow))
    if not places:
        return text
    chars = list(text)
    for at in places:
        chars[at] = _INERT[shadow[at]]
    return "".join(chars)


def _find(text: str, shadow: str) -> Iterator[int]:
    """Where brackets and colons are to be replaced; ``shadow`` is the skeleton of ``text``."""
    if "<" in shadow:
        closed = frozenset(found[1] for found in _END.finditer(shadow))
        for found in _BRACKETS.finditer(shadow):
            if found["name"] is None or found["name"] in closed or not _is_type(text, found.start()):
                yield from _brackets(shadow, *found.span())
                if rest := _REST.match(shadow, found.end()):
                    yield rest.end() - 1
    if "[" in shadow:
        for found in _SQUARE.finditer(shadow):
            # A list of code that holds one name; no model knows the token in small letters.
            if text[slice(*found.span())] != "[inst]":
                yield from (found.start(), found.end() - 1)
    for found in _ROLE.finditer(shadow):
        if text[slice(*found.span("role"))] not in _KEYS:
            yield found.start("colon")


def _brackets(shadow: str, start: int, end: int) -> Iterator[int]:
    return (at for at in range(start, end) if shadow[at] in "<>")


def _is_type(text: str, start: int) -> bool:
    """``Optional<User>``: a type in code, as long as no end tag has that name."""
    return start > 0 and _TYPE.match(text, start - 1) is not None
