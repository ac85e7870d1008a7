"""A change of mind and back within an hour, on two machines that share a vault, and one decision of two projects."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
QUESTION = "Which database does staging use?"


class Machines:
    """``on`` runs a command on one of them; ``sync`` copies what a file service would."""

    def __init__(self, hearth: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.hearth, self.folder, self.monkeypatch = hearth, folder, monkeypatch
        self.on("a", "init")
        shutil.copytree(folder / "a/data", folder / "b/data")
        self.on("b", "init")

    def on(self, machine: str, *arguments: str) -> Any:
        for name in ("config", "data", "cache", "state"):
            self.monkeypatch.setenv(f"HEARTH_{name.upper()}_DIR", str(self.folder / machine / name))
        self.monkeypatch.setenv("HEARTH_DAEMON_MODE", "never")
        done = self.hearth(*arguments)
        assert done.code == 0, done.err
        return done

    def remember(self, machine: str, text: str, *options: str) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(
            self.on(machine, "remember", "--json", "--type", "decision", *options, text).out
        )
        return told

    def sync(self) -> None:
        for one, other in (("a", "b"), ("b", "a")):
            for file in sorted((self.folder / one / "data").rglob("*")):
                there = self.folder / other / "data" / file.relative_to(self.folder / one / "data")
                is_older = not there.exists() or there.stat().st_mtime_ns < file.stat().st_mtime_ns
                if file.is_file() and is_older:
                    there.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(file, there)

    def ask(self, machine: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.on(machine, "query", "--json", QUESTION).out)["results"]
        return found


@pytest.fixture
def machines(hearth: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machines:
    return Machines(hearth, tmp_path / "machines", monkeypatch)


def test_there_and_back_within_an_hour_leaves_the_last_word_on_both(machines: Machines) -> None:
    first = machines.remember("a", "The staging database is MySQL.")
    machines.sync()
    second = machines.remember("b", "We moved the staging database to PostgreSQL.")
    assert second["supersedes"] == [first["docid"]]
    machines.sync()
    third = machines.remember("a", "The staging database is back on MySQL, PostgreSQL is gone.")
    assert third["supersedes"] == [second["docid"]]
    machines.sync()
    for machine in ("a", "b"):
        found = machines.ask(machine)
        assert [hit["docid"] for hit in found] == [third["docid"]]
        history = machines.on(machine, "history", f"#{first['docid']}", "--json").out
        assert [one["docid"] for one in json.loads(history)["versions"]] == [
            first["docid"], second["docid"], third["docid"],
        ]  # fmt: skip


def test_two_that_changed_their_mind_apart_see_the_same_order(machines: Machines) -> None:
    machines.remember("a", "The staging database is MySQL.")
    machines.sync()
    machines.remember("a", "We moved the staging database to MariaDB.")
    last = machines.remember("b", "We moved the staging database to PostgreSQL.")
    machines.sync()
    one, other = machines.ask("a"), machines.ask("b")
    assert [hit["docid"] for hit in one] == [hit["docid"] for hit in other]
    assert one[0]["docid"] == last["docid"] and len(one) == 2
    assert [later["docid"] for later in one[1]["later"]] == [last["docid"]]


def test_one_decision_of_two_projects_stands_in_each(machines: Machines) -> None:
    kept = [
        machines.remember("a", "The staging database is MySQL.", "--project", name) for name in ("larder", "cellar")
    ]
    machines.sync()
    done = machines.remember("b", "We moved the staging database to PostgreSQL.", "--project", "cellar")
    assert done["supersedes"] == [kept[1]["docid"]]
    machines.sync()
    assert {hit["docid"] for hit in machines.ask("a")} == {kept[0]["docid"], done["docid"]}
