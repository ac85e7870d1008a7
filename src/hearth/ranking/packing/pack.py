"""Packing: the best windows first, adjacent ones joined, until a token budget is spent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hearth.lazy import dataclass
from hearth.ranking.stage import Candidate
from hearth.text.budget import estimate_tokens

# What a renderer adds around a passage: title, place and fence.
PASSAGE_OVERHEAD = 16
_MIN_PASSAGE = 12
# Shorter overlaps are chance.
_PROBE_CHARS = 8


@dataclass(slots=True)
class _Passage:
    """Lines of one document that stand together, each with its texts by the byte at which their window starts: windows
    inside one long line share its number."""

    candidate: Candidate
    lines: dict[int, dict[int, str]]

    def touches(self, document: int, lines: dict[int, str]) -> bool:
        if self.candidate.document.id != document:
            return False
        return min(lines) <= max(self.lines) + 1 and max(lines) >= min(self.lines) - 1

    def add(self, fresh: dict[int, str], start: int) -> None:
        for number, text in fresh.items():
            self.lines.setdefault(number, {})[start] = text

    def holds(self, number: int, text: str) -> bool:
        held = self.lines.get(number, {}).values()
        return any(known == text or (bool(text) and text in known) for known in held)

    def take(self, other: _Passage) -> None:
        for number, texts in other.lines.items():
            for start, text in texts.items():
                if not self.holds(number, text):
                    self.lines.setdefault(number, {})[start] = text


def pack(candidates: Iterable[Candidate], budget: int, limit: int | None = None) -> tuple[list[Candidate], int]:
    """The packed passages, best first and at most ``limit``, as candidates whose fragments hold the joined text; and
    their tokens.

    A line is paid for once, however many windows hold it. A window that no longer fits gives way to a smaller one.
    Where there are as many passages as there may be, the rest of the budget goes to what stands beside them.
    """
    passages: list[_Passage] = []
    spent = 0
    for candidate in candidates:
        lines = _lines(candidate)
        touching = [p for p in passages if p.touches(candidate.document.id, lines)]
        fresh = {n: text for n, text in lines.items() if not any(p.holds(n, text) for p in touching)}
        if not fresh or (not touching and len(passages) == limit):
            continue
        cost = estimate_tokens("\n".join(fresh.values())) + (1 if touching else PASSAGE_OVERHEAD)
        if spent + cost > budget:
            if budget - spent < _MIN_PASSAGE + PASSAGE_OVERHEAD:
                break
            continue
        spent += cost
        if touching:
            _join(touching, fresh, candidate.fragment.start_byte, passages)
        else:
            start = candidate.fragment.start_byte
            passages.append(_Passage(candidate, {number: {start: text} for number, text in lines.items()}))
    return [_build(passage) for passage in passages], spent


def _join(touching: list[_Passage], fresh: dict[int, str], start: int, passages: list[_Passage]) -> None:
    """Adds lines to the best passage that they touch, which takes in the others: they now stand together."""
    first, *others = touching
    first.add(fresh, start)
    for other in others:
        first.take(other)
        passages.remove(other)


def _lines(candidate: Candidate) -> dict[int, str]:
    """Line number -> text; a final line end opens no line of its own."""
    fragment = candidate.fragment
    numbered = enumerate(fragment.text.split("\n"), fragment.start_line)
    return {number: text for number, text in numbered if number <= fragment.end_line}


def _build(passage: _Passage) -> Candidate:
    numbers = sorted(passage.lines)
    text = "\n".join(_merge([text for _, text in sorted(passage.lines[n].items())]) for n in numbers)
    fragment = replace(passage.candidate.fragment, start_line=numbers[0], end_line=numbers[-1], text=text)
    return replace(passage.candidate, fragment=fragment)


def _merge(texts: list[str]) -> str:
    """Parts of one line in their order: what the end of one shares with the beginning of the next is said once, and
    three dots stand where something between them was left out."""
    merged = texts[0]
    for text in texts[1:]:
        if text not in merged:
            shared = _overlap(merged, text)
            merged += text[shared:] if shared else f" … {text}"
    return merged


def _overlap(before: str, after: str) -> int:
    """How many characters that end ``before`` begin ``after``."""
    probe = after[:_PROBE_CHARS]
    at = before.find(probe, max(0, len(before) - len(after)))
    while at >= 0:
        if after.startswith(before[at:]):
            return len(before) - at
        at = before.find(probe, at + 1)
    return 0
