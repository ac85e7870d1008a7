"""Test runs that failed and later pass: a problem, and what was changed in between."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from hearth.lazy import dataclass, regex
from hearth.model.host.action import Act, Step
from hearth.model.host.transcript import Turn

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
        told = f"failed{names}" if self.failed else "passed"
        return f"Last test run: `{self.name}` {told}{'; files were changed since' if self.changed else ''}."


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
                last = LastRun(name, True, _failed_tests(step))
            elif _PASSED.search(step.output):
                last = LastRun(name, False)
    return last


def _failed_tests(step: Step) -> tuple[str, ...]:
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
                tests = _failed_tests(step)
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
