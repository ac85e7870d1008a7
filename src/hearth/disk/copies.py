"""Copies that sync conflicts leave: which say nothing of their own, and what one of a file that grows adds to it: of a
day, by paragraphs, of an entity, by lines."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from pathlib import Path

from hearth.core.conflict import (
    grows,
    is_day,
    is_memory,
    likely_original_of,
    original_of,
    shorter_names,
    tells_of_conflict,
)
from hearth.core.document import FileState
from hearth.core.lazy import dataclass, regex

LEFT = "copy left by a sync conflict"
_TIME = regex(rb"##[ \t]+\d{1,2}:\d{2}[ \t\r]*")
_FENCE = regex(rb"[ ]{0,3}(?:```|~~~)")
_HEAD_END = regex(rb"^---[ \t\r]*\n", re.MULTILINE)
_IDENTITY = regex(rb"^id:[ \t]*[\"']?([0-9a-z]{16})[\"']?[ \t\r]*$", re.MULTILINE)
_NO_BREAK = regex(rb"[^\r\n]")
# Of the paragraphs of the smaller file; two notes of one template share less.
_ALIKE = 0.5


def settle(root: str, files: dict[str, FileState], *, ours: bool) -> Iterator[tuple[str, str]]:
    """Takes out of ``files`` each copy that adds nothing, and gives its path and why. One of a file that grows
    that does has a state that changes with those of the files before it, which decide what is read of it."""
    listed = dict(files)
    for original, copies in _copies(root, listed, ours=ours).items():
        for path in copies:
            if ours and grows(original):
                before = [
                    name
                    for name in (original, *copies)
                    if name in listed and _rank(name, original) < _rank(path, original)
                ]
                if _adds(root, path, original, listed[path]):
                    files[path] = _join(listed[path], [listed[name] for name in before])
                else:
                    del files[path]
                    yield path, f"{LEFT}; {'its day' if is_day(original) else 'the other'} contains all of it"
            elif ours and path != _choose_copy(original, copies, listed):
                del files[path]
                yield path, LEFT
            elif not ours and original in listed and _is_same(root, listed[path], listed[original]):
                del files[path]
                yield path, f"{LEFT}, the same as its original"


def _copies(root: str, listed: Mapping[str, FileState], *, ours: bool) -> dict[str, list[str]]:
    """Original -> its copies."""
    found: dict[str, list[str]] = {}
    # Where no name has one of the words of sync programs, as in most vaults, none is taken apart.
    original_by_words = original_of if tells_of_conflict("\0".join(listed)) else None
    for path in listed:
        if ours:
            original = _find_original(root, path, listed.__contains__)
        else:
            original = original_by_words(path) if original_by_words is not None else None
            original = original or likely_original_of(path)
        if original is not None:
            found.setdefault(original, []).append(path)
    return found


def _choose_copy(original: str, copies: Iterable[str], listed: Container[str]) -> str | None:
    """Which file of a memory is read: itself, else the first of its copies, which tells what the memory says. Of other
    files that do not grow no copy is."""
    if original in listed or not is_memory(original):
        return original
    return min(copies, key=lambda path: (len(path), path))


def _find_original(root: str, path: str, is_there: Callable[[str], bool]) -> str | None:
    """Of a file below the engine's folder: by its name, and where names can't tell by the id that both files name."""
    original = original_of(path, ours=True)
    if original is not None:
        return original
    shorter = [name for name in shorter_names(path) if is_there(name)]
    identity = _id_in(root, path) if shorter else None
    return next((name for name in shorter if identity is not None and _id_in(root, name) == identity), None)


def _id_in(root: str, path: str) -> bytes | None:
    try:
        data = Path(root, path).read_bytes()
    except OSError:
        return None
    found = _IDENTITY.search(data, 0, _end_of_head(data))
    return None if found is None else found[1]


def read_beside(root: str, path: str, data: bytes) -> bytes:
    """What ``data``, which stands in ``path`` of the engine's folder, adds to its day or entity: what the files before
    it hold, of a day under the same time, becomes blanks, so that lines and bytes keep their places. Any other file as
    it is. Raises ``OSError``."""
    original = _find_original(root, path, lambda name: Path(root, name).is_file())
    if original is None or not grows(original):
        return data
    seen = _read_earlier_copies(root, path, original)
    parts = list(_parts(data, items=not is_day(original)))
    kept = {part.time for part in parts if not part.is_heading and part.key not in seen}
    for part in parts:
        if part.time not in kept if part.is_heading else part.key in seen and not part.is_title:
            data = data[: part.start] + _NO_BREAK.sub(b" ", data[part.start : part.end]) + data[part.end :]
    return data


def find_likely(root: str, files: Mapping[str, FileState]) -> Iterator[str]:
    """People's files that are copies by their names and by what they hold, where the name alone could mean something
    else."""
    for path, file in files.items():
        original = files.get(likely_original_of(path) or "")
        if original is not None and _is_alike(root, file, original):
            yield path


@dataclass(frozen=True, slots=True)
class _Part:
    """A paragraph of a file that grows, and the time that it stands under; or that heading, with an empty ``text``."""

    time: bytes
    text: bytes
    start: int
    end: int

    @property
    def key(self) -> tuple[bytes, bytes]:
        return self.time, self.text

    @property
    def is_heading(self) -> bool:
        return not self.text

    @property
    def is_title(self) -> bool:
        return self.text.startswith(b"# ") and b"\n" not in self.text


def _parts(data: bytes, *, items: bool = False) -> Iterator[_Part]:
    """Without the frontmatter; with ``items`` each of a list is one."""
    at = _end_of_head(data)
    time, start, fenced = b"", at, False
    lines: list[bytes] = []
    for line in (*data[at:].splitlines(keepends=True), b""):
        heading = not fenced and _TIME.fullmatch(line.rstrip(b"\n")) is not None
        ends = not fenced and (not line.strip() or (items and line.startswith(b"- ")))
        if lines and (heading or not line or ends):
            yield _Part(time, b"\n".join(part.rstrip() for part in lines), start, at)
            lines = []
        if heading:
            time = line.strip()
            yield _Part(time, b"", at, at + len(line))
        elif line.strip() or (lines and fenced):
            start = start if lines else at
            lines.append(line)
            fenced ^= _FENCE.match(line) is not None
        at += len(line)


def _end_of_head(data: bytes) -> int:
    found = _HEAD_END.search(data, 4) if data.startswith((b"---\n", b"---\r\n")) else None
    return 0 if found is None else found.end()


def _adds(root: str, path: str, original: str, file: FileState) -> bool:
    """Whether a copy of a file that grows holds anything of its own; in doubt it does."""
    try:
        seen = _read_earlier_copies(root, path, original)
        parts = _parts(_bytes(root, file), items=not is_day(original))
        return any(part.key not in seen for part in parts if not part.is_heading)
    except OSError:
        return True


def _read_earlier_copies(root: str, path: str, original: str) -> set[tuple[bytes, bytes]]:
    """What the files of the day or entity hold that come before ``path``: the original, then copies by name."""
    folder, stem = path.rpartition("/")[0], original.removesuffix(".md")
    names = (f"{folder}/{entry.name}" for entry in os.scandir(Path(root, folder)) if entry.is_file())
    # Whatever is a copy begins as its original does.
    near = {name for name in names if name.startswith(stem) and name.endswith(".md")}
    group = [name for name in near if name == original or _find_original(root, name, near.__contains__) == original]
    items = not is_day(original)
    before = (name for name in group if _rank(name, original) < _rank(path, original))
    read = (_parts(Path(root, name).read_bytes(), items=items) for name in before)
    return {part.key for parts in read for part in parts}


def _rank(name: str, original: str) -> tuple[bool, str]:
    return name != original, name


def _join(file: FileState, others: Iterable[FileState]) -> FileState:
    for other in others:
        newest, changed = max(file.mtime_ns, other.mtime_ns), max(file.ctime_ns, other.ctime_ns)
        file = file._replace(mtime_ns=newest, size=file.size + other.size, ctime_ns=changed)
    return file


def _is_alike(root: str, one: FileState, other: FileState) -> bool:
    """Whether two of people's files share most of their paragraphs, as the sides of a conflict do."""
    try:
        first, second = ({part.text for part in _parts(_bytes(root, file))} for file in (one, other))
    except OSError:
        return False
    return len(first & second) > _ALIKE * min(len(first), len(second))


def _is_same(root: str, one: FileState, other: FileState) -> bool:
    try:
        return one.size == other.size and _bytes(root, one) == _bytes(root, other)
    except OSError:
        return False


def _bytes(root: str, file: FileState) -> bytes:
    return Path(root, os.fsdecode(file.disk_path)).read_bytes()
