"""What a conversation says without a longer pause: the turns of a thread."""

from __future__ import annotations

from dataclasses import field
from datetime import date, datetime, time, tzinfo

from hearth.engine.knowledge.spoken import SpokenLine, spoken_lines
from hearth.extract.session.requests import find_request
from hearth.lazy import dataclass, regex
from hearth.model import instants
from hearth.model.identity import content_hash
from hearth.ports import Reader, StoredDocument

GAP_MS = 30 * 60_000
"""A longer pause begins another thread."""
_DAY = regex(r"(\d{4}-\d{2}-\d{2})-")


@dataclass(slots=True)
class ThreadTurns:
    """``began`` and ``ended`` are ms UTC, as far as the conversation tells times; ``prompts`` are the lines of
    each turn of the person."""

    start_line: int
    end_line: int
    began: int | None
    ended: int | None
    turns: int = 0
    prompts: list[list[str]] = field(default_factory=list)

    @property
    def asked(self) -> list[str]:
        return [line for prompt in self.prompts for line in prompt]

    @property
    def request(self) -> str:
        """What the person asked for first; empty where they only said to go on."""
        return find_request("\n".join(prompt) for prompt in self.prompts)

    @property
    def key(self) -> str:
        """The same as long as the person says the same."""
        return content_hash("\n".join(self.asked).encode())[:12]


def read_turns(reader: Reader, stored: StoredDocument, zone: tzinfo) -> list[ThreadTurns]:
    named = _DAY.match(stored.document.path.rpartition("/")[2])
    day = None if named is None else date.fromisoformat(named[1])
    runs: list[ThreadTurns] = []
    for line in spoken_lines(reader, stored):
        if line.head is not None:
            _turn(runs, line, _instant(line.head, day, zone))
        elif runs:
            runs[-1].end_line = line.number
            if line.by_person and runs[-1].prompts:
                runs[-1].prompts[-1].append(line.text)
    return runs


def _turn(runs: list[ThreadTurns], line: SpokenLine, at: int | None) -> None:
    """Goes on with the last run, or begins another one after a pause."""
    last = runs[-1] if runs else None
    if last is None or (at is not None and last.ended is not None and at - last.ended > GAP_MS):
        last = ThreadTurns(line.number, line.number, at, at)
        runs.append(last)
    last.end_line = line.number
    last.ended = last.ended if at is None else at
    if line.by_person:
        last.turns += 1
        last.prompts.append([])


def _instant(head: tuple[str | None, str | None, str | None], day: date | None, zone: tzinfo) -> int | None:
    on = date.fromisoformat(head[0]) if head[0] else day
    if on is None or head[1] is None or head[2] is None:
        return None
    return instants.of(datetime.combine(on, time(int(head[1]), int(head[2])), zone))
