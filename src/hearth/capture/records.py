"""Layer 1: what hosts record exactly, the surest there is.

Answers to the agent's questions and approved plans are decisions; commits and merged pull requests are milestones; a
test run that failed and then passes is a problem with its solution; what a person refused or stopped, and said why, is
a correction. The words of a statement are a person's, or of a call: never what a tool printed.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

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
from hearth.core.lazy import dataclass, regex
from hearth.core.transcript import Turn
from hearth.language.statements import sentences
from hearth.text.lines import cut_line
from hearth.text.words import cues
from hearth.transcripts.typed import own_words_of

_COMMIT = regex(r"\bgit\s+(?:-\w+\s+\S+\s+)*commit\b")
# A message given as a document: -m "$(cat <<'EOF' … EOF)", or -F - <<EOF.
_DOCUMENT = regex(r"<<-?\s*['\"]?(\w+)['\"]?[^\n]*\n(.*?)\n\s*\1\b", re.DOTALL)
_MERGE = regex(r"\bgh\s+pr\s+merge\b(?:\s+--?\S+)*\s*(\d{1,9}|\S*/pull/\d{1,9})?|^merge pull request (\d{1,9})$")
_TRAILER = regex(r"^(?:[A-Z][\w-]*-[Bb]y|Change-Id|Issue|Refs?|Closes|Fixes)\s*:|^🤖", re.MULTILINE)
_SEPARATORS = frozenset({"&&", "||", ";", "|", "&"})
_MAX_COMMAND = 8_000
_MAX_BODY = 300


@dataclass(frozen=True, slots=True)
class Commit:
    subject: str
    body: str = ""

    @property
    def statement(self) -> str:
        subject = self.subject.rstrip(".")
        return f"Committed: {subject}. {self.body}".rstrip()


def commit_of(step: Step) -> Commit | None:
    """The message of the commit that a call made; ``None`` where it made none, or told its message nowhere."""
    command = _command(step)
    if command is None or not _COMMIT.search(command):
        return None
    paragraphs = list(_message(command))
    if not paragraphs or not paragraphs[0].strip():
        return None
    subject, _, rest = paragraphs[0].strip().partition("\n")
    body = "\n\n".join([rest, *paragraphs[1:]])
    trailer = _TRAILER.search(body)
    message = " ".join((body[: trailer.start()] if trailer else body).split())
    return Commit(" ".join(subject.split()), message[:_MAX_BODY])


def find_merge(step: Step) -> tuple[str, str] | None:
    """What was merged, and the words of the command that say so."""
    command = _command(step)
    found = _MERGE.search(command) if command is not None else None
    if found is None or "--auto" in (command or ""):
        return None
    number = (found[1] or found[2] or "").rpartition("/")[2]
    return (f"Merged pull request {number}." if number else "Merged the branch's pull request."), found[0].strip()


def _command(step: Step) -> str | None:
    """Of a call that ended well."""
    if step.action is None or step.action.act is not Act.COMMAND or step.failed or not step.done:
        return None
    return step.action.text


def _message(command: str) -> Iterator[str]:
    document = _DOCUMENT.search(command, _COMMIT.search(command).start())  # type: ignore[union-attr]
    if document is not None:
        yield document[2]
        return
    try:
        words = shlex.split(command[:_MAX_COMMAND], posix=True)
    except ValueError:
        return
    start = next((at for at, word in enumerate(words) if word == "commit"), None)
    if start is not None:
        yield from _give(words[start + 1 :])


def _give(words: Sequence[str]) -> Iterator[str]:
    for at, word in enumerate(words):
        if word in _SEPARATORS:
            return
        after = words[at + 1] if at + 1 < len(words) else ""
        if word == "--message" or re.fullmatch(r"-[a-zA-Z]*m", word):
            yield after
        elif word.startswith("--message="):
            yield word.partition("=")[2]
        elif re.match(r"-[a-z]?m.", word) and not word.startswith("--"):
            yield word.partition("m")[2]


_RUNNER = regex(
    r"(?:^|[\s;&|/(])(?P<name>pytest|py\.test|(?:-m\s+)?unittest|tox|nox|jest|vitest|mocha|ava|rspec|phpunit|ctest|"
    r"playwright\s+test|cypress\s+run|cargo\s+(?:nextest|test)|go\s+test|dotnet\s+test|swift\s+test|mix\s+test|"
    r"deno\s+test|bun\s+(?:run\s+)?test|(?:npm|pnpm|yarn)\s+(?:run\s+)?test(?::\w+)?|make\s+(?:check|tests?)|"
    r"(?:\./)?(?:gradlew?|mvnw?)\s+(?:\S+\s+)?test|rake\s+(?:test|spec)|rails\s+test)\b"
)
_FAILED = regex(
    r"\b[1-9]\d*\s+(?:tests?\s+)?(?:failed|failures?|failing|errors?)\b|^(?:FAILED|FAIL|ERROR)[:\s]|--- FAIL|"
    r"test result: FAILED|Tests:\s+[1-9]\d* failed|Segmentation fault",
    re.MULTILINE,
)
_PASSED = regex(
    r"\b[1-9]\d*\s+(?:tests?\s+)?(?:passed|passing|ok)\b|^OK\b|test result: ok|^ok\s|BUILD SUCCESS|All tests passed|"
    r"\bRan [1-9]\d* tests?\b",
    re.MULTILINE | re.IGNORECASE,
)
_EMPTY = regex(r"\bRan 0 tests\b|no tests ran|collected 0 items|No tests found", re.IGNORECASE)
# Names as programs write them: identifiers, nothing that could be read as a sentence.
_TEST = regex(
    r"^(?:FAILED|FAIL:|ERROR:?|--- FAIL:|not ok \d+ -)\s+(?:\S+::)?([A-Za-z_][\w.:/\[\]-]{2,80})(?=\s|$)|"
    r"^test ([\w:]{3,80}) \.\.\. FAILED",
    re.MULTILINE,
)
_MAX_NAMES = 3
_MAX_FILES = 5


@dataclass(frozen=True, slots=True)
class Trial:
    """``turn`` is where the run passed, ``tests`` what had failed by name, ``files`` what was changed meanwhile."""

    turn: int
    name: str
    command: str
    tests: tuple[str, ...]
    files: tuple[str, ...]

    @property
    def statement(self) -> str:
        what = ", ".join(self.tests) if self.tests else f"`{self.name}`"
        names = ", ".join(name.rpartition("/")[2] for name in self.files[:_MAX_FILES])
        return f"{what} failed and passes again{f' after changes in {names}' if names else ''}."


@dataclass(slots=True)
class _Open:
    tests: tuple[str, ...]
    files: dict[str, None]


def trials(turns: Iterable[Turn]) -> list[Trial]:
    """Each time that a runner failed and then passed, with something changed in between."""
    return list(_trials(turns))


@dataclass(frozen=True, slots=True)
class LastRun:
    """``tests`` are those that failed, by name; ``changed`` says whether files were changed after it."""

    name: str
    failed: bool
    tests: tuple[str, ...] = ()
    changed: bool = False

    @property
    def statement(self) -> str:
        names = f": {', '.join(self.tests)}" if self.tests else ""
        outcome = f"failed{names}" if self.failed else "passed"
        return f"Last test run: `{self.name}` {outcome}{'; files were changed since' if self.changed else ''}."


def find_last_run(turns: Iterable[Turn]) -> LastRun | None:
    """The last run of tests that says how it ended."""
    last: LastRun | None = None
    for turn in turns:
        for step in turn.steps:
            name = _runner(step)
            if name is None or not step.done or step.outcome is not None:
                changed = last is not None and step.files and not step.failed
                last = replace(last, changed=True) if changed and last is not None else last
            elif step.failed or _FAILED.search(step.output):
                last = LastRun(name, True, _list_failed_tests(step))
            elif _PASSED.search(step.output):
                last = LastRun(name, False)
    return last


def _list_failed_tests(step: Step) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one or other for one, other in _TEST.findall(step.output)))[:_MAX_NAMES]


def _trials(turns: Iterable[Turn]) -> Iterator[Trial]:
    failing: dict[str, _Open] = {}
    for turn in turns:
        for step in turn.steps:
            for run in failing.values():
                run.files.update(dict.fromkeys(() if step.failed else step.files))
            name = _runner(step)
            if name is None or not step.done or step.outcome is not None:
                continue
            if step.failed or _FAILED.search(step.output):
                known = failing.get(name)
                tests = _list_failed_tests(step)
                failing[name] = _Open(tests or (known.tests if known else ()), known.files if known else {})
            elif name in failing and (_PASSED.search(step.output) or not _EMPTY.search(step.output)):
                failed = failing.pop(name)
                if failed.files and step.action is not None:
                    yield Trial(turn.ordinal, name, step.action.text, failed.tests, tuple(failed.files))


def _runner(step: Step) -> str | None:
    if step.action is None or step.action.act is not Act.COMMAND:
        return None
    found = _RUNNER.search(step.action.text)
    return " ".join(found["name"].removeprefix("-m").split()) if found else None


_CONFIDENCE = 0.80
_BACK = 8
"""Turns in which the problem was told."""
_HEAD = 160
"""Characters of a prompt in which it is said that it is solved."""
_MOST = 400
"""Characters of a prompt that says so: longer ones ask for something."""
_LONGEST = 220
_SHORTEST = 20
_TABLE = "capture/solutions"


def tells_trouble(text: str) -> bool:
    """Whether a sentence says that something goes wrong."""
    return cues(_TABLE, "wrong").search(text) is not None


def find_solutions(turns: Sequence[Turn], since: int = 0) -> Iterator[ExtractedMemory]:
    """Of the prompts after the ordinal ``since``: one for each problem that one of them says is solved."""
    for at, turn in enumerate(turns):
        if turn.ordinal <= since or at == 0 or not turns[at - 1].replies:
            continue
        quote = _find_confirmation(turn)
        failure = _find_problem(turns[max(0, at - _BACK) : at]) if quote else None
        if failure is None:
            continue
        problem, replies = failure
        found = _find_remedy(replies)
        if found is None:
            continue
        text = f"Problem: “{problem}” Found by the assistant: “{found}” Confirmed by the user: “{quote}”"
        evidence = Evidence(turn.ordinal, quote[:MAX_QUOTE])
        yield ExtractedMemory(Category.PROBLEM, text[:MAX_STATEMENT], _CONFIDENCE, evidence, reason="sentence:solved")


def _find_confirmation(turn: Turn) -> str:
    """The sentence that says so."""
    for prompt in turn.prompts:
        if len(prompt.text) > _MOST or cues(_TABLE, "solved").search(prompt.text[:_HEAD]) is None:
            continue
        for sentence in sentences(own_words_of(prompt.text)[:_HEAD]):
            if cues(_TABLE, "solved").search(sentence) and not cues(_TABLE, "not yet").search(sentence):
                return sentence
    return ""


def _find_problem(earlier: Sequence[Turn]) -> tuple[str, list[str]] | None:
    """The last problem that is not yet said to be solved, with what was answered since."""
    replies: list[str] = []
    for turn in reversed(earlier):
        replies = [*turn.replies, *replies]
        if _find_confirmation(turn):
            return None
        statements = (one for prompt in turn.prompts for one in sentences(own_words_of(prompt.text)))
        wrong = next((one for one in statements if _SHORTEST <= len(one) <= _LONGEST and tells_trouble(one)), None)
        if wrong is not None:
            return wrong, replies
    return None


def _find_remedy(replies: Sequence[str]) -> str | None:
    """The sentences, two at most, with which one of the replies begins to say what is wrong or what helps."""
    for reply in replies:
        statements = [one for one in sentences(reply) if not one.endswith(("?", "？", ":")) and len(one) <= _LONGEST]
        for at, sentence in enumerate(statements):
            if len(sentence) >= _SHORTEST and cues(_TABLE, "finding").search(sentence):
                return " ".join(" ".join(statements[at : at + 2]).split())
    return None


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
