"""What git knows of notes that are kept in a repository: when it had each file first."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from hearth.core.document import normal_path
from hearth.core.lazy import dataclass
from hearth.disk.change_detection import find_above
from hearth.ports import Collection, Commit

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
