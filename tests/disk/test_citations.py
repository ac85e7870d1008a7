"""What a memory says of the code that it cites, once the code went on."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from hearth.disk.commits import Repository, check_citations

THEN, WRITTEN, LATER = 1_700_000_000, 1_700_100_000, 1_700_200_000
LEDGER = "def close_month(ledger):\n    return ledger.total\n"


class Project:
    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir()
        self.git("init", "-q")
        for name, text in (("billing/ledger.py", LEDGER), ("billing/rates.py", "RATE = 3\n"), ("app.py", "x = 1\n")):
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        self.commit(THEN)

    def git(self, *words: str, at: int = THEN) -> None:
        who = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in (
            ("NAME", "Ana"), ("EMAIL", "ana@example.org"), ("DATE", f"{at} +0000"))}  # fmt: skip
        environ = {"PATH": "/usr/bin:/bin", "HOME": str(self.root), "GIT_CONFIG_GLOBAL": "/dev/null", **who}
        subprocess.run(["git", *words], cwd=self.root, env=environ, check=True, capture_output=True)

    def commit(self, at: int) -> None:
        self.git("add", "-A", at=at)
        self.git("commit", "-q", "-m", "x", at=at)

    def check(self, text: str, at: int = WRITTEN) -> str | None:
        # A busy machine changes no answer.
        return check_citations(text, at * 1_000, str(self.root), 60.0)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "shop")


def test_code_that_nobody_touched_is_fresh(project: Project) -> None:
    assert project.check("billing/ledger.py never rounds.") == "fresh"
    assert project.check("ledger.py never rounds; `close_month` does.") == "fresh"


@pytest.mark.parametrize("is_committed", [True, False])
def test_a_cited_file_that_changed_or_went_is_named(project: Project, is_committed: bool) -> None:
    (project.root / "billing" / "ledger.py").write_text(LEDGER + "# more\n", encoding="utf-8")
    (project.root / "billing" / "rates.py").unlink()
    if is_committed:
        project.commit(LATER)
    assert project.check("See billing/ledger.py:2.") == "changed (billing/ledger.py)"
    assert project.check("billing/ledger.py and billing/rates.py belong together.") == "gone (billing/rates.py)"
    assert project.check("app.py starts it.") == "fresh"


def test_a_change_that_was_taken_back_is_none(project: Project) -> None:
    file = project.root / "billing" / "ledger.py"
    file.write_text("other\n", encoding="utf-8")
    project.commit(LATER)
    file.write_text(LEDGER, encoding="utf-8")
    assert project.check("billing/ledger.py never rounds.") == "fresh"


def test_a_symbol_that_is_nowhere_any_more_is_gone(project: Project) -> None:
    (project.root / "billing" / "ledger.py").write_text("def close_year(ledger):\n    pass\n", encoding="utf-8")
    assert project.check("Call `close_month` first.") == "gone (close_month)"
    assert project.check("Call close_month() first.") == "gone (close_month)"


def test_a_file_of_the_same_name_elsewhere_changes_nothing(project: Project) -> None:
    (project.root / "billing" / "app.py").write_text("y = 2\n", encoding="utf-8")
    project.commit(LATER)
    assert project.check("app.py starts it.") == "fresh"
    assert check_citations("ledger.py never rounds.", WRITTEN * 1_000, str(project.root / "billing"), 60.0) == "fresh"


def test_nothing_is_gone_because_git_had_no_time_to_look(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[object] = []

    def ask(self: Repository, *given: Any, **more: Any) -> bytes | None:
        calls.append(given[1])
        return None if calls.count("grep") == 2 else answer(self, *given, **more)

    answer = Repository.ask
    monkeypatch.setattr(Repository, "ask", ask)
    assert project.check("Call `close_month` first.") is None


def test_what_was_committed_soon_after_a_memory_is_what_it_is_about(project: Project) -> None:
    (project.root / "billing" / "ledger.py").write_text(LEDGER + "# rounds once\n", encoding="utf-8")
    (project.root / "billing" / "new.py").write_text("def add_rates():\n    pass\n", encoding="utf-8")
    project.commit(WRITTEN + 600)
    assert project.check("billing/ledger.py rounds once, billing/new.py never; see `add_rates`.") == "fresh"
    (project.root / "billing" / "new.py").write_text("pass\n", encoding="utf-8")
    assert project.check("billing/new.py never rounds.") == "changed (billing/new.py)"


@pytest.mark.parametrize(
    "text",
    [
        "We meet on Monday.", "Use `close` here.", "See other/module.py.", "https://example.org/a/ledger.py",
        "../../etc/passwd.py", "`never_was` is no name of ours", "-e billing",
    ],
)  # fmt: skip
def test_what_cites_nothing_of_the_project_says_nothing(project: Project, text: str) -> None:
    assert project.check(text) is None


def test_without_git_or_before_its_first_commit_nobody_knows(project: Project, tmp_path: Path) -> None:
    assert project.check("billing/ledger.py", at=THEN - 200_000) is None
    (tmp_path / "plain").mkdir()
    assert check_citations("billing/ledger.py", WRITTEN * 1_000, str(tmp_path / "plain"), 60.0) is None
    assert check_citations("billing/ledger.py", WRITTEN * 1_000, str(tmp_path / "nowhere"), 60.0) is None
