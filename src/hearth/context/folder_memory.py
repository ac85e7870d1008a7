"""What memory says of a folder: the lines of the block in its CLAUDE.md."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from hearth.context.notes import Notes, examined, may_decide
from hearth.core.document import EXTERNAL, INTERNAL, TEAM, Document, Redacted
from hearth.core.instants import DAY_MS, show_date
from hearth.core.lazy import dataclass, regex
from hearth.core.query import Hit
from hearth.core.session import Session
from hearth.guard.fence import line
from hearth.ports import StoredDocument
from hearth.text.lines import cut_line, estimate_tokens
from hearth.vault.validity import may_rule
from hearth.vault.vault import Vault

TOKENS = 300
"""Of the whole block, markers included."""
_MARKER_TOKENS = 24
_DAYS = 30
_DECISIONS = 5
_PITFALLS = 5
_SESSIONS = 3
_LOOKED_AT = 100
_CHARS = 200
_BRIEF = 8
"""Characters of a docid, enough for a million documents."""
_NAME_CHARS = 4
"""A shorter folder name may be any word."""
_FEW_FOLDERS = 3
"""The decisions of a session are about the folders it changed, if it changed at most so many."""
_TITLE = "## From memory (Hearth)"
# What makes Claude Code include a file, and what begins or ends a comment.
_INCLUSION = regex(r"(?<![^\s(*_~])@(?=\S)")
_COMMENT = regex(r"<!--|-->")


@dataclass(frozen=True, slots=True)
class FolderSession:
    """``files`` are those it changed, relative to the project's folder."""

    session: Session
    said: str
    files: frozenset[str]

    @property
    def folders(self) -> frozenset[str]:
        return frozenset(_parent(name) for name in self.files)


@dataclass(frozen=True, slots=True)
class ProjectMemory:
    """Decisions of the last 30 days, what to avoid, and sessions of one project, the newest first."""

    decisions: tuple[Hit, ...]
    pitfalls: tuple[Hit, ...]
    sessions: tuple[FolderSession, ...]
    of_session: dict[str, str]

    def find_folders(self, session: str | None = None) -> list[str]:
        """The folders whose files sessions, or the given session, changed; the root is empty."""
        chosen = [one for one in self.sessions if session in (None, one.session.id)]
        return sorted({folder for one in chosen for folder in one.folders})


def read_project(vault: Vault, notes: Notes, root: str) -> ProjectMemory:
    """``root`` is the folder of the project."""
    since = vault.clock() - _DAYS * DAY_MS
    project = notes.project(root)
    inside = {one.name for one in vault.collections if PurePosixPath(one.root).is_relative_to(root)}

    def find(kind: str, allowed: Callable[[Document], bool], since: int | None) -> Iterator[StoredDocument]:
        for stored in notes.find((kind,), root, since=since):
            document = stored.document
            own = document.collection in inside or (project is not None and document.facts.get("project") == project)
            if own and document.trust != EXTERNAL and allowed(document) and document.status in (None, "", "accepted"):
                yield stored

    decisions, origins = _read(notes, find("decision", may_decide, since))
    pitfalls, more = _read(notes, find("antipattern", may_rule, None))
    sessions = tuple(_find_sessions(vault, project, root, since))
    return ProjectMemory(decisions, pitfalls, sessions, origins | more)


def render(memory: ProjectMemory, folder: str, redact: Callable[[str], Redacted]) -> str:
    """The body of a folder's block, at most 300 tokens with its markers; empty if there is nothing to say."""
    sections = [
        ("Decisions:", [_say_hit(hit) for hit in _about(memory, memory.decisions, folder)[:_DECISIONS]]),
        ("To avoid:", [_say_hit(hit) for hit in _about(memory, memory.pitfalls, folder)[:_PITFALLS]]),
        ("Sessions:", [_say_session(one) for one in memory.sessions if folder in one.folders][:_SESSIONS]),
    ]
    while any(rows for _, rows in sections):
        parts = [_TITLE, *("\n".join([head, *rows]) for head, rows in sections if rows)]
        text = redact("\n\n".join(parts)).text
        if estimate_tokens(text) + _MARKER_TOKENS <= TOKENS:
            return text
        next(rows for _, rows in reversed(sections) if rows).pop()
    return ""


def _read(notes: Notes, found: Iterable[StoredDocument]) -> tuple[tuple[Hit, ...], dict[str, str]]:
    """What may be shown, newest first, and the session of each."""
    newest = sorted(found, key=lambda stored: stored.document.newest_first)[:_LOOKED_AT]
    hits = [hit for stored in newest if (hit := notes.whole(stored)) is not None]
    origins = {one.document.docid: one.document.facts.get("session") or "" for one in newest}
    return tuple(shown.hit for shown in examined(hits) if not shown.warnings), origins


def _find_sessions(vault: Vault, project: str | None, root: str, since: int) -> Iterator[FolderSession]:
    if project is None:
        return
    for session in vault.sessions.recent(_LOOKED_AT, project, empty=False):
        if session.last < since:
            continue
        names = (_relative(name, root) for name in vault.sessions.get(session.id).files)
        files = frozenset(name for name in names if name is not None)
        if files:
            yield FolderSession(session, session.summary or _title(vault, session.conversation), files)


def _title(vault: Vault, docid: str | None) -> str:
    with vault.store.read() as reader:
        stored = reader.document(docid) if docid else None
    return "" if stored is None or stored.state.hidden else stored.document.title


def _relative(name: str, root: str) -> str | None:
    """A file's name below the root; ``None`` if it lies elsewhere, or in a hidden or generated folder."""
    path = PurePosixPath(root, name)
    if ".." in path.parts or not path.is_relative_to(root):
        return None
    below = path.relative_to(root)
    hidden = any(part.startswith(".") or part in ("node_modules", "__pycache__") for part in below.parts[:-1])
    return None if hidden or not below.name else below.as_posix()


def _parent(name: str) -> str:
    found = PurePosixPath(name).parent.as_posix()
    return "" if found == "." else found


def _about(memory: ProjectMemory, hits: Sequence[Hit], folder: str) -> list[Hit]:
    """What names the folder or a file in it, then what sessions decided that changed little else; at the root all."""
    if not folder:
        return list(hits)
    names = {PurePosixPath(name).name for one in memory.sessions for name in one.files if _parent(name) == folder}
    about = [hit for hit in hits if _names(f"{hit.title}\n{hit.text}", folder, names)]
    near = {one.session.id for one in memory.sessions if folder in one.folders and len(one.folders) <= _FEW_FOLDERS}
    rest = [hit for hit in hits if hit not in about and memory.of_session.get(hit.docid) in near]
    return [*about, *rest]


def _names(text: str, folder: str, files: Iterable[str]) -> bool:
    last = PurePosixPath(folder).name
    words = [folder, *files, *([last] if len(last) >= _NAME_CHARS else [])]
    return any(re.search(rf"(?<![\w/-]){re.escape(word)}(?![\w-])", text, re.IGNORECASE) for word in words)


def _say_hit(hit: Hit) -> str:
    """The first line of a memory, or a note's title."""
    rows = [row.strip().lstrip("#").strip() for row in hit.text.splitlines()] if hit.collection == INTERNAL else []
    line = next(filter(None, rows), hit.title)
    by = f" ({_clean(hit.author or 'team')})" if hit.trust == TEAM else ""
    day = f"{show_date(hit.authored_at)}: " if hit.authored_at is not None else ""
    return f"- {day}{_clean(line)}{by} (#{hit.docid[:_BRIEF]})"


def _say_session(one: FolderSession) -> str:
    summary = f": {_clean(one.said)}" if one.said else ""
    names = ", ".join(sorted(PurePosixPath(name).name for name in one.files)[:3])
    return f"- {show_date(one.session.last)}{summary or f': changed {_clean(names)}'}"


def _clean(text: str) -> str:
    """One line that neither includes a file nor ends a comment."""
    return cut_line(_COMMENT.sub(" ", _INCLUSION.sub("@ ", line(text))), _CHARS)
