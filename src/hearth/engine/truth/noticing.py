"""Noticing: what a statement that was just written means for those that are there, carried out and journaled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hearth.engine.history import validity
from hearth.engine.history.history import History
from hearth.engine.state import changes
from hearth.engine.state.reviews import MAX_SAID_CHARS, draft_review, find_review
from hearth.engine.truth.acts import PER_DAY, PER_PIECE, Consequence, Leeway, Party, plan
from hearth.engine.truth.rivals import COMPARABLE, Rivals
from hearth.extract.truth.judge import Embed, judge
from hearth.model.instants import DAY_MS
from hearth.model.journal.event import Draft, instant
from hearth.model.truth.judgement import Judgement, Relation, Said
from hearth.ports import Clock, Reader, Redactor, StoredDocument

ACTOR = "noticing"
_WHY = "superseded_why"
Judged = tuple[Party, Party, Judgement]
"""The older one, the newer one, how they stand."""


@dataclass(frozen=True, slots=True)
class _Memory:
    party: Party
    text: str

    def fact(self, name: str) -> str:
        return self.party.document.facts.get(name, "")


@dataclass(frozen=True)
class Noticer:
    """``embed`` gives the built-in embedder's vectors."""

    history: History
    rivals: Rivals
    embed: Embed
    redact: Redactor
    clock: Clock

    def __call__(self, docid: str) -> list[Consequence]:
        """What follows from a document, done: the memories that gave way, and what a person is asked about. What was
        noticed of it is the run named after it."""
        new = self._find(docid)
        judged = [] if new is None else self._all(new)
        if new is None or not judged:
            return []
        with self.history.store.read() as reader:
            clashes = any(judgement.replaces for *_, judgement in judged)
            acts = plan(judged, self._leeway(reader, new.fact("session")) if clashes else Leeway())
            drafts = [draft for act in acts for draft in self._drafts(act, docid, reader)]
        if drafts:
            self.history.record(drafts)
        return acts

    def judged(self, docid: str) -> list[Judged]:
        """How a memory stands to others, the surest first; nothing follows from it."""
        new = self._find(docid)
        return [] if new is None else self._all(new)

    # -- what is compared ------------------------------------------------------------------------------------------

    def _all(self, new: _Memory) -> list[Judged]:
        others = self.rivals(new.party.document.docid, new.text)
        with self.history.store.read() as reader:
            memories = [memory for other in others if (memory := _read(reader, other)) is not None]
        judged = [told for other in memories if (told := self._judge(new, other)) is not None]
        return sorted(judged, key=lambda told: -told[2].confidence)

    def _find(self, docid: str) -> _Memory | None:
        with self.history.store.read() as reader:
            stored = reader.document(docid)
            if stored is None or stored.state.hidden or stored.document.content_type not in COMPARABLE:
                return None
            return _read(reader, stored)

    def _judge(self, new: _Memory, other: _Memory) -> Judged | None:
        if not _comparable(new, other):
            return None
        older, newer = (other, new) if other.party.at <= new.party.at else (new, other)
        found = judge(_read_said(older), _read_said(newer), self.embed)
        return None if found.relation is Relation.UNRELATED else (older.party, newer.party, found)

    # -- limits ----------------------------------------------------------------------------------------------------

    def _leeway(self, reader: Reader, session: str) -> Leeway:
        today = superseded_since(reader, self.clock() - DAY_MS)
        piece = 0
        if session:
            stored = (reader.document(by) for by in set(today))
            mine = {one.document.docid for one in stored if one and one.document.facts.get("session") == session}
            piece = sum(by in mine for by in today)
        return Leeway(PER_PIECE - piece, PER_DAY - len(today))

    # -- carrying out ----------------------------------------------------------------------------------------------

    def _drafts(self, act: Consequence, run: str, reader: Reader) -> Iterable[Draft]:
        newer, older, judgement = act.newer.document, act.older.document, act.judgement
        evidence = " | ".join(span.quote for span in judgement.spans)[:MAX_SAID_CHARS]
        said = {"actor": ACTOR, "run": run, "reason": self.redact(judgement.reason).text[:MAX_SAID_CHARS]}
        sure = {"confidence": judgement.confidence, "evidence": evidence}
        link = Draft(
            "relate", newer.docid, newer.path, newer.body_hash,
            {"type": _edge(act), "target": older.docid, "weight": judgement.confidence, "by": judgement.path, **said},
        )  # fmt: skip
        if act.kind == "same":
            again = {"key": newer.docid, **said}
            return [link, Draft("duplicate", older.docid, older.path, older.body_hash, again)]
        if act.kind == "refines":
            return [link]
        if act.kind == "supersede":
            wanted = {"superseded_by": newer.docid}
            gone = self._draft_changes(act.older, wanted, {**said, **{k: v for k, v in sure.items() if v}}, reader)
            return [*gone, link] if judgement.relation is Relation.CONTRADICTION else gone
        if find_review(reader, newer.docid, older.docid, self.clock()) is not None:
            return []
        why = f"{judgement.reason}; {act.why}"
        question = draft_review(newer, older.docid, judgement.relation.value, why=self.redact(why).text, **sure, **said)
        lowered = []
        if act.confidence is not None:
            lowered = self._draft_changes(act.older, {"confidence": act.confidence}, said, reader)
        return [link, *lowered, question]

    def _draft_changes(
        self, party: Party, wanted: Mapping[str, object], said: Mapping[str, object], reader: Reader
    ) -> list[Draft]:
        docid = party.document.docid
        known = self.history.registers(reader, docid)
        ops = changes.plan(known, lambda field: reader.set_by(docid, field), wanted)
        return changes.of(party.document, ops, said)


def superseded_since(reader: Reader, moment: int) -> list[str]:
    """By which memories noticing superseded others after a moment (ms UTC), one for each."""
    found = []
    for why in reader.holders(_WHY).values():
        if why is not None and why.get("actor") == ACTOR:
            at = instant(str(why.get("event", "")))
            found += [str(why.get("run", ""))] if at is not None and at > moment else []
    return found


def _read(reader: Reader, stored: StoredDocument) -> _Memory | None:
    """As the index has it; ``None`` for what a person made theirs."""
    document, state = stored.document, stored.state
    if not validity.is_memory(document):
        return None
    party = Party(
        document,
        document.authored_at or document.modified_at,
        document.facts.get("tier", "explicit"),
        validity.confidence_of(document, state),
    )
    return _Memory(party, "\n".join(part.text for part in reader.fragments_of(stored.id)))


def _comparable(one: _Memory, other: _Memory) -> bool:
    """Of one project, and not taken from the same turn."""
    if one.fact("project") != other.fact("project"):
        return False
    return not one.fact("source") or one.fact("source") != other.fact("source")


def _edge(act: Consequence) -> str:
    return {"same": "same", "refines": "refines"}.get(act.kind, "contradicts")


def _read_said(memory: _Memory) -> Said:
    document = memory.party.document
    return Said(memory.text, document.content_type, memory.fact("subject") or None, memory.party.at)
