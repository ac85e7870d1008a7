"""The person's own words in a captured conversation, as fragments of their own that answer and are quoted."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hearth.core.document import SAID, Fragment
from hearth.core.lazy import regex
from hearth.language.voices import Voice, hear
from hearth.markdown.blocks import Lines
from hearth.text.lines import END

_TURN = regex(r"^## (User|Assistant)\b[^\n]*$", re.MULTILINE)
_LONGEST = 400
_LEAST_LETTERS = 8
_LEAST_DENSE = 4
_DENSE = regex("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ASKED = regex(r"[?？]\s*$")
_LEFT_OUT = regex(r"^(?:\[… )?[\d,]+ characters left out …\]")


def find_own_sentences(text: str, seq: int) -> Iterator[Fragment]:
    """Of a conversation as :mod:`hearth.capture.conversations` writes it: what the person said themselves, turn
    by turn, in parts of at most about 400 characters. Questions say nothing and are left out. ``seq`` is the number of
    the first fragment."""
    lines = Lines(text)
    turns = list(_TURN.finditer(text))
    for at, turn in enumerate(turns):
        if turn[1] != "User":
            continue
        end = turns[at + 1].start() if at + 1 < len(turns) else len(text)
        for start, stop in _find_own(text, turn.end(), end):
            yield Fragment(
                seq=seq,
                kind=SAID,
                start_line=lines.number(start),
                end_line=lines.number(stop - 1),
                start_char=start,
                end_char=stop,
                text=text[start:stop],
                headings=(turn[0].lstrip("# "),),
            )
            seq += 1


def _find_own(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Ranges of statements within a turn, grown sentence by sentence while they are short."""
    for span in hear(text[start:end]):
        if span.voice is not Voice.OWN:
            continue
        first: int | None = None
        last = start + span.start
        for one, other in _sentences(text, start + span.start, start + span.end):
            if not _says_something(text[one:other]):
                continue
            if first is not None and (one - last > 2 or other - first > _LONGEST):
                yield first, last
                first = None
            first, last = one if first is None else first, other
        if first is not None:
            yield first, last


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    cuts = [match.end() for match in END.finditer(text, start, end)] + [end]
    for cut in cuts:
        part = text[start:cut]
        if part.strip():
            yield start + len(part) - len(part.lstrip()), start + len(part.rstrip())
        start = cut


def _says_something(sentence: str) -> bool:
    if _ASKED.search(sentence) or _LEFT_OUT.search(sentence):
        return False
    letters = sum(map(str.isalpha, sentence))
    return letters >= (_LEAST_DENSE if _DENSE.search(sentence) else _LEAST_LETTERS)
