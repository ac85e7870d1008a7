"""Writes the blocks of folders' memory into their CLAUDE.md, and picks the folders of a project that get one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from hearth.context.folder_memory import ProjectMemory, read_project, render
from hearth.context.notes import Notes
from hearth.core.errors import HearthError, UsageError
from hearth.core.paths import folders, home
from hearth.disk.project import project_of
from hearth.markdown.marked_blocks import CONTEXT, FileEdit
from hearth.memory.session_log import of_session
from hearth.settings_files.marked_files import INSTRUCTION_FILES, edit_block, find_instruction_file
from hearth.vault.vault import Vault

_MOST_FOLDERS = 200


def update_folders(vault: Vault, folder: str, *, session: str | None = None, dry_run: bool = False) -> list[FileEdit]:
    """Updates a folder and those below it that sessions changed, or the project's folders that ``session`` changed. A
    folder with nothing to say loses its block.

    Raises ``UsageError`` outside a project. The edit of a file that failed says why."""
    found = project_of(folder, home(os.environ))
    if found is None:
        raise UsageError(f"{folder} is in no project; name a folder inside one")
    root, here = Path(found.root), Path(os.path.realpath(folder))
    notes = Notes(vault, lambda cwd: None if cwd is None else vault.sessions.project_of(cwd))
    memory = read_project(vault, notes, str(root))
    lock = Path(folders(os.environ).state, "setup.lock")
    edits: list[FileEdit] = []
    named = None if session is None else of_session(session)
    for relative in _find_folders(memory, root, here, named)[:_MOST_FOLDERS]:
        place = root / relative
        file = find_instruction_file(place)
        if not _is_inside(place, root) or not _is_inside(file, root):
            edits.append(FileEdit(file, "left", reason="it leads out of the project"))
            continue
        body = render(memory, relative, vault.core.redact) or None
        try:
            edit = edit_block(file, CONTEXT, body, lock, dry_run=dry_run)
        except HearthError as error:
            edit = FileEdit(file, "left", reason=error.said)
        edits.append(edit)
    return edits


def _find_folders(memory: ProjectMemory, root: Path, here: Path, session: str | None) -> list[str]:
    touched = memory.find_folders(session)
    if session is not None:
        return [one for one in touched if (root / one).is_dir()]
    asked = "" if here == root else here.relative_to(root).as_posix()
    below = [one for one in touched if (root / one).is_dir() and (root / one).is_relative_to(here)]
    return list(dict.fromkeys([asked, *below, *_find_written(here, root)]))


def _find_written(here: Path, root: Path) -> Iterator[str]:
    """Folders with a block from before, which may have nothing to say now."""
    for folder, inner, names in os.walk(here):
        inner[:] = [name for name in inner if not name.startswith(".") and name != "node_modules"]
        for name in INSTRUCTION_FILES:
            if name in names and f"<!-- {CONTEXT.begin}" in _read(Path(folder, name)):
                place = Path(folder).relative_to(root).as_posix()
                yield "" if place == "." else place


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _is_inside(path: Path, root: Path) -> bool:
    try:
        return path.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError):  # a link in a circle
        return False
