"""The table of commands. A command's module is imported when the command runs, so that ``hearth --help`` loads no
engine."""

from __future__ import annotations

from hearth.cli.group import Entry, LazyGroup, root

# In the order in which a newcomer needs them; module and attribute are loaded on use.
COMMANDS: dict[str, Entry] = {
    "bootstrap": Entry("hearth.cli.notes.bootstrap", "bootstrap", "Set up a folder of notes in one go."),
    "init": Entry("hearth.cli.notes.init", "init", "Create the folders and an empty configuration."),
    "collection": Entry(
        "hearth.cli.notes.collection", "collection", "Add, list, show, trust and remove folders of notes."
    ),
    "update": Entry("hearth.cli.notes.update", "update", "Bring the index up to date with the folders."),
    "embed": Entry("hearth.cli.notes.embed", "embed", "Fill in missing vectors."),
    "reindex": Entry("hearth.cli.notes.reindex", "reindex", "Build the index anew from the files and the journal."),
    "watch": Entry("hearth.cli.notes.watch", "watch", "Keep the index up to date until stopped."),
    "search": Entry("hearth.cli.questions.search", "search", "Find passages by their words."),
    "vsearch": Entry("hearth.cli.questions.search", "vsearch", "Find passages by their meaning."),
    "query": Entry("hearth.cli.questions.search", "query", "Find passages by words and meaning together."),
    "get": Entry("hearth.cli.questions.get", "get", "Print a document or some of its lines."),
    "multi-get": Entry("hearth.cli.questions.multi_get", "multi_get", "Print several documents."),
    "remember": Entry("hearth.cli.memories.remember", "remember", "Write a memory, or find that it is there."),
    "note": Entry("hearth.cli.memories.note", "note", "Add a text to today's file."),
    "diary": Entry("hearth.cli.memories.diary", "diary", "Write and read an agent's diary."),
    "pin": Entry("hearth.cli.state.flags", "pin", "Put a document first among equals."),
    "unpin": Entry("hearth.cli.state.flags", "unpin", "Take a pin back."),
    "snooze": Entry("hearth.cli.state.snooze", "snooze", "Keep a document from being brought up for a while."),
    "unsnooze": Entry("hearth.cli.state.flags", "unsnooze", "End a snooze."),
    "forget": Entry("hearth.cli.state.flags", "forget", "Hide a document from every search."),
    "restore": Entry("hearth.cli.state.flags", "restore", "Bring back what is hidden."),
    "supersede": Entry("hearth.cli.state.flags", "supersede", "Say that another document replaces a document."),
    "invalidate": Entry("hearth.cli.state.flags", "invalidate", "Say that a document is not true any more."),
    "purge": Entry("hearth.cli.state.purge", "purge", "Erase a document for good."),
    "undo": Entry("hearth.cli.state.undo", "undo", "Take a change back."),
    "lifecycle": Entry("hearth.cli.state.lifecycle", "lifecycle", "Archive what is no longer used, and bring it back."),
    "similar": Entry("hearth.cli.questions.similar", "similar", "Find documents like a document."),
    "timeline": Entry("hearth.cli.questions.timeline", "timeline", "Show what was written around a document."),
    "log": Entry("hearth.cli.agents.log", "log", "List the sessions with agents, and what each was shown."),
    "budget": Entry("hearth.cli.agents.budget", "budget", "Show what agents were shown, and how much of it they used."),
    "focus": Entry("hearth.cli.agents.focus", "focus", "Say what you are working on."),
    "list": Entry("hearth.cli.questions.list", "list_documents", "List the documents."),
    "setup": Entry(
        "hearth.cli.setup.setup", "setup", "Connect agents: install the hooks and the MCP server, or take them out."
    ),
    "status": Entry("hearth.cli.health.status", "status", "Show what the vault holds and how it is."),
    "doctor": Entry("hearth.cli.health.doctor", "doctor", "Check that everything works, by trying it."),
    "daemon": Entry("hearth.cli.agents.daemon", "daemon", "Start, stop and look at the warm process behind the hooks."),
    "install-service": Entry(
        "hearth.cli.agents.install_service", "install_service", "Let the system run the daemon, and embed once a day."
    ),
    "hook": Entry("hearth.cli.agents.hook", "hook", "Answer one event of a host, for trying."),
    "surface": Entry("hearth.cli.questions.surface", "surface", "Print what the hooks would put before an agent."),
    "models": Entry("hearth.cli.models.models", "models", "List, pull, use, verify and remove models that run here."),
    "path": Entry("hearth.cli.installation.path", "path", "Show where everything is."),
    "config": Entry("hearth.cli.installation.config", "config", "Show and change settings."),
    "journal": Entry("hearth.cli.health.journal", "journal", "Look at the journal of events."),
    "export": Entry("hearth.cli.memories.export", "export", "Print everything that the vault knows."),
    "import": Entry("hearth.cli.memories.import_", "import_", "Take in an export."),
    "serve": Entry("hearth.cli.agents.serve", "serve", "Serve the memory by REST and MCP, and answer hooks."),
    "mcp": Entry("hearth.cli.agents.mcp", "mcp", "Serve the memory to an agent (MCP)."),
    "completion": Entry("hearth.cli.installation.completion", "completion", "Print a shell completion script."),
    "bench": Entry("hearth.cli.questions.bench", "bench", "Measure recall on notes whose answers are known."),
    "version": Entry("hearth.cli.installation.version", "version", "Print the versions of Hearth and Python."),
}

cli: LazyGroup = root(COMMANDS)
