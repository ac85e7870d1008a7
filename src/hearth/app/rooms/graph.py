"""The room in which documents hang together."""

from __future__ import annotations

import tempfile
from functools import cache
from typing import BinaryIO, cast

from hearth.app.adapters import Adapters, spread
from hearth.graph.deriving import Deriver
from hearth.graph.graph import Graph
from hearth.graph.mentions import NameReader
from hearth.memory.state.changer import Changer
from hearth.vault.spaces.spaces import Spaces

_ASIDE_BYTES = 32 * 2**20


def build(adapters: Adapters, spaces: Spaces, state: Changer) -> Graph:
    chosen, store = adapters.chosen.loaded.config.graph, adapters.store

    @cache
    def deriver() -> Deriver:
        return Deriver(
            store, spaces, adapters.locks.jobs, chosen.semantic_threshold, spread, aside=lambda: _open_aside(adapters)
        )

    @cache
    def names() -> NameReader:
        return NameReader(store, spread)

    return Graph(adapters.history(), state, deriver, names, lambda: store.stale, chosen.enrich != "off")


def _open_aside(adapters: Adapters) -> BinaryIO:
    """In memory while it is small, else without a name in the cache, so that nothing is left of it."""
    return cast(BinaryIO, tempfile.SpooledTemporaryFile(_ASIDE_BYTES, dir=str(adapters.cache)))
