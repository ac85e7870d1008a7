"""From a passage to the hit that every surface shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from hearth.engine.indexing import supersession
from hearth.model.document import SUPERSEDED
from hearth.model.query import Explanation, Hit
from hearth.model.trust import is_foreign
from hearth.model.validity import LaterStatement, Validity
from hearth.ports import Reader, StoredDocument, StoredFragment
from hearth.ranking.packing.snippet import Snippet, find_header, is_row, snippet
from hearth.ranking.stage import Candidate
from hearth.text.lines import cut_line

if TYPE_CHECKING:
    from hearth.engine.recall.context import Context

_LATER_CHARS = 160


def make_hit(context: Context, candidate: Candidate) -> Hit:
    """With the lines that answer best, and how it came to its score where that is asked for."""
    document, fragment = candidate.document.document, candidate.fragment
    short = cite(context, candidate.document, fragment)
    explain = Explanation(candidate.lanes, candidate.fused, candidate.moves) if context.query.explain else None
    hit = as_hit(candidate.document, fragment, candidate.score, short, context.query.at)
    return replace(
        hit,
        validity=replace(hit.validity, later=(*_cite_successor(context.reader, candidate), *_cite_later(candidate))),
        authored_at=candidate.dated_at or None,
        explain=explain,
        also_in=candidate.also_in,
        chain=candidate.chain,
        context=context.settings.folder_context(document.collection, document.path),
    )


def _cite_successor(reader: Reader, candidate: Candidate) -> Iterator[LaterStatement]:
    """What took the place of a decision that says so in its status."""
    document = candidate.document.document
    by = supersession.successor(reader, document.docid) if document.status == SUPERSEDED else None
    stored = None if by is None else reader.document(by)
    if stored is not None:
        newer = stored.document
        yield LaterStatement(newer.docid, newer.dated_at or 0, cut_line(newer.title, _LATER_CHARS))


def _cite_later(candidate: Candidate) -> Iterator[LaterStatement]:
    """Each statement once, however often it was kept."""
    told: list[str] = []
    for one in candidate.said_later:
        text = " ".join(one.said.split())
        bare = text.casefold().rstrip(".!")
        if not any(bare in other or other in bare for other in told):
            told.append(bare)
            yield LaterStatement(one.document.document.docid, one.dated_at, cut_line(text, _LATER_CHARS))


def cite(context: Context, stored: StoredDocument, fragment: StoredFragment) -> Snippet:
    """The lines of a passage that answer best."""
    header = _find_header(context.reader, fragment)
    return snippet(fragment.text, fragment.start_line, context.emphasis, stored.document.language, header)


def _find_header(reader: Reader, fragment: StoredFragment) -> str:
    """The header of the table in which a passage begins, from the passages before it; nothing where it begins in
    none."""
    first = fragment.text.split("\n", 1)[0]
    if not fragment.seq or not is_row(first):
        return ""
    rows: dict[int, str] = {}
    for part in reader.fragments_of(fragment.document):
        if part.start_line < fragment.start_line:
            rows |= dict(enumerate(part.text.split("\n"), part.start_line))
    above = [rows.get(line, "") for line in range(min(rows, default=1), fragment.start_line)]
    return find_header([*above, first]) or ""


def as_hit(stored: StoredDocument, fragment: StoredFragment, score: float, short: Snippet, now: int) -> Hit:
    """``score`` is calibrated to [0, 1]; ``short`` is what to show of the fragment; ``now`` is ms UTC."""
    document = stored.document
    return Hit(
        docid=document.docid,
        collection=document.collection,
        path=document.path,
        start_line=fragment.start_line,
        end_line=fragment.end_line,
        title=document.title,
        score=score,
        content_type=document.content_type,
        modified_at=document.modified_at,
        authored_at=document.dated_at,
        fragment=fragment.kind,
        snippet=short.text,
        shown=(short.start, short.end),
        lead=short.lead,
        text=fragment.text,
        headings=fragment.headings,
        trust=document.trust,
        author=document.author if is_foreign(document.trust) else "",
        validity=Validity.of(document, stored.state, now),
    )
