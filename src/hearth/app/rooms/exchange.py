"""The room in which a vault is exported and imported."""

from __future__ import annotations

from hearth import __version__
from hearth.app.adapters import Adapters, redact, scrub
from hearth.app.exchange import DiskExchange
from hearth.vault.exporter import Exporter
from hearth.vault.importer import Exchange, Importer
from hearth.vault.indexing.index import Index
from hearth.vault.vault import Core


def build(adapters: Adapters, core: Core, index: Index) -> Exchange:
    log = adapters.journal()
    own = DiskExchange(adapters.memory, adapters.data / "journal", log, scrub, adapters.locks.write)
    exporter = Exporter(
        program=__version__,
        vault=core.name,
        collections=core.collections,
        store=core.store,
        files=core.files,
        log=log,
        own=own,
        redact=redact,
        clock=core.clock,
    )
    return Exchange(exporter, Importer(own, redact), index.prepare, lambda: index.sync())
