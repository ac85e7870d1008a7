"""Analysis: from the bytes of a file to what the index holds of it, and what notes of a collection agree on. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Literal

from hearth.core.conflict import original_of
from hearth.core.document import (
    SAID,
    TEAM,
    AnalyzedFragment,
    Document,
    FileState,
    Fragment,
    FragmentTerms,
    Redacted,
    TermCounts,
    content_hash,
    find_lower,
    is_docid,
)
from hearth.core.lazy import dataclass, regex
from hearth.core.memory import CONTENT_TYPES, CONVERSATION, ENTITY
from hearth.core.session import session_key
from hearth.markdown import DEFAULT_OVERLAP, DEFAULT_WORDS, description, frontmatter
from hearth.markdown.blocks import Value, blank_marked_blocks
from hearth.markdown.description import Description
from hearth.markdown.fragments import MAX_FRAGMENTS, fragment
from hearth.markdown.links import links, stems
from hearth.markdown.own_sentences import find_own_sentences
from hearth.markdown.owned_lines import blank_statements
from hearth.markdown.quality import quality
from hearth.markdown.turns import is_answer
from hearth.pages.dream.memory_md import NAME as _MEMORY
from hearth.pages.dream.memory_md import blank_items
from hearth.ports import Collection, CollectionReader, DocumentRecord, Redactor, UnsettledNote
from hearth.text.language import detect, detect_surely
from hearth.text.lines import without_code
from hearth.text.terms import ASIDE, count_terms, find_ends
from hearth.vault import linking
from hearth.vault.indexing.encodings import NotText, SourceText, blank_payloads, decode

_TELLING = 20_000
"""Characters in which a note shows its language."""
_AGREE = 9
"""How many times as many notes have to write a date one way as the other."""
_MOST = 2 / 3
"""The share of the notes of a sure language that have to be in one."""


def settle(
    reader: CollectionReader, collection: Collection, notes: Sequence[UnsettledNote] | None = None
) -> Collection:
    """The collection with what its indexed notes agree on; ``notes`` are its unsettled ones, read where none are
    given. Memories are sentences that tell their language."""
    notes = reader.unsettled(collection.name) if notes is None else notes
    language = "" if collection.origin == "engine" else find_language(notes, reader.count_languages(collection.name))
    return replace(collection, order=find_date_order(notes), language=language)


def find_outdated(notes: Sequence[UnsettledNote], settled: Collection) -> list[str]:
    """The paths of the notes that were read when their collection agreed on something else, or on nothing."""
    dates = "open" if settled.order is None else f"open:{settled.order}"
    return [
        note.path
        for note in notes
        if ((note.dates or "").startswith("open") and note.dates != dates)
        or (note.language_guess is not None and note.language != (settled.language or note.language_guess))
    ]


def find_date_order(notes: Sequence[UnsettledNote]) -> Literal["day", "month"] | None:
    """What the notes put first in dates with slashes, where hardly one differs."""
    days, months = (sum(note.dates == order for note in notes) for order in ("day", "month"))
    if days > _AGREE * months:
        return "day"
    return "month" if months > _AGREE * days else None


def find_language(notes: Sequence[UnsettledNote], counts: Mapping[str, int]) -> str:
    """The language of most notes that say enough to tell it; empty where they are in several."""
    sure = dict(counts)
    for note in notes:
        if note.language_guess is not None:
            sure[note.language] -= 1
    language = max(sorted(sure), key=lambda one: sure[one], default="")
    return language if sure and 0 < sure[language] >= _MOST * sum(sure.values()) else ""


_UNPRINTABLE = regex("[\0\ud800-\udfff]")
# When a turn of a conversation began, behind who speaks: a question with a number in it does not ask for that minute.
_CLOCK = regex(r"^((?:#{1,6} )?\w+ ·(?: \d{4}-\d\d-\d\d)?) \d\d:\d\d$", 8)
# Nor for its day, with which the file of a conversation begins.
_DAY = regex(r"(?:^|/)\d{4}-\d\d-\d\d-")
# What every file of the engine says in its frontmatter.
_MACHINE = "machine"
_IMPORTER = "mine"
"""What two machines take in is the same file, so it names none."""
# What a drawing says in its frontmatter, whatever its file is called.
_DRAWING = "excalidraw-plugin"
# Pages of statements, by who writes them.
_PAGES = frozenset({"profile", "summaries", "identity"})
_PERSONAL = ("user/", "daily/")


@dataclass(frozen=True, slots=True)
class Analyzer:
    """How files become documents: scrubbing, and window sizes in words."""

    redact: Redactor
    words: int = DEFAULT_WORDS
    overlap: int = DEFAULT_OVERLAP

    def record(
        self, data: bytes, collection: Collection, path: str, file: FileState, docid: str, now: int
    ) -> DocumentRecord:
        """The record of one file; ``expected_hash`` is the caller's to set. A memory bears the docid that its file
        names instead of the one given. Raises ``NotText``."""
        source = decode(data)
        redacted = self.redact(_scrub(source.text))
        text = blank_marked_blocks(redacted.text)
        head = frontmatter.split(text)
        body = text[head.end_char :]
        if _DRAWING in head.fields:
            raise NotText("an Excalidraw drawing")
        shown = _scrub(path)
        about = description.describe(head.fields, shown, body, collection.daily, collection.order, collection.name)
        ours = collection.origin == "engine" and (_MACHINE in about.facts or about.facts.get("created_by") == _IMPORTER)
        own = blank_payloads(_own(text, head.end_char, collection, path, about))
        windows = fragment(own, words=self.words, overlap=self.overlap)
        fragments = _keep_own(windows, text, collection, about) if ours else windows
        named = about.id if collection.origin == "engine" and is_docid(about.id) else None
        language, guess = _tell_language(body, collection)
        document = Document(
            docid=docid if named is None else named,
            collection=collection.name,
            path=path,
            # It may come from the name of the file.
            title=self.redact(about.title).text,
            content_type=about.content_type,
            modified_at=file.modified_at,
            indexed_at=now,
            body_hash=content_hash(body.encode("utf-8")),
            raw_hash=content_hash(data),
            size=len(data),
            authored_at=about.authored_at,
            tags=about.tags,
            aliases=about.aliases,
            domain=about.domain,
            workstream=about.workstream,
            review_by=about.review_by,
            language=language,
            origin=collection.origin,
            quality=quality(body, about),
            confidence=1.0 if about.confidence is None else about.confidence,
            facts=self._restore_session(about.facts, source.text) if ours else about.facts,
            named=named,
            status=about.status,
            period=about.period,
            dates=about.dates,
            language_guess=guess,
        ).lower(find_lower(_trust_in(collection, path, ours=ours), about.trust))
        indexed = _Indexed(document, source, redacted)
        linked = tuple(dict.fromkeys((*links(body), *_properties_links(head.fields))))
        mentioned = {stem for link in linked for stem in stems(link, path)}
        return DocumentRecord(
            document=document,
            file=file,
            fragments=[indexed.fragment(part) for part in fragments],
            links=linked,
            mentions=linking.mentions(document).union(mentioned),
            problem=_problem(head.problem, about, len(fragments), original_of(path, ours=ours)) or source.problem,
        )

    def _restore_session(self, facts: Mapping[str, str], source: str) -> Mapping[str, str]:
        """A session's name says whose its memories are, but after the word "session" it can look like a cookie. Keeps a
        plain name that is not a secret by itself."""
        if "[redacted:" not in facts.get("session", ""):
            return facts
        name = frontmatter.split(_scrub(source)).fields.get("session")
        if not isinstance(name, str) or not name or session_key(name) != name or self.redact(name).text != name:
            return facts
        return {**facts, "session": name}


def _tell_language(body: str, collection: Collection) -> tuple[str, str | None]:
    """The language, and where the text alone is not sure of it what it says. Code is in none."""
    prose = without_code(body[:_TELLING])
    if (sure := detect_surely(prose)) is not None:
        return sure, None
    guess = detect(prose)
    return collection.language or guess, guess


def _keep_own(fragments: list[Fragment], text: str, collection: Collection, about: Description) -> list[Fragment]:
    """Of a file of the engine's: without its frontmatter, which is bookkeeping (title and tags count with every other
    fragment); of a conversation, with the person's own sentences. Of a page without a word of a person's nothing is to
    be found."""
    own = [part for part in fragments if part.kind != "frontmatter"]
    if _is_page(collection, about):
        return [part for part in own if part.text.strip()]
    found = own or fragments
    if about.content_type != "conversation" or not found:
        return found
    return [*found, *find_own_sentences(text, found[-1].seq + 1)]


def _own(text: str, start: int, collection: Collection, path: str, about: Description) -> str:
    """Without what a page of ours tells of others, which is found where it stands first, and is nobody's own words."""
    if collection.dreams and path == _MEMORY:
        return blank_items(text)
    if _is_page(collection, about) or (collection.origin == "engine" and about.content_type == ENTITY):
        return text[:start] + blank_statements(text[start:])
    return text


def _is_page(collection: Collection, about: Description) -> bool:
    return collection.origin == "engine" and about.facts.get("created_by") in _PAGES


def _properties_links(fields: Mapping[str, Value]) -> tuple[str, ...]:
    """What the values of a frontmatter link to."""
    values = (value if isinstance(value, str) else "\n\n".join(value) for value in fields.values())
    return links("\n\n".join(value for value in values if "[[" in value))


def _problem(head: str | None, about: Description, fragments: int, original: str | None) -> str | None:
    if head:
        return f"frontmatter: {head}"
    if (unknown := about.facts.get("content_type")) is not None:
        return f"content_type {unknown[:40]!r} is unknown; choose among: {', '.join(CONTENT_TYPES)}"
    if fragments >= MAX_FRAGMENTS:
        return f"so long that its {fragments} windows are larger than usual"
    return None if original is None else f"a copy that a sync conflict left of {original}"


def decode_text(data: bytes) -> str:
    """The text of a file as shown: undecodable bytes become replacement characters. Raises ``NotText``."""
    return _scrub(decode(data).text)


# The same few values over and over.
_counts = lru_cache(maxsize=4096)(TermCounts)


class _Indexed:
    """Turns fragments of one document into index terms and places in the original file."""

    def __init__(self, document: Document, source: SourceText, redacted: Redacted) -> None:
        self._language = document.language
        self._source = source
        self._redacted = redacted
        self._talks = document.content_type == CONVERSATION
        path = _DAY.sub("/", document.path) if self._talks else document.path
        names = (document.title, path, *document.aliases, *document.tags)
        self._names = count_terms(_scrub("\n".join(names)), document.language)
        self._above: dict[tuple[str, ...], list[tuple[str, int, int]]] = {}
        self._marks = [(0, source.offset)]

    def fragment(self, part: Fragment) -> AnalyzedFragment:
        places = self._byte(part.start_char), self._byte(part.end_char)
        return AnalyzedFragment(part, partial(self._count, part), *places)

    def _count(self, part: Fragment) -> FragmentTerms:
        text = _CLOCK.sub(r"\1", part.text) if self._talks else part.text
        body = count_terms(text, self._language)
        counts = dict(zip(body, map(_counts, body.values()), strict=True))
        for term, heading, meta in () if part.kind == SAID else self._terms_above(part.headings):
            counts[term] = _counts(body.get(term, 0), heading, meta)
        counts |= dict(find_ends(counts, self._language))
        if part.kind == "frontmatter" or is_answer(part):
            counts[ASIDE] = TermCounts(body=1)
        # Whole tokens repeat their parts: counting them would make code look longer than it is.
        length = sum(body.values()) - sum([count for term, count in body.items() if term[:1] == "="])
        return FragmentTerms(counts, length)

    def _terms_above(self, headings: tuple[str, ...]) -> list[tuple[str, int, int]]:
        """Terms of headings, and of the document's names, with how often each field has them; once a heading path."""
        found = self._above.get(headings)
        if found is None:
            said = " ".join(_CLOCK.sub(r"\1", heading) for heading in headings)
            heading, names = count_terms(said, self._language), self._names
            found = [(term, heading.get(term, 0), names.get(term, 0)) for term in heading.keys() | names.keys()]
            self._above[headings] = found
        return found

    def _byte(self, position: int) -> int:
        """The offset in the original file of a character of the redacted text, counted on from the nearest mark."""
        char = self._redacted.original_offset(position)
        if self._source.single:
            return self._source.offset + char
        at = bisect_left(self._marks, (char + 1,)) - 1
        start, offset = self._marks[at]
        between = self._source.text[start:char]
        errors = "surrogateescape" if self._source.encoding == "utf-8" else "surrogatepass"
        byte = offset + len(between.encode(self._source.encoding, errors))
        if at == len(self._marks) - 1 and char > start:
            self._marks.append((char, byte))
        return byte


def _scrub(text: str) -> str:
    """NUL and lone surrogates (undecodable bytes) become replacement characters, one to one."""
    return text if text.isascii() and "\0" not in text else _UNPRINTABLE.sub("\ufffd", text)


def _trust_in(collection: Collection, path: str, *, ours: bool) -> str:
    """How far a file is trusted for where it lies: those of the memory folder that are a person's to write are hers,
    unless the engine wrote them, and what lies in a cloned repository is the team's."""
    if path.startswith(collection.clones):
        return find_lower(collection.trust, TEAM)
    personal = collection.origin == "engine" and (path == _MEMORY or path.startswith(_PERSONAL))
    return "human" if personal and not ours else collection.trust
