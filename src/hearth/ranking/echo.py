"""Echoes: what we noted about a session repeats what it read, or what is asked now; the document that it quotes, or
that answers, goes first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from operator import ge, le

from hearth.lazy import dataclass, regex
from hearth.model.document import Document
from hearth.model.identity import INTERNAL
from hearth.ranking.stage import Candidate, order
from hearth.text.sentences import split_sentences
from hearth.text.similarity import flatten
from hearth.text.stopwords import is_stop_word
from hearth.text.terms import chunk_terms, chunks

STATES = "agent/precompact/"
"""Where states of sessions before their compaction are kept, below the memory folder."""
QUOTING = frozenset({"handoff", "conversation"})
_WORD = regex(r"\w+")
# Of a sentence with fewer words chance could repeat it; of a longer one most triples of words have to be there.
_LEAST_WORDS = 5
_RUN = 3
_SHARE = 0.6
# How far below the passage that it repeats an echo stands: packing looks at the words once more and leaves it there.
_BELOW = 0.8
_ASKS = regex(r"[^.!?…。！？؟\n]+[?？؟]")
# A question is the same one where it holds this much of what the asked one weighs, and says this much besides.
_SAME = 0.7
_MORE = 0.4
# What answers scores at least this share of what repeats the question: its words are not the question's.
_ANSWERS = 0.35


def is_session_note(document: Document) -> bool:
    """Whether it is ours about a session: its state before a compaction, a hand-off, what was said."""
    return is_state(document) or (document.collection == INTERNAL and document.content_type in QUOTING)


def is_state(document: Document) -> bool:
    """Whether it is the state of a session before a compaction: a hand-off half written."""
    return document.collection == INTERNAL and document.path.startswith(STATES)


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
    quoted = _find_quoted(candidates, le)
    return order([_below(c, quoted.get(id(c), ())) for c in candidates]) if quoted else list(candidates)


def find_echoes(candidates: Sequence[Candidate]) -> frozenset[int]:
    """By identity, what we noted about a session and repeats the sentences of another document that stands above."""
    return frozenset(note for note, sources in _find_quoted(candidates, ge).items() if sources)


def find_repeated(candidates: Sequence[Candidate]) -> dict[int, Candidate]:
    """By the row of each document that we noted about a session: the best passage of another document that stands
    before one of its passages, which repeats its sentences."""
    found: dict[int, Candidate] = {}
    rows = {id(candidate): candidate.document.id for candidate in candidates}
    for note, sources in _find_quoted(candidates, ge).items():
        if sources:
            found[rows[note]] = max((*sources, found.get(rows[note], sources[0])), key=_score)
    return found


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """What is asked: the index terms of each word, with what the word weighs, and the languages of the notes."""

    words: Sequence[tuple[frozenset[str], float]]
    languages: tuple[str, ...]

    def stands_in(self, text: str) -> bool:
        """Whether a sentence of a text asks the same."""
        return any(self._is_same(match[0]) for match in _ASKS.finditer(text))

    def _is_same(self, sentence: str) -> bool:
        language = self.languages[0] if len(self.languages) == 1 else "en"
        said = [frozenset(chunk_terms(chunk, language)) for chunk in chunks(sentence)]
        held = frozenset[str]().union(*said)
        mass = sum(weight for _, weight in self.words)
        if not mass or sum(weight for forms, weight in self.words if forms & held) < _SAME * mass:
            return False
        known = frozenset[str]().union(*(forms for forms, _ in self.words))
        content = [terms for terms in said if not any(is_stop_word(term, self.languages or ("en",)) for term in terms)]
        return sum(not terms & known for terms in content) <= _MORE * len(content)


def let_answer(candidates: Sequence[Candidate], asked: AskedQuestion) -> list[Candidate]:
    """Best first: of what we noted about sessions, each passage in which the question itself was asked, or whose title
    asks it, stands below the best of the others that may answer. Its score says that it is the question, which says
    nothing of an answer, no more than that it is called so; where no other may answer, it stays."""
    asking = {
        id(c)
        for c in candidates
        if is_session_note(c.document.document) and asked.stands_in(f"{c.document.document.title}\n{c.fragment.text}")
    }
    if not asking or len(asking) == len(candidates):
        return list(candidates)
    best = max((c for c in candidates if id(c) not in asking), key=lambda c: c.score)
    why = f"asks what is asked, as {best.document.document.uri} does not"
    return order([
        replace(c.move("echo", best.score * _BELOW, why), leads=False)
        if id(c) in asking and _ANSWERS * c.score <= best.score <= c.score
        else c
        for c in candidates
    ])  # fmt: skip


def stands_in(text: str, other: str) -> bool:
    """Whether the other text says all that this one says, sentence by sentence."""
    said, there = _say(text), frozenset[tuple[str, ...]]().union(*_say(other).sentences)
    if not said.sentences:
        return flatten(text) in flatten(other)
    return all(_holds(there, (sentence,)) for sentence in said.sentences)


def _find_quoted(candidates: Sequence[Candidate], stands: Callable[[float, float], bool]) -> dict[int, list[Candidate]]:
    """By the identity of each candidate that we noted about a session: what it repeats of other documents, as far as
    that ``stands`` so to it by its score. Empty where there are only such, or none."""
    notes = [candidate for candidate in candidates if is_session_note(candidate.document.document)]
    if len(notes) == len(candidates):
        return {}
    own = {id(note) for note in notes}
    sources = [(c, _say(c.fragment.text)) for c in candidates if id(c) not in own] if notes else []

    def quoted(note: Candidate) -> list[Candidate]:
        said = _say(note.fragment.text)
        return [source for source, text in sources if stands(source.score, note.score) and said.repeats(text)]

    return {id(note): quoted(note) for note in notes}


def _below(note: Candidate, quoted: Sequence[Candidate]) -> Candidate:
    if not quoted:
        return note
    best = max(quoted, key=_score)
    return note.move("echo", best.score * _BELOW, f"repeats {best.document.document.uri}")


def _score(candidate: Candidate) -> float:
    return candidate.score


def _say(text: str) -> _Said:
    found: list[frozenset[tuple[str, ...]]] = []
    for sentence in split_sentences(text.casefold()):
        words = _WORD.findall(sentence)
        if len(words) >= _LEAST_WORDS:
            found.append(frozenset(zip(*(words[at:] for at in range(_RUN)), strict=False)))
    return _Said(tuple(found))


def _holds(there: frozenset[tuple[str, ...]], sentences: Iterable[frozenset[tuple[str, ...]]]) -> bool:
    return any(len(runs & there) >= _SHARE * len(runs) for runs in sentences)
