"""Layer 1: what hosts record exactly, the surest there is.

Answers to the agent's questions and approved plans are decisions; commits and merged pull requests are milestones; a
test run that failed and then passes is a problem with its solution; what a person refused or stopped, and said why, is
a correction. The words of a statement are a person's, or of a call: never what a tool printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from hearth.capture.development import Commit, Trial, commit_of, find_merge
from hearth.core.extraction import (
    MAX_QUOTE,
    MAX_STATEMENT,
    MAX_TITLE,
    Category,
    Evidence,
    ExtractedMemory,
    Observation,
    ObservationKind,
    Source,
)
from hearth.core.hook import Act, Step
from hearth.core.lazy import regex
from hearth.core.transcript import Turn
from hearth.text.lines import cut_line
from hearth.text.words import cues
from hearth.transcripts.typed import own_words_of

CERTAIN = 0.97
_PLAN_TAG = regex(r"<proposed_plan>\s*(.*?)\s*</proposed_plan>", re.DOTALL)
# What Codex sends for the person who approves a plan.
_GO = regex(r"\s*(?:please\s+)?implement\s+(?:the|this)\s+plan\b.{0,40}\Z", re.IGNORECASE | re.DOTALL)
_RECOMMENDED = regex(r"\s*\((?:recommended|empfohlen|recomendad[oa])\)", re.IGNORECASE)
_KINDS: dict[str, ObservationKind] = {
    "fix": "bugfix", "bugfix": "bugfix", "hotfix": "bugfix", "feat": "feature", "feature": "feature", "add": "feature",
    "refactor": "refactor", "perf": "refactor",
}  # fmt: skip
_PREFIX = regex(r"(\w+)(?:\([^)]*\))?!?[:\s]")


def records(turns: Sequence[Turn], mended: Sequence[Trial], since: int = 0) -> list[ExtractedMemory]:
    """In the order of events; ``mended`` are the trials of the turns, of which those up to the ordinal ``since`` are
    looked at as context alone."""
    found = [memory for turn in turns if turn.ordinal > since for memory in _of_turn(turn)]
    found += [memory for one, other in pairwise(turns) if other.ordinal > since for memory in _between(one, other)]
    found += [_solve(trial) for trial in mended if trial.turn > since]
    return sorted(found, key=lambda memory: memory.evidence.turn)


def observations(turns: Sequence[Turn], mended: Sequence[Trial], since: int = 0) -> list[Observation]:
    """What was committed and mended."""
    found = []
    for turn, step in _steps(turns, since):
        commit = commit_of(step)
        if commit is not None:
            found.append(_commit(turn, commit))
    return [*found, *(_mend(trial) for trial in mended if trial.turn > since)]


def find_approved_plan(one: Turn, other: Turn) -> tuple[str, str] | None:
    """The plan that the first turn ends with, and the words in which the next prompt takes it up."""
    plans = [plan for reply in one.replies for plan in _PLAN_TAG.findall(reply)]
    words = next((prompt.text for prompt in other.prompts if _GO.match(prompt.text)), None)
    return (plans[-1], words) if plans and words else None


def _of_turn(turn: Turn) -> Iterator[ExtractedMemory]:
    for step in turn.steps:
        yield from _answers(turn, step)
        yield from _plan(turn, step)
        commit = commit_of(step)
        if commit is not None:
            evidence = Evidence(turn.ordinal, commit.subject[:MAX_QUOTE], Source.HOST)
            yield _memory(Category.MILESTONE, commit.statement, evidence, "commit")
        merged = find_merge(step)
        if merged is not None:
            yield _memory(Category.MILESTONE, merged[0], Evidence(turn.ordinal, merged[1], Source.HOST), "merge")
        words = own_words_of(step.outcome.words) if step.outcome is not None and step.outcome.denied else ""
        if words:
            yield _refuse(turn.ordinal, _about(step), words)


def _answers(turn: Turn, step: Step) -> Iterator[ExtractedMemory]:
    if step.action is None or step.action.act is not Act.ASK or step.outcome is None:
        return
    names = {choice.key: choice.question for choice in step.action.choices if choice.key is not None}
    for key, answer in step.outcome.answers:
        chosen = _line(_RECOMMENDED.sub("", answer))
        question = _line(names.get(key, key))
        if chosen and question:
            text = f"Asked “{question}”, the user chose: {chosen}."
            yield _memory(Category.DECISION, text, Evidence(turn.ordinal, answer[:MAX_QUOTE], Source.HOST), "answer")


def _plan(turn: Turn, step: Step) -> Iterator[ExtractedMemory]:
    if step.action is None or step.action.act is not Act.PLAN or step.failed or not step.done or step.outcome is None:
        return
    text = step.outcome.plan or step.action.text
    first = next((line for line in text.splitlines() if line.strip()), "")
    if first:
        evidence = Evidence(turn.ordinal, first.strip()[:MAX_QUOTE], Source.HOST)
        yield _memory(Category.DECISION, f"The user approved the agent's plan: {outline(text)}", evidence, "plan")


def _between(one: Turn, other: Turn) -> Iterator[ExtractedMemory]:
    """What a prompt says of the turn before it: that its plan is taken, or why it was stopped."""
    plan = find_approved_plan(one, other)
    if plan is not None:
        evidence = Evidence(other.ordinal, plan[1].strip()[:MAX_QUOTE])
        yield _memory(Category.DECISION, f"The user approved the agent's plan: {outline(plan[0])}", evidence, "plan")
    stopped = one.interrupted or any(_wordless(step) for step in one.steps)
    words = own_words_of(other.prompts[0].text) if stopped and other.prompts else ""
    if words and cues("capture/dialogue", "turned").search(words) and not words.rstrip().endswith(("?", "？")):
        last = next((step for step in reversed(one.steps) if step.failed or not step.done), None)
        yield _refuse(other.ordinal, _about(last) if last is not None else "", words)


def _wordless(step: Step) -> bool:
    return step.outcome is not None and step.outcome.denied and not step.outcome.words


def _refuse(turn: int, about: str, words: str) -> ExtractedMemory:
    reason = _line(words)[: MAX_STATEMENT // 2]
    category = Category.ANTIPATTERN if cues("capture/dialogue", "forbidden").search(reason) else Category.CORRECTION
    text = f"The user {about or 'stopped the agent'} and said: “{reason}”"
    return _memory(category, text, Evidence(turn, words[:MAX_QUOTE]), "refusal")


def _solve(trial: Trial) -> ExtractedMemory:
    evidence = Evidence(trial.turn, trial.command[:MAX_QUOTE], Source.HOST)
    return _memory(Category.PROBLEM, trial.statement, evidence, "test")


def _mend(trial: Trial) -> Observation:
    evidence = Evidence(trial.turn, trial.command[:MAX_QUOTE], Source.HOST)
    title = cut_line(f"Tests pass again: {trial.name}", MAX_TITLE)
    return Observation(
        "bugfix", title, (trial.statement,), evidence, concepts=("problem-solution",), files_modified=trial.files
    )


def _commit(turn: Turn, commit: Commit) -> Observation:
    evidence = Evidence(turn.ordinal, commit.subject[:MAX_QUOTE], Source.HOST)
    prefix = _PREFIX.match(commit.subject.lower())
    kind = _KINDS.get(prefix[1], "change") if prefix else "change"
    title, text = cut_line(commit.subject, MAX_TITLE), f"Committed: {commit.subject.rstrip('.')}."
    read = tuple(dict.fromkeys(filter(None, map(_read, turn.steps))))
    return Observation(kind, title, (text,), evidence, commit.body, ("what-changed",), read, turn.files)


def _read(step: Step) -> str:
    """The file that a call read."""
    done = step.done and not step.failed
    return step.action.text if done and step.action is not None and step.action.act is Act.READ else ""


def outline(plan: str) -> str:
    """A plan on one line."""
    lines = (re.sub(r"^(?:#+|[-*+]|\d+[.)])\s+", "", line.strip()) for line in plan.splitlines())
    return _line("; ".join(filter(None, lines)))[: MAX_STATEMENT - 40]


def _about(step: Step) -> str:
    stopped = step.outcome is None or step.outcome.interrupted
    return f"{'stopped' if stopped else 'refused'} {_call(step)}"


def _call(step: Step) -> str:
    if step.action is not None and step.action.act is Act.COMMAND:
        return f"`{_line(step.action.text)[:80]}`"
    if step.action is not None and step.action.act is Act.PLAN:
        return f"the plan “{outline(step.action.text)[:80]}”"
    names = ", ".join(name.rpartition("/")[2] for name in step.files[:3])
    return f"a change of {names}" if names else f"a call of {step.tool}"


def _steps(turns: Iterable[Turn], since: int) -> Iterator[tuple[Turn, Step]]:
    return ((turn, step) for turn in turns if turn.ordinal > since for step in turn.steps)


def _memory(category: Category, text: str, evidence: Evidence, reason: str) -> ExtractedMemory:
    return ExtractedMemory(category, text[:MAX_STATEMENT], CERTAIN, evidence, reason=f"record:{reason}")


def _line(text: str) -> str:
    return " ".join(text.split())
