"""Memories as their files say now, and daily notes: one file a day and machine."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from hearth.core import instants
from hearth.core.document import content_hash, is_docid
from hearth.core.errors import Conflict, Unavailable, UsageError
from hearth.core.lazy import regex
from hearth.core.memory import CONTENT_TYPES, MAKER, MAX_FILE_BYTES, REVISIONS, Known, Memory, Origin
from hearth.markdown import frontmatter
from hearth.markdown.blocks import Value
from hearth.memory.file_names import DAILY, day_path, plain_days
from hearth.ports import MemoryFiles, Redactor
from hearth.vault.indexing.analysis import decode_text
from hearth.vault.indexing.encodings import NotText, SourceText, decode


def read_said(memories: MemoryFiles, known: Known, redact: Redactor) -> dict[str, int]:
    """Each text that a memory had, what was joined to it by itself, and since when it said so (ms UTC)."""
    said: dict[str, int] = {}
    before = ""
    folder = f"{REVISIONS}/{known.memory.id}"
    former = (f"{folder}/{name}" for name in memories.names(folder))
    read_before = ((path, memories.read(path)) for path in former)
    every = [read(path, data, redact) for path, data in read_before if data is not None]
    for memory in (*(one.memory for one in every if one is not None), known.memory):
        joined = memory.text.removeprefix(f"{before}\n\n") if before else memory.text
        said.setdefault(joined, memory.authored_at)
        before = memory.text
    return said


def read(path: str, data: bytes, redact: Redactor) -> Known | None:
    """The memory in a file; ``None`` where no engine wrote it or its frontmatter can't be read any more. Its text is
    scrubbed, ``source`` is not."""
    try:
        source = decode_text(data)
    except NotText:
        return None
    head = frontmatter.split(source)
    fields = head.fields
    identity, content_type = _text(fields, "id"), _text(fields, "content_type") or ""
    machine = _text(fields, "machine")
    if identity is None or not is_docid(identity) or content_type not in CONTENT_TYPES or machine is None:
        return None
    memory = Memory(
        id=identity,
        text=redact(frontmatter.body_of(source)).text,
        content_type=content_type,
        title=_text(fields, "title") or "",
        machine=machine,
        authored_at=instants.parse_written(_text(fields, "authored_at") or "") or 0,
        tags=_list(fields, "tags"),
        project=_text(fields, "project"),
        subject=_text(fields, "subject"),
        session=_text(fields, "session"),
        scope=_text(fields, "scope") or "agent",
        trust=_text(fields, "trust") or "agent",
        created_by=_text(fields, "created_by") or "agent",
        confidence=_share(fields, "confidence"),
        supersedes=_list(fields, "supersedes"),
        expires_at=instants.parse_written(_text(fields, "expires_at") or ""),
        origin=_origin(fields),
        due_at=instants.parse_written(_text(fields, "due_at") or ""),
        owner=_text(fields, "owner"),
        valid_from=instants.parse_written(_text(fields, "valid_from") or ""),
        pending_since=instants.parse_written(_text(fields, "pending_since") or ""),
    )
    return Known(memory, path, content_hash(data), source, fields)


def fields_of(memory: Memory) -> dict[str, Value]:
    """The frontmatter of a memory, in the order in which people read it."""
    origin = memory.origin or Origin("")
    given: dict[str, Value | None] = {
        "title": memory.title,
        "content_type": memory.content_type,
        "tags": memory.tags,
        "project": memory.project,
        "subject": memory.subject,
        "session": memory.session,
        "scope": memory.scope,
        "confidence": None if memory.confidence is None else f"{memory.confidence:g}",
        "due_at": None if memory.due_at is None else instants.show_exactly(memory.due_at),
        "owner": memory.owner,
        "valid_from": None if memory.valid_from is None else instants.show_exactly(memory.valid_from),
        "source": origin.source or None,
        "evidence": origin.evidence or None,
        "evidence_by": "user" if origin.by_user else None,
        "tier": origin.tier or None,
        "importance": None if origin.importance is None else f"{origin.importance:g}",
        "supersedes": memory.supersedes[0] if len(memory.supersedes) == 1 else memory.supersedes,
        "expires_at": None if memory.expires_at is None else instants.show_exactly(memory.expires_at),
        "pending_since": None if memory.pending_since is None else instants.show_exactly(memory.pending_since),
        "authored_at": instants.show_exactly(memory.authored_at),
        "trust": memory.trust,
        "created_by": memory.created_by,
        "machine": memory.machine,
        "id": memory.id,
    }
    return {key: value for key, value in given.items() if value is not None and value != ()}


def rendered(memory: Memory) -> bytes:
    """A new file."""
    return frontmatter.render(fields_of(memory), memory.text).encode("utf-8")


def rewritten(known: Known, memory: Memory) -> bytes:
    """The file with another text; what people put into its frontmatter stays."""
    before, after = fields_of(known.memory), fields_of(memory)
    names = before.keys() | after.keys()
    changes = {name: after.get(name) for name in after if after[name] != known.fields.get(name)}
    changes |= dict.fromkeys(names - after.keys())
    return frontmatter.change(known.source, changes, memory.text).encode("utf-8", "replace")


def _text(fields: Mapping[str, Value], name: str) -> str | None:
    value = fields.get(name)
    return value.strip() or None if isinstance(value, str) else None


def _list(fields: Mapping[str, Value], name: str) -> tuple[str, ...]:
    value = fields.get(name, ())
    parts = value.split(",") if isinstance(value, str) else value
    return tuple(part.strip() for part in parts if part.strip())


def _origin(fields: Mapping[str, Value]) -> Origin | None:
    source = _text(fields, "source")
    if source is None:
        return None
    evidence, tier = (_text(fields, name) or "" for name in ("evidence", "tier"))
    by_user = _text(fields, "evidence_by") == "user"
    return Origin(source, evidence, tier, _share(fields, "importance"), by_user=by_user)


def _share(fields: Mapping[str, Value], name: str) -> float | None:
    try:
        value = float(_text(fields, name) or "")
    except ValueError:
        return None
    return value if 0 <= value <= 1 else None


# How often a note starts again because somebody else wrote the file meanwhile.
TRIES = 8
TIME = regex(r"^## (\d{2}:\d{2})[ \t]*$", re.MULTILINE)
# With the blank line before it.
_TIME_LINE = regex(r"(?:(?<=\n)\r?\n|^)## (\d{2}:\d{2})[ \t]*\r?$", re.MULTILINE)
_OUTDATED = regex(r"Outdated since \d{4}-\d\d-\d\d \d\d:\d\d: ")
_PARAGRAPH = regex(r"(?:(?<=\n\n)|(?<=\n\r\n))(?=[^\r\n])")
_MARKED = regex(rf"{_PARAGRAPH.pattern}{_OUTDATED.pattern}")
_MACHINE = regex(r"\b[0-9a-hjkmnp-tv-z]{10}\b")


def note(memories: MemoryFiles, text: str, moment: datetime, machine: str) -> str:
    """Adds a note to this machine's file of the day and gives its path. Raises as ``append``."""
    path = path_today(memories, moment, machine)
    append(memories, path, text, moment, begun(moment, machine))
    return path


def append(memories: MemoryFiles, path: str, text: str, moment: datetime, head: str, *, once: bool = False) -> None:
    """Adds a note to a file of the day, which begins with ``head``; ``once`` leaves out what stands there already.
    Raises ``Conflict`` for a file that is no text, ``UsageError`` where it would become too large to be read, and
    ``Unavailable`` where others keep writing it."""
    for _ in range(TRIES):
        present = memories.read(path)
        source = head if present is None else decode_day(present, path)
        if once and (f"\n{text}\n" in f"\n{source}\n" or _find_note(source, text, f"{moment:%H:%M}")):
            return
        added = appended(source, text, moment)
        data = added.encode() if present is None else _extend(present, added[len(source.rstrip()) :])
        if len(data) > MAX_FILE_BYTES:
            raise UsageError(f"{path} would exceed {MAX_FILE_BYTES // 2**20} MB; move some of it elsewhere")
        if memories.create(path, data) if present is None else memories.replace(path, data, content_hash(present)):
            return
    raise changing(memories, path)


def _extend(present: bytes, added: str) -> bytes:
    """A file with a text at its end, in its own encoding and with its line ends; as UTF-8 where it can't hold that."""
    known = decode(present)
    line_end = "\r\n" if "\r\n" in known.text else "\n"
    blank = known.text[len(known.text.rstrip("\r\n")) :].count("\n")
    more = ("\n" * max(0, 2 - blank) + added.lstrip("\n")).replace("\n", line_end)
    try:
        return present + more.encode(known.encoding, "surrogateescape")
    except UnicodeEncodeError:
        return f"{known.text}{more}".encode("utf-8", "surrogateescape")


def without_note(present: bytes, text: str, time: str) -> bytes | None:
    """A file without what ``append`` wrote under a time, and without that heading where nothing else stands under it;
    ``None`` where it isn't there. All other bytes stay."""
    known = decode(present)
    found = _find_note(known.text, text, time)
    if found is None:
        return None
    start, end = found
    before, after = known.text[:start], known.text[end:]
    heading = list(_TIME_LINE.finditer(before))[-1]
    rest = after.lstrip("\r\n")
    if not before[heading.end() :].strip("\r\n") and (not rest or _TIME_LINE.match(rest)):
        start = heading.start()
    return _recode(present, known, known.text[:start] + after)


def with_note_marked(present: bytes, text: str, time: str, since: datetime | None) -> bytes | None:
    """A file in which each paragraph of what ``append`` wrote under a time begins with since when it is outdated, or no
    longer does where ``since`` is ``None``; ``None`` where that changes nothing. All other bytes stay."""
    known = decode(present)
    found = _find_note(known.text, text, time)
    if found is None:
        return None
    start, end = found[0] - 1, found[1]
    noted = known.text[start:end]
    # The text itself may speak of what is outdated.
    is_marked = noted.replace("\r\n", "\n").strip("\n") != text.strip("\n")
    if since is not None and is_marked:
        return None
    plain = _MARKED.sub("", noted) if is_marked else noted
    mark = "" if since is None else f"Outdated since {since:%Y-%m-%d %H:%M}: "
    changed = plain if since is None else _PARAGRAPH.sub(mark, plain)
    return None if changed == noted else _recode(present, known, known.text[:start] + changed + known.text[end:])


def _find_note(source: str, text: str, time: str) -> tuple[int, int] | None:
    """From the empty line before it to its last line end."""
    lines = text.split("\n")
    starts = (not above.strip() for above in ("", *lines))
    wanted = r"\r?\n".join(
        f"(?:{_OUTDATED.pattern})?{re.escape(line)}" if first and line.strip() else re.escape(line)
        for first, line in zip(starts, lines, strict=False)
    )
    for found in re.finditer(rf"(?<=\n)\r?\n{wanted}(?:\r?\n|\Z)", source):
        headings = list(_TIME_LINE.finditer(source, 0, found.start()))
        if headings and headings[-1][1] == time:
            return found.span()
    return None


def _recode(present: bytes, known: SourceText, text: str) -> bytes:
    return present[: known.offset] + text.encode(known.encoding, "surrogateescape")


def changing(memories: MemoryFiles, path: str) -> Unavailable:
    return Unavailable(f"{memories.root}/{path} keeps changing while it is read; try again")


def decode_day(data: bytes, path: str) -> str:
    try:
        return decode_text(data).replace("\r\n", "\n")
    except NotText as error:
        raise Conflict(f"{path} is {error}; move it away and try again") from error


def path_today(memories: MemoryFiles, moment: datetime, machine: str) -> str:
    """This machine's file of the day: the plain name on the machine that made the vault."""
    day = f"{moment:%Y-%m-%d}"
    plain = day_path(day)
    present = memories.read(plain)
    if present is not None:
        return plain if machine_of(present) == machine else day_path(day, machine)
    return plain if maker(memories, machine) == machine else day_path(day, machine)


def maker(memories: MemoryFiles, machine: str) -> str:
    """The machine that made the vault, by a file that travels with it; where there is none yet, who wrote the latest
    plain name, else this one, and the file says so from now on.

    Where two vaults that were made apart are joined, whichever file the sync program keeps holds for both."""
    content = memories.read(MAKER)
    if content is None:
        first = _latest_writer(memories) or machine
        if memories.create(MAKER, f"{first}\n".encode("ascii")):
            return first
        content = memories.read(MAKER) or b""
    # Both sides of a conflict may stand in it, in any order.
    return min(_MACHINE.findall(content.decode("ascii", "replace")), default=machine)


def _latest_writer(memories: MemoryFiles) -> str | None:
    for name in plain_days(memories.names(DAILY))[:1]:
        latest = memories.read(f"{DAILY}/{name}")
        found = None if latest is None else machine_of(latest)
        return found if found is not None and _MACHINE.fullmatch(found) else None
    return None


def machine_of(data: bytes) -> str | None:
    """Who created a file; ``None`` where a person did."""
    try:
        value = frontmatter.split(decode_text(data)).fields.get("machine")
    except NotText:
        return None
    return value if isinstance(value, str) else None


def begun(moment: datetime, machine: str) -> str:
    fields = {"content_type": "daily", "trust": "agent", "machine": machine}
    return frontmatter.render(fields, f"# {moment:%Y-%m-%d}")


def appended(source: str, text: str, moment: datetime) -> str:
    """The file with a note at its end, under the present time; notes of one minute share a heading."""
    time = f"{moment:%H:%M}"
    headings = TIME.findall(source)
    head = "" if headings and headings[-1] == time else f"## {time}\n\n"
    return f"{source.rstrip()}\n\n{head}{text}\n"
