"""What a profile says of a person after long chats, by rules alone: whether each statement has its source, and whether
it is so.

``profile_judged.tsv`` holds a verdict for each, given beside what its sources quote (``--statements``): ``true`` or
``false``, by chat and by a hash of the statement, so that another statement has none.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import capture
from hearth import app
from hearth.capture.distiller import wishes
from hearth.capture.rules import extract
from hearth.core.instants import DAY_MS
from hearth.core.lazy import dataclass
from hearth.markdown.owned_lines import key_of
from hearth.pages.profile import ABOUT
from hearth.vault.vault import Vault
from machine import table

JUDGED = Path(__file__).parent / "profile_judged.tsv"
# Statements without a source, and false ones of a hundred.
UNSOURCED, FALSE = 0, 2


@dataclass(frozen=True, slots=True)
class Said:
    """A statement of a profile with what its sources quote; empty where none of them is there."""

    chat: str
    text: str
    quotes: tuple[str, ...]

    @property
    def key(self) -> str:
        return f"{self.chat}\t{key_of(self.text)}"


def measure_profiles(folder: Path) -> str:
    known = _verdicts()
    found = [one for chat in _chats(folder) for one in _statements(folder, chat)]
    told = Counter(known.get(one.key, "not judged") for one in found)
    unsourced = sum(not one.quotes for one in found)
    wrong = 100 * told["false"] / max(1, told["true"] + told["false"])
    good = unsourced <= UNSOURCED and wrong <= FALSE and not told["not judged"]
    goal = f"{UNSOURCED}, <= {FALSE} {'✓' if good else '✗'}"
    row = [str(len(_chats(folder))), str(len(found)), str(unsourced), str(told["not judged"]), f"{wrong:.1f}", goal]
    return table(["profiles", "statements", "unsourced", "not judged", "false of 100", "goal"], [row])


def list_statements(folder: Path) -> str:
    """To be judged by hand."""
    said = [one for chat in _chats(folder) for one in _statements(folder, chat)]
    return "\n".join(f"{one.key}\t{one.text}" + "".join(f"\n    > {quote}" for quote in one.quotes) for one in said)


def _chats(folder: Path) -> list[str]:
    return sorted(path.parent.name for path in folder.glob("*/corpus"))


def _statements(folder: Path, chat: str) -> Iterator[Said]:
    """Of what the rules take out of a chat, as capture would write it."""
    talks = [
        talk for talk in capture.beam(folder) if any(place.file.startswith(chat) for place in talk.places.values())
    ]
    with tempfile.TemporaryDirectory(prefix="hearth-graph-") as work:
        (Path(work) / "notes").mkdir()
        at = max(prompt.at or 0 for talk in talks for turn in talk.turns for prompt in turn.prompts) + DAY_MS
        vault = app.open_folder(Path(work) / "notes", Path(work) / "vault", clock=lambda: at)
        quotes: dict[str, list[str]] = {}
        for talk in talks:
            for number, turn in enumerate(talk.turns):
                piece = talk.turns[max(0, number - 1) : number + 1]
                for evidence, wish in wishes(extract(piece, turn.ordinal - 1)):
                    # By its key a memory has the same docid each time, which decides between equals.
                    key = f"{talk.places[turn.ordinal].start}\0{wish.text}"
                    kept = vault.memories.keep(replace(wish, key=key, said_at=turn.prompts[0].at))
                    quotes.setdefault(kept.docid, []).append(evidence.quote)
        yield from _read(vault, chat, quotes)
        vault.close()


def _read(vault: Vault, chat: str, quotes: dict[str, list[str]]) -> Iterator[Said]:
    for one in vault.profile.rebuild().bullets:
        if one.section == ABOUT:
            yield Said(chat, one.text, tuple(quote for docid in one.sources for quote in quotes.get(docid, ())))


def _verdicts() -> dict[str, str]:
    rows = [line for line in JUDGED.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    return {key: verdict for key, _, verdict in (row.rpartition("\t") for row in rows)}
