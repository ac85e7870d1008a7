"""Noticing: what a new statement means for earlier ones, carried out at once or made up for later."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field

from hearth.core.document import is_foreign
from hearth.core.errors import BadReply, ConfigError, HearthError, Unavailable
from hearth.core.instants import DAY_MS
from hearth.core.journal import Draft, instant
from hearth.core.judgement import SURE, Judgement, Relation, Said
from hearth.core.lazy import dataclass
from hearth.memory.memories import CaughtUp, Followed
from hearth.memory.reviews import MAX_SAID_CHARS, draft_review, find_review
from hearth.memory.writer import SaidAgain
from hearth.ports import Clock, Filter, Reader, Redactor, Store, StoredDocument
from hearth.truth import commitments
from hearth.truth.acts import COMPARABLE, NEAR, PER_BATCH, PER_DAY, Consequence, Leeway, Party, Rivals, plan
from hearth.truth.judge import Embed, find_statements, judge
from hearth.vault import validity
from hearth.vault.history import History

ACTOR = "noticing"
DEDUCTION = "deduction"
_WHY = "superseded_why"
Judged = tuple[Party, Party, Judgement]
"""The older one, the newer one, how they stand."""
SecondJudge = Callable[[Said, Sequence[Said]], Sequence[Judgement | None]]
"""How a statement stands to older ones, by somebody else than the rules; ``None`` leaves what the rules say."""


_STATEMENTS = 20
"""Of one note so many statements are compared, the first ones."""


@dataclass(frozen=True, slots=True)
class _Memory:
    """``statements`` are what it says: a memory all at once, a note sentence by sentence."""

    party: Party
    statements: tuple[str, ...]

    def fact(self, name: str) -> str:
        return self.party.document.facts.get(name, "")


_Compared = tuple[_Memory, _Memory, Judgement]
Comparison = tuple[_Memory | None, list[_Compared]]
"""A memory, and each pair of it and another that may bear on it, the older first."""


@dataclass(frozen=True)
class Noticer:
    """``embed`` gives the built-in embedder's vectors; ``find_repetitions`` tells which fragments another session
    confirmed."""

    history: History
    rivals: Rivals
    embed: Embed
    redact: Redactor
    clock: Clock
    find_repetitions: SaidAgain = lambda reader, docid, text, sessions: {}

    def __call__(
        self, docid: str, second: SecondJudge | None = None, compared: Comparison | None = None
    ) -> list[Consequence]:
        """What follows from a document, done: the memories that gave way, and what a person is asked about. What was
        noticed of it is the run named after it. ``second`` is asked about what the rules leave open; ``compared`` is
        the comparison, if the caller has made it already."""
        new, pairs = self._read_and_compare(docid) if compared is None else compared
        judged = [] if new is None else self._judge_all(new, pairs, second)
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
        new, pairs = self._read_and_compare(docid)
        return [] if new is None else self._judge_all(new, pairs)

    def unsettled(self, docid: str) -> bool:
        """Whether the rules leave something open that another judge may be asked about."""
        new, pairs = self._read_and_compare(docid)
        return new is not None and any(_is_open(new, *pair) for pair in pairs)

    # -- what is compared ------------------------------------------------------------------------------------------

    def compare(self, reader: Reader, docid: str) -> Comparison:
        """A memory and what may bear on it; nothing follows from it."""
        new = self._find(reader, docid)
        if new is None:
            return None, []
        if self.rivals.store is self.history.store:
            return new, self._compare(reader, new)
        with self.rivals.store.read() as own:  # which shows an agent its own memories alone
            return new, self._compare(own, new)

    def _read_and_compare(self, docid: str) -> Comparison:
        with self.history.store.read() as reader:
            return self.compare(reader, docid)

    def _judge_all(self, new: _Memory, pairs: list[_Compared], second: SecondJudge | None = None) -> list[Judged]:
        if second is not None:
            pairs = _ask(second, new, pairs)
        judged = [
            (older.party, newer.party, one) for older, newer, one in pairs if one.relation is not Relation.UNRELATED
        ]
        return sorted(judged, key=lambda pairs: -pairs[2].confidence)

    def _compare(self, reader: Reader, new: _Memory) -> list[_Compared]:
        docid = new.party.document.docid
        rivals = (other for statement in new.statements for other in self.rivals.find(reader, docid, statement))
        others = {other.document.docid: other for other in rivals}
        memories = [memory for other in others.values() if (memory := self._read(reader, other)) is not None]
        return [pair for other in memories if (pair := self._judge(new, other)) is not None]

    def _find(self, reader: Reader, docid: str) -> _Memory | None:
        stored = reader.document(docid)
        if stored is None or stored.state.hidden or stored.document.content_type not in COMPARABLE:
            return None
        return self._read(reader, stored)

    def _judge(self, new: _Memory, other: _Memory) -> _Compared | None:
        if not _comparable(new, other) or other.party.document.content_type == DEDUCTION:
            return None  # a conclusion falls with its premises
        older, newer = (other, new) if other.party.at <= new.party.at else (new, other)
        found = [
            judge(one, two, self.embed) for one in _read_statement_texts(older) for two in _read_statement_texts(newer)
        ]
        best = max(found, key=_weigh, default=None)
        return None if best is None else (older, newer, best)

    def _read(self, reader: Reader, stored: StoredDocument) -> _Memory | None:
        """As the index has it; ``None`` for what a person wrote or made theirs, unless notes are compared, and for what
        others wrote among these."""
        document, state = stored.document, stored.state
        own = not validity.is_memory(document)
        if own and (document.collection not in self.rivals.notes or is_foreign(document.trust)):
            return None
        text = _text(reader, stored)
        party = Party(
            document,
            document.authored_at or document.modified_at,
            document.facts.get("tier", "explicit"),
            validity.confidence_of(document, state),
            own,
        )
        return _Memory(party, tuple(find_statements(text, _STATEMENTS)) if own else (text,))

    # -- limits ----------------------------------------------------------------------------------------------------

    def _leeway(self, reader: Reader, session: str) -> Leeway:
        today = list_superseded_since(reader, self.clock() - DAY_MS)
        batch = 0
        if session:
            stored = (reader.document(by) for by in set(today))
            mine = {one.document.docid for one in stored if one and one.document.facts.get("session") == session}
            batch = sum(by in mine for by in today)
        return Leeway(PER_BATCH - batch, PER_DAY - len(today))

    # -- carrying out ----------------------------------------------------------------------------------------------

    def _drafts(self, act: Consequence, run: str, reader: Reader) -> Iterable[Draft]:
        newer, older, judgement = act.newer.document, act.older.document, act.judgement
        evidence = " | ".join(span.quote for span in judgement.spans)[:MAX_SAID_CHARS]
        metadata = {"actor": ACTOR, "run": run, "reason": self.redact(judgement.reason).text[:MAX_SAID_CHARS]}
        sure = {"confidence": judgement.confidence, "evidence": evidence}
        link = Draft(
            "relate", newer.docid, newer.path, newer.body_hash,
            {"type": _edge(act), "target": older.docid, "weight": judgement.confidence, "by": judgement.path}
            | metadata,
        )  # fmt: skip
        if act.kind == "same":
            sessions = older.facts.get("session"), newer.facts.get("session")
            confirmed = self.find_repetitions(
                reader, older.docid, _text(reader, reader.document(newer.docid)), sessions
            )
            again = {"key": newer.docid, **metadata, **confirmed}
            return [link, Draft("duplicate", older.docid, older.path, older.body_hash, again)]
        if act.kind == "refines":
            return [link]
        if act.kind == "supersede":
            wanted = {"superseded_by": newer.docid}
            gone = self.history.draft_change(
                reader, act.older.document, wanted, {**metadata, **{k: v for k, v in sure.items() if v}}
            )
            return [*gone, link] if judgement.relation is Relation.CONTRADICTION else gone
        if find_review(reader, newer.docid, older.docid, self.clock()) is not None:
            return []
        why = f"{judgement.reason}; {act.why}"
        question = draft_review(
            newer, older.docid, judgement.relation.value, why=self.redact(why).text, **sure, **metadata
        )
        lowered = []
        if act.older.own or act.newer.own:
            return [question]
        if act.confidence is not None:
            lowered = self.history.draft_change(reader, act.older.document, {"confidence": act.confidence}, metadata)
        return [link, *lowered, question]


def _text(reader: Reader, stored: StoredDocument | None) -> str:
    return "" if stored is None else "\n".join(part.text for part in reader.fragments_of(stored.id))


def list_superseded_since(reader: Reader, moment: int) -> list[str]:
    """By which memories noticing superseded others after a moment (ms UTC), one for each."""
    found = []
    for why in reader.holders(_WHY).values():
        if why is not None and why.get("actor") == ACTOR:
            at = instant(str(why.get("event", "")))
            found += [str(why.get("run", ""))] if at is not None and at > moment else []
    return found


def _weigh(one: Judgement) -> tuple[bool, bool, float]:
    return one.relation is not Relation.UNRELATED, one.replaces or one.doubtful, one.confidence


def _is_open(new: _Memory, older: _Memory, newer: _Memory, judgement: Judgement) -> bool:
    """Whether the rules say nothing sure of a new memory and an older one. What states nothing is settled, and notes of
    people are nobody else's to read."""
    if newer is not new or older.party.own or newer.party.own:
        return False
    return judgement.doubtful or (judgement.relation is Relation.UNRELATED and judgement.confidence < SURE)


def _ask(second: SecondJudge, new: _Memory, pairs: Sequence[_Compared]) -> list[_Compared]:
    """With what another judge says of the nearest that are open."""
    asked = [one for one in pairs if _is_open(new, *one)][:NEAR]
    if not asked:
        return list(pairs)
    [statement] = _read_statement_texts(new)
    verdicts = second(statement, [_read_statement_texts(older)[0] for older, *_ in asked])
    better = {id(one): verdict for one, verdict in zip(asked, verdicts, strict=True) if verdict is not None}
    return [(older, newer, better.get(id(one), one[2])) for one in pairs for older, newer in [one[:2]]]


def _comparable(one: _Memory, other: _Memory) -> bool:
    """Of one project, and not taken from the same turn."""
    projects = [side.fact("project") for side in (one, other)]
    # A note says of itself which project it is of, or of none in particular.
    if projects[0] != projects[1] and not any(side.party.own and not side.fact("project") for side in (one, other)):
        return False
    return not one.fact("source") or one.fact("source") != other.fact("source")


def _edge(act: Consequence) -> str:
    return {"same": "same", "refines": "refines"}.get(act.kind, "contradicts")


def _read_statement_texts(memory: _Memory) -> list[Said]:
    document = memory.party.document
    subject = memory.fact("subject") or None
    return [Said(text, document.content_type, subject, memory.party.at) for text in memory.statements]


BATCH = 100
"""Documents that one run makes up for."""
_TYPES = (*COMPARABLE, "milestone", "progress")
"""What may replace something, and what may say that a promise was kept."""
LOOK_MS = 60_000
"""How long it is taken as known that nothing is left: who writes sees to it at once, but where it was killed."""


@dataclass
class _ModelWithFallback:
    """A model in one run: once it is not to be had, its budget spent or its answer unfit, the rules alone count."""

    open: Callable[[], SecondJudge]
    judge: SecondJudge | None = None
    gone: bool = False

    def __call__(self, newer: Said, older: Sequence[Said]) -> Sequence[Judgement | None]:
        if not self.gone:
            try:
                self.judge = self.judge or self.open()
                return self.judge(newer, older)
            except BadReply:
                pass
            except (Unavailable, ConfigError):
                self.gone = True
        return [None] * len(older)


@dataclass(frozen=True)
class Aftermath:
    """Fills ``writing.memories.Follow``. What was done with is journaled with the hash of its text. Whatever has no
    such mark is left: a memory whose writer was killed, one that was imported or edited, and notes of people where the
    noticer looks at them. ``second`` gives a language model as a judge of what the rules leave open, where one is
    configured: nobody waits for it, so it is asked when what is left is made up for. ``settle_days`` gets what
    gave way."""

    noticer: Noticer
    store: Store
    second: Callable[[], SecondJudge] | None = None
    settle_days: Callable[[Iterable[str]], object] = lambda docids: None
    _known: dict[str, int] = field(default_factory=dict, init=False, compare=False, repr=False)

    def __call__(self, docid: str) -> Followed:
        """What follows from a document that was just written or approved, done; of one that is pending nothing does.
        Raises ``Unavailable``; then it is left."""
        with self.store.read() as reader:
            stored, text = self._look(reader, docid)
            if stored is not None and stored.state.pending:
                return Followed()
            shared = self.store is self.noticer.history.store and not commitments.may_fulfil(text)
            compared = self.noticer.compare(reader, docid) if shared else None
        found = self._follow(docid, text, compared=compared)
        if self.second is not None and self.noticer.unsettled(docid):
            self._known.clear()
        else:
            self._mark([] if stored is None else [stored])
        return found

    def count_left(self) -> int:
        """How many there are to make up for, at most as many as one run does."""
        now = self.noticer.clock()
        if now >= self._known.get("until", 0):
            self._known["left"] = len(self._unnoticed())
            self._known["until"] = 0 if self._known["left"] else now + LOOK_MS
        return self._known["left"]

    def catch_up(self, *, patient: bool = True) -> CaughtUp:
        """Makes up for some that are left, the oldest first. What fails is reported and done with, unless it may be
        found out later: then all that follow wait. Unless ``patient``, no model is asked, and what it would be asked
        about stays left. Raises ``Unavailable`` where none was possible."""
        done: list[StoredDocument] = []
        superseded = asked = 0
        problems: list[str] = []
        second = None if self.second is None or not patient else _ModelWithFallback(self.second)
        for docid in self._unnoticed():
            if self.second is not None and not patient and self.noticer.unsettled(docid):
                continue
            stored = None
            try:
                with self.store.read() as reader:
                    stored, text = self._look(reader, docid)
                found = self._follow(docid, text, second)
            except Unavailable:
                if not done:
                    raise
                break
            except HearthError as error:
                problems.append(f"#{docid}: {error.said}")
                found = Followed()
            done += [] if stored is None else [stored]
            superseded, asked = superseded + len(found.supersedes), asked + len(found.asks)
        self._mark(done)
        return CaughtUp(len(done), superseded, asked, tuple(problems))

    # -- details ---------------------------------------------------------------------------------------------------

    def _look(self, reader: Reader, docid: str) -> tuple[StoredDocument | None, str]:
        stored = reader.document(docid)
        return stored, _text(reader, stored)

    def _follow(
        self, docid: str, text: str, second: SecondJudge | None = None, compared: Comparison | None = None
    ) -> Followed:
        noticer = self.noticer
        commitments.keep(self.store, noticer.history, docid, text, noticer.clock())
        acts = noticer(docid, second, compared)
        gone = tuple(act.older.document.docid for act in acts if act.kind == "supersede")
        if gone:
            self.settle_days(gone)
        return Followed(gone, tuple(act.older.document.docid for act in acts if act.kind == "ask"))

    def _unnoticed(self) -> list[str]:
        within = Filter(self.noticer.rivals.collections, _TYPES, at=self.noticer.clock())
        with self.store.read() as reader:
            return reader.unnoticed(within, BATCH)

    def _mark(self, noticed: Sequence[StoredDocument]) -> None:
        """Not made durable: a mark that is lost means that the same is found out, and left alone, once more."""
        documents = (stored.document for stored in noticed)
        docs = {document.docid: document.body_hash for document in documents if document.content_type in _TYPES}
        if docs:
            self.noticer.history.record([Draft("noticed", data={"docs": docs})], durable=False)
