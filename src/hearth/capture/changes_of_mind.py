"""Changes of mind in the person's own sentences: what a prompt says in place of what another session said becomes a
memory, and so does what it takes the place of. What follows from the two is noticed as with any memories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from hearth.core.extraction import Category, Tier
from hearth.core.judgement import Said
from hearth.core.lazy import dataclass
from hearth.core.memory import NewMemory, Origin, turn_of
from hearth.core.transcript import Turn
from hearth.language.likeness import compare
from hearth.language.slots import find_language, read_statement
from hearth.language.statements import as_sentence, states_plainly
from hearth.language.structure import strip_host_marks
from hearth.recall.statements import find_turn_time, is_personal
from hearth.text.similarity import flatten
from hearth.transcripts.typed import is_errand, own_words_of
from hearth.transcripts.typed import strip_added as find_typed
from hearth.truth.acts import Rivals
from hearth.truth.judge import judge

REASON = "mark:changed"
_PATH = "noticing 1"
_MOST = 10
"""Changes that are kept of what is captured at once."""
_CONFIDENCE = 0.85


@dataclass(frozen=True, slots=True)
class OwnSentence:
    """What a person said of a project, or of themselves, in a session (ms UTC); ``source`` names its turn where that is
    known. ``content_type`` is that of the memory it was taken for; ``is_memory``: that one counts already."""

    text: str
    project: str | None
    session: str
    at: int
    source: str
    content_type: str = Category.FACT.value
    is_memory: bool = False

    def as_memory(self) -> NewMemory:
        origin = Origin(self.source, evidence=self.text, tier=Tier.EXPLICIT.value, by_user=True)
        return NewMemory(
            as_sentence(self.text),
            self.content_type,
            project=self.project,
            session=self.session,
            confidence=_CONFIDENCE,
            origin=origin,
            said_at=self.at,
            key="\0".join((self.source, self.text)),
        )


@dataclass(frozen=True, slots=True)
class ChangesOfMind:
    """``zone`` is that of the times in conversations."""

    rivals: Rivals
    zone: str

    def find(self, session: str, turns: Sequence[tuple[Turn, str | None]]) -> list[OwnSentence]:
        """Of new turns, each with its project, the own sentences that change what was said before, or were changed
        since, and those of other sessions with which they clash; each once, in the order in which they were said."""
        found: dict[str, OwnSentence] = {}
        for turn, project in turns:
            for one in _read_turn(session, turn, project):
                found |= self._find_clash(one)
            if len(found) >= _MOST:
                break
        wanted = (one for one in found.values() if not (one.is_memory or self._is_retired(one)))
        return sorted(wanted, key=lambda one: one.at)

    def _find_clash(self, new: OwnSentence) -> dict[str, OwnSentence]:
        """A statement and those with which it clashes, by what they say; none where it clashes with none."""
        memories = list(self._read_memories(new.text))
        own = next((one for one in memories if turn_of(one.source) == turn_of(new.source)), None)
        if own is not None:
            new = replace(new, content_type=own.content_type, is_memory=own.is_memory)
        known = {_key(one.text): one for one in (*self._read_own_sentences(new), *memories)}
        known = {text: one for text, one in known.items() if turn_of(one.source) != turn_of(new.source)}
        clashing = {text: other for text, other in known.items() if _clash(new, other)}
        return {_key(new.text): new, **clashing} if clashing else {}

    def _read_own_sentences(self, new: OwnSentence) -> Iterator[OwnSentence]:
        for stored, fragment in self.rivals.find_own_sentences(new.text):
            document = stored.document
            session, dated_at = document.facts.get("session", ""), document.dated_at
            if session != new.session and dated_at is not None and states_plainly(fragment.text):
                at, project = find_turn_time(fragment, dated_at, self.zone), document.facts.get("project")
                yield _scope(OwnSentence(fragment.text, project, session, at, f"session {session}, {_PATH}"))

    def _is_retired(self, one: OwnSentence) -> bool:
        """Whether a memory said so that something took the place of."""
        return any(_key(other.text) == _key(one.text) for other in self._read_memories(one.text, hidden=True))

    def _read_memories(self, text: str, *, hidden: bool = False) -> Iterator[OwnSentence]:
        """With those that wait for approval, or those alone that are ``hidden``."""
        found = self.rivals("", text, hidden=hidden, pending=True)
        found = [one for one in found if bool(one.state.superseded_by) is hidden]
        with self.rivals.store.read() as reader:
            texts = ["\n".join(one.text for one in reader.fragments_of(stored.id)) for stored in found]
        for stored, text in zip(found, texts, strict=True):
            facts, kind = stored.document.facts, stored.document.content_type
            at = stored.document.authored_at or stored.document.modified_at
            source = facts.get("source", "")
            one = OwnSentence(text, facts.get("project"), facts.get("session", ""), at, source, kind)
            yield _scope(replace(one, is_memory=not stored.state.pending))


def _read_turn(session: str, turn: Turn, project: str | None) -> Iterator[OwnSentence]:
    """What the person typed in a turn, where a prompt says how something is and little else."""
    for prompt in turn.prompts:
        text = strip_host_marks(own_words_of(prompt.text)).strip()
        at = turn.at if prompt.at is None else prompt.at
        whole = strip_host_marks(find_typed(prompt.text)).strip()
        if text and at is not None and text == whole and not is_errand(prompt.text) and states_plainly(text):
            yield _scope(OwnSentence(text, project, session, at, f"session {session}, turn {turn.ordinal}, {_PATH}"))


def _scope(one: OwnSentence) -> OwnSentence:
    """Of no project where it tells of the person."""
    return replace(one, project=None) if is_personal(one.text) else replace(one, project=one.project or None)


def _key(text: str) -> str:
    """What two texts share that say the same in the same words."""
    return flatten(text).strip(" .!。")


def _clash(one: OwnSentence, other: OwnSentence) -> bool:
    """Whether the later one takes the place of the earlier one, in one scope."""
    older, newer = (one.text, other.text) if one.at <= other.at else (other.text, one.text)
    return one.project == other.project and is_change(older, newer)


def is_change(older: str, newer: str) -> bool:
    """Whether what was said later surely takes the place of what was said earlier, both of surely one thing."""
    if not judge(Said(older), Said(newer)).replaces:
        return False
    language = find_language(older, newer)
    return compare(read_statement(older, language), read_statement(newer, language)).is_firm
