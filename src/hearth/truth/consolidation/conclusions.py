"""Conclusions: what a language model makes of several memories, and those of which a premise is no longer so."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, replace
from typing import TYPE_CHECKING

from hearth.core import subjects
from hearth.core.instants import show_date
from hearth.core.lazy import dataclass
from hearth.pages.knowledge.page import PageStatement
from hearth.ports import Answers, Reader
from hearth.text.similarity import near_identical, normalised
from hearth.truth.consolidation.alike import UNITED, HeldMemory, hold
from hearth.truth.consolidation.plan import ConsolidationChange

if TYPE_CHECKING:
    from hearth.llm.pages import CitedWriter

CONFIDENCE = 0.85
SUPPORTS = "supporting"
_KEY = "consolidation"
_LEAST_SURE = 0.5
_PREMISES, _PROJECTS, _CHARS = 40, 3, 400
"""Of so many projects, those heard of last, the model reads so many of the newest statements."""
_SUMMED = 60
"""Statements of a month that it reads."""


@dataclass(frozen=True)
class Conclusions:
    """``open`` gives the model when it is first asked. What it says is kept in ``answers`` until a run has carried it
    out, so that the run does what its dry run told. Raises ``Unavailable``, ``BadReply`` or ``ConfigError``."""

    open: Callable[[], CitedWriter]
    answers: Answers

    def draw(self, memories: Sequence[HeldMemory], since: int) -> Iterator[ConsolidationChange]:
        """What follows from two or more memories of different sessions, of projects of which something was said after
        ``since`` (ms UTC)."""
        known = [one.text for one in memories]
        texts, deduced = set(map(normalised, known)), [one.text for one in memories if one.content_type == "deduction"]
        for group in _premises(memories, since):
            by_docid = {one.docid: one for one in group}
            for told in self._ask("deduction", [_statement(one) for one in group], 2):
                premises = [by_docid[docid] for docid in told.sources]
                apart = len({one.session for one in premises}) > 1
                if (
                    apart
                    and normalised(told.text) not in texts
                    and not any(near_identical(told.text, d) for d in deduced)
                ):
                    why = f"it follows from {len(premises)} memories"
                    yield ConsolidationChange(
                        "deduction", CONFIDENCE, premises[0], tuple(premises[1:]), why, told.text, len(premises)
                    )

    def sum_up(self, change: ConsolidationChange) -> ConsolidationChange:
        """A summary that begins with a few sentences about all that it lists."""
        told = self._ask("summary", [_statement(one) for one in change.others[-_SUMMED:]], 1)
        if not told:
            return change
        title, lines = change.text.split("\n\n", 1)
        return replace(change, text=f"{title}\n\n{' '.join(one.text for one in told)}\n\n{lines}")

    def done(self) -> None:
        self.answers.drop()

    def _ask(self, name: str, statements: Sequence[PageStatement], least: int) -> list[PageStatement]:
        asked = json.dumps([name, least, *map(astuple, statements)], ensure_ascii=False)
        key = hashlib.sha256(asked.encode("utf-8", "replace")).hexdigest()
        kept: dict[str, list[list[str | list[str]]]] = json.loads(self.answers.get(_KEY) or "{}")
        if key not in kept:
            kept[key] = [[one.text, list(one.sources), one.date] for one in self.open().tell(name, statements, least)]
            self.answers.put(_KEY, json.dumps(kept))
        return [PageStatement(str(text), tuple(sources), str(date)) for text, sources, date in kept[key]]


def find_fallen(
    reader: Reader, memories: Sequence[HeldMemory], replaced: Mapping[str, str]
) -> Iterator[ConsolidationChange]:
    """Deductions of which a premise was replaced, to be asked about beside what replaced it; ``replaced`` maps docids
    to those of what took their place as something else."""
    for one in memories:
        if one.content_type != "deduction":
            continue
        for premise, edge in reader.holders(subjects.name_relation(SUPPORTS, one.docid)).items():
            newer = reader.document(replaced.get(premise, "")) if edge is not None else None
            if newer is not None and not newer.state.hidden:
                why = "a premise of it was replaced"
                yield ConsolidationChange("fallen", 0.7, hold(reader, newer), (one,), why)
                break


def _premises(memories: Sequence[HeldMemory], since: int) -> list[list[HeldMemory]]:
    """Statements that may be drawn from, by project, the oldest first."""
    groups: dict[str | None, list[HeldMemory]] = defaultdict(list)
    for one in memories:
        fit = one.content_type in UNITED and one.content_type != "deduction" and one.confidence >= _LEAST_SURE
        if fit and one.session and 0 < len(one.text) <= _CHARS:
            groups[one.project].append(one)
    found = [sorted(group, key=lambda one: (one.at, one.docid))[-_PREMISES:] for group in groups.values()]
    fresh = [group for group in found if group[-1].at > since and len({one.session for one in group}) > 1]
    return sorted(fresh, key=lambda group: (-group[-1].at, group[-1].docid))[:_PROJECTS]


def _statement(one: HeldMemory) -> PageStatement:
    return PageStatement(" ".join(one.text.split()), (one.docid,), show_date(one.at))
