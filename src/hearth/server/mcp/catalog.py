"""The catalogue: every tool that the engine can serve, in the order in which a newcomer needs them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

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
from hearth.server.mcp import tool
from hearth.server.mcp.tool import Tool
from hearth.server.mcp.words import graph as graph_words
from hearth.server.mcp.words import graph as profile_words
from hearth.server.mcp.words import graph as question_words
from hearth.server.mcp.words import memories as incognito_words
from hearth.server.mcp.words import memories as lifecycle_words
from hearth.server.mcp.words import memories as memory_words
from hearth.server.mcp.words import memories as state_words
from hearth.server.mcp.words import search as compat_words
from hearth.server.mcp.words import search as document_words
from hearth.server.mcp.words import search as search_words
from hearth.server.mcp.words import truth as truth_words
from hearth.server.mcp.words import upkeep as session_words
from hearth.server.mcp.words import upkeep as upkeep_words

PROFILES = ("core", "full")
_FILTERS = "query collection types tags paths sources since until as_of include limit min_score full compact candidates"
_PAIR = frozenset({"tokens"})

TOOLS = (
    Tool(
        "memory_retrieve",
        search.RETRIEVE,
        search_words.retrieved,
        "query mode limit collection compact full",
        tool.McpRetrieve,
        lead=search_words.retrieved_lead,
        described="Start here. Ask before answering about past work, decisions, people, preferences, dates or "
        "problems. Picks the kind of search from the wording and says which. Nothing found means: not in memory.",
        always_load=True,
    ),
    Tool(
        "search",
        search.SEARCH,
        search_words.found,
        f"{_FILTERS} syntax",
        tool.McpSearch,
        "Search by words",
        "Find passages that hold the words: names, identifiers, error texts, file names.",
        fixed={"mode": "keyword"},
        lead=search_words.lead,
    ),
    Tool(
        "vsearch",
        search.SEARCH,
        search_words.found,
        _FILTERS,
        tool.McpSearch,
        "Search by meaning",
        "Find passages that mean the same in other words. For names and exact terms use search.",
        fixed={"mode": "semantic"},
        lead=search_words.lead,
    ),
    Tool(
        "query",
        search.SEARCH,
        search_words.found,
        f"{_FILTERS} intent diverse",
        tool.McpSearch,
        "Search by words and meaning",
        "Find passages by words, meaning and dates together, filtered as you say. The best single search.",
        lead=search_words.lead,
    ),
    Tool(
        "query_plan",
        search.SEARCH,
        search_words.found,
        "query collection types tags paths sources since until as_of include limit budget",
        tool.McpSearch,
        "Plan and search",
        "For what one search can't answer: in what order, how it progressed, how many in all, a summary (an outline, a "
        "line for each turn or section, by time), or several questions and comparisons (each searched on its own).",
        fixed={"mode": "plan"},
    ),
    Tool(
        "intent_search",
        search.SEARCH,
        search_words.found,
        "query collection types tags paths sources since until as_of include limit full compact",
        tool.McpSearch,
        "Search along relations",
        "For why, when and of whom: finds what answers, then what hangs together with it (causes, what replaced it, "
        "links), and says for each by which relations it came.",
        fixed={"mode": "intent"},
        lead=search_words.lead,
    ),
    Tool(
        "get",
        documents.READ,
        document_words.reading,
        "reference from_line max_lines line_numbers",
        tool.McpRead,
        fixed={"max_chars": documents.MOST_CHARS},
    ),
    Tool("multi_get", documents.SEVERAL, document_words.readings),
    Tool("find_similar", search.SIMILAR, search_words.alike, model=tool.McpSimilar),
    Tool("memory_entities", entities.ENTITIES, graph_words.entities),
    Tool("memory_names", entities.NAMES, graph_words.names),
    Tool("memory_profile", profile.PROFILE, profile_words.profile),
    Tool("memory_questions", profile.QUESTIONS, question_words.questions, "status answer text dismiss reason"),
    Tool("kg_query", entities.FACTS, graph_words.facts),
    Tool("find_causal_links", relations.CAUSAL, graph_words.causal),
    Tool("memory_evolution_status", relations.NOTE, graph_words.note),
    Tool("build_graphs", relations.BUILD, graph_words.built),
    Tool("timeline", documents.TIMELINE, document_words.timeline, "reference before after same_collection as_of"),
    Tool(
        "session_log",
        sessions.LOG,
        session_words.log,
        "limit project",
        tool.McpSessionLog,
        described="List the last sessions with agents: when, where, how long, their hand-offs and what was said, which "
        "get reads.",
    ),
    Tool(
        "memory_store",
        memories.REMEMBER,
        memory_words.written,
        "text|content type title tags subject project session supersedes",
        described="Write a memory: one decision, preference, fact, problem or hand-off a call. What is there already "
        "is found, merged or revised, not doubled; what it replaces leaves searches and is named. Secrets are taken "
        "out. Searchable at once.",
    ),
    Tool("memory_capture", memories.CAPTURE, memory_words.handed_over, "session user assistant project end"),
    Tool("memory_incognito", sessions.SWITCH, incognito_words.incognito, "action session folder"),
    Tool("diary_write", memories.DIARY_WRITE, memory_words.written, "text|entry topic agent"),
    Tool("diary_read", memories.DIARY_READ, memory_words.diary),
    Tool(
        "memory_pin",
        state.PIN,
        state_words.changed,
        "reference unpin reason",
        described="Put a document first among equals in searches, or take that back. For what must not be missed.",
    ),
    Tool("memory_snooze", state.SNOOZE, state_words.changed, "reference until days end reason"),
    Tool(
        "memory_forget",
        state.FORGET,
        state_words.changed,
        "reference confirm reason",
        tool.McpForget,
        described="Hide a document from every search, for what is wrong or unwanted. Without confirm it only shows "
        "which. The file stays; memory_undo takes it back.",
    ),
    Tool(
        "memory_undo",
        state.UNDO,
        state_words.changed,
        "event reason",
        tool.McpUndo,
        described="Take back a pin, snooze, forget, restore or another change of a document's state, by its event. A "
        "change that was changed again since is left alone.",
    ),
    Tool("memory_history", truth.HISTORY, truth_words.history),
    Tool("memory_review", truth.REVIEW, truth_words.review, "entry decision session all reason"),
    Tool("memory_commitments", truth.LIST, truth_words.commitments),
    Tool("memory_consolidate", consolidation.CONSOLIDATE, truth_words.consolidated, "dry_run reason"),
    Tool("dream", consolidation.DREAM, truth_words.dreamt),
    Tool("reflect", consolidation.REFLECT, truth_words.reflected),
    Tool("curate", consolidation.CURATE, truth_words.curated, "apply reason"),
    Tool("lifecycle_status", lifecycle.STATUS, lifecycle_words.status),
    Tool(
        "lifecycle_sweep",
        lifecycle.SWEEP,
        lifecycle_words.swept,
        "dry_run reason",
        described="Take memories that lay unused for too long out of searches; lifecycle_restore brings them back.",
    ),
    Tool(
        "lifecycle_restore",
        lifecycle.RESTORE,
        lifecycle_words.restored,
        "reference query collection since all limit confirm reason",
        tool.McpRestore,
        described="Bring back a document that is forgotten, archived, superseded or invalid (reference), or archived "
        "ones (query, collection, since or all). Without confirm it only shows which.",
    ),
    Tool(
        "memory_search",
        compat.SEARCH,
        compat_words.memory_search_results,
        "query max_results=maxResults min_score=minScore citations",
        tool.McpMemorySearch,
        described="Find passages in notes and memories. For agents that know this name; memory_retrieve does more.",
        keeps=_PAIR,
    ),
    Tool(
        "memory_get",
        compat.GET,
        compat_words.lines,
        "path first=from lines",
        tool.McpMemoryGet,
        described="Read lines of a note or memory by its path. For agents that know this name; get does more.",
    ),
    Tool(
        "memory_context",
        compat.CONTEXT,
        compat_words.context,
        "message format citations",
        tool.McpMemoryContext,
        described="Give what notes and memories say to a whole message, as a digest; empty for small talk.",
        keeps=_PAIR,
    ),
    Tool("status", upkeep.STATUS, upkeep_words.held),
    Tool("index_stats", upkeep.INDEX_STATS, upkeep_words.figures),
    Tool("list_vaults", upkeep.VAULTS, upkeep_words.vaults),
    Tool("update", upkeep.REINDEX, upkeep_words.scanned),
    Tool("vault_sync", upkeep.SYNC, upkeep_words.scanned),
)


FORMER = {"reindex": "update", "profile": "memory_profile"}
"""Names that tools had: calls by them are answered, too."""


def tools(profile: str = "full") -> Mapping[str, Tool]:
    """Name -> tool; ``core`` are the few that most sessions need."""
    if profile == "full":
        return {tool.name: tool for tool in TOOLS}
    return {tool.name: replace(tool, brief=True) for tool in TOOLS if tool.operation.core}
