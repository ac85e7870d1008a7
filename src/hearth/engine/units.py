"""Units of packing: a window of several turns is packed turn by turn, anything else as the window it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from hearth.markdown.turns import is_answer, split_turns
from hearth.model.fragment import Fragment
from hearth.ranking.stage import Candidate
from hearth.ranking.weights import PACK, VOICE

Worth = Callable[[Sequence[str]], Sequence[float]]


def units(candidates: Sequence[Candidate], worth: Worth) -> list[Candidate]:
    """Every unit once, best first: a turn scores with its best window, with what it says itself, and with the turns
    beside it. ``worth`` judges texts on their own, in [0, 1]."""
    found: dict[tuple[int, int, int, str], Candidate] = {}
    for candidate in candidates:
        for unit in _split(candidate):
            part = unit.fragment
            key = (unit.document.id, part.start_line, part.end_line, part.text)
            if key not in found or found[key].score < unit.score:
                found[key] = unit
    all_units = list(found.values())
    own = worth([unit.fragment.text for unit in all_units])
    scores = [unit.score + PACK.own * value for unit, value in zip(all_units, own, strict=True)]
    lines = {(u.document.id, u.fragment.start_line): s for u, s in zip(all_units, scores, strict=True)}
    ends = {(u.document.id, u.fragment.end_line): s for u, s in zip(all_units, scores, strict=True)}
    ranked = sorted(
        range(len(all_units)),
        key=lambda i: (-scores[i] - PACK.beside * _beside(all_units[i], lines, ends), i),
    )
    return [all_units[i] for i in ranked]


def _split(candidate: Candidate) -> list[Candidate]:
    fragment = candidate.fragment
    if fragment.kind != "turn":
        return [candidate]
    ranges = split_turns(fragment.text)
    if len(ranges) < 2:
        return [candidate]
    rows = fragment.text.split("\n")
    whole = _answers(fragment.kind, fragment.headings, fragment.context, fragment.text)
    parts: list[Candidate] = []
    for first, end in ranges:
        text = "\n".join(rows[first:end])
        if not text.strip():
            continue
        last = min(fragment.start_line + end - 1, fragment.end_line)
        part = replace(fragment, start_line=fragment.start_line + first, end_line=last, text=text)
        quieter = not whole and _answers(fragment.kind, (), "", text)
        parts.append(replace(candidate, fragment=part, score=candidate.score * (VOICE if quieter else 1.0)))
    return parts


def _answers(kind: str, headings: tuple[str, ...], context: str, text: str) -> bool:
    return is_answer(Fragment(0, kind, 0, 0, 0, 0, text, headings, context))


def _beside(unit: Candidate, starts: dict[tuple[int, int], float], ends: dict[tuple[int, int], float]) -> float:
    """The better score of the units right before and after."""
    document, part = unit.document.id, unit.fragment
    after = starts.get((document, part.end_line + 1), 0.0)
    before = ends.get((document, part.start_line - 1), 0.0)
    return max(before, after)
