"""Packing: the best windows first, adjacent ones joined, until a token budget is spent."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hearth.ranking.stage import Candidate
from hearth.text.budget import estimate_tokens

# What a renderer adds around a passage: title, place and fence.
PASSAGE_OVERHEAD = 16
_MIN_PASSAGE = 12


@dataclass(slots=True)
class _Passage:
    """Lines of one document that stand together."""

    candidate: Candidate
    lines: dict[int, str]

    def add(self, fresh: dict[int, str]) -> None:
        """Windows inside one long line share its number: their texts are put side by side."""
        for number, text in fresh.items():
            held = self.lines.get(number)
            self.lines[number] = text if held is None else f"{held} … {text}"


def pack(candidates: list[Candidate], budget: int) -> tuple[list[Candidate], int]:
    """The packed passages, best first, as candidates whose fragments hold the joined text; and their tokens.

    A line is paid for once, however many windows hold it. A window that no longer fits gives way to a smaller one.
    """
    passages: list[_Passage] = []
    spent = 0
    for candidate in candidates:
        lines = _lines(candidate)
        passage = _touching(passages, candidate, lines)
        fresh = {n: t for n, t in lines.items() if passage is None or t not in passage.lines.get(n, "\0")}
        if not fresh:
            continue
        cost = estimate_tokens("\n".join(fresh.values())) + (PASSAGE_OVERHEAD if passage is None else 1)
        if spent + cost > budget:
            if budget - spent < _MIN_PASSAGE + PASSAGE_OVERHEAD:
                break
            continue
        spent += cost
        if passage is None:
            passages.append(_Passage(candidate, lines))
        else:
            passage.add(fresh)
    return [_joined(passage) for passage in passages], spent


def _lines(candidate: Candidate) -> dict[int, str]:
    """Line number -> text; a final line end opens no line of its own."""
    fragment = candidate.fragment
    numbered = enumerate(fragment.text.split("\n"), fragment.start_line)
    return {number: text for number, text in numbered if number <= fragment.end_line}


def _touching(passages: list[_Passage], candidate: Candidate, lines: dict[int, str]) -> _Passage | None:
    first, last = min(lines), max(lines)
    for passage in passages:
        if passage.candidate.document.id != candidate.document.id:
            continue
        if first <= max(passage.lines) + 1 and last >= min(passage.lines) - 1:
            return passage
    return None


def _joined(passage: _Passage) -> Candidate:
    numbers = sorted(passage.lines)
    text = "\n".join(passage.lines[n] for n in numbers)
    fragment = replace(passage.candidate.fragment, start_line=numbers[0], end_line=numbers[-1], text=text)
    return replace(passage.candidate, fragment=fragment)
