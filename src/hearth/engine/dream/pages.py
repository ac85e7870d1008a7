"""The two pages on the disk."""

from __future__ import annotations

from hearth.dream import diary, page
from hearth.dream.page import BrokenPage, MemoryPage
from hearth.errors import HearthError
from hearth.lazy import dataclass
from hearth.model.identity import content_hash
from hearth.ports import MemoryFiles

_OTHERS = ("USER.md", "AGENTS.md", "user/profile.md")
"""What a session starts with beside the page."""


@dataclass(frozen=True, slots=True)
class ReadPage:
    """``page`` is ``None`` where it can't be written, and ``problem`` says why; ``data`` is the file, if there is
    one."""

    page: MemoryPage | None
    data: bytes | None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class DreamPages:
    files: MemoryFiles

    @property
    def path(self) -> str:
        return f"{self.files.root}/{page.NAME}"

    def read(self) -> ReadPage:
        try:
            data = self.files.read(page.NAME)
            return ReadPage(page.read("" if data is None else data.decode("utf-8")), data)
        except BrokenPage as error:
            return ReadPage(None, None, f"{page.NAME} has {error}; mend or remove them")
        except UnicodeDecodeError as error:
            return ReadPage(None, None, f"{page.NAME} is no UTF-8 at byte {error.start}; save it as UTF-8")
        except HearthError as error:
            return ReadPage(None, None, error.said)

    def statements(self, known: MemoryPage) -> list[str]:
        """What a session is told anyway."""
        found = list(known.statements)
        for name in _OTHERS:
            data = self.files.read(name)
            if data is not None:
                found += page.read_statements(data.decode("utf-8", "replace"))
        return found

    def write(self, known: ReadPage, text: str) -> bool:
        """``False``, and nothing written, where somebody else wrote meanwhile."""
        data = text.encode("utf-8")
        if known.data is None:
            return self.files.create(page.NAME, data)
        return data == known.data or self.files.replace(page.NAME, data, content_hash(known.data))

    def told(self) -> str:
        """``DREAMS.md``, empty where there is none."""
        return (self.files.read(diary.NAME) or b"").decode("utf-8", "replace")

    def tell(self, day: str, entry: str) -> None:
        """Adds a section to ``DREAMS.md``; what has grown too long becomes that of its year."""
        data = self.files.read(diary.NAME)
        if data is None:
            self.files.create(diary.NAME, f"{diary.HEAD}\n{entry}".encode())
            return
        if len(data) + len(entry) > diary.MAX_BYTES:
            self._put_away(day, data)
            told = f"{diary.HEAD}\n{entry}".encode()
        else:
            told = data.rstrip(b"\n") + f"\n\n{entry}".encode()
        self.files.replace(diary.NAME, told, content_hash(data))

    def tell_taken_back(self, run: str, day: str, kept: int) -> None:
        """Says so where ``DREAMS.md``, or that of a year, tells of the night; whatever a person made of it stays."""
        for name in diary.choose(self.files.names(".")):
            data = self.files.read(name) or b""
            text = data.decode("utf-8", "surrogateescape")
            told = diary.taken_back(text, run, day, kept)
            if told != text:
                self.files.replace(name, told.encode("utf-8", "surrogateescape"), content_hash(data))

    def _put_away(self, day: str, data: bytes) -> None:
        stem = diary.NAME.removesuffix(".md")
        names = (f"{stem}.{day[:4]}{f'-{number}' if number else ''}.md" for number in range(1_000))
        next(name for name in names if self.files.create(name, data))
