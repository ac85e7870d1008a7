"""Documents read back: lines of their files, their fragments, what links to them, the person's commitments."""

from __future__ import annotations

from collections.abc import Sequence

from hearth.core.document import INTERNAL, Document
from hearth.core.errors import Guidance, NotFound, Remedy, Unavailable
from hearth.core.lazy import dataclass
from hearth.markdown.links import lines_of
from hearth.ports import (
    Collection,
    Files,
    Filter,
    Reader,
    Redactor,
    Skipped,
    StoredDocument,
    StoredFragment,
)
from hearth.text.lines import cut_line
from hearth.vault.changes import ReferenceTarget
from hearth.vault.validity import COMMITMENT, due_at, may_rule

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
class Excerpt:
    """Lines ``start_line`` to ``end_line`` (1-based, inclusive) of ``total_lines``."""

    document: Document
    start_line: int
    end_line: int
    total_lines: int
    text: str


def read_lines(files: Files, collection: Collection, target: ReferenceTarget, redact: Redactor | None) -> Excerpt:
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
    return Excerpt(stored.document, start, max(start, end), len(lines), "\n".join(chosen))


def _choose(target: ReferenceTarget, text: str, place: str) -> tuple[int, int | None]:
    """The first line, and how many."""
    if target.part is None:
        return target.start or 1, target.count
    found = lines_of(text, target.part)
    if found is None:
        what = "block" if target.part.startswith("^") else "heading"
        raise NotFound(f"{place} has no {what} {target.part!r}; drop the #… to read the whole document")
    return found[0], found[1] - found[0] + 1


def backlinks(docid: str, reader: Reader) -> list[Document]:
    """Documents with a link to this one, those of the folders before memories, by collection and path."""
    linking = (reader.document(other) for other in reader.links(docid, incoming=True))
    found = [
        stored.document for stored in linking if stored is not None and not stored.state.hidden and not stored.vanished
    ]
    return sorted(found, key=lambda document: (document.collection == INTERNAL, document.collection, document.path))


def read_beginning(reader: Reader, stored: StoredDocument, most: int) -> str:
    """The beginning of what a document says, on one line, without its frontmatter and headings."""
    parts: Sequence[str] = [part.text for part in reader.fragments_of(stored.id) if part.kind != "frontmatter"]
    lines = (line.strip() for text in parts[:2] for line in text.split("\n"))
    return cut_line(" ".join(line for line in lines if line and not line.startswith("#")), most)


def find_commitments(reader: Reader) -> list[StoredDocument]:
    """The person's, the most urgent first. What is forgotten, archived or replaced is none any more, and what others
    promise each other is none of the person's."""
    found = [one for one in reader.each_document(Filter(types=(COMMITMENT,))) if may_rule(one.document)]

    def urgency(one: StoredDocument) -> tuple[bool, int, str]:
        due = due_at(one.document)
        return due is None, due or 0, one.document.docid

    return sorted(found, key=urgency)
