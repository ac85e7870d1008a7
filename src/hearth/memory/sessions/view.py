"""The session log as the index has it, and short names of sessions and turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

from hearth.core import session, subjects
from hearth.core.errors import Ambiguous, NotFound, Remedy
from hearth.core.instants import DAY_MS
from hearth.core.lazy import dataclass
from hearth.core.session import NAMELESS, Session, SessionDetail, SessionTurn, ShownDocument, is_briefing
from hearth.core.types import CONVERSATION
from hearth.memory.usage import turns
from hearth.memory.usage.statistics import moves, present
from hearth.memory.usage.turns import Injection
from hearth.ports import DocumentReader, Reader, StateReader

_REMEMBERED = 256


@lru_cache(_REMEMBERED)
def _keep(plain: str) -> str:
    """The journal would replace what looks like a secret, and make one session of all of them."""
    from hearth.guard.secrets.redaction import redact

    return plain if redact(plain).text == plain else session.hashed(plain)


def of_session(given: str) -> str:
    """Raises ``UsageError`` for an empty name."""
    return _keep(session.session_key(given))


def of_turn(key: str, given: str | None, ordinal: int | None = None) -> str:
    """Raises ``UsageError`` where neither a name nor a number is given."""
    return _keep(session.turn_key(key, given, ordinal))


def one_line(text: str | None, limit: int) -> str | None:
    """Outside text as one storable line; ``None`` where nothing is left."""
    if not text:
        return None
    plain = text[: 4 * limit].encode("utf-8", "backslashreplace").decode("utf-8")
    plain = " ".join("".join(char if char.isprintable() else " " for char in plain).split())
    return plain[:limit] or None


KEPT_DAYS = 90
"""What was shown in a turn is told for this long; totals for ever."""
KEPT_MS = KEPT_DAYS * DAY_MS
_MIN_PREFIX = 4
_MAX_NAMED = 5

HANDED_OFF = "Hand-off: "
"""How the title of a hand-off of ours begins."""


def sessions(reader: Reader, limit: int, project: str | None = None, *, empty: bool = True) -> list[Session]:
    """The newest first, by their beginning; unless ``empty``, without those in which nothing happened."""
    began = _began(reader)
    if project is not None:
        of_project = reader.holders("project")
        began = {key: at for key, at in began.items() if of_project.get(subjects.name_session(key)) == project}
    newest = sorted(began, key=lambda key: (-began[key], key))
    found = (_session(reader, key, began[key]) for key in newest)
    return list(islice((session for session in found if empty or not session.empty), limit))


def find(reader: StateReader, reference: str) -> str:
    """The session of that name, or the only one whose name begins so (4 characters at least). Raises ``NotFound``,
    ``Ambiguous``."""
    known = _began(reader)
    if reference and (kept := of_session(reference)) in known:
        return kept
    fits = sorted(key for key in known if key.startswith(reference)) if len(reference) >= _MIN_PREFIX else []
    if not fits:
        raise NotFound(f"no session {reference[:80]!r}", Remedy("log", "sessions", "", " lists them"))
    if len(fits) > 1:
        raise Ambiguous(f"{len(fits)} sessions begin with {reference!r}; write more of it", tuple(fits[:_MAX_NAMED]))
    return fits[0]


def detail(reader: Reader, key: str, now: int) -> SessionDetail:
    """One session with what each of its turns was shown in the last 90 days."""
    since = now - KEPT_MS
    session = _session(reader, key, _began(reader)[key])
    subject = subjects.name_session(key)
    latest = {**reader.keys(subject, "turns")}
    shown: dict[str, list[Injection]] = {}
    for item in turns.injections(reader, key):
        shown.setdefault(item.turn, []).append(item)
        latest[item.turn] = max(item.at, latest.get(item.turn, 0))
    used = turns.used(reader, key)
    kept = sorted((at, turn) for turn, at in latest.items() if at >= since)
    return SessionDetail(
        session,
        tuple(_turn(reader, turn, at, shown.get(turn, []), used.get(turn, set())) for at, turn in kept),
        len(latest) - len(kept),
        tuple(sorted(reader.keys(subject, "files"))),
    )


@dataclass(frozen=True, slots=True)
class Span:
    session: str
    start: int
    end: int


def spans(reader: StateReader) -> list[Span]:
    """From the first to the last that was heard of each session, latest beginning first."""
    last_turn, ended = reader.holders("turn"), reader.holders("ended")
    found = []
    for key, start in _began(reader).items():
        subject = subjects.name_session(key)
        shown = next(iter(reader.keys(subject, "surfaced", 1).values()), 0)
        found.append(Span(key, start, max(start, shown, _at(last_turn.get(subject)), _whole(ended.get(subject)))))
    return sorted(found, key=lambda span: (-span.start, span.session))


def within(moment: int, known: list[Span]) -> str | None:
    """The session that began last of those whose span contains the moment."""
    return next((span.session for span in known if span.start <= moment <= span.end), None)


# -- details ----------------------------------------------------------------------------------------------------------


def _began(reader: StateReader) -> dict[str, int]:
    found = reader.holders("began").items()
    began = ((subjects.read_session(subject), at) for subject, at in found if type(at) is int)
    return {key: at for key, at in began if key is not None}


def _session(reader: Reader, key: str, began: int) -> Session:
    subject = subjects.name_session(key)
    known = reader.registers(subject)
    shown = turns.among(known)
    counts = reader.members(subject)
    pairs = {(item.turn, docid) for item in shown for docid in item.docids}
    mark = known.get("turn")
    watermark: Mapping[str, Any] = mark if isinstance(mark, dict) else {}
    heard = max([began, _at(watermark), *(item.at for item in shown)])
    ended = _whole(known.get("ended"))
    over = 0 < heard <= ended
    handoff = _text(known, "handoff")
    return Session(
        id=key,
        began=began,
        last=max(heard, ended),
        ended=ended if over else None,
        ending=_text(known, "ending") if over else None,
        host=_text(known, "host"),
        project=_text(known, "project"),
        machine=_text(known, "machine"),
        transcript=_text(watermark, "transcript"),
        watermark=_whole(watermark.get("watermark")) if watermark else None,
        turns=_count_turns(shown, reader.keys(subject, "turns")),
        files=counts.get("files", (0, 0))[0],
        surfaced=len(pairs),
        referenced=counts.get("referenced", (0, 0))[0],
        tokens=sum(item.tokens for item in shown),
        summary=_title(reader, handoff),
        handoff=handoff,
        conversation=conversation(reader, key),
    )


def _count_turns(shown: Sequence[Injection], ended: Mapping[str, int]) -> int:
    """Turns that were held, whether or not anything was shown in them. Where the host names none, a turn may
    have ended under another name than it was shown under: only the turn under way is added to those that ended."""
    begun = {item.turn: item.at for item in shown if not is_briefing(item.turn)}
    if any(name.startswith(NAMELESS) for name in ended):
        last = max(ended.values())
        begun = {name: at for name, at in begun.items() if at > last}
    return len(begun.keys() | ended.keys())


def _turn(reader: Reader, turn: str, at: int, shown: list[Injection], used: set[str]) -> SessionTurn:
    lines: dict[str, list[tuple[int, int]]] = {}
    for item in shown:
        for docid in item.docids:
            lines.setdefault(docid, []).extend(item.lines.get(docid, ()))
    documents = tuple(
        ShownDocument(docid, place(reader, docid), tuple(sorted(set(lines[docid]))), docid in used)
        for docid in sorted(lines)
    )
    hooks = tuple(sorted({item.hook for item in shown}))
    return SessionTurn(turn, at, sum(item.tokens for item in shown), hooks, documents)


def place(reader: Reader, docid: str) -> str | None:
    """``collection/path`` of a document, where it has moved to if it did; ``None`` where it is gone or forgotten."""
    for name in present(docid, moves(reader)) if reader.document(docid) is None else [docid]:
        stored = reader.document(name)
        if stored is not None and not stored.state.forgotten:
            return f"{stored.document.collection}/{stored.document.path}"
    return None


def conversation(reader: Reader, key: str) -> str | None:
    """The docid of the document that keeps what a session said, the latest of several; ``None`` where none is."""
    captured = reader.keys(subjects.name_session(key), "captured")
    last = max(captured.values(), default=0)
    named = (subjects.read_captured(name)[1] for name, at in captured.items() if at == last)
    stored = (reader.document(docid) for docid in named)
    seen = (one for one in stored if one is not None and not one.state.hidden and not one.vanished)
    return next((one.document.docid for one in seen if one.document.content_type == CONVERSATION), None)


def _title(reader: DocumentReader, docid: str | None) -> str | None:
    stored = reader.document(docid) if docid else None
    return None if stored is None or stored.state.forgotten else stored.document.title.removeprefix(HANDED_OFF)


def _text(known: Mapping[str, Any], name: str) -> str | None:
    value = known.get(name)
    return value if isinstance(value, str) else None


def _whole(value: Any) -> int:
    return value if type(value) is int and value >= 0 else 0


def _at(value: Any) -> int:
    return _whole(value.get("at")) if isinstance(value, dict) else 0
