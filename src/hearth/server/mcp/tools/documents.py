"""Documents: read one or several, find those like one, or those written around one."""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING, Any

from hearth.errors import NotFound, UsageError
from hearth.guard.invisible import visible
from hearth.server.mcp import render
from hearth.server.mcp.tool import Answer, Call, Tool
from hearth.server.mcp.tools import common
from hearth.server.remedies import MCP, worded
from hearth.server.schema import flag, inputs, outputs, rows, text, value, whole

if TYPE_CHECKING:
    from hearth.engine.documents.reading import Passage
    from hearth.ports import Skipped

# Characters of an answer: clients cut off, or spill into a file, at about 25,000 tokens.
MOST_CHARS = 40_000
_MOST_DOCUMENTS = 20
_WILD = "*?["


def _get(call: Call) -> Answer:
    passage = call.vault.get(call["reference"])
    common.opened(call, passage.document.docid)
    lines = _visible(passage).split("\n")
    first = call["from_line"] or passage.start_line
    if not passage.start_line <= first <= max(passage.end_line, 1):
        raise UsageError(f"from_line is {first}; this holds lines {passage.start_line} to {passage.end_line}")
    chosen = lines[first - passage.start_line :][: call["max_lines"]]
    kept, cut = _fitting(chosen, MOST_CHARS)
    last = first + max(0, len(kept) - 1)
    row = _row(passage) | {"start_line": first, "end_line": last}
    body = "\n".join(kept)
    if call["line_numbers"]:
        body = "\n".join(f"{number}\t{line}" for number, line in enumerate(kept, first))
    more = last < passage.end_line or cut
    # A single line longer than an answer can't be read on from its middle.
    ahead = last + 1 if last < passage.end_line else None
    told = f"\n\n(cut here; read on with from_line {ahead})" if ahead else "\n\n(the last line is cut)" if more else ""
    return Answer(_head(row) + "\n\n" + body + told, row | {"next_line": ahead})


def _visible(passage: Passage) -> str:
    """What a reader of the lines sees; as many lines, since what ends a line for some is part of one here."""
    return "\n".join(visible(line).replace("\n", " ") for line in passage.text.split("\n"))


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


def _row(passage: Passage) -> dict[str, Any]:
    found = render.document_row(passage.document)
    lines = {"start_line": passage.start_line, "end_line": passage.end_line, "total_lines": passage.total_lines}
    return found | lines


def _head(row: dict[str, Any]) -> str:
    place = f"{render.name(row['collection'])}/{render.name(row['path'])}"
    where = f"lines {row['start_line']}-{row['end_line']} of {row['total_lines']}"
    return f"{place} | {row['title']} ({row['content_type']}, #{row['docid']}), {where}"


def _multi_get(call: Call) -> Answer:
    references, omitted = _matching(call)
    passages: list[Passage] = []
    skipped: list[tuple[str, str]] = []
    for reference in references:
        try:
            found, left = call.vault.multi_get(reference, max_bytes=call["max_bytes"])
        except NotFound as error:
            skipped.append((reference, worded(str(error), MCP)))
            continue
        passages += found
        skipped += [_skip(item) for item in left]
    bodies, data, room = [], [], MOST_CHARS
    for passage in passages:
        text_of = _visible(passage)
        if len(text_of) > room:
            skipped.append((f"{passage.document.collection}/{passage.document.path}", "no room left; use get"))
            continue
        room -= len(text_of)
        bodies.append(_head(_row(passage)) + "\n\n" + text_of)
        data.append(_row(passage))
    left_out = [f"Left out {render.name(place)}: {render.line(reason)}" for place, reason in skipped]
    if omitted:
        left_out.append(f"{render.plural(omitted, 'more document')} fit; narrow the pattern")
    if not passages and not skipped:
        raise NotFound(f"no document fits {call['pattern']!r}; status lists the collections")
    text_ = "\n\n---\n\n".join(bodies) + ("\n\n" + "\n".join(left_out) if left_out else "")
    listed = [{"reference": render.name(place), "reason": render.line(reason)} for place, reason in skipped]
    return Answer(text_.strip(), {"documents": data, "skipped": listed, "omitted": omitted})


def _matching(call: Call) -> tuple[list[str], int]:
    """References, and how many more there are."""
    pattern = call["pattern"]
    if any(mark in pattern for mark in _WILD):
        names = ((d.document.docid, d.document.collection, d.document.path) for d in call.vault.documents())
        found = [
            f"#{docid}"
            for docid, collection, path in names
            if fnmatch.fnmatchcase(f"{collection}/{path}", pattern) or fnmatch.fnmatchcase(path, pattern)
        ]
    else:
        found = [part.strip() for part in pattern.split(",") if part.strip()]
    return found[: call["limit"]], max(0, len(found) - call["limit"])


def _skip(item: Skipped) -> tuple[str, str]:
    return f"{item.collection}/{item.path}", worded(item.reason, MCP)


def _similar(call: Call) -> Answer:
    hits = call.vault.similar(call["reference"], call["limit"])
    head = f"{render.plural(len(hits), 'document')} like it, nearest first.\n\n" if hits else "No document is like it."
    return Answer(head + render.passages(hits), {"results": [render.row(hit) for hit in hits]})


def _timeline(call: Call) -> Answer:
    options = call.given("before", "after", "same_collection")
    moments = call.vault.timeline(call["reference"], **options)
    data = [
        render.document_row(moment.stored.document) | {"focus": moment.focus, "session": moment.session}
        for moment in moments
    ]
    marked = (
        f"{'>' if moment.focus else ' '} {render.document_line(moment.stored.document)}"
        + (f", session {render.name(moment.session)}" if moment.session else "")
        for moment in moments
    )
    return Answer("Oldest first; > is the one asked for.\n" + "\n".join(marked), {"documents": data})


_LINES = {"start_line": value("integer"), "end_line": value("integer"), "total_lines": value("integer")}

TOOLS = (
    Tool(
        name="get",
        title="Read a document",
        description="Read a document or some of its lines, as its file is now.",
        takes=inputs(
            "reference",
            reference=text(
                "Its docid (#… from any result), collection/path, or the end of its path; may end in :FROM:COUNT.",
                longest=4_096,
            ),
            from_line=whole("First line to read (default: the beginning).", 1, 10_000_000),
            max_lines=whole("At most so many lines (default 400).", 1, 5_000, 400),
            line_numbers=flag("Put its number before each line (default false).", default=False),
        ),
        gives=outputs(
            docid=value("string"),
            collection=value("string"),
            path=value("string"),
            title=value("string"),
            content_type=value("string"),
            authored_at=value("integer?"),
            modified_at=value("integer"),
            **_LINES,
            next_line=value("integer?", "Where to read on."),
        ),
        run=_get,
        core=True,
    ),
    Tool(
        name="multi_get",
        title="Read several documents",
        description="Read documents whole, by a glob over collection/path or a list of references between commas.",
        takes=inputs(
            "pattern",
            pattern=text("notes/daily/2026-03-*.md, or a.md, #docid, …", longest=4_096),
            limit=whole("At most so many documents (default 10).", 1, _MOST_DOCUMENTS, 10),
            max_bytes=whole("Leave out files larger than this (default 20000).", 1, 200_000, 20_000),
        ),
        gives=outputs(
            documents=rows(
                "What was read; the texts are in text.",
                **common.DOCUMENT,
                start_line="integer",
                end_line="integer",
                total_lines="integer",
            ),
            skipped=rows("What was left out.", reference="string", reason="string"),
            omitted=value("integer", "Documents that also fit."),
        ),
        run=_multi_get,
        core=True,
    ),
    Tool(
        name="find_similar",
        title="Find documents like one",
        description="Find other documents with passages like those of a document.",
        takes=inputs("reference", reference=common.REFERENCE, limit=whole("At most so many (default 5).", 1, 50, 5)),
        gives=outputs(results=common.HITS),
        run=_similar,
    ),
    Tool(
        name="timeline",
        title="What was written around it",
        description="List the documents written just before and after a document, oldest first.",
        takes=inputs(
            "reference",
            reference=common.REFERENCE,
            before=whole("At most so many older ones (default 5).", 0, 50, 5),
            after=whole("At most so many newer ones (default 5).", 0, 50, 5),
            same_collection=flag("Only from its collection (default false).", default=False),
        ),
        gives=outputs(documents=rows("Oldest first.", **common.DOCUMENT, focus="boolean", session="string?")),
        run=_timeline,
        core=True,
    ),
)
