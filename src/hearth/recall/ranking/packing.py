"""The best windows first until a budget is spent, nothing repeated, or an outline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from hearth.core.instants import show_date_or_none
from hearth.core.lazy import dataclass, regex
from hearth.core.query import Hit
from hearth.recall.ranking.candidate import Candidate
from hearth.text.lines import cut_line, estimate_tokens, split_sentences, without_code

HEADING = regex(r" {0,3}#{1,6}(?:\s|$)")
# As people head a decision or a meeting, plain, bold or in a list, with a short value: a longer one says more.
_METADATA = regex(
    r"[ \t>*_+-]*(?i:date|datum|fecha|data|дата|日期|日付|status|estado|estatus|statut|stato|stand|état|статус|状态|"
    r"authors?|auteurs?|autor(?:es|en|a)?|autore|deciders?|decision.makers?|created|updated|erstellt|creado|créé|"
    r"owners?|tags?|etiquetas)[ \t*_]*[:：][ \t*_]*(?P<value>\S[^\n]{0,60})?"
)
_MOST_WORDS = 6


def is_heading(line: str) -> bool:
    return HEADING.match(line) is not None


def is_metadata(line: str) -> bool:
    found = _METADATA.fullmatch(line.rstrip())
    return found is not None and len((found["value"] or "").split()) <= _MOST_WORDS


def is_head(line: str) -> bool:
    return is_heading(line) or is_metadata(line)


_WORD = regex(r"\w+")
_HEADING = regex(r" {0,3}#{1,6}(?:\s|$)")
# Shorter ones stand in many places and say nothing by being there: "yes", "**User:**", the rule of a table.
_LEAST_CHARS = 20


class Repeats:
    """What was said so far, sentence by sentence."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def drop(self, hit: Hit) -> list[Hit]:
        """The hit without the sentences that a hit before it says. Where lines are left out in between, it becomes
        several, so that each holds the very lines that it names."""
        rows = hit.text.split("\n")
        own: set[str] = set()
        fresh = [_fresh(row, self._said, own) for row in rows]
        self._said |= own
        return [hit] if fresh == rows else list(_runs(hit, fresh))


def _fresh(row: str, seen: set[str], own: set[str]) -> str | None:
    """A line without what was said before; ``None`` where all of it was."""
    parts = split_sentences(row)
    left = []
    for part in parts:
        key = " ".join(_WORD.findall(part.casefold()))
        if len(key) < _LEAST_CHARS or not (key in seen or key in own):
            left.append(part)
        if len(key) >= _LEAST_CHARS:
            own.add(key)
    if len(left) == len(parts):
        return row
    return " ".join(left) if any(map(_WORD.search, left)) else None


def _runs(hit: Hit, rows: list[str | None]) -> Iterator[Hit]:
    """The lines that are left, as far as they stand together and say something; no heading at their end."""
    start = 0
    for at, row in enumerate([*rows, None]):
        if row is not None:
            continue
        run = [text for text in rows[start:at] if text is not None]
        while run and (not run[-1].strip() or _HEADING.match(run[-1])):
            run.pop()
        # In bytes, since a Han character says about as much as three letters.
        if (
            sum(len(text.strip().encode("utf-8", "replace")) for text in run if not _HEADING.match(text))
            >= _LEAST_CHARS
        ):
            first, last = hit.start_line + start, min(hit.start_line + start + len(run) - 1, hit.end_line)
            yield replace(hit, text="\n".join(run), start_line=first, end_line=max(first, last))
        start = at + 1


# What a renderer adds around a fragment: title, place and fence.
FRAGMENT_OVERHEAD = 16
_MIN_FRAGMENT = 12
# Shorter overlaps are chance.
_PROBE_CHARS = 8


@dataclass(slots=True)
class _Fragment:
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
        lines = self.lines.get(number, {}).values()
        return any(known == text or (bool(text) and text in known) for known in lines)

    def take(self, other: _Fragment) -> None:
        for number, texts in other.lines.items():
            for start, text in texts.items():
                if not self.holds(number, text):
                    self.lines.setdefault(number, {})[start] = text


def pack(candidates: Iterable[Candidate], budget: int, limit: int | None = None) -> tuple[list[Candidate], int]:
    """The packed fragments, best first and at most ``limit``, as candidates whose fragments hold the joined text; and
    their tokens.

    A line is paid for once, however many windows hold it. A window that no longer fits gives way to a smaller one.
    Where there are as many fragments as there may be, the rest of the budget goes to what stands beside them.
    """
    fragments: list[_Fragment] = []
    spent = 0
    for candidate in candidates:
        lines = _lines(candidate)
        touching = [p for p in fragments if p.touches(candidate.document.id, lines)]
        fresh = {n: text for n, text in lines.items() if not any(p.holds(n, text) for p in touching)}
        if not fresh or (not touching and len(fragments) == limit):
            continue
        cost = estimate_tokens("\n".join(fresh.values())) + (1 if touching else FRAGMENT_OVERHEAD)
        if spent + cost > budget:
            if budget - spent < _MIN_FRAGMENT + FRAGMENT_OVERHEAD:
                break
            continue
        spent += cost
        if touching:
            _join(touching, fresh, candidate.fragment.start_byte, fragments)
        else:
            start = candidate.fragment.start_byte
            fragments.append(_Fragment(candidate, {number: {start: text} for number, text in lines.items()}))
    return [_build(fragment) for fragment in fragments], spent


def _join(touching: list[_Fragment], fresh: dict[int, str], start: int, fragments: list[_Fragment]) -> None:
    """Adds lines to the best fragment that they touch, which takes in the others: they now stand together."""
    first, *others = touching
    first.add(fresh, start)
    for other in others:
        first.take(other)
        fragments.remove(other)


def _lines(candidate: Candidate) -> dict[int, str]:
    """Line number -> text; a final line end opens no line of its own."""
    fragment = candidate.fragment
    numbered = enumerate(fragment.text.split("\n"), fragment.start_line)
    return {number: text for number, text in numbered if number <= fragment.end_line}


def _build(fragment: _Fragment) -> Candidate:
    numbers = sorted(fragment.lines)
    text = "\n".join(_merge([text for _, text in sorted(fragment.lines[n].items())]) for n in numbers)
    whole = replace(fragment.candidate.fragment, start_line=numbers[0], end_line=numbers[-1], text=text)
    return replace(fragment.candidate, fragment=whole)


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


LINE_CHARS = 100
MOST_LINES = 300
SECTION_FLOOR = 0.3
"""A section is worth a line from so much of what the best line is worth. Of questions about the examples and about
pages of help all the fragments that answer are above it, and two thirds of the examples' lines below."""
CONVERSATION_FLOOR = 0.2
"""And a conversation, whole, by its best turn: what was said next belongs to it, whatever its words. Above it, BEAM's
chats lose fragments that an order of events needs."""

_MARKS = regex(r"^\s*(?:#{1,6}\s.*|[-=*_|:\s]+$|(?:>\s*)+|(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?)")
_SPEAKER = regex(r"^\s*(?:\*\*[^*\n]{1,40}:?\*\*:?|[^\W\d_][\w'’.-]{0,39}:)\s+(?=\S)")


@dataclass(frozen=True, slots=True)
class OutlineLine:
    """What a fragment contributes: its ``place`` (collection/path) and date in ms UTC, its line, its words; ``at`` says
    which of the fragments given it is, ``worth`` how much it bears on the question, ``turn`` that somebody said it."""

    at: int
    place: str
    date: int | None
    line: int
    words: str
    worth: float = 0.0
    turn: bool = False


def opening(text: str) -> tuple[int, str]:
    """The first words of a fragment that are its own, on one line of at most 100 characters, and the line on which they
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
