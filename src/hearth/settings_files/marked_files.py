"""Our blocks in people's files, and our own files beside theirs; what somebody edited is left alone."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from hearth.core.errors import Conflict, Unavailable
from hearth.core.files import locked, sync_folder, write_atomically
from hearth.markdown.marked_blocks import BlockLeft, FileEdit, Marks, is_signed, put, sign, take_out

MAX_BYTES = 4 * 1024 * 1024
INSTRUCTION_FILES = ("CLAUDE.md", "AGENTS.md")
"""What agents read in a project's folders."""
_WAIT_SECONDS = 10.0
_FILE_MODE = 0o644


def find_instruction_file(folder: Path) -> Path:
    """CLAUDE.md, unless only AGENTS.md exists."""
    there = (folder / name for name in INSTRUCTION_FILES if (folder / name).exists())
    return next(there, folder / INSTRUCTION_FILES[0])


def edit_block(file: Path, marks: Marks, body: str | None, lock: Path, *, dry_run: bool = False) -> FileEdit:
    """Puts a block into a file, or removes it if ``body`` is ``None``; a file that held nothing else is deleted. Raises
    ``Unavailable`` and ``Conflict``, and leaves the file unchanged then."""

    def edit(before: str | None) -> str | None:
        if body is not None:
            return put(before, marks, body)
        return None if before is None else take_out(before, marks)

    return _edit(file, edit, lock, removes=body is None, dry_run=dry_run)


def edit_own_file(file: Path, text: str | None, lock: Path, *, dry_run: bool = False) -> FileEdit:
    """Writes a file of ours, or deletes it if ``text`` is ``None``, unless it was edited. Raises as ``edit_block``."""

    def edit(before: str | None) -> str | None:
        if before is not None and not is_signed(before):
            raise BlockLeft("it was edited or is not Hearth's; delete it to have it written anew")
        return None if text is None else sign(text)

    return _edit(file, edit, lock, removes=text is None, dry_run=dry_run)


def remove_empty_folders(folder: Path, keep: Path) -> None:
    """Removes a folder and those above it while they are empty, up to ``keep``, which stays."""
    while folder != keep and keep in folder.parents:
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent


def _edit(
    file: Path, edit: Callable[[str | None], str | None], lock: Path, *, removes: bool, dry_run: bool
) -> FileEdit:
    with suppress(OSError, RuntimeError):  # a link in a circle fails when it is read
        file = file.resolve()
    with locked(lock, wait=_WAIT_SECONDS):
        data = _read(file)
        before = None if data is None else data.decode("utf-8", "surrogateescape")
        try:
            if before is not None and "\0" in before:
                raise BlockLeft("it is not text in UTF-8")
            after = edit(before)
        except BlockLeft as error:
            return FileEdit(file, "left", before, before, str(error))
        if after == before:
            return FileEdit(file, "unchanged", before, after)
        if not dry_run:
            _write(file, data, after)
        return FileEdit(file, "removed" if removes else "written", before, after)


def _write(file: Path, former: bytes | None, text: str | None) -> None:
    if _read(file) != former:
        raise Conflict(f"{file}: another program just wrote it; run the command again")
    if text is not None:
        write_atomically(file, text.encode("utf-8", "surrogateescape"), mode=_FILE_MODE)
        return
    try:
        file.unlink(missing_ok=True)
        sync_folder(file.parent)
    except OSError as error:
        raise Unavailable(f"can't delete {file}: {error.strerror}; check permissions") from error


def _read(file: Path) -> bytes | None:
    try:
        if file.stat().st_size > MAX_BYTES:
            raise Unavailable(f"{file} is over {MAX_BYTES // 1024**2} MiB; nothing was changed")
        return file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unavailable(f"can't read {file}: {error.strerror}; check its permissions") from error
