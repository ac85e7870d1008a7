"""The routes."""

from __future__ import annotations

from hearth.server.operations import (
    compat,
    documents,
    exchange,
    incognito,
    lifecycle,
    memories,
    search,
    sessions,
    state,
    upkeep,
)
from hearth.server.operations.graph import causal, entities, facts, notes, overview, profile, questions, relations
from hearth.server.operations.truth import commitments, consolidation, curation, dreaming, history, reflecting, review
from hearth.server.rest.route import LINES, PLAIN, Route

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
    Route("GET", "/threads", overview.THREADS),
    Route("GET", "/topics", overview.TOPICS),
    Route("GET", "/questions", questions.LIST),
    Route("POST", "/questions", questions.QUESTIONS, "status answer text dismiss reason"),
    Route("GET", "/graph/facts", facts.FACTS),
    Route("GET", "/graph/causal/{docid}", causal.CAUSAL),
    Route("GET", "/graph/evolution/{docid}", notes.NOTE),
    Route("POST", "/graph/build", relations.BUILD),
    Route("POST", "/graphs/build", relations.BUILD, former=True),
    Route("GET", "/documents", documents.LIST),
    Route("GET", "/documents/{docid}", documents.READ, "reference from_line max_lines"),
    Route("GET", "/timeline/{docid}", documents.TIMELINE, "reference before after same_collection as_of"),
    Route("GET", "/documents/{docid}/history", history.HISTORY),
    Route("POST", "/documents/{docid}/pin", state.PIN),
    Route("POST", "/documents/{docid}/snooze", state.SNOOZE, "reference until end=unsnooze reason"),
    Route("POST", "/documents/{docid}/forget", state.FORGET, "reference reason"),
    Route("POST", "/documents/{docid}/restore", state.RESTORE),
    Route("POST", "/documents/{docid}/invalidate", state.INVALIDATE),
    Route("POST", "/documents/{docid}/supersede", state.SUPERSEDE),
    Route("POST", "/documents/{docid}/relate", relations.RELATE),
    Route("POST", "/documents/{docid}/unrelate", relations.UNRELATE),
    Route("POST", "/undo", state.UNDO),
    Route("GET", "/review", review.QUEUE),
    Route("POST", "/review", review.REVIEW, "entry decision session all reason"),
    Route("GET", "/commitments", commitments.LIST),
    Route("POST", "/consolidate", consolidation.CONSOLIDATE, "dry_run reason"),
    Route("POST", "/dream", dreaming.DREAM),
    Route("GET", "/reflect", reflecting.REFLECT),
    Route("POST", "/curate", curation.CURATE, "apply reason"),
    Route("POST", "/commitments/{docid}/done", commitments.DONE),
    Route("GET", "/lifecycle/status", lifecycle.STATUS),
    Route("POST", "/lifecycle/sweep", lifecycle.SWEEP, "dry_run"),
    Route("POST", "/lifecycle/restore", lifecycle.RESTORE, _FITTING),
    Route("GET", "/sessions", sessions.LOG),
    Route("GET", "/sessions/{session}", sessions.ONE),
    Route("POST", "/memories", memories.REMEMBER),
    Route("POST", "/notes", memories.NOTE),
    Route("POST", "/capture", memories.CAPTURE),
    Route("GET", "/incognito", incognito.STATUS),
    Route("POST", "/incognito", incognito.SWITCH),
    Route("POST", "/diary", memories.DIARY_WRITE),
    Route("GET", "/diary", memories.DIARY_READ),
    Route("POST", "/memory/search", compat.SEARCH, "query max_results=maxResults min_score=minScore citations"),
    Route("POST", "/memory/get", compat.GET, "path first=from lines"),
    Route("POST", "/memory/context", compat.CONTEXT, "message budget_tokens citations"),
    Route("GET", "/export", exchange.EXPORT, media=LINES),
    Route("POST", "/import", exchange.IMPORT, source=True),
)
# Where a path fits several, the one with more to it goes first.
ROUTES = tuple(sorted(_ALL, key=lambda route: (-route.path.count("/") + 2 * route.path.endswith("}"), route.path)))
