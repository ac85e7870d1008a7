"""Records as files: memories with their frontmatter, conversations turn by turn, long texts in parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from hearth.core import instants
from hearth.core.document import INTERNAL
from hearth.core.instants import DAY_MS
from hearth.core.lazy import dataclass, regex
from hearth.core.memory import (
    CONTENT_TYPES,
    MAX_EVIDENCE,
    MAX_LINE_CHARS,
    MAX_TAG_CHARS,
    MAX_TAGS,
    Memory,
    Merge,
    NewMemory,
    Origin,
)
from hearth.importers.records import Record
from hearth.importers.runs import ImportReport
from hearth.importers.values import digest
from hearth.markdown import frontmatter
from hearth.markdown.blocks import Value
from hearth.memory import file_names
from hearth.memory.admission import admitted, memory_of
from hearth.memory.files import fields_of
from hearth.memory.writer import MemoryWriter
from hearth.vault.validity import IMPORTED

MAX_PART_BYTES = 1024 * 1024
"""A text that is longer goes on in another file."""
_KEY = regex(r"[^\W\d][\w-]{0,63}")
_VALUE_CHARS = 500
_PARAGRAPH = "\n\n"


class RenderedFile(NamedTuple):
    """``redacted`` counts the secrets that were taken out."""

    memory: Memory
    path: str
    data: bytes
    redacted: int


def identify(source: str, key: str, number: int = 1) -> str:
    """The docid of what a source knows by a key: the same on every machine."""
    return file_names.id_of(f"{source}\0{key}" + (f"\0part {number}" if number > 1 else ""))


def owner_of(source: str) -> str:
    """What stands for the machine in files and events of a source: the same everywhere, and no machine's own."""
    return file_names.id_of(f"import\0{source}")[:10]


@dataclass(frozen=True, slots=True)
class Renderer:
    """``writer`` says where a memory stands already, and takes secrets out."""

    source: str
    writer: MemoryWriter
    report: ImportReport

    def render(self, record: Record) -> Iterator[RenderedFile]:
        """Each file of a record. Raises ``UsageError`` for what can't be kept."""
        wish, facts = _as_memory(record, self.source, self.writer.zone)
        wish = _shorten(wish)
        now = self.writer.clock()
        if wish.said_at is not None and not 0 < wish.said_at <= now + DAY_MS:
            self.report.dropped_times += 1
            wish = replace(wish, said_at=None)
        content_type = wish.content_type
        writable = content_type if CONTENT_TYPES[content_type].merge is not Merge.NEVER else "note"
        for number, text in enumerate(_split(wish.text), 1):
            told = replace(wish, text=text, content_type=writable)
            fit = admitted(told, self.writer.redact, 4 * MAX_PART_BYTES)
            identity = identify(self.source, str(wish.key), number)
            memory = memory_of(fit.wish, identity, owner_of(self.source), now + DAY_MS)
            memory = replace(memory, content_type=content_type)
            fields = fields_of(memory)
            if wish.said_at is None:
                del fields["authored_at"]
            data = frontmatter.render({**self._clean(facts, fields), **fields}, memory.text).encode("utf-8", "replace")
            yield RenderedFile(memory, self._path(memory, number), data, fit.redacted)

    def _clean(self, given: Mapping[str, Value], known: Mapping[str, Value]) -> dict[str, Value]:
        facts: dict[str, Value] = {}
        for key, value in given.items():
            if _KEY.fullmatch(key) and key not in known:
                texts = [value] if isinstance(value, str) else list(value)
                clean = tuple(" ".join(self.writer.redact(text).text.split())[:_VALUE_CHARS] for text in texts)
                facts[key] = clean[0] if isinstance(value, str) else clean
        return facts

    def _path(self, memory: Memory, number: int) -> str:
        """Where a memory stands already, whatever its title was then; else below a folder of its source and type."""
        with self.writer.store.read() as reader:
            stored = reader.document(memory.id)
        if stored is not None and stored.document.collection == INTERNAL:
            return stored.document.path
        title = f"{memory.title} {number}" if number > 1 else memory.title
        name = file_names.file_name(title, memory.content_type, memory.id)
        kind = memory.content_type
        folder = f"{kind[:-1]}ies" if kind.endswith("y") else f"{kind}s"
        return f"{IMPORTED}/{self.source}/{folder}/{name}"


def _shorten(wish: NewMemory) -> NewMemory:
    """Within the limits of a memory's lines, which other programs need not have."""
    tags = [tag for tag in (" ".join(tag.split())[:MAX_TAG_CHARS] for tag in wish.tags) if tag]
    origin = wish.origin and replace(wish.origin, source=" ".join(wish.origin.source.split())[:MAX_EVIDENCE])
    return replace(
        wish,
        title=wish.title and " ".join(wish.title.split())[:MAX_LINE_CHARS],
        subject=wish.subject and " ".join(wish.subject.split())[:MAX_LINE_CHARS],
        tags=tuple(dict.fromkeys(tags))[:MAX_TAGS],
        origin=origin,
    )


def _as_memory(record: Record, source: str, zone: str) -> tuple[NewMemory, Mapping[str, Value]]:
    """With the fields of its file beside those of a memory. A conversation is written turn by turn."""
    said = record.conversation
    if record.memory is not None or said is None:
        assert record.memory is not None
        return record.memory, record.facts
    times = [turn.at for turn in said.turns if turn.at is not None]
    first = instants.moment(times[0], instants.zone_of(zone)) if times else None
    sections = []
    for turn in said.turns:
        stamp = ""
        if turn.at is not None and first is not None:
            at = instants.moment(turn.at, instants.zone_of(zone))
            stamp = f" · {at:%H:%M}" if at.date() == first.date() else f" · {at:%Y-%m-%d %H:%M}"
        sections.append(f"## {' '.join(turn.role.split())[:80]}{stamp}\n\n{turn.text.strip()}")
    facts: dict[str, Value] = {"source_id": digest(said.key), "turns": str(len(said.turns))}
    if said.participants:
        facts["participants"] = said.participants
    if times:
        facts |= {"started": instants.show_exactly(times[0]), "ended": instants.show_exactly(times[-1])}
    memory = NewMemory(
        _PARAGRAPH.join(sections),
        "conversation",
        said.title[:200],
        project=said.project,
        trust=said.trust,
        created_by=source,
        origin=Origin(source),
        said_at=times[0] if times else None,
        key=said.key,
    )
    return memory, facts


def _split(text: str) -> Iterator[str]:
    """In parts of a bearable size, between paragraphs where there are any."""
    if len(text.encode("utf-8", "surrogatepass")) <= MAX_PART_BYTES:
        yield text
        return
    part: list[str] = []
    size = 0
    pieces = (
        [block] if len(block) <= MAX_PART_BYTES // 4 else _cut(block, MAX_PART_BYTES // 4)
        for block in text.split(_PARAGRAPH)
    )
    for block in chain.from_iterable(pieces):
        length = len(block.encode("utf-8", "surrogatepass")) + 2
        if part and size + length > MAX_PART_BYTES:
            yield _PARAGRAPH.join(part)
            part, size = [], 0
        part.append(block)
        size += length
    yield _PARAGRAPH.join(part)


def _cut(text: str, most: int) -> list[str]:
    return [text[start : start + most] for start in range(0, len(text), most)]
