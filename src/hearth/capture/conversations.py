"""Sessions as markdown: turns as they were said, kept in a document for each session."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby, pairwise, takewhile
from pathlib import PurePosixPath

from hearth.capture.requests import TITLE_CHARS, find_request
from hearth.capture.requests import title_of as title_of_request
from hearth.capture.work import MINUTE_MS
from hearth.core import instants
from hearth.core.document import CAPTURE, CONVERSATIONS, content_hash, docid
from hearth.core.errors import Conflict, Unavailable
from hearth.core.hook import Act
from hearth.core.lazy import dataclass, regex
from hearth.core.session import Session, mark_conversation
from hearth.core.transcript import Kind, TranscriptEntry
from hearth.language.structure import strip_host_marks
from hearth.language.voices import Voice, hear
from hearth.markdown import frontmatter
from hearth.markdown.blocks import Value
from hearth.memory import file_names
from hearth.memory.writer import MemoryWriter
from hearth.text.lines import FENCE, cut_line
from hearth.transcripts.typed import entries_heard
from hearth.vault.indexing.analysis import decode_text
from hearth.vault.indexing.encodings import NotText

_HEAD_CHARS, _TAIL_CHARS = 6_000, 2_000
_LEAST_LETTERS = 3
_ATX = regex(r"[ ]{0,3}(#{1,6})(?=[ \t]|$)")
_UNDERLINE = regex(r"[ ]{0,3}(?:=+|-+)[ \t]*$")
# Below the heading of a turn.
_DEEPER = 2
_UNMARKED = (Voice.OWN, Voice.CODE)
_QUOTE = regex(r"^", re.MULTILINE)
BOUNDARY = "*The host compacted the session here.*"
_SPOKEN = (Kind.USER, Kind.ASSISTANT, Kind.TOOL_CALL, Kind.BOUNDARY)

_WORDS = regex(r"\w+")
_STEM = 4
"""Characters that inflections of a word share."""


@dataclass(frozen=True, slots=True)
class Section:
    """One turn of one side. ``offset`` is the byte of the transcript at which its first line starts, ``by_person``
    whether the person opens it; a boundary has no ``role``."""

    role: str
    at: int | None
    body: str
    offset: int

    @property
    def by_person(self) -> bool:
        return self.role == "User"

    def render(self, time: Callable[[int], str]) -> str:
        if not self.role:
            return self.body
        stamp = "" if self.at is None else f" · {time(self.at)}"
        return f"## {self.role}{stamp}\n\n{self.body}"


def sections(entries: Iterable[TranscriptEntry]) -> list[Section]:
    """What was said and done, in order; what the person asked not to keep is left out."""
    spoken = [entry for entry in entries_heard(entries) if entry.kind in _SPOKEN or entry.kind is Kind.TOOL_RESULT]
    failed = {entry.call for entry in spoken if entry.kind is Kind.TOOL_RESULT and entry.failed and entry.call}
    found: list[Section] = []
    for role, part in groupby((entry for entry in spoken if entry.kind in _SPOKEN), key=_role):
        found += _sections(role, list(part), failed)
    return found


def title_of(entries: Iterable[TranscriptEntry]) -> str:
    """What the person asked for first, as one line; empty where no prompt says anything."""
    requests = [entry.text for entry in entries_heard(entries) if entry.kind is Kind.USER]
    if request := find_request(requests):
        return title_of_request(request)
    lines = (" ".join(strip_host_marks(text).split()) for text in requests)
    told = (line for line in lines if not line.startswith("/") and sum(map(str.isalpha, line)) >= _LEAST_LETTERS)
    return cut_line(next(told, ""), TITLE_CHARS)


def name_of(entries: Sequence[TranscriptEntry], title: str) -> str:
    """What the person called the session last, else what a model did in words that stand in ``title``, so that it tells
    nothing that was left out; empty where neither is so."""
    for kind in (Kind.NAME, Kind.TITLE):
        names = (" ".join(entry.text.split()) for entry in reversed(entries) if entry.kind is kind)
        name = next(filter(None, names), "")
        if name and (kind is Kind.NAME or _stems(name) <= _stems(title)):
            return cut_line(name, TITLE_CHARS)
    return ""


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in _WORDS.findall(text.casefold()) if len(word) >= _STEM}


def _role(entry: TranscriptEntry) -> str:
    if entry.kind is Kind.BOUNDARY:
        return ""
    return "User" if entry.kind is Kind.USER else "Assistant"


def _sections(role: str, entries: Sequence[TranscriptEntry], failed: set[str]) -> Iterator[Section]:
    first = entries[0]
    if not role:
        yield Section("", first.at, BOUNDARY, first.offset)
    elif role == "User":
        for entry in entries:
            if body := fit_words(_mark_foreign(entry.text)):
                yield Section(role, entry.at, body, entry.offset)
    else:
        parts = [part for entry in entries if (part := _tool(entry, failed) or fit_words(entry.text))]
        if parts:
            yield Section(role, first.at, _join(parts), first.offset)


def _tool(entry: TranscriptEntry, failed: set[str]) -> str:
    if entry.kind is not Kind.TOOL_CALL:
        return ""
    what = ", ".join(entry.files) or _command(entry)
    aim = f" `{cut_line(' '.join(what.replace('`', chr(39)).split()), 160)}`" if what else ""
    return f"- {entry.tool or 'tool'}{aim}: {'failed' if entry.call in failed else 'ok'}"


def _command(entry: TranscriptEntry) -> str:
    action = entry.action
    return action.text if action is not None and action.act in (Act.COMMAND, Act.READ) else ""


def _join(parts: Sequence[str]) -> str:
    """Lines of tools stand together, all else apart."""
    text = parts[0]
    for before, part in pairwise(parts):
        text += ("\n" if before.startswith("- ") and part.startswith("- ") and "\n" not in before else "\n\n") + part
    return text


def _mark_foreign(text: str) -> str:
    """A prompt in which other people's words and programs' output are quoted with ``>``, unless they are marked."""
    spans = hear(text)
    if all(span.voice in _UNMARKED for span in spans):
        return text
    parts, at = [], 0
    for span in spans:
        whole = text[at : span.start].endswith("\n") or not span.start
        words = text[span.start : span.end]
        marked = span.voice not in _UNMARKED and whole and not words.lstrip().startswith(">")
        parts += [text[at : span.start], _QUOTE.sub("> ", words) if marked else words]
        at = span.end
    return "".join((*parts, text[at:]))


def fit_words(text: str) -> str:
    """What was said, shortened in the middle where it is long, its headings below those of turns."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if len(text) > _HEAD_CHARS + _TAIL_CHARS:
        left = len(text) - _HEAD_CHARS - _TAIL_CHARS
        head, tail = text[:_HEAD_CHARS].rstrip(), text[-_TAIL_CHARS:].lstrip()
        opened = sum(1 for row in head.split("\n") if FENCE.match(row)) % 2
        close = "\n```" if opened else ""
        text = f"{head}{close}\n\n[… {left:,} characters left out …]\n\n{tail}"
    return "\n".join(_rows(text.split("\n")))


def _rows(rows: Sequence[str]) -> Iterator[str]:
    fence = ""
    for row in rows:
        mark = FENCE.match(row)
        if fence:
            yield row
            if mark and mark[1].startswith(fence) and row.strip() == mark[1]:
                fence = ""
            continue
        if mark:
            fence = mark[1]
            yield row
        elif heading := _ATX.match(row):
            level = min(6, len(heading[1]) + _DEEPER)
            yield "#" * level + row[heading.end() :]
        elif _UNDERLINE.match(row) and row.strip()[0] == "=":
            yield "\\" + row.lstrip()
        else:
            yield row
    if fence:
        yield fence


FOLDER = CONVERSATIONS.removesuffix("/")
MAX_PART_BYTES = 512 * 1024
"""A conversation goes on in another file where this one would become larger."""
_BATCH_CHARS = 64 * 1024
_TRIES = 8
_UNTITLED = "conversation"
_ANSWER = "## Assistant"
_TURN = regex(r"\n\n(?=## (?:User|Assistant)(?: · [^\n]*)?\n)")


@dataclass(frozen=True, slots=True)
class CaptureBatch:
    """What was read of a transcript at once: complete lines up to the byte ``end``. ``again`` says that reading began
    at the start of a file that was rotated or rewritten: some of it may be there already. ``gone`` are turns before
    it that were taken back."""

    transcript: str
    entries: Sequence[TranscriptEntry]
    end: int
    again: bool = False
    gone: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Conversations:
    """Files are whole or not there; adding a piece twice adds it once."""

    writer: MemoryWriter

    def add(self, session: Session, batch: CaptureBatch) -> str | None:
        """Adds what was said in a piece; gives the docid of its document, ``None`` where nothing was said.

        Raises ``Unavailable`` where the file can't be written, or keeps being written by others, ``Conflict`` where it
        is no text any more."""
        new = [replace(section, body=self._clean(section.body)) for section in sections(batch.entries)]
        paths: dict[str, None] = {}
        with self.writer.exclusive():
            renamed = not new and name_of(batch.entries, "") and self.paths(session.id)  # in words of the person
            for part, group in [(batch, new)] if renamed else _split(batch, new):
                paths[self._add(session, part, group)] = None
            for path in paths:
                self.writer.index(path, docid(self.writer.collection.name, path))
        return docid(self.writer.collection.name, path) if paths else None

    def _add(self, session: Session, batch: CaptureBatch, new: Sequence[Section]) -> str:
        """Gives the path that holds it."""
        for _ in range(_TRIES):
            path = next(reversed(self.paths(session.id)), None)
            present = None if path is None else self.writer.memories.read(path)
            if path is None or present is None:
                done = self._create(session, batch, new)
            else:
                done = self._extend(path, present, batch, new)
            if done is not None:
                return done
        raise Unavailable(f"{self.writer.memories.root}/{FOLDER} keeps changing while it is read; try again")

    def own(self, session: Session, batch: CaptureBatch) -> CaptureBatch:
        """The piece without what another session's document holds: a host copies what was said before a session began
        into its fork."""
        own_sections = [replace(section, body=self._clean(section.body)) for section in sections(batch.entries)]
        first = own_sections[0] if own_sections else None
        if first is None or first.at is None or first.at > session.began - MINUTE_MS or self.paths(session.id):
            return batch
        for name in self.writer.memories.names(FOLDER):
            if not name.startswith(f"{self._moment(first.at):%Y-%m-%d}"):
                continue
            data = self.writer.memories.read(f"{FOLDER}/{name}") or b""
            source, day = data.decode("utf-8", "replace"), name[:10]
            if self._text([first], day) in source:
                new = next(
                    (section.offset for section in own_sections if self._text([section], day) not in source), batch.end
                )
                return replace(batch, entries=[entry for entry in batch.entries if entry.offset >= new])
        return batch

    def take_out(self, session: Session, entries: Sequence[TranscriptEntry]) -> list[str]:
        """Takes what these entries say out of the session's files; gives the docids of those whose title
        nothing that is left says: another file stands for each. Raises as ``add``."""
        gone = [replace(section, body=self._clean(section.body)) for section in sections(entries)]
        with self.writer.exclusive():
            found = [self._take_out(session, path, gone) for path in self.paths(session.id)]
        return [one for one in found if one is not None]

    def _take_out(self, session: Session, path: str, gone: Sequence[Section]) -> str | None:
        present = self.writer.memories.read(path) or b""
        source, day = present.decode("utf-8", "replace"), PurePosixPath(path).name[:10]
        parts = _TURN.split(frontmatter.body_of(source))
        kept = list(parts)
        for section in gone:
            text = self._text([section], day)
            at = next((at for at in reversed(range(len(kept))) if kept[at].strip() == text.strip()), None)
            if at is not None:
                # An answer that came in several pieces stands in several parts.
                answers = takewhile(lambda part: part.startswith(_ANSWER), kept[at + 1 :]) if section.by_person else ()
                del kept[at : at + 1 + len(list(answers))]
        if kept == parts:
            return None
        fields = frontmatter.split(source).fields
        title = _one(fields, "title").removesuffix("…")
        lines = (line.removeprefix("> ") for part in kept for line in part.split("\n"))
        called = title != _UNTITLED and title not in strip_host_marks(" ".join(" ".join(lines).split()))
        changed: dict[str, Value] = {"turns": str(max(0, _count(fields) - sum(section.by_person for section in gone)))}
        data = frontmatter.change(source, changed | ({"title": _UNTITLED} if called else {}), "\n\n".join(kept))
        new = f"{FOLDER}/{day}-{_UNTITLED}-{mark_conversation(session.id)}{_tail(_part(path))}.md" if called else path
        encoded = data.encode("utf-8", "replace")
        memories = self.writer.memories
        # What was killed in between left another file already.
        there = present if new == path else memories.read(new)
        done = memories.create(new, encoded) if there is None else memories.replace(new, encoded, content_hash(there))
        if not done:
            raise Unavailable(f"{memories.root}/{path} keeps changing while it is read; try again")
        self.writer.index(new, docid(self.writer.collection.name, new))
        return docid(self.writer.collection.name, path) if new != path else None

    def paths(self, session: str) -> list[str]:
        """The files of a session in their order, below the memory folder."""
        mark = mark_conversation(session)
        found = [name for name in self.writer.memories.names(FOLDER) if mark in name]
        return [f"{FOLDER}/{name}" for name in sorted(found, key=lambda name: _part(name))]

    def latest(self, session: str) -> str | None:
        """The docid of the file to which a session's turns are added; ``None`` where none is kept."""
        path = next(reversed(self.paths(session)), None)
        return None if path is None else docid(self.writer.collection.name, path)

    # -- writing ---------------------------------------------------------------------------------------------------

    def _create(
        self, session: Session, batch: CaptureBatch, new: Sequence[Section], part: int = 1, title: str = ""
    ) -> str | None:
        began = next((section.at for section in new if section.at is not None), session.began)
        title = title or self._clean(self._name(batch, new) or title_of(batch.entries))
        fields: dict[str, Value] = {
            "title": title or _UNTITLED,
            "content_type": "conversation",
            "session": session.id,
            "host": session.host or "",
            "project": session.project or "",
            "started": instants.show_exactly(began),
            "trust": "agent",
            "created_by": CAPTURE,
            "machine": self.writer.machine,
        }
        fields = {name: value for name, value in fields.items() if value} | _progress(batch, new, 0)
        day = f"{self._moment(began):%Y-%m-%d}"
        path = f"{FOLDER}/{day}-{file_names.slug(title) or _UNTITLED}-{mark_conversation(session.id)}{_tail(part)}.md"
        text = frontmatter.render(fields, self._text(new, day))
        return path if self.writer.memories.create(path, text.encode("utf-8", "replace")) else None

    def _extend(self, path: str, present: bytes, batch: CaptureBatch, said: Sequence[Section]) -> str | None:
        try:
            source = decode_text(present)
        except NotText as error:
            raise Conflict(f"{self.writer.memories.root}/{path} is {error}; move it away") from error
        fields = frontmatter.split(source).fields
        day = PurePosixPath(path).name[:10]
        new = self._unknown(source, fields, batch, said, day)
        name = self._name(batch, said, source)
        if not new and name in ("", _one(fields, "title")):
            return path
        added = self._text(new, day)
        if new and len(present) + len(added.encode("utf-8", "replace")) > MAX_PART_BYTES:
            return self._go_on(path, fields, batch, new)
        body = "\n\n".join(filter(None, (frontmatter.body_of(source), added)))
        if not name and _one(fields, "title") == _UNTITLED:
            name = self._clean(title_of(batch.entries))
        changed: dict[str, Value] = {"title": name} if name else {}
        data = frontmatter.change(source, _progress(batch, new, _count(fields)) | changed, body).encode(
            "utf-8", "replace"
        )
        return path if self.writer.memories.replace(path, data, content_hash(present)) else None

    def _unknown(
        self, source: str, fields: Mapping[str, Value], batch: CaptureBatch, new: Sequence[Section], day: str
    ) -> list[Section]:
        """What the file does not hold: whoever was killed between writing it and noting so comes again, and so does
        what a host copies into another file."""
        if batch.again or fields.get("transcript") != batch.transcript:
            return [section for section in new if self._text([section], day) not in source]
        read_to = read_count(fields.get("read_to"))
        return [section for section in new if section.offset >= read_to]

    def _go_on(self, path: str, fields: Mapping[str, Value], batch: CaptureBatch, new: Sequence[Section]) -> str | None:
        session, host, project, title = (_one(fields, name) for name in ("session", "host", "project", "title"))
        facts = Session(id=session, began=0, last=0, host=host or None, project=project or None)
        return self._create(facts, batch, new, _part(path) + 1, title)

    def _text(self, new: Sequence[Section], day: str) -> str:
        def time(at: int) -> str:
            moment = self._moment(at)
            return f"{moment:%H:%M}" if f"{moment:%Y-%m-%d}" == day else f"{moment:%Y-%m-%d %H:%M}"

        return "\n\n".join(section.render(time) for section in new)

    def _name(self, batch: CaptureBatch, new: Sequence[Section], source: str = "") -> str:
        return self._clean(name_of(batch.entries, "\n".join((source, *(section.body for section in new)))))

    def _clean(self, text: str) -> str:
        return self.writer.redact(text).text

    def _moment(self, at: int) -> datetime:
        return instants.moment(at, instants.zone_of(self.writer.zone))


def _split(batch: CaptureBatch, new: Sequence[Section]) -> Iterator[tuple[CaptureBatch, list[Section]]]:
    """In writes of a bearable size; each ends before the line of the transcript with which the next begins."""
    group: list[Section] = []
    for section in new:
        apart = bool(group) and section.offset > group[-1].offset
        if apart and sum(len(one.body) for one in group) + len(section.body) > _BATCH_CHARS:
            yield replace(batch, end=section.offset), group
            group = []
        group.append(section)
    if group:
        yield batch, group


def _progress(batch: CaptureBatch, new: Sequence[Section], turns: int) -> dict[str, Value]:
    ended = max((section.at for section in new if section.at is not None), default=None)
    known = {} if ended is None else {"ended": instants.show_exactly(ended)}
    count = turns + sum(section.by_person for section in new)
    return {**known, "turns": str(count), "transcript": batch.transcript, "read_to": str(batch.end)}


def _tail(part: int) -> str:
    return "" if part == 1 else f".{part}"


def _part(path: str) -> int:
    """Of a conversation in several files; 1 for the first."""
    number = PurePosixPath(path).name.removesuffix(".md").rpartition(".")[2]
    return int(number) if number.isdigit() else 1


def _one(fields: Mapping[str, Value], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def _count(fields: Mapping[str, Value]) -> int:
    return read_count(fields.get("turns"))


def read_count(value: Value | None) -> int:
    """A field's whole number; 0 for anything else."""
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() else 0
