"""Decides what of a session fits into a budget: pure, from sizes alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from statistics import median
from typing import Any

from hearth.config.tree import PruningSettings
from hearth.context.engine.messages import Message, Role
from hearth.context.engine.pruning import Action, age_images, is_due, prune, size_after
from hearth.core.lazy import dataclass

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

    messages: tuple[Message, ...]
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


def last_call(messages: Iterable[Message]) -> int | None:
    """When a model answered last, ms UTC."""
    return max((one.at for one in messages if one.role is Role.ASSISTANT and one.at is not None), default=None)


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


def units_of(messages: Sequence[Message]) -> list[list[int]]:
    """The places of messages that stay or go together: a message, and the results of the calls that it makes."""
    units: list[list[int]] = []
    callers: dict[str, list[int]] = {}
    for at, one in enumerate(messages):
        unit = next((callers[call] for call in one.answers if call in callers), None)
        if unit is None:
            unit = []
            units.append(unit)
        unit.append(at)
        callers.update(dict.fromkeys(one.calls, unit))
    return units


def find_cut(messages: Sequence[Message], keep: int) -> int:
    """The place of the first message that is kept: the newest units within ``keep`` tokens, and always the last."""
    kept, cut = 0, len(messages)
    for unit in reversed(units_of(messages)):
        cost = sum(messages[at].tokens for at in unit)
        if kept and kept + cost > keep:
            break
        kept += cost
        cut = min(cut, unit[0])
    return cut


class _Sheet:
    """The plan while it is made."""

    def __init__(self, skeleton: Skeleton, budget: int, settings: PruningSettings) -> None:
        self._given, self._budget, self._settings = skeleton, budget, settings
        messages = skeleton.messages
        self.actions: dict[str, Action] = {}
        self._units = units_of(messages)
        for unit in self._units[:-1]:
            if not _is_whole([messages[at] for at in unit]):
                self._drop(unit)
        self._drop_hopeless()
        known = {one.id for one in messages if one.id not in self.actions}
        former = {name: action for name, action in skeleton.former.items() if name in known}
        self.actions |= age_images([one for one in messages if one.id in known], former)
        self.parts = {part.name: part.tokens for part in (*skeleton.files, *skeleton.notes)}
        self.parts |= {"summary": skeleton.summary, "recall": skeleton.recall}
        self._costs = {one.id: self._cost(one) for one in messages if one.id in known}
        self._sum()

    def over(self) -> int:
        return self.tokens - self._budget

    def shrink(self, part: str, least: int = 0) -> None:
        self.parts[part] = max(min(least, self.parts[part]), self.parts[part] - self.over())
        self._sum()

    def prune(self) -> None:
        kept = [one for one in self._given.messages if one.id in self._costs]
        before = dict(self.actions)
        self.actions |= prune(kept, self._given.window, self._settings, self.actions)
        self._costs |= {one.id: self._cost(one) for one in kept if self.actions.get(one.id) != before.get(one.id)}
        self._sum()

    def drop_oldest(self) -> None:
        messages, prompt = self._given.messages, self._last_prompt()
        for unit in self._units:
            leads = messages[unit[0]].role is Role.USER
            # What is left begins with a prompt: an answer to nothing helps nobody, and some providers refuse it.
            if self.over() <= 0 and (leads or unit[0] > prompt):
                break
            if self._may_go(unit, prompt):
                self.tokens -= sum(self._costs.pop(messages[at].id, 0) for at in unit)
                self._drop(unit)

    def _drop_hopeless(self) -> None:
        """Drops what would not fit with every result cleared, so that long sessions cost no more than short ones."""
        messages, prompt = self._given.messages, self._last_prompt()
        least = 0
        for unit in reversed(self._units):
            if least <= self._budget:
                cost = sum(_CLEARED_TOKENS if messages[at].answers else messages[at].tokens for at in unit)
                least += round(cost * self._given.factor)
            if least > self._budget and self._may_go(unit, prompt):
                self._drop(unit)

    def _may_go(self, unit: Sequence[int], prompt: int) -> bool:
        fixed = unit is self._units[-1] or prompt in unit
        return not fixed and self._given.messages[unit[0]].role not in (Role.SYSTEM, Role.SUMMARY)

    def _last_prompt(self) -> int:
        messages = self._given.messages
        return next((at for at in range(len(messages) - 1, -1, -1) if messages[at].role is Role.USER), -1)

    def _drop(self, unit: Sequence[int]) -> None:
        self.actions.update((self._given.messages[at].id, Action.DROP) for at in unit)

    def _cost(self, message: Message) -> int:
        tokens, _ = size_after(message, self.actions.get(message.id))
        return round(tokens * self._given.factor)

    def _sum(self) -> None:
        before = self._given.prompt + sum(self.parts.values())
        self.tokens = sum(self._costs.values()) + round(before * self._given.factor)


def _is_whole(unit: Sequence[Message]) -> bool:
    """Whether each call has its result and each result its call: providers refuse half of a pair."""
    if len(unit) == 1:
        return not unit[0].calls and not unit[0].answers
    calls = {call for one in unit for call in one.calls}
    return calls == {call for one in unit for call in one.answers}
