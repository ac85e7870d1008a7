"""How memories are written, changed, judged and erased in one vault."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from hearth.app.adapters import Adapters, build_signals, spread
from hearth.app.models import open_writer, quantize
from hearth.app.settings import redact, remnant_folders
from hearth.core import instants, subjects
from hearth.core.document import INTERNAL, Document
from hearth.core.errors import HearthError
from hearth.core.journal import Event
from hearth.core.memory import Known
from hearth.core.query import Recall
from hearth.core.session import agent_of_session
from hearth.disk import state_files
from hearth.disk.memories import DiskMemories
from hearth.graph.deriving import Deriver
from hearth.graph.graph import Graph, NameReader
from hearth.memory import files
from hearth.memory.admission import Lookup
from hearth.memory.changer import Changer, Targets
from hearth.memory.memories import Memories, SettleDays, WorkspaceDays, find_days, leave_days
from hearth.memory.purge import Eraser, Purger
from hearth.memory.session_record import SessionLog
from hearth.memory.writer import EmbedRecord, MemoryWriter
from hearth.pages.document_notes import forget_gone
from hearth.pages.dream.pages import clean_pages
from hearth.ports import Reader, StoredDocument
from hearth.text.similarity import covers
from hearth.truth.acts import Rivals, SupersededStatements
from hearth.truth.noticing import Aftermath, Noticer, SecondJudge
from hearth.truth.review import Approvals, name_source, queue
from hearth.truth.truth import Truth
from hearth.vault.indexing.sync import Syncer
from hearth.vault.ledger import Spaces
from hearth.vault.vault import Core, Vault

if TYPE_CHECKING:
    from hearth.truth.consolidator import Consolidator
    from hearth.truth.review import Approvals


class Preparation:
    """A scan where the index is stale or knows nothing of memories that are there."""

    def __init__(self, adapters: Adapters, core: Core, scan: Callable[[], object]) -> None:
        self._store, self._core, self._scan = adapters.store, core, scan
        self._seen = False

    def __call__(self) -> None:
        stale = self._store.condition != "current"
        if not stale and self._seen:
            return
        if stale or self._knows_too_little():
            self._scan()
        self._seen = True

    def _knows_too_little(self) -> bool:
        with self._store.read() as reader:
            if INTERNAL in reader.collections():
                return False
        own = next((c for c in self._core.collections if c.name == INTERNAL), None)
        return own is not None and bool(self._core.files.walk(own).files)


def build_memories(
    adapters: Adapters, core: Core, syncer: Syncer, sessions: Callable[[], SessionLog], prepare: Callable[[], None],
    agent: str,
) -> Memories:  # fmt: skip
    own = _open_memories(adapters)
    compared = adapters.chosen.loaded.config.truth.notes
    notes = tuple(one.name for one in core.collections if compared and one.name != INTERNAL and one.trust == "human")
    rivals = build_rivals(adapters, core, notes)
    signals = build_signals(adapters, core.zone)
    embed = lambda texts: adapters.models.embedder().embed(texts, "document")  # noqa: E731
    notice = Noticer(syncer.history, rivals, embed, redact, adapters.clock, signals.find_repetitions)
    writer = MemoryWriter(
        memories=own,
        store=adapters.store,
        syncer=syncer,
        collection=adapters.internal(),
        lookup=Lookup(own, adapters.store, core.roots, redact, lambda: syncer.run(core.collections)),
        machine=adapters.machine(),
        zone=core.zone,
        clock=adapters.clock,
        exclusive=adapters.locks.write,
        embed=EmbedRecord(adapters.models.embedder, quantize),
        retired=SupersededStatements(rivals, own, redact),
        find_repetitions=signals.find_repetitions,
    )
    settle_days = build_settle_days(adapters, core.zone)
    follow = Aftermath(notice, adapters.store, _second_judge(adapters), settle_days)
    days = find_workspace_days(adapters, agent)
    return Memories(writer, sessions, prepare, follow, agent, days, settle_days, core.off)


def find_workspace_days(adapters: Adapters, agent: str) -> WorkspaceDays | None:
    given = adapters.chosen.loaded.config.agents.get(agent)
    if given is None or given.workspace is None:
        return None
    return find_days(DiskMemories(given.workspace), adapters.collections())


def _open_memories(adapters: Adapters) -> DiskMemories:
    return DiskMemories(adapters.memory, adapters.mounts)


def build_rivals(adapters: Adapters, core: Core, notes: tuple[str, ...] = ()) -> Rivals:
    spaces = core.recaller.spaces
    return Rivals(adapters.store, spaces.static if spaces is not None else None, adapters.clock, notes)


def _second_judge(adapters: Adapters) -> Callable[[], SecondJudge] | None:
    """The language model, loaded when it is first asked."""
    if adapters.chosen.loaded.config.llm.provider == "none":
        return None

    def opened() -> SecondJudge:
        from hearth.llm.reader import PairJudge

        reader = adapters.models.reader()
        return PairJudge(reader.llm, reader.clean, reader.suspicious).judge

    return opened


_CONSOLIDATION = "-consolidation"
"""What the file is called in which a model's conclusions wait to be carried out."""


def build_changer(
    adapters: Adapters, core: Core, eraser: Eraser, prepare: Callable[[], None], follow: Callable[[], None]
) -> Changer:
    def open_files(root: str) -> DiskMemories:
        return _open_memories(adapters) if root == str(adapters.memory) else DiskMemories(Path(root))

    purger = Purger(eraser.history, eraser, core.roots, open_files)
    leave_day, settle_days = partial(_leave_day, adapters, core.zone), build_settle_days(adapters, core.zone)
    targets = build_targets(adapters, core)
    return Changer(adapters.history(), targets, purger, adapters.clock, prepare, follow, leave_day, settle_days)


def build_settle_days(adapters: Adapters, zone: str) -> SettleDays:
    """What says in the days' files of the workspaces which of the lines of some memories are outdated."""
    return partial(_settle_days, adapters, zone) if adapters.chosen.loaded.config.agents else leave_days


def _settle_days(adapters: Adapters, zone: str, docids: Iterable[str]) -> None:
    with adapters.store.read() as reader:
        # What one of them replaced may be true again.
        every = [one for docid in docids for one in (docid, *reader.holders("superseded_by", docid))]
        stored = [reader.document(docid) for docid in dict.fromkeys(every)]
        by = {one.document.docid: reader.document(one.state.superseded_by or "") for one in stored if one is not None}
    for one in filter(None, stored):
        with suppress(HearthError):  # the memory says it; the file is for others to read
            _settle_noted(adapters, zone, one, by[one.document.docid])


def _settle_noted(adapters: Adapters, zone: str, stored: StoredDocument, successor: StoredDocument | None) -> None:
    noted = _find_noted(adapters, stored.document)
    if noted is None:
        return
    days, known = noted
    now: Known | None = known
    if stored.state.superseded_by is not None:
        now = None if successor is None else _read_memory(adapters, successor.document)
    since = instants.moment(adapters.clock(), instants.zone_of(zone))
    with adapters.locks.write():
        for text, at in files.read_said(_open_memories(adapters), known, redact).items():
            is_said = now is not None and (text in now.memory.text or covers(now.memory.text, text))
            holds = is_said and stored.state.invalidated_at is None
            days.mark(text, instants.moment(at, instants.zone_of(zone)), None if holds else since)


def _leave_day(adapters: Adapters, zone: str, document: Document) -> str | None:
    """Takes what a person asked to be remembered, and what says the same and was merged into it, out of the days' files
    of the workspace, or says why it stays."""
    if document.collection != INTERNAL:
        return None
    with adapters.store.read() as reader:
        said = [document, *_find_merged(reader, document.docid)]
    stay = (_take_out(adapters, zone, one) for one in said)
    return "; ".join(dict.fromkeys(why for why in stay if why is not None)) or None


def _find_merged(reader: Reader, docid: str) -> list[Document]:
    """Those that gave way to a memory because they say the same: it is known by what they were taken from."""
    found, ends = dict[str, Document](), [docid]
    while ends:
        end = ends.pop()
        relations = reader.registers(end, subjects.RELATION).items()
        proofs = {subjects.read_relation(name) for name, value in relations if value is not None}
        for one in reader.holders("superseded_by", end):
            stored = None if one in found else reader.document(one)
            if stored is None or stored.document.collection != INTERNAL:
                continue
            if ("evidence", name_source(stored.document)) in proofs:
                found[one] = stored.document
                ends.append(one)
    return list(found.values())


def _take_out(adapters: Adapters, zone: str, document: Document) -> str | None:
    try:
        noted = _find_noted(adapters, document)
        if noted is None:
            return None
        days, known = noted
        said = files.read_said(_open_memories(adapters), known, redact)
        with adapters.locks.write():
            left = [days.remove(text, instants.moment(at, instants.zone_of(zone))) for text, at in said.items()]
    except HearthError as error:
        return f"its line in the workspace's day file stays: {error}"
    stay = dict.fromkeys(f"{days.files.root}/{path}" for path in left if path is not None)
    return f"{', '.join(stay)} holds a changed line of it; take that out yourself" if stay else None


def _find_noted(adapters: Adapters, document: Document) -> tuple[WorkspaceDays, Known] | None:
    """A memory, and the days of the workspace in which it may be noted."""
    session = document.facts.get("session")
    days = find_workspace_days(adapters, agent_of_session(session)) if session else None
    known = None if days is None else _read_memory(adapters, document)
    return None if days is None or known is None else (days, known)


def _read_memory(adapters: Adapters, document: Document) -> Known | None:
    data = _open_memories(adapters).read(document.path) if document.collection == INTERNAL else None
    return None if data is None else files.read(document.path, data, redact)


def build_truth(adapters: Adapters, vault: Vault, eraser: Eraser) -> Truth:
    prepare, history = vault.index.prepare, adapters.history()

    @cache
    def consolidator() -> Consolidator:
        from hearth.truth.consolidator import Consolidator

        conclusions = None
        if adapters.chosen.loaded.config.llm.provider != "none":
            from hearth.truth.consolidation_plan import Conclusions

            conclusions = Conclusions(lambda: open_writer(adapters.models.reader()), adapters.answers(_CONSOLIDATION))
        return Consolidator(history, vault.memories, adapters.clock, adapters.locks.jobs, conclusions)

    def approvals() -> Approvals:
        clock = adapters.clock
        cases = lambda reader: len(queue(reader, clock()))  # noqa: E731
        return Approvals(history, clock, prepare, cases, vault.memories.follow, lambda: vault.knowledge.refresh())

    return Truth(
        history,
        build_targets(adapters, vault.core),
        adapters.clock,
        vault.zone,
        prepare,
        consolidator,
        lambda *given: vault.capture.undo(*given),
        lambda run: vault.dream.undo(run),
        partial(_revert, vault.memories.writer),
        partial(_remove, vault.memories.writer),
        approvals,
        build_settle_days(adapters, vault.core.zone),
    )


def _revert(writer: MemoryWriter, event: Event, after: str) -> bool:
    from hearth.importers.runs import revert

    return revert(writer, event, after)


def _remove(writer: MemoryWriter, files: Sequence[tuple[Event, str]]) -> list[str]:
    if not files:
        return []
    from hearth.importers.runs import remove

    return remove(writer, files)


def build_targets(adapters: Adapters, core: Core) -> Targets:
    def ask(text: str, hidden: bool) -> Recall:
        return core.recaller(core.query(text, limit=50, include_hidden=hidden))

    return Targets(adapters.store, core.roots, ask)


def build_eraser(adapters: Adapters) -> Eraser:
    agents = adapters.chosen.loaded.config.agents
    return Eraser(
        store=adapters.store,
        history=adapters.history(),
        memories=_open_memories(adapters),
        workspaces=tuple(
            DiskMemories(one.workspace)
            for name, one in agents.items()
            if one.workspace is not None and adapters.folders(name)
        ),
        embeddings=adapters.models.embeddings,
        reranks=adapters.models.scores,
        exclusive=adapters.locks.write,
        forget=lambda: forget_gone(adapters.store, adapters.notes(), adapters.locks.write),
        sweep=partial(_sweep, adapters),
        clean_pages=clean_pages,
    )


def _sweep(adapters: Adapters) -> None:
    """Removes half-written files, and a language model's last answer: they hold texts and can't be cleaned."""
    state_files.sweep_left(remnant_folders(adapters.chosen))
    adapters.answers().drop()
    adapters.answers(_CONSOLIDATION).drop()


_ASIDE_BYTES = 32 * 2**20


def build_graph(adapters: Adapters, spaces: Spaces, state: Changer) -> Graph:
    chosen, store = adapters.chosen.loaded.config.graph, adapters.store

    @cache
    def deriver() -> Deriver:
        return Deriver(
            store, spaces, adapters.locks.jobs, chosen.semantic_threshold, spread, aside=lambda: _open_aside(adapters)
        )

    @cache
    def names() -> NameReader:
        return NameReader(store, spread)

    return Graph(
        adapters.history(), state, deriver, names, lambda: store.condition != "current", chosen.enrich != "off"
    )


def _open_aside(adapters: Adapters) -> BinaryIO:
    """In memory while it is small, else without a name in the cache, so that nothing is left of it."""
    return cast(BinaryIO, tempfile.SpooledTemporaryFile(_ASIDE_BYTES, dir=str(adapters.cache)))
