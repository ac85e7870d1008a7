"""What a new memory does to those that are there, and facts gathered by subject. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from hearth.core.instants import DAY_MS
from hearth.core.lazy import dataclass, regex
from hearth.core.memory import (
    CONTENT_TYPES,
    ENTITY,
    MAX_TEXT_BYTES,
    SPECULATIVE_DAYS,
    Action,
    Known,
    Memory,
    Merge,
    Origin,
    turn_of,
)
from hearth.language.likeness import says_the_same
from hearth.language.name_matching import names_one
from hearth.memory.file_names import TITLE_CHARS, id_of, subject_key, subject_of
from hearth.text.lines import cut_line
from hearth.text.similarity import covers, normalised, similar

_FACT = regex(r"^- \d{4}-\d{2}-\d{2} (.*?) \([^()\n]*\) \^([0-9a-z]{16})$\n?", re.MULTILINE | re.DOTALL)
# Half of a mark: in one file no two turns share it.
_TURN_CHARS = 8
_SOURCE = regex(r"\(([^()\n]*)\) \^([0-9a-z]{16})$", re.MULTILINE)


def begun(memory: Memory, moment: datetime) -> Memory:
    """The file of a subject with its first fact: the day, what was said, from where (the document that holds it, where
    it is known), and a mark that is the fact's own. ``moment`` is in the zone of its reader."""
    origin = memory.origin or Origin(memory.created_by)
    place = f"#{origin.cited}" if origin.cited is not None else origin.source
    source = " · ".join(filter(None, (origin.tier, place)))
    indented = memory.text.replace("\n", "\n  ")
    text = f"- {moment:%Y-%m-%d} {indented} ({re.sub('[()]', '', source)}) ^{mark_of(memory.id, origin.source)}"
    subject = memory.subject or subject_of(memory.text)
    title = memory.title if memory.subject is None else memory.subject
    return replace(memory, text=text, subject=subject[:200], title=cut_line(title, TITLE_CHARS), origin=None)


def mark_of(identity: str, source: str = "") -> str:
    """The mark of the fact that would begin a memory of this id: not the id itself, which is the whole file's. That of
    a captured one begins as those of all facts of its turn do, which so are found whatever their lines cite."""
    turn, own = turn_of(source), id_of(f"fact\0{identity}")
    return own if turn is None else _begin(turn) + own[_TURN_CHARS:]


def _begin(turn: str) -> str:
    return id_of(f"turn\0{turn}")[:_TURN_CHARS]


def says(text: str, fact: str) -> bool:
    """Whether each fact of the second text stands in the first, whenever and by whomever it was said."""
    known = {normalised(found[1]) for found in _FACT.finditer(text)}
    facts = {normalised(found[1]) for found in _FACT.finditer(fact)}
    return bool(facts) and facts <= known


def added(old: Memory, new: Memory) -> Memory | None:
    """The file with another fact; ``None`` where it would be too long."""
    text = f"{old.text}\n{new.text}"
    tags = tuple(dict.fromkeys((*old.tags, *new.tags)))
    return None if len(text.encode("utf-8")) > MAX_TEXT_BYTES else replace(old, text=text, tags=tags)


def marks_from(text: str, turn: str) -> set[str]:
    """The marks of the facts from a turn, as ``turn_of`` names it; also of those whose line names it itself."""
    begin = _begin(turn)
    return {found[2] for found in _SOURCE.finditer(text) if turn in found[1] or found[2].startswith(begin)}


def without(text: str, marks: Collection[str]) -> str:
    """The text without the facts of these marks; what people wrote into it stays."""
    return _FACT.sub(lambda found: "" if found[2] in marks else found[0], text).strip("\n")


DUPLICATE_MS = 30 * 60 * 1000
RECENT_MS = 7 * DAY_MS
CONFIRMED = 0.70
"""The confidence of a guess that another session said again."""


@dataclass(frozen=True, slots=True)
class Write:
    """A new file."""

    memory: Memory


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Another text in the file of ``known``; its former one becomes a revision."""

    known: Known
    memory: Memory
    action: Action


@dataclass(frozen=True, slots=True)
class Extend:
    """A line more in the file of ``known``: nothing of it is replaced."""

    known: Known
    memory: Memory


@dataclass(frozen=True, slots=True)
class Repeat:
    """Said already: counted, nothing written."""

    known: Known


@dataclass(frozen=True, slots=True)
class SupersedeStep:
    """The document ``docid`` gives way to ``by``."""

    docid: str
    by: str


Op = Write | Rewrite | Extend | Repeat | SupersedeStep


def plan(memory: Memory, known: Sequence[Known]) -> list[Op]:
    """The first operation says where the memory is afterwards. ``memory`` is as it would be in a new file, of this
    machine and this moment; ``known`` are memories of its type that might be affected, others are passed over."""
    memory = _date(memory)
    every = sorted((k for k in known if _comparable(k.memory, memory)), key=lambda k: -k.memory.authored_at)
    pending = memory.pending_since is not None
    # What is pending and what counts never change each other.
    others = [one for one in every if one.pending is pending]
    memory = _confirm(memory, others)
    counts = next((one for one in every if not one.pending and _says_already(memory, one)), None) if pending else None
    gathers = CONTENT_TYPES[memory.content_type].merge is Merge.GATHER
    main = Repeat(counts) if counts is not None else _gather(memory, others) if gathers else _main(memory, others)
    identity = main.memory.id if isinstance(main, Write) else main.known.memory.id
    replaced = main.memory.supersedes if isinstance(main, Write) else memory.supersedes
    if not (pending or gathers):  # no one need be asked any more
        replaced = (*replaced, *(one.memory.id for one in every if one.pending and _says_already(memory, one)))
    return [main, *(SupersedeStep(docid, identity) for docid in replaced if docid != identity)]


def _main(memory: Memory, others: Sequence[Known]) -> Write | Rewrite | Repeat:
    for one in others:
        if _equal(one.memory, memory) and abs(memory.authored_at - one.memory.authored_at) < DUPLICATE_MS:
            return Rewrite(one, _update(one.memory, memory), "revised") if _confirms(memory, one) else Repeat(one)
    found = None if memory.supersedes else _find(memory, others)
    if found is None:
        return Write(memory)
    one, action = found
    if _says_no_more(memory, one) and not _confirms(memory, one):
        return Repeat(one)
    if one.memory.machine != memory.machine:
        # A machine rewrites only files that it created.
        return Write(replace(memory, supersedes=(one.memory.id,)))
    if action == "merged":
        merged = _merge(one.memory, memory)
        return Write(memory) if merged is None else Rewrite(one, merged, action)
    return Rewrite(one, _update(one.memory, memory), action)


def _gather(memory: Memory, others: Sequence[Known]) -> Write | Extend | Repeat:
    """A subject's file on each machine; another's is left alone, and both are read as one."""
    about = [one for one in others if _is_about_one(one.memory, memory)]
    for one in about:
        if says(one.memory.text, memory.text):
            return Repeat(one)
    own = next((one for one in about if one.memory.machine == memory.machine), None)
    grown = None if own is None else added(own.memory, memory)
    return Write(memory) if own is None or grown is None else Extend(own, grown)


def _find(memory: Memory, others: Sequence[Known]) -> tuple[Known, Action] | None:
    """The memory that the type's policy has in mind, newest first, and what would happen to it."""
    merge = CONTENT_TYPES[memory.content_type].merge
    one = next((known for known in others if _fits(merge, known.memory, memory)), None)
    return None if one is None else (one, "merged" if merge is Merge.RECENT else "revised")


def _fits(merge: Merge, other: Memory, memory: Memory) -> bool:
    match merge:
        case Merge.SKIP:
            return says_the_same(other.text, memory.text)
        case Merge.SUBJECT:
            return _same_subject(other, memory) or says_the_same(other.text, memory.text)
        case Merge.ONE:
            return memory.subject is not None and _same_subject(other, memory)
        case Merge.SESSION:
            return memory.session is not None and other.session == memory.session
        case Merge.RECENT:
            recent = memory.authored_at - other.authored_at <= RECENT_MS
            return recent and (_same_subject(other, memory) or similar(other.text, memory.text))
        case Merge.NEVER | Merge.NEW | Merge.GATHER | Merge.APPEND:
            return False


def _comparable(other: Memory, memory: Memory) -> bool:
    if other.content_type != memory.content_type:
        return False
    # A session's project may become known after its first hand-off.
    unknown = other.project is None and CONTENT_TYPES[memory.content_type].merge is Merge.SESSION
    return other.project == memory.project or unknown


def _says_already(memory: Memory, one: Known) -> bool:
    """Whether a memory that is there says all of this one."""
    if CONTENT_TYPES[memory.content_type].merge is Merge.GATHER:
        return _is_about_one(one.memory, memory) and says(one.memory.text, memory.text)
    return says_the_same(one.memory.text, memory.text)


def _equal(other: Memory, memory: Memory) -> bool:
    return normalised(other.text) == normalised(memory.text)


def _same_subject(other: Memory, memory: Memory) -> bool:
    return subject_key(other.subject, other.text) == subject_key(memory.subject, memory.text)


def _is_about_one(other: Memory, memory: Memory) -> bool:
    """Of one subject; of an entity also under another spelling, or with its legal form."""
    if _same_subject(other, memory):
        return True
    if memory.content_type != ENTITY:
        return False
    return names_one(*((one.subject or subject_of(one.text)) for one in (other, memory)))


def _says_no_more(memory: Memory, one: Known) -> bool:
    merge = CONTENT_TYPES[memory.content_type].merge
    if merge is Merge.SKIP:
        return True  # near-identical, or it would not have been found
    if merge is Merge.RECENT and memory.text in one.memory.text:
        return True  # merged before
    if merge is Merge.SUBJECT and not _same_subject(one.memory, memory):
        return True  # found because it says the same
    return _equal(one.memory, memory)


def _confirms(memory: Memory, one: Known) -> bool:
    """What was a guess is said again as more than one, or by another session: it must not expire."""
    return one.memory.speculative and (not memory.speculative or _of_another_session(memory, one))


def _of_another_session(memory: Memory, one: Known) -> bool:
    both = memory.session is not None and one.memory.session is not None
    return both and memory.session != one.memory.session


def _confirm(memory: Memory, others: Sequence[Known]) -> Memory:
    """With the confidence of what was said in two sessions, where a guess of another one says the same."""
    known = (one for one in others if one.memory.speculative and _of_another_session(memory, one))
    if memory.speculative and any(says_the_same(one.memory.text, memory.text) for one in known):
        return replace(memory, confidence=CONFIRMED, expires_at=None)
    return memory


def _date(memory: Memory) -> Memory:
    if not memory.speculative:
        return replace(memory, expires_at=None)
    return replace(memory, expires_at=memory.authored_at + SPECULATIVE_DAYS * DAY_MS)


def _update(old: Memory, new: Memory) -> Memory:
    """The new text in the old file."""
    return replace(
        new,
        id=old.id,
        subject=new.subject or old.subject,
        session=new.session or old.session,
        tags=tuple(dict.fromkeys((*old.tags, *new.tags))),
        supersedes=tuple(dict.fromkeys((*old.supersedes, *new.supersedes))),
    )


def _merge(old: Memory, new: Memory) -> Memory | None:
    """Both texts, or the new one alone where it says all that the old one does; ``None`` where both are too long."""
    updated = _update(old, new)
    if covers(new.text, old.text):
        return updated
    text = f"{old.text}\n\n{new.text}"
    if len(text.encode("utf-8")) > MAX_TEXT_BYTES:
        return None
    origin = updated.origin
    if origin is not None and (old.origin is None or not old.origin.by_user):
        origin = replace(origin, by_user=False)
    return replace(updated, text=text, title=old.title, origin=origin)
