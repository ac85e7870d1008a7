"""The routes: where an operation is, and which of its arguments stand in path, query and body."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from hearth.core.lazy import dataclass
from hearth.operations import (
    compat,
    consolidation,
    documents,
    entities,
    lifecycle,
    memories,
    profile,
    relations,
    search,
    sessions,
    state,
    truth,
    upkeep,
)
from hearth.operations.arguments import Schema, View
from hearth.operations.operation import Operation, Request
from hearth.vault.vault import Vault

JSON = "application/json"
LINES = "application/x-ndjson"
PLAIN = "text/plain; version=0.0.4; charset=utf-8"


@dataclass
class RestRequest(Request):
    """One request, in a thread of its own; its arguments are checked."""

    actor = "rest"
    describes = False

    def afterwards(self, work: Callable[[Vault], object]) -> None:
        vaults, name = self.vaults, self.opened.name

        def done() -> None:
            with vaults.use(name) as opened:
                work(opened.vault)
                if vaults.background.due(name):
                    opened.vault.usage.settle()

        vaults.background.do(name, done)


@dataclass(frozen=True)
class Route:
    """``path`` is as in OpenAPI; ``names`` are the arguments as ``View`` reads them, all where it is ``None``;
    ``vault`` says whether one can be named. ``source`` takes an NDJSON body of any size; a ``former`` name of another
    route is answered and not told of."""

    method: str
    path: str
    operation: Operation[Any]
    names: str | None = None
    media: str = JSON
    source: bool = False
    vault: bool = True
    former: bool = False

    @cached_property
    def view(self) -> View[Any]:
        model = self.operation.takes
        names = self.names if self.names is not None else " ".join(f for f in model.model_fields if f != "vault")
        if "{docid}" in self.path:
            names = " ".join("reference=docid" if name == "reference" else name for name in names.split())
        return View(model, names + " vault" * self.vault)

    @property
    def in_path(self) -> tuple[str, ...]:
        return tuple(part[1:-1] for part in self.path.split("/") if part.startswith("{"))

    @property
    def in_query(self) -> tuple[str, ...]:
        """All of a ``GET``; of others which vault."""
        named = (name for name in self.view.names if name not in self.in_path)
        return tuple(name for name in named if self.method == "GET" or name == "vault")

    @property
    def in_body(self) -> tuple[str, ...] | None:
        """``None`` where none is read."""
        if self.method == "GET" or self.source:
            return None
        return tuple(name for name in self.view.names if name not in (*self.in_path, *self.in_query))

    def described(self, name: str) -> Schema:
        found: Schema = self.view.schema["properties"][name]
        return found

    @property
    def required(self) -> tuple[str, ...]:
        return tuple(name for name in self.in_body or () if name in self.view.schema["required"])


_ASKING = "collections full compact session"
_NARROWED = "types tags paths sources since until as_of include min_score"
_SEARCH = f"query mode limit budget {_ASKING} {_NARROWED} candidates intent diverse explain syntax"
_FITTING = "query collection since limit all dry_run"

_ALL = (
    Route("GET", "/health", upkeep.HEALTH, vault=False),
    Route("GET", "/stats", upkeep.STATS),
    Route("GET", "/collections", upkeep.COLLECTIONS),
    Route("GET", "/vaults", upkeep.VAULTS, vault=False),
    Route("GET", "/metrics", upkeep.METRICS, media=PLAIN),
    Route("POST", "/update", upkeep.REINDEX),
    Route("POST", "/reindex", upkeep.REINDEX, former=True),
    Route("POST", "/search", search.SEARCH, _SEARCH),
    Route("POST", "/retrieve", search.RETRIEVE, f"query mode limit {_ASKING}"),
    Route("GET", "/graph/similar/{docid}", search.SIMILAR),
    Route("GET", "/graph/entities", entities.ENTITIES),
    Route("POST", "/graph/entities", entities.NAMES),
    Route("GET", "/profile", profile.SHOW),
    Route("POST", "/profile", profile.PROFILE),
    Route("GET", "/summaries", profile.SUMMARIES),
    Route("POST", "/summaries", profile.SUMMARISE),
    Route("GET", "/identity", profile.IDENTITY),
    Route("POST", "/identity", profile.REFLECTION),
    Route("GET", "/threads", relations.THREADS),
    Route("GET", "/topics", relations.TOPICS),
    Route("GET", "/questions", profile.LIST),
    Route("POST", "/questions", profile.QUESTIONS, "status answer text dismiss reason"),
    Route("GET", "/graph/facts", entities.FACTS),
    Route("GET", "/graph/causal/{docid}", relations.CAUSAL),
    Route("GET", "/graph/evolution/{docid}", relations.NOTE),
    Route("POST", "/graph/build", relations.BUILD),
    Route("POST", "/graphs/build", relations.BUILD, former=True),
    Route("GET", "/documents", documents.LIST),
    Route("GET", "/documents/{docid}", documents.READ, "reference from_line max_lines"),
    Route("GET", "/timeline/{docid}", documents.TIMELINE, "reference before after same_collection as_of"),
    Route("GET", "/documents/{docid}/history", truth.HISTORY),
    Route("POST", "/documents/{docid}/pin", state.PIN),
    Route("POST", "/documents/{docid}/snooze", state.SNOOZE, "reference until end=unsnooze reason"),
    Route("POST", "/documents/{docid}/forget", state.FORGET, "reference reason"),
    Route("POST", "/documents/{docid}/restore", state.RESTORE),
    Route("POST", "/documents/{docid}/invalidate", state.INVALIDATE),
    Route("POST", "/documents/{docid}/supersede", state.SUPERSEDE),
    Route("POST", "/documents/{docid}/relate", relations.RELATE),
    Route("POST", "/documents/{docid}/unrelate", relations.UNRELATE),
    Route("POST", "/undo", state.UNDO),
    Route("GET", "/review", truth.QUEUE),
    Route("POST", "/review", truth.REVIEW, "entry decision session all reason"),
    Route("GET", "/commitments", truth.LIST),
    Route("POST", "/consolidate", consolidation.CONSOLIDATE, "dry_run reason"),
    Route("POST", "/dream", consolidation.DREAM),
    Route("GET", "/reflect", consolidation.REFLECT),
    Route("POST", "/curate", consolidation.CURATE, "apply reason"),
    Route("POST", "/commitments/{docid}/done", truth.DONE),
    Route("GET", "/lifecycle/status", lifecycle.STATUS),
    Route("POST", "/lifecycle/sweep", lifecycle.SWEEP, "dry_run"),
    Route("POST", "/lifecycle/restore", lifecycle.RESTORE, _FITTING),
    Route("GET", "/sessions", sessions.LOG),
    Route("GET", "/sessions/{session}", sessions.ONE),
    Route("POST", "/memories", memories.REMEMBER),
    Route("POST", "/notes", memories.NOTE),
    Route("POST", "/capture", memories.CAPTURE),
    Route("GET", "/incognito", sessions.STATUS),
    Route("POST", "/incognito", sessions.SWITCH),
    Route("POST", "/diary", memories.DIARY_WRITE),
    Route("GET", "/diary", memories.DIARY_READ),
    Route("POST", "/memory/search", compat.SEARCH, "query max_results=maxResults min_score=minScore citations"),
    Route("POST", "/memory/get", compat.GET, "path first=from lines"),
    Route("POST", "/memory/context", compat.CONTEXT, "message budget_tokens citations"),
    Route("GET", "/export", memories.EXPORT, media=LINES),
    Route("POST", "/import", memories.IMPORT, source=True),
)
# Where a path fits several, the one with more to it goes first.
ROUTES = tuple(sorted(_ALL, key=lambda route: (-route.path.count("/") + 2 * route.path.endswith("}"), route.path)))
