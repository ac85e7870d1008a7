"""``mine``: conversations from files, folders and archives, each recognised by what it holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from hearth.core.errors import HearthError, UsageError
from hearth.core.lazy import dataclass
from hearth.importers import formats_agents, formats_chats, formats_databases, formats_hosts, formats_text
from hearth.importers.conversations import ConversationFiles
from hearth.importers.formats import Format, Reading, SourceFile, recognize
from hearth.importers.sources import find_files, read_head

FORMATS: tuple[Format, ...] = (
    *formats_hosts.FORMATS,
    *formats_agents.FORMATS,
    *formats_databases.FORMATS,
    *formats_chats.FORMATS,
    *formats_chats.SLACK,
    *formats_text.FORMATS,
)
NOT_A_CONVERSATION = "not a conversation"
_NO_FORMAT = f"{NOT_A_CONVERSATION} in a format known here; WhatsApp and Telegram go through hearth import"
# What a reader may raise for a file that only looks like its format: one bad file stops no other.
_BAD_FILE = (HearthError, OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError)
HOST_FOLDERS: tuple[tuple[str, str], ...] = (
    ("Claude Code", ".claude/projects"),
    ("Codex", ".codex/sessions"),
    ("Codex", ".codex/archived_sessions"),
    ("OpenClaw", ".openclaw/agents"),
    ("pi", ".pi/agent/sessions"),
    ("Gemini CLI", ".gemini/tmp"),
    ("OpenCode", ".local/share/opencode/opencode.db"),
    ("Qwen Code", ".qwen/projects"),
    ("Hermes", ".hermes/state.db"),
    ("Cursor", ".cursor/projects"),
    ("Cursor", ".config/Cursor/User/globalStorage/state.vscdb"),
    ("Cursor", "Library/Application Support/Cursor/User/globalStorage/state.vscdb"),
    ("Copilot CLI", ".copilot/session-state"),
    ("Cline", ".cline/data/sessions"),
    ("Cline", ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks"),
    ("Zed", ".local/share/zed/threads/threads.db"),
    ("Zed", "Library/Application Support/Zed/threads/threads.db"),
)
"""Where programs keep their transcripts, below the home folder."""


def find_format(name: str) -> Format:
    """Raises ``UsageError``."""
    found = next((one for one in FORMATS if one.name == name), None)
    if found is None:
        raise UsageError(f"no format {name[:40]!r}; choose among: {', '.join(one.name for one in FORMATS)}")
    return found


def find_host_folders(home: Path) -> list[tuple[str, Path]]:
    """Those of hosts that are here."""
    return [(host, place) for host, name in HOST_FOLDERS if (place := home / name).exists()]


@dataclass(frozen=True, slots=True)
class Miner:
    """Calls ``seen`` after each file with the number of files so far. Ends after the present conversation once it
    ``is_stopped``."""

    files: ConversationFiles
    reading: Reading
    format: Format | None = None
    seen: Callable[[int], None] = lambda done: None
    is_stopped: Callable[[], bool] = lambda: False

    def mine(self, paths: Sequence[Path]) -> None:
        """Takes in what the paths hold. Raises ``NotFound`` for a path that is not there, ``UsageError`` for one file
        that may be of several formats."""
        report = self.reading.report
        for path in paths:
            files = find_files(path, report.skip)
            for form, group in self._gather(self._sort(files, is_single=path.is_file())):
                self._read(form, group)
        self.files.run.flush()

    def _sort(self, files: Iterator[SourceFile], *, is_single: bool) -> Iterator[tuple[Format, SourceFile]]:
        for number, file in enumerate(files, 1):
            if self.is_stopped():
                return
            self.seen(number)
            try:
                form = self.format or recognize(read_head(file), FORMATS)
            except UsageError as error:
                if is_single and file.place is not None:
                    raise UsageError(f"{file.name} {error.said}") from error
                self.reading.report.skip("of more than one format", file.name, error.said)
                continue
            except _BAD_FILE as error:
                self.reading.report.skip("can't be read", file.name, str(error))
                continue
            if form is None:
                place = file.name if is_single and file.place else None
                self.reading.report.skip(NOT_A_CONVERSATION, place, _NO_FORMAT)
            else:
                yield form, file

    def _gather(self, files: Iterator[tuple[Format, SourceFile]]) -> Iterator[tuple[Format, list[SourceFile]]]:
        """Each file for itself, but those of one folder together where conversations go across them."""
        group: list[SourceFile] = []
        before: tuple[str, str] | None = None
        form: Format | None = None
        for new, file in files:
            key = (new.name, file.name.rpartition("/")[0])
            if group and form is not None and key != before:
                yield form, group
                group = []
            if not new.gathers:
                yield new, [file]
                continue
            group.append(file)
            form, before = new, key
        if group and form is not None:
            yield form, group

    def _read(self, form: Format, group: Sequence[SourceFile]) -> None:
        try:
            for found in form.read(group, self.reading):
                if self.is_stopped():
                    return
                self.files.keep(found)
        except _BAD_FILE as error:
            why = error.said if isinstance(error, HearthError) else f"{type(error).__name__}: {error}"
            self.reading.report.skip("could not be read", group[0].name, why)
