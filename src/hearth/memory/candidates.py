"""Memories that a new one may repeat or replace, found in bounded time, as their files say now."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from hearth.core.document import INTERNAL, is_docid
from hearth.core.lazy import dataclass
from hearth.core.memory import Known, Memory
from hearth.core.types import CONTENT_TYPES, ENTITY, Merge
from hearth.language.name_matching import key_of
from hearth.markdown.render import body_of
from hearth.memory import files
from hearth.memory.file_names import subject_key, subject_of
from hearth.memory.files import rendered
from hearth.memory.policy import DUPLICATE_MS, RECENT_MS
from hearth.ports import (
    DocumentReader,
    Filter,
    MemoryFiles,
    PostingReader,
    Reader,
    Redactor,
    Store,
    StoredDocument,
    TermRow,
    WantedTerm,
)
from hearth.text.language import detect
from hearth.text.terms import count_terms, terms
from hearth.vault.reference import find, read_stated_names

# How many documents are compared word by word.
KEPT = 16
_POSTINGS = 4_000
_TERMS = 12
_MATCHED = 240
_TEXT_CHARS = 8_000
# How far back each policy looks; without a limit where it is not named.
_SINCE = {Merge.NEW: DUPLICATE_MS, Merge.RECENT: RECENT_MS}


def candidates(reader: Reader, memory: Memory) -> list[StoredDocument]:
    """Documents of the memory's type that share its rare words, its subject's, or its session; of hidden ones what is
    pending."""
    merge = CONTENT_TYPES[memory.content_type].merge
    within = Filter((INTERNAL,), (memory.content_type,), since=_since(merge, memory.authored_at), include=("pending",))
    languages = reader.statistics().languages or ("en",)
    words = words_of(memory.text[:_TEXT_CHARS], languages)
    found = dict.fromkeys(_alike(reader, memory, words, within) if words else _latest(reader, memory, within))
    named = None
    if merge in (Merge.SUBJECT, Merge.ONE, Merge.GATHER, Merge.RECENT):
        named = subject_key(memory.subject, memory.text)
    if merge is Merge.SESSION:
        named = memory.session
    if named is not None:
        found.update(dict.fromkeys(owner for owner, _ in _sharing(reader, words_of(named, languages), within)[:KEPT]))
    documents = reader.documents(list(found))
    kept = [documents[row] for row in found if row in documents]
    return kept if memory.content_type != ENTITY else _leave_apart(reader, memory, kept)


def _leave_apart(reader: Reader, memory: Memory, found: list[StoredDocument]) -> list[StoredDocument]:
    """Without files about names that people said to stand alone, where the memory is about another spelling."""
    stated = read_stated_names(reader)
    own = key_of(memory.subject or subject_of(memory.text))
    alone = {key for key, of in stated.everywhere.items() if key_of(of) == key}
    if own in alone:
        return [one for one in found if key_of(one.document.title) == own]
    return [one for one in found if key_of(one.document.title) not in alone - {own}]


def _since(merge: Merge, now: int) -> int | None:
    window = _SINCE.get(merge)
    return None if window is None else now - window


def words_of(text: str, languages: Iterable[str]) -> set[str]:
    return {term for language in languages for term in terms(text, language)}


def _alike(reader: PostingReader, memory: Memory, words: set[str], within: Filter) -> list[int]:
    """Of more than can be compared, those whose text is about as long: a repetition is exactly as long."""
    found = _sharing(reader, words, within)
    if len(found) > KEPT:
        counts = count_terms(body_of(rendered(memory).decode("utf-8")), detect(memory.text))
        length = sum(count for term, count in counts.items() if not term.startswith("="))
        found = sorted(found, key=lambda item: abs(item[1] - length))
    return [owner for owner, _ in found[:KEPT]]


def _sharing(reader: PostingReader, wanted: set[str], within: Filter) -> list[tuple[int, int]]:
    """Rows of the documents that share most of the rarest terms, and the length of the fragment that does."""
    plan = [WantedTerm(row) for row in rarest(reader.terms(wanted).values())]
    if not plan:
        return []
    fragments = reader.match(plan, within, _MATCHED)
    postings = {posting.fragment: posting for posting in reader.postings(fragments, within)}
    found: dict[int, int] = {}
    for fragment in fragments:
        if fragment in postings:
            found.setdefault(postings[fragment].document, postings[fragment].length)
    return list(found.items())


def rarest(rows: Iterable[TermRow], terms: int = _TERMS, postings: int = _POSTINGS) -> list[TermRow]:
    """As many of ``terms`` as the budget of postings allows, one at least."""
    chosen: list[TermRow] = []
    spent = 0
    for row in sorted(rows, key=lambda row: (row.df, row.id))[:terms]:
        if chosen and spent + row.df > postings:
            break
        chosen.append(row)
        spent += row.df
    return chosen


def _latest(reader: DocumentReader, memory: Memory, within: Filter) -> list[int]:
    """For a text without a word: what was written within the time in which it counts as a repetition."""
    now = memory.authored_at
    return reader.documents_between(now - DUPLICATE_MS, now + DUPLICATE_MS, within, KEPT)


Find = Callable[[Memory], list[Known]]


class Astray(Exception):
    """A memory is not where the index has it."""


@dataclass(frozen=True)
class Lookup:
    """``roots`` are the folders of all collections, for references; ``scan`` looks at all folders."""

    memories: MemoryFiles
    store: Store
    roots: Mapping[str, str]
    redact: Redactor
    scan: Callable[[], object]

    def resolve(self, references: tuple[str, ...]) -> tuple[str, ...]:
        """The docids of what a memory supersedes. Raises ``NotFound``, ``Ambiguous``."""
        if not references:
            return ()
        with self.store.read() as reader:
            return tuple(dict.fromkeys(self._docid(reference, reader) for reference in references))

    def _docid(self, reference: str, reader: Reader) -> str:
        named = reference.strip().removeprefix("#")
        if is_docid(named) and (stored := reader.document(named)) is not None and not stored.state.forgotten:
            return named
        return find(reference, reader, dict(self.roots)).stored.document.docid

    def find_all(self, memory: Memory) -> list[Known]:
        """Raises ``Astray`` where one is not where it was: somebody moved or removed it."""
        found = self._candidates(memory)
        if any(data is None for _, _, data in found):
            raise Astray
        return self._list_known(found)

    def find(self, memory: Memory) -> list[Known]:
        return self._list_known(self._candidates(memory))

    def _candidates(self, memory: Memory) -> list[tuple[StoredDocument, str, bytes | None]]:
        with self.store.read() as reader:
            found = candidates(reader, memory)
        places = [(stored, stored.file.disk_path.decode("utf-8", "surrogateescape")) for stored in found]
        return [(stored, path, self.memories.read(path)) for stored, path in places]

    def _list_known(self, found: Sequence[tuple[StoredDocument, str, bytes | None]]) -> list[Known]:
        made = (self._read(stored, path, data) for stored, path, data in found if data is not None)
        return [one for one in made if one is not None]

    def _read(self, stored: StoredDocument, path: str, data: bytes) -> Known | None:
        one, document = files.read(path, data, self.redact), stored.document
        if one is None or one.memory.id != document.docid:  # a copy made by hand names the original's id
            return None
        return replace(one, body_hash=document.body_hash, pending=stored.state.pending)
