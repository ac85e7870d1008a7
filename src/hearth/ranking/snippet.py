"""Snippets: the lines of a fragment that answer the question best, at their exact numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hearth.text.terms import count_terms, terms

_MAX_LINES = 4
_MAX_CHARS = 320


@dataclass(frozen=True, slots=True)
class Snippet:
    """``text`` is cut from lines ``start`` to ``end`` (1-based, inclusive) of the document."""

    text: str
    start: int
    end: int


def snippet(text: str, first_line: int, weights: Mapping[str, float], language: str) -> Snippet:
    """``weights`` maps index terms to their worth. The best run of up to four lines; a long line is cut around its
    best words, with an ellipsis where something was left out."""
    lines = text.split("\n")
    worth = [_worth(line, weights, language) for line in lines]
    start, end = _best_run(lines, worth)
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end].strip():
        end -= 1
    chosen = "\n".join(line.rstrip() for line in lines[start : end + 1])
    if len(chosen) > _MAX_CHARS:
        chosen = _around(chosen, weights, language)
    return Snippet(chosen, first_line + start, first_line + end)


def _worth(line: str, weights: Mapping[str, float], language: str) -> float:
    return sum(map(weights.__getitem__, weights.keys() & count_terms(line, language).keys()))


def _best_run(lines: list[str], worth: list[float]) -> tuple[int, int]:
    best = max(range(len(lines)), key=lambda i: (worth[i], -i))
    start = end = best
    size = len(lines[best])
    while end - start + 1 < _MAX_LINES:
        above = worth[start - 1] + 0.01 if start > 0 else -1.0
        below = worth[end + 1] + 0.02 if end + 1 < len(lines) else -1.0
        if max(above, below) < 0:
            break
        at = start - 1 if above > below else end + 1
        size += len(lines[at]) + 1
        if size > _MAX_CHARS:
            break
        start, end = min(start, at), max(end, at)
    return start, end


def _around(text: str, weights: Mapping[str, float], language: str) -> str:
    words = text.split(" ")
    worth = [sum(weights.get(term, 0.0) for term in terms(word, language)) for word in words]
    sizes = [len(word) + 1 for word in words]
    best_at, best_worth, start, size, total = 0, -1.0, 0, 0, 0.0
    for end, word_size in enumerate(sizes):
        size += word_size
        total += worth[end]
        while size > _MAX_CHARS and start < end:
            size -= sizes[start]
            total -= worth[start]
            start += 1
        if total > best_worth + 1e-9:
            best_at, best_worth = start, total
    chosen = text[sum(sizes[:best_at]) :][:_MAX_CHARS]
    return ("…" if best_at else "") + chosen.strip() + ("…" if sum(sizes[:best_at]) + _MAX_CHARS < len(text) else "")
