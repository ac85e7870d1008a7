"""Who speaks in a document: lines begin with the name and a colon, twice at least."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from hearth.extract.entities.cues import read_cues
from hearth.extract.entities.ordinary import is_ordinary
from hearth.lazy import regex

_LINE = regex(r"(?:\*\*|__)?([^\W\d_][^\s:*_]*(?: [^\W\d_][^\s:*_]*){0,2})(?:\*\*:|:\*\*|__:|:__|:)\s+\S")
_TWICE = 2


def find_speakers(texts: Iterable[str], language: str) -> list[list[str]]:
    """Those of each text, once. A label in one language may look like a name in another (``Hinweis:``), so that beside
    English two must speak."""
    said = [[name for name in map(_speaker_of, text.split("\n")) if name is not None] for text in texts]
    counts = Counter(name for names in said for name in names)
    speakers = {name for name, count in counts.items() if count >= _TWICE}
    if language != "en" and len(speakers) < _TWICE:
        return [[] for _ in said]
    return [[name for name in dict.fromkeys(names) if name in speakers] for names in said]


def _speaker_of(line: str) -> str | None:
    found = _LINE.match(line)
    if found is None or not all(word[0].isupper() or not word[0].islower() for word in found[1].split()):
        return None
    cues = read_cues()
    given = found[1].split()[0].lower() in cues["person", "first"] | cues["person", "either"]
    return found[1] if given or not all(map(is_ordinary, found[1].split())) else None
