"""The two pages of dreaming on the disk: written, taken over from before, and taken back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

from hearth.core import subjects
from hearth.core.document import content_hash, docid
from hearth.core.errors import HearthError
from hearth.core.instants import show_date, zone_of
from hearth.core.journal import Draft
from hearth.core.lazy import dataclass
from hearth.pages.dream import memory_md, report
from hearth.pages.dream.fragments import Key, days_between
from hearth.pages.dream.index_view import FADES_AFTER_DAYS
from hearth.pages.dream.memory_md import BrokenPage, MemoryPage
from hearth.pages.dream.plan import NightPlan
from hearth.pages.dream.report import RULES, show_key
from hearth.pages.dream.scores import MAX_BLOCKS, document_blocks
from hearth.ports import Clock, Collection, Files, MemoryFiles, Reader
from hearth.text.similarity import normalised
from hearth.vault.history import History

if TYPE_CHECKING:
    from hearth.llm.pages import NightEditor

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
            return ReadPage(None, None, f"{memory_md.NAME} is not UTF-8 at byte {error.start}; save it as UTF-8")
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

    def read_report(self) -> str:
        """``DREAMS.md``, empty where there is none."""
        return (self.files.read(report.NAME) or b"").decode("utf-8", "replace")

    def tell(self, day: str, entry: str) -> None:
        """Adds a section to ``DREAMS.md``; what has grown too long becomes that of its year."""
        data = self.files.read(report.NAME)
        if data is None:
            self.files.create(report.NAME, f"{report.HEAD}\n{entry}".encode())
            return
        if len(data) + len(entry) > report.MAX_BYTES:
            self._put_away(day, data)
            page = f"{report.HEAD}\n{entry}".encode()
        else:
            page = data.rstrip(b"\n") + f"\n\n{entry}".encode()
        self.files.replace(report.NAME, page, content_hash(data))

    def tell_taken_back(self, run: str, day: str, kept: int) -> None:
        """Says so where ``DREAMS.md``, or that of a year, tells of the night; whatever a person made of it stays."""
        for name in report.choose(self.files.names(".")):
            data = self.files.read(name) or b""
            text = data.decode("utf-8", "surrogateescape")
            page = report.mark_undone(text, run, day, kept)
            if page != text:
                self.files.replace(name, page.encode("utf-8", "surrogateescape"), content_hash(data))

    def _put_away(self, day: str, data: bytes) -> None:
        stem = report.NAME.removesuffix(".md")
        names = (f"{stem}.{day[:4]}{f'-{number}' if number else ''}.md" for number in range(1_000))
        next(name for name in names if self.files.create(name, data))


def apply_edits(found: NightPlan, editor: Callable[[], NightEditor] | None) -> tuple[NightPlan, str]:
    """With what holds of a model's words, and who worded it: the model by its name where some of it is its own, else
    the rules, and why. What is promoted, and in which order, stays."""
    fragments = [*(one.fragment for one in found.put), *found.successors]
    if editor is None or not (fragments or found.night.themes):
        return found, RULES
    try:
        model = editor()
        edits = model.edit([one.quote for one in fragments], [theme.examples for theme in found.night.themes])
    except HearthError as error:
        return found, f"{RULES}, since {error.said}"
    if not edits.statements and not edits.themes:
        return found, f"{RULES}, since nothing that {model.llm.name} said could be kept"
    short = [replace(one, short=edits.statements.get(number, "")) for number, one in enumerate(fragments)]
    themes = [
        replace(one, name=edits.themes[number], named_by=model.llm.name) if number in edits.themes else one
        for number, one in enumerate(found.night.themes)
    ]
    put = tuple(replace(one, fragment=fragment) for one, fragment in zip(found.put, short, strict=False))
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


_PLACES = {b"memory/.dreams/short-term-recall.json": "", b".dreams/short-term-recall.json": "memory/"}
"""File in a collection -> what begins paths in it and not in the collection."""
_MOST_ENTRIES = 20_000
_MOST_DAYS = 32
_KEY_CHARS = 16


@dataclass(frozen=True, slots=True)
class ForeignRecall:
    """Lines of a file that answered on ``days``; ``value`` in [0, 1] is their mean score."""

    path: str
    lines: tuple[int, int]
    snippet: str
    value: float
    days: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecallTakeover:
    """Looks into each of the ``collections`` until it found such a file there and took it over."""

    history: History
    files: Files
    collections: Sequence[Collection]
    clock: Clock
    zone: str

    def __call__(self) -> int:
        """How many recalls were taken over now. A file that can't be read now is looked at another night."""
        with self.history.store.read() as reader:
            done = reader.registers(subjects.name_dreaming(), subjects.name_takeover(""))
        count = 0
        for collection in self.collections:
            if subjects.name_takeover(collection.name) in done:
                continue
            for place, start in _PLACES.items():
                recalls = self._read(collection, place)
                if recalls is not None:
                    with self.history.store.read() as reader:
                        drafts = [draft for one in recalls for draft in self._drafts(reader, collection, start, one)]
                    self.history.record([*drafts, Draft("dreamt", data={"taken": collection.name})])
                    count += len(drafts)
        return count

    def _read(self, collection: Collection, place: bytes) -> list[ForeignRecall] | None:
        try:
            state = self.files.state(collection, place)
            data = None if state is None else self.files.read(collection, state)
            return None if data is None else list(_recalls(json.loads(data)))
        except (HearthError, OSError, ValueError, RecursionError):
            return None

    def _drafts(self, reader: Reader, collection: Collection, start: str, one: ForeignRecall) -> Iterator[Draft]:
        name = docid(collection.name, one.path.removeprefix(start))
        fragments = [[name, block] for block in _fragments(reader, name, one)]
        today = show_date(self.clock(), zone_of(self.zone))
        for day in one.days if fragments else ():
            if day <= today and days_between(day, today) < FADES_AFTER_DAYS:
                fingerprint = json.dumps([name, one.lines, one.snippet, day])
                key = hashlib.sha256(fingerprint.encode("utf-8", "surrogatepass")).hexdigest()[:_KEY_CHARS]
                about = {"docs": [name], "scores": [one.value], "blocks": fragments, "on": day}
                yield Draft("recalled", data={"key": key, "day": day, **about})


def _recalls(recalls: Any) -> Iterator[ForeignRecall]:
    """What doesn't fit is passed over."""
    rows = recalls.get("entries", recalls) if isinstance(recalls, dict) else {}
    for row in list(rows.values())[:_MOST_ENTRIES] if isinstance(rows, dict) else ():
        if isinstance(row, dict) and (found := _recall(row)) is not None:
            yield found


def _recall(row: Mapping[str, Any]) -> ForeignRecall | None:
    path, snippet = row.get("path"), row.get("snippet", "")
    first, last = row.get("startLine"), row.get("endLine")
    count, total = row.get("recallCount"), row.get("totalScore")
    days = row.get("recallDays")
    if not isinstance(path, str) or not isinstance(snippet, str) or not isinstance(days, list):
        return None
    if type(first) is not int or type(last) is not int or type(count) is not int or count < 1:
        return None
    if not isinstance(total, int | float) or not 0 <= total <= count * 1e6:
        return None
    known = tuple(dict.fromkeys(day for day in days[-_MOST_DAYS:] if _is_day(day)))
    return ForeignRecall(path, (first, last), snippet, min(1.0, total / count), known)


def _is_day(day: object) -> bool:
    try:
        return isinstance(day, str) and date.fromisoformat(day).isoformat() == day
    except ValueError:
        return False


def _fragments(reader: Reader, name: str, one: ForeignRecall) -> list[str]:
    """The fragments of the snippet, wherever they stand now; of the lines, where none of it is left."""
    stored = reader.document(name)
    own = [] if stored is None else list(document_blocks(reader, stored))
    wanted = normalised(one.snippet)
    quoted = [
        block.hash for block in own if wanted and ((plain := normalised(block.text)) in wanted or wanted in plain)
    ]
    inside = [block.hash for block in own if block.start <= one.lines[1] and one.lines[0] <= block.end]
    kept = list(dict.fromkeys(quoted or inside))
    return kept[:MAX_BLOCKS] if quoted or len(kept) <= MAX_BLOCKS else []


ACTOR = "dreaming"
_STANDING = ("in", "left")
CHANGED = "the page was changed meanwhile; it is retried the next night"


def draft_promotion(key: Key, state: str, day: str, run: str, agent: str) -> Draft:
    """The event that says what became of a fragment on the page of an agent, empty for that of everyone else."""
    whose = {"agent": agent} if agent else {}
    payload = {"block": key[1], "day": day, "state": state, "actor": ACTOR, "run": run, **whose}
    return Draft("promoted", key[0], data=payload)


def is_of(run: str, before: Mapping[Key, Mapping[str, Any]]) -> bool:
    """Whether there is something of a night to be taken back."""
    return any(row.get("run") == run and row.get("state") in _STANDING for row in before.values())


def find_last(before: Mapping[Key, Mapping[str, Any]]) -> str | None:
    """The last night of which something is there to be taken back."""
    runs = ((row["at"], row["run"]) for row in before.values() if row.get("state") in _STANDING and "run" in row)
    return max(runs, default=(0, None))[1]


def clean_pages(folder: MemoryFiles, gone: frozenset[str], problems: list[str]) -> None:
    """Takes what nights wrote down of documents that are ``gone`` off the pages of a folder, except lines that a person
    made their own."""
    try:
        diaries = report.choose(folder.names("."))
    except HearthError as error:
        problems.append(str(error))
        return
    for name, without in (
        (memory_md.NAME, memory_md.drop_sources),
        *((name, report.drop_sources) for name in diaries),
    ):
        try:
            data = folder.read(name)
            text = "" if data is None else data.decode("utf-8")
            left = without(text, gone)
            if data is not None and left != text:
                folder.replace(name, left.encode("utf-8"), content_hash(data))
        except (BrokenPage, UnicodeDecodeError):
            continue  # whatever it is, it is a person's now
        except HearthError as error:
            problems.append(str(error))
