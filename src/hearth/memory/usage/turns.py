"""What was shown in the turns of a session, as the index has it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

from hearth.core import subjects
from hearth.core.lazy import dataclass
from hearth.core.session import Shown, ShownTurn, is_briefing
from hearth.ports import StateReader

Lines = tuple[tuple[int, int], ...]


@dataclass(slots=True)
class Injection:
    """What one hook showed at once; ``lines`` by docid, none for a whole document; ``bodies`` begin the hashes of
    memories, by docid. ``at`` is ms UTC."""

    turn: str
    at: int
    docids: tuple[str, ...]
    lines: Mapping[str, Lines] = field(default_factory=dict)
    tokens: int = 0
    hook: str = ""
    prompt_hash: str | None = None
    bodies: Mapping[str, str] = field(default_factory=dict)


def injections(reader: StateReader, session: str, turn: str | None = None) -> list[Injection]:
    """Those of one turn, or of all, oldest first."""
    return among(reader.registers(subjects.name_session(session), subjects.name_surfacings(turn)))


def among(registers: Mapping[str, Any]) -> list[Injection]:
    """Those that registers of a session tell of, oldest first."""
    rows = ((subjects.read_surfacing(name), value) for name, value in registers.items())
    found = [_injection(turn, value) for turn, value in rows if turn is not None]
    return sorted(found, key=lambda item: (item.at, item.turn, item.hook, item.docids))


def last(reader: StateReader, session: str, count: int) -> list[ShownTurn]:
    """The last turns that the journal knows of, newest first."""
    subject = subjects.name_session(session)
    known = reader.keys(subject, "turns", count)
    surfaced = reader.keys(subject, "surfaced", count)
    latest = {turn: max(known.get(turn, 0), surfaced.get(turn, 0)) for turn in known | surfaced}
    newest = sorted(latest, key=lambda turn: (-latest[turn], turn))[:count]
    return [_together(turn, latest[turn], injections(reader, session, turn)) for turn in newest]


def count(reader: StateReader, session: str) -> int:
    """How many turns of the session the journal knows of."""
    subject = subjects.name_session(session)
    known = reader.keys(subject, "turns") | reader.keys(subject, "surfaced")
    return sum(not is_briefing(turn) for turn in known)


def used(reader: StateReader, session: str) -> dict[str, set[str]]:
    """Turn -> documents that its answer used."""
    found: dict[str, set[str]] = {}
    for key in reader.keys(subjects.name_session(session), "referenced"):
        turn, docid = subjects.read_reference(key)
        found.setdefault(turn, set()).add(docid)
    return found


def _together(turn: str, at: int, shown: list[Injection]) -> ShownTurn:
    return ShownTurn(
        turn=turn,
        at=min((item.at for item in shown), default=at),
        shown=tuple(sorted(set(_places(shown)), key=lambda one: (one.docid, one.start_line, one.end_line, one.body))),
        prompt_hashes=tuple(sorted({item.prompt_hash for item in shown if item.prompt_hash})),
        tokens=sum(item.tokens for item in shown),
    )


def _places(shown: list[Injection]) -> Iterator[Shown]:
    for item in shown:
        for docid in item.docids:
            body = item.bodies.get(docid, "")
            yield from (Shown(docid, *span, body) for span in item.lines.get(docid) or ((0, 0),))


def _injection(turn: str, value: Any) -> Injection:
    """Journals are written by other versions and by hand, so every field may be missing or odd."""
    row = value if isinstance(value, dict) else {}
    docids = tuple(docid for docid in row.get("docs", ()) if isinstance(docid, str))
    spans = row.get("lines")
    lines: dict[str, Lines] = {}
    if isinstance(spans, list) and len(spans) == len(docids):
        lines = {docid: tuple(_pairs(span)) for docid, span in zip(docids, spans, strict=True)}
    given, bodies = row.get("bodies"), dict[str, str]()
    if isinstance(given, list) and len(given) == len(docids):
        bodies = {docid: body for docid, body in zip(docids, given, strict=True) if isinstance(body, str)}
    hook, prompt = row.get("hook"), row.get("prompt")
    return Injection(
        turn=turn,
        at=_whole(row.get("at")),
        docids=docids,
        lines=lines,
        tokens=_whole(row.get("tokens")),
        hook=hook if isinstance(hook, str) else "",
        prompt_hash=prompt if isinstance(prompt, str) else None,
        bodies=bodies,
    )


def _pairs(span: Any) -> Iterator[tuple[int, int]]:
    numbers = [_whole(number) for number in span] if isinstance(span, list) else []
    yield from zip(numbers[::2], numbers[1::2], strict=False)


def _whole(value: Any) -> int:
    return value if type(value) is int and value >= 0 else 0
