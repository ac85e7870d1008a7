"""Decides what of a session fits into a budget: pure, from sizes alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from statistics import median
from typing import TYPE_CHECKING, Any

from hearth.config.tree import PruningSettings
from hearth.context.engine.messages import Message, Outline, Role
from hearth.context.engine.pruning import ACTIONS, CODES, DROP, Action, age_images, is_due, prune, sizes_after
from hearth.core.lazy import dataclass, library

if TYPE_CHECKING:
    import numpy as np

    from hearth.context.engine.messages import Flags
else:
    np = library("numpy")

DEFAULT_WINDOW = 200_000
MOST_RESERVED = 20_000
_FACTORS = (0.8, 2.0)
_USAGES = 5
# The least that a result costs.
_CLEARED_TOKENS = 4


@dataclass(frozen=True, slots=True)
class Part:
    """Text that stands before the conversation. ``least`` are the tokens to which it can be cut."""

    name: str
    tokens: int
    least: int = 0


@dataclass(frozen=True, slots=True)
class Skeleton:
    """What a plan is made of. Messages are in order, without the new prompt if that is given apart (``prompt``, its
    tokens). ``now`` and ``last_call`` (when the model was called last) are ms UTC, ``former`` what earlier plans of
    this session pruned, ``factor`` how many tokens the provider counts for one of ours."""

    messages: Outline | Sequence[Message]
    prompt: int = 0
    files: tuple[Part, ...] = ()
    notes: tuple[Part, ...] = ()
    summary: int = 0
    recall: int = 0
    window: int = DEFAULT_WINDOW
    now: int = 0
    last_call: int | None = None
    former: Mapping[str, Action] = field(default_factory=dict)
    factor: float = 1.0


@dataclass(frozen=True, slots=True)
class Plan:
    """``actions`` are by a message's id; those that aren't named are kept. ``parts`` are the tokens of each part, 0
    where it is left out. ``overflow`` are the tokens by which the least that can be sent exceeds the budget."""

    actions: Mapping[str, Action]
    parts: Mapping[str, int]
    tokens: int
    overflow: int = 0

    def to_dict(self) -> dict[str, Any]:
        return {
            "actions": {name: str(action) for name, action in self.actions.items()},
            "parts": dict(self.parts),
            "tokens": self.tokens,
            "overflow": self.overflow,
        }


def reserve_of(window: int, most: int = MOST_RESERVED) -> int:
    """Tokens kept free for the answer: a fixed number, at most a quarter of the window."""
    return min(most, window // 4)


def factor_of(usages: Iterable[tuple[int, int]]) -> float:
    """How many tokens a provider counts for one of ours: of the last five calls (reported, estimated) the median, each
    between .8 and 2."""
    low, high = _FACTORS
    factors = [min(high, max(low, reported / ours)) for reported, ours in usages if ours > 0 and reported > 0]
    return median(factors[-_USAGES:]) if factors else 1.0


def plan(skeleton: Skeleton, budget: int, settings: PruningSettings) -> Plan:
    """What to send within ``budget`` tokens.

    Where there is too much, recall shrinks first; then old results are pruned, the oldest units dropped, notes of days
    left out and files cut. The last prompt and the last unit always stay whole.
    """
    sheet = _Sheet(skeleton, budget, settings)
    if is_due(settings, skeleton.now, skeleton.last_call):
        sheet.prune()
    if sheet.over() > 0:
        sheet.shrink("recall")
    if sheet.over() > 0:
        sheet.prune()
    if sheet.over() > 0:
        sheet.drop_oldest()
    for part in reversed(skeleton.notes):
        if sheet.over() > 0:
            sheet.shrink(part.name)
    for part in reversed(skeleton.files):
        if sheet.over() > 0:
            sheet.shrink(part.name, part.least)
    return Plan(sheet.actions, sheet.parts, sheet.tokens, max(0, sheet.over()))


def find_cut(outline: Outline, keep: int) -> int:
    """The place of the first message that is kept: the newest units within ``keep`` tokens, and always the last."""
    kept, cut = 0, len(outline)
    for unit in reversed(outline.units):
        cost = sum(outline[at].tokens for at in unit)
        if kept and kept + cost > keep:
            break
        kept += cost
        cut = min(cut, unit[0])
    return cut


class _Sheet:
    """The plan while it is made: ``codes`` says what becomes of each message."""

    def __init__(self, skeleton: Skeleton, budget: int, settings: PruningSettings) -> None:
        self._given, self._budget, self._settings = skeleton, budget, settings
        outline = skeleton.messages if isinstance(skeleton.messages, Outline) else Outline(skeleton.messages)
        self._outline, self._unit = outline, outline.column("unit")
        prompts = np.flatnonzero(outline.has_role(Role.USER))
        self._prompt = int(prompts[-1]) if prompts.size else -1
        self._codes = np.zeros(len(outline), dtype=np.int64)
        is_fixed = outline.has_role(Role.SYSTEM) | outline.has_role(Role.SUMMARY)
        self._may_go = ~is_fixed[outline.first_of_units()]
        if prompts.size:
            self._may_go[self._unit[self._prompt]] = False
        self._may_go[-1:] = False
        torn = ~outline.whole_units()
        torn[-1:] = False
        self._drop(torn)
        self._drop_hopeless()
        for name, action in skeleton.former.items():
            at = outline.places.get(name)
            if at is not None and self._codes[at] != DROP and action is not Action.DROP:
                self._codes[at] = CODES[action]
        self._codes = age_images(outline, self._codes)
        self.parts = {part.name: part.tokens for part in (*skeleton.files, *skeleton.notes)}
        self.parts |= {"summary": skeleton.summary, "recall": skeleton.recall}
        self._count()

    @property
    def actions(self) -> dict[str, Action]:
        changed = np.flatnonzero(self._codes)
        codes, ids = self._codes[changed].tolist(), self._outline.ids
        return {ids[at]: ACTIONS[code] for at, code in zip(changed.tolist(), codes, strict=True)}

    def over(self) -> int:
        return self.tokens - self._budget

    def shrink(self, part: str, least: int = 0) -> None:
        self.parts[part] = max(min(least, self.parts[part]), self.parts[part] - self.over())
        self._count()

    def prune(self) -> None:
        self._codes = prune(self._outline, self._codes, self._given.window, self._settings)
        self._count()

    def drop_oldest(self) -> None:
        outline = self._outline
        firsts = outline.first_of_units()
        costs = np.bincount(self._unit, self._costs, len(firsts)) * self._may_go
        before = self.tokens - costs.cumsum() + costs
        # What is left begins with a prompt: an answer to nothing helps nobody, and some providers refuse it.
        may_begin = outline.has_role(Role.USER)[firsts] | (firsts > self._prompt)
        ends = np.flatnonzero((before <= self._budget) & may_begin)
        self._drop(self._may_go & (np.arange(len(firsts)) < (ends[0] if ends.size else len(firsts))))
        self._count()

    def _drop_hopeless(self) -> None:
        """Drops what would not fit with every result cleared, so that long sessions cost no more than short ones."""
        outline = self._outline
        least = np.where(outline.column("answers") > 0, _CLEARED_TOKENS, outline.column("tokens"))
        costs = np.rint(np.bincount(self._unit, least, len(outline.units)) * self._given.factor)
        self._drop(self._may_go & (costs[::-1].cumsum()[::-1] > self._budget))

    def _drop(self, units: Flags) -> None:
        self._codes[units[self._unit]] = DROP

    def _count(self) -> None:
        tokens, _ = sizes_after(self._outline, self._codes)
        self._costs = np.rint(tokens * self._given.factor)
        before = self._given.prompt + sum(self.parts.values())
        self.tokens = int(self._costs.sum()) + round(before * self._given.factor)
