"""The aftermath of a memory: what follows from it is found and done when it is written, else made up for later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field

from hearth.core.errors import BadReply, ConfigError, HearthError, Unavailable
from hearth.core.journal import Draft
from hearth.core.judgement import Judgement, Said
from hearth.core.lazy import dataclass
from hearth.memory.writing.memories import CaughtUp, Followed
from hearth.ports import Filter, Store
from hearth.truth import commitments
from hearth.truth.noticing import Noticer, SecondJudge
from hearth.truth.rivals import COMPARABLE

BATCH = 100
"""Documents that one run makes up for."""
_TYPES = (*COMPARABLE, "milestone", "progress")
"""What may replace something, and what may say that a promise was kept."""
LOOK_MS = 60_000
"""How long it is taken as known that nothing is left: who writes sees to it at once, but where it was killed."""


@dataclass
class _AskedWhilePossible:
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
    configured: nobody waits for it, so it is asked when what is left is made up for."""

    noticer: Noticer
    store: Store
    second: Callable[[], SecondJudge] | None = None
    _known: dict[str, int] = field(default_factory=dict, init=False, compare=False, repr=False)

    def __call__(self, docid: str) -> Followed:
        """What follows from a document that was just written or approved, done; of one that is pending nothing does.
        Raises ``Unavailable``; then it is left."""
        if self._is_pending(docid):
            return Followed()
        found = self._follow(docid)
        if self.second is not None and self.noticer.unsettled(docid):
            self._known.clear()
        else:
            self._mark([docid])
        return found

    def left(self) -> int:
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
        done: list[str] = []
        superseded = asked = 0
        problems: list[str] = []
        second = None if self.second is None or not patient else _AskedWhilePossible(self.second)
        for docid in self._unnoticed():
            if self.second is not None and not patient and self.noticer.unsettled(docid):
                continue
            try:
                found = self._follow(docid, second)
            except Unavailable:
                if not done:
                    raise
                break
            except HearthError as error:
                problems.append(f"#{docid}: {error.said}")
                found = Followed()
            done.append(docid)
            superseded, asked = superseded + len(found.supersedes), asked + len(found.asks)
        self._mark(done)
        return CaughtUp(len(done), superseded, asked, tuple(problems))

    # -- details ---------------------------------------------------------------------------------------------------

    def _is_pending(self, docid: str) -> bool:
        with self.store.read() as reader:
            stored = reader.document(docid)
        return stored is not None and stored.state.pending

    def _follow(self, docid: str, second: SecondJudge | None = None) -> Followed:
        noticer = self.noticer
        with self.store.read() as reader:
            stored = reader.document(docid)
            text = "" if stored is None else "\n".join(part.text for part in reader.fragments_of(stored.id))
        commitments.keep(self.store, noticer.history, docid, text, noticer.clock())
        acts = noticer(docid, second)
        gone = tuple(act.older.document.docid for act in acts if act.kind == "supersede")
        return Followed(gone, tuple(act.older.document.docid for act in acts if act.kind == "ask"))

    def _unnoticed(self) -> list[str]:
        within = Filter(self.noticer.rivals.collections, _TYPES, at=self.noticer.clock())
        with self.store.read() as reader:
            return reader.unnoticed(within, BATCH)

    def _mark(self, docids: Sequence[str]) -> None:
        """Not made durable: a mark that is lost means that the same is found out, and left alone, once more."""
        with self.store.read() as reader:
            found = [stored.document for docid in docids if (stored := reader.document(docid)) is not None]
        docs = {document.docid: document.body_hash for document in found if document.content_type in _TYPES}
        if docs:
            self.noticer.history.record([Draft("noticed", data={"docs": docs})], durable=False)
