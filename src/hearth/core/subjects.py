"""How state is filed: what registers and members are about, and the names of those that are many of a kind.

A document is its docid, which holds no colon; all else is a kind, a colon and a name. Indexes on disk hold these
spellings, so whoever changes one raises the version of the schema.
"""

from __future__ import annotations

VAULT = "vault:"
_SURFACED = "surfaced:"
RELATION = "relation:"
_COACTIVE = "coactive:"
_SESSION = "session:"
_REVIEW = "review:"
_UNREAD = "unread:"
_NOTICED = "noticed:"
_DREAM = "dream:"
_HIT = "hit:"
_PROMOTED = "dream:promoted"
_DREAMING = "dream:dreaming"
_NIGHT = "night"
STANDING = "items"
"""Its register for how the items of the page stood when it was written last."""
_TAKEN = "taken:"
_PAGE = "page:"
DISMISSED = "dismissed:"
SAID_AGAIN = "find_repetitions"
"""The set of the moments (ms UTC) at which a memory was said again."""
ENTITIES = "entity:names"
"""A register for each name of which somebody said whom or what it means, everywhere or in a document."""
_ALIAS = "alias:"


def name_session(key: str) -> str:
    return f"{_SESSION}{key}"


def read_session(subject: str) -> str | None:
    """The key of a session; ``None`` for any other subject."""
    return subject.removeprefix(_SESSION) if subject.startswith(_SESSION) else None


def name_machine(machine: str) -> str:
    return f"machine:{machine}"


def name_scope(scope: str, name: str | None) -> str:
    """What a focus is for: ``session`` or ``project`` with its name, or ``vault``, which has none."""
    return f"{scope}:{name or ''}"


def name_review(one: str, other: str) -> str:
    """What is asked about two documents, whichever noticed it and in which order."""
    return _REVIEW + ":".join(sorted((one, other)))


def name_noticed(docid: str) -> str:
    """What is known of a document's text beside its state, so that to notice something moves no state along."""
    return f"{_NOTICED}{docid}"


def name_page(name: str) -> str:
    """A page that sums memories up."""
    return f"{_PAGE}{name}"


def is_review(subject: str) -> bool:
    return subject.startswith(_REVIEW)


def name_dream_day(day: str) -> str:
    """What was done with fragments on a local date."""
    return f"{_DREAM}{day}"


def name_promoted(agent: str = "") -> str:
    """What became of fragments on the page of an agent, or of everyone without a name: a register for each, named by
    docid and hash."""
    return _of_agent(_PROMOTED, agent)


def name_dreaming(agent: str = "") -> str:
    """Who writes a page, and what stands on it."""
    return _of_agent(_DREAMING, agent)


def name_night(agent: str = "") -> str:
    """A day's register for the night that was dreamt on it."""
    return _of_agent(_NIGHT, agent)


def is_document(subject: str) -> bool:
    return ":" not in subject


def _of_agent(name: str, agent: str) -> str:
    return f"{name}:{agent}" if agent else name


# -- fields and keys ------------------------------------------------------------------------------------------------


def name_surfacing(turn: str, key: str | None = None) -> str:
    """A session's register for what a turn was shown, once or, told apart by a key, many times."""
    return f"{_SURFACED}{turn}" if key is None else f"{_SURFACED}{turn}:{key}"


def name_surfacings(turn: str | None) -> str:
    """What such registers of a turn, or of any, begin with."""
    return _SURFACED if turn is None else f"{_SURFACED}{turn}:"


def read_surfacing(field: str) -> str | None:
    """The turn; ``None`` for another register."""
    return field.removeprefix(_SURFACED).split(":", 1)[0] if field.startswith(_SURFACED) else None


def name_reference(turn: str, docid: str) -> str:
    """A key of a session's set: a document that a turn's answer used."""
    return f"{turn}:{docid}"


def read_reference(key: str) -> tuple[str, str]:
    """Turn and docid."""
    turn, _, docid = key.rpartition(":")
    return turn, docid


def name_watermark(kind: str, session: str) -> str:
    """A machine's register for how far it read a session; ``kind`` is that of the event."""
    return f"{kind}:{session}"


def read_watermark(kind: str, field: str) -> str | None:
    """The session; ``None`` for another register."""
    return field.removeprefix(f"{kind}:") if field.startswith(f"{kind}:") else None


def name_unread(batch: str) -> str:
    """A machine's register for a piece that its language model has yet to read."""
    return f"{_UNREAD}{batch}"


def read_unread(field: str) -> str | None:
    """The piece; ``None`` for another register."""
    return field.removeprefix(_UNREAD) if field.startswith(_UNREAD) else None


def name_captured(batch: str, docid: str) -> str:
    """A key of a session's set: a document that was captured with a piece of it."""
    return f"{batch}:{docid}"


def read_captured(key: str) -> tuple[str, str]:
    """Piece and docid."""
    batch, _, docid = key.rpartition(":")
    return batch, docid


def name_relation(kind: str, target: str) -> str:
    """A document's register for an edge to another."""
    return f"{RELATION}{kind}:{target}"


def read_relation(field: str) -> tuple[str, str]:
    """Kind and target."""
    kind, _, target = field.removeprefix(RELATION).partition(":")
    return kind, target


def name_dismissed(statement: str) -> str:
    """A page's register for a statement that is not to stand on it."""
    return f"{DISMISSED}{statement}"


def read_dismissed(field: str) -> str:
    """The statement's key."""
    return field.removeprefix(DISMISSED)


def name_alias(key: str, docid: str | None = None) -> str:
    """A register for what a name means, in one document alone where it is given."""
    return f"{_ALIAS}{docid or ''}:{key}"


def read_alias(field: str) -> tuple[str | None, str]:
    """docid and key of the name."""
    docid, _, key = field.removeprefix(_ALIAS).partition(":")
    return docid or None, key


def name_companion(docid: str) -> str:
    """A document's set for the occasions on which it was used together with another."""
    return f"{_COACTIVE}{docid}"


def read_companion(name: str) -> str | None:
    """The other's docid; ``None`` for another set."""
    return name.removeprefix(_COACTIVE) if name.startswith(_COACTIVE) else None


def name_fragment(docid: str, block: str) -> str:
    """A register for a block of a document, by its hash."""
    return f"{docid}:{block}"


def read_fragment(field: str) -> tuple[str, str] | None:
    """docid and hash; ``None`` for another register."""
    docid, _, block = field.partition(":")
    return (docid, block) if docid and block else None


def name_takeover(collection: str) -> str:
    """A register for recalls that another assistant counted in a collection, taken over."""
    return f"{_TAKEN}{collection}"


def name_signal(kind: str, fragment: str, question: str) -> str:
    """A day's register for a fragment that was found, opened or used for a question."""
    return f"{kind}:{fragment}:{question}"


def read_signal(field: str) -> tuple[str, str, str, str] | None:
    """Kind, docid, hash and question; ``None`` for another register."""
    parts = field.split(":", 3)
    return (parts[0], parts[1], parts[2], parts[3]) if len(parts) == 4 and parts[0] != _HIT[:-1] else None


def name_phase_hit(phase: str, fragment: str) -> str:
    """A day's register for a fragment that a phase of its night met."""
    return f"{_HIT}{phase}:{fragment}"


def read_phase_hit(field: str) -> tuple[str, str, str] | None:
    """Phase, docid and hash; ``None`` for another register."""
    parts = field.split(":")
    return (parts[1], parts[2], parts[3]) if len(parts) == 4 and field.startswith(_HIT) else None
