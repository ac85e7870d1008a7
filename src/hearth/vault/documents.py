"""Documents read back line by line, and documents around one: alike in meaning, linked, or near in time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hearth.core.document import INTERNAL, Document
from hearth.core.errors import Guidance, NotFound, Remedy, Unavailable
from hearth.core.lazy import dataclass
from hearth.core.query import Explanation, Hit, LaneScore
from hearth.markdown.links import lines_of
from hearth.memory import session_log
from hearth.ports import (
    Collection,
    Files,
    Filter,
    Reader,
    Redactor,
    Skipped,
    StoredDocument,
    StoredFragment,
    VectorIndex,
    WantedTerm,
)
from hearth.recall.hits import as_hit
from hearth.recall.ranking.snippet import snippet
from hearth.text.terms import terms
from hearth.vault.reference import ReferenceTarget
from hearth.vault.spaces import Spaces

if TYPE_CHECKING:
    from hearth.ports import Vectors

_NAMED = 3


def why_empty(unread: Sequence[Skipped]) -> Guidance:
    """``unread``: the files that could not be indexed."""
    if not unread:
        return Guidance("the vault is empty", Remedy("bootstrap FOLDER", "fill", "add notes with: "))
    files = "file is" if len(unread) == 1 else "files are"
    reasons = ", ".join(list(dict.fromkeys(one.reason for one in unread))[:_NAMED])
    fact = f"no note can be read: {len(unread):,} {files} left out ({reasons})"
    return Guidance(fact, Remedy("status --all", "status", "see: "))


@dataclass(frozen=True, slots=True)
class DocumentTexts:
    """Documents with their fragments in order."""

    documents: tuple[tuple[Document, tuple[StoredFragment, ...]], ...]

    @property
    def size(self) -> int:
        return sum(len(part.text) for _, fragments in self.documents for part in fragments)


def find_unchanged(reader: Reader, batch: Sequence[StoredDocument]) -> set[int]:
    """Rows of those that were not written anew since."""
    present = reader.documents([one.id for one in batch])
    return {one.id for one in batch if one.id in present and present[one.id].document == one.document}


def read_texts(reader: Reader, batch: Sequence[StoredDocument]) -> DocumentTexts:
    return DocumentTexts(tuple((one.document, tuple(reader.fragments_of(one.id))) for one in batch))


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines ``start_line`` to ``end_line`` (1-based, inclusive) of ``total_lines``."""

    document: Document
    start_line: int
    end_line: int
    total_lines: int
    text: str


def read_lines(files: Files, collection: Collection, target: ReferenceTarget, redact: Redactor | None) -> Passage:
    """Raises ``NotFound`` when the file or the part of it is gone, ``Unavailable`` when it can't be read."""
    from hearth.vault.indexing.analysis import decode_text  # a question reads no file

    stored = target.stored
    place = collection.place(stored.document.path)
    file = files.state(collection, stored.file.disk_path)
    if file is None:
        raise NotFound(f"{place} was deleted since it was indexed", Remedy("update", "again"))
    try:
        text = decode_text(files.read(collection, file))
    except OSError as error:
        raise Unavailable(f"{place} can't be read: {error.strerror}") from error
    except ValueError as error:
        raise Unavailable(f"{place}: {error}") from error
    if redact is not None:
        text = redact(text).text
    lines = [line.rstrip("\r") for line in text.split("\n")]
    if lines[-1] == "":
        lines.pop()
    start, count = _choose(target, text, place)
    if start > max(1, len(lines)):
        raise NotFound(f"{place} has {len(lines)} lines; {start} is beyond")
    chosen = lines[start - 1 :] if count is None else lines[start - 1 : start - 1 + count]
    end = start + len(chosen) - 1
    return Passage(stored.document, start, max(start, end), len(lines), "\n".join(chosen))


def _choose(target: ReferenceTarget, text: str, place: str) -> tuple[int, int | None]:
    """The first line, and how many."""
    if target.part is None:
        return target.start or 1, target.count
    found = lines_of(text, target.part)
    if found is None:
        what = "block" if target.part.startswith("^") else "heading"
        raise NotFound(f"{place} has no {what} {target.part!r}; drop the #… to read the whole document")
    return found[0], found[1] - found[0] + 1


_PER_WINDOW = 20


def similar(stored: StoredDocument, spaces: Spaces | None, reader: Reader, limit: int, now: int) -> list[Hit]:
    """Other documents with passages near this one's, by stored vectors; by shared rare words where it has none. ``now``
    is ms UTC."""
    within = Filter(at=now)
    fragments = reader.fragments_of(stored.id)
    if spaces is not None:
        for name in spaces.stored(reader):
            index = spaces.static.index(reader, name, reader.statistics().generation)
            if found := _by_vectors(fragments, name, index, reader, limit, within):
                return found
    return _by_words(stored, fragments, reader, limit, within)


def backlinks(docid: str, reader: Reader) -> list[Document]:
    """Documents with a link to this one, those of the folders before memories, by collection and path."""
    linking = (reader.document(other) for other in reader.links_to(docid))
    found = [
        stored.document for stored in linking if stored is not None and not stored.state.hidden and not stored.vanished
    ]
    return sorted(found, key=lambda document: (document.collection == INTERNAL, document.collection, document.path))


def _by_vectors(
    fragments: list[StoredFragment], space: str, index: VectorIndex, reader: Reader, limit: int, within: Filter
) -> list[Hit]:
    """Nothing where the space does not have the whole document."""
    import numpy as np

    block = reader.vectors_of(space, [fragment.id for fragment in fragments])
    if len(block.fragments) < len(fragments):
        return []
    best: dict[int, tuple[float, int]] = {}
    vectors: Vectors = block.vectors.astype(np.float32) * block.scales[:, None]
    own = {fragment.id for fragment in fragments}
    mean = vectors.mean(axis=0)
    queries = [*vectors[: 4 * limit], mean / (float(np.linalg.norm(mean)) or 1.0)]
    rows = reader.rows(within)
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
            # Without a question the beginning stands for the passage.
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
