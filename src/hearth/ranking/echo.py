"""Echoes: what we noted about a session repeats what it read; the document that it quotes goes first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hearth.model.document import Document
from hearth.model.identity import INTERNAL
from hearth.ranking.stage import Candidate, order
from hearth.text.similarity import flatten

STATES = "agent/precompact/"
"""Where states of sessions before their compaction are kept, below the memory folder."""
_TYPES = frozenset({"handoff", "conversation"})
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n+")
_WORD = re.compile(r"\w+")
# Of a sentence with fewer words chance could repeat it; of a longer one most triples of words have to be there.
_LEAST_WORDS = 5
_RUN = 3
_SHARE = 0.6
# How far below the passage that it repeats an echo stands: packing looks at the words once more and leaves it there.
_BELOW = 0.8


def is_session_note(document: Document) -> bool:
    """Whether it is ours about a session: its state before a compaction, a hand-off, what was said."""
    if document.collection != INTERNAL:
        return False
    return document.content_type in _TYPES or document.path.startswith(STATES)


@dataclass(frozen=True, slots=True)
class _Said:
    """The runs of words of each sentence of a text."""

    sentences: tuple[frozenset[tuple[str, ...]], ...]

    def repeats(self, other: _Said) -> bool:
        """Whether one of its sentences stands in the other text, or one of the other's in it."""
        own, there = frozenset().union(*self.sentences), frozenset().union(*other.sentences)
        return _holds(own, other.sentences) or _holds(there, self.sentences)


def give_way(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Best first: of what we noted about sessions, each passage that repeats another document's sentences stands below
    the passage of that document."""
    notes = [candidate for candidate in candidates if is_session_note(candidate.document.document)]
    if not notes or len(notes) == len(candidates):
        return list(candidates)
    own = {id(note) for note in notes}
    sources = [(c, _say(c.fragment.text)) for c in candidates if id(c) not in own]
    return order([_below(c, sources) if id(c) in own else c for c in candidates])


def stands_in(text: str, other: str) -> bool:
    """Whether the other text says all that this one says, sentence by sentence."""
    said, there = _say(text), frozenset[tuple[str, ...]]().union(*_say(other).sentences)
    if not said.sentences:
        return flatten(text) in flatten(other)
    return all(_holds(there, (sentence,)) for sentence in said.sentences)


def _below(note: Candidate, sources: Iterable[tuple[Candidate, _Said]]) -> Candidate:
    said = _say(note.fragment.text)
    quoted = [source for source, text in sources if source.score <= note.score and said.repeats(text)]
    if not quoted:
        return note
    best = max(quoted, key=lambda source: source.score)
    return note.move("echo", best.score * _BELOW, f"repeats {best.document.document.uri}")


def _say(text: str) -> _Said:
    found: list[frozenset[tuple[str, ...]]] = []
    for sentence in _SENTENCE.split(text.casefold()):
        words = _WORD.findall(sentence)
        if len(words) >= _LEAST_WORDS:
            found.append(frozenset(zip(*(words[at:] for at in range(_RUN)), strict=False)))
    return _Said(tuple(found))


def _holds(there: frozenset[tuple[str, ...]], sentences: Iterable[frozenset[tuple[str, ...]]]) -> bool:
    return any(len(runs & there) >= _SHARE * len(runs) for runs in sentences)
