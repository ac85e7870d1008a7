"""What git knows of notes, from real repositories."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from hearth.disk.commits import GitCommits
from hearth.ports import Collection, Commit

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")
Git = Callable[..., None]


@pytest.fixture
def git(tmp_path: Path) -> Git:
    def run(*arguments: str, at: int = 1_200_000_000, folder: Path | None = None) -> None:
        """``at`` is seconds since 1970."""
        stamp = f"{at} +0000"
        given = {"GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp, "GIT_CONFIG_GLOBAL": "/dev/null"}
        names = ("-c", "user.name=A writer", "-c", "user.email=writer@example.org")
        environ = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(tmp_path), **given}
        command = ["git", *names, *arguments]
        subprocess.run(command, cwd=folder or tmp_path / "repo", env=environ, check=True, capture_output=True)

    (tmp_path / "repo").mkdir()
    run("init", "-q", "-b", "main")
    return run


@pytest.fixture
def repo(tmp_path: Path, git: Git) -> Path:
    root = tmp_path / "repo"
    (root / "notes" / "deep").mkdir(parents=True)
    (root / "notes" / "a.md").write_text("Amber.\n")
    (root / "notes" / "deep" / "b ä\n.md").write_text("Basalt.\n")
    git("add", ".")
    git("commit", "-q", "-m", "first", at=1_000_000_000)
    (root / "notes" / "a.md").write_text("Amber and more.\n")
    (root / "notes" / "c.md").write_text("Cedar.\n")
    git("add", ".")
    git("commit", "-q", "-m", "second", at=1_100_000_000)
    return root


def notes(root: Path) -> Collection:
    return Collection("notes", str(root))


def test_each_file_has_the_date_of_its_first_commit(repo: Path) -> None:
    found = GitCommits().first(notes(repo / "notes"))
    first, second = Commit(10**12, "A writer"), Commit(1_100_000_000_000, "A writer")
    assert found == {"a.md": first, "deep/b ä\n.md": first, "c.md": second}


def test_the_revision_changes_with_each_commit_and_however_it_is_kept(repo: Path, git: Git) -> None:
    commits, collection = GitCommits(), notes(repo / "notes")
    first = commits.revision(collection)
    assert first is not None and len(first) == 40
    git("pack-refs", "--all")
    assert commits.revision(collection) == first
    git("commit", "-q", "--allow-empty", "-m", "third")
    assert commits.revision(collection) != first
    git("checkout", "-q", first)
    assert commits.revision(collection) == first


def test_another_working_tree_knows_the_same(repo: Path, git: Git, tmp_path: Path) -> None:
    git("worktree", "add", "-q", "-b", "other", str(tmp_path / "other"))
    there = notes(tmp_path / "other" / "notes")
    assert GitCommits().revision(there) == GitCommits().revision(notes(repo))
    assert GitCommits().first(there)["c.md"].at == 1_100_000_000_000


def test_what_a_shallow_clone_ends_with_is_of_any_age(repo: Path, git: Git, tmp_path: Path) -> None:
    git("clone", "-q", "--depth", "1", f"file://{repo}", str(tmp_path / "clone"), folder=tmp_path)
    assert GitCommits().first(notes(tmp_path / "clone" / "notes")) == {}


def test_the_variables_of_a_git_hook_lead_nowhere_else(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", "/nonexistent")
    monkeypatch.setenv("GIT_WORK_TREE", "/nonexistent")
    assert len(GitCommits().first(notes(repo / "notes"))) == 3


def test_without_a_repository_or_without_git_nothing_is_known(
    tmp_path: Path, repo: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    commits = GitCommits()
    plain = tmp_path / "plain"
    plain.mkdir()
    assert (commits.revision(notes(plain)), commits.first(notes(plain))) == (None, {})
    assert commits.revision(notes(tmp_path / "missing")) is None
    git("init", "-q", folder=plain)
    assert (commits.revision(notes(plain)), commits.first(notes(plain))) == (None, {})
    (plain / ".git" / "HEAD").unlink()
    assert (commits.revision(notes(plain)), commits.first(notes(plain))) == (None, {})
    monkeypatch.setenv("PATH", str(plain))
    assert commits.first(notes(repo)) == {}
