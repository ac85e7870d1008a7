"""The days' files of an agent's workspace: other programs read them, and write them, too."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import PurePath

from hearth.core.document import content_hash
from hearth.core.lazy import dataclass
from hearth.memory.files import TIME, TRIES, append, changing, decode_day, encode_like
from hearth.ports import Collection, MemoryFiles
from hearth.text.similarity import similar

FOLDER = "memory"


@dataclass(frozen=True, slots=True)
class WorkspaceDays:
    """``files`` are those of the workspace, ``collection`` is one that holds its folder of days."""

    files: MemoryFiles
    collection: Collection

    def add(self, text: str, moment: datetime) -> str:
        """Adds a text to the file of its local day, under its time and once; gives the file's path in the workspace.
        Raises as ``append``."""
        path = f"{FOLDER}/{moment:%Y-%m-%d}.md"
        append(self.files, path, text, moment, f"# {moment:%Y-%m-%d}", once=True)
        return path

    def remove(self, text: str, moment: datetime) -> str | None:
        """Takes out what ``add`` wrote at that minute. Gives the file's path where it stays because somebody changed
        it. Raises as ``append``."""
        path, time = f"{FOLDER}/{moment:%Y-%m-%d}.md", f"{moment:%H:%M}"
        for _ in range(TRIES):
            present = self.files.read(path)
            if present is None:
                return None
            source = decode_day(present, path)
            before, found, after = f"{source.rstrip()}\n".partition(f"\n\n{text}\n")
            if not found or TIME.findall(before)[-1:] != [time]:
                return path if any(similar(one, text) for one in _find_paragraphs(source, time)) else None
            rest = after.strip("\n")
            if not rest or TIME.match(rest):
                before = before.removesuffix(f"## {time}")
            data = "\n\n".join(filter(None, (before.rstrip(), rest))) + "\n"
            if self.files.replace(path, encode_like(present, data), content_hash(present)):
                return None
        raise changing(self.files, path)

    def find_path(self, path: str) -> str:
        """The path in the collection of a file of the workspace."""
        return PurePath(self.files.root, path).relative_to(self.collection.root).as_posix()


def find_days(files: MemoryFiles, collections: Iterable[Collection]) -> WorkspaceDays | None:
    """The days of the workspace with these files, where a collection holds them."""
    folder = PurePath(files.root, FOLDER)
    found = [one for one in collections if folder.is_relative_to(one.root)]
    return WorkspaceDays(files, max(found, key=lambda one: len(one.root))) if found else None


def _find_paragraphs(source: str, time: str) -> list[str]:
    """Those under a time."""
    _, *parts = TIME.split(source)
    under = "\n\n".join(text for at, text in zip(parts[::2], parts[1::2], strict=True) if at == time)
    return under.split("\n\n")
