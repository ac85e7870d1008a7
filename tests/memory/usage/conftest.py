from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hearth.core.document import docid
from hearth.core.query import Hit, Recall
from hearth.core.session import Shown, Surfacing
from hearth.disk.state_files import DiskCuration, digest
from hearth.guard.secrets.redaction import redact
from hearth.journal import Clock, Journal
from hearth.memory import session_log
from hearth.memory.session_log import budget
from hearth.memory.session_record import FocusRecord, SessionLog
from hearth.memory.usage import UsageLog
from hearth.pages.curation_log import CurationLog
from hearth.ports import Store
from hearth.store.sqlite.store import SqliteStore
from hearth.testing import START_MS, record
from hearth.vault.history import History
from hearth.vault.usage_statistics import companions, moves, read_statistics

DAY = 86_400_000
NOTES = {
    "bread.md": "Rye bread needs a sour starter and eighteen hours of patience before the oven is lit.",
    "boats.md": "The dinghy leaks at the transom; caulk it before the autumn regatta in Piran.",
    "trees.md": "The pear tree wants pruning in late winter, the quince never, says the orchardist.",
    "bees.md": "Bees swarm in May when the hive is crowded; a second super calms them down.",
}
DOCS = {path: docid("notes", path) for path in NOTES}


class Room:
    """A machine: an index of the notes, a journal in ``folder`` with a clock of its own, and what records in it."""

    def __init__(self, folder: Path, machine: str = "aaaaaaaaaa", *, now: int = START_MS) -> None:
        self.folder, self.machine, self.now = folder, machine, now
        self.stores: list[Store] = []
        self.rebuilt()

    def rebuilt(self, *, replay: bool = True) -> None:
        """As if the index had been deleted, and, unless ``replay``, nobody had looked at the journal since."""
        path = self.folder.parent / f"index-{self.machine}-{len(self.stores)}.sqlite"
        store: Store = SqliteStore(path, "1")
        self.stores.append(store)
        with store.write() as writer:
            for name, text in NOTES.items():
                writer.put(record("notes", name, text))
        journal = Journal(self.folder, self.machine, Clock(lambda: self.now), lambda text: redact(text).text)
        history = History(journal, store)
        if replay:
            history.replay()
            with store.write() as writer:
                for name in DOCS.values():
                    history.attach(writer, name)
        clock = lambda: self.now  # noqa: E731
        curations = CurationLog(DiskCuration(self.folder), clock, "UTC")
        focus = FocusRecord(history, clock)
        sessions = SessionLog(history, clock, lambda folder: f"project of {folder}", focus, lambda: curations)
        usage = UsageLog(history, sessions, lambda: self.now, lambda text: digest(b"key", text))
        self.store = store
        self.sessions, self.usage = sessions, usage

    def recalled(
        self, question: str, scores: dict[str, float], session: str | None = None, turn: str | None = None
    ) -> None:
        """A question that somebody asked, and the score of each document that answered."""
        hits = tuple(_hit(docid, score) for docid, score in scores.items())
        self.usage.recalled(Recall(question, "hybrid", hits), session, turn)

    def show(
        self, turn: str, *paths: str, session: str = "s", tokens: int = 100, hook: str = "context-surfacing"
    ) -> None:
        shown = tuple(Shown(DOCS[path], 1, 1) for path in paths)
        self.usage.surfaced(Surfacing(session, turn, shown, tokens, hook, self.usage.digest(turn)))

    def answer(self, turn: str, *paths: str, session: str = "s") -> Any:
        """Feedback on an answer that names the documents."""
        return self.usage.feedback(session, turn, "As said in " + " and ".join(f"#{DOCS[p]}" for p in paths))

    def statistics(self, path: str) -> Any:
        with self.store.read() as reader:
            return read_statistics(reader, DOCS[path])

    def together(self, path: str) -> dict[str, int]:
        with self.store.read() as reader:
            return companions(reader, DOCS[path], moves(reader))

    def accesses(self, path: str) -> int:
        with self.store.read() as reader:
            stored = reader.document(DOCS[path])
            assert stored is not None
            return stored.state.access_count

    def events(self) -> list[str]:
        return [event.kind for event in self.sessions.history.log.newest(own=False)][::-1]

    def everything(self) -> Any:
        """All that anybody can ask of sessions and usage."""
        with self.store.read() as reader:
            sessions = session_log.sessions(reader, 1000)
            return {
                "folded": reader.folded(),
                "sessions": sessions,
                "details": [session_log.detail(reader, session.id, self.now) for session in sessions],
                "budget": budget(reader, self.now, 90),
                "statistics": {path: read_statistics(reader, name) for path, name in DOCS.items()},
                "together": {path: companions(reader, name, moves(reader)) for path, name in DOCS.items()},
                "states": {path: getattr(reader.document(name), "state", None) for path, name in DOCS.items()},
                "focus": [self.sessions.focus.of(session.id, None) for session in sessions],
                "shown": [self.usage.list_shown(session.id, 5) for session in sessions],
            }

    def close(self) -> None:
        for store in self.stores:
            store.close()


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    built = Room(tmp_path / "journal")
    yield built
    built.close()


@pytest.fixture
def make_room(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Room]:
    """Makes a room of its own for each example of a property; with ``folder``, one more machine on a journal."""

    def build(machine: str = "aaaaaaaaaa", folder: Path | None = None, **given: Any) -> Room:
        return Room(folder or tmp_path_factory.mktemp("room") / "journal", machine, **given)

    return build


def _hit(docid: str, score: float) -> Hit:
    return Hit(
        docid=docid,
        collection="notes",
        path=f"{docid}.md",
        start_line=1,
        end_line=1,
        title=docid,
        score=score,
        content_type="note",
        modified_at=0,
        authored_at=None,
        fragment="section",
        snippet="",
        text="",
    )
