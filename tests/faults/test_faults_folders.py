"""Folders that can't be written, that are missing, empty, or vanish under a running search."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest


def lock_up(*folders: Path) -> None:
    for folder in folders:
        for place in (folder, *folder.rglob("*")):
            place.chmod(0o555 if place.is_dir() else 0o444)


def unlock(*folders: Path) -> None:
    for folder in folders:
        folder.chmod(0o755)
        for place in folder.rglob("*"):
            place.chmod(0o755 if place.is_dir() else 0o644)


def test_a_read_only_cache_still_answers(indexed: Any, obedient: dict[str, Any]) -> None:
    path, word = next(iter(indexed.markers.items()))
    lock_up(indexed.home / "cache")
    result = indexed.run("search", "--json", word, **obedient).ok()
    assert result.paths() == [path]
    refused = indexed.run("update", **obedient)
    assert str(indexed.cache) in refused.one_line(5)
    assert "waiting for" not in refused.err
    unlock(indexed.home / "cache")
    indexed.check()


def test_what_is_pinned_or_forgotten_beside_a_read_only_index_is_said_to_be_noted(
    indexed: Any, obedient: dict[str, Any]
) -> None:
    (pinned, _), (forgotten, word), *_ = indexed.markers.items()
    lock_up(indexed.home / "cache")
    for command in (("pin", pinned), ("forget", forgotten)):
        line = indexed.run(*command, **obedient).one_line(5)
        assert "the journal has it" in line
        assert str(indexed.cache) in line
    unlock(indexed.home / "cache")
    indexed.run("update").ok()
    assert indexed.run("search", "--json", word).ok().paths() == []
    assert indexed.run("pin", pinned).ok().out.startswith("unchanged")


def test_without_an_index_a_read_only_cache_is_one_clear_line(site: Any, obedient: dict[str, Any]) -> None:
    site.plant(3)
    site.run("init").ok()
    lock_up(site.home / "cache")
    for command in (("update",), ("search", "river"), ("status",)):
        line = site.run(*command, **obedient).one_line(5)
        assert str(site.home / "cache") in line
    unlock(site.home / "cache")


def test_read_only_data_and_state_folders_keep_nobody_from_searching(indexed: Any, obedient: dict[str, Any]) -> None:
    (path, word), *_ = indexed.markers.items()
    changed = indexed.write("n0039.md", "anew")
    lock_up(indexed.home / "data", indexed.home / "state", indexed.home / "config")
    assert indexed.run("search", "--json", word, **obedient).ok().paths() == [path]
    indexed.run("update", **obedient).ok()
    found = indexed.run("search", "--json", indexed.markers[changed.name], **obedient).ok()
    assert found.paths() == [changed.name]
    unlock(indexed.home / "data", indexed.home / "state", indexed.home / "config")


def test_a_cache_that_is_a_file_is_one_clear_line(site: Any) -> None:
    site.plant(3)
    (site.home / "cache").write_text("not a folder", encoding="utf-8")
    assert str(site.home / "cache") in site.run("update").one_line(5)


# -- collections that vanish -------------------------------------------------------------------------------------------


def held(site: Any) -> dict[str, Any]:
    (collection,) = json.loads(site.run("status", "--json").ok().out)["collections"]
    return dict(collection)


@pytest.mark.parametrize("how", ["missing", "empty"])
def test_nothing_is_retired_while_a_folder_is_missing_or_empty(indexed: Any, how: str) -> None:
    away = indexed.home / "away"
    path, word = next(iter(indexed.markers.items()))
    indexed.notes.rename(away)
    if how == "empty":
        indexed.notes.mkdir()
    assert "kept missing documents" in indexed.run("update").ok().err
    assert indexed.run("search", "--json", word).ok().paths() == []
    state = held(indexed)
    assert (state["documents"], state["vanished"]) == (40, 40) and state["held"]
    if how == "missing":
        indexed.run("reindex").one_line(5)
    if indexed.notes.exists():
        indexed.notes.rmdir()
    away.rename(indexed.notes)
    indexed.run("update").ok()
    assert indexed.run("search", "--json", word).ok().paths() == [path]
    indexed.check()
    with indexed.vault() as vault:
        assert vault.status().collections[0].held is None


@pytest.mark.parametrize("mode", [0o000, 0o400, 0o100])
def test_a_folder_that_may_not_be_read_is_held_and_holds_up_no_other(
    indexed: Any, obedient: dict[str, Any], mode: int
) -> None:
    more = indexed.home / "more"
    more.mkdir()
    indexed.run("collection", "add", str(more)).ok()
    (more / "quince.md").write_text("A quince jelly.\n", encoding="utf-8")
    indexed.notes.chmod(mode)
    try:
        assert "Permission denied" in indexed.run("update", **obedient).ok().err
        assert indexed.run("search", "--json", "quince", **obedient).ok().paths() == ["quince.md"]
    finally:
        indexed.notes.chmod(0o755)
    (path, word), *_ = indexed.markers.items()
    assert indexed.run("search", "--json", word).ok().paths() == [path]


def test_half_of_forty_gone_at_once_is_held_until_forced(indexed: Any) -> None:
    gone = sorted(indexed.markers)[:25]
    words = {path: indexed.markers[path] for path in gone}
    for path in gone:
        (indexed.notes / path).unlink()
    result = indexed.run("update").ok()
    assert "25 of 40 files are gone" in result.err
    with indexed.vault() as vault:
        assert vault.status().documents == 40
        assert [vault.recall(word, recipe="keyword").hits for word in words.values()] == [()] * 25
        for path, word in indexed.markers.items():
            if path not in words:
                assert [hit.path for hit in vault.recall(word, recipe="keyword").hits] == [path]
    indexed.run("update", "--force").ok()
    for path in gone:
        del indexed.markers[path]
    indexed.check()


# -- the index goes while it is in use ---------------------------------------------------------------------------------

SEARCHER = """
import json, sys
from hearth.app import open_vault

markers = json.loads(sys.argv[1])
with open_vault() as vault:
    vault.index.sync()
    rounds = 0
    print("ready", flush=True)
    while rounds < int(sys.argv[2]):
        for path, word in markers.items():
            vault.index.freshen()
            hits = vault.recall(word, recipe="hybrid").hits
            if not hits or hits[0].path != path:
                vault.index.sync()  # the index went between the look at the folders and the search
                hits = vault.recall(word, recipe="hybrid").hits
            assert hits and hits[0].path == path, (path, hits)
        rounds += 1
        print(rounds, flush=True)
"""


def lose_the_index(site: Any, rounds: int) -> int:
    """Another process searches in a loop, this one too, while the index is deleted; returns how often it was."""
    some = dict(sorted(site.markers.items())[:4])
    command = [sys.executable, "-c", SEARCHER, json.dumps(some), str(rounds)]
    process = subprocess.Popen(command, env=site.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    site.running.append(process)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    errors: list[bytes] = []
    reader = threading.Thread(target=lambda: errors.append(process.stderr.read() if process.stderr else b""))
    reader.start()
    deleted = 0
    with site.vault() as vault:
        while process.stdout.readline():
            for suffix in ("", "-wal", "-shm"):
                site.index.with_name(site.index.name + suffix).unlink(missing_ok=True)
            deleted += 1
            for path, word in some.items():
                vault.index.sync()
                hits = vault.recall(word).hits
                if not hits:
                    vault.index.sync()
                    hits = vault.recall(word).hits
                assert hits[0].path == path
    process.wait(60)
    reader.join()
    assert (process.returncode, errors[0].decode()[-2000:]) == (0, "")
    site.check()
    return deleted


def test_an_index_deleted_under_two_searching_processes_comes_back(indexed: Any) -> None:
    assert lose_the_index(indexed, 6) >= 6


@pytest.mark.torture
@pytest.mark.timeout(1800)
def test_an_index_deleted_again_and_again_comes_back(indexed: Any) -> None:
    assert lose_the_index(indexed, 150) >= 100


def test_a_whole_cache_folder_deleted_between_commands_comes_back(indexed: Any) -> None:
    path, word = next(iter(indexed.markers.items()))
    shutil.rmtree(indexed.home / "cache")
    assert indexed.run("search", "--json", word).ok().paths() == [path]
    assert indexed.index.exists()
