from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.disk.project import normal_origin, project_of

QUIET = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "PATH": os.environ["PATH"]}
ORIGIN = "https://someone:secret@GitHub.com:443/Owner/repo.git/"


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=n", "-c", "user.email=e@x", "-c", "protocol.file.allow=always")
    subprocess.run(["git", *who, *arguments], cwd=folder, env=QUIET, check=True, capture_output=True)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = (tmp_path / "home").resolve()
    folder.mkdir()
    return folder


def repository(folder: Path, origin: str | None = None) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    if origin:
        git(folder, "remote", "add", "origin", origin)
    return folder


def key(folder: Path, home: Path, given: str | None = None) -> str | None:
    found = project_of(str(folder), str(home), given)
    return None if found is None else found.key


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (ORIGIN, "github.com/Owner/repo"),
        ("git@github.com:Owner/repo.git", "github.com/Owner/repo"),
        ("ssh://git@github.com:2222/Owner/repo", "github.com/Owner/repo"),
        ("git://GITHUB.com//Owner//repo.git", "github.com/Owner/repo"),
        ("github.com:Owner/repo", "github.com/Owner/repo"),
        ("https://host/a/b?token=secret#x", "host/a/b"),
        ("https://[2001:DB8::1]:8443/a", "[2001:db8::1]/a"),
        ("me@[::1]:a/b.git", "[::1]/a/b"),
        ("/srv/git/repo.git", None),
        ("../repo", None),
        ("file:///srv/git/repo", None),
        ("file://host/srv/repo", None),
        ("~/repo", None),
        ("https://host/", None),
        ("https://host/../../etc", None),
        ("https://ho st/a", None),
        ("https://host/a b", None),
        ("ext::sh -c whoami", None),
        ("", None),
    ],
)
def test_an_origin_is_its_host_and_path(url: str, expected: str | None) -> None:
    assert normal_origin(url) == expected


@given(st.text(max_size=200))
def test_no_origin_breaks_it_or_keeps_a_credential(text: str) -> None:
    assert normal_origin(text) is None or normal_origin(text)
    assert "secret" not in (normal_origin(f"https://user:secret@host/{text}") or "").split("/")[0]


def test_all_clones_and_worktrees_of_an_origin_are_one_project(home: Path) -> None:
    first = repository(home / "first", ORIGIN)
    second = repository(home / "second", "git@github.com:Owner/repo.git")
    git(first, "worktree", "add", "-q", str(home / "tree"), "-b", "branch")
    inner = home / "tree" / "deep" / "folder"
    inner.mkdir(parents=True)
    found = project_of(str(inner), str(home))
    assert found is not None
    assert (found.key, found.root, found.by) == ("github.com/Owner/repo", str(home / "tree"), "origin")
    assert key(first, home) == key(second, home) == found.key


def test_worktrees_without_an_origin_share_their_repository(home: Path) -> None:
    first = repository(home / "first")
    git(first, "worktree", "add", "-q", str(home / "tree"), "-b", "branch")
    assert key(home / "tree", home) == key(first, home) == str(first / ".git")
    (home / "link").symlink_to(home / "tree")
    assert key(home / "link", home) == str(first / ".git")


def test_a_worktree_of_a_bare_repository_belongs_to_it(home: Path) -> None:
    git(repository(home / "first"), "clone", "-q", "--bare", ".", str(home / "bare.git"))
    git(home / "bare.git", "worktree", "add", "-q", str(home / "tree"))
    assert key(home / "tree", home) == str(home / "bare.git")


def test_a_submodule_is_a_project_of_its_own(home: Path) -> None:
    library = repository(home / "library")
    outer = repository(home / "outer", "https://host/outer")
    git(outer, "submodule", "add", "-q", str(library), "lib")
    assert key(outer / "lib", home) == str(outer / ".git/modules/lib")
    git(outer / "lib", "remote", "set-url", "origin", "https://host/lib")
    assert (key(outer / "lib", home), key(outer, home)) == ("host/lib", "host/outer")


def test_the_home_folder_and_what_lies_above_is_no_project(home: Path) -> None:
    repository(home / "x")
    git(home, "init", "-q")
    git(home, "remote", "add", "origin", "https://host/dotfiles")
    (home / "docs").mkdir()
    assert [key(folder, home) for folder in (home, home.parent, Path("/"))] == [None, None, None]
    found = project_of(str(home / "docs"), str(home))
    assert found is not None
    assert (found.key, found.by) == (str(home / "docs"), "folder")


def test_a_given_key_wins(home: Path) -> None:
    assert key(repository(home / "x", ORIGIN), home, "my-project") == "my-project"


@pytest.mark.parametrize("folder", ["", "relative", "/nowhere/at/all", "/etc/passwd", "/a\0b", "/" + "x" * 10_000])
def test_what_is_no_folder_is_no_project(home: Path, folder: str) -> None:
    assert project_of(folder, str(home)) is None


def test_a_folder_outside_the_home_is_a_project_of_its_own(home: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    assert key(tmp_path / "elsewhere", home) == str((tmp_path / "elsewhere").resolve())


# -- hostile files ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["gitdir: {victim}/.git", "gitdir: {victim}/.git/worktrees/tree", "gitdir: ../victim/.git\n", "gitdir:"]
)
def test_a_pointer_to_another_repository_does_not_make_it_ones_own(home: Path, text: str) -> None:
    victim = repository(home / "victim", ORIGIN)
    git(victim, "worktree", "add", "-q", str(home / "tree"), "-b", "branch")
    evil = home / "evil"
    evil.mkdir()
    (evil / ".git").write_text(text.format(victim=victim))
    assert key(evil, home) == str(evil)
    assert key(home / "tree", home) == "github.com/Owner/repo"


@pytest.mark.parametrize(
    "data", [b"", b"gitdir: " + b"../" * 4000, b"\0" * 100, b"\xff\xfe", b"gitdir: a\0b", b"x" * 10**7]
)
def test_a_pointer_that_makes_no_sense_is_passed_over(home: Path, data: bytes) -> None:
    folder = home / "odd"
    folder.mkdir()
    (folder / ".git").write_bytes(data)
    assert key(folder, home) == str(folder)


@pytest.mark.timeout(10)
@pytest.mark.parametrize("name", [".git", ".git/HEAD", ".git/config", ".git/commondir"])
def test_a_pipe_in_place_of_a_file_holds_nobody_up(home: Path, name: str) -> None:
    folder = home / "odd"
    (folder / ".git" if "/" in name else folder).mkdir(parents=True)
    if "/" in name:
        (folder / ".git/objects").mkdir()
        (folder / ".git/HEAD").write_text("ref: refs/heads/main\n")
        (folder / name).unlink(missing_ok=True)
    os.mkfifo(folder / name)
    assert key(folder, home) in (str(folder), str(folder / ".git"))


@pytest.mark.timeout(10)
def test_pointers_all_the_way_up_end_soon(home: Path) -> None:
    folder = home
    for _ in range(300):
        folder = folder / "d"
        folder.mkdir()
        (folder / ".git").write_text("gitdir: nowhere")
    found = project_of(str(folder), str(home))
    assert found is not None
    assert (found.root, found.by) == (str(folder), "folder")


def test_a_configuration_may_be_odd_and_huge(home: Path) -> None:
    folder = repository(home / "x")
    config = folder / ".git/config"
    odd = '[remote "origin"]\n[[[\n= \nurl\nURL = "https://host/a.git" ; mine\n\turl = /local\n[remote "other"] url = https://host/b\n'
    config.write_text(odd)
    assert key(folder, home) == "host/a"
    config.write_bytes(odd.encode() + b"#" * 300_000)
    assert key(folder, home) == str(folder / ".git")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("url = https://host/one", "url = https://host/two"), "host/two"),
        (("url = https://host/one", '[remote "other"]', "url = https://host/two"), "host/one"),
        (("url = https://host/one", '[remote "other"]', '[remote "origin"]', "url = https://host/three"), "host/three"),
        (("url = https://host/one", "pushurl = https://host/two"), "host/one"),
    ],
)
def test_of_several_urls_of_an_origin_the_last_counts_as_in_any_configuration_of_git(
    home: Path, lines: tuple[str, ...], expected: str
) -> None:
    folder = repository(home / "x")
    with (folder / ".git/config").open("a", encoding="utf-8") as file:
        file.write("\n".join(('[remote "origin"]', *lines, "")))
    told = subprocess.run(
        ["git", "config", "remote.origin.url"], cwd=folder, capture_output=True, text=True, check=True
    ).stdout
    assert key(folder, home) == expected == told.strip().removeprefix("https://")


def test_a_name_that_is_no_text_makes_a_key_that_can_be_kept(home: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(home) + b"/\xff\n\xe4"))
    folder.mkdir()
    found = key(folder, home)
    assert found is not None
    assert found.isprintable() and found.encode("utf-8")
    deep = home / ("x" * 200) / ("y" * 200) / ("z" * 200)
    deep.mkdir(parents=True)
    longest = key(deep, home)
    assert longest is not None and len(longest) <= 512 and longest != key(deep.parent / ("z" * 199 + "a"), home)
