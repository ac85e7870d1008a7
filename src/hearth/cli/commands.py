"""The table of commands. A command's module is imported when the command runs, so that ``hearth --help`` loads no
engine."""

from __future__ import annotations

from hearth.cli.group import Entry, LazyGroup, root

# In the order in which a newcomer needs them; module and attribute are loaded on use.
COMMANDS: dict[str, Entry] = {
    "bootstrap": Entry("hearth.cli.bootstrap", "bootstrap", "Set up a folder of notes in one go."),
    "init": Entry("hearth.cli.init", "init", "Create the folders and an empty configuration."),
    "collection": Entry("hearth.cli.collection", "collection", "Add, list, show, trust and remove folders of notes."),
    "update": Entry("hearth.cli.update", "update", "Bring the index up to date with the folders."),
    "embed": Entry("hearth.cli.embed", "embed", "Fill in missing vectors."),
    "reindex": Entry("hearth.cli.reindex", "reindex", "Build the index anew from the files and the journal."),
    "watch": Entry("hearth.cli.watch", "watch", "Keep the index up to date until stopped."),
    "search": Entry("hearth.cli.search", "search", "Find passages by their words."),
    "vsearch": Entry("hearth.cli.search", "vsearch", "Find passages by their meaning."),
    "query": Entry("hearth.cli.search", "query", "Find passages by words and meaning together."),
    "get": Entry("hearth.cli.get", "get", "Print a document or some of its lines."),
    "multi-get": Entry("hearth.cli.multi_get", "multi_get", "Print several documents."),
    "remember": Entry("hearth.cli.remember", "remember", "Write a memory, or find that it is there."),
    "note": Entry("hearth.cli.note", "note", "Add a text to today's file."),
    "diary": Entry("hearth.cli.diary", "diary", "Write and read an agent's diary."),
    "pin": Entry("hearth.cli.pin", "pin", "Put a document first among equals."),
    "unpin": Entry("hearth.cli.unpin", "unpin", "Take a pin back."),
    "snooze": Entry("hearth.cli.snooze", "snooze", "Keep a document from being brought up for a while."),
    "unsnooze": Entry("hearth.cli.unsnooze", "unsnooze", "End a snooze."),
    "forget": Entry("hearth.cli.forget", "forget", "Hide a document from every search."),
    "restore": Entry("hearth.cli.restore", "restore", "Bring back what is hidden."),
    "supersede": Entry("hearth.cli.supersede", "supersede", "Say that another document replaces a document."),
    "invalidate": Entry("hearth.cli.invalidate", "invalidate", "Say that a document is not true any more."),
    "purge": Entry("hearth.cli.purge", "purge", "Erase a document for good."),
    "undo": Entry("hearth.cli.undo", "undo", "Take a change back."),
    "lifecycle": Entry("hearth.cli.lifecycle", "lifecycle", "Archive what is no longer used, and bring it back."),
    "similar": Entry("hearth.cli.similar", "similar", "Find documents like a document."),
    "timeline": Entry("hearth.cli.timeline", "timeline", "Show what was written around a document."),
    "log": Entry("hearth.cli.log", "log", "List the sessions with agents, and what each was shown."),
    "budget": Entry("hearth.cli.budget", "budget", "Show what agents were shown, and how much of it they used."),
    "focus": Entry("hearth.cli.focus", "focus", "Say what you are working on."),
    "list": Entry("hearth.cli.list", "list_documents", "List the documents."),
    "setup": Entry(
        "hearth.cli.setup", "setup", "Connect agents: install the hooks and the MCP server, or take them out."
    ),
    "status": Entry("hearth.cli.status", "status", "Show what the vault holds and how it is."),
    "doctor": Entry("hearth.cli.doctor", "doctor", "Check that everything works, by trying it."),
    "daemon": Entry("hearth.cli.daemon", "daemon", "Start, stop and look at the warm process behind the hooks."),
    "install-service": Entry(
        "hearth.cli.install_service", "install_service", "Let the system run the daemon, and embed once a day."
    ),
    "hook": Entry("hearth.cli.hook", "hook", "Answer one event of a host, for trying."),
    "surface": Entry("hearth.cli.surface", "surface", "Print what the hooks would put before an agent."),
    "models": Entry("hearth.cli.models", "models", "List, pull, use, verify and remove models that run here."),
    "path": Entry("hearth.cli.path", "path", "Show where everything is."),
    "config": Entry("hearth.cli.config", "config", "Show and change settings."),
    "journal": Entry("hearth.cli.journal", "journal", "Look at the journal of events."),
    "export": Entry("hearth.cli.export", "export", "Print everything that the vault knows."),
    "import": Entry("hearth.cli.import_", "import_", "Take in an export."),
    "serve": Entry("hearth.cli.serve", "serve", "Serve the memory by REST and MCP, and answer hooks."),
    "mcp": Entry("hearth.cli.mcp", "mcp", "Serve the memory to an agent (MCP)."),
    "completion": Entry("hearth.cli.completion", "completion", "Print a shell completion script."),
    "bench": Entry("hearth.cli.bench", "bench", "Measure recall on notes whose answers are known."),
    "version": Entry("hearth.cli.version", "version", "Print the versions of Hearth and Python."),
}

cli: LazyGroup = root(COMMANDS)
