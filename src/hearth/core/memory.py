"""A memory: a document that the engine wrote, always a markdown file with frontmatter. The registry of content
types: what kind of document it is decides how it ages and how the engine writes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Literal

from hearth.core.lazy import dataclass, regex

MAX_TEXT_BYTES = 64 * 1024
"""UTF-8 bytes of one memory; what is longer is a document and belongs into a collection."""
# In the memory folder: which machine made the vault.
REVISIONS = ".revisions"
MAKER = ".made-by"
MAX_FILE_BYTES = 5 * 1024 * 1024
"""What a scan reads of a file at most."""
MAX_LINE_CHARS = 200
# A project may be named by its folder.
MAX_PROJECT_CHARS = 512
"""Title, subject, project, session, who made it."""
MAX_EVIDENCE = 512
"""What a memory was taken from: where, and the quote."""
MAX_TAGS = 32
MAX_TAG_CHARS = 64
MAX_SUPERSEDED = 16
SPECULATIVE = 0.40
"""Below this confidence a memory expires unless it is confirmed."""
SPECULATIVE_DAYS = 30
SCOPES = ("user", "project", "agent")
OWNERS = ("user", "agent", "other")
"""Who may owe a commitment."""

Action = Literal["written", "duplicate", "revised", "merged", "appended", "set aside", "retired"]


_CAPTURED = regex(r", turn (\d{1,9}), (\S+)")
_SAID_IN = regex(r"session .*?, turn \d{1,9}, (?=\S)")


def captured_turn(source: str, path: str | None = None) -> int | None:
    """The turn of a session that a memory was captured from, by its ``source``; with a ``path`` ("rules") only of what
    was found that way."""
    found = _CAPTURED.search(source)
    return int(found[1]) if found is not None and path in (None, found[2]) else None


def turn_of(source: str) -> str | None:
    """What the sources of all memories that were captured from one turn of a session begin with."""
    found = _SAID_IN.match(source)
    return found[0] if found is not None else None


def is_of_project(named: str | None, key: str | None) -> bool:
    """Whether a memory that names a project belongs to the one with this key: by the whole key (host/owner/name, a
    folder, or the repository in it), or by its last parts, as people name it. What names none belongs everywhere."""
    if not named:
        return True
    if key is None:
        return False
    whole = " ".join(key.split())  # as it is written into a file
    return whole == named or project_folder(whole).endswith("/" + named.strip("/").removesuffix("/.git"))


def project_folder(key: str) -> str:
    """The key of a project as people name it: of a repository without an origin the folder that holds it."""
    return key.removesuffix("/.git")


@dataclass(frozen=True, slots=True)
class Origin:
    """What a memory was taken from by itself: ``source`` names session, turn and extractor, ``evidence`` quotes the
    turn, ``tier`` says how it is known and ``importance`` in [0, 1] how much it matters. ``cited`` is the docid of what
    holds the turn, for memories that are a line of a file. ``by_user``: the quote is the person's words or choice."""

    source: str
    evidence: str = ""
    tier: str = ""
    importance: float | None = None
    cited: str | None = None
    by_user: bool = False


@dataclass(frozen=True, slots=True)
class NewMemory:
    """What somebody wants remembered, as given: neither checked nor scrubbed.

    ``supersedes`` are references to documents (docid, path, …) that this one replaces. ``scope`` is derived where it
    is ``None``: ``project`` with a project, else the owner of the type's folder. ``origin`` says what it was taken
    from, ``said_at`` (ms UTC) when it was said, where that is not now, ``due_at`` when it is to be done and ``owner``
    by whom, ``valid_from`` since when it is true, where that is not since then; with a ``key`` it is written once,
    whoever comes again with it. ``pending``: it does not count until a person approves it.
    """

    text: str
    content_type: str = "note"
    title: str | None = None
    tags: tuple[str, ...] = ()
    project: str | None = None
    subject: str | None = None
    session: str | None = None
    scope: str | None = None
    trust: str = "agent"
    created_by: str = "agent"
    confidence: float | None = None
    supersedes: tuple[str, ...] = ()
    origin: Origin | None = None
    said_at: int | None = None
    due_at: int | None = None
    owner: str | None = None
    valid_from: int | None = None
    key: str | None = None
    pending: bool = False


@dataclass(frozen=True, slots=True)
class Memory:
    """What a memory says, scrubbed and within its limits. Instants are ms UTC; ``confidence`` lies in [0, 1], ``None``
    where nothing lowers it. ``supersedes`` are docids. ``id`` is the docid of its file, ``machine`` who may rewrite it.
    """

    id: str
    text: str
    content_type: str
    title: str
    machine: str
    authored_at: int
    tags: tuple[str, ...] = ()
    project: str | None = None
    subject: str | None = None
    session: str | None = None
    scope: str = "agent"
    trust: str = "agent"
    created_by: str = "agent"
    confidence: float | None = None
    supersedes: tuple[str, ...] = ()
    expires_at: int | None = None
    origin: Origin | None = None
    due_at: int | None = None
    owner: str | None = None
    valid_from: int | None = None
    pending_since: int | None = None

    @property
    def speculative(self) -> bool:
        return self.confidence is not None and self.confidence < SPECULATIVE


@dataclass(frozen=True, slots=True)
class Known:
    """A memory as its file says now: ``raw_hash`` is the content hash of that file, ``fields`` its frontmatter,
    ``body_hash`` what the index has of it; ``pending`` whether it waits for approval."""

    memory: Memory
    path: str
    raw_hash: str
    source: str
    fields: Mapping[str, str | tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    body_hash: str | None = None
    pending: bool = False


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of a wish. ``path`` is relative to ``collection``, ``file`` the place on disk.

    ``retired``: nothing was written, since the document said it and is superseded, invalid or forgotten. ``supersedes``
    are docids of what gave way to it, ``asks`` of what a person is asked about.

    ``revision`` is where the former text went, or, for ``set aside``, where the new one lies because the file was
    edited meanwhile. ``redacted`` counts the secrets that were taken out.
    """

    action: Action
    docid: str
    collection: str
    path: str
    file: str
    content_type: str
    title: str
    revision: str | None = None
    supersedes: tuple[str, ...] = ()
    redacted: int = 0
    asks: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {
            "action": self.action,
            "docid": self.docid,
            "collection": self.collection,
            "path": self.path,
            "file": self.file,
            "content_type": self.content_type,
            "title": self.title,
            "revision": self.revision,
            "supersedes": list(self.supersedes),
            "asks": list(self.asks),
            "redacted": self.redacted,
        }


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a diary; ``at`` is ms UTC."""

    docid: str
    path: str
    at: int
    agent: str
    topic: str
    text: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


class Merge(StrEnum):
    """What the engine does with a new memory beside those that are there.

    ``NEVER`` types are written by people alone. ``NEW`` always makes a file. ``SKIP`` makes one unless a near-identical
    memory is there. ``SUBJECT`` rewrites the memory about the same subject, ``ONE`` does so where a subject is named.
    ``GATHER`` adds a dated line to the memory about the same subject and replaces nothing. ``RECENT`` merges into a
    similar memory of the last days. ``SESSION`` rewrites the session's own. ``APPEND`` adds to the file of the day.
    """

    NEVER = "never"
    NEW = "new"
    SKIP = "skip"
    SUBJECT = "subject"
    ONE = "one"
    GATHER = "gather"
    RECENT = "recent"
    SESSION = "session"
    APPEND = "append"


@dataclass(frozen=True, slots=True)
class ContentType:
    """``half_life_days`` is ``None`` where a document never ages; ``baseline`` is its confidence in [0, 1];
    ``folder`` is where the engine puts memories of this type, below the memory folder."""

    name: str
    half_life_days: float | None
    baseline: float
    merge: Merge
    folder: str | None
    attention_decay: bool = False


def _table(*rows: ContentType) -> dict[str, ContentType]:
    return {row.name: row for row in rows}


CONTENT_TYPES = _table(
    ContentType("decision", None, 0.85, Merge.SKIP, "agent/decisions"),
    ContentType("deduction", None, 0.85, Merge.SKIP, "agent/deductions"),
    ContentType("hub", None, 0.80, Merge.NEVER, None),
    ContentType("preference", None, 0.80, Merge.SUBJECT, "user/preferences"),
    ContentType("antipattern", None, 0.75, Merge.RECENT, "agent/antipatterns"),
    ContentType("problem", 60, 0.75, Merge.NEW, "agent/problems"),
    ContentType("research", 90, 0.70, Merge.NEVER, None),
    ContentType("milestone", 60, 0.70, Merge.NEW, "agent/milestones"),
    ContentType("project", 120, 0.65, Merge.NEVER, None, attention_decay=True),
    ContentType("handoff", 30, 0.60, Merge.SESSION, "agent/handoffs", attention_decay=True),
    ContentType("conversation", 45, 0.55, Merge.NEVER, None),
    ContentType("progress", 45, 0.50, Merge.NEVER, None, attention_decay=True),
    ContentType("entity", None, 0.75, Merge.GATHER, "user/entities"),
    ContentType("principle", None, 0.75, Merge.SUBJECT, "agent/principles"),
    ContentType("skill", None, 0.75, Merge.SUBJECT, "agent/skills"),
    ContentType("correction", None, 0.75, Merge.SUBJECT, "agent/corrections"),
    ContentType("observation", None, 0.65, Merge.SKIP, "agent/observations"),
    ContentType("fact", None, 0.65, Merge.SKIP, "agent/facts"),
    ContentType("relationship", None, 0.65, Merge.GATHER, "agent/relationships"),
    ContentType("bead", None, 0.65, Merge.SKIP, "agent/beads"),
    ContentType("commitment", 90, 0.70, Merge.NEW, "agent/commitments"),
    ContentType("question", 30, 0.50, Merge.NEW, "agent/questions"),
    ContentType("moment", 120, 0.60, Merge.NEW, "agent/moments"),
    ContentType("profile", None, 0.80, Merge.NEVER, None),
    ContentType("summary", 180, 0.60, Merge.ONE, "agent/summaries"),
    ContentType("meeting", 120, 0.60, Merge.NEVER, None),
    ContentType("runbook", None, 0.70, Merge.NEVER, None),
    ContentType("postmortem", None, 0.70, Merge.NEVER, None),
    ContentType("rfc", None, 0.70, Merge.NEVER, None),
    ContentType("weekly", 60, 0.50, Merge.NEVER, None),
    ContentType("daily", 30, 0.50, Merge.APPEND, "daily"),
    ContentType("note", 60, 0.50, Merge.NEW, "agent/notes", attention_decay=True),
)
DEFAULT_TYPE = "note"
ENTITY = "entity"
"""What is known of somebody or something, a file each."""
CONVERSATION = "conversation"
"""What sessions said, as it was said."""
STATEMENTS = (
    "decision", "preference", "fact", "correction", "principle", "skill", "observation", "deduction", "note",
)  # fmt: skip
"""Types of memory that say how one thing is: a milestone is true of its day for ever, an entity's file gathers much."""
RULES = ("preference", "correction", "antipattern", "principle")
"""How a person wants things done."""
DERIVED = ("profile", "summary", "question")
"""Made of memories and of sessions, which are read themselves."""

SURFACES = ("project", "asked", "always", "never")
"""For which prompts a collection is brought up unasked: for any in its project, and elsewhere where the prompt asks
something of memory; only where it asks; for any; for none."""
