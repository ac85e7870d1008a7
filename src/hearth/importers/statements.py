"""Systems that keep statements about a person: mem0, Honcho and Supermemory, by export, database or service."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from hearth.capture.rules import classify
from hearth.core.memory import NewMemory, Origin
from hearth.importers.records import Change, Conversation, Format, Found, MemoryName, Options, Record, Turn
from hearth.importers.service_calls import Service, find_service, list_pages
from hearth.importers.sqlite_copy import is_database, opened
from hearth.importers.values import BEGINNING_BYTES, instant, lines, read_beginning, read_json, tables, to_text

MEM0, HONCHO, SUPERMEMORY = "mem0", "honcho", "supermemory"
IMPLIED, INFERRED = 0.8, 0.6
"""How sure it is what a person said to a system that keeps it in its own words, and what that system concluded."""
_DOCUMENT_PLACED = frozenset(
    {"id", "title", "content", "type", "url", "system", "createdAt", "updatedAt", "status", "summary"}
)
_PAGE = 50


class _Shape(NamedTuple):
    """Of a system's records: its name, the fields that have a place here, and those that become fields of the file."""

    source: str
    placed: frozenset[str]
    kept: tuple[str, ...] = ()


_MEM0 = _Shape(
    MEM0,
    frozenset({"id", "memory", "text", "content", "created_at", "updated_at", "hash", "categories"}),
    ("user_id", "agent_id", "run_id"),
)
_HONCHO = _Shape(
    HONCHO, frozenset({"id", "content", "created_at"}), ("observer_id", "observed_id", "session_id", "level")
)
_MEMORY = _Shape(
    SUPERMEMORY,
    frozenset(
        {"id", "memory", "system", "isForgotten", "is_forgotten", "isInference", "is_inference"}
        | {"isLatest", "is_latest", "isStatic", "is_static", "created_at", "updated_at", "createdAt", "updatedAt"}
    ),
)


# -- mem0 ----------------------------------------------------------------------------------------------------------


def measure_mem0(place: Path) -> float:
    if is_database(place):
        with opened(place) as found:
            return 1.0 if {"memory_id", "old_memory", "new_memory", "event"} <= set(found.columns("history")) else 0.0
    return _measure(place, _LISTS, lambda row: "memory" in row and "id" in row and "isLatest" not in row)


def read_mem0(place: Path, options: Options) -> Iterator[Found]:
    if is_database(place):
        yield from _read_history(place)
        return
    given = read_json(place)
    for row in _list_records(given, _LISTS):
        yield _statement(_MEM0, row, to_text(row.get("memory")), tags=lines(row.get("categories")))
    for relation in tables(given.get("relations")) if isinstance(given, dict) else ():
        parts = [to_text(relation.get(key)) for key in ("source", "relationship", "target", "destination")]
        text = " ".join(part.replace("_", " ") for part in parts if part)
        yield _statement(_MEM0, {"id": f"relation {text}"}, text, tags=["relation"])


def _read_history(place: Path) -> Iterator[Found]:
    """The last state of each memory; what was deleted is not taken in."""
    with opened(place) as found:
        last: dict[str, tuple[dict[str, Any], int | None]] = {}
        for row in found.rows("history"):
            identity = to_text(row.get("memory_id"))
            first = last[identity][1] if identity in last else instant(row.get("created_at"))
            before = last[identity][0] if identity in last else None
            if before is not None:
                yield Record("history", identity, skipped="an earlier state of the same memory")
            last[identity] = (row, first)
        for identity, (row, first) in last.items():
            if to_text(row.get("event")).upper() == "DELETE" or row.get("is_deleted") in (1, "1", True):
                yield Record("memory", identity, skipped="deleted there")
                continue
            at = instant(row.get("updated_at")) or first
            told = {"id": identity, "created_at": at}
            yield _statement(_MEM0, told, to_text(row.get("new_memory")))
        sessions: dict[str, list[Turn]] = {}
        for row in found.rows("messages", "created_at"):
            role = {"user": "User", "assistant": "Assistant"}.get(to_text(row.get("role")), to_text(row.get("role")))
            turn = Turn(
                to_text(row.get("name")) or role or "User", to_text(row.get("content")), instant(row.get("created_at"))
            )
            sessions.setdefault(to_text(row.get("session_scope")), []).append(turn)
        for session, turns in sessions.items():
            key = f"{MEM0}\0messages\0{session}"
            conversation = Conversation(key, session or "conversation", tuple(turns))
            yield Record("conversation", session, conversation=conversation)


# -- Honcho --------------------------------------------------------------------------------------------------------


def measure_honcho(place: Path) -> float:
    if find_service(place, HONCHO) is not None:
        return 1.0
    return _measure(place, _LISTS, lambda row: {"content", "observer_id", "observed_id"} <= row.keys())


def read_honcho(place: Path, options: Options) -> Iterator[Found]:
    """Conclusions: what a peer said of itself was said, the rest was concluded by somebody."""
    name = find_service(place, HONCHO)
    rows: Iterable[Mapping[str, Any]]
    if name is None:
        rows = _list_records(read_json(place), _LISTS)
    else:
        base = options.environ.get("HONCHO_URL") or "https://api.honcho.dev"
        workspace = name or options.environ.get("HONCHO_WORKSPACE_ID") or "default"
        service = Service(base, options.environ.get("HONCHO_API_KEY"), "HONCHO_API_KEY", options.limit_seconds)
        path = f"/v3/workspaces/{quote(workspace, safe='')}/conclusions/list"
        rows = list_pages(service, path, "items", lambda page: {"page": page, "size": _PAGE}, {})
    for row in rows:
        is_said = to_text(row.get("level") or "explicit") == "explicit"
        observed, observer = to_text(row.get("observed_id")), to_text(row.get("observer_id"))
        tags = [f"observed by {observer}"] if observer and observer != observed else []
        yield _statement(_HONCHO, row, to_text(row.get("content")), is_said=is_said, tags=tags)


# -- Supermemory ---------------------------------------------------------------------------------------------------


def measure_supermemory(place: Path) -> float:
    if find_service(place, SUPERMEMORY) is not None:
        return 1.0

    def fits(row: Mapping[str, Any]) -> bool:
        return "id" in row and (_is_document(row) or "isLatest" in row or "is_latest" in row)

    return _measure(place, _PAGES, fits)


def read_supermemory(place: Path, options: Options) -> Iterator[Found]:
    name = find_service(place, SUPERMEMORY)
    if name is None:
        for row in _list_records(read_json(place), _PAGES):
            yield _read_document(row) if _is_document(row) else _read_memory(row)
        return
    environ = options.environ
    base = environ.get("SUPERMEMORY_BASE_URL") or "https://api.supermemory.ai"
    service = Service(base, environ.get("SUPERMEMORY_API_KEY"), "SUPERMEMORY_API_KEY", options.limit_seconds)
    namespaces = [name] if name else [to_text(row.get("namespace")) for row in _list_namespaces(service)]
    for namespace in namespaces:
        for kind, read in (("documents", _read_document), ("memories", _read_memory)):
            body = {"include": {"content": True}} if kind == "documents" else {}
            where = f"/ns/{quote(namespace, safe='')}/list/{kind}"
            for row in list_pages(service, where, kind, lambda page: {"page": page, "limit": _PAGE}, body):
                yield read(row)


def _list_namespaces(service: Service) -> Iterator[Mapping[str, Any]]:
    return list_pages(service, "/ns", "namespaces", lambda page: {"page": page, "limit": _PAGE}, None, "namespace")


def _is_document(row: Mapping[str, Any]) -> bool:
    return "memory" not in row and ("content" in row or "summary" in row) and ("type" in row or "title" in row)


def _read_document(row: Mapping[str, Any]) -> Record:
    text = to_text(row.get("content")) or to_text(row.get("summary"))
    label = to_text(row.get("title")) or to_text(row.get("id"))
    if not text:
        return Record("document", label, skipped="it has no text there")
    memory = NewMemory(
        text,
        "note",
        to_text(row.get("title"))[:200] or None,
        created_by=SUPERMEMORY,
        origin=Origin(f"{SUPERMEMORY} document {to_text(row.get('id'))}"),
        said_at=_dated(row),
        key=f"{SUPERMEMORY}\0document\0{to_text(row.get('id'))}",
    )
    facts = {key: to_text(row.get(key)) for key in ("url", "type") if to_text(row.get(key))}
    return Record("document", label, memory=memory, facts=facts, unplaced=_unplaced("documents", row, _DOCUMENT_PLACED))


def _read_memory(row: Mapping[str, Any]) -> Record:
    latest = row.get("isLatest", row.get("is_latest"))
    if latest is False:
        return Record("memory", to_text(row.get("id")), skipped="a later version of it is there")
    inferred = bool(row.get("isInference", row.get("is_inference")))
    told = {**row, "created_at": _dated(row)}
    record = _statement(_MEMORY, told, to_text(row.get("memory")), is_said=not inferred)
    if not row.get("isForgotten", row.get("is_forgotten")) or record.memory is None:
        return record
    at = _dated(row) or 0
    forgotten = Change("forget", MemoryName(str(record.memory.key)), at)
    return Record(record.kind, record.label, memory=record.memory, changes=(forgotten,), unplaced=record.unplaced)


def _dated(row: Mapping[str, Any]) -> int | None:
    system = row.get("system")
    inner = system if isinstance(system, dict) else {}
    return instant(inner.get("createdAt") or inner.get("created_at") or row.get("createdAt") or row.get("created_at"))


# -- shared --------------------------------------------------------------------------------------------------------


def _statement(
    shape: _Shape, row: Mapping[str, Any], text: str, *, is_said: bool = False, tags: Iterable[str] = ()
) -> Record:
    """``is_said``: the person said it; else the system concluded it."""
    identity = to_text(row.get("id"))
    label = identity or text[:60]
    if not text:
        return Record("memory", label, skipped="empty")
    memory = NewMemory(
        text,
        classify(text).value,
        tags=tuple(dict.fromkeys(tag[:60] for tag in tags if tag))[:16],
        created_by=shape.source,
        confidence=IMPLIED if is_said else INFERRED,
        origin=Origin(f"{shape.source} {identity}"[:400], tier="implied" if is_said else "inferred"),
        said_at=instant(row.get("updated_at")) or instant(row.get("created_at")),
        key=f"{shape.source}\0{identity or text}",
    )
    facts = {key: to_text(row.get(key)) for key in shape.kept if to_text(row.get(key))}
    unplaced = _unplaced(shape.source, row, shape.placed | facts.keys())
    return Record("memory", label, memory=memory, facts=facts, unplaced=unplaced)


def _unplaced(source: str, row: Mapping[str, Any], placed: Set[str]) -> tuple[str, ...]:
    filled = (key for key, value in row.items() if value not in (None, "", [], {}))
    return tuple(f"{source}.{key}" for key in filled if key not in placed)


_LISTS = ("results", "memories", "items", "conclusions")
_PAGES = ("documents", "memories")
_SAMPLE = 20


def _measure(place: Path, names: Sequence[str], fits: Callable[[Mapping[str, Any]], bool]) -> float:
    """The share of the first records that fit, which one odd row among them does not decide; 0 for a minority."""
    head = read_beginning(place)
    rows = _list_records(head.value, names)[: _SAMPLE + 1]
    is_whole = len(head.data) < BEGINNING_BYTES or len(rows) > _SAMPLE
    rows = rows[:_SAMPLE] if is_whole else rows[:-1] or rows  # the last one may be cut off
    part = sum(map(fits, rows)) / len(rows) if rows else 0.0
    return part if part > 0.5 else 0.0


def _list_records(found: Any, names: Sequence[str]) -> list[dict[str, Any]]:
    """The records of an export: a list, or the lists under these names. Empty for what is none."""
    if isinstance(found, dict):
        return [row for name in names for row in tables(found.get(name))]
    return list(tables(found))


FORMATS = (
    Format(MEM0, "mem0", measure_mem0, read_mem0),
    Format(HONCHO, "Honcho", measure_honcho, read_honcho),
    Format(SUPERMEMORY, "Supermemory", measure_supermemory, read_supermemory),
)
