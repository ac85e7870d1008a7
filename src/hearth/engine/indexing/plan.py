"""The plan of a sync: what to read and what is gone, from two listings. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from hearth.lazy import dataclass
from hearth.model.document import FileState
from hearth.ports import IndexedFile

# Vanishing files: above both limits a collection holds on to what it had (an unmounted disk, an empty sync folder).
HELD_SHARE = 0.5
HELD_COUNT = 20
# A file changed this recently may change again inside one tick of its file system's clock.
SUSPICIOUS_NS = 2_000_000_000
_EMPTY = "the folder is empty"
_GONE = "files are gone"


@dataclass(frozen=True, slots=True)
class SyncPlan:
    """Paths to ``read``; ``gone`` paths were indexed and are not there; ``back`` had vanished and are there again."""

    read: tuple[str, ...]
    gone: tuple[str, ...]
    back: tuple[str, ...]
    unchanged: int


def plan_sync(
    on_disk: Mapping[str, FileState],
    indexed: Mapping[str, IndexedFile],
    now_ns: int,
    *,
    anew: bool = False,
    unreadable: Mapping[str, FileState] = MappingProxyType({}),
) -> SyncPlan:
    """``anew`` has everything read; what was ``unreadable`` and is as it was then is not."""
    read: list[str] = []
    back: list[str] = []
    unchanged = 0
    for path, file in on_disk.items():
        known = indexed.get(path)
        same = unreadable.get(path) == file or (known is not None and known.file == file)
        if anew or not same or abs(now_ns - file.mtime_ns) < SUSPICIOUS_NS:
            read.append(path)
        else:
            unchanged += 1
        if known is not None and known.vanished:
            back.append(path)
    gone = tuple(path for path in indexed if path not in on_disk)
    return SyncPlan(tuple(read), gone, tuple(back), unchanged)


def held(lost: int, indexed: int, *, missing: str | None, empty: bool) -> str | None:
    """Why vanished files must not be retired; ``None`` where retiring them is safe."""
    if missing is not None or not lost:
        return missing
    if empty:
        return _EMPTY
    if lost >= HELD_COUNT and lost > HELD_SHARE * indexed:
        return f"{lost} of {indexed} {_GONE}"
    return None


def may_be_forced(reason: str) -> bool:
    """Whether what is held for a reason may be retired by force: not where the folder can't be read."""
    return reason == _EMPTY or reason.endswith(_GONE)


def release(name: str, reason: str) -> str:
    """What helps where a collection is held for a reason."""
    if may_be_forced(reason):
        return "bring the files back; if they are meant to be gone, run: hearth update --force"
    return f"bring the folder back, or run: hearth collection move {name} PATH, or: hearth collection remove {name}"
