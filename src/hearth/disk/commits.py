"""What git knows of notes that are kept in a repository: when it had each file first, and whether code that a text
cites has changed since the text was written. A glance at folders that were walked: whether another walk would find what
the last one found.

A folder's own times tell of names that came or went, so nothing is listed and no rule is applied again; each file is
asked for its state. That takes a quarter of the time of a walk.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from hearth.core.document import FileState, normal_path
from hearth.core.instants import DAY_MS, show_exactly
from hearth.core.lazy import dataclass, regex
from hearth.ports import Collection, Commit, Walk

# Every file is asked for its state before every question: ``os.stat`` takes a quarter of what ``pathlib`` does.
# Within this of a change, another may have the same time on some file systems.
_TICK_NS = 2_000_000_000

Signature = tuple[int, int, int] | None


def signature(path: str) -> Signature:
    """Times and inode of what decides which files there are; ``None`` where there is nothing. The time of the inode,
    too, since the other can be set back."""
    try:
        status = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def folders_above(folder: str) -> Iterator[str]:
    """The nearest first; ``folder`` is absolute."""
    while folder != "/":
        folder = folder.rpartition("/")[0] or "/"
        yield folder


def find_above(folder: str, name: str) -> str | None:
    """The nearest of a folder and those above it that holds something of this name."""
    places = (folder, *folders_above(folder))
    return next((place for place in places if signature(f"{place.rstrip('/')}/{name}") is not None), None)


def _state(path: bytes) -> Signature:
    """As ``FileState`` has it."""
    try:
        status = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ctime_ns


@dataclass(frozen=True, slots=True)
class Glance:
    """What a walk saw. ``places`` are folders and files with rules, also some that are not there."""

    walk: Walk
    places: tuple[tuple[str, Signature], ...]
    files: tuple[tuple[bytes, Signature], ...]

    def holds(self) -> bool:
        return all(signature(place) == seen for place, seen in self.places) and all(
            _state(path) == seen for path, seen in self.files
        )


def noted(
    walk: Walk, root: str, places: Iterable[tuple[str, Signature]], states: Iterable[FileState], now_ns: int
) -> Glance | None:
    """What to compare with later: ``states`` of files, and ``places`` that decide which there are. ``None`` where that
    could miss a change, since something changed just now."""
    seen = tuple(places)
    folder = os.fsencode(f"{root}/")
    files = tuple((folder + file.disk_path, (file.mtime_ns, file.size, file.ctime_ns)) for file in states)
    times = [found[0] for _, found in files if found is not None]
    times += [at for _, found in seen if found is not None for at in found[:2]]
    if any(abs(now_ns - at) < _TICK_NS for at in times):
        return None
    return Glance(walk, seen, files)


# A history that takes longer than this to go through dates nothing.
_SECONDS = 20.0
_MARK = b"\x01"
_LINE_BYTES = 4_096
# Whatever the settings of the repository or of the user say: no other program is started.
_QUIET = ("-c", "log.showSignature=false", "-c", "core.fsmonitor=false", "--no-pager")
_LOG = ("log", "-z", "--format=%x01%H %at %aN", "--name-only", "--diff-filter=A", "--no-renames", "--relative", "HEAD")


class GitCommits:
    """Implements ``ports.Commits`` by git's own files, and by one ``git log`` where dates are wanted. Without git, or
    in a repository that can't be read, nothing is known."""

    def revision(self, collection: Collection) -> str | None:
        if collection.mounts:
            parts = [self.revision(one) for one in _split_mounts(collection)]
            return "|".join(part or "" for part in parts) if any(parts) else None
        try:
            repository = find_repository(Path(collection.root))
            return None if repository is None else repository.head()
        except (OSError, ValueError):
            return None

    def first(self, collection: Collection) -> Mapping[str, Commit]:
        if collection.mounts:
            starts = ("", *(mount.below for mount in collection.mounts))
            parts = zip(starts, _split_mounts(collection), strict=True)
            return {f"{start}{path}": one for start, part in parts for path, one in self.first(part).items()}
        try:
            repository = find_repository(Path(collection.root))
            printed = (
                None if repository is None else repository.ask(collection.root, *_LOG, "--", ".", seconds=_SECONDS)
            )
            if repository is None or printed is None:
                return {}
            return dict(_parse_commits(printed.split(b"\0"), repository.ends()))
        except (OSError, ValueError):
            return {}


def _split_mounts(collection: Collection) -> list[Collection]:
    """The folder itself, then those of its parts that lie elsewhere."""
    return [
        replace(collection, mounts=()),
        *(replace(collection, root=one.root, mounts=()) for one in collection.mounts),
    ]


def find_own_names(folder: Path) -> tuple[str, ...]:
    """What git calls the person in the repository of a folder."""
    try:
        repository = find_repository(folder)
        said = (
            None if repository is None else repository.ask(folder, "config", "--get-all", "user.name", seconds=_SECONDS)
        )
    except (OSError, ValueError):
        return ()
    names = (line.strip() for line in (said or b"").decode("utf-8", "replace").splitlines())
    return tuple(dict.fromkeys(name for name in names if name))


@dataclass(frozen=True)
class Repository:
    """``folder`` is what git keeps of this working tree, ``common`` of all working trees of the repository."""

    top: Path
    folder: Path
    common: Path

    def head(self) -> str | None:
        """The commit that is checked out."""
        said = _text(self.folder / "HEAD")
        if not said.startswith("ref: "):
            return said or None
        name = said.removeprefix("ref: ").strip()
        for folder in (self.folder, self.common):
            if (found := folder / name).is_file():
                return _text(found) or None
        packed = self.common / "packed-refs"
        lines = _text(packed).splitlines() if packed.is_file() else []
        return next((line.split(" ", 1)[0] for line in lines if line.endswith(f" {name}")), None)

    def ask(self, place: str | Path, *words: str, seconds: float, allowed: tuple[int, ...] = (0,)) -> bytes | None:
        """What git prints about a folder in it. ``None`` without git, for an exit status that is not ``allowed``, after
        so many ``seconds``, and in a partial clone, which would fetch what it lacks."""
        import subprocess  # who only looks at files need not wait for it

        try:
            if "promisor" in _text(self.common / "config"):
                return None
            done = subprocess.run(
                ["git", *_QUIET, f"--git-dir={self.folder}", f"--work-tree={self.top}", *words],
                cwd=place,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=seconds,
                check=False,
            )
        except (OSError, ValueError, subprocess.SubprocessError):
            return None
        return done.stdout if done.returncode in allowed else None

    def is_clone(self) -> bool:
        """Whether it was copied from elsewhere: git notes so as the first thing that it does there."""
        try:
            with (self.folder / "logs" / "HEAD").open("rb") as file:
                cloned = b"\tclone: from " in file.readline(_LINE_BYTES)
        except OSError:
            cloned = False
        return cloned or (self.common / "refs" / "remotes" / "origin" / "HEAD").is_file()

    def ends(self) -> frozenset[bytes]:
        """Commits of a shallow clone at which it ends: they hold files of any age."""
        shallow = self.common / "shallow"
        return frozenset(shallow.read_bytes().split()) if shallow.is_file() else frozenset()


def find_repository(root: Path) -> Repository | None:
    """The one in which a folder lies. Raises ``OSError`` where its files can't be read."""
    found = find_above(os.path.realpath(root), ".git")
    if found is None:
        return None
    top = Path(found)
    folder = top / ".git"
    if folder.is_file():
        folder = top / _text(folder).removeprefix("gitdir: ")
    common = folder / "commondir"
    return Repository(top, folder, folder / _text(common) if common.is_file() else folder)


def is_clone(root: str) -> bool:
    """Whether a folder is the top of a cloned repository."""
    try:
        repository = find_repository(Path(root))
        return repository is not None and str(repository.top) == os.path.realpath(root) and repository.is_clone()
    except (OSError, ValueError):
        return False


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="surrogateescape").strip()


def _parse_commits(parts: Iterable[bytes], ends: frozenset[bytes]) -> Iterator[tuple[str, Commit]]:
    """Path and commit of each addition, the newest first, so that the first of a path comes last."""
    found: Commit | None = None
    for part in parts:
        name = part.lstrip(b"\n")
        if name.startswith(_MARK):
            commit, _, rest = name[1:].partition(b" ")
            seconds, _, author = rest.partition(b" ")
            found = None if commit in ends else Commit(int(seconds) * 1000, author.decode("utf-8", "replace"))
        elif name and found is not None:
            yield normal_path(os.fsdecode(name)), found


# At most so many names of a text are looked up.
_MOST = 4
# What a session writes is committed after the memory of it.
_COMMITTED_WITHIN_MS = DAY_MS
_CODE = "py|[cm]?[jt]sx?|go|rs|java|kt|rb|php|cs?|h|cc|cpp|hpp|swift|scala|sh|sql|toml|ya?ml|json|tf|proto|vue|svelte"
_PATH = regex(r"(?<![\w/.:-])(?:\./)?((?:[\w.-]+/)+[\w.-]*\w\.[A-Za-z]\w{0,9}" + rf"|[\w-]+\.(?:{_CODE}))" + r"\b(?!/)")
# In backticks, or called: a plain word may be any word.
_SYMBOL = regex(r"`([A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)*)(?:\(\))?`|\b([a-z]\w*_\w+|[A-Za-z_]\w{3,})\(\)")
_TELLING = regex(r"_|[a-z][A-Z]|\.|::")
_Ask = Callable[..., bytes | None]


def check_citations(text: str, at: int, root: str, seconds: float) -> str | None:
    """As "fresh", "changed (billing/ledger.py)" or "gone (Ledger.close)": the worst that befell a path or a symbol of
    the project in ``root`` since ``at`` (ms UTC). ``None`` where the text cites nothing that was in the project then,
    or git can't tell within so many ``seconds``. Never raises."""
    paths = list(dict.fromkeys(found[1] for found in _PATH.finditer(text)))[:_MOST]
    symbols = list(dict.fromkeys(_find_symbols(text)))[:_MOST]
    if not paths and not symbols:
        return None
    try:
        repository = find_repository(Path(root))
        if repository is None:
            return None
    except (OSError, ValueError):
        return None
    until = time.monotonic() + seconds

    def ask(*words: str, allowed: tuple[int, ...] = (0,)) -> bytes | None:
        left = until - time.monotonic()
        return repository.ask(root, *words, seconds=left, allowed=allowed) if left > 0 else None

    found: dict[str, str] = {}
    for commit in _find_commits(ask, at):
        for name, state in (*_judge_paths(ask, commit, paths), *_judge_symbols(ask, commit, symbols)):
            found[name] = "fresh" if found.get(name, state) == "fresh" else state
    found = {name: _as_on_disk(state, Path(root, name), at) for name, state in found.items()}
    for state in ("gone", "changed"):
        if names := [name for name, one in found.items() if one == state]:
            return f"{state} ({', '.join(names)})"
    return "fresh" if found else None


def _find_commits(ask: _Ask, at: int) -> list[str]:
    """The last one before that moment, and the first one soon after it."""
    then, soon = show_exactly(at), show_exactly(at + _COMMITTED_WITHIN_MS)
    before = ask("rev-list", "-1", f"--before={then}", "HEAD")
    after = ask("rev-list", "--reverse", f"--after={then}", f"--before={soon}", "HEAD")
    names = [(said or b"").decode("ascii", "replace").split()[:1] for said in (before, after)]
    return [*names[0], *names[1]]


def _as_on_disk(state: str, file: Path, at: int) -> str:
    """A file that was last written before the text is what the text is about."""
    try:
        return "fresh" if state == "changed" and file.stat().st_mtime * 1000 <= at else state
    except (OSError, ValueError):
        return state


def _find_symbols(text: str) -> Iterator[str]:
    for found in _SYMBOL.finditer(text):
        name = found[1] or found[2]
        if (found[2] or _TELLING.search(name)) and not _PATH.fullmatch(name):
            yield name


def _judge_paths(ask: _Ask, commit: str, paths: list[str]) -> Iterator[tuple[str, str]]:
    """A name without folders means the one file of that name."""
    if not paths:
        return
    wanted = [f":(glob){path}" if "/" in path else f":(glob)**/{path}" for path in paths]
    listed = ask("ls-tree", "-r", "-z", "--name-only", commit)
    differ = ask("diff", "--no-ext-diff", "--no-renames", "--relative", "--name-status", "-z", commit, "--", *wanted)
    if listed is None or differ is None:
        return
    then = [os.fsdecode(name) for name in listed.split(b"\0") if name]
    parts = [os.fsdecode(part) for part in differ.split(b"\0") if part]
    status = dict(zip(parts[1::2], parts[::2], strict=False))
    for path in paths:
        meant = [name for name in then if name == path or name.endswith(f"/{path}")]
        if len(meant) == 1:  # else it was not there, or nobody knows which one is meant
            yield path, {"D": "gone", "": "fresh"}.get(status.get(meant[0], ""), "changed")


def _judge_symbols(ask: _Ask, commit: str, symbols: list[str]) -> Iterator[tuple[str, str]]:
    for symbol in symbols:
        search = ("grep", "-l", "-w", "-F", "-e", re.split(r"\.|::", symbol)[-1])
        if not ask(*search, commit, "--", "."):
            continue
        now = ask(*search, "--", ".", allowed=(0, 1))
        if now is not None:  # else git ran out of time: nobody knows
            yield symbol, "fresh" if now else "gone"
