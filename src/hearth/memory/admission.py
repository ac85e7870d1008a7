"""Admission: a wish checked against its limits and scrubbed, before anything of it is kept or shown. Memories that
it may repeat or replace, found in bounded time, as their files say now."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from hearth.core.document import INTERNAL, is_docid
from hearth.core.errors import UsageError
from hearth.core.lazy import dataclass, regex
from hearth.core.memory import (
    CONTENT_TYPES,
    ENTITY,
    MAX_EVIDENCE,
    MAX_LINE_CHARS,
    MAX_PROJECT_CHARS,
    MAX_SUPERSEDED,
    MAX_TAG_CHARS,
    MAX_TAGS,
    MAX_TEXT_BYTES,
    OWNERS,
    SCOPES,
    Known,
    Memory,
    Merge,
    NewMemory,
    Origin,
)
from hearth.guard.secrets.randomness import PLACEHOLDER
from hearth.language.name_matching import key_of
from hearth.markdown.frontmatter import body_of
from hearth.memory import files
from hearth.memory.file_names import first_words, heading, subject_key, subject_of
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
from hearth.vault.changes import find, read_stated_names

TRUSTS = ("agent", "external")
# What could drive a terminal or make a file binary; line ends and tabs stay.
_CONTROLS = regex("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]")
_SURROGATES = regex("[\ud800-\udfff]")
_BLANK_ENDS = regex(r"\A(?:[ \t]*\n)+|\s+\Z")
# What may stand before a secret without saying anything: a name and a sign.
_LABEL = regex(r"(?:[-*] )?(?:export )?[\w.-]+(?: [\w.-]+){0,2} ?[:=] ?\Z")


@dataclass(frozen=True, slots=True)
class Admitted:
    """A wish fit to be kept, and how many secrets were taken out of it."""

    wish: NewMemory
    redacted: int


class _Scrub:
    """Counts what it takes out."""

    def __init__(self, redact: Redactor) -> None:
        self._redact = redact
        self.count = 0

    def text(self, text: str) -> str:
        found = self._redact(_plain(text))
        self.count += len(found.secrets)
        return found.text

    def body(self, text: str, most: int = MAX_TEXT_BYTES) -> str:
        size = len(text.encode("utf-8", "surrogatepass"))
        if size > most:
            raise UsageError(
                f"the text takes {size:,} bytes, over the limit of {most:,}; shorten it, or keep it as a "
                "note in a collection"
            )
        clean = _BLANK_ENDS.sub("", self.text(text))
        if not clean:
            raise UsageError("no text to remember; give some, or - to read standard input")
        if self.count and _only_secrets(clean):
            raise UsageError("the text is only a secret, which is never stored; describe what it is for instead")
        return clean

    def line(self, value: str | None, name: str, limit: int = MAX_LINE_CHARS) -> str | None:
        """One line, white space collapsed; ``None`` for an empty one."""
        if value is None:
            return None
        if len(value) > 16 * limit:
            raise _too_long(name, len(value), limit)
        text = " ".join(self.text(value).split())
        if len(text) > limit:
            raise _too_long(name, len(text), limit)
        return text or None


def admitted(wish: NewMemory, redact: Redactor, most: int = MAX_TEXT_BYTES) -> Admitted:
    """Raises ``UsageError`` for a wish that is empty, of more than ``most`` bytes, of an unknown type, or nothing but a
    secret."""
    scrub = _Scrub(redact)
    text = scrub.body(wish.text, most)
    _check_type(wish.content_type)
    if wish.trust not in TRUSTS:
        raise UsageError(f"trust is one of {', '.join(TRUSTS)}: what the engine writes is never a person's own word")
    if wish.scope is not None and wish.scope not in SCOPES:
        raise UsageError(f"scope is one of {', '.join(SCOPES)}")
    confidence = wish.confidence
    if confidence is not None and not (math.isfinite(confidence) and 0 <= confidence <= 1):
        raise UsageError(f"confidence {confidence} is out of range; give a number from 0 to 1")
    if len(wish.supersedes) > MAX_SUPERSEDED:
        raise UsageError(f"{len(wish.supersedes)} superseded documents are over the limit of {MAX_SUPERSEDED}")
    clean = replace(
        wish,
        text=text,
        title=scrub.line(wish.title, "title"),
        tags=_tags(wish.tags, scrub),
        project=scrub.line(wish.project, "project", MAX_PROJECT_CHARS),
        subject=scrub.line(wish.subject, "subject"),
        session=scrub.line(wish.session, "session"),
        created_by=scrub.line(wish.created_by, "created_by") or "agent",
        origin=_origin(wish.origin, scrub),
    )
    return Admitted(clean, scrub.count)


def text_of(text: str, redact: Redactor) -> tuple[str, int]:
    """A text fit to be kept, and how many secrets were taken out of it. Raises ``UsageError`` as ``admitted``."""
    scrub = _Scrub(redact)
    return scrub.body(text), scrub.count


def memory_of(wish: NewMemory, identity: str, machine: str, now: int) -> Memory:
    """The memory that a wish makes where nothing is there yet. ``supersedes`` is resolved by the caller."""
    folder = CONTENT_TYPES[wish.content_type].folder or ""
    owner = "user" if folder.startswith("user/") else "agent"
    return Memory(
        id=identity,
        text=wish.text,
        content_type=wish.content_type,
        title=wish.title or heading(wish.text) or wish.subject or first_words(wish.text),
        machine=machine,
        authored_at=now if wish.said_at is None else min(now, wish.said_at),
        tags=wish.tags,
        project=wish.project,
        subject=wish.subject,
        session=wish.session,
        scope=wish.scope or ("project" if wish.project else owner),
        trust=wish.trust,
        created_by=wish.created_by,
        confidence=wish.confidence,
        origin=wish.origin,
        due_at=wish.due_at,
        owner=wish.owner if wish.owner in OWNERS else None,
        valid_from=wish.valid_from,
        pending_since=now if wish.pending else None,
    )


def _plain(text: str) -> str:
    """Line ends as ``\\n``, no control characters, nothing that UTF-8 can't hold."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _SURROGATES.sub("\ufffd", _CONTROLS.sub("", text))


def _check_type(name: str) -> None:
    kind = CONTENT_TYPES.get(name)
    if kind is None or kind.merge is Merge.NEVER:
        known = ", ".join(sorted(kind.name for kind in CONTENT_TYPES.values() if kind.merge is not Merge.NEVER))
        why = "is not a content type" if kind is None else "can be written only by people: keep it in a collection"
        raise UsageError(f"{name[:MAX_LINE_CHARS]!r} {why}; a memory is one of: {known}")


def _origin(origin: Origin | None, scrub: _Scrub) -> Origin | None:
    if origin is None:
        return None
    source, evidence = (scrub.line(text, "the origin", MAX_EVIDENCE) for text in (origin.source, origin.evidence))
    return replace(origin, source=source or "", evidence=evidence or "")


def _tags(tags: Iterable[str], scrub: _Scrub) -> tuple[str, ...]:
    found = [scrub.line(tag.lstrip("#"), "a tag", MAX_TAG_CHARS) for tag in tags]
    kept = tuple(dict.fromkeys(tag for tag in found if tag))
    if len(kept) > MAX_TAGS:
        raise UsageError(f"{len(kept)} tags are over the limit of {MAX_TAGS}; leave some out")
    return kept


def _only_secrets(text: str) -> bool:
    return not any(any(map(str.isalnum, _rest(line))) for line in text.split("\n"))


def _rest(line: str) -> str:
    """What a line says beside its secrets and their names."""
    if not PLACEHOLDER.search(line):
        return line
    rest = PLACEHOLDER.sub("", line).strip(" \t\"'`;,.")
    return "" if _LABEL.match(rest) else rest


def _too_long(name: str, length: int, limit: int) -> UsageError:
    return UsageError(f"{name} has {length:,} characters, over the limit of {limit}; shorten it")


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
