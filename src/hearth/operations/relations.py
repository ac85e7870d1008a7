"""How documents hang together: relations, causes, subjects, threads and topics."""

from __future__ import annotations

from typing import Annotated

from hearth.graph import chains
from hearth.graph.chains import CAUSES, CausalView
from hearth.graph.graph import STATABLE
from hearth.operations import render
from hearth.operations.arguments import Arguments, OneOf, Referring, text, whole
from hearth.operations.operation import Operation, Request, Route, Row, Tool
from hearth.operations.shapes import ANYTHING, HIT, NUMBER, TEXT, TEXTS, WHOLE, listed, obj, ref
from hearth.operations.state import TARGET, Change, Reasoned, render_change, titled
from hearth.pages.document_notes import DocumentNote, tell_note
from hearth.pages.note_taking import BuiltGraph, build_graph


class Relating(Reasoned):
    reference: Annotated[str, TARGET]
    type: Annotated[Annotated[str, OneOf(*STATABLE)], text("How it is related to the target.", 20)]
    target: Annotated[str, text("The other document.", 4_096)]


def _relate(call: Request, given: Relating) -> Change:
    graph = call.vault.graph
    return titled(call, graph.relate(given.reference, given.type, given.target, reason=given.reason, actor=call.actor))


def _unrelate(call: Request, given: Relating) -> Change:
    graph = call.vault.graph
    done = graph.unrelate(given.reference, given.type, given.target, reason=given.reason, actor=call.actor)
    return titled(call, done)


_BY_TYPE = {"type": "object", "additionalProperties": WHOLE}


def render_build(result: BuiltGraph, given: Arguments) -> str:
    done, notes = result.relations, result.notes
    kinds = sorted(done.added.keys() | done.removed.keys())
    rows = "; ".join(f"{kind} {done.added[kind]:,} added, {done.removed[kind]:,} removed" for kind in kinds)
    lines = [f"{render.plural(done.documents, 'document')} related{f' ({rows})' if rows else ''}."]
    lines += [f"{render.plural(done.missing, 'document')} wait for vectors."] if done.missing else []
    if notes.read or notes.waiting:
        lines.append(f"{render.plural(notes.read, 'document')} read by the language model, {notes.waiting:,} waiting.")
    lines += [f"{render.plural(result.summed_up, 'file')} about entities summed up."] if result.summed_up else []
    lines += [f"Not read: {render.line(why)}." for why in notes.missing]
    return " ".join(lines)


def render_causes(result: CausalView, given: Arguments) -> str:
    source = render.place(result.document.collection, result.document.path)
    if not result.links:
        return f"Nothing found: no causal relation leads from or to {source}."
    lines = [f"{render.plural(len(result.links), 'document')} caused {source} or was caused by it, the surest first."]
    for link in result.links:
        place = render.place(link.document.collection, link.document.path)
        way = "effect" if link.direction == CAUSES else "cause"
        lines.append(
            f"{way}: {place} | {render.line(link.document.title)} #{link.document.docid} ({link.confidence:.2f})"
        )
        lines += [f"   {render.name(step.words)}" for step in link.via]
        lines += [
            f"> {render.line(one.words)} ({render.name(one.place)}:{one.start})" for one in link.evidence if one.words
        ]
    return "\n".join(lines)


def render_note(result: DocumentNote, given: Arguments) -> str:
    document = result.document
    lines = [f"{render.place(document.collection, document.path)} | {render.line(document.title)} #{document.docid}"]
    lines += [f"keywords: {', '.join(map(render.line, result.keywords))}"] if result.keywords else []
    lines += [f"tags: {', '.join(map(render.line, result.tags))}"] if result.tags else []
    lines.append(f"> {render.line(result.context)}")
    for one in result.versions:
        added = ", ".join(map(render.line, one.added))
        lines.append(f"{one.version}. {one.date}: {added} (by {render.line(one.title)} #{one.docid})")
    return "\n".join(lines)


BUILD = Operation(
    "build",
    "Derive relations",
    "Derive the relations of changed documents: links, order in time, similarity. A configured language model also "
    "describes them.",
    Arguments,
    obj(
        {
            "documents": WHOLE,
            "missing": WHOLE | {"description": "Documents that wait for their vectors."},
            "added": _BY_TYPE | {"description": "Type -> rows that are new."},
            "removed": _BY_TYPE | {"description": "Type -> rows that are there no more."},
            "summed_up": WHOLE | {"description": "Entities that the language model summed up anew."},
            "notes": obj(
                {
                    "read": WHOLE | {"description": "Documents that the language model read."},
                    "waiting": WHOLE | {"description": "Documents that it is still to read."},
                    "missing": TEXTS | {"description": "Why some were not read."},
                }
            ),
        }
    ),
    lambda call, given: build_graph(call.vault),
    writes=True,
    words=render_build,
    tools=(Tool("build_graphs"),),
    routes=(
        Route("POST", "/graph/build"),
        Route("POST", "/graphs/build", former=True),
    ),
    command="graph",
)
RELATE = Operation(
    "relate",
    "Relate a document",
    "Relate two documents.",
    Relating,
    ref("Changed"),
    _relate,
    writes=True,
    words=render_change,
    routes=(Route("POST", "/documents/{docid}/relate"),),
)
UNRELATE = Operation(
    "unrelate",
    "Unrelate a document",
    "Remove a relation between two documents, whoever made it.",
    Relating,
    ref("Changed"),
    _unrelate,
    writes=True,
    words=render_change,
    routes=(Route("POST", "/documents/{docid}/unrelate"),),
)


class CausesOf(Referring):
    direction: Annotated[
        Annotated[str, OneOf(*chains.DIRECTIONS)],
        text("causes: what it led to; caused_by: what led to it (default both).", 10),
    ] = chains.BOTH
    depth: Annotated[int, whole("Follow this many relations (default 5).", 1, chains.DEEPEST)] = 5


_PLACE = {"docid": TEXT, "collection": TEXT, "path": TEXT, "title": TEXT}
_EVIDENCE = obj({"docid": TEXT, "path": TEXT, "start_line": WHOLE, "end_line": WHOLE, "words": TEXT})
_LINK = obj(
    {
        **_PLACE,
        "direction": TEXT,
        "depth": WHOLE,
        "confidence": NUMBER,
        "via": HIT["properties"]["chain"]
        | {"description": "Each step from cause to effect, from what was asked about."},
        "evidence": listed(_EVIDENCE, "Who says the last step; lines 0 to 0 for frontmatter."),
        "origin": TEXT,
    }
)

CAUSAL = Operation(
    "causal",
    "Causes and effects",
    "List a document's causes and effects along causal relations, with confidence, path and source.",
    CausesOf,
    obj({"source": obj(_PLACE), "links": listed(_LINK, "The surest first, at most 50.")}),
    lambda call, given: chains.find_causal_links(call.vault, given.reference, given.direction, given.depth),
    words=render_causes,
    tools=(Tool("find_causal_links"),),
    routes=(Route("GET", "/graph/causal/{docid}"),),
    command="graph",
)


_VERSION = obj(
    {"version": WHOLE, "date": TEXT, "docid": TEXT, "title": TEXT, "weight": NUMBER, "added": TEXTS, "read_by": TEXT}
)

NOTE = Operation(
    "evolution",
    "What a document is about",
    "Show what a document is about (keywords, tags, a sentence) and what later documents like it added.",
    Referring,
    obj(
        {
            "docid": TEXT,
            "collection": TEXT,
            "path": TEXT,
            "title": TEXT,
            "keywords": TEXTS,
            "tags": TEXTS,
            "context": TEXT,
            "versions": listed(_VERSION, "The oldest first."),
            "read_by": TEXT,
        }
    ),
    lambda call, given: tell_note(call.vault, given.reference),
    words=render_note,
    tools=(Tool("memory_evolution_status"),),
    routes=(Route("GET", "/graph/evolution/{docid}"),),
    command="graph",
)


class ThreadQuery(Arguments):
    session: Annotated[str | None, text("Only this session.", 200)] = None
    limit: Annotated[int, whole("At most this many (default 20).", 1, 100)] = 20


THREADS = Operation(
    "threads",
    "What sessions talked about",
    "What sessions talked about without a pause of 30 minutes, the newest first.",
    ThreadQuery,
    obj({"threads": listed(ANYTHING, "Title, session, from when to when, document and lines.")}),
    lambda call, given: Row(
        {"threads": [one.to_dict() for one in call.vault.knowledge.overview.threads(given.limit, given.session)]}
    ),
    routes=(Route("GET", "/threads"),),
    command="overview",
)
TOPICS = Operation(
    "topics",
    "What the notes are about",
    "The nouns and phrases that several of the newest documents share, and which come up more than usual.",
    Arguments,
    obj({"topics": listed(ANYTHING, "The weightiest first, 50 at most."), "documents": WHOLE, "left_out": WHOLE}),
    lambda call, given: call.vault.knowledge.overview.topics(),
    routes=(Route("GET", "/topics"),),
    command="overview",
)
