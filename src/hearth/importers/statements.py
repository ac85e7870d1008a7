"""Systems that keep statements about a person: mem0, Honcho and Supermemory, by export, database or service. Calls
of the services: lists in pages, within limits of time, size and number."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx

from hearth.capture.rules import classify
from hearth.core.errors import Unavailable, UsageError
from hearth.core.lazy import dataclass
from hearth.core.memory import NewMemory, Origin
from hearth.importers.records import Change, Conversation, Format, Found, MemoryName, Options, Record, Turn
from hearth.importers.sources import is_database, opened
from hearth.importers.values import BEGINNING_BYTES, instant, lines, read_beginning, read_json, tables, to_text

MAX_PAGES, MAX_RECORDS = 5_000, 200_000
MAX_PAGE_BYTES = 32 * 2**20
_TRIES = 3
_MOST_WAIT = 5.0
_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class Service:
    """``key`` is sent to ``base`` alone and never shown; ``variable`` is the environment variable that holds it. A call
    may take ``seconds``."""

    base: str
    key: str | None
    variable: str
    seconds: float = 30.0


def find_service(place: Path, kind: str) -> str | None:
    """What follows ``kind:`` where a source names a service and no file; ``None`` where it names none."""
    name = str(place)
    if name == kind:
        return ""
    return name.removeprefix(f"{kind}:") if name.startswith(f"{kind}:") else None


def list_pages(
    service: Service,
    path: str,
    items: str,
    page_of: Callable[[int], Mapping[str, Any]],
    body: Mapping[str, Any] | None = None,
    identity: str = "id",
) -> Iterator[dict[str, Any]]:
    """Each record once, by GET, or by POST where there is a ``body``. Pages end where one brings nothing new, or where
    the service says so. Raises ``Unavailable`` for a service that fails, stalls, or answers with something else than
    pages; nothing of the source is taken then."""
    seen: set[str] = set()
    with httpx.Client(base_url=service.base, timeout=service.seconds, follow_redirects=False) as client:
        for page in range(1, MAX_PAGES + 1):
            told = _call(client, service, path, page_of(page), body)
            rows = told.get(items)
            if not isinstance(rows, list):
                raise Unavailable(f"{service.base}{path} answered without a list {items!r}; is it the right service?")
            new = 0
            for row in rows:
                if not isinstance(row, dict) or str(row.get(identity)) in seen:
                    continue
                seen.add(str(row.get(identity)))
                new += 1
                yield row
            if not new or page >= _count_pages(told):
                return
            if len(seen) > MAX_RECORDS:
                break
    raise Unavailable(f"{service.base}{path} does not end after {len(seen):,} records; ask its operator")


def _count_pages(told: Mapping[str, Any]) -> float:
    inner = told.get("pagination")
    known = told.get("pages") or (inner.get("totalPages") if isinstance(inner, dict) else None)
    return float(known) if isinstance(known, int | float) else float("inf")


def _call(
    client: httpx.Client, service: Service, path: str, query: Mapping[str, Any], body: Mapping[str, Any] | None
) -> dict[str, Any]:
    if not service.key:
        raise UsageError(f"set {service.variable} to the key of {service.base}")
    headers = {"Authorization": f"Bearer {service.key}", "Accept": "application/json"}
    method = "GET" if body is None else "POST"
    why = ""
    for attempt in range(_TRIES):
        ends = time.monotonic() + service.seconds
        try:
            with client.stream(method, path, params=dict(query), json=body, headers=headers) as answer:
                data = _read(answer, ends)
        except httpx.HTTPError as error:
            why = f"{type(error).__name__}: {error}"
            continue
        if answer.status_code in _RETRIED:
            why = f"status {answer.status_code}"
            time.sleep(min(_MOST_WAIT, _read_wait(answer, attempt)))
            continue
        if answer.status_code in (401, 403):
            raise Unavailable(f"{service.base} refused the key in {service.variable} (status {answer.status_code})")
        if answer.status_code >= 300:
            raise Unavailable(f"{service.base}{path} answered with status {answer.status_code}")
        return _decode(data, f"{service.base}{path}")
    raise Unavailable(f"{service.base}{path} does not answer ({why[:200]}); try again later")


def _read(answer: httpx.Response, ends: float) -> bytes:
    data = bytearray()
    for part in answer.iter_bytes():
        data += part
        if len(data) > MAX_PAGE_BYTES:
            raise Unavailable(f"{answer.url} answered with more than {MAX_PAGE_BYTES // 2**20} MB")
        if time.monotonic() > ends:
            raise httpx.ReadTimeout("the answer did not end in time")
    return bytes(data)


def _read_wait(answer: httpx.Response, attempt: int) -> float:
    try:
        return max(0.0, float(answer.headers.get("retry-after", "")))
    except ValueError:
        return 0.2 * (attempt + 1)


def _decode(data: bytes, where: str) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        start = data[:60].decode("utf-8", "replace")
        raise Unavailable(f"{where} did not answer with JSON but with {start!r}; is it the right address?") from error
    if not isinstance(found, dict):
        raise Unavailable(f"{where} answered with something else than an object; is it the right service?")
    return found


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
