"""Memories from conversations that were taken in: capture over their documents, the newest first.

What is done is in the journal, so that a run that was stopped goes on where it was, and a conversation that grew is
read again; each memory has a key of its own and is written once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from hearth.capture.capture import Capture
from hearth.capture.conversations import FOLDER, CaptureBatch, read_count
from hearth.capture.distiller import Distiller
from hearth.capture.model_reading import ModelReading
from hearth.core import instants, subjects
from hearth.core.document import INTERNAL
from hearth.core.errors import HearthError
from hearth.core.extraction import Extraction
from hearth.core.journal import Draft
from hearth.core.lazy import dataclass, regex
from hearth.core.session import Session, session_of_conversation
from hearth.core.transcript import Kind, Position, TranscriptEntry, Watermark
from hearth.importers.runs import MINE
from hearth.markdown import frontmatter
from hearth.ports import Filter, Reader, StateReader, StoredDocument
from hearth.text.lines import FENCE, estimate_tokens
from hearth.vault.validity import IMPORTED

MOST = 200
"""Conversations a run."""
MOST_MEMORIES = 5
"""Memories of a conversation."""
_TURN = regex(r"## (User|Assistant)(?: · (?:(\d{4}-\d\d-\d\d) )?(\d\d:\d\d))?[ \t]*\Z")
_PART = regex(r"\.\d+(?:-[0-9a-z]+)?\.md\Z")
_FOLDERS = (f"{FOLDER}/", f"{IMPORTED}/")
_WAIT_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Told:
    """A conversation as its documents have it. ``end`` counts the bytes of the transcript that were read, else what was
    said; ``paths`` are its files in order."""

    session: str
    transcript: str
    end: int
    at: int
    project: str | None
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Distilled:
    """What a run of memories did: ``conversations`` of which ``memories`` were written, ``left`` wait for another."""

    conversations: int = 0
    memories: int = 0
    left: int = 0
    problems: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {
            "conversations": self.conversations,
            "memories": self.memories,
            "left": self.left,
            "problems": list(self.problems),
        }


@dataclass(frozen=True, slots=True)
class MemoryMiner:
    """``capture`` is the vault's; ``zone`` in which instants of sessions are shown."""

    capture: Capture
    run: str
    zone: str
    actor: str = "human"

    def find_waiting(self) -> list[Told]:
        """The conversations of which no memories were made yet, the newest first. What third persons said is left
        out, and what capture itself reads."""
        store = self.capture.history.store
        with store.read() as reader:
            paths = [one.document.path for one in _iterate(reader) if one.document.trust == "agent"]
            groups: dict[str, list[str]] = {}
            for path in sorted(path for path in paths if path.startswith(_FOLDERS)):
                groups.setdefault(_PART.sub("", path).removesuffix(".md"), []).append(path)
            found = [told for parts in groups.values() if (told := self._describe(parts)) is not None]
            waiting = [told for told in found if not self._is_done(reader, told)]
        return sorted(waiting, key=lambda one: (-one.at, one.session))

    def estimate(self, waiting: Sequence[Told]) -> int:
        """About how many tokens there are to read."""
        return sum(estimate_tokens(self._source(path)) for told in waiting for path in told.paths)

    def distill(self, most: int = MOST, seen: Callable[[int, int], None] = lambda done, total: None) -> Distilled:
        """Of at most so many. Raises ``Unavailable`` while another process works in the background."""
        waiting = self.find_waiting()
        wanted, problems, memories = waiting[:most], [], 0
        distiller = _limit(self.capture.worker.distiller)
        with self.capture.lease(_WAIT_SECONDS):
            for number, told in enumerate(wanted, 1):
                try:
                    memories += self._distill(distiller, told)
                except HearthError as error:
                    problems.append(f"{told.paths[0]}: {error.said}")
                seen(number, len(wanted))
        done = len(wanted) - len(problems)
        return Distilled(done, memories, len(waiting) - done, tuple(problems))

    # -- details ---------------------------------------------------------------------------------------------------

    def _distill(self, distiller: Distiller, told: Told) -> int:
        entries = list(self._read(told))
        session = Session(told.session, told.at, told.at, project=told.project)
        kept = distiller.keep(session, CaptureBatch(told.transcript, entries, told.end, again=True), Watermark())
        position = Watermark(Position(offset=told.end, turn=entries[-1].turn if entries else 0))
        data = {
            "session": told.session,
            "transcript": told.transcript,
            "watermark": told.end,
            "position": position.as_data(),
            "run": self.run,
            "actor": self.actor,
        }
        docs = [*kept.documents, *kept.marks]
        self.capture.history.record([Draft("captured", data=data | ({"docs": docs} if docs else {}))])
        distiller.settled()
        return len(kept.documents)

    def _describe(self, paths: Sequence[str]) -> Told | None:
        fields = frontmatter.split(self._source(paths[-1])).fields
        text = {name: value for name, value in fields.items() if isinstance(value, str)}
        if text.get("created_by") != MINE:
            return None
        session = session_of_conversation(text) or ""
        transcript = text.get("transcript") or f"{INTERNAL}/{paths[0]}"
        end = read_count(text.get("read_to")) or read_count(text.get("entries"))
        at = instants.parse(text.get("ended") or text.get("started") or "") or 0
        return Told(session, transcript, end, at, text.get("project"), tuple(paths))

    def _is_done(self, reader: StateReader, told: Told) -> bool:
        """Whether as much of it was captured, or is the business of hooks."""
        known = reader.registers(subjects.name_session(told.session))
        captured = known.get("captured")
        if "turn" in known:
            return True
        return (
            isinstance(captured, dict)
            and captured.get("transcript") == told.transcript
            and captured.get("watermark", 0) >= told.end
        )

    def _source(self, path: str) -> str:
        data = self.capture.worker.conversations.writer.memories.read(path)
        return (data or b"").decode("utf-8", "replace")

    def _read(self, told: Told) -> Iterator[TranscriptEntry]:
        """What was said, as its documents have it."""
        zone = self.zone if told.paths[0].startswith(FOLDER) else "UTC"
        day = PurePosixPath(told.paths[0]).name[: len("2000-01-01")]
        turn = 0
        for path in told.paths:
            for role, stamp, text in _split(frontmatter.body_of(self._source(path)), day):
                turn += role == "User" or not turn
                kind = Kind.USER if role == "User" else Kind.ASSISTANT
                at = None if stamp is None else instants.parse(stamp, zone)
                yield TranscriptEntry(kind, text, at, offset=turn, turn=turn, message=f"{turn}")


def _iterate(reader: Reader) -> Iterator[StoredDocument]:
    """The conversations that are not hidden."""
    return reader.each_document(Filter((INTERNAL,), ("conversation",)))


def _split(body: str, day: str) -> Iterator[tuple[str, str | None, str]]:
    """Each turn with its role and local time; what stands in a block of code opens none."""
    role, stamp, rows, fence = "", None, list[str](), ""
    for row in [*body.split("\n"), "## User"]:
        mark = FENCE.match(row)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and row.strip() == mark[1]:
            fence = ""
        begin = None if fence else _TURN.match(row)
        if begin is None:
            rows.append(row)
            continue
        if role and (text := "\n".join(rows).strip()):
            yield role, stamp, text
        date = begin[2] or day
        role, rows = begin[1], []
        stamp = f"{date}T{begin[3]}" if begin[3] and re.fullmatch(r"[\d-]{10}", date) else None


def _limit(distiller: Distiller) -> Distiller:
    """One that keeps few memories of a conversation, and nothing else of it."""
    extract, model = distiller.extract, distiller.model
    return replace(
        distiller,
        extract=lambda said, first: _cut(extract(said, first)),
        model=None if model is None else _BriefReading(model),
    )


def _cut(found: Extraction) -> Extraction:
    best = sorted(found.memories, key=lambda one: (-one.importance.score, -one.confidence))[:MOST_MEMORIES]
    kept = tuple(one for one in found.memories if one in best)
    return replace(found, memories=kept, observations=(), entities=(), questions=(), profile=())


class _BriefReading(ModelReading):
    """A language model's reading, of which as little is kept."""

    def __init__(self, whole: ModelReading) -> None:
        self.__dict__.update(whole.__dict__)

    def read(self, *given: Any) -> Extraction:
        return _cut(super().read(*given))
