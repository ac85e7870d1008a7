"""The stage that makes an outline of the answer: a line for each turn or section that bears on it, by time.

What nobody would quote as an answer still belongs into an order of events; so the conversations that hold the best
passages are read whole, and each turn is judged by what it says itself, too. Of a conversation between a person and an
assistant the person's turns count: they say what it was about.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from typing import ClassVar, NamedTuple

from hearth.engine.recall.context import Context
from hearth.engine.recall.stage import Pool, Stage
from hearth.engine.recall.stages.pack import judge_texts
from hearth.lazy import dataclass
from hearth.markdown.turns import asks, opens_by_heading, split_turns
from hearth.ranking.packing.outline import OutlineLine, drop_far, fit, opening
from hearth.ranking.stage import Candidate
from hearth.ranking.weights import CUT

DEFAULT_TOKENS = 800
DOCUMENTS = 8
"""So many documents are read whole, those with the most score."""
FRAGMENTS = 4_000
"""So many of their passages at most."""
OWN = 0.3
"""What a text's own nearness to the question adds to the score of its passage."""


# A short conversation is one passage.
_TURNS = ("turn", "full")


class _Unit(NamedTuple):
    """A section, or a turn; ``asks`` says whether it names the person as its speaker, ``None`` where it names no role;
    ``turn`` is false for a section."""

    candidate: Candidate
    start: int
    end: int
    text: str
    asks: bool | None = None
    turn: bool = False


@dataclass(frozen=True)
class OutlineStage(Stage):
    name: ClassVar[str] = "outline"

    def __call__(self, context: Context, pool: Pool) -> Pool:
        budget = context.query.budget_tokens or DEFAULT_TOKENS
        units = _list_units([*pool.candidates, *_read_rest(context, pool.candidates)])
        lines = [(unit, *opening(unit.text)) for unit in units]
        lines = [line for line in lines if line[2]]
        own = judge_texts(context, [unit.text for unit, _, _ in lines])
        worth = [unit.candidate.score + OWN * near for (unit, _, _), near in zip(lines, own, strict=True)]
        if not pool.confident and max(worth, default=0.0) < CUT.weak:
            return pool.hold([], pool.reason or "nothing bears on it")
        ranked = sorted(range(len(lines)), key=lambda at: (-worth[at], at))
        fitting = fit(drop_far([_make_line(at, worth[at], *lines[at]) for at in ranked]), budget)
        kept = [_make(lines[line.at][0], line) for line in fitting]
        return pool.hold(kept, f"no line of an outline fits into {budget} tokens; allow more")


def _read_rest(context: Context, found: Sequence[Candidate]) -> Iterator[Candidate]:
    """What else the conversations hold that the best passages are from, without a score of its own."""
    known = {candidate.fragment.id for candidate in found}
    weights: dict[int, float] = {}
    for candidate in found:
        if candidate.fragment.kind == "turn":
            weights[candidate.document.id] = weights.get(candidate.document.id, 0.0) + candidate.score
    documents = {candidate.document.id: candidate.document for candidate in found}
    left = FRAGMENTS
    for row in sorted(weights, key=lambda row: (-weights[row], row))[:DOCUMENTS]:
        for fragment in context.reader.fragments_of(row)[:left]:
            left -= 1
            if fragment.id not in known and fragment.kind == "turn":
                yield Candidate(fragment, documents[row], 0.0)


def _list_units(candidates: Sequence[Candidate]) -> list[_Unit]:
    """Every section and every turn of a person once, with its best passage. Where some turns of a conversation name the
    role of who speaks, one that names none is the rest of a turn, or a dialogue that somebody quotes."""
    units: dict[tuple[int, int, str], _Unit] = {}
    roles: set[int] = set()
    # Whatever frontmatter says of a document says nothing of its own.
    told = (candidate for candidate in candidates if candidate.fragment.kind != "frontmatter")
    for unit in (unit for candidate in told for unit in _split(candidate)):
        document = unit.candidate.document.id
        if unit.asks is not None:
            roles.add(document)
        key = (document, unit.start, unit.text)
        if key not in units or units[key].candidate.score < unit.candidate.score:
            units[key] = unit
    return [unit for unit in units.values() if _counts(unit, roles)]


def _counts(unit: _Unit, roles: Container[int]) -> bool:
    if not unit.turn:
        return True
    return unit.asks is True or (unit.asks is None and unit.candidate.document.id not in roles)


def _split(candidate: Candidate) -> Iterator[_Unit]:
    fragment = candidate.fragment
    rows = fragment.text.split("\n")
    by_heading = opens_by_heading(rows, fragment.headings)
    spans = split_turns(fragment.text, by_heading=by_heading) if fragment.kind in _TURNS else [(0, len(rows))]
    turns = [(first, end, "\n".join(rows[first:end])) for first, end in spans]
    if fragment.kind != "turn" and not any(asks(text, by_heading=by_heading) for _, _, text in turns):
        yield _Unit(candidate, fragment.start_line, fragment.end_line, fragment.text)
        return
    for first, end, text in turns:
        last = min(fragment.start_line + end - 1, fragment.end_line)
        yield _Unit(candidate, fragment.start_line + first, last, text, asks(text, by_heading=by_heading), turn=True)


def _make_line(at: int, worth: float, unit: _Unit, offset: int, words: str) -> OutlineLine:
    document = unit.candidate.document.document
    line = min(unit.start + offset, unit.end)
    return OutlineLine(at, f"{document.collection}/{document.path}", document.dated_at, line, words, worth, unit.turn)


def _make(unit: _Unit, line: OutlineLine) -> Candidate:
    fragment = replace(unit.candidate.fragment, start_line=line.line, end_line=unit.end, text=line.words)
    return replace(unit.candidate, fragment=fragment)
