"""Outlines: a line for each passage, as many as fit, by time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hearth.lazy import dataclass, regex
from hearth.model.instants import show_date_or_none
from hearth.model.query import Hit
from hearth.text.budget import estimate_tokens
from hearth.text.lines import cut_line, without_code

LINE_CHARS = 100
MOST_LINES = 300
SECTION_FLOOR = 0.3
"""A section is worth a line from so much of what the best line is worth. Of questions about the examples and about
pages of help all the passages that answer are above it, and two thirds of the examples' lines below."""
CONVERSATION_FLOOR = 0.2
"""And a conversation, whole, by its best turn: what was said next belongs to it, whatever its words. Above it, BEAM's
chats lose passages that an order of events needs."""

_MARKS = regex(r"^\s*(?:#{1,6}\s.*|[-=*_|:\s]+$|(?:>\s*)+|(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?)")
_SPEAKER = regex(r"^\s*(?:\*\*[^*\n]{1,40}:?\*\*:?|[^\W\d_][\w'’.-]{0,39}:)\s+(?=\S)")


@dataclass(frozen=True, slots=True)
class OutlineLine:
    """What a passage contributes: its ``place`` (collection/path) and date in ms UTC, its line, its words; ``at`` says
    which of the passages given it is, ``worth`` how much it bears on the question, ``turn`` that somebody said it."""

    at: int
    place: str
    date: int | None
    line: int
    words: str
    worth: float = 0.0
    turn: bool = False


def opening(text: str) -> tuple[int, str]:
    """The first words of a passage that are its own, on one line of at most 100 characters, and the line on which they
    begin, counted from 0; no words where it is code and headings only."""
    rows = without_code(text).split("\n") if "\n" in text else [text]
    for row in rows:
        rest = _SPEAKER.sub("", _MARKS.sub("", row))
        if any(char.isalnum() for char in rest):
            begins = next(n for n, line in enumerate(text.split("\n")) if line == row)
            following = " ".join(" ".join(rows[rows.index(row) + 1 :]).split()) if len(rest) < LINE_CHARS else ""
            return begins, cut_line(" ".join(f"{rest} {following}".split()), LINE_CHARS)
    return 0, ""


def drop_far(lines: Sequence[OutlineLine]) -> list[OutlineLine]:
    """Without what bears far less on the question than the best line, which comes first: a budget is no aim."""
    if not lines:
        return []
    best = lines[0].worth
    by_place: dict[str, float] = {}
    for line in lines:
        by_place[line.place] = max(by_place.get(line.place, line.worth), line.worth)

    def is_near(line: OutlineLine) -> bool:
        worth, floor = (by_place[line.place], CONVERSATION_FLOOR) if line.turn else (line.worth, SECTION_FLOOR)
        return worth >= min(best, floor * best)

    return [line for line in lines if is_near(line)]


def fit(lines: Iterable[OutlineLine], budget: int) -> list[OutlineLine]:
    """The best lines, which come first, within so many tokens of ``render``, by time: what has no date goes last."""
    kept: list[OutlineLine] = []
    known: set[tuple[str, str]] = set()
    places: set[str] = set()
    spent = 0
    for line in lines:
        if (line.place, line.words) in known:
            continue
        cost = estimate_tokens(_row(line.line, line.words) + "\n")
        cost += 0 if line.place in places else estimate_tokens(_head(line.place, line.date) + "\n")
        if spent + cost > budget:
            continue
        kept.append(line)
        known.add((line.place, line.words))
        places.add(line.place)
        spent += cost
        if len(kept) == MOST_LINES:
            break
    return sorted(kept, key=lambda line: (line.date is None, line.date or 0, line.place, line.line))


def render(hits: Sequence[Hit]) -> Iterator[str]:
    """An outline as text: each document once, then its lines."""
    before = None
    for hit in hits:
        place = f"{hit.collection}/{hit.path}"
        if place != before:
            yield _head(place, hit.authored_at)
        before = place
        yield _row(hit.cited(full=False)[0], hit.snippet)


def _head(place: str, date: int | None) -> str:
    return f"{show_date_or_none(date)} {place}"


def _row(line: int, words: str) -> str:
    return f"  :{line} {words}"
