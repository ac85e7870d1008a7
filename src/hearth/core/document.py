"""A document: one markdown file as the index knows it, its identity, and whose words it holds. A fragment: the unit
of retrieval, a window of a document with its exact place, and text without its secrets."""

from __future__ import annotations

import hashlib
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from types import MappingProxyType
from typing import Any, NamedTuple

from hearth.core.instants import parse_written
from hearth.core.lazy import dataclass
from hearth.core.memory import DEFAULT_TYPE

CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"
DOCID_LENGTH = 16
MIN_PREFIX = 6
INTERNAL = "_hearth"
"""The collection that the engine writes."""


def normal_path(path: str) -> str:
    """NFC, which is what identity compares; the bytes on disk stay as they are."""
    return unicodedata.normalize("NFC", path)


def docid(collection: str, path: str, counter: int = 0) -> str:
    """The first 16 Crockford characters of SHA-256(collection, NUL, NFC path); ``counter`` settles a collision."""
    text = f"{collection}\0{normal_path(path)}" + (f"\0{counter}" if counter else "")
    value = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()[:10], "big")
    return "".join(CROCKFORD[(value >> shift) & 31] for shift in range(75, -1, -5))


def content_hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


def is_docid(text: str | None) -> bool:
    """Whether the text has the form of a whole docid."""
    return text is not None and len(text) == DOCID_LENGTH and all(char in CROCKFORD for char in text)


MINE, TEAM, AGENT, EXTERNAL = "human", "team", "agent", "external"
TRUST = (MINE, TEAM, AGENT, EXTERNAL)
"""From most to least trusted."""
SETTINGS = {"mine": MINE, "team": TEAM, "agent": AGENT, "external": EXTERNAL}
"""What a collection's setting is called -> the label of its documents."""
NAMES = {label: name for name, label in SETTINGS.items()}


BINDING = ("preference", "correction", "antipattern", "principle", "handoff", "commitment")
"""Types that rule, hand off or commit: nothing external is of one, whatever it says of itself."""


def find_lower(*levels: str | None) -> str:
    """The least trusted of those given."""
    return max((level for level in levels if level), key=TRUST.index, default=MINE)


def name_voice(trust: str, author: str = "") -> str:
    """How a heading says whose words follow; nothing of the person's own."""
    by = f" ({author})" if author else ""
    voices = {MINE: "", TEAM: f"by your team{by}", AGENT: "by agent", EXTERNAL: f"external{by}"}
    return voices[trust]


CAPTURE = "capture"
"""What has ``created_by`` say so was kept of a session."""
_RECORDS = frozenset({"conversation", "handoff", "progress"})


def find_speaker(document: Document, fragment: str = "") -> str:
    """How a heading says whose words the engine kept, of a document or its ``fragment`` of that kind: the person's own
    where a sentence of theirs is quoted or proves the memory, a whole session's in a record of it, those of many in the
    profile; empty elsewhere."""
    maker = document.facts.get("created_by")
    if document.collection != INTERNAL or document.trust != AGENT or maker not in (CAPTURE, "profile"):
        return ""
    if maker != CAPTURE:
        return "from sessions"
    is_proven = document.facts.get("tier") == "explicit" and document.facts.get("evidence_by") == "user"
    if fragment == SAID or is_proven:
        return "the user's words"
    return "from a session" if document.content_type in _RECORDS else ""


def is_foreign(trust: str) -> bool:
    """Whether somebody else wrote it: neither the person, nor an agent that worked for them."""
    return trust in (TEAM, EXTERNAL)


VEILS = ("forgotten", "archived", "superseded", "invalidated", "expired", "pending")
"""What hides a document; all but the first may be asked for in a search. Whoever asks for what is superseded also
gets what expired. Searches that somebody asks for find what is pending; nothing else does."""
_AUTHOR_CHARS = 60
_PRIVATE_NAMES, _PRIVATE_TYPES = frozenset({"memory.md", "user.md"}), frozenset({"daily", "profile"})
STATUSES = ("accepted", "proposed", "rejected", "deprecated", "superseded")
"""How a decision or proposal stands, as its text says."""
PROPOSED, SUPERSEDED = "proposed", "superseded"
OVER = frozenset({"rejected", "deprecated", "superseded"})
"""Those of what does not hold."""
NO_FACTS: Mapping[str, str] = MappingProxyType({})
ENDED = "ended_at"
"""The fact under which is noted when a memory ended by its program's own word (ISO 8601): searches then find it only if
asked for what is over."""


TERM_FIELDS = ("title", "path", "aliases", "tags", "language")
"""Of a document: what goes into the terms of each of its fragments."""


class FileState(NamedTuple):
    """What one ``stat`` says of a file, and the bytes of its name on disk (relative to the collection root)."""

    mtime_ns: int
    size: int
    ctime_ns: int
    disk_path: bytes

    @property
    def modified_at(self) -> int:
        """Milliseconds UTC."""
        return self.mtime_ns // 1_000_000


@dataclass(frozen=True, slots=True)
class Document:
    """All instants are milliseconds UTC. ``path`` is NFC, separated by ``/``, relative to its collection's root.

    ``authored_at`` is what the text says, ``committed_at`` when git had the file first, ``committed_by`` by
    whom.

    ``quality`` and ``confidence`` lie in [0, 1]; ``trust`` is one of ``trust.TRUST``;
    ``origin`` is ``file``, ``engine`` or ``import``.

    ``named`` is the docid that the file of a memory names; another file may bear it.

    ``status`` is one of ``STATUSES``. ``period`` is the month, week or year that it is dated by, of which
    ``authored_at`` is the first day. ``dates`` is what its dates put first, ``day`` or ``month``, or else ``open``
    where its own date depends on what others put first, with that behind a colon where they settle it.
    ``language_guess`` is what the text alone says where that is too little to be sure; its language is then that of
    its collection.
    """

    docid: str
    collection: str
    path: str
    title: str
    content_type: str
    modified_at: int
    indexed_at: int
    body_hash: str
    raw_hash: str
    size: int
    authored_at: int | None = None
    committed_at: int | None = None
    committed_by: str | None = None
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    domain: str | None = None
    workstream: str | None = None
    review_by: int | None = None
    language: str = "und"
    origin: str = "file"
    trust: str = "human"
    quality: float = 0.5
    confidence: float = 1.0
    facts: Mapping[str, str] = field(default_factory=lambda: NO_FACTS)
    named: str | None = None
    status: str | None = None
    period: str | None = None
    dates: str | None = None
    language_guess: str | None = None

    @property
    def place(self) -> str:
        """As people name it: the collection and the path in it."""
        return f"{self.collection}/{self.path}"

    @property
    def uri(self) -> str:
        return f"hearth://{self.place}"

    @property
    def dated_at(self) -> int | None:
        """When the content was written: what the text says, else its first commit. ``None`` where nobody knows."""
        return self.committed_at if self.authored_at is None else self.authored_at

    @property
    def is_private(self) -> bool:
        """Whether it is for the person alone: what they are, what they remember, their days."""
        name = self.path.rpartition("/")[2].casefold()
        return name in _PRIVATE_NAMES or self.content_type in _PRIVATE_TYPES

    @property
    def author(self) -> str:
        """Who wrote it: as its text says, else as git does; empty where nobody knows."""
        stated = self.facts.get("author") or self.facts.get("authors") or ""
        return (stated or self.committed_by or "").strip()[:_AUTHOR_CHARS]

    @property
    def stated_from(self) -> int | None:
        """Since when it is true, where its text says so beside its date."""
        stated = self.facts.get("valid_from")
        return None if stated is None else parse_written(stated)

    @property
    def valid_from(self) -> int | None:
        """Since when it is true, else when it was said. ``None`` where nobody knows."""
        stated = self.stated_from
        return self.dated_at if stated is None else stated

    @property
    def newest_first(self) -> tuple[bool, int, str]:
        """A key to sort by, what is undated last."""
        dated = self.dated_at
        return dated is None, -(dated or 0), self.docid

    def lower(self, trust: str) -> Document:
        """The same with no more trust than this."""
        lowest = find_lower(self.trust, trust)
        binds = lowest == EXTERNAL and self.content_type in BINDING
        if lowest == self.trust and not binds:
            return self
        return replace(self, trust=lowest, content_type=DEFAULT_TYPE if binds else self.content_type)

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares, without its text."""
        return {
            "docid": self.docid,
            "collection": self.collection,
            "path": self.path,
            "title": self.title,
            "content_type": self.content_type,
            "authored_at": self.dated_at,
            "modified_at": self.modified_at,
            "size": self.size,
            "tags": list(self.tags),
            "aliases": list(self.aliases),
            "language": self.language,
            "trust": self.trust,
            **({"status": self.status} if self.status else {}),
            **({"period": self.period} if self.period else {}),
        }


@dataclass(frozen=True, slots=True)
class DocumentState:
    """What the journal says of a document; the defaults mean that it says nothing. ``confidence`` goes over the
    document's own. ``valid_to`` (ms UTC) is when something ended its truth, ``ends_at`` when it leaves searches by
    itself: a guess that nobody confirmed, or a commitment that lapsed or was fulfilled. ``tags`` are those that it took
    over from others, beside the ones of its file. ``pending``: a person has yet to approve it."""

    pinned: bool = False
    snoozed_until: int | None = None
    forgotten: bool = False
    archived: bool = False
    superseded_by: str | None = None
    invalidated_at: int | None = None
    access_count: int = 0
    last_accessed_at: int | None = None
    duplicate_count: int = 0
    revision_count: int = 0
    confidence: float | None = None
    fulfilled_at: int | None = None
    fulfilled_by: str | None = None
    valid_to: int | None = None
    ends_at: int | None = None
    tags: tuple[str, ...] = ()
    pending: bool = False

    def expired(self, now: int) -> bool:
        return self.ends_at is not None and self.ends_at <= now

    def veils_at(self, now: int) -> tuple[str, ...]:
        """Why it is hidden at a moment (ms UTC), of ``VEILS``."""
        return (*self.veils, "expired") if self.expired(now) else self.veils

    @property
    def hidden(self) -> bool:
        """Left out of every search unless asked for by name."""
        return bool(self.veils)

    @property
    def veils(self) -> tuple[str, ...]:
        """Why it is hidden at any time, of ``VEILS``."""
        given = (self.forgotten, self.archived, self.superseded_by is not None, self.invalidated_at is not None)
        found = tuple(name for name, there in zip(VEILS[:4], given, strict=True) if there)
        return (*found, "pending") if self.pending else found


UNTOUCHED = DocumentState()


STATES = "agent/precompact/"
"""Where states of sessions before their compaction are kept, below the memory folder."""
CONVERSATIONS = "agent/conversations/"
INBOX = "agent/inbox"
"""Where turns that clients handed over are kept, below the memory folder."""
QUOTING = frozenset({"handoff", "conversation"})


def is_session_note(document: Document) -> bool:
    """Whether it is ours about a session: its state before a compaction, a hand-off, what was said."""
    return is_state(document) or (document.collection == INTERNAL and document.content_type in QUOTING)


def is_state(document: Document) -> bool:
    """Whether it is the state of a session before a compaction: a hand-off half written."""
    return document.collection == INTERNAL and document.path.startswith(STATES)


@dataclass(frozen=True, slots=True)
class Secret:
    """``start``/``end`` are a half-open range of the original text; ``placeholder`` stands there now."""

    rule: str
    start: int
    end: int
    placeholder: str


@dataclass(frozen=True, slots=True)
class Redacted:
    """``secrets`` are disjoint and ordered by ``start``."""

    text: str
    secrets: tuple[Secret, ...] = ()
    _starts: Sequence[int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        starts, shift = [], 0
        for secret in self.secrets:
            starts.append(secret.start + shift)
            shift += len(secret.placeholder) - (secret.end - secret.start)
        object.__setattr__(self, "_starts", tuple(starts))

    def original_offset(self, position_in_redacted: int) -> int:
        """Where that character stood before: exact outside secrets, within the secret's range inside a placeholder.

        Never decreases as the position grows.
        """
        index = bisect_right(self._starts, position_in_redacted) - 1
        if index < 0:
            return position_in_redacted
        secret = self.secrets[index]
        inside = position_in_redacted - self._starts[index]
        beyond = inside - len(secret.placeholder)
        return secret.end + beyond if beyond >= 0 else min(secret.start + inside, secret.end)


SAID = "said"
"""The kind of a fragment that holds the person's own words in a conversation."""
KINDS = ("full", "section", "list", "code", "table", "frontmatter", "turn", SAID)


@dataclass(frozen=True, slots=True)
class Fragment:
    """Lines are 1-based and inclusive; ``start_char``/``end_char`` are a half-open range of the document's text.

    ``headings`` is the path of headings above the fragment, outermost first. ``context`` is text that helps to
    find the fragment but is not part of it (the neighbouring turns of a conversation).
    """

    seq: int
    kind: str
    start_line: int
    end_line: int
    start_char: int
    end_char: int
    text: str
    headings: tuple[str, ...] = ()
    context: str = ""


class TermCounts(NamedTuple):
    """How often each field of a fragment holds a term: its text, the headings above it, and what its document is called
    (title, path, aliases, tags). A tuple, since a document makes hundreds."""

    body: int = 0
    heading: int = 0
    meta: int = 0


class FragmentTerms(NamedTuple):
    """``length`` is the number of term occurrences in the body."""

    counts: Mapping[str, TermCounts]
    length: int


class AnalyzedFragment:
    """A fragment with its index terms, which may be counted only when somebody asks for them: of a long file that grew
    by a line most stand in the index already.

    ``start_byte``/``end_byte`` are a half-open range of the original file, before redaction.
    """

    __slots__ = ("_counted", "end_byte", "fragment", "start_byte")

    def __init__(
        self, fragment: Fragment, counted: FragmentTerms | Callable[[], FragmentTerms], start_byte: int, end_byte: int
    ) -> None:
        self.fragment = fragment
        self.start_byte = start_byte
        self.end_byte = end_byte
        self._counted = counted

    @property
    def counted(self) -> FragmentTerms:
        if not isinstance(self._counted, FragmentTerms):
            self._counted = self._counted()
        return self._counted

    @property
    def terms(self) -> Mapping[str, TermCounts]:
        return self.counted.counts

    @property
    def length(self) -> int:
        return self.counted.length


@dataclass(frozen=True, slots=True)
class Curve:
    """P(relevant | cosine) = 1 / (1 + exp(-(slope * cosine + intercept))), Platt's logistic curve."""

    slope: float
    intercept: float
