"""A vault in use: its questions, and the rooms by which everything else is entered."""

from __future__ import annotations

import fnmatch
import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Self, Unpack

from hearth import vault
from hearth.core.document import INTERNAL
from hearth.core.errors import NotFound, Unavailable
from hearth.core.hook import NOTHING_OFF, SwitchedOff
from hearth.core.lazy import dataclass
from hearth.core.query import Hit, Query, Recall
from hearth.core.session import MAIN_AGENT
from hearth.ports import Clock, Collection, CollectionState, Files, Filter, Redactor, Skipped, Store, StoredDocument
from hearth.ports.files import NoPrivacy, Privacy
from hearth.ports.stored import OTHER_NOTES
from hearth.recall.hits import Moment, similar, timeline
from hearth.recall.question import check_options
from hearth.recall.recall import INTENT, PLAN, Recaller
from hearth.vault.changes import LISTED, ReferenceTarget, find, split_references

if TYPE_CHECKING:
    from hearth.capture.beads import Beads
    from hearth.capture.capture import Capture
    from hearth.context.engine.engine import ContextEngine
    from hearth.context.memory_tools import MemoryTools
    from hearth.core.document import Document
    from hearth.core.query import QueryOptions
    from hearth.graph.graph import Graph
    from hearth.memory.archiver import Archiver
    from hearth.memory.changer import Changer
    from hearth.memory.memories import Memories
    from hearth.memory.session_record import SessionLog
    from hearth.memory.usage import UsageLog
    from hearth.pages.dream.dreamer import Dreamer
    from hearth.pages.knowledge import Knowledge
    from hearth.pages.profile import PersonProfile
    from hearth.recall.routing import Interpreter
    from hearth.truth.truth import Truth
    from hearth.vault.documents import Excerpt
    from hearth.vault.exchange import Exchange
    from hearth.vault.indexing.index import Index
    from hearth.vault.upkeep import SpaceStatus

_ALL_SESSIONS = 1_000_000


@dataclass(frozen=True, slots=True)
class Core:
    """What questions need: the index, the ways to answer from it, the folders, and the present moment (ms UTC).
    ``interpreter`` is the language model, if there is one; ``privacy`` says what is switched off, ``off`` what is for
    the agent that asks."""

    name: str
    zone: str
    clock: Clock
    store: Store
    files: Files
    collections: tuple[Collection, ...]
    recaller: Recaller
    redact: Redactor
    interpreter: Interpreter | None = None
    privacy: Privacy = field(default_factory=NoPrivacy)
    off: SwitchedOff = NOTHING_OFF

    def query(self, text: str, **options: Any) -> Query:
        """A query at the present moment in the vault's zone; ``options`` are the fields of ``Query``."""
        return Query(text, **{"at": self.clock(), "zone": self.zone, "vault": self.name, **options})

    @property
    def roots(self) -> dict[str, str]:
        """The folder of each collection, by name."""
        return {collection.name: collection.root for collection in self.collections}


@dataclass(frozen=True, slots=True)
class Status:
    """What a vault holds and how it is. Instants are ms UTC. ``missing_relations`` counts documents whose relations are
    to be derived; ``other_notes`` by collection and pattern the files that this would take in."""

    vault: str
    documents: int
    fragments: int
    languages: tuple[str, ...]
    collections: tuple[CollectionState, ...]
    skipped: tuple[Skipped, ...]
    problems: tuple[tuple[str, str], ...]
    spaces: tuple[SpaceStatus, ...]
    generation: int
    states: Mapping[str, int]
    missing_relations: int = 0
    other_notes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @property
    def vectors(self) -> dict[str, int]:
        return {space.name: space.vectors for space in self.spaces}

    @property
    def wanted(self) -> list[SpaceStatus]:
        """The spaces of the present settings."""
        return [space for space in self.spaces if space.role != "former"]

    @property
    def missing_vectors(self) -> int:
        """What ``embed`` has to do."""
        return sum(space.missing for space in self.spaces)


@dataclass(frozen=True, slots=True)
class VaultCounts:
    """Of the documents that searches find: how many of each type, how often answers used them, how many were read or
    used; and how many sessions there were with agents, but empty ones."""

    content_types: Mapping[str, int]
    accesses: int
    accessed: int
    sessions: int

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {name: getattr(self, name) for name in self.__slots__}


class Vault(ABC):
    """Thread-safe. Use as a context manager, or call ``close``.

    Questions are its own methods. ``index`` follows the folders, ``memories`` writes, ``state`` changes what is
    remembered, ``graph`` says how documents hang together, ``lifecycle`` archives, ``truth`` keeps it true over
    time, ``sessions`` and ``usage`` record what agents do, ``dream`` promotes what they use again and again,
    ``capture`` keeps what was said to them, ``profile`` sums up who the person is, ``knowledge`` what is open and
    what it is all about, ``exchange`` takes the vault elsewhere, ``compat`` answers clients of other memory
    systems."""

    agent = MAIN_AGENT
    """Who sees it."""

    as_agent: Callable[[str], Vault]
    """This vault as an agent sees it, which is closed with it: its own collections, and what came of its sessions.
    ``main`` sees what is no other agent's."""
    cite: Callable[[Recall], Recall]
    """The best memories of an answer say what became of the code that they cite."""
    find_cited: Callable[[Document, str], str | None]
    """What became of the code that a memory cites."""

    def __init__(self, core: Core) -> None:
        self.core = core
        self.name, self.zone, self.clock = core.name, core.zone, core.clock
        self.store, self.collections, self.query = core.store, core.collections, core.query

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None: ...

    def with_core(self, core: Core) -> Self:
        """The same vault with another core: other ways to answer, or another moment."""
        other = copy(self)
        Vault.__init__(other, core)
        return other

    # -- rooms -----------------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def index(self) -> Index: ...
    @property
    @abstractmethod
    def memories(self) -> Memories: ...
    @property
    @abstractmethod
    def state(self) -> Changer: ...
    @property
    @abstractmethod
    def graph(self) -> Graph: ...
    @property
    @abstractmethod
    def lifecycle(self) -> Archiver: ...
    @property
    @abstractmethod
    def truth(self) -> Truth: ...
    @property
    @abstractmethod
    def sessions(self) -> SessionLog: ...
    @property
    @abstractmethod
    def capture(self) -> Capture: ...
    @property
    @abstractmethod
    def usage(self) -> UsageLog: ...
    @property
    @abstractmethod
    def dream(self) -> Dreamer: ...
    @property
    @abstractmethod
    def knowledge(self) -> Knowledge: ...
    @property
    @abstractmethod
    def exchange(self) -> Exchange: ...
    @property
    @abstractmethod
    def compat(self) -> MemoryTools: ...
    @property
    @abstractmethod
    def context(self) -> ContextEngine: ...
    @property
    @abstractmethod
    def beads(self) -> Beads: ...

    @property
    def profile(self) -> PersonProfile:
        return self.knowledge.profile

    @property
    def privacy(self) -> Privacy:
        return self.core.privacy

    @abstractmethod
    def find_capture_hindrance(self, project: str | None, folder: str | None) -> str | None:
        """One line: what keeps this project or folder from being captured, and the command that helps."""

    @abstractmethod
    def run_waiting_captures(self) -> None:
        """Runs captures that are due where no daemon may run them; loads nothing if none is due. Never waits for a
        language model; failed captures are tried again, and ``capture.status`` reports them."""

    # -- questions -------------------------------------------------------------------------------------------------

    def recall(self, text: str | Query, **options: Unpack[QueryOptions]) -> Recall:
        """The fragments that answer, best first. Raises ``UsageError`` for options out of range or unknown,
        ``NotFound`` for a collection that there is not.

        >>> from hearth import open_vault
        >>> with open_vault() as vault:  # doctest: +SKIP
        ...     vault.recall("why did we choose PostgreSQL?").hits[0].path
        """
        query = text if isinstance(text, Query) else self.query(text, **options)
        check_options(query, (collection.name for collection in self.collections))
        recaller, model = self.core.recaller, self.core.interpreter
        if query.recipe not in (PLAN, INTENT):
            return recaller(query)
        from hearth.recall import planner

        answer = planner.answer if query.recipe == PLAN else planner.answer_intent
        return answer(query, recaller, model)

    def similar(self, reference: str, limit: int = 10) -> list[Hit]:
        """Other documents with fragments like those of the document."""
        with self.store.read() as reader:
            target = find(reference, reader, self.core.roots)
            return similar(target.stored, self.core.recaller.spaces, reader, limit, self.clock())

    def timeline(
        self,
        reference: str,
        *,
        before: int = 5,
        after: int = 5,
        same_collection: bool = False,
        as_of: int | None = None,
    ) -> list[Moment]:
        """The documents written around a document, oldest first; with ``as_of`` (ms UTC) of those that were true then,
        replaced or not."""
        with self.store.read() as reader:
            target = find(reference, reader, self.core.roots)
            chosen = (target.stored.document.collection,) if same_collection else ()
            within = Filter(collections=chosen, at=self.clock(), as_of=as_of)
            return timeline(target.stored, reader, before, after, within)

    def get(self, reference: str, *, raw: bool = False) -> Excerpt:
        """A document's text from its file, secrets scrubbed unless ``raw``; ``reference`` may name lines."""
        with self.store.read() as reader:
            target = find(reference, reader, self.core.roots)
        return self._excerpt(target, raw=raw)

    def read(self, stored: StoredDocument) -> Excerpt:
        """The text of a document that was looked up, secrets scrubbed. Raises ``NotFound`` where its file is gone."""
        return self._excerpt(ReferenceTarget(stored), raw=False)

    def multi_get(self, pattern: str, *, max_bytes: int = 65_536) -> tuple[list[Excerpt], list[Skipped]]:
        """Documents by glob over ``collection/path``, or a comma-separated list of references; those that are larger
        or can't be read are skipped and named."""
        targets, skipped = self._targets(pattern)
        if not targets and not skipped:
            raise NotFound(f"no document matches {pattern!r}", LISTED)
        excerpts: list[Excerpt] = []
        for target in targets:
            document = target.stored.document
            if document.size > max_bytes:
                reason = f"{document.size} bytes is over max_bytes {max_bytes}"
                skipped.append(Skipped(document.collection, document.path, reason))
                continue
            try:
                excerpts.append(self._excerpt(target, raw=False))
            except (NotFound, Unavailable) as error:
                skipped.append(Skipped(document.collection, document.path, error.said))
        return excerpts, skipped

    def documents(self, within: Filter | None = None, limit: int | None = None) -> list[StoredDocument]:
        """Those that a filter admits, by collection and path; what has expired by now is left out, as in a search."""
        within = within or Filter()
        if within.at is None:
            within = replace(within, at=self.clock())
        with self.store.read() as reader:
            return list(reader.each_document(within)) if limit is None else reader.find_documents(within, limit)

    def status(self) -> Status:
        with self.store.read() as reader:
            statistics, now = reader.statistics(), self.clock()
            problems: list[tuple[str, str]] = []
            states = dict.fromkeys(("pinned", "snoozed", "forgotten", "archived", "pending"), 0)
            for stored in reader.each_document(Filter(include_hidden=True)):
                if stored.problem:
                    problems.append((stored.document.uri, stored.problem))
                states["pinned"] += stored.state.pinned
                states["snoozed"] += (stored.state.snoozed_until or 0) > now
                states["forgotten"] += stored.state.forgotten
                states["archived"] += stored.state.archived
                states["pending"] += stored.state.veils_at(now) == ("pending",)
            collections = reader.collections()
            return Status(
                vault=self.name,
                documents=statistics.documents,
                fragments=statistics.fragments,
                languages=statistics.languages,
                collections=tuple(
                    state for name, state in collections.items() if name != INTERNAL or state.documents or state.held
                ),
                skipped=tuple(reader.skipped()),
                problems=tuple(problems),
                other_notes={name: json.loads(reader.meta(f"{OTHER_NOTES}{name}") or "{}") for name in collections},
                spaces=self.index.upkeep.status(reader),
                generation=statistics.generation,
                missing_relations=self.graph.deriver().missing(reader),
                states=states,
            )

    def counts(self) -> VaultCounts:
        documents = self.documents()
        return VaultCounts(
            content_types=dict(Counter(stored.document.content_type for stored in documents).most_common()),
            accesses=sum(stored.state.access_count for stored in documents),
            accessed=sum(stored.state.last_accessed_at is not None for stored in documents),
            sessions=len(self.sessions.recent(_ALL_SESSIONS, empty=False)),
        )

    # -- details ---------------------------------------------------------------------------------------------------

    def _targets(self, pattern: str) -> tuple[list[ReferenceTarget], list[Skipped]]:
        """The documents that a pattern names, and the files it names that could not be indexed."""
        with self.core.store.read() as reader:
            unread = reader.skipped()
            unindexed = {name for file in unread for name in (file.path, f"{file.collection}/{file.path}")}

            def find_names(texts: Iterable[str]) -> set[str]:
                given = set(texts)
                places = reader.look_up("place", given)
                return given & {*unindexed, *(name for place in places for name in (place.name, place.path))}

            if any(mark in pattern for mark in "*?[") and not find_names([pattern]):
                stored = reader.each_document(Filter(at=self.clock()))
                found = [ReferenceTarget(d) for d in stored if _fits(pattern, d.document.collection, d.document.path)]
                return found, [file for file in unread if _fits(pattern, file.collection, file.path)]
            targets: list[ReferenceTarget] = []
            skipped: list[Skipped] = []
            for part in split_references(pattern, find_names):
                named = [file for file in unread if part in (file.path, f"{file.collection}/{file.path}")]
                skipped += named
                targets += [] if named else [find(part, reader, self.core.roots)]
        return targets, skipped

    def _excerpt(self, target: ReferenceTarget, *, raw: bool) -> Excerpt:
        document = target.stored.document
        collection = next((c for c in self.collections if c.name == document.collection), None)
        if collection is None:
            raise NotFound(f"collection {document.collection!r} of {document.path} is no longer configured")
        return vault.documents.read_lines(self.core.files, collection, target, None if raw else self.core.redact)


def _fits(pattern: str, collection: str, path: str) -> bool:
    return fnmatch.fnmatchcase(f"{collection}/{path}", pattern) or fnmatch.fnmatchcase(path, pattern)
