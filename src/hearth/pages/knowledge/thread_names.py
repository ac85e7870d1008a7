"""Names of threads by a language model. What it says is kept as long as the person's words in the thread are the same;
where its words don't hold, the rules' title stands."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from itertools import islice
from typing import TYPE_CHECKING

from hearth.core import instants
from hearth.core.document import INTERNAL
from hearth.core.errors import BadReply
from hearth.core.journal import Draft
from hearth.core.lazy import dataclass
from hearth.core.types import CONVERSATION
from hearth.memory.history.history import History
from hearth.pages.knowledge.identity import GAP_MS, ThreadTurns, read_turns
from hearth.pages.knowledge.notebook import THREAD, NoteBook
from hearth.ports import Clock, Filter, StoredDocument

if TYPE_CHECKING:
    from hearth.llm.pages import NightEditor

MOST_A_RUN = 8
"""Threads that one call of the language model names."""
MOST_CONVERSATIONS = 20
"""The newest are looked at, as many as are listed."""
_LINES, _CHARS = 12, 160


@dataclass(frozen=True)
class ThreadNamer:
    """``editor`` opens the language model, if there is one; ``exclusive`` keeps what erases apart."""

    history: History
    book: NoteBook
    clock: Clock
    zone: str
    exclusive: Callable[[], AbstractContextManager[None]]
    editor: Callable[[], NightEditor] | None = None

    def waiting(self) -> int:
        """Threads that are to be named: they have ended, and the model was not asked of what is said in them."""
        return len(self._ended())

    def due_in(self) -> float | None:
        """Seconds until one is to be named; ``None`` where none is under way."""
        now = self.clock()
        return min((max(0, ended + GAP_MS - now) / 1000 for _, _, ended in self._unnamed()), default=None)

    def run(self) -> int:
        """Has some named, and gives how many were. Raises ``Unavailable`` where the model can't be asked, or the files
        can't be written."""
        if self.editor is None:
            return 0
        wanted = self._ended()[:MOST_A_RUN]
        if not wanted:
            return 0
        editor = self.editor()
        try:
            named = editor.edit((), [_shorten(turns) for _, turns in wanted]).themes
        except BadReply:
            named = {}
        with self.exclusive():
            self.history.replay()
            with self.history.store.read() as reader:
                there = reader.admitted(sorted({one.document.docid for one, _ in wanted}), Filter(at=self.clock()))
            self.book.log.append(
                [
                    _draft(stored, turns, named.get(at, ""), editor.llm.name)
                    for at, (stored, turns) in enumerate(wanted)
                    if stored.document.docid in there
                ]
            )
        return len(named)

    def _ended(self) -> list[tuple[StoredDocument, ThreadTurns]]:
        now = self.clock()
        return [(stored, turns) for stored, turns, ended in self._unnamed() if now - ended > GAP_MS]

    def _unnamed(self) -> list[tuple[StoredDocument, ThreadTurns, int]]:
        """With when the last turn was, of the newest conversations first."""
        if self.editor is None:
            return []
        with self.history.store.read() as reader:
            found = reader.find_documents(Filter((INTERNAL,), (CONVERSATION,), at=self.clock()))
            newest = sorted(found, key=lambda one: one.document.newest_first)[:MOST_CONVERSATIONS]
            known = self.book.threads([one.document.docid for one in newest]) if newest else {}
            return [
                (stored, turns, turns.ended or 0)
                for stored in newest
                for turns in read_turns(reader, stored, instants.zone_of(self.zone))
                if turns.asked and (stored.document.docid, turns.key) not in known
            ]


def _shorten(turns: ThreadTurns) -> list[str]:
    said = (" ".join(line.split())[:_CHARS] for line in turns.asked if line.strip())
    return list(islice(said, _LINES))


def _draft(stored: StoredDocument, turns: ThreadTurns, title: str, by: str) -> Draft:
    said = {"thread": turns.key, "title": title, "by": by}
    return Draft(THREAD, stored.document.docid, None, stored.document.body_hash, said)
