"""The plan of a consolidation: merges, expiries and conclusions, how sure each is, and why."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, replace
from typing import TYPE_CHECKING, Any, Literal

from hearth.core import subjects
from hearth.core.instants import DAY_MS, moment, show_date
from hearth.core.lazy import dataclass
from hearth.core.memory import MAX_TEXT_BYTES, SPECULATIVE
from hearth.markdown.owned_lines import PageStatement
from hearth.memory.file_names import subject_key
from hearth.memory.policy import CONFIRMED
from hearth.ports import Answers, Reader
from hearth.text.lines import cut_line
from hearth.text.similarity import content_words, near_identical, normalised
from hearth.truth.duplicates import UNITED, CurrentMemory, hold, pairs
from hearth.vault.validity import COMMITMENT

if TYPE_CHECKING:
    from hearth.llm.pages import CitedWriter

MOST = 50
"""Changes of one run."""
PROVEN = 3
"""Sessions that make what was said again a pattern."""
OLD_DAYS = 180
UNIMPORTANT = 0.4
SUMMARISED = 50
"""Memories of one month and subject from which on they are worth a summary."""
EXEMPT = frozenset(("decision", "preference", "principle", "correction", COMMITMENT))
"""Types that no summary takes the place of."""
SHARE = 10
"""A summary by rules is at most one part in so many of what it sums up."""
_LINE_CHARS, _MOST_LINES = 160, 40
_LEGAL = frozenset(["inc", "ltd", "llc", "gmbh", "ag", "sa", "sl", "bv", "corp", "co", "company", "the"])

Kind = Literal["duplicate", "pattern", "archive", "summary", "entity", "deduction", "fallen"]
Trend = Literal["new", "strengthening", "stable", "weakening", "stale"]


@dataclass(frozen=True, slots=True)
class ConsolidationChange:
    """``keep`` stays and ``others`` give way to it; of ``archive`` there is only ``keep``, of
    ``summary`` ``text`` is what is written and ``others`` are put away for it, of ``entity`` a person is asked whether
    both are one. Of ``deduction`` ``text`` is what is written and all are its premises; of ``fallen`` a person is asked
    whether ``others`` still follows. ``certainty`` lies in [0, 1]."""

    kind: Kind
    certainty: float
    keep: CurrentMemory
    others: tuple[CurrentMemory, ...]
    why: str
    text: str = ""
    proof: int = 0
    trend: Trend | None = None

    @property
    def size(self) -> int:
        """How many documents change."""
        return 1 if self.kind in ("summary", "deduction") else max(1, len(self.others))

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {
            "kind": self.kind,
            "certainty": self.certainty,
            "docid": self.keep.docid,
            "path": self.keep.path,
            "others": [{"docid": one.docid, "path": one.path} for one in self.others],
            "why": self.why,
            "text": self.text,
            "proof": self.proof,
            "trend": self.trend,
        }


def plan(
    memories: Sequence[CurrentMemory], now: int, since: int = 0, more: Iterable[ConsolidationChange] = ()
) -> list[ConsolidationChange]:
    """What a run does at ``now`` (ms UTC), the most certain first, at most ``MOST`` documents; no document twice.
    ``more`` is what others than these rules found."""
    found = [
        *_unite(memories, now, since),
        *_find_ended(memories, now),
        *_summaries(memories, now),
        *_entities(memories),
        *more,
    ]
    found.sort(key=lambda change: (-change.certainty, change.kind, change.keep.docid))
    chosen: list[ConsolidationChange] = []
    taken: set[str] = set()
    room = MOST
    for change in found:
        names = {change.keep.docid, *(one.docid for one in change.others)}
        if change.kind == "summary":
            names.discard(change.keep.docid)
        if change.size <= room and not names & taken:
            chosen.append(change)
            # Premises stay as they are: more than one conclusion may rest on them.
            taken |= set() if change.kind == "deduction" else names
            room -= change.size
    return chosen


def trend(made_at: int, updated_at: int, proof: int, now: int) -> Trend:
    """How what was said again fares."""
    quiet = now - updated_at
    if now - made_at < 7 * DAY_MS:
        return "new"
    if quiet > 60 * DAY_MS:
        return "stale"
    if quiet > 30 * DAY_MS:
        return "weakening"
    return "strengthening" if proof >= 4 and quiet < 14 * DAY_MS else "stable"


def _unite(memories: Sequence[CurrentMemory], now: int, since: int) -> Iterator[ConsolidationChange]:
    """What says the same, around the one that most others say the same as."""
    united = [one for one in memories if one.content_type in UNITED and one.text and not _over(one, now)]
    edges: dict[str, dict[str, float]] = defaultdict(dict)
    by_docid: dict[str, CurrentMemory] = {}
    for older, newer, sure in pairs(united, since):
        by_docid |= {older.docid: older, newer.docid: newer}
        edges[older.docid][newer.docid] = edges[newer.docid][older.docid] = sure
    taken: set[str] = set()
    for centre in sorted(edges, key=lambda docid: (-len(edges[docid]), docid)):
        near = {docid: sure for docid, sure in edges[centre].items() if docid not in taken}
        if centre in taken or not near:
            continue
        taken |= {centre, *near}
        yield _union([by_docid[docid] for docid in (centre, *near)], min(near.values()), now)


def _union(group: Sequence[CurrentMemory], sure: float, now: int) -> ConsolidationChange:
    """What is pinned stays, else what is surest, most used, oldest: it has stood the longest."""
    keep = min(group, key=lambda one: (not one.pinned, -one.confidence, -one.uses, one.at, one.docid))
    others = tuple(sorted((one for one in group if one is not keep), key=lambda one: (one.at, one.docid)))
    sessions = {one.session for one in group if one.session}
    made, updated = min(one.at for one in group), max(one.at for one in group)
    if len(group) >= PROVEN and len(sessions) >= PROVEN:
        proof = len(sessions)
        why = f"{proof} sessions say it"
        return ConsolidationChange(
            "pattern", sure, keep, others, why, proof=proof, trend=trend(made, updated, proof, now)
        )
    why = "they say the same word by word" if sure == 1 else "they say the same"
    return ConsolidationChange("duplicate", sure, keep, others, why, proof=len(sessions))


def raise_confidence(change: ConsolidationChange) -> float | None:
    """The confidence of what stays, where guesses of several sessions say the same."""
    sessions = {one.session for one in (change.keep, *change.others) if one.session}
    guess = change.keep.confidence < SPECULATIVE
    return CONFIRMED if guess and len(sessions) > 1 and change.kind in ("duplicate", "pattern") else None


def _find_ended(memories: Iterable[CurrentMemory], now: int) -> Iterator[ConsolidationChange]:
    for one in memories:
        if _over(one, now) and not one.pinned:
            yield ConsolidationChange("archive", 1.0, one, (), "it was hidden automatically")


def _over(one: CurrentMemory, now: int) -> bool:
    return one.ends_at is not None and one.ends_at <= now


def _summaries(memories: Iterable[CurrentMemory], now: int) -> Iterator[ConsolidationChange]:
    groups: dict[tuple[str, str | None, str], list[CurrentMemory]] = defaultdict(list)
    for one in memories:
        dull = one.importance is not None and one.importance < UNIMPORTANT and not one.uses and not one.pinned
        if dull and one.text and one.content_type not in EXEMPT and now - one.at > OLD_DAYS * DAY_MS:
            month = f"{moment(one.at):%Y-%m}"
            groups[month, one.project, subject_key(one.subject, "") if one.subject else ""].append(one)
    for (month, _, subject), group in sorted(groups.items(), key=lambda item: str(item[0])):
        if len(group) < SUMMARISED:
            continue
        group.sort(key=lambda one: (one.at, one.docid))
        title = f"Summary of {month}" + (f": {subject}" if subject else "")
        why = f"{len(group):,} old memories of {month} that nobody used"
        yield ConsolidationChange("summary", 0.8, group[0], tuple(group), why, summarize(title, group))


def summarize(title: str, group: Sequence[CurrentMemory]) -> str:
    """The memories that share most with the others, in the order of time, within a tenth of what all of them say; the
    shortest one where none fits. The others are linked, and found when asked for."""
    lines = {one.docid: cut_line(" ".join(one.text.split()), _LINE_CHARS) for one in group}
    words = {one.docid: content_words(one.text) for one in group}
    shared = Counter(word for found in words.values() for word in found)
    room = min(sum(len(one.text) for one in group) // SHARE, MAX_TEXT_BYTES // 4) - len(title) - len("# \n\n")
    told: set[str] = set()
    chosen: list[CurrentMemory] = []
    left = list(group)

    def gain(one: CurrentMemory) -> int:
        """How often the others say what it adds."""
        return sum(shared[word] - 1 for word in words[one.docid] - told)

    while len(chosen) < _MOST_LINES:
        left = [one for one in left if len(lines[one.docid]) + len("- \n") <= room and gain(one)]
        if not left:
            break
        best = max(left, key=lambda one: (gain(one), one.importance or 0, -one.at, one.docid))
        chosen.append(best)
        told |= words[best.docid]
        room -= len(lines[best.docid]) + len("- \n")
    chosen = chosen or [min(group, key=lambda one: (len(lines[one.docid]), one.at, one.docid))]
    rows = [f"- {lines[one.docid]}" for one in sorted(chosen, key=lambda one: (one.at, one.docid))]
    return "\n".join((f"# {title}", "", *rows))


def _entities(memories: Iterable[CurrentMemory]) -> Iterator[ConsolidationChange]:
    """Files of what may be one: names of the same words in another order, or with what a firm's name ends in."""
    named: dict[frozenset[str], list[CurrentMemory]] = defaultdict(list)
    for one in memories:
        if one.content_type == "entity" and one.subject:
            words = frozenset(one.subject.casefold().replace(",", " ").replace(".", " ").split()) - _LEGAL
            if words:
                named[words].append(one)
    for group in named.values():
        group.sort(key=lambda one: (one.at, one.docid))
        for other in group[1:]:
            if (other.subject or "").casefold() != (group[0].subject or "").casefold():
                why = f"“{group[0].subject}” and “{other.subject}” may be the same"
                yield ConsolidationChange("entity", 0.6, other, (group[0],), why)


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

    def draw(self, memories: Sequence[CurrentMemory], since: int) -> Iterator[ConsolidationChange]:
        """What follows from two or more memories of different sessions, of projects of which something was said after
        ``since`` (ms UTC)."""
        known = [one.text for one in memories]
        texts, deduced = set(map(normalised, known)), [one.text for one in memories if one.content_type == "deduction"]
        for group in _premises(memories, since):
            by_docid = {one.docid: one for one in group}
            for conclusion in self._ask("deduction", [_statement(one) for one in group], 2):
                premises = [by_docid[docid] for docid in conclusion.sources]
                apart = len({one.session for one in premises}) > 1
                if (
                    apart
                    and normalised(conclusion.text) not in texts
                    and not any(near_identical(conclusion.text, d) for d in deduced)
                ):
                    why = f"it follows from {len(premises)} memories"
                    yield ConsolidationChange(
                        "deduction", CONFIDENCE, premises[0], tuple(premises[1:]), why, conclusion.text, len(premises)
                    )

    def sum_up(self, change: ConsolidationChange) -> ConsolidationChange:
        """A summary that begins with a few sentences about all that it lists."""
        sentences = self._ask("summary", [_statement(one) for one in change.others[-_SUMMED:]], 1)
        if not sentences:
            return change
        title, lines = change.text.split("\n\n", 1)
        return replace(change, text=f"{title}\n\n{' '.join(one.text for one in sentences)}\n\n{lines}")

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
    reader: Reader, memories: Sequence[CurrentMemory], replaced: Mapping[str, str]
) -> Iterator[ConsolidationChange]:
    """Deductions of which a premise was replaced, to be asked about beside what replaced it; ``replaced`` maps docids
    to those of what took their place as something else."""
    for one in memories:
        if one.content_type != "deduction":
            continue
        for premise, edge in reader.holders(subjects.name_relation(SUPPORTS, one.docid)).items():
            newer = reader.document(replaced.get(premise, "")) if edge is not None else None
            if newer is not None and not newer.state.hidden:
                why = "one of its premises was superseded"
                yield ConsolidationChange("fallen", 0.7, hold(reader, newer), (one,), why)
                break


def _premises(memories: Sequence[CurrentMemory], since: int) -> list[list[CurrentMemory]]:
    """Statements that may be drawn from, by project, the oldest first."""
    groups: dict[str | None, list[CurrentMemory]] = defaultdict(list)
    for one in memories:
        fit = one.content_type in UNITED and one.content_type != "deduction" and one.confidence >= _LEAST_SURE
        if fit and one.session and 0 < len(one.text) <= _CHARS:
            groups[one.project].append(one)
    found = [sorted(group, key=lambda one: (one.at, one.docid))[-_PREMISES:] for group in groups.values()]
    fresh = [group for group in found if group[-1].at > since and len({one.session for one in group}) > 1]
    return sorted(fresh, key=lambda group: (-group[-1].at, group[-1].docid))[:_PROJECTS]


def _statement(one: CurrentMemory) -> PageStatement:
    return PageStatement(" ".join(one.text.split()), (one.docid,), show_date(one.at))
