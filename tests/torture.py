"""The suites of ``make torture``: which there are, and a pytest plugin (``-p tests.torture``) that runs them in parts.

A part is a test with its own seed. What a part did is appended to ``.torture.jsonl`` as it ends, so that a run that was
stopped, by its budget or by hand, goes on where it was; with another commit, or other changes to it, it begins anew.
The table at the end is in the form of docs/security.md.
"""

from __future__ import annotations

import hashlib
import json
import random
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

# Cases of each suite; some are counted by the parts of another one. Marked tests of no suite are told together, each as
# one case.
SUITES = {
    "kills": 10_000,
    "captures killed": 200,
    "inputs": 1_000_000,
    "power cuts": 100_000,
    "power cuts, opened": 1_000,
    "two machines": 1_000,
    "truth over time": 10_000,
    "page edits": 2_000,
    "nights killed": 120,
    "warm index": 10_000,
    "reindex storm": 40,
    "failing calls": 1_424,
    "failing calls, commands": 18,
    "damaged index": 250,
    "sessions": 10_000,
}
OTHERS = "other tests"


@dataclass
class Part:
    """A share of a suite: so many cases, all drawn from one seed. A part that ends well with fewer fails."""

    suite: str
    seed: int
    cases: int
    done: dict[str, int] = field(default_factory=dict)

    @property
    def rng(self) -> random.Random:
        return random.Random(f"{self.suite} {self.seed}")

    def count(self, cases: int = 1, suite: str | None = None) -> None:
        name = suite or self.suite
        self.done[name] = self.done.get(name, 0) + cases

    def __repr__(self) -> str:
        return f"{self.suite.replace(' ', '-')}-{self.seed}"


def torture(suite: str, parts: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Marks a test as such a suite; it is called with each ``part``, and counts the cases that it went through."""
    shares = [Part(suite, seed, _share(SUITES[suite], parts, seed)) for seed in range(parts)]

    def mark(test: Callable[..., None]) -> Callable[..., None]:
        for marked in (pytest.mark.parametrize("part", shares, ids=repr), pytest.mark.timeout(3_600)):
            test = marked(test)
        done: Callable[..., None] = pytest.mark.torture(test)
        return done

    return mark


def _share(count: int, parts: int, number: int) -> int:
    return count * (number + 1) // parts - count * number // parts


# -- the plugin ------------------------------------------------------------------------------------------------------


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("torture")
    group.addoption("--budget", type=float, default=0, metavar="MINUTES", help="begin no part after so long")
    group.addoption("--anew", action="store_true", help="forget the parts that are done")
    group.addoption("--other-commits", action="store_true", help="count what was done with another commit as done")
    group.addoption("--record", type=Path, default=Path(".torture.jsonl"), help="where finished parts are written")


def pytest_configure(config: pytest.Config) -> None:
    given = getattr(config, "workerinput", None)
    if given is not None:
        config.pluginmanager.register(Runner(set(given["finished"]), given["deadline"]), "torture-runner")
        return
    record = Record(config.rootpath / config.option.record, config.option.other_commits)
    if config.option.anew:
        record.file.unlink(missing_ok=True)
    minutes = config.option.budget
    runner = Runner(record.finished(), time.time() + 60 * minutes if minutes else float("inf"))
    config.pluginmanager.register(runner, "torture-runner")
    config.pluginmanager.register(Reporter(record, runner, config), "torture-reporter")


class Runner:
    """In the process that runs the tests: leaves out what is done, and begins none when the time is over."""

    def __init__(self, finished: set[str], deadline: float) -> None:
        self.finished, self.deadline = finished, deadline

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Of each suite the first part, then the second of each: a run that is cut short has seen something of all.
        What belongs to no suite comes last."""
        left = [item for item in items if item.nodeid not in self.finished]
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in self.finished])
        for item in left:
            part = part_of(item)
            if part is not None:
                item.user_properties += [("suite", part.suite), ("seed", part.seed)]
        items[:] = sorted(left, key=_turn)

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if time.time() > self.deadline:
            pytest.skip("the time is over")

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Item) -> Iterator[None]:
        part = part_of(pyfuncitem)
        try:
            result = yield
        finally:
            if part is not None:
                pyfuncitem.user_properties.append(("done", dict(part.done)))
        if part is not None:
            ran = part.done.get(part.suite, 0)
            assert ran >= part.cases, f"{part!r} ran {ran} cases, not {part.cases}"
        return result


def part_of(item: pytest.Item) -> Part | None:
    found = getattr(item, "callspec", None)
    part = None if found is None else found.params.get("part")
    return part if isinstance(part, Part) else None


def _turn(item: pytest.Item) -> tuple[int, int]:
    part = part_of(item)
    return (10**9, 0) if part is None else (part.seed, list(SUITES).index(part.suite))


class Record:
    """Finished parts, one a line."""

    def __init__(self, file: Path, any_commit: bool) -> None:
        self.file = file
        self.state = _state(file.parent)
        self._any = any_commit

    def rows(self) -> list[dict[str, Any]]:
        """The newest of each part."""
        if not self.file.exists():
            return []
        found = [json.loads(line) for line in self.file.read_text("utf-8").splitlines()]
        kept = [row for row in found if self._any or row["state"] == self.state]
        return list({row["test"]: row for row in kept}.values())

    def finished(self) -> set[str]:
        return {row["test"] for row in self.rows() if row["passed"]}

    def add(self, row: dict[str, Any]) -> None:
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"state": self.state, **row}) + "\n")


def _state(root: Path) -> str:
    """The commit and what was changed since, or a word where there is no repository."""
    asked = (["rev-parse", "HEAD"], ["diff", "HEAD", "--", "src", "tests"])
    said = [subprocess.run(["git", *words], cwd=root, capture_output=True, check=False).stdout for words in asked]
    changed = hashlib.sha256(said[1]).hexdigest()[:8] if said[1] else ""
    return f"{said[0].decode().strip()[:12]}{changed and '+'}{changed}" or "unknown"


class Reporter:
    """In the process that people look at: writes down what ended, and prints the table."""

    def __init__(self, record: Record, runner: Runner, config: pytest.Config) -> None:
        self.record, self.runner = record, runner
        self.begun = time.time()
        self.late: list[str] = []
        options = config.option
        self._whole = not options.keyword and not options.collectonly and config.args == config.getini("testpaths")

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput["finished"] = sorted(self.runner.finished)
        node.workerinput["deadline"] = self.runner.deadline

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "call" and report.passed:
            return
        told = dict(report.user_properties)
        suite = told.get("suite", OTHERS)
        if report.skipped:
            self.late += [suite] if "the time is over" in str(report.longrepr) else []
            return
        done = told.get("done") or {suite: int(report.passed)}
        row = {"test": report.nodeid, "passed": report.passed, "seconds": round(report.duration, 1)}
        self.record.add(row | {"suite": suite, "seed": told.get("seed"), "done": done})

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            short = self._whole and any(self._short())
            session.exitstatus = pytest.ExitCode.TESTS_FAILED if self.late or short else pytest.ExitCode.OK

    def _short(self) -> Iterator[str]:
        """The suites that have not done all that was asked of them; with none at all a suite is no suite."""
        rows = self.record.rows()
        for name, asked in {**SUITES, OTHERS: 1}.items():
            if sum(row["done"].get(name, 0) for row in rows) < asked:
                yield name

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if terminalreporter.config.option.collectonly:
            return
        terminalreporter.section("torture")
        for line in table(self.record.rows(), self.late.count(OTHERS)):
            terminalreporter.write_line(line)
        minutes = (time.time() - self.begun) / 60
        terminalreporter.write_line(f"\n{minutes:.1f} minutes of this run; {self.record.state}")
        if self.late:
            terminalreporter.write_line(f"{len(self.late)} parts are left: run it again to go on")


def table(rows: list[dict[str, Any]], others_left: int = 0) -> Iterator[str]:
    """Markdown. ``seconds`` are those of all processes together."""
    yield "| suite | cases asked | cases done | failures | seconds | seeds |"
    yield "|---|--:|--:|--:|--:|---|"
    for name in (*SUITES, OTHERS):
        ours = [row for row in rows if name in row["done"] or row["suite"] == name]
        done = sum(row["done"].get(name, 0) for row in ours)
        asked = SUITES.get(name, len(ours) + others_left)
        seconds = sum(row["seconds"] for row in ours if row["suite"] == name)
        seeds = sorted(row["seed"] for row in ours if row["seed"] is not None)
        shown = f"{seeds[0]}–{seeds[-1]}" if seeds else ""
        failed = sum(not row["passed"] for row in ours)
        yield f"| {name} | {asked:,} | {done:,} | {failed} | {seconds:,.0f} | {shown} |"
