"""Retraction: takes a night back, and notes what becomes of passages on a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hearth.core.errors import Conflict, NotFound
from hearth.core.journal import Draft
from hearth.memory.state.undo import NIGHT, UndoneRun
from hearth.memory.writing.names import new_id
from hearth.pages.dream import memory_md
from hearth.pages.dream.held import Grounds, dated, passage_of
from hearth.pages.dream.passage import DreamPassage, Key
from hearth.pages.dream.plan import promotions
from hearth.pages.dream.report import show_key
from hearth.pages.dream.signals import document_blocks
from hearth.ports import Reader

if TYPE_CHECKING:
    from hearth.pages.dream.dreamer import Dreamer

ACTOR = "dreaming"
_STANDING = ("in", "left")
CHANGED = "the page was changed meanwhile; it comes again with the next night"


def draft_promotion(key: Key, state: str, day: str, run: str, agent: str) -> Draft:
    """The event that says what became of a passage on the page of an agent, empty for that of everyone else."""
    whose = {"agent": agent} if agent else {}
    told = {"block": key[1], "day": day, "state": state, "actor": ACTOR, "run": run, **whose}
    return Draft("promoted", key[0], data=told)


def is_of(run: str, before: Mapping[Key, Mapping[str, Any]]) -> bool:
    """Whether there is something of a night to be taken back."""
    return any(row.get("run") == run and row.get("state") in _STANDING for row in before.values())


def find_last(before: Mapping[Key, Mapping[str, Any]]) -> str | None:
    """The last night of which something is there to be taken back."""
    runs = ((row["at"], row["run"]) for row in before.values() if row.get("state") in _STANDING and "run" in row)
    return max(runs, default=(0, None))[1]


def take_back(dreamer: Dreamer, run: str) -> UndoneRun:
    """What a night promoted on a page, and what it took out, but for lines that somebody edited. Raises ``NotFound``
    where nothing of it is left."""
    agent, grounds = dreamer.agent, dreamer.grounds()
    with dreamer.lease(), dreamer.exclusive():
        with dreamer.history.store.read() as reader:
            rows = {key: row for key, row in promotions(reader, agent).items() if row.get("run") == run}
            out = [key for key, row in rows.items() if row.get("state") == "in"]
            back = [_find(reader, key, grounds) for key, row in rows.items() if row.get("state") == "left"]
        put = [passage for passage in back if passage is not None]
        if not out and not put:
            raise NotFound(f"nothing of a run {run[:64]!r} is there to be undone")
        known = dreamer.pages.read()
        if known.page is None:
            raise Conflict(known.problem or CHANGED)
        ours = {item.key for item in known.page.ours}
        if not dreamer.pages.write(known, memory_md.edit(known.page, dreamer.machine, put, out)):
            raise Conflict(CHANGED)
        kept = [key for key in out if key not in ours]
        dreamer.pages.tell_taken_back(run, grounds.today, len(kept))
        today, again = grounds.today, NIGHT + new_id(dreamer.random)
        drafts = [draft_promotion(key, "undone", today, run, agent) for key in out]
        drafts += [draft_promotion(passage.key, "in", today, again, agent) for passage in put]
        events = dreamer.history.record(drafts)
    said = tuple(f"{show_key(key)} was edited, moved or deleted on the page" for key in kept)
    return UndoneRun(run, len(drafts) - len(kept), said, tuple(events))


def _find(reader: Reader, key: Key, grounds: Grounds) -> DreamPassage | None:
    """A passage as it stands now, where it is true."""
    stored = reader.document(key[0])
    if stored is None or stored.state.veils_at(grounds.now):
        return None
    block = next((block for block in document_blocks(reader, stored) if block.hash == key[1]), None)
    return None if block is None else dated(passage_of(stored, block, (), grounds))
