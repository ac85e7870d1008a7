"""The markdown side of a vault: walking collections and reading files, without ever leaving their roots."""

from __future__ import annotations

import operator
import os
import re
import stat
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hearth.core.document import FileState, normal_path
from hearth.core.errors import ConfigError, Unavailable
from hearth.core.files import is_private
from hearth.core.lazy import dataclass
from hearth.disk.commits import Glance, Signature, find_above, folders_above, is_clone, noted, signature
from hearth.disk.copies import LEFT, read_beside, settle
from hearth.disk.obsidian import FOLDER, ObsidianVault, drawn, vault_above
from hearth.ports import Collection, DailyNotes, Mount, Skipped, Walk

if TYPE_CHECKING:
    import pathspec

MAX_FILE_BYTES = 5 * 1024 * 1024
_MAX_MB = MAX_FILE_BYTES // 2**20
ALL_MARKDOWN = "**/*.md"
# Suffixes of notes that are not markdown.
_OTHER_NOTES = (
    ".mdx", ".mdown", ".mkd", ".mkdn", ".qmd", ".rmd", ".txt", ".text", ".org", ".rst", ".adoc", ".asciidoc", ".wiki",
    ".textile",
)  # fmt: skip
_VENDORED = frozenset({"node_modules", "__pycache__", "site-packages", "venv", "bower_components"})
_MAX_DEPTH = 64
_RULES = frozenset({".git", ".gitignore"})
_MAX_NS = 2**63 - 1


@dataclass
class _Scan:
    """One walk under way. ``places`` decide what it finds, as they were before they were looked at; ``unsure``: some
    could not be read; ``hidden`` are the parts of the pattern that name what is hidden."""

    root: str
    wanted: Callable[[str], bool]
    excluded: Callable[[str], bool]
    inner: frozenset[str]
    ours: bool
    hidden: tuple[str, ...] = ()
    places: list[tuple[str, Signature]] = field(default_factory=list)
    unsure: bool = False
    files: dict[str, FileState] = field(default_factory=dict)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    daily: list[DailyNotes] = field(default_factory=list)
    clones: list[str] = field(default_factory=list)

    def enter(self, vault: ObsidianVault) -> None:
        self.places += ((place, signature(place)) for place in vault.settings)
        if (daily := vault.daily(self.root)) is not None:
            self.daily.append(daily)

    def hides(self, name: str, path: str) -> bool:
        """Whether something is hidden that the pattern does not name itself."""
        if not name.startswith("."):
            return False
        return not any(part == path or part.startswith(f"{path}/") for part in self.hidden)

    def skip(self, path: str, why: str) -> None:
        place = f"{self.root}/{path}"
        self.places.append((place, signature(place)))
        self.skipped.append((path, why))

    def fail(self, path: str, why: str) -> None:
        self.unsure = True
        self.skipped.append((path, why))


@dataclass(frozen=True)
class _Rules:
    """What applies in a folder: git's rules, and those of the Obsidian vault that it lies in."""

    git: _Ignores
    obsidian: ObsidianVault | None

    def below(self, scan: _Scan, folder: str, names: set[str]) -> _Rules:
        obsidian = self.obsidian
        if FOLDER in names and (obsidian is None or obsidian.base != folder):
            obsidian = ObsidianVault(folder)
            scan.enter(obsidian)
        return _Rules(self.git.below(folder, names), obsidian)

    def hide(self, scan: _Scan, path: str, *, folder: bool) -> bool:
        if self.git.hide(path, folder=folder):
            return True
        why = None if self.obsidian is None else self.obsidian.hides(f"{path}/" if folder else path)
        if why is not None:
            scan.left_out[why] += 1
        return why is not None


class DiskFiles:
    """Implements ``ports.Files`` over the local file system. Where nothing changed since, a walk is the last one again;
    ``clock`` gives nanoseconds."""

    def __init__(self, clock: Callable[[], int] = time.time_ns) -> None:
        self._clock = clock
        self._seen: dict[tuple[object, ...], Glance] = {}
        self._merged: dict[str, tuple[tuple[Walk, ...], Walk]] = {}

    def __reduce__(self) -> tuple[type[DiskFiles], tuple[()]]:
        """Another process looks for itself."""
        return DiskFiles, ()

    def walk(self, collection: Collection) -> Walk:
        if collection.mounts:
            return self._walk_mounts(collection)
        chosen = (collection.root, collection.pattern, collection.exclude, collection.inner_roots, collection.origin)
        seen = self._seen.pop(chosen, None)
        if seen is None or not seen.holds():
            now = self._clock()
            walk, scan, states = self._walk(collection)
            if scan is None or scan.unsure:
                return walk
            seen = noted(walk, collection.root, scan.places, states, now)
            if seen is None:
                return walk
        self._seen[chosen] = seen
        return seen.walk

    def _walk_mounts(self, collection: Collection) -> Walk:
        """The folder with what lies elsewhere. Where a project is gone, nothing is believed to be missing from it."""
        there = [mount for mount in collection.mounts if Path(mount.root).is_dir()]
        parts = [self.walk(replace(collection, mounts=())), *(self.walk(_mounted(collection, one)) for one in there)]
        known = self._merged.get(collection.root)
        if known is not None and len(known[0]) == len(parts) and all(map(operator.is_, known[0], parts)):
            return known[1]
        whole, files = parts[0], dict(parts[0].files)
        for mount, part in zip(there, parts[1:], strict=True):
            start = os.fsencode(mount.below)
            files |= {
                f"{mount.below}{path}": file._replace(disk_path=start + file.disk_path)
                for path, file in part.files.items()
            }
        gone = [Path(one.root).parent for one in collection.mounts if not Path(one.root).parent.is_dir()]
        skipped = [
            replace(one, path=f"{mount.below}{one.path}")
            for mount, part in zip(there, parts[1:], strict=True)
            for one in part.skipped
        ]
        missing = next((part.missing for part in parts if part.missing), None)
        merged = replace(
            whole,
            files=files,
            skipped=(*whole.skipped, *skipped),
            missing=missing or (f"{gone[0]}: not there, and it holds memories" if gone else None),
        )
        self._merged[collection.root] = (tuple(parts), merged)
        return merged

    def _walk(self, collection: Collection) -> tuple[Walk, _Scan | None, tuple[FileState, ...]]:
        """The states are those of the files before copies were settled."""
        root = Path(collection.root)
        if (missing := _why_missing(root)) is not None:
            return Walk({}, missing=f"{root}: {missing}"), None, ()
        scan = _Scan(
            root=str(root.resolve()),
            wanted=_wanted(collection.pattern),
            excluded=_matcher(collection.exclude) if collection.exclude else _make_exclusion(collection),
            inner=frozenset(str(Path(inner).resolve()) for inner in collection.inner_roots),
            ours=collection.origin == "engine",
            hidden=tuple(part.strip() for part in collection.pattern.split(",") if part.strip().startswith(".")),
        )
        scan.places += ((place, signature(place)) for place in _rules_above(scan.root))
        rules = _Rules(_Ignores.above(Path(scan.root)), vault_above(scan.root))
        if rules.obsidian is not None:
            scan.enter(rules.obsidian)
        _walk(scan, scan.root, "", rules, 0)
        states = tuple(scan.files.values())
        scan.skipped += settle(scan.root, scan.files, ours=scan.ours)
        skipped = tuple(Skipped(collection.name, path, reason) for path, reason in sorted(scan.skipped))
        daily, clones = tuple(scan.daily), tuple(scan.clones)
        return Walk(scan.files, skipped, left_out=scan.left_out, daily=daily, clones=clones), scan, states

    def read(self, collection: Collection, file: FileState) -> bytes:
        if (found := _split_mounted(collection, file.disk_path)) is not None:
            return self.read(found[0], file._replace(disk_path=found[1]))
        path = _on_disk(collection, file.disk_path)
        # Without a link anywhere the path is real as it is, and the root's need not be asked for.
        if os.path.realpath(path) != path and not _inside(os.path.realpath(collection.root), path):
            raise OSError(0, "link that leaves the collection", path)
        # Without waiting: what was a file when it was listed may be a pipe by now.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            before = os.fstat(handle)
            if not stat.S_ISREG(before.st_mode):
                raise OSError(0, "not a regular file", path)
            if before.st_size > MAX_FILE_BYTES:
                raise OSError(0, f"larger than {_MAX_MB} MB", path)
            data = _bytes(handle, before.st_size + 1)
            after = os.fstat(handle)
        finally:
            os.close(handle)
        if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns) or len(data) != after.st_size:
            raise Unavailable(f"{path} is being written; the next scan reads it again")
        ours = collection.origin == "engine"
        return read_beside(collection.root, os.fsdecode(file.disk_path), data) if ours else data

    def state(self, collection: Collection, disk_path: bytes) -> FileState | None:
        if (found := _split_mounted(collection, disk_path)) is not None:
            state = self.state(*found)
            return None if state is None else state._replace(disk_path=disk_path)
        try:
            status = Path(_on_disk(collection, disk_path)).stat()
        except OSError:
            return None
        return _state(status, disk_path)


def _mounted(collection: Collection, mount: Mount) -> Collection:
    return replace(collection, root=mount.root, mounts=())


def _split_mounted(collection: Collection, disk_path: bytes) -> tuple[Collection, bytes] | None:
    """The collection of the folder elsewhere in which a file lies, and its name there."""
    mount = collection.find_mount(os.fsdecode(disk_path)) if collection.mounts else None
    return None if mount is None else (_mounted(collection, mount), disk_path[len(os.fsencode(mount.below)) :])


def _why_missing(root: Path) -> str | None:
    """Why nothing in the folder can be looked at."""
    try:
        if not stat.S_ISDIR(root.stat().st_mode):
            return "not a folder"
        os.scandir(root).close()
        os.stat(f"{root}/.")  # noqa: PTH116 (a Path drops the dot): who may list a folder may still not enter it
    except OSError as error:
        return error.strerror or str(error)
    return None


def _state(status: os.stat_result, disk_path: bytes) -> FileState:
    """Times are kept within what 64 bits of nanoseconds hold, the years 1677 to 2262: files can claim any."""
    mtime_ns = max(-_MAX_NS, min(status.st_mtime_ns, _MAX_NS))
    return FileState(mtime_ns, status.st_size, min(status.st_ctime_ns, _MAX_NS), disk_path)


def _bytes(handle: int, most: int) -> bytes:
    """What an open file holds, ``most`` bytes at most."""
    data = os.read(handle, most)
    while len(data) < most and (more := os.read(handle, most - len(data))):
        data += more
    return data


def _on_disk(collection: Collection, disk_path: bytes) -> str:
    return f"{collection.root}/{os.fsdecode(disk_path)}"


def _walk(scan: _Scan, folder: str, relative: str, rules: _Rules, depth: int) -> None:
    scan.places.append((folder, signature(folder)))
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        scan.fail(relative or ".", f"folder can't be read: {error.strerror}")
        return
    if depth > _MAX_DEPTH:
        scan.skip(relative, f"deeper than {_MAX_DEPTH} folders")
        return
    names = {entry.name for entry in entries}
    scan.places += ((f"{folder}/{name}", signature(f"{folder}/{name}")) for name in names & _RULES)
    if relative and ".git" in names and is_clone(folder):
        scan.clones.append(relative)
    rules = rules.below(scan, folder, names)
    for entry in entries:
        path = f"{relative}{entry.name}"
        try:
            if entry.is_dir():
                if _enters(scan, entry, path, rules):
                    _walk(scan, entry.path, path + "/", rules, depth + 1)
            elif (drawing := drawn(entry.name)) is not None:
                scan.left_out[drawing] += 1
            elif scan.wanted(path):
                _take(scan, entry, path, rules)
            elif entry.name[-9:].lower().endswith(_OTHER_NOTES):
                _count_other(scan, entry, path, rules)
        except OSError as error:
            scan.fail(path, f"can't be read: {error.strerror}")


def _count_other(scan: _Scan, entry: os.DirEntry[str], path: str, rules: _Rules) -> None:
    """A note of another kind, which a pattern would take in."""
    if not (entry.name.startswith(".") or scan.excluded(path) or rules.git.hide(entry.path, folder=False)):
        scan.left_out[f"*{os.path.splitext(entry.name)[1].lower()}"] += 1  # noqa: PTH122 (a hundred thousand of them)


def _enters(scan: _Scan, entry: os.DirEntry[str], path: str, rules: _Rules) -> bool:
    name = entry.name
    if scan.hides(name, path) or name in _VENDORED or is_private((name,)) or _is_logseq(entry):
        return False
    if entry.is_symlink():
        # What a link inside the collection leads to is found at its own place.
        if not _inside(scan.root, entry.path):
            scan.skip(path, "link that leaves the collection")
        return False
    if scan.inner and os.path.realpath(entry.path) in scan.inner:
        return False
    return not (scan.excluded(path + "/") or rules.hide(scan, entry.path, folder=True))


def _rules_above(root: str) -> Iterator[str]:
    """Whatever may hold rules for a folder, there or not."""
    for folder in folders_above(root):
        yield from (f"{folder.rstrip('/')}/{name}" for name in (*_RULES, FOLDER))
    top = find_above(root, ".git")
    if top is not None:
        yield f"{top.rstrip('/')}/.git/info/exclude"


def _is_logseq(entry: os.DirEntry[str]) -> bool:
    """Settings and backups, beside the notes of a Logseq graph."""
    return entry.name == "logseq" and Path(entry.path, "config.edn").is_file()


def _take(scan: _Scan, entry: os.DirEntry[str], path: str, rules: _Rules) -> None:
    if scan.hides(entry.name, path) or scan.excluded(path) or rules.hide(scan, entry.path, folder=False):
        return
    if entry.is_symlink():
        if not _inside(scan.root, entry.path):
            scan.skip(path, "link that leaves the collection")
            return
        if is_private(Path(os.path.realpath(entry.path)).relative_to(scan.root).parts):
            return
    if entry.name.endswith(".orig"):
        scan.skip(path, LEFT)
        return
    status = entry.stat()
    if not stat.S_ISREG(status.st_mode):
        scan.skip(path, "not a regular file")
        return
    if status.st_size > MAX_FILE_BYTES:
        scan.skip(path, f"{status.st_size / 2**20:.1f} MB is over the limit of {_MAX_MB} MB")
        return
    normal = normal_path(path)
    if normal in scan.files:
        scan.skip(path, "another file has the same name in a different Unicode form")
        return
    scan.files[normal] = _state(status, path.encode() if path.isascii() else os.fsencode(path))


def _inside(root: str, path: str) -> bool:
    real = os.path.realpath(path)
    return real == root or real.startswith(root + os.sep)


def _is_markdown(path: str) -> bool:
    return path[-9:].lower().endswith((".md", ".markdown"))


def _wanted(pattern: str) -> Callable[[str], bool]:
    """``**/*.md`` means markdown whatever its suffix, also beside others."""
    others = [part for part in pattern.split(",") if part.strip() != ALL_MARKDOWN]
    if not others:
        return _is_markdown
    matches = _matcher(others)
    return (
        matches if ALL_MARKDOWN not in map(str.strip, pattern.split(",")) else lambda p: _is_markdown(p) or matches(p)
    )


def _never(path: str) -> bool:
    return False


def _make_exclusion(collection: Collection) -> Callable[[str], bool]:
    return _is_dream_diary if collection.dreams else _never


def _is_dream_diary(path: str) -> bool:
    """What a night came to is told to people: as a source it would feed on itself."""
    return path.startswith("DREAMS.") and path.endswith(".md")


def _matcher(patterns: tuple[str, ...] | list[str]) -> Callable[[str], bool]:
    """Globs as git reads them: ``**`` spans folders, a leading ``/`` anchors."""
    import pathspec

    try:
        return pathspec.GitIgnoreSpec.from_lines([pattern.strip() for pattern in patterns]).match_file
    except (ValueError, re.error) as error:
        raise ConfigError(
            f"a collection's pattern or exclude is not a glob ({error}); correct it in config.yaml"
        ) from error


@dataclass(frozen=True)
class _Ignores:
    """The ``.gitignore`` files that apply in a folder, outermost first; none outside a git repository."""

    specs: tuple[tuple[str, pathspec.GitIgnoreSpec], ...] = ()
    inside_git: bool = False

    @classmethod
    def above(cls, root: Path) -> _Ignores:
        """What applies at ``root`` from the folders above it, up to the repository's top."""
        found = find_above(str(root), ".git")
        if found is None:
            return cls()
        top = Path(found)
        ignores = cls((), True)
        exclude = top / ".git" / "info" / "exclude"
        if exclude.is_file():
            ignores = ignores._with(str(top), exclude)
        for folder in reversed([f for f in root.parents if f == top or top in f.parents]):
            if (folder / ".gitignore").is_file():
                ignores = ignores._with(str(folder), folder / ".gitignore")
        return ignores

    def below(self, folder: str, names: set[str]) -> _Ignores:
        ignores = _Ignores((), True) if ".git" in names and not self.inside_git else self
        if ignores.inside_git and ".gitignore" in names:
            return ignores._with(folder, Path(folder) / ".gitignore")
        return ignores

    def hide(self, path: str, *, folder: bool) -> bool:
        """The innermost file with an opinion decides."""
        if not self.specs:
            return False
        for base, spec in reversed(self.specs):
            found = spec.check_file(path[len(base) + 1 :] + ("/" if folder else ""))
            if found.include is not None:
                return found.include
        return False

    def _with(self, base: str, file: Path) -> _Ignores:
        import pathspec

        try:
            lines = file.read_text(encoding="utf-8-sig", errors="surrogateescape").split("\n")
        except OSError:
            return self
        patterns = [pattern for line in lines for pattern in _pattern(line)]
        return _Ignores((*self.specs, (base, pathspec.GitIgnoreSpec(patterns))), True)


def _pattern(line: str) -> list[Any]:
    """The pattern of a line of ``.gitignore``; none for a malformed one, as in git."""
    import pathspec

    try:
        return list(pathspec.GitIgnoreSpec.from_lines([line]).patterns)
    except (ValueError, re.error):
        return []
