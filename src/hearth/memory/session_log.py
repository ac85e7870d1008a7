"""The session log and the context budget as the index has them, and short names of sessions and turns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

from hearth.core import session, subjects
from hearth.core.document import Document
from hearth.core.errors import Ambiguous, NotFound, Remedy
from hearth.core.instants import DAY_MS, show_date
from hearth.core.lazy import dataclass
from hearth.core.memory import CONVERSATION
from hearth.core.session import NAMELESS, Session, SessionDetail, SessionTurn, ShownDocument, is_briefing
from hearth.ports import DocumentReader, Reader, StateReader
from hearth.vault import usage_statistics
from hearth.vault.usage_statistics import Injection, former, moves, present, read_count

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
MAX_CHANGED = 10
"""Files that a line of the log names, the latest."""
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
    if reference and _find_beginning(reader, kept := of_session(reference)) is not None:
        return kept
    known = _began(reader)
    fits = sorted(key for key in known if key.startswith(reference)) if len(reference) >= _MIN_PREFIX else []
    if not fits:
        raise NotFound(f"no session {reference[:80]!r}", Remedy("log", "sessions", "", " lists them"))
    if len(fits) > 1:
        raise Ambiguous(f"{len(fits)} sessions begin with {reference!r}; write more of it", tuple(fits[:_MAX_NAMED]))
    return fits[0]


def detail(reader: Reader, key: str, now: int) -> SessionDetail:
    """One session with what each of its turns was shown in the last 90 days."""
    since = now - KEPT_MS
    session = _session(reader, key, _find_beginning(reader, key) or 0)
    subject = subjects.name_session(key)
    latest = {**reader.keys(subject, "turns")}
    shown: dict[str, list[Injection]] = {}
    for item in usage_statistics.injections(reader, key):
        shown.setdefault(item.turn, []).append(item)
        latest[item.turn] = max(item.at, latest.get(item.turn, 0))
    used = usage_statistics.used(reader, key)
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
        found.append(Span(key, start, max(start, shown, _at(last_turn.get(subject)), read_count(ended.get(subject)))))
    return sorted(found, key=lambda span: (-span.start, span.session))


def within(moment: int, known: list[Span]) -> str | None:
    """The session that began last of those whose span contains the moment."""
    return next((span.session for span in known if span.start <= moment <= span.end), None)


# -- details ----------------------------------------------------------------------------------------------------------


def _began(reader: StateReader) -> dict[str, int]:
    found = reader.holders("began").items()
    began = ((subjects.read_session(subject), at) for subject, at in found if type(at) is int)
    return {key: at for key, at in began if key is not None}


def _find_beginning(reader: StateReader, key: str) -> int | None:
    """Of one session, whatever others there are: capture asks for each of thousands."""
    at = reader.registers(subjects.name_session(key), "began").get("began")
    return at if type(at) is int else None


def _session(reader: Reader, key: str, began: int) -> Session:
    subject = subjects.name_session(key)
    known, counts = reader.subject(subject)
    shown = usage_statistics.among(known)
    pairs = {(item.turn, docid) for item in shown for docid in item.docids}
    mark = known.get("turn")
    watermark: Mapping[str, Any] = mark if isinstance(mark, dict) else {}
    heard = max([began, _at(watermark), *(item.at for item in shown)])
    ended = read_count(known.get("ended"))
    over = 0 < heard <= ended
    handoff = _text(known, "handoff")
    talk = _find_conversation(reader, key)
    files = counts.get("files", (0, 0))[0]
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
        watermark=read_count(watermark.get("watermark")) if watermark else None,
        turns=max(_count_turns(shown, reader.keys(subject, "turns")), _read_turns(talk)),
        files=files,
        changed=tuple(reader.keys(subject, "files", MAX_CHANGED)) if files else (),
        surfaced=len(pairs),
        referenced=counts.get("referenced", (0, 0))[0],
        tokens=sum(item.tokens for item in shown),
        summary=_title(reader, handoff),
        handoff=handoff,
        conversation=None if talk is None else talk.docid,
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
            return stored.document.place
    return None


def conversation(reader: Reader, key: str) -> str | None:
    """The docid of the document that keeps what a session said, the latest of several; ``None`` where none is."""
    found = _find_conversation(reader, key)
    return None if found is None else found.docid


def _find_conversation(reader: Reader, key: str) -> Document | None:
    captured = reader.keys(subjects.name_session(key), "captured")
    last = max(captured.values(), default=0)
    named = (subjects.read_captured(name)[1] for name, at in captured.items() if at == last)
    stored = (reader.document(docid) for docid in named)
    seen = (one for one in stored if one is not None and not one.state.hidden and not one.vanished)
    return next((one.document for one in seen if one.document.content_type == CONVERSATION), None)


def _read_turns(talk: Document | None) -> int:
    """What the person said in a conversation that is kept: clients may hand over several turns at once."""
    told = "" if talk is None else talk.facts.get("turns", "")
    return int(told) if told.isascii() and told.isdigit() and len(told) < 10 else 0


def _title(reader: DocumentReader, docid: str | None) -> str | None:
    stored = reader.document(docid) if docid else None
    return None if stored is None or stored.state.forgotten else stored.document.title.removeprefix(HANDED_OFF)


def _text(known: Mapping[str, Any], name: str) -> str | None:
    value = known.get(name)
    return value if isinstance(value, str) else None


def _at(value: Any) -> int:
    return read_count(value.get("at")) if isinstance(value, dict) else 0


MAX_DAYS = KEPT_DAYS
MAX_UNUSED = 10


@dataclass(frozen=True, slots=True)
class Spent:
    """What was shown under one name (a day in UTC, a session, a hook). ``items`` counts (turn, document) pairs,
    ``referenced`` those that the answers used."""

    name: str
    tokens: int
    turns: int
    items: int
    referenced: int

    @property
    def share(self) -> float:
        """In [0, 1]: of what was shown, how much was used."""
        return self.referenced / self.items if self.items else 0.0

    @property
    def tokens_per_reference(self) -> float | None:
        return self.tokens / self.referenced if self.referenced else None

    def to_dict(self) -> dict[str, Any]:
        each = self.tokens_per_reference
        return {
            "name": self.name,
            "tokens": self.tokens,
            "turns": self.turns,
            "items": self.items,
            "referenced": self.referenced,
            "share_referenced": round(self.share, 4),
            "tokens_per_reference": None if each is None else round(each, 1),
        }


@dataclass(frozen=True, slots=True)
class Unused:
    """A document that was shown in ``turns`` turns of the period and that no answer ever used."""

    docid: str
    place: str
    turns: int

    def to_dict(self) -> dict[str, Any]:
        return {"docid": self.docid, "place": self.place, "turns": self.turns}


@dataclass(frozen=True, slots=True)
class Budget:
    """Of the last ``days`` days. Sessions come by falling tokens, days newest first."""

    days: int
    total: Spent
    by_day: tuple[Spent, ...]
    by_session: tuple[Spent, ...]
    by_hook: tuple[Spent, ...]
    unused: tuple[Unused, ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {
            "days": self.days,
            "total": self.total.to_dict(),
            "by_day": [spent.to_dict() for spent in self.by_day],
            "by_session": [spent.to_dict() for spent in self.by_session],
            "by_hook": [spent.to_dict() for spent in self.by_hook],
            "unused": [document.to_dict() for document in self.unused],
        }


class _Sum:
    def __init__(self) -> None:
        self.tokens = 0
        self.turns: set[tuple[str, str]] = set()
        self.items: dict[tuple[str, str, str], bool] = {}

    def add(self, session: str, item: Injection, used: set[str]) -> None:
        self.tokens += item.tokens
        self.turns.add((session, item.turn))
        self.items.update(((session, item.turn, docid), docid in used) for docid in item.docids)

    def spent(self, name: str) -> Spent:
        return Spent(name, self.tokens, len(self.turns), len(self.items), sum(self.items.values()))


def budget(reader: Reader, now: int, days: int) -> Budget:
    """Of the days up to ``now`` (ms UTC)."""
    total = _Sum()
    by: dict[str, dict[str, _Sum]] = {"day": {}, "session": {}, "hook": {}}
    for where, item, used in _inject(reader, now - days * DAY_MS):
        day = show_date(item.at)
        for kind, name in (("day", day), ("session", where), ("hook", item.hook or "unknown")):
            by[kind].setdefault(name, _Sum()).add(where, item, used)
        total.add(where, item, used)
    spent = {kind: [found.spent(name) for name, found in sums.items()] for kind, sums in by.items()}
    return Budget(
        days=days,
        total=total.spent("total"),
        by_day=tuple(sorted(spent["day"], key=lambda one: one.name, reverse=True)),
        by_session=tuple(sorted(spent["session"], key=_most)),
        by_hook=tuple(sorted(spent["hook"], key=_most)),
        unused=tuple(_list_unused(reader, total)),
    )


def _inject(reader: StateReader, since: int) -> Iterator[tuple[str, Injection, set[str]]]:
    for subject in reader.holders("began"):
        session = subjects.read_session(subject)
        newest = next(iter(reader.keys(subject, "surfaced", 1).values()), 0)
        if session is None or newest < since:
            continue
        used = usage_statistics.used(reader, session)
        for item in usage_statistics.injections(reader, session):
            if item.at >= since:
                yield session, item, used.get(item.turn, set())


def _list_unused(reader: Reader, total: _Sum) -> Iterator[Unused]:
    counts = Counter(docid for _, _, docid in total.items)
    found = 0
    for docid, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        if any(reader.keys(subject, "referenced", 1) for subject in former(reader, docid)):
            continue
        where = place(reader, docid)
        if where is not None:
            found += 1
            yield Unused(docid, where, count)
        if found == MAX_UNUSED:
            return


def _most(spent: Spent) -> tuple[int, str]:
    return (-spent.tokens, spent.name)
