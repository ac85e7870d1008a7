"""From a fragment to the hit that every surface shows, windows of turns packed turn by turn; and the documents around
one, alike in meaning or near in time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

from hearth import vault
from hearth.core.document import SUPERSEDED, Fragment, find_speaker, is_foreign
from hearth.core.judgement import LaterStatement, Validity
from hearth.core.lazy import dataclass
from hearth.core.query import Explanation, Hit, LaneScore
from hearth.guard.fence import TRUSTED
from hearth.language.signals import is_standing
from hearth.markdown.blocks import scan
from hearth.markdown.turns import asks, is_answer, opens_by_heading, split_turns
from hearth.memory import session_log
from hearth.ports import Filter, Reader, StoredDocument, StoredFragment, WantedTerm
from hearth.recall.ranking.candidate import Candidate
from hearth.recall.ranking.diversify import find_repeated
from hearth.recall.ranking.snippet import Snippet, find_header, is_row, snippet
from hearth.recall.ranking.weights import PACK, VOICE
from hearth.text.lines import cut_line
from hearth.text.terms import terms
from hearth.vault.ledger import Spaces

if TYPE_CHECKING:
    from hearth.ports import Vectors
    from hearth.recall.interfaces import Context

Worth = Callable[[Sequence[str]], Sequence[float]]
# Windows whose parts are kept: what one question brings up, the next one often does too.
_KEPT = 2_048


class _Part(NamedTuple):
    """Lines of a window, counted from its first; ``quiet`` where an assistant speaks and the window is not all its;
    ``standing`` where the person who asks says how to act from now on."""

    first: int
    last: int
    text: str
    quiet: bool
    standing: bool


class _Unit(NamedTuple):
    """A part as a candidate to be; most are never packed, so none is made before its turn comes."""

    candidate: Candidate
    start: int
    end: int
    text: str
    score: float
    standing: bool = False


def split_units(candidates: Sequence[Candidate], worth: Worth) -> Iterator[Candidate]:
    """Every unit once, what rules an instruction first, then the best: a turn scores with its best window, with what
    it says itself, and with the turns beside it, yet what we noted about a session stays below the fragment that it
    repeats. ``worth`` judges texts on their own, in [0, 1]."""
    found: dict[tuple[int, int, int, str], _Unit] = {}
    for candidate in candidates:
        for unit in _split(candidate):
            key = (candidate.document.id, unit.start, unit.end, unit.text)
            if key not in found or found[key].score < unit.score:
                found[key] = unit
    all_units = list(found.values())
    own = worth([unit.text for unit in all_units])
    scores = [u.score + PACK.own * value + PACK.standing * u.standing for u, value in zip(all_units, own, strict=True)]
    rows = [unit.candidate.document.id for unit in all_units]
    starts = {(row, u.start): s for row, u, s in zip(rows, all_units, scores, strict=True)}
    ends = {(row, u.end): s for row, u, s in zip(rows, all_units, scores, strict=True)}

    def rank(at: int) -> float:
        row, unit = rows[at], all_units[at]
        beside = max(ends.get((row, unit.start - 1), 0.0), starts.get((row, unit.end + 1), 0.0))
        return scores[at] + PACK.beside * beside

    ranks = [rank(at) for at in range(len(all_units))]
    best = {rows[at]: ranks[at] for at in sorted(range(len(ranks)), key=ranks.__getitem__)}
    repeated = find_repeated(candidates)
    limits = {row: (source.score, best.get(source.document.id, inf)) for row, source in repeated.items()}

    def place(at: int) -> tuple[bool, float, bool, int]:
        above, limit = limits.get(rows[at], (-inf, inf))
        candidate = all_units[at].candidate
        echo = candidate.score <= above
        return (not candidate.lane("rule"), -min(ranks[at], limit) if echo else -ranks[at], echo, at)

    for at in sorted(range(len(ranks)), key=place):
        yield _make(all_units[at])


def _split(candidate: Candidate) -> Iterator[_Unit]:
    fragment = candidate.fragment
    if fragment.kind != "turn":
        yield _Unit(candidate, fragment.start_line, fragment.end_line, fragment.text, candidate.score)
        return
    trusted = candidate.document.document.trust == TRUSTED
    for part in _split_window(fragment.text, fragment.headings, fragment.context):
        last = min(fragment.start_line + part.last, fragment.end_line)
        score = candidate.score * (VOICE if part.quiet else 1.0)
        yield _Unit(candidate, fragment.start_line + part.first, last, part.text, score, trusted and part.standing)


@lru_cache(maxsize=_KEPT)
def _split_window(text: str, headings: tuple[str, ...], context: str) -> tuple[_Part, ...]:
    """The turns of a window, or all of it where it is one turn."""
    whole = _is_answer(text, headings, context)
    rows = text.split("\n")
    by_heading = opens_by_heading(rows, headings)
    ranges = split_turns(text, by_heading=by_heading)
    code = _find_code(rows) if "```" in text or "~~~" in text else frozenset()
    parts: list[_Part] = []
    answering = _is_answer("", headings, context)
    for first, end in ranges:
        lines = "\n".join(rows[first:end])
        if lines.strip():
            asking = None if first in code else asks(lines, by_heading=by_heading)
            # What names nobody is the next heading of whoever speaks.
            answering = answering if asking is None else not asking
            standing = asking is True and is_standing(lines)
            parts.append(_Part(first, end - 1, lines, answering and not whole, standing))
    return tuple(parts)


def _find_code(rows: Sequence[str]) -> frozenset[int]:
    """The rows that stand in a block of code: nobody speaks there."""
    return frozenset(at for block in scan(rows, 0) if block.kind == "code" for at in range(block.first, block.end))


def _is_answer(text: str, headings: tuple[str, ...], context: str) -> bool:
    return is_answer(Fragment(0, "turn", 0, 0, 0, 0, text, headings, context))


def _make(unit: _Unit) -> Candidate:
    fragment = unit.candidate.fragment
    if unit.text is fragment.text:
        return unit.candidate
    part = replace(fragment, start_line=unit.start, end_line=unit.end, text=unit.text)
    return replace(unit.candidate, fragment=part, score=unit.score)


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
    by = vault.linking.successor(reader, document.docid) if document.status == SUPERSEDED else None
    stored = None if by is None else reader.document(by)
    if stored is not None:
        newer = stored.document
        yield LaterStatement(newer.docid, newer.dated_at or 0, cut_line(newer.title, _LATER_CHARS))


def _cite_later(candidate: Candidate) -> Iterator[LaterStatement]:
    """Each statement once, however often it was kept."""
    lines: list[str] = []
    for one in candidate.later_statements:
        text = " ".join(one.said.split())
        bare = text.casefold().rstrip(".!")
        if not any(bare in other or other in bare for other in lines):
            lines.append(bare)
            yield LaterStatement(one.document.document.docid, one.dated_at, cut_line(text, _LATER_CHARS))


def cite(context: Context, stored: StoredDocument, fragment: StoredFragment) -> Snippet:
    """The lines of a fragment that answer best. What the title says holds for every line, so that of two lines the one
    that says what the title does not is the answer; the title of a talk names who speaks."""
    document, weights = stored.document, context.emphasis
    titled = set() if fragment.kind == "turn" else weights.keys() & set(terms(document.title, document.language))
    if titled:
        weights = {term: weight * PACK.titled if term in titled else weight for term, weight in weights.items()}
    return snippet(
        fragment.text, fragment.start_line, weights, document.language, _find_header(context.reader, fragment)
    )


def _find_header(reader: Reader, fragment: StoredFragment) -> str:
    """The header of the table in which a fragment begins, from the fragments before it; nothing where it begins in
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
        speaker=find_speaker(document, fragment.kind),
        validity=Validity.of(document, stored.state, now),
    )


_PER_WINDOW = 20


def similar(stored: StoredDocument, spaces: Spaces | None, reader: Reader, limit: int, now: int) -> list[Hit]:
    """Other documents with fragments near this one's, by stored vectors; by shared rare words where it has none.
    ``now`` is ms UTC."""
    within = Filter(at=now)
    fragments = reader.fragments_of(stored.id)
    if spaces is not None:
        for name in spaces.stored(reader):
            if found := _by_vectors(fragments, name, reader, limit, within):
                return found
    return _by_words(stored, fragments, reader, limit, within)


def _by_vectors(fragments: list[StoredFragment], space: str, reader: Reader, limit: int, within: Filter) -> list[Hit]:
    """Nothing where the space does not have the whole document."""
    import numpy as np

    block = reader.vectors(space, fragments=[fragment.id for fragment in fragments])
    if len(block.fragments) < len(fragments):
        return []
    best: dict[int, tuple[float, int]] = {}
    vectors: Vectors = block.vectors.astype(np.float32) * block.scales[:, None]
    own = {fragment.id for fragment in fragments}
    mean = vectors.mean(axis=0)
    queries = [*vectors[: 4 * limit], mean / (float(np.linalg.norm(mean)) or 1.0)]
    index, rows = reader.vector_index(space), reader.rows(within)
    for query in queries:
        nearest = index.search(query, _PER_WINDOW + len(own), rows)
        for fragment, cosine in nearest:
            if fragment not in own and cosine > best.get(fragment, (-1.0, 0))[0]:
                best[fragment] = (cosine, fragment)
    return _hits({fragment: cosine for fragment, (cosine, _) in best.items()}, "vector", reader, limit, within)


def _by_words(
    stored: StoredDocument, fragments: list[StoredFragment], reader: Reader, limit: int, within: Filter
) -> list[Hit]:
    language = stored.document.language
    own = {fragment.id for fragment in fragments}
    wanted = reader.terms({term for fragment in fragments for term in terms(fragment.text, language)})
    rare = sorted((row for row in wanted.values() if row.df > 1), key=lambda row: (row.df, row.term))[:24]
    matched = [f for f in reader.match([WantedTerm(row) for row in rare], within, 200) if f not in own]
    return _hits({f: 1.0 / (rank + 2) for rank, f in enumerate(matched)}, "keyword", reader, limit, within)


def _hits(scores: dict[int, float], lane: str, reader: Reader, limit: int, within: Filter) -> list[Hit]:
    """The best window of each document, best first."""
    fragments = reader.fragments(list(scores))
    documents = reader.documents(sorted({fragment.document for fragment in fragments.values()}))
    hits: dict[int, Hit] = {}
    # What its text says shows more of a document than its frontmatter.
    for fragment in sorted(fragments.values(), key=lambda f: (f.kind == "frontmatter", -scores[f.id], f.id)):
        other = documents.get(fragment.document)
        if other is not None and fragment.document not in hits:
            score = max(0.0, min(1.0, scores[fragment.id]))
            explain = Explanation((LaneScore(lane, scores[fragment.id], score),), score)
            # Without a question the beginning stands for the fragment.
            beginning = snippet(fragment.text, fragment.start_line, {}, other.document.language)
            hit = as_hit(other, fragment, score, beginning, within.at or 0)
            hits[fragment.document] = replace(hit, explain=explain)
    return list(hits.values())[:limit]


@dataclass(frozen=True, slots=True)
class Moment:
    """A document on the timeline; ``focus`` marks the one asked for, ``session`` is the one that it was written in:
    what its frontmatter says, else the last begun of those under way at its date; ``conversation`` is the docid of what
    that one said."""

    stored: StoredDocument
    focus: bool
    session: str | None = None
    conversation: str | None = None

    @property
    def links(self) -> dict[str, Any]:
        """For JSON."""
        return {"focus": self.focus, "session": self.session, "conversation": self.conversation}


def timeline(stored: StoredDocument, reader: Reader, before: int, after: int, within: Filter) -> list[Moment]:
    """Neighbours of a document by (date, docid), oldest first."""
    found = reader.neighbours(stored.id, before, after, within)
    known = session_log.spans(reader)

    def session(other: StoredDocument) -> str | None:
        at = other.document.dated_at
        return other.document.facts.get("session") or (None if at is None else session_log.within(at, known))

    written = {other.id: session(other) for other in found}
    conversations = {name: session_log.conversation(reader, name) for name in set(written.values()) if name is not None}
    return [
        Moment(one, one.id == stored.id, written[one.id], conversations.get(written[one.id] or "")) for one in found
    ]
