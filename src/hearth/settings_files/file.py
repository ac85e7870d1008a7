"""Settings files of other programs: read as they are, kept beside themselves, replaced whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from hearth.core.errors import ConfigError, Conflict, Unavailable
from hearth.core.files import PRIVATE_FILE, locked, sync_folder, write_atomically
from hearth.core.lazy import dataclass

BOM = b"\xef\xbb\xbf"
MAX_BYTES = 64 * 1024 * 1024
BACKUP = ".before-hearth"
_WAIT_SECONDS = 10.0

# Text of a settings file -> text after the edit; both empty for no file.
Edit = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class FileChange:
    """What an edit did, or would do: ``before`` and ``after`` are texts, ``None`` for no file. ``file`` is the real
    one, behind symlinks; ``backup`` where the former settings are kept, if they are."""

    file: Path
    before: str | None
    after: str | None
    backup: Path | None = None

    @property
    def changed(self) -> bool:
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class Edits:
    """``put`` brings our entries in as they should be, ``strip`` takes them out; both change nothing on their own
    result. ``puts`` are all that may have brought in what is there. ``is_foreign`` tells a file that holds nothing of
    ours, of this kind or another; ``is_blank`` one that holds nothing at all; ``is_ours_alone`` one that holds nothing
    of others."""

    put: Edit
    strip: Edit
    puts: Sequence[Edit]
    is_foreign: Callable[[str], bool]
    is_blank: Callable[[str], bool]
    is_ours_alone: Callable[[str], bool] = lambda text: False


def install(file: Path, edits: Edits, lock: Path, *, private: bool = True, dry_run: bool = False) -> FileChange:
    """Puts our entries in. A file without any becomes the backup as it is, and so does one with something of
    others while there is none; later changes of ours leave that alone.

    Raises what the edits raise, ``ConfigError`` for a file that is no text, ``Conflict`` where somebody else wrote it
    meanwhile, ``Unavailable`` where it can't be read or written. The file is then as before.
    """
    real = _real(file)
    with locked(lock, wait=_WAIT_SECONDS):
        data = _read(real)
        before = _decode(data, file)
        after = edits.put(before or "")
        if after == before:
            return FileChange(real, before, after, _existing(real))
        if dry_run:
            return FileChange(real, before, after)
        if data is not None and before is not None:
            known = _existing(real) is not None or edits.is_ours_alone(before)
            if not known or edits.is_foreign(before):
                _back_up(real, data)
        _write(real, data, after, private)
        return FileChange(real, before, after, _existing(real))


def remove(file: Path, edits: Edits, lock: Path, *, dry_run: bool = False) -> FileChange:
    """Takes our entries out. Where one of ``puts`` turns the backup into the present text, nobody else edited, and the
    backup comes back byte for byte. A file in which nothing is left, and of which there is no backup, is deleted.
    Any other is backed up first, unless it is. Raises as ``install``.
    """
    real = _real(file)
    with locked(lock, wait=_WAIT_SECONDS):
        data = _read(real)
        before = _decode(data, file)
        if before is None or (after := edits.strip(before)) == before:
            return FileChange(real, before, before, _existing(real))
        backup = _existing(real)
        earlier = _text(backup)
        former = _former(backup, earlier, before, edits)
        if former is not None:
            change = FileChange(real, before, _decode(former, real))
        elif backup is None and edits.is_blank(after):
            change = FileChange(real, before, None)
        else:
            if backup is None and data is not None and not dry_run and not edits.is_ours_alone(before):
                backup = _back_up(real, data)
            change = FileChange(real, before, after, backup)
        if not dry_run:
            _carry_out(change, data, former)
        return change


def _back_up(file: Path, data: bytes) -> Path:
    """For its owner alone, also where a backup of another time lies there: settings hold keys, and who may read the
    file today may not be who may tomorrow."""
    backup = Path(f"{file}{BACKUP}")
    if backup.exists():
        backup.chmod(PRIVATE_FILE)
    write_atomically(backup, data)
    return backup


def _carry_out(change: FileChange, data: bytes | None, former: bytes | None) -> None:
    if former is not None:
        _replace(change.file, data, former, private=False)
        _delete(Path(f"{change.file}{BACKUP}"))
    elif change.after is None:
        _check_unchanged(change.file, data)
        _delete(change.file)
        if change.file.parent.name.startswith("."):  # made for this file, where nothing else is in it
            with suppress(OSError):
                change.file.parent.rmdir()
    else:
        _write(change.file, data, change.after, private=False)


def _former(backup: Path | None, earlier: str | None, present: str, edits: Edits) -> bytes | None:
    """The bytes of the backup where they are what is to come back; one with entries of ours in it never is."""
    if backup is None or earlier is None:
        return None
    try:
        untouched = edits.strip(present) == earlier or any(edit(earlier) == present for edit in edits.puts)
        same = edits.strip(earlier) == earlier and untouched
    except (ConfigError, Conflict):
        return None
    return _read(backup) if same else None


def _text(backup: Path | None) -> str | None:
    """A backup that nobody can read is no use, and no obstacle."""
    try:
        return None if backup is None else _decode(_read(backup), backup)
    except (ConfigError, Unavailable):
        return None


def _existing(file: Path) -> Path | None:
    backup = Path(f"{file}{BACKUP}")
    return backup if backup.exists() else None


def _real(file: Path) -> Path:
    try:
        real = file.resolve()
    except (OSError, RuntimeError) as error:  # Python before 3.13 raises the latter for links in a circle
        raise Unavailable(f"can't follow {file}: {error}; correct the link") from error
    if real.is_symlink():  # later ones leave them as they are
        raise Unavailable(f"can't follow {file}: its links go in a circle; correct the link")
    return real


def _read(file: Path) -> bytes | None:
    try:
        size = file.stat().st_size
        if size > MAX_BYTES:
            raise ConfigError(f"{file}: {size:,} bytes; over {MAX_BYTES:,} is not a settings file; nothing was changed")
        return file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unavailable(f"can't read {file}: {error.strerror}; check its permissions") from error


def _decode(data: bytes | None, file: Path) -> str | None:
    if data is None:
        return None
    try:
        return data.removeprefix(BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise ConfigError(f"{file}:{line}:{column}: not UTF-8; save it as UTF-8; nothing was changed") from None


def _write(file: Path, former: bytes | None, text: str, private: bool) -> None:
    mark = BOM if former is not None and former.startswith(BOM) else b""
    _replace(file, former, mark + text.encode("utf-8"), private=private)


def _replace(file: Path, former: bytes | None, data: bytes, *, private: bool) -> None:
    _check_unchanged(file, former)
    write_atomically(file, data, mode=0o600 if private else 0o644)


def _check_unchanged(file: Path, former: bytes | None) -> None:
    if _read(file) != former:
        raise Conflict(f"{file}: another program just wrote it; run the command again")


def _delete(file: Path) -> None:
    try:
        file.unlink(missing_ok=True)
        sync_folder(file.parent)
    except OSError as error:
        raise Unavailable(f"can't delete {file}: {error.strerror}; check permissions") from error
