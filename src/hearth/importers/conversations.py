"""Conversations of other places as documents: one each, continued as it grows, never written twice.

What hooks may have captured continues capture's document; all else stands in ``imported/SOURCE``, where two machines
write the same bytes to one path. How far a source was read follows from the documents alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from datetime import datetime

from hearth.capture.conversations import FOLDER, MAX_PART_BYTES, Section, fit_words, read_count, sections, title_of
from hearth.core import instants
from hearth.core.lazy import dataclass, regex
from hearth.core.session import hashed, session_key
from hearth.core.transcript import Kind, TranscriptEntry
from hearth.importers.formats import MAX_CONVERSATION_CHARS, TOO_LARGE, Conversation, Found, Page
from hearth.importers.runs import MINE, REFUSALS, Counted, ImportRun, is_import
from hearth.markdown import frontmatter
from hearth.markdown.blocks import Value
from hearth.memory import file_names
from hearth.memory.undo import WROTE
from hearth.text.lines import cut_line
from hearth.vault.validity import IMPORTED

_ID_CHARS = 12
_DIGEST_CHARS = 16
_HEAD_BYTES = 4096
_TITLE_CHARS = 60
_PART = regex(r"\.(\d+)(?:-[0-9a-z]+)?\.md\Z")
_UNTITLED = "conversation"
_UNDATED = "undated"
NOTHING_SAID = "nothing was said"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a conversation's files are, and how its instants are shown there. ``session`` is the name by which capture
    knows it."""

    folder: str
    mark: str
    zone: str
    session: str | None = None

    def moment(self, at: int) -> datetime:
        return instants.moment(at, instants.zone_of(self.zone))

    def render(self, said: Sequence[Section], day: str) -> str:
        def time(at: int) -> str:
            moment = self.moment(at)
            return f"{moment:%H:%M}" if f"{moment:%Y-%m-%d}" == day else f"{moment:%Y-%m-%d %H:%M}"

        return "\n\n".join(section.render(time) for section in said)


@dataclass(frozen=True, slots=True)
class Part:
    """What the files of a conversation have in common: how their names begin, and their title. ``tail`` marks those of
    this machine, beside those of another one."""

    found: Conversation
    place: Place
    stem: str
    title: str
    tail: str = ""

    @property
    def day(self) -> str:
        return self.stem.rpartition("/")[2][: len("2000-01-01")]


@dataclass
class ConversationFiles:
    """``zone`` is the vault's. ``project_of`` gives the project of a folder, ``select_kept`` leaves out what was said
    in folders of which nothing is kept."""

    run: ImportRun
    zone: str
    project_of: Callable[[str], str | None]
    select_kept: Callable[[Sequence[TranscriptEntry]], Sequence[TranscriptEntry]]
    since: int | None = None
    _listings: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    _seen: dict[str, str] = field(default_factory=dict)
    _own: set[str] | None = None

    def keep(self, found: Found) -> str | None:
        """Writes what is new of a conversation or page; gives the path of its last file, where it has one."""
        if isinstance(found, Page):
            return self._keep_page(found)
        report = self.run.report
        if found.left_out:
            report.skip(found.left_out)
            return None
        if found.entries is TOO_LARGE:
            name = self.run.writer.redact(found.title or found.id).text
            report.skip("could not be read", name, f"over {MAX_CONVERSATION_CHARS // 2**20} MB of text; split it")
            return None
        entries = self.select_kept(found.entries)
        if not any(entry.kind in (Kind.USER, Kind.ASSISTANT) for entry in entries):
            report.skip(NOTHING_SAID)
            return None
        last = max((entry.at for entry in entries if entry.at is not None), default=None)
        if self.since is not None and last is not None and last < self.since:
            report.skip("older than --since")
            return None
        return self._keep_conversation(replace(found, entries=entries))

    # -- conversations ---------------------------------------------------------------------------------------------

    def _keep_conversation(self, found: Conversation) -> str | None:
        place, digest = _find_place(found, self.zone), _digest(found, len(found.entries))
        if self._seen.get(place.mark) == digest:
            self.run.report.count("known", found.source)
            return None
        if place.mark in self._seen:
            # The same conversation again in this run, longer or shorter.
            self.run.flush()
        self._seen[place.mark] = digest
        parts = self._list(place.folder).get(place.mark, [])
        if not parts:
            return self._create(found, place)
        state = self.run.find_state(self.run.docid(parts[0]))
        if state == "free" and _says_digest(self._read_head(parts[-1]), digest):
            self.run.report.count("known", found.source)
            return parts[-1]
        present = self.run.writer.memories.read(parts[-1])
        if present is None or state in REFUSALS:
            self.run.report.skip(state if state in REFUSALS else "its file is gone", parts[-1])
            return None
        if state == "taken back":
            for path in parts:
                self.run.show_again(path, self.run.writer.memories.read(path) or b"")
        fields = frontmatter.split(present.decode("utf-8", "replace")).fields
        if fields.get("digest") == digest or _is_read(fields, found):
            self.run.report.count("taken" if state == "taken back" else "known", found.source)
            return parts[-1]
        return self._extend(found, place, parts, present)

    def _create(self, found: Conversation, place: Place) -> str | None:
        said = self._render(found, found.entries)
        if not said:
            self.run.report.skip(NOTHING_SAID)
            return None
        began = next((section.at for section in said if section.at is not None), None)
        asked = self.run.writer.redact(title_of(found.entries)).text
        title = " ".join((self.run.writer.redact(found.title).text or asked or _first_words(said)).split())
        day = _UNDATED if began is None else f"{place.moment(began):%Y-%m-%d}"
        stem = f"{place.folder}/{day}-{file_names.slug(asked or title) or _UNTITLED}-{place.mark}"
        state = self.run.find_state(self.run.docid(f"{stem}.md"))
        if state in REFUSALS:
            self.run.report.skip(state, f"{stem}.md")
            return None
        self.run.report.count("taken", found.source)
        counted: Counted = ("taken", found.source)
        return self._write_parts(Part(found, place, stem, cut_line(title, _TITLE_CHARS)), said, 1, counted)

    def _write_parts(self, part: Part, said: Sequence[Section], first: int, counted: Counted) -> str:
        """New files, none of them too large; gives the path of the last one."""
        path, number = "", first
        for batch in _divide(said):
            fields = {"title": part.title or _UNTITLED, **self._fields(part.found, part.place, batch)}
            text = frontmatter.render(fields, part.place.render(batch, part.day))
            path = f"{part.stem}.md" if number == 1 else f"{part.stem}.{number}{part.tail}.md"
            self.run.create(path, text.encode("utf-8", "replace"), counted if number == first else None)
            self._list(part.place.folder).setdefault(part.place.mark, []).append(path)
            number += 1
        return path

    def _extend(self, found: Conversation, place: Place, paths: list[str], present: bytes) -> str:
        """With what none of its files holds yet."""
        source = present.decode("utf-8", "replace")
        fields = frontmatter.split(source).fields
        stem = _PART.sub("", paths[0]).removesuffix(".md")
        is_foreign = place.session is None and self.run.docid(paths[-1]) not in self._find_own()
        title, tail = fields.get("title"), f"-{self.run.writer.machine}" if is_foreign else ""
        part = Part(found, place, stem, title if isinstance(title, str) else "", tail)
        new = self._find_new(part, paths, source)
        if not new:
            self.run.report.count("known", found.source)
            return paths[-1]
        self.run.report.count("merged", found.source)
        counted: Counted = ("merged", found.source)
        added = place.render(new, part.day)
        if is_foreign or len(present) + len(added.encode("utf-8", "replace")) > MAX_PART_BYTES:
            return self._write_parts(part, new, max(map(_part, paths)) + 1, counted)
        known = self._fields(found, place, new)
        changes: dict[str, Value | None] = {name: known[name] for name in _GROWING if name in known}
        changes["turns"] = str(read_count(fields.get("turns")) + _count_turns(new, found))
        body = "\n\n".join(filter(None, (frontmatter.body_of(source), added)))
        text = frontmatter.change(source, changes, body)
        self.run.replace(paths[-1], text.encode("utf-8", "replace"), present, counted)
        return paths[-1]

    def _find_new(self, part: Part, paths: Sequence[str], source: str) -> list[Section]:
        """What stands behind the place up to which the source was read; where that place is not in it any more, what
        the files do not hold."""
        found, fields = part.found, frontmatter.split(source).fields
        if part.place.session is not None and fields.get("transcript") == found.transcript != "":
            read_to = read_count(fields.get("read_to"))
            return self._render(found, [entry for entry in found.entries if entry.offset >= read_to])
        taken = read_count(fields.get("entries"))
        if 0 < taken <= len(found.entries) and fields.get("digest") == _digest(found, taken):
            return self._render(found, found.entries[taken:])
        texts = (self.run.writer.memories.read(path) or b"" for path in paths[:-1])
        whole = "\n\n".join((*(text.decode("utf-8", "replace") for text in texts), source))
        said = self._render(found, found.entries)
        return [one for one in said if part.place.render([one], part.day) not in whole]

    def _render(self, found: Conversation, entries: Sequence[TranscriptEntry]) -> list[Section]:
        said = _tell(found, entries) if found.speakers else sections(entries)
        return [replace(section, body=self._clean(section.body)) for section in said]

    def _fields(self, found: Conversation, place: Place, said: Sequence[Section]) -> dict[str, Value]:
        known = [section.at for section in said if section.at is not None]
        third = tuple(self.run.writer.redact(name).text for name in dict.fromkeys(found.speakers.values()))
        is_session = place.session is not None
        fields: dict[str, Value] = {
            "content_type": "conversation",
            "source": found.source,
            "source_id": self.run.writer.redact(found.id).text,
            "session": place.session or "",
            "host": found.host or "",
            "project": (self.project_of(found.cwd) if found.cwd else None) or "",
            "participants": third or ("user", found.source),
            "started": instants.show_exactly(known[0]) if known else "",
            "ended": instants.show_exactly(max(known)) if known else "",
            "turns": str(_count_turns(said, found)),
            "transcript": found.transcript if is_session else "",
            "read_to": str(found.read_to) if is_session and found.transcript else "",
            "entries": str(len(found.entries)),
            "digest": _digest(found, len(found.entries)),
            "trust": "external" if third else "agent",
            "created_by": MINE,
            # A session belongs to the machine it was held on; of all else two machines write the same file.
            "machine": self.run.writer.machine if is_session else "",
        }
        return {name: value for name, value in fields.items() if value}

    # -- pages -----------------------------------------------------------------------------------------------------

    def _keep_page(self, page: Page) -> str | None:
        """One file a page; where its text is another than before, that takes its place."""
        mark = hashed(f"{page.source}\0{page.id}")[:_ID_CHARS]
        title = cut_line(" ".join(self.run.writer.redact(page.title).text.split()), _TITLE_CHARS) or page.source
        fields: dict[str, Value] = {
            "title": title,
            "content_type": "note",
            "source": page.source,
            "source_id": self.run.writer.redact(page.id).text,
            "authored_at": "" if page.at is None else instants.show_exactly(page.at),
            "trust": "agent",
            "created_by": MINE,
        }
        body = self._clean(page.text.replace("\0", "").replace("\r\n", "\n"))
        data = frontmatter.render({name: value for name, value in fields.items() if value}, body).encode(
            "utf-8", "replace"
        )
        folder = f"{IMPORTED}/{page.source}"
        known = self._list(folder).get(mark)
        path = known[-1] if known else f"{folder}/{file_names.slug(title) or 'page'}-{mark}.md"
        state = self.run.find_state(self.run.docid(path))
        if state in REFUSALS:
            self.run.report.skip(state, path)
            return None
        present = self.run.writer.memories.read(path)
        if present == data and state == "free":
            self.run.report.count("known", page.source)
        elif present is None or present == data:
            self.run.report.count("taken", page.source)
            self._list(folder)[mark] = [path]
            if present is None:
                self.run.create(path, data, ("taken", page.source))
            else:
                self.run.show_again(path, data)
        else:
            self.run.report.count("merged", page.source)
            self.run.replace(path, data, present, ("merged", page.source))
        return path

    # -- details ---------------------------------------------------------------------------------------------------

    def _list(self, folder: str) -> dict[str, list[str]]:
        """The files of each conversation in a folder, in their order."""
        if folder not in self._listings:
            found: dict[str, list[str]] = {}
            for name in self.run.writer.memories.names(folder):
                stem = _PART.sub("", name).removesuffix(".md")
                found.setdefault(stem[-_ID_CHARS:], []).append(f"{folder}/{name}")
            self._listings[folder] = {mark: sorted(paths, key=_part) for mark, paths in found.items()}
        return self._listings[folder]

    def _read_head(self, path: str) -> bytes:
        """The place of a file's frontmatter, which suffices for most known files."""
        with suppress(OSError), open(f"{self.run.writer.memories.root}/{path}", "rb") as file:  # noqa: PTH123
            return file.read(_HEAD_BYTES)
        return b""

    def _find_own(self) -> set[str]:
        """The documents that this machine took in."""
        if self._own is None:
            events = self.run.history.log.newest(own=True, naming=(WROTE,))
            self._own = {str(event.doc) for event in events if is_import(event.data.get("run"))}
        return self._own

    def _clean(self, text: str) -> str:
        cleaned = self.run.writer.redact(text)
        self.run.report.redacted += len(cleaned.secrets)
        return cleaned.text


_GROWING = ("ended", "transcript", "read_to", "entries", "digest")


def _find_place(found: Conversation, zone: str) -> Place:
    if found.host is not None:
        session = session_key(found.id)
        return Place(FOLDER, hashed(session)[:_ID_CHARS], zone, session)
    return Place(f"{IMPORTED}/{found.source}", hashed(f"{found.source}\0{found.id}")[:_ID_CHARS], "UTC")


def _tell(found: Conversation, entries: Sequence[TranscriptEntry]) -> Iterator[Section]:
    """What third persons said, a paragraph each with the name before it, under the day on which that was. Of none of it
    is said that it is the person's: it may stand between words of others."""
    wanted = {entry.offset for entry in entries}
    before: int | None = None
    for entry in found.entries:
        if entry.kind not in (Kind.USER, Kind.ASSISTANT):
            continue
        day = None if entry.at is None else entry.at // instants.DAY_MS
        heading = ""
        if day is not None and day != before:
            heading = f"## {instants.show_date(day * instants.DAY_MS)}\n\n"
            before = day
        name = found.speakers.get(entry.offset, "unknown").replace("*", "")
        if entry.offset in wanted:
            yield Section("", entry.at, f"{heading}**{name}**: {fit_words(entry.text)}", entry.offset)


def _divide(said: Sequence[Section]) -> Iterator[list[Section]]:
    part: list[Section] = []
    size = 0
    for section in said:
        length = len(section.body.encode("utf-8", "replace"))
        if part and size + length > MAX_PART_BYTES * 0.9:
            yield part
            part, size = [], 0
        part.append(section)
        size += length
    if part:
        yield part


def _digest(found: Conversation, count: int) -> str:
    """Of what was said first: what has the same was taken in."""
    made = hashlib.sha256()
    for entry in found.entries[:count]:
        row = (entry.kind.value, entry.text, entry.at, entry.tool, entry.files, found.speakers.get(entry.offset))
        made.update(repr(row).encode("utf-8", "replace"))
    return made.hexdigest()[:_DIGEST_CHARS]


def _says_digest(data: bytes, digest: str) -> bool:
    """Whether a file's frontmatter names it, without reading all of that."""
    head = data[: data.find(b"\n---", 3)]
    return any(f"\ndigest: {quote}{digest}{quote}\n".encode() in head + b"\n" for quote in ("", '"'))


def _is_read(fields: Mapping[str, Value], found: Conversation) -> bool:
    """Whether capture, or a run before, read the transcript this far."""
    is_same = found.transcript != "" and fields.get("transcript") == found.transcript
    return is_same and read_count(fields.get("read_to")) >= found.read_to > 0


def _count_turns(said: Sequence[Section], found: Conversation) -> int:
    return len(said) if found.speakers else sum(section.by_person for section in said)


def _first_words(said: Sequence[Section]) -> str:
    return cut_line(" ".join(said[0].body.replace("*", "").split()), _TITLE_CHARS)


def _part(path: str) -> int:
    found = _PART.search(path)
    return int(found[1]) if found else 1
