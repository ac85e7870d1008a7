"""The table of commands. A command's module is imported when the command runs, so that ``hearth --help`` loads no
engine."""

from __future__ import annotations

from hearth.cli.group import CommandEntry, LazyGroup, root

# In the order in which a newcomer needs them; module and attribute are loaded on use.
COMMANDS: dict[str, CommandEntry] = {
    "bootstrap": CommandEntry("hearth.cli.bootstrap", "bootstrap", "Set up a folder of notes in one go."),
    "init": CommandEntry("hearth.cli.bootstrap", "init", "Create the folders and an empty configuration."),
    "collection": CommandEntry(
        "hearth.cli.collection", "collection", "Add, list, show, set, move, trust and remove folders of notes."
    ),
    "vault": CommandEntry("hearth.cli.vault", "vault_group", "List, make and move vaults."),
    "update": CommandEntry("hearth.cli.index", "update", "Update the index from the folders."),
    "embed": CommandEntry("hearth.cli.index", "embed", "Compute missing vectors."),
    "reindex": CommandEntry("hearth.cli.index", "reindex", "Rebuild the index from the files and the journal."),
    "watch": CommandEntry("hearth.cli.index", "watch", "Update the index on every change until stopped."),
    "search": CommandEntry("hearth.cli.questions.search", "search", "Find fragments by their words."),
    "vsearch": CommandEntry("hearth.cli.questions.search", "vsearch", "Find fragments by their meaning."),
    "query": CommandEntry("hearth.cli.questions.search", "query", "Find fragments by words and meaning together."),
    "get": CommandEntry("hearth.cli.questions.documents", "get", "Print a document or some of its lines."),
    "multi-get": CommandEntry("hearth.cli.questions.documents", "multi_get", "Print several documents."),
    "remember": CommandEntry("hearth.cli.memories.remember", "remember", "Write a memory, unless it exists already."),
    "beads": CommandEntry("hearth.cli.memories.beads", "beads", "Keep the issues of Beads in memory."),
    "note": CommandEntry("hearth.cli.memories.remember", "note", "Add a text to today's file."),
    "diary": CommandEntry("hearth.cli.memories.remember", "diary", "Write and read an agent's diary."),
    "capture": CommandEntry("hearth.cli.memories.capture", "capture", "Capture sessions: run, show and undo it."),
    "handoff": CommandEntry("hearth.cli.memories.pages", "handoff", "Print the hand-off for the next session."),
    "pin": CommandEntry("hearth.cli.memories.changes", "pin", "Rank a document first among equals."),
    "unpin": CommandEntry("hearth.cli.memories.changes", "unpin", "Remove a pin."),
    "snooze": CommandEntry("hearth.cli.memories.changes", "snooze", "Stop showing a document for a while."),
    "unsnooze": CommandEntry("hearth.cli.memories.changes", "unsnooze", "End a snooze."),
    "forget": CommandEntry("hearth.cli.memories.changes", "forget", "Hide a document from every search."),
    "restore": CommandEntry("hearth.cli.memories.changes", "restore", "Restore a hidden document."),
    "review": CommandEntry(
        "hearth.cli.memories.review", "review", "Resolve contradictions and approve captured memories."
    ),
    "commitments": CommandEntry("hearth.cli.memories.review", "commitments", "List what was promised."),
    "consolidate": CommandEntry(
        "hearth.cli.memories.consolidate", "consolidate", "Merge duplicate memories and archive expired ones."
    ),
    "dream": CommandEntry(
        "hearth.cli.memories.dream", "dream", "Promote what is used again and again to MEMORY.md, once a night."
    ),
    "curate": CommandEntry(
        "hearth.cli.memories.consolidate", "curate", "List maintenance actions; apply the safe ones."
    ),
    "history": CommandEntry(
        "hearth.cli.memories.review", "history", "Show what a document replaced and what replaced it."
    ),
    "supersede": CommandEntry("hearth.cli.memories.changes", "supersede", "Mark a document as superseded by another."),
    "relate": CommandEntry("hearth.cli.memories.changes", "relate", "Relate two documents."),
    "unrelate": CommandEntry(
        "hearth.cli.memories.changes", "unrelate", "State that two documents are not related this way."
    ),
    "invalidate": CommandEntry("hearth.cli.memories.changes", "invalidate", "Mark a document as no longer true."),
    "purge": CommandEntry("hearth.cli.memories.changes", "purge", "Erase a document for good."),
    "undo": CommandEntry("hearth.cli.memories.changes", "undo", "Undo a change."),
    "lifecycle": CommandEntry(
        "hearth.cli.memories.lifecycle", "lifecycle", "Archive unused documents, and restore them."
    ),
    "similar": CommandEntry("hearth.cli.questions.search", "similar", "Find similar documents."),
    "inspect": CommandEntry(
        "hearth.cli.questions.inspect", "inspect", "Show a document's fragments, or why a question misses it."
    ),
    "profile": CommandEntry("hearth.cli.memories.pages", "profile", "Show what is known of you, with its sources."),
    "identity": CommandEntry(
        "hearth.cli.memories.pages", "identity", "Show corrections that you gave agents more than once."
    ),
    "overview": CommandEntry(
        "hearth.cli.memories.pages", "overview", "Show what notes and sessions are about: threads, topics, summaries."
    ),
    "questions": CommandEntry(
        "hearth.cli.memories.pages", "questions", "List open questions of sessions; answer or dismiss them."
    ),
    "entities": CommandEntry(
        "hearth.cli.questions.graph", "entities", "Show an entity: facts, mentions, related entities."
    ),
    "facts": CommandEntry(
        "hearth.cli.questions.graph", "facts", "List facts about an entity: uses, owners, places, since when."
    ),
    "graph": CommandEntry("hearth.cli.questions.graph", "graph", "Show relations between documents, and derive them."),
    "timeline": CommandEntry(
        "hearth.cli.questions.documents", "timeline", "Show what was written before and after a document."
    ),
    "log": CommandEntry("hearth.cli.agents.sessions", "log", "List agent sessions and what each was shown."),
    "budget": CommandEntry(
        "hearth.cli.agents.sessions", "budget", "Show what agents were shown, and how much of it they used."
    ),
    "usage": CommandEntry("hearth.cli.agents.sessions", "usage", "Show which documents and memories are used most."),
    "focus": CommandEntry("hearth.cli.agents.sessions", "focus", "Set what you are working on."),
    "incognito": CommandEntry("hearth.cli.agents.hook", "incognito", "Turn memory off for a session or folder."),
    "list": CommandEntry("hearth.cli.questions.documents", "list_documents", "List the documents."),
    "update-context": CommandEntry(
        "hearth.cli.agents.setup_instructions",
        "update_context",
        "Update the block of memory in a CLAUDE.md.",
    ),
    "setup": CommandEntry(
        "hearth.cli.agents.setup", "setup", "Connect agents: install or remove hooks and the MCP server."
    ),
    "uninstall": CommandEntry(
        "hearth.cli.agents.uninstall", "uninstall", "Remove Hearth from agents and the system; notes stay."
    ),
    "status": CommandEntry("hearth.cli.health.status", "status", "Show the vault's contents and state."),
    "doctor": CommandEntry("hearth.cli.health.doctor", "doctor", "Check that everything works, by trying it."),
    "daemon": CommandEntry(
        "hearth.cli.agents.daemon", "daemon", "Start, stop and inspect the daemon behind the hooks."
    ),
    "install-service": CommandEntry(
        "hearth.cli.agents.daemon",
        "install_service",
        "Run the daemon as a system service, and scan folders daily.",
    ),
    "context": CommandEntry(
        "hearth.cli.agents.context", "context", "Hold sessions of agents: plan, assemble, commit, compact, reset."
    ),
    "hook": CommandEntry("hearth.cli.agents.hook", "hook", "Answer one event of a host, for trying."),
    "surface": CommandEntry("hearth.cli.questions.search", "surface", "Preview what hooks would inject for a prompt."),
    "models": CommandEntry("hearth.cli.models", "models", "List, pull, use, verify and remove models that run here."),
    "llm": CommandEntry("hearth.cli.models", "llm", "Try the language model that reads sessions."),
    "config": CommandEntry("hearth.cli.installation", "config", "Show and change settings."),
    "journal": CommandEntry("hearth.cli.health.index", "journal_group", "Inspect the event journal."),
    "export": CommandEntry("hearth.cli.memories.exchange", "export", "Export everything in the vault."),
    "import": CommandEntry("hearth.cli.memories.imports", "import_", "Import what other programs remember."),
    "mine": CommandEntry("hearth.cli.memories.mine", "mine", "Take in conversations of other programs and services."),
    "serve": CommandEntry("hearth.cli.agents.serve", "serve", "Serve memory over REST and MCP, and answer hooks."),
    "mcp": CommandEntry("hearth.cli.agents.mcp", "mcp", "Serve memory to an agent over MCP."),
    "completion": CommandEntry("hearth.cli.version", "completion", "Print a shell completion script."),
    "bench": CommandEntry("hearth.cli.questions.bench", "bench", "Measure recall on notes whose answers are known."),
    "version": CommandEntry("hearth.cli.version", "version", "Print the versions of Hearth and Python."),
    "help": CommandEntry("hearth.cli.version", "show_help", "Show the help of a command; --all lists all commands."),
}
# Names of before and of other programs, which work: parts of the overview and of the status, and `memory index`.
FORMER: dict[str, CommandEntry] = {
    "threads": CommandEntry("hearth.cli.memories.pages", "threads", "List conversation threads of your sessions."),
    "topics": CommandEntry("hearth.cli.memories.pages", "topics", "List what the notes are about."),
    "summaries": CommandEntry("hearth.cli.memories.pages", "summaries", "Show weekly and monthly project summaries."),
    "reflect": CommandEntry(
        "hearth.cli.memories.dream", "reflect", "Show what the last weeks were about and what is still open."
    ),
    "path": CommandEntry("hearth.cli.installation", "path", "Show where everything is."),
    "memory": CommandEntry("hearth.cli.memories.capture", "memory", "Read folders and sessions at once."),
}
# What `hearth --help` shows.
EVERYDAY: dict[str, tuple[str, ...]] = {
    "Set up": ("bootstrap", "setup", "doctor"),
    "Ask": ("query", "get", "list"),
    "Remember": ("remember", "capture", "handoff"),
    "Correct": ("review", "pin", "forget", "undo"),
    "Look back": ("log", "history", "profile"),
    "Agents": ("surface", "mcp"),
    "Maintain": ("status", "update"),
}

# What `hearth help --all` shows: every command, once.
BY_PURPOSE: dict[str, tuple[str, ...]] = {
    "Set up": ("bootstrap", "setup", "uninstall", "doctor", "config", "install-service", "models", "llm", "completion"),
    "Ask": ("query", "search", "vsearch", "similar", "get", "multi-get", "list", "timeline", "inspect"),
    "Remember": ("remember", "note", "diary", "capture", "mine", "handoff", "beads"),
    "Correct": (
        *("review", "pin", "unpin", "snooze", "unsnooze", "forget", "restore", "supersede", "invalidate"),
        *("relate", "unrelate", "purge", "undo"),
    ),
    "Look back": (
        *("overview", "profile", "identity", "questions", "commitments", "history", "entities", "facts", "graph"),
        *("log", "usage", "budget"),
    ),
    "Agents": ("surface", "mcp", "serve", "context", "hook", "daemon", "focus", "incognito", "update-context"),
    "Maintain": (
        *("status", "update", "embed", "reindex", "watch", "init", "collection", "vault", "consolidate", "curate"),
        *("dream", "lifecycle", "journal", "export", "import", "bench", "version", "help"),
    ),
}

cli: LazyGroup = root(COMMANDS, EVERYDAY, BY_PURPOSE, FORMER)
