"""A language model sums up a session part by part; lines without support in what was said are dropped."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from hearth.core.errors import BadReply, Unavailable
from hearth.core.lazy import dataclass
from hearth.core.transcript import Turn
from hearth.language.evidence import Sources
from hearth.llm import prompts
from hearth.llm.dialogue import dialogue, fence_of
from hearth.llm.judge import shingles
from hearth.llm.prompts import CompactionReply
from hearth.ports import Llm
from hearth.text.lines import cut_line, estimate_tokens

PART_TOKENS = 12_000
SECONDS = 180
"""For all parts together; the rules alone cover those that are left."""
_SHARE = 0.6
"""How many of a line's words its source must hold."""
_CHARS, _PER_SECTION = 240, 12
SECTIONS = {
    "Goal": "goal", "Constraints": "constraints", "Decisions": "decisions", "Done": "done",
    "In progress": "in_progress", "Open": "open", "Next": "next",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SessionSummarizer:
    """Fills ``capture.compaction.Summarizer``. ``clean`` removes secrets and delimiters from a text; ``suspicious``
    recognizes texts that give orders."""

    llm: Llm
    clean: Callable[[str], str]
    suspicious: Callable[[str], bool]

    @property
    def label(self) -> str:
        return f"{self.llm.name}, each line checked against what was said"

    def tell(self, turns: Sequence[Turn], focus: str = "") -> dict[str, list[str]]:
        """Raises ``Unavailable`` and ``BadReply`` where no part could be read."""
        until = time.monotonic() + SECONDS
        found: dict[str, list[str]] = {title: [] for title in SECTIONS}
        failure: Unavailable | BadReply | None = None
        done = 0
        for part in _parts(turns):
            if time.monotonic() > until:
                break
            try:
                for title, lines in self._read(part, focus).items():
                    found[title] += lines
                done += 1
            except (Unavailable, BadReply) as error:
                failure = error
        if failure is not None and not done:
            raise failure
        return {title: list(dict.fromkeys(lines))[-_PER_SECTION:] for title, lines in found.items()}

    def _read(self, turns: Sequence[Turn], focus: str) -> dict[str, list[str]]:
        said = self.clean(dialogue(turns, most=PART_TOKENS))
        wanted = self.clean(" ".join(focus.split())[:_CHARS])
        shown = f"Most wanted: {wanted}\n\n{said}" if wanted else said
        prompt = prompts.load("compaction")
        asked = prompt.filled({"session": shown, "fence": fence_of(shown)})
        reply = self.llm.complete(asked, CompactionReply)
        sources, prompted = Sources([said]), shingles(prompt.text)
        return {
            title: list(self._filter_lines(getattr(reply, name), sources, prompted)) for title, name in SECTIONS.items()
        }

    def _filter_lines(
        self, lines: Sequence[str], sources: Sources, prompted: frozenset[tuple[str, ...]]
    ) -> Iterator[str]:
        for line in lines[:_PER_SECTION]:
            text = cut_line(" ".join(self.clean(line).split()).lstrip("-*#> "), _CHARS)
            borne = bool(text) and sources.find_fault(text, _SHARE) is None
            if borne and not shingles(text) & prompted and not self.suspicious(text):
                yield text


def _parts(turns: Sequence[Turn]) -> Iterator[list[Turn]]:
    """The turns of each question to the model."""
    part: list[Turn] = []
    size = 0
    for turn in turns:
        cost = sum(estimate_tokens(text) for text in (*(one.text for one in turn.prompts), *turn.replies))
        if part and size + cost > PART_TOKENS:
            yield part
            part, size = [], 0
        part.append(turn)
        size += cost
    if part:
        yield part
