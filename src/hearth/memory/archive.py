"""The archive, and which documents a sweep puts there or purges, and why."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, field
from functools import cache
from typing import Any, Generic, Literal, TypeVar, cast

from hearth.core import instants
from hearth.core.document import INTERNAL, VEILS, Document, DocumentState
from hearth.core.journal import instant
from hearth.core.lazy import dataclass
from hearth.core.memory import CONTENT_TYPES, DEFAULT_TYPE
from hearth.ports import (
    DocumentReader,
    Filter,
    Posting,
    PostingReader,
    Reader,
    Rows,
    StateReader,
    Store,
    StoredDocument,
    WantedTerm,
)
from hearth.vault.changes import is_purged, set_by
from hearth.vault.usage_statistics import back, origins
from hearth.vault.validity import COMMITMENT

SIZE = 500


def documents(reader: Reader, collections: Iterable[str]) -> Iterator[StoredDocument]:
    """Every document of the collections, hidden ones too, by collection and path."""
    names = tuple(collections)
    if names:
        yield from reader.each_document(Filter(collections=names, include_hidden=True))


def archived(reader: Reader) -> Iterator[StoredDocument]:
    """What is archived and not forgotten."""
    return by_row(reader, archived_rows(reader))


def archived_rows(reader: PostingReader) -> frozenset[int]:
    """Rows of ``archived``: what stays out of a search that includes all else, less what stays out of one that
    includes that, too."""
    others = tuple(veil for veil in VEILS[1:] if veil != "archived")
    return find_hidden(reader, others) - find_hidden(reader, VEILS[1:])


def find_hidden(reader: PostingReader, include: tuple[str, ...]) -> frozenset[int]:
    """Rows that stay out of a search that includes these states."""
    rows = reader.rows(Filter(include=include))
    return frozenset() if rows is None else rows.ids


def by_row(reader: DocumentReader, rows: Iterable[int]) -> Iterator[StoredDocument]:
    ordered = sorted(rows)
    for start in range(0, len(ordered), SIZE):
        page = ordered[start : start + SIZE]
        found = reader.documents(page)
        yield from (found[row] for row in page if row in found)


def since(reader: StateReader) -> Callable[[str], int | None]:
    """When a document was last archived or restored (ms UTC): the time in the id of the event that said so, under its
    present or a former identity."""

    @cache
    def moved() -> Mapping[str, Any]:
        return origins(reader)

    def find_moment(docid: str) -> int | None:
        events = (set_by(reader, name, "archived") for name in back(docid, lambda name: moved().get(name)))
        return next((instant(event) for event in events if event is not None), None)

    return find_moment


Item = TypeVar("Item")


class Best(Generic[Item]):
    """Keeps the ``limit`` items of the least keys; ``count`` is how many there were."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: list[tuple[tuple[float, str], Item]] = []
        self.count = 0

    def add(self, key: tuple[float, str], item: Item) -> None:
        self.count += 1
        bisect.insort(self._kept, (key, item), key=lambda entry: entry[0])
        del self._kept[self._limit :]

    @property
    def items(self) -> tuple[Item, ...]:
        """The least key first."""
        return tuple(item for _, item in self._kept)


_MORE = 4


class ArchiveStore:
    """Opens readers that find archived documents only."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @contextmanager
    def read(self) -> Iterator[Reader]:
        with self._store.read() as reader:
            yield cast(Reader, _ArchiveReader(reader, archived_rows(reader)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


class _ArchiveReader:
    """Narrows what finds candidates; everything else is the reader's own. Filters have to include what is archived."""

    def __init__(self, reader: Reader, archived: frozenset[int]) -> None:
        self._reader = reader
        self._archived = archived

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)

    def match(self, wanted: Sequence[WantedTerm], within: Filter, limit: int) -> list[int]:
        """Asks for more until enough of it is archived or there is no more."""
        asked = limit
        while True:
            found = self._reader.match(wanted, within, asked)
            kept = {posting.fragment for posting in self.postings(found, within)}
            if len(kept) >= limit or len(found) < asked:
                return [fragment for fragment in found if fragment in kept][:limit]
            asked *= _MORE

    def postings(self, fragments: Sequence[int], within: Filter) -> list[Posting]:
        return [p for p in self._reader.postings(fragments, within) if p.document in self._archived]

    def rows(self, within: Filter) -> Rows:
        admitted = self._reader.rows(within)
        if admitted is None:
            return Rows(self._archived, only=True)
        return Rows(frozenset(row for row in self._archived if admitted.admits(row)), only=True)

    def documents_between(self, start: int, end: int, within: Filter, limit: int) -> list[int]:
        asked = limit
        while True:
            found = self._reader.documents_between(start, end, within, asked)
            kept = [row for row in found if row in self._archived]
            if len(kept) >= limit or len(found) < asked:
                return kept[:limit]
            asked *= _MORE


@dataclass(frozen=True, slots=True)
class Policy:
    """``overrides`` are limits in days by content type, ``None`` for never. ``collections`` opted in; what the engine
    wrote is always looked after. ``dry_run``: a sweep only says what it would do unless told to apply."""

    archive_after_days: int = 90
    overrides: Mapping[str, int | None] = field(default_factory=dict)
    purge_after_days: int | None = None
    exempt: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    dry_run: bool = True

    @property
    def governed(self) -> tuple[str, ...]:
        """The collections that the sweep looks at."""
        return tuple(name for name in (INTERNAL, *self.collections) if name not in self.exempt)

    def governs(self, document: Document) -> bool:
        return document.collection in self.governed

    def limit(self, content_type: str) -> int | None:
        """Days that a type may lie unused; ``None`` for never. What does not age is exempt unless it has a limit of
        its own."""
        if content_type in self.overrides:
            return self.overrides[content_type]
        kind = CONTENT_TYPES.get(content_type, CONTENT_TYPES[DEFAULT_TYPE])
        return None if kind.half_life_days is None else self.archive_after_days

    def to_dict(self) -> dict[str, Any]:
        """``limits`` has every content type."""
        return {
            "archive_after_days": self.archive_after_days,
            "limits": {name: self.limit(name) for name in CONTENT_TYPES},
            "purge_after_days": self.purge_after_days,
            "collections": list(self.governed),
            "exempt_collections": list(self.exempt),
            "dry_run": self.dry_run,
        }


Since = Callable[[str], int | None]
"""When somebody last archived or restored a document, by its docid; ms UTC."""


@dataclass(frozen=True, slots=True)
class Op:
    """One document that a sweep archives or purges; ``why`` is for people and for the journal."""

    action: Literal["archive", "purge"]
    docid: str
    collection: str
    path: str
    title: str
    content_type: str
    why: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def plan(documents: Iterable[StoredDocument], policy: Policy, now: int, since: Since) -> list[Op]:
    """What is due at ``now`` (ms UTC), in the order of the documents. ``since`` is asked only of what would be due."""
    return list(planned(documents, policy, now, since))


def planned(documents: Iterable[StoredDocument], policy: Policy, now: int, since: Since) -> Iterator[Op]:
    """``plan`` without holding it."""
    governed = frozenset(policy.governed)
    for stored in documents:
        if stored.document.collection in governed and not (stored.vanished or is_purged(stored.document)):
            found = _due(stored, policy, now, since)
            if found is not None:
                yield found


def active(state: DocumentState) -> bool:
    return not state.hidden


def snoozed(state: DocumentState, now: int) -> bool:
    return (state.snoozed_until or 0) > now


def _due(stored: StoredDocument, policy: Policy, now: int, since: Since) -> Op | None:
    state = stored.state
    if state.pinned or state.forgotten:
        return None
    if state.archived:
        why = _purgeable(stored, policy, now, since)
        return None if why is None else _op("purge", stored, why)
    if not active(state) or snoozed(state, now):
        return None
    why = _explain_expiry(stored, now) or _explain_disuse(stored, policy, now, since)
    return None if why is None else _op("archive", stored, why)


def _explain_expiry(stored: StoredDocument, now: int) -> str | None:
    """A guess that nobody confirmed, or a commitment that is kept or lapsed."""
    document, end = stored.document, stored.state.ends_at
    if end is None or end > now:
        return None
    if document.content_type != COMMITMENT:
        return f"a guess that expired on {instants.show_date(end)}"
    ended = "was kept" if stored.state.fulfilled_at is not None else "lapsed"
    return f"a commitment that {ended} on {instants.show_date(end)}"


def _explain_disuse(stored: StoredDocument, policy: Policy, now: int, since: Since) -> str | None:
    document, limit = stored.document, policy.limit(stored.document.content_type)
    if limit is None:
        return None
    touched = max(document.modified_at, document.authored_at or 0, stored.state.last_accessed_at or 0)
    if now - touched <= limit * instants.DAY_MS:
        return None
    touched = max(touched, since(document.docid) or 0)
    if now - touched <= limit * instants.DAY_MS:
        return None
    days = (now - touched) // instants.DAY_MS
    return f"unused and unchanged for {days:,} days, over the limit of {limit:,} for {document.content_type}"


def _purgeable(stored: StoredDocument, policy: Policy, now: int, since: Since) -> str | None:
    limit = policy.purge_after_days
    archived = None if limit is None else since(stored.document.docid)
    if limit is None or archived is None or now - archived <= limit * instants.DAY_MS:
        return None
    return f"archived for {(now - archived) // instants.DAY_MS:,} days, over the limit of {limit:,}"


def _op(action: Literal["archive", "purge"], stored: StoredDocument, why: str) -> Op:
    document = stored.document
    return Op(action, document.docid, document.collection, document.path, document.title, document.content_type, why)
