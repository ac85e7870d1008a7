"""The room in which memories are written."""

from __future__ import annotations

from collections.abc import Callable

from hearth.app.adapters import Adapters, redact
from hearth.app.models import quantize
from hearth.app.rooms.usage import recorder
from hearth.core.document import INTERNAL
from hearth.disk.memories import DiskMemories
from hearth.memory.sessions.record import SessionLog
from hearth.memory.writing.candidates import Lookup
from hearth.memory.writing.memories import Memories
from hearth.memory.writing.writer import MemoryWriter, OneDocument
from hearth.truth.acts import Retired, Rivals
from hearth.truth.noticing import Aftermath, Noticer, SecondJudge
from hearth.vault.indexing.sync import Syncer
from hearth.vault.vault import Core


class Preparation:
    """A scan where the index is stale or knows nothing of memories that are there."""

    def __init__(self, adapters: Adapters, core: Core, scan: Callable[[], object]) -> None:
        self._store, self._core, self._scan = adapters.store, core, scan
        self._seen = False

    def __call__(self) -> None:
        stale = self._store.stale
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


def build(
    adapters: Adapters, core: Core, syncer: Syncer, sessions: Callable[[], SessionLog], prepare: Callable[[], None]
) -> Memories:
    own = DiskMemories(adapters.memory)
    compared = adapters.chosen.loaded.config.truth.notes
    notes = tuple(one.name for one in core.collections if compared and one.name != INTERNAL and one.trust == "human")
    rivals = build_rivals(adapters, core, notes)
    signals = recorder(adapters, core.zone)
    embed = lambda texts: adapters.models.embedder().embed(texts, "document")  # noqa: E731
    notice = Noticer(syncer.history, rivals, embed, redact, adapters.clock, signals.said_again)
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
        embed=OneDocument(adapters.store, adapters.models.embedder, quantize),
        retired=Retired(rivals, own, redact),
        said_again=signals.said_again,
    )
    return Memories(writer, sessions, prepare, Aftermath(notice, adapters.store, _second_judge(adapters)))


def build_rivals(adapters: Adapters, core: Core, notes: tuple[str, ...] = ()) -> Rivals:
    spaces = core.recaller.spaces
    return Rivals(adapters.store, spaces.static if spaces is not None else None, adapters.clock, notes)


def _second_judge(adapters: Adapters) -> Callable[[], SecondJudge] | None:
    """The language model, loaded when it is first asked."""
    if adapters.chosen.loaded.config.llm.provider == "none":
        return None

    def opened() -> SecondJudge:
        from hearth.llm.statements import PairJudge

        reader = adapters.models.reader()
        return PairJudge(reader.llm, reader.clean, reader.suspicious).judge

    return opened
