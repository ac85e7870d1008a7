"""The room in which documents hang together."""

from __future__ import annotations

from functools import cache

from hearth.app.adapters import Adapters, spread
from hearth.engine.graph.deriving import Deriver
from hearth.engine.graph.graph import Graph
from hearth.engine.graph.mentions import NameReader
from hearth.engine.spaces.spaces import Spaces
from hearth.engine.state.changer import Changer


def build(adapters: Adapters, spaces: Spaces, state: Changer) -> Graph:
    chosen, store = adapters.chosen.loaded.config.graph, adapters.store

    @cache
    def deriver() -> Deriver:
        return Deriver(store, spaces, adapters.locks.jobs, chosen.semantic_threshold, spread)

    @cache
    def names() -> NameReader:
        return NameReader(store, spread)

    return Graph(adapters.history(), state, deriver, names, lambda: store.stale, chosen.enrich != "off")
