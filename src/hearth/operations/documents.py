"""Documents: read one or several, list many, those written around one."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from hearth.core.document import UNTOUCHED
from hearth.core.errors import HearthError, NotFound, UsageError
from hearth.core.judgement import CURRENT, Validity
from hearth.core.lazy import dataclass
from hearth.guard.fence import visible
from hearth.memory.reviews import Doubts
from hearth.operations import render, shapes
from hearth.operations.arguments import Arguments, about, text, whole
from hearth.operations.operation import Operation, Request, Route, Row, Tool
from hearth.operations.search import Similar
from hearth.operations.shapes import CURSOR, DATE, NEXT, REMARKS, TEXT, WHOLE, cursor, instant, key, listed, obj, ref
from hearth.ports import Skipped, StoredDocument
from hearth.vault.changes import is_purged
from hearth.vault.documents import backlinks

if TYPE_CHECKING:
    from hearth.recall.hits import Moment
    from hearth.vault.documents import Excerpt

# Characters of an answer to a model: clients cut off, or spill into a file, at about 25,000 tokens.
MOST_CHARS = 40_000
_MOST_TEXT = 2_000_000
# More of them than a reader follows.
_BACKLINKS = 50
_WILD = "*?["


class Read(Arguments):
    """``max_chars`` is for surfaces whose answers are bounded."""

    reference: Annotated[
        str,
        text("Its docid (#… from any result), collection/path, or the end of its path; may end in :FROM:COUNT.", 4_096),
    ]
    from_line: Annotated[int | None, whole("First line to read (default: the beginning).", 1, 10_000_000)] = None
    max_lines: Annotated[int, whole("At most this many lines.", 1, 1_000_000)] = 100_000
    line_numbers: Annotated[bool, about("Put its number before each line (default false).")] = False
    max_chars: int | None = None


class McpRead(Read):
    max_lines: Annotated[int, whole("At most this many lines (default 400).", 1, 5_000)] = 400


class Several(Arguments):
    pattern: Annotated[str, text("notes/daily/2026-03-*.md, or a.md, #docid, …", 4_096)]
    limit: Annotated[int, whole("At most this many documents (default 10).", 1, 20)] = 10
    max_bytes: Annotated[int, whole("Leave out files larger than this (default 20000).", 1, 200_000)] = 20_000


class Listing(Arguments):
    pattern: Annotated[str | None, text("A glob over collection/path.", 4_096)] = None
    full: Annotated[bool, about("With their texts.")] = False
    max_bytes: Annotated[int, whole("With full: leave out larger files.", 1, 5_000_000)] = 65_536
    limit: Annotated[int, whole("Documents on a page.", 1, 500)] = 50
    cursor: Annotated[str | None, CURSOR] = None


class Around(Similar):
    before: Annotated[int, whole("At most this many older ones (default 5).", 0, 50)] = 5
    after: Annotated[int, whole("At most this many newer ones (default 5).", 0, 50)] = 5
    same_collection: Annotated[bool, about("Only from its collection (default false).")] = False
    as_of: Annotated[str | None, text(f"Only what was true then: {DATE}.", 40, format="date-time")] = None


@dataclass(frozen=True, slots=True)
class DocumentText:
    """Lines ``first`` to ``last`` of a document; ``cut`` where even the last one is not whole. ``backlinks`` are places
    of documents that link to it, ``None`` where nobody looked."""

    excerpt: Excerpt
    row: dict[str, Any]
    lines: list[str]
    first: int
    cut: bool = False
    backlinks: list[str] | None = None
    validity: Validity = CURRENT

    @property
    def last(self) -> int:
        return self.first + max(0, len(self.lines) - 1)

    @property
    def next(self) -> int | None:
        """Where to read on. A single line longer than an answer can't be read on from its middle."""
        return self.last + 1 if self.last < self.excerpt.end_line else None

    def to_dict(self) -> dict[str, Any]:
        lines = {"start_line": self.first, "end_line": self.last, "total_lines": self.excerpt.total_lines}
        found = self.row | lines | {"text": "\n".join(self.lines), "next_line": self.next}
        return found if self.backlinks is None else found | {"backlinks": self.backlinks}


@dataclass(frozen=True, slots=True)
class Readings:
    """``omitted`` counts documents that also fit."""

    readings: Sequence[DocumentText]
    skipped: Sequence[tuple[str, str]]
    omitted: int

    def to_dict(self) -> dict[str, Any]:
        skipped = [{"reference": place, "reason": reason} for place, reason in self.skipped]
        return {"documents": [r.to_dict() for r in self.readings], "skipped": skipped, "omitted": self.omitted}


@dataclass(frozen=True, slots=True)
class Timeline:
    moments: Sequence[Moment]
    now: int = 0

    def to_dict(self) -> dict[str, Any]:
        return {"documents": [shapes.document(moment.stored, self.now) | moment.links for moment in self.moments]}


def _read(call: Request, given: Read) -> DocumentText:
    excerpt = call.vault.get(given.reference)
    docid = excerpt.document.docid
    first = given.from_line or excerpt.start_line
    if not excerpt.start_line <= first <= max(excerpt.end_line, 1):
        raise UsageError(f"from_line is {first}; this holds lines {excerpt.start_line} to {excerpt.end_line}")
    chosen = excerpt.text.split("\n")[first - excerpt.start_line :][: given.max_lines]
    lines, cut = (chosen, False) if given.max_chars is None else _fitting(chosen, given.max_chars)
    shown = (first, first + max(0, len(lines) - 1))
    with call.vault.store.read() as reader:
        stored = reader.document(docid)
        linking = [f"{one.collection}/{one.path}" for one in backlinks(docid, reader)[:_BACKLINKS]]
        doubts = Doubts(reader, call.vault.clock()).find([docid]).get(docid, ())
    if stored is not None:
        call.afterwards(lambda vault: vault.usage.opened(docid, shown, call.session))
    state = UNTOUCHED if stored is None else stored.state
    cited = call.vault.find_cited(excerpt.document, excerpt.text)
    validity = replace(Validity.of(excerpt.document, state, call.vault.clock()), doubts=doubts, cited=cited)
    row = excerpt.document.to_dict() if stored is None else shapes.document(stored, call.vault.clock())
    row |= {"doubts": list(doubts)} if doubts else {}
    row |= {"cited": cited} if cited else {}
    return DocumentText(excerpt, row, lines, first, cut, linking, validity)


def _fitting(lines: list[str], most: int) -> tuple[list[str], bool]:
    """As many lines as fit, the first one cut where it alone is too long."""
    if len(lines[0]) > most:
        return [lines[0][:most]], True
    size = 0
    for at, line in enumerate(lines):
        size += len(line) + 1
        if size > most:
            return lines[:at], True
    return lines, False


def _several(call: Request, given: Several) -> Readings:
    references, omitted = _matching(call, given)
    excerpts: list[Excerpt] = []
    skipped: list[tuple[str, str]] = []
    for reference in references:
        try:
            found, left = call.vault.multi_get(reference, max_bytes=given.max_bytes)
        except NotFound as error:
            skipped.append((reference, error.said))
            continue
        excerpts += found
        skipped += [(f"{one.collection}/{one.path}", one.reason) for one in left]
    readings, room = [], MOST_CHARS
    for excerpt in excerpts:
        if len(excerpt.text) > room:
            skipped.append((excerpt.document.place, "no room left; use get"))
            continue
        room -= len(excerpt.text)
        readings.append(DocumentText(excerpt, excerpt.document.to_dict(), excerpt.text.split("\n"), excerpt.start_line))
    if not excerpts and not skipped:
        raise NotFound(f"no document matches {given.pattern!r}; status lists the collections")
    return Readings(readings, skipped, omitted)


def _matching(call: Request, given: Several) -> tuple[list[str], int]:
    """References, and how many more there are."""
    if any(mark in given.pattern for mark in _WILD):
        names = ((d.document.docid, (d.document.collection, d.document.path)) for d in call.vault.documents())
        found = [f"#{docid}" for docid, place in names if _fits(place, given.pattern)]
    else:
        found = [part.strip() for part in given.pattern.split(",") if part.strip()]
    return found[: given.limit], max(0, len(found) - given.limit)


def _list(call: Request, given: Listing) -> Row:
    """By collection and path. With texts a page ends early where they get long."""
    after = key(given.cursor, str, str) or ("", "")
    with call.vault.store.read() as reader:
        known = reader.docids()
    names = sorted((place, docid) for docid, place in known.items() if place > after and _fits(place, given.pattern))
    found: list[dict[str, Any]] = []
    skipped: list[Skipped] = []
    room, last, more, now = _MOST_TEXT, after, False, call.vault.clock()
    for place, docid in names:
        if len(found) + len(skipped) >= given.limit or room <= 0:
            more = True
            break
        last = place
        with call.vault.store.read() as reader:
            stored = reader.document(docid)
        if stored is None or stored.vanished or is_purged(stored.document):
            continue
        if set(stored.state.veils_at(now)) - {"pending"}:
            continue
        row = _whole(call, given, stored) if given.full else shapes.document(stored, now)
        if isinstance(row, Skipped):
            skipped.append(row)
        else:
            found.append(row)
            room -= len(row.get("text", ""))
    passed = [shapes.skipped(one) for one in skipped]
    return Row({"documents": found, "skipped": passed, "next": cursor(last) if more else None})


def _whole(call: Request, given: Listing, stored: StoredDocument) -> dict[str, Any] | Skipped:
    """A document with its text, or why not."""
    place = (stored.document.collection, stored.document.path)
    if stored.document.size > given.max_bytes:
        return Skipped(*place, f"{stored.document.size} bytes is over max_bytes {given.max_bytes}")
    try:
        return shapes.document(stored, call.vault.clock()) | {"text": call.vault.read(stored).text}
    except HearthError as error:
        return Skipped(*place, error.said)


def _fits(place: tuple[str, str], pattern: str | None) -> bool:
    if pattern is None:
        return True
    return fnmatch.fnmatchcase("/".join(place), pattern) or fnmatch.fnmatchcase(place[1], pattern)


def _around(call: Request, given: Around) -> Timeline:
    vault = call.vault
    end = instant(given.as_of, "as_of", vault.zone, end=True)
    found = vault.timeline(
        given.reference,
        before=given.before,
        after=given.after,
        same_collection=given.same_collection,
        as_of=None if end is None else end - 1,
    )
    return Timeline(found, vault.clock())


_SHOWN_BACKLINKS = 5


def render_document(result: DocumentText, given: Read) -> str:
    lines = _escape_lines(result)
    if given.line_numbers:
        lines = [f"{number}\t{line}" for number, line in enumerate(lines, result.first)]
    more = ""
    if result.next is not None:
        more = f"\n\n(cut here; read on with from_line {result.next})"
    elif result.cut:
        more = "\n\n(the last line is cut)"
    return _head(result) + "\n\n" + "\n".join(lines) + more + _linked_from(result.backlinks or [])


def _linked_from(places: list[str]) -> str:
    named = ", ".join(map(render.name, places[:_SHOWN_BACKLINKS]))
    more = f" and {len(places) - _SHOWN_BACKLINKS} more" if len(places) > _SHOWN_BACKLINKS else ""
    return f"\n\n(linked from {named}{more})" if places else ""


def render_documents(result: Readings, given: Arguments) -> str:
    bodies = [_head(one) + "\n\n" + "\n".join(_escape_lines(one)) for one in result.readings]
    left_out = [f"Left out {render.name(place)}: {render.word_message(reason)}" for place, reason in result.skipped]
    if result.omitted:
        left_out.append(f"{render.plural(result.omitted, 'more document')} fit; narrow the pattern")
    return ("\n\n---\n\n".join(bodies) + ("\n\n" + "\n".join(left_out) if left_out else "")).strip()


def render_timeline(result: Timeline, given: Arguments) -> str:
    marked = (
        f"{'>' if moment.focus else ' '} {render.document_line(moment.stored.document)}{_standing(moment, result.now)}"
        + (f", session {render.name(moment.session)}" if moment.session else "")
        + (f" (conversation #{moment.conversation})" if moment.conversation else "")
        for moment in result.moments
    )
    return "Oldest first; > is the one asked for.\n" + "\n".join(marked)


def _standing(moment: Moment, now: int) -> str:
    label = Validity.of(moment.stored.document, moment.stored.state, now).label()
    return f" ({label})" if label else ""


def _escape_lines(result: DocumentText) -> list[str]:
    """What a reader of the lines sees; as many lines, since what ends a line for some is part of one here."""
    return [visible(line).replace("\n", " ") for line in result.lines]


def _head(result: DocumentText) -> str:
    document = result.excerpt.document
    where = f"lines {result.first}-{result.last} of {result.excerpt.total_lines}"
    about = f"{render.line(document.title)} ({document.content_type}, #{document.docid})"
    head = f"{render.name(document.collection)}/{render.name(document.path)} | {about}, {where}"
    if result.validity.doubt:
        head += f"\n{result.validity.doubt}; memory_review settles it"
    if result.validity.has_changed_code:
        head += f"\ncited: {render.line(str(result.validity.cited))}"
    if not result.validity.hidden:
        return head
    more = (
        "memory_review approves or rejects it"
        if result.validity.hidden == ("pending",)
        else "memory_history tells the rest"
    )
    return f"{head}\n{result.validity.label(loud=True)}; {more}"


READ = Operation(
    "document",
    "Read a document",
    "Read a document or some of its lines, as its file is now.",
    Read,
    ref("Passage"),
    _read,
    words=render_document,
    tools=(Tool("get", "reference from_line max_lines line_numbers", takes=McpRead, fixed={"max_chars": MOST_CHARS}),),
    routes=(Route("GET", "/documents/{docid}", "reference from_line max_lines"),),
    command="get",
)
SEVERAL = Operation(
    "several",
    "Read several documents",
    "Read whole documents, by a glob over collection/path or comma-separated references.",
    Several,
    obj(
        {
            "documents": listed(ref("Read"), "What was read; the texts are in text."),
            "skipped": listed(obj({"reference": TEXT, "reason": TEXT}), "What was left out."),
            "omitted": WHOLE | {"description": "Documents that also fit."},
        }
    ),
    _several,
    words=render_documents,
    tools=(Tool("multi_get"),),
    command="multi-get",
)
LIST = Operation(
    "documents",
    "List documents",
    "Documents by collection and path, page by page.",
    Listing,
    obj(
        {
            "documents": listed(ref("Document")),
            "skipped": listed(ref("Skipped"), "Texts left out, and why."),
            "next": NEXT,
        },
        REMARKS,
    ),
    _list,
    routes=(Route("GET", "/documents"),),
    command="list",
)
TIMELINE = Operation(
    "timeline",
    "What was written around it",
    "List the documents written just before and after a document, oldest first.",
    Around,
    obj({"documents": listed(ref("Document"), "Oldest first.")}, REMARKS),
    _around,
    words=render_timeline,
    tools=(Tool("timeline", "reference before after same_collection as_of"),),
    routes=(Route("GET", "/timeline/{docid}", "reference before after same_collection as_of"),),
)
