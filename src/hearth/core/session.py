"""Sessions with agents, and what was shown in them. Instants are ms UTC."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from hearth.core.errors import UsageError
from hearth.core.lazy import dataclass, regex

_PLAIN_SESSION = regex(r"[0-9A-Za-z][0-9A-Za-z._:-]{0,127}")
_PLAIN_TURN = regex(r"[0-9A-Za-z][0-9A-Za-z._-]{0,127}")
_OWNED = regex(r"agent:([a-z0-9][a-z0-9_-]{0,63}):")
_HASH_LENGTH = 31
_HANDOVER_CHARS = 16
_CONVERSATION_CHARS = 12


AGENTS = "agent:"
"""How the names of sessions begin that an agent of several has; its id and a colon follow."""
MAIN_AGENT = "main"
"""The agent of sessions that name none."""


GROUP = "+group"
"""How an agent's name ends where others take part: it sees the collections that are shared, and no memories."""
_GROUPS = frozenset({"group", "supergroup", "channel", "room", "thread"})


def is_of_group(key: str) -> bool:
    """Whether a session's key says that others take part ("agent:main:telegram:group:-100")."""
    return not _GROUPS.isdisjoint(key.casefold().split(":")[:-1])


def is_group(chat_type: str) -> bool:
    return chat_type.casefold() in _GROUPS


def prefix_of_agent(agent: str) -> str:
    return f"{AGENTS}{agent}:"


def session_of_agent(session: str, agent: str) -> str:
    """The name under which an agent's session is kept: it says whose it is. That of ``main`` is the host's. Raises
    ``UsageError`` for an agent's name that is none."""
    if agent in ("", MAIN_AGENT):
        return session
    prefix = prefix_of_agent(agent)
    if _OWNED.fullmatch(prefix) is None:
        raise UsageError(f"{agent[:80]!r} can't be an agent's name; use small letters, digits, - and _")
    return session if session.startswith(prefix) else f"{prefix}{session}"


def agent_of_session(session: str) -> str:
    """Whose session it is by its name."""
    found = _OWNED.match(session)
    return MAIN_AGENT if found is None else found[1]


def session_key(given: str) -> str:
    """The host's name of a session where it is plain and at most 128 characters, else a hash of it: names come from
    outside and may hold anything. Whose it is among agents stays readable. Raises ``UsageError`` for an empty one."""
    if not given:
        raise UsageError("a session needs a name; the host gave none")
    if _PLAIN_SESSION.fullmatch(given):
        return given
    owner = _OWNED.match(given)
    return f"{owner[0]}{hashed(given)}" if owner is not None and owner[1] != MAIN_AGENT else hashed(given)


BRIEFING = "briefing."
"""How the names of those turns begin that are none: what a session is told when it starts or was compacted."""


NAMELESS = "at-"
"""How the names of those turns begin to which the host gave none: a byte of the transcript follows."""


def is_briefing(turn: str) -> bool:
    return turn.startswith(BRIEFING)


def turn_key(session: str, given: str | None, ordinal: int | None = None) -> str:
    """The host's name of a turn as ``session_key`` has it; without one, a hash of the session and the number of the
    user's prompt. Raises ``UsageError`` without either."""
    if given:
        return given if _PLAIN_TURN.fullmatch(given) else hashed(given)
    if ordinal is None:
        raise UsageError("a turn needs a name or a number")
    return hashed(f"{session}\0{ordinal}")


def hashed(text: str) -> str:
    return "x" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_LENGTH]


def name_handover(session: str) -> str:
    """How the name of the file begins to which its client hands its turns over."""
    return f"{hashed(session)[:_HANDOVER_CHARS]}-"


def mark_conversation(session: str) -> str:
    """What the name of a session's conversation holds."""
    return hashed(session)[:_CONVERSATION_CHARS]


def is_handed_over(name: str, path: str) -> bool:
    """Whether the conversation at ``path`` is made of the file of turns with this name."""
    return name[:_CONVERSATION_CHARS] in path.rpartition("/")[2]


def session_of_conversation(facts: Mapping[str, str]) -> str | None:
    """The session of a conversation or memory, from its frontmatter: the host's name, or a hash of the source for an
    imported conversation. ``None`` if it names neither."""
    if session := facts.get("session"):
        return session
    source, identity = facts.get("source"), facts.get("source_id")
    return hashed(f"{source}\0{identity}") if source and identity else None


# -- what surfaces tell ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sighting:
    """What a surface knows of a session; ``project`` is an identity, else ``cwd`` leads to it. Nobody asks anything in
    one that is ``unattended``; in a ``shared`` one others take part."""

    session: str
    host: str | None = None
    project: str | None = None
    cwd: str | None = None
    unattended: bool = False
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """A fragment that was shown: lines count from 1, both included; 0 stands for the whole document. ``body`` begins
    the hash of a memory's text as it was shown, where that is known."""

    docid: str
    start_line: int = 0
    end_line: int = 0
    body: str = ""


@dataclass(frozen=True, slots=True)
class Surfacing:
    """What one hook showed in one turn. ``prompt_hash`` is ``Vault.prompt_hash`` of the prompt."""

    session: str
    turn: str
    shown: tuple[Shown, ...]
    tokens: int = 0
    hook: str = "context-surfacing"
    prompt_hash: str | None = None


# -- what surfaces are told ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """What was shown in a turn by all hooks together, by docid; empty for a turn that showed nothing."""

    turn: str
    at: int
    shown: tuple[Shown, ...] = ()
    prompt_hashes: tuple[str, ...] = ()
    tokens: int = 0

    @property
    def docids(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(item.docid for item in self.shown))


@dataclass(frozen=True, slots=True)
class Feedback:
    """``referenced`` are the documents of the turn that its answer used, ``new`` those not known to be before."""

    turn: str
    shown: int = 0
    referenced: tuple[str, ...] = ()
    new: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Focus:
    """What somebody is working on; ``scope`` is ``session``, ``project`` or ``vault``, ``subject`` which of them."""

    topic: str
    scope: str
    subject: str | None
    until: int | None

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {"topic": self.topic, "scope": self.scope, "subject": self.subject, "until": self.until}


@dataclass(frozen=True, slots=True)
class Session:
    """One line of the session log. ``ended`` is ``None`` while it may go on, ``last`` when anything was last heard of
    it. ``surfaced`` counts (turn, document) pairs, ``referenced`` those of them that the answers used. ``files`` counts
    the files that it changed, ``changed`` names the latest of them. ``summary`` is the title of the hand-off;
    ``handoff`` and ``conversation`` are docids."""

    id: str
    began: int
    last: int
    ended: int | None = None
    ending: str | None = None
    host: str | None = None
    project: str | None = None
    machine: str | None = None
    transcript: str | None = None
    watermark: int | None = None
    turns: int = 0
    files: int = 0
    changed: tuple[str, ...] = ()
    surfaced: int = 0
    referenced: int = 0
    tokens: int = 0
    summary: str | None = None
    handoff: str | None = None
    conversation: str | None = None

    @property
    def empty(self) -> bool:
        """Whether nothing is known of it but that it was there, and what it was told as it began."""
        return not (self.turns or self.files or self.handoff)

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {name: getattr(self, name) for name in self.__slots__} | {"changed": list(self.changed)}


@dataclass(frozen=True, slots=True)
class ShownDocument:
    """A document shown in a turn; ``place`` is ``collection/path``, ``None`` where it is gone or forgotten. ``lines``
    are (first, last) pairs."""

    docid: str
    place: str | None
    lines: tuple[tuple[int, int], ...]
    referenced: bool

    def to_dict(self) -> dict[str, Any]:
        return {
            "docid": self.docid,
            "place": self.place,
            "lines": [list(pair) for pair in self.lines],
            "referenced": self.referenced,
        }


@dataclass(frozen=True, slots=True)
class SessionTurn:
    """``hooks`` are those that showed something in it."""

    id: str
    at: int
    tokens: int = 0
    hooks: tuple[str, ...] = ()
    shown: tuple[ShownDocument, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "turn": self.id,
            "at": self.at,
            "tokens": self.tokens,
            "hooks": list(self.hooks),
            "shown": [document.to_dict() for document in self.shown],
        }


@dataclass(frozen=True, slots=True)
class SessionDetail:
    """``turns`` oldest first; ``older`` counts those whose details are past keeping."""

    session: Session
    turns: tuple[SessionTurn, ...] = ()
    older: int = 0
    files: tuple[str, ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        row = self.session.to_dict()
        del row["changed"]
        return {
            **row,
            "turns": [turn.to_dict() for turn in self.turns],
            "turns_total": self.session.turns,
            "turns_without_details": self.older,
            "files": list(self.files),
        }
