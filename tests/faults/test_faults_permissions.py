"""Another user of the same machine reads nothing of what Hearth keeps, whatever the umask."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

NOBODY = 65534
# Readable for everybody where it is made, as a home with mode 0755 is.
_OPEN = ("notes", "home")


@pytest.fixture
def outside(site: Any, forks: Any) -> Iterator[Any]:
    """The site in a folder that others can enter: a test's own is closed to them."""
    folder = Path(tempfile.mkdtemp(prefix="hearth-open-", dir="/tmp"))
    folder.chmod(0o755)
    made = type(site)(folder, forks)
    made.notes.chmod(0o755)
    (folder / "home").mkdir(mode=0o755)
    yield made
    for process in made.running:
        made.kill(process)
    shutil.rmtree(folder)


def readable(root: Path) -> list[str]:
    """What user ``nobody`` can list or read below the folder, tried for real by a process of that user."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            found: list[str] = []
            waiting = [root]
            while waiting:
                path = waiting.pop()
                try:
                    if path.is_dir():
                        waiting += list(path.iterdir())
                    else:
                        with path.open("rb") as file:
                            file.read(1)
                    found.append(str(path.relative_to(root)))
                except OSError:
                    continue
            os.write(write, json.dumps(found).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as answer:
        data = answer.read()
    os.waitpid(child, 0)
    return [name for name in json.loads(data) if name != "." and name.split("/")[0] not in _OPEN]


def open_to_others(root: Path) -> list[str]:
    """By their bits, also where a closed folder is in the way of reading."""
    found = [path for path in root.rglob("*") if path.lstat().st_mode & 0o077 and not path.is_symlink()]
    names = [path.relative_to(root).as_posix() for path in found]
    return [name for name in names if name.split("/")[0] not in _OPEN]


def use(site: Any, bits: int) -> None:
    """Every kind of file that Hearth writes."""
    site.plant(6)
    (site.home / "home" / ".claude").mkdir()
    (site.home / "home" / ".claude" / "settings.json").write_text('{"env": {"KEY": "v"}}\n', encoding="utf-8")
    out = site.home / "export.jsonl"
    given = {"umask": bits}
    site.run("init", **given).ok()
    site.run("bootstrap", str(site.notes), **given).ok()
    site.run("config", "set", "search.mmr", "true", **given).ok()
    site.run("remember", "We decided to use PostgreSQL for the larder", **given).ok()
    site.run("diary", "write", "A day with rain", **given).ok()
    site.run("pin", "n0001.md", **given).ok()
    site.run("query", "river and coffee", **given).plain()
    site.run("reindex", "--force", **given).ok()
    site.run("export", "-o", str(out), **given).ok()
    site.run("setup", "claude-code", **given).plain()
    event = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "coffee at the river", "cwd": "/"}
    site.run("hook", "context-surfacing", stdin=json.dumps(event).encode(), **given).plain()
    site.run("purge", "--yes", "n0002.md", **given).plain()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("bits", [0o022, 0o000])
def test_another_user_reads_nothing_of_what_hearth_keeps(outside: Any, bits: int) -> None:
    use(outside, bits)
    assert readable(outside.home) == []
    assert open_to_others(outside.home) == []
    kept = {path.name for path in outside.home.rglob("*") if path.is_file()}
    assert {"index.sqlite", "embeddings.sqlite", "config.yaml", "export.jsonl", "settings.json.before-hearth"} <= kept


def opened(site: Any) -> None:
    """As versions before left it, or somebody's ``chmod -R``."""
    for name in ("data", "cache", "state"):
        for path in (site.home / name, *(site.home / name).rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_what_an_earlier_version_left_open_is_closed_at_the_next_command_and_said(outside: Any) -> None:
    use(outside, 0o022)
    opened(outside)
    assert "cache/default/index.sqlite" in readable(outside.home)
    said = outside.run("status").ok().err
    assert "other users could read" in said and "only you can now" in said
    assert readable(outside.home) == []
    assert open_to_others(outside.home) == []
    assert outside.run("status").ok().err == ""
    assert (outside.notes.stat().st_mode & 0o777, (outside.notes / "n0001.md").stat().st_mode & 0o777) == (0o755, 0o644)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_folder_of_settings_that_was_opened_is_closed_and_said_and_the_file_in_it_keeps_its_mode(
    outside: Any,
) -> None:
    use(outside, 0o022)
    config = outside.home / "config"
    (config / "config.yaml").chmod(0o644)
    config.chmod(0o755)
    said = outside.run("status").ok().err
    assert "other users could read" in said and str(config) in said
    assert readable(outside.home) == []
    assert ((config.stat().st_mode & 0o777), (config / "config.yaml").stat().st_mode & 0o777) == (0o700, 0o644)
    assert outside.run("status").ok().err == ""


def permissions(site: Any) -> list[dict[str, str]]:
    found = json.loads(site.run("doctor", "--json").plain().out)["findings"]
    return [row for row in found if row["check"] == "permissions"]


def test_doctor_says_what_was_open_and_that_nothing_is_any_more(indexed: Any) -> None:
    indexed.run("remember", "We decided to use PostgreSQL for the larder").ok()
    assert [row["level"] for row in permissions(indexed)] == ["ok"]
    (file,) = (indexed.data / "memory").rglob("*.md")
    file.chmod(0o644)
    (warned,) = permissions(indexed)
    assert warned["level"] == "warn" and str(file) in warned["message"]
    assert [row["level"] for row in permissions(indexed)] == ["ok"]
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_vault_opened_from_python_or_by_a_hook_is_closed_to_others_too(indexed: Any) -> None:
    opened(indexed)
    with indexed.vault():
        assert open_to_others(indexed.home / "cache") == []
    said = (indexed.home / "state" / "hooks.log").read_text(encoding="utf-8")
    assert said.count("other users could read") == 1 and "only you can now" in said


@pytest.mark.skipif(importlib.util.find_spec("usearch") is None or sys.platform == "win32", reason="needs usearch")
def test_a_graph_of_vectors_is_its_owners_alone(tmp_path: Path) -> None:
    import numpy as np

    from hearth.ports import VectorBlock
    from hearth.store.sqlite.vectors import HnswFolder

    former = os.umask(0)
    try:
        rng = np.random.default_rng(1)
        vectors = rng.integers(-127, 127, (50, 8), dtype=np.int8)
        block = VectorBlock(np.arange(50), np.arange(50), vectors, np.ones(50, np.float32))
        HnswFolder(tmp_path)._publish(tmp_path / "hnsw-a-1.1.usearch", block, lambda done: None)
    finally:
        os.umask(former)
    assert (tmp_path / "hnsw-a-1.1.usearch").stat().st_mode & 0o777 == 0o600
