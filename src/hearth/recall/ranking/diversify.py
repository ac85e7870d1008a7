"""Say different things, say the same thing once, and leave out echoes of what a session read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from operator import ge, le
from typing import Any

from hearth.core.document import TRUST, Document, is_session_note
from hearth.core.lazy import dataclass, regex
from hearth.language.asking import is_asked
from hearth.recall.ranking.candidate import Candidate, Stage, order
from hearth.recall.ranking.weights import DIVERSITY
from hearth.text.language import is_stop_word
from hearth.text.lines import split_sentences
from hearth.text.similarity import flatten
from hearth.text.terms import chunk_terms, chunks, count_terms

# Texts beyond this are compared by their beginning: windows are a fifth of it.
_COMPARED_CHARS = 4_000
# Only this many candidates per hit compete by diversity: further down relevance never catches up.
_POOL_PER_HIT = 2

# Of near copies of a note of 30 words, two words may differ; shorter texts must be equal.
_NEAR = 0.85
_LEAST_WORDS = 8
_OPENING = 4
# Further down nothing is shown.
_NEAREST = 60

Bag = Callable[[Candidate], frozenset[Any]]


def collapse(candidates: list[Candidate]) -> list[Candidate]:
    """One candidate per normalised text, overlapping windows left alone; it names the others' places.

    What somebody else wrote gives its place to the same or nearly the same text of more trust: a copy of a person's
    note must not stand for it, with whatever was put into it.
    """
    kept: dict[Sequence[str], Candidate] = {}
    ordered = [(candidate, _open(candidate)) for candidate in order(candidates)]
    openings = Counter(opening for _, opening in ordered)
    for candidate, opening in ordered:
        # Only texts with the same opening are compared whole: few have.
        key = opening if openings[opening] == 1 else _split(candidate)
        first = kept.get(key)
        if first is None:
            kept[key] = candidate
        elif first.document.id != candidate.document.id:
            kept[key] = _join(first, candidate)
    return _drop_less_trusted(list(kept.values()))


def _open(candidate: Candidate) -> tuple[str, ...]:
    """The first words of a text: equal texts have the same ones."""
    return tuple(map(str.casefold, candidate.fragment.text.split(None, _OPENING)[:_OPENING]))


def _split(candidate: Candidate) -> tuple[str, ...]:
    return tuple(candidate.fragment.text.casefold().split())


def _join(first: Candidate, other: Candidate) -> Candidate:
    """One for both, in the place of ``first``: the more trusted, or ``first``."""
    shown, hidden = (other, first) if _rank(other) < _rank(first) else (first, other)
    place = f"{hidden.document.document.uri}#L{hidden.fragment.start_line}"
    return replace(shown, score=first.score, fused=first.fused, reread=first.reread, also_in=(*first.also_in, place))


def _drop_less_trusted(kept: list[Candidate]) -> list[Candidate]:
    """Drops near copies of a text of more trust."""
    if len({_rank(candidate) for candidate in kept}) < 2:
        return kept
    pool: list[Candidate | None] = [*kept]
    words = [frozenset(_split(candidate)) for candidate in kept[:_NEAREST]]
    for at, own in enumerate(words):
        candidate = pool[at]
        if candidate is None or len(own) < _LEAST_WORDS:
            continue
        near = [(_rank(other), i) for i, other in enumerate(pool[: len(words)]) if other and _is_near(words[i], own)]
        best, place = min(near)
        if best < _rank(candidate):
            first, last = sorted((at, place))
            pool[first], pool[last] = _join(pool[first], pool[last]), None  # type: ignore[arg-type]
    return [candidate for candidate in pool if candidate is not None]


def _is_near(left: frozenset[str], right: frozenset[str]) -> bool:
    alike = min(len(left), len(right)) >= _NEAR * max(len(left), len(right))
    return alike and _jaccard(left, right) >= _NEAR


def _rank(candidate: Candidate) -> int:
    return TRUST.index(candidate.document.document.trust)


def words_of(candidate: Candidate) -> frozenset[str]:
    """The index terms of a candidate's text."""
    return frozenset(count_terms(candidate.fragment.text[:_COMPARED_CHARS], candidate.document.document.language))


def apply_diversity(weight: float | None, limit: int, bag: Bag = words_of) -> Stage:
    """Maximal marginal relevance (Carbonell & Goldstein 1998): ``weight`` for relevance, the rest against similarity
    by shared terms (Jaccard), which ``bag`` gives and which counts less between documents. Beside another fragment of
    its document, a fragment is worth less, the more of that it is. A weight of ``None`` only collapses equal texts.
    Order may change, scores do not, and what leads stays before the rest."""

    def stage(candidates: list[Candidate]) -> list[Candidate]:
        pool = collapse(candidates)
        if weight is None or len(pool) < 3:
            return pool
        first = [candidate for candidate in pool if candidate.leads]
        rest = [candidate for candidate in pool if not candidate.leads]
        return [one for group in (first, rest) if group for one in _mmr(group, weight, limit, bag)]

    return stage


def _mmr(pool: list[Candidate], weight: float, limit: int, bag: Bag) -> list[Candidate]:
    pool, rest = pool[: _POOL_PER_HIT * limit], pool[_POOL_PER_HIT * limit :]
    bags = [bag(candidate) for candidate in pool]
    top = pool[0].score or 1.0
    remaining = list(range(len(pool)))
    worth = [candidate.score / top for candidate in pool]
    nearest = [0.0] * len(pool)
    chosen: list[int] = []
    seen: set[int] = set()
    while remaining and len(chosen) < limit:
        best = max(remaining, key=lambda i: (weight * worth[i] - (1 - weight) * nearest[i], -i))
        chosen.append(best)
        remaining.remove(best)
        document = pool[best].document.id
        for i in remaining:
            beside = pool[i].document.id == document
            alike = _jaccard(bags[i], bags[best]) * (1.0 if beside else DIVERSITY.elsewhere)
            nearest[i] = max(nearest[i], alike)
            if beside and document not in seen:
                worth[i] *= 1 - DIVERSITY.document * _get_share(pool[i])
        seen.add(document)
    return [pool[i] for i in chosen] + [pool[i] for i in remaining] + rest


def _get_share(candidate: Candidate) -> float:
    """How much of its document a fragment is: what is half of a note says much of what the other half is about, what is
    a hundredth of a book says little of the rest. Nothing in a conversation, whose turns each tell their own."""
    fragment = candidate.fragment
    if fragment.kind == "turn":
        return 0.0
    return min(1.0, (fragment.end_byte - fragment.start_byte) / max(1, candidate.document.document.size))


def _jaccard(left: frozenset[Any], right: frozenset[Any]) -> float:
    shared = len(left & right)
    return shared / (len(left) + len(right) - shared) if shared else 0.0


_WORD = regex(r"\w+")
# Of a sentence with fewer words chance could repeat it; of a longer one most triples of words have to be there.
_ECHO_LEAST_WORDS = 5
_RUN = 3
_SHARE = 0.6
# How far below the fragment that it repeats an echo stands: packing looks at the words once more and leaves it there.
_BELOW = 0.8
_ASKS = regex(r"[^.!?…。！？؟\n]+[?？؟]")
# What stands before a question in a line of ours: `- user: "`, a heading's signs, "Hand-off: ".
_LEAD = regex(r"^[\s#>*-]*(?:(?:user|Hand-off):\s*)?[\s\"“]*")
# A question is the same one where it holds this much of what the asked one weighs, and says this much besides.
_SAME = 0.7
_MORE = 0.4
# What answers scores at least this share of what repeats the question: its words are not the question's.
_ANSWERS = 0.35


_LEFT_BY_SESSION = regex(r"Session of \d{4}-\d\d-\d\d \d\d:\d\d")


def tells_of_session(document: Document) -> bool:
    """Whether it is ours about a session, or the note that a session held here left in a workspace."""
    return is_session_note(document) or _LEFT_BY_SESSION.fullmatch(document.title) is not None


@dataclass(frozen=True, slots=True)
class _Said:
    """The runs of words of each sentence of a text."""

    sentences: tuple[frozenset[tuple[str, ...]], ...]

    def repeats(self, other: _Said) -> bool:
        """Whether one of its sentences stands in the other text, or one of the other's in it."""
        own, there = frozenset().union(*self.sentences), frozenset().union(*other.sentences)
        return _holds(own, other.sentences) or _holds(there, self.sentences)


def give_way(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Best first: of what we noted about sessions, each fragment that repeats another document's sentences stands below
    the fragment of that document."""
    quoted = _find_quoted(candidates, le)
    return order([_below(c, quoted.get(id(c), ())) for c in candidates]) if quoted else list(candidates)


def find_echoes(candidates: Sequence[Candidate]) -> frozenset[int]:
    """By identity, what we noted about a session and repeats the sentences of another document that stands above."""
    return frozenset(note for note, sources in _find_quoted(candidates, ge).items() if sources)


def find_repeated(candidates: Sequence[Candidate]) -> dict[int, Candidate]:
    """By the row of each document that we noted about a session: the best fragment of another document that stands
    before one of its fragments, which repeats its sentences."""
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
        """Whether a sentence of a text asks the same; a line may do so without a mark."""
        marked = (match[0] for match in _ASKS.finditer(text))
        unmarked = (line for each in text.splitlines() if is_asked(line := _LEAD.sub("", each)))
        return any(self._is_same(sentence) for sentence in (*marked, *unmarked))

    def _is_same(self, sentence: str) -> bool:
        language = self.languages[0] if len(self.languages) == 1 else "en"
        chunks_here = [frozenset(chunk_terms(chunk, language)) for chunk in chunks(sentence)]
        terms_here = frozenset[str]().union(*chunks_here)
        mass = sum(weight for _, weight in self.words)
        if not mass or sum(weight for forms, weight in self.words if forms & terms_here) < _SAME * mass:
            return False
        known = frozenset[str]().union(*(forms for forms, _ in self.words))
        content = [
            terms for terms in chunks_here if not any(is_stop_word(term, self.languages or ("en",)) for term in terms)
        ]
        return sum(not terms & known for terms in content) <= _MORE * len(content)


def let_answer(candidates: Sequence[Candidate], asked: AskedQuestion) -> list[Candidate]:
    """Best first: of what we noted about sessions, each fragment in which the question itself was asked, or whose title
    asks it, stands below the best of the others that may answer. Its score says that it is the question, which says
    nothing of an answer, no more than that it is called so; where no other may answer, it stays."""
    asking = {
        id(c)
        for c in candidates
        if tells_of_session(c.document.document) and asked.stands_in(f"{c.document.document.title}\n{c.fragment.text}")
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
    statement, there = _say(text), frozenset[tuple[str, ...]]().union(*_say(other).sentences)
    if not statement.sentences:
        return flatten(text) in flatten(other)
    return all(_holds(there, (sentence,)) for sentence in statement.sentences)


def _find_quoted(candidates: Sequence[Candidate], stands: Callable[[float, float], bool]) -> dict[int, list[Candidate]]:
    """By the identity of each candidate that we noted about a session: what it repeats of other documents, as far as
    that ``stands`` so to it by its score. Empty where there are only such, or none."""
    notes = [candidate for candidate in candidates if tells_of_session(candidate.document.document)]
    if len(notes) == len(candidates):
        return {}
    own = {id(note) for note in notes}
    sources = [(c, _say(c.fragment.text)) for c in candidates if id(c) not in own] if notes else []

    def quoted(note: Candidate) -> list[Candidate]:
        statement = _say(note.fragment.text)
        return [source for source, text in sources if stands(source.score, note.score) and statement.repeats(text)]

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
        if len(words) >= _ECHO_LEAST_WORDS:
            found.append(frozenset(zip(*(words[at:] for at in range(_RUN)), strict=False)))
    return _Said(tuple(found))


def _holds(there: frozenset[tuple[str, ...]], sentences: Iterable[frozenset[tuple[str, ...]]]) -> bool:
    return any(len(runs & there) >= _SHARE * len(runs) for runs in sentences)
