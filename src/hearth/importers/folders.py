"""Folders that stay where they are: agents' workspaces, hosts' own memory, context files, vaults of notes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from hearth.core.errors import HearthError
from hearth.core.lazy import regex
from hearth.disk.project import list_notes
from hearth.importers.formats import parse_object
from hearth.importers.records import Folder, Format, Found, Options, Record
from hearth.importers.values import read_json, read_text
from hearth.markdown import frontmatter
from hearth.markdown.origins import adopt

WORKSPACE, CLAUDE, CODEX, CONTEXT, BASIC, OBSIDIAN = (
    "workspace",
    "claude-code",
    "codex",
    "context",
    "basic-memory",
    "obsidian",
)
_DAY = regex(r"\d{4}-\d{2}-\d{2}(?:[-.].*)?\.md\Z")
_RECALLS = ("memory/.dreams/short-term-recall.json", ".dreams/short-term-recall.json")
_PAGES = ("MEMORY.md", "memory.md", "USER.md", "memory/MEMORY.md")
_SOULS = ("SOUL.md", "IDENTITY.md", "TOOLS.md", "HEARTBEAT.md", "BOOTSTRAP.md")
_CODEX_PAGES = frozenset({"memory_summary.md", "raw_memories.md", "rollout_summaries"})
CONTEXT_FILES = (
    "CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md", "QWEN.md",
    ".cursorrules", ".windsurfrules", ".github/copilot-instructions.md",
)  # fmt: skip
RULE_FOLDERS = (
    ".cursor/rules",
    ".claude/rules",
    ".windsurf/rules",
    ".clinerules",
    ".github/instructions",
    ".roo/rules",
)
_LOOKED_AT = 200
_HEAD_LINES = 40
_OBSERVATION = regex(r"^[ \t]*- \[[^\]\[\n ][^\]\n]*\] \S")
_RELATION = regex(r"^[ \t]*- [^\[\n]{1,60} \[\[[^\]\n]+\]\]")


# -- agents' workspaces --------------------------------------------------------------------------------------------


def measure_workspace(place: Path) -> float:
    """By the pages of an agent beside a folder of days; a vault of notes may have one or the other."""
    if not place.is_dir():
        return 0.0
    pages = sum((place / name).is_file() for name in _PAGES)
    days = any(_DAY.match(name) for name in _names(place / "memory"))
    souls = any((place / name).is_file() for name in _SOULS)
    if (place / _RECALLS[0]).is_file():
        return 0.95
    return 0.9 if pages and (days or souls) else 0.0


def read_workspace(place: Path, options: Options) -> Iterator[Found]:
    """Pages and days; how often each answered is taken over by dreaming from where the agent counts it."""
    pattern = ",".join((*(f"{name}.md" for name in ("MEMORY", "memory", "USER", "DREAMS")), "memory/**/*.md"))
    name = place.name.lstrip(".") or WORKSPACE
    yield Folder(name, place, pattern, trust="agent", is_copied=True)
    for entry in _read_recalls(place):
        path = entry.get("path")
        label = f"{path}#L{entry.get('startLine')}"
        if not isinstance(path, str) or not (place / path).is_file():
            yield Record("recall statistics", label, skipped="its file is not there")
        else:
            yield Record("recall statistics", label, skipped="left to dreaming, which takes them over")


def _read_recalls(place: Path) -> Iterator[dict[str, Any]]:
    for path in _RECALLS:
        with suppress(HearthError):
            found = read_json(place / path) if (place / path).is_file() else {}
            rows = found.get("entries", found) if isinstance(found, dict) else {}
            yield from (row for row in rows.values() if isinstance(row, dict)) if isinstance(rows, dict) else ()


# -- hosts' own memory ---------------------------------------------------------------------------------------------


def measure_claude(place: Path) -> float:
    return 1.0 if next(_list_claude(place), None) is not None else 0.0


def read_claude(place: Path, options: Options) -> Iterator[Found]:
    """Claude Code's memory of each project, read where it stands and never written."""
    names: set[str] = set()
    for folder in _list_claude(place):
        project = _find_project(folder.parent) if folder.name == "memory" else ""
        kept = folder.parent.name.strip("-") if folder.name == "memory" else f"agent-{folder.name}"
        name = f"claude-{Path(project).name or kept}-memory"
        if name in names:  # another project of that name
            name = f"claude-{kept}-memory"
        names.add(name)
        yield Folder(name, folder, trust="agent", projects=(project,) if project else ())


def _list_claude(place: Path) -> Iterator[Path]:
    """Folders of memories in it: itself, of a project, or of all projects."""
    candidates = [place, place / "memory"]
    for root in (place, place / "projects"):
        candidates += [root / name / "memory" for name in _names(root)]
    for root in (place / name for name in ("agent-memory", "agent-memory-local")):
        candidates += [root / name for name in _names(root)]
    for folder in candidates:
        is_memory = folder.name == "memory" or folder.parent.name.startswith("agent-memory")
        if is_memory and folder.is_dir() and _holds_claude(folder):
            yield folder


def _holds_claude(folder: Path) -> bool:
    for file in islice(folder.glob("*.md"), _LOOKED_AT):
        with suppress(HearthError):
            head = frontmatter.split(read_text(file))
            if head.fields.get("name") and "content_type" in adopt(head.fields, ""):
                return True
    return False


def _find_project(folder: Path) -> str:
    """The folder that a project's transcripts name: the name of their own can't be turned back."""
    for file in islice(sorted(folder.glob("*.jsonl")), 3):
        with suppress(OSError), file.open(encoding="utf-8", errors="replace") as lines:
            for line in islice(lines, _HEAD_LINES):
                if '"cwd"' in line[:4_000]:
                    told = (parse_object(line) or {}).get("cwd")
                    if isinstance(told, str) and told.startswith("/"):
                        return told
    return ""


def measure_codex(place: Path) -> float:
    return 1.0 if _find_codex(place) is not None else 0.0


def read_codex(place: Path, options: Options) -> Iterator[Found]:
    folder = _find_codex(place)
    if folder is not None:
        yield Folder("codex-memory", folder, trust="agent")


def _find_codex(place: Path) -> Path | None:
    for folder in (place, place / "memories"):
        if len(_CODEX_PAGES.intersection(_names(folder))) >= 2:
            return folder
    return None


# -- what hosts load as instructions -------------------------------------------------------------------------------


def measure_context(place: Path) -> float:
    if place.is_file():
        return 0.6 if place.name in {Path(name).name for name in CONTEXT_FILES} else 0.0
    if not place.is_dir():
        return 0.0
    return 0.6 if _list_context(place) else 0.0


def read_context(place: Path, options: Options) -> Iterator[Found]:
    """Instructions in a project's folder as the collection ``context``."""
    root = place.parent if place.is_file() else place
    rules = [f"{folder}/**/*" for folder in RULE_FOLDERS if (root / folder).is_dir()]
    yield Folder(CONTEXT, root, ",".join((*CONTEXT_FILES, *rules)))


def _list_context(root: Path) -> list[str]:
    named = [name for name in CONTEXT_FILES if (root / name).is_file()]
    return named + [folder for folder in RULE_FOLDERS if (root / folder).is_dir()]


# -- vaults of notes -----------------------------------------------------------------------------------------------


def measure_basic(place: Path) -> float:
    """By notes with its permalinks, observations and relations."""
    found = sum(_is_basic(file) for file in islice(list_notes(place), _LOOKED_AT))
    return min(0.85, 0.6 + found / 20) if found else 0.0


def _is_basic(file: Path) -> bool:
    try:
        text = read_text(file)
    except HearthError:
        return False
    head = frontmatter.split(text)
    rows = text[head.end_char :].split("\n")
    return "permalink" in head.fields and any(_OBSERVATION.match(row) or _RELATION.match(row) for row in rows)


def read_basic(place: Path, options: Options) -> Iterator[Found]:
    yield Folder(place.name or BASIC, place)


def measure_obsidian(place: Path) -> float:
    return 0.8 if (place / ".obsidian").is_dir() else 0.0


def read_obsidian(place: Path, options: Options) -> Iterator[Found]:
    yield Folder(place.name or OBSIDIAN, place)


def _names(folder: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in folder.iterdir())
    except OSError:
        return []


FORMATS = (
    Format(CLAUDE, "Claude Code's memory", measure_claude, read_claude),
    Format(CODEX, "Codex' memory", measure_codex, read_codex),
    Format(WORKSPACE, "an agent's workspace", measure_workspace, read_workspace),
    Format(BASIC, "basic-memory", measure_basic, read_basic),
    Format(OBSIDIAN, "an Obsidian vault", measure_obsidian, read_obsidian),
    Format(CONTEXT, "instructions for agents", measure_context, read_context),
)
