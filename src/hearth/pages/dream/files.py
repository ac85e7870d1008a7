"""The two pages on the disk, what a model may say shorter, and what would leave them all at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hearth.core.document import content_hash
from hearth.core.errors import HearthError
from hearth.core.lazy import dataclass
from hearth.pages.dream import diary, memory_md
from hearth.pages.dream.memory_md import BrokenPage, MemoryPage
from hearth.pages.dream.passage import Key
from hearth.pages.dream.plan import NightPlan
from hearth.pages.dream.report import RULES, show_key
from hearth.ports import MemoryFiles

if TYPE_CHECKING:
    from hearth.llm.pages import NightEditor
    from hearth.pages.dream.dreamer import Dreamer

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
        return f"{self.files.root}/{memory_md.NAME}"

    def read(self) -> ReadPage:
        try:
            data = self.files.read(memory_md.NAME)
            return ReadPage(memory_md.read("" if data is None else data.decode("utf-8")), data)
        except BrokenPage as error:
            return ReadPage(None, None, f"{memory_md.NAME} has {error}; mend or remove them")
        except UnicodeDecodeError as error:
            return ReadPage(None, None, f"{memory_md.NAME} is no UTF-8 at byte {error.start}; save it as UTF-8")
        except HearthError as error:
            return ReadPage(None, None, error.said)

    def statements(self, known: MemoryPage) -> list[str]:
        """Statements that every session gets."""
        found = list(known.statements)
        for name in _OTHERS:
            data = self.files.read(name)
            if data is not None:
                found += memory_md.read_statements(data.decode("utf-8", "replace"))
        return found

    def write(self, known: ReadPage, text: str) -> bool:
        """``False``, and nothing written, where somebody else wrote meanwhile."""
        data = text.encode("utf-8")
        if known.data is None:
            return self.files.create(memory_md.NAME, data)
        return data == known.data or self.files.replace(memory_md.NAME, data, content_hash(known.data))

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


def edited(found: NightPlan, editor: Callable[[], NightEditor] | None) -> tuple[NightPlan, str]:
    """With what holds of a model's words, and who worded it: the model by its name where some of it is its own, else
    the rules, and why. What is promoted, and in which order, stays."""
    passages = [*(one.passage for one in found.put), *found.successors]
    if editor is None or not (passages or found.night.themes):
        return found, RULES
    try:
        model = editor()
        told = model.edit([one.said for one in passages], [theme.examples for theme in found.night.themes])
    except HearthError as error:
        return found, f"{RULES}, since {error.said}"
    if not told.statements and not told.themes:
        return found, f"{RULES}, since nothing that {model.llm.name} said could be kept"
    short = [replace(one, short=told.statements.get(number, "")) for number, one in enumerate(passages)]
    themes = [
        replace(one, name=told.themes[number], named_by=model.llm.name) if number in told.themes else one
        for number, one in enumerate(found.night.themes)
    ]
    put = tuple(replace(one, passage=passage) for one, passage in zip(found.put, short, strict=False))
    night = replace(found.night, themes=tuple(themes), editor=model.llm.name)
    return replace(found, night=night, put=put, successors=tuple(short[len(put) :])), model.llm.name


@dataclass(frozen=True, slots=True)
class LeavingItem:
    """A statement on the page of an ``agent``, empty for that of everyone else."""

    agent: str
    key: Key
    text: str
    why: str

    @property
    def command(self) -> str:
        """Lets it go, and what else waits on that page."""
        return f"hearth dream{f' --agent {self.agent}' if self.agent else ''} --approve"

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {"key": show_key(self.key), "text": self.text, "why": self.why, "command": self.command}


def find_leaving(dreamer: Dreamer) -> list[LeavingItem]:
    """Of all pages."""
    return [
        LeavingItem(one.agent, key, text, why)
        for one in dreamer.every()
        for key, (text, why) in one.status().waiting.items()
    ]
