"""The part of a long text that speaks of the question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hearth.lazy import regex
from hearth.text.budget import estimate_tokens
from hearth.text.terms import terms

Nearness = Callable[[Sequence[str]], Sequence[float]]

# A word with the space after it; a script without spaces comes in short runs.
_PIECE = regex(r"\S{1,40}\s*|\s+")
# What the first, second and third mention of a word count; more say nothing new.
_MENTIONS = (1.0, 0.05, 0.05)


def best_window(
    text: str, weights: Mapping[str, float], language: str, tokens: int, near: Nearness | None = None
) -> str:
    """The text itself where it is short enough, else the part of about ``tokens`` that holds most of ``weights``
    (index term -> worth), its words in the middle. Where it holds none of them, the part nearest in meaning by
    ``near``; without that the beginning."""
    cost = estimate_tokens(text)
    if cost <= tokens:
        return text
    room = max(1, len(text) * tokens // cost)
    pieces = _PIECE.findall(text)
    found = _most(pieces, weights, language, room)
    if found is not None:
        return "".join(pieces[found[0] : found[1]]).strip()
    parts = _parts(pieces, room)
    if near is None or len(parts) < 2:
        return parts[0].strip()
    values = near(parts)
    return parts[max(range(len(parts)), key=lambda i: (values[i], -i))].strip()


def _most(pieces: Sequence[str], weights: Mapping[str, float], language: str, room: int) -> tuple[int, int] | None:
    """First and end piece of the best window of at most ``room`` characters: among equally good neighbours the one in
    the middle. ``None`` where no piece holds a weighted term."""
    said = [[term for term in terms(piece, language) if term in weights] for piece in pieces]
    counts: dict[str, int] = {}
    ranges: list[tuple[float, int, int]] = []
    start = size = 0
    worth = 0.0
    for end, piece in enumerate(pieces):
        size += len(piece)
        for term in said[end]:
            counts[term] = counts.get(term, 0) + 1
            worth += weights[term] * _mention(counts[term])
        while size > room and start < end:
            for term in said[start]:
                worth -= weights[term] * _mention(counts[term])
                counts[term] -= 1
            size -= len(pieces[start])
            start += 1
        ranges.append((round(worth, 9), start, end + 1))
    best = max(ranges)[0]
    if best <= 0:
        return None
    first = next(i for i, found in enumerate(ranges) if found[0] == best)
    last = next((i for i in range(first, len(ranges)) if ranges[i][0] != best), len(ranges)) - 1
    return ranges[(first + last) // 2][1:]


def _mention(number: int) -> float:
    return _MENTIONS[number - 1] if number <= len(_MENTIONS) else 0.0


def _parts(pieces: Sequence[str], room: int) -> list[str]:
    """The text in parts of at most ``room`` characters."""
    parts = [""]
    for piece in pieces:
        if parts[-1].strip() and len(parts[-1]) + len(piece) > room:
            parts.append("")
        parts[-1] += piece
    return parts
