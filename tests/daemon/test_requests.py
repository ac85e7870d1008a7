"""What the daemon can be asked, in this process and without a socket."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hearth import __version__
from hearth.app import settings
from hearth.app.opened import OpenVault
from hearth.app.pool import VaultPool
from hearth.config import Daemon
from hearth.core.errors import ConfigError
from hearth.daemon.followers import Durability, Followers
from hearth.daemon.requests import PooledVaults, Requests
from hearth.daemon.run import _over, lifetime
from hearth.daemon.server import BUSY
from hearth.daemon.stub.call import build


@pytest.fixture
def followers(indexed_home: Any) -> Iterator[Followers]:
    made = Followers(VaultPool(environ=indexed_home.environ))
    made.start()
    yield made
    made.close()
    made.pool.close()


@pytest.fixture
def requests(followers: Followers) -> Requests:
    return Requests(followers, "agreed", lambda: None)


def opened(followers: Followers) -> OpenVault:
    with followers.pool.use() as found:
        return found


def hook(home: Any, **given: Any) -> dict[str, Any]:
    request = {
        "op": "hook",
        "name": "context-surfacing",
        "host": "claude-code",
        "version": build(),
        "hash": "agreed",
    }
    return {**request, "env": {}, "deadline_ms": 5_000, "input": home.prompt().decode(), **given}


def test_a_hook_is_answered(indexed_home: Any, requests: Requests) -> None:
    reply = requests(hook(indexed_home), time.monotonic())
    assert set(reply.body) == {"output"} and "joins matter more" in reply.body["output"]
    assert reply.after is not None
    reply.after.work()
    reply.after.end()


def test_who_wants_to_know_is_told_why(indexed_home: Any, requests: Requests) -> None:
    body = requests(hook(indexed_home, explain=True, input="[]"), time.monotonic()).body
    assert body["output"] == "" and "not a JSON object" in body["reason"] and body["vault"] is None


@pytest.mark.parametrize(
    ("given", "refused"),
    [
        ({"version": "0.0.1"}, "version"),
        ({"version": None}, "version"),
        ({"hash": "other"}, "settings"),
        ({"op": "query"}, "operation"),
    ],
)
def test_callers_that_do_not_agree_are_refused(
    indexed_home: Any, requests: Requests, given: dict[str, Any], refused: str
) -> None:
    used = requests.used
    assert requests(hook(indexed_home, **given), time.monotonic()).body["refused"] == refused
    assert requests.used == used  # else they would keep it from ending


@pytest.mark.parametrize("deadline", [0, -5, None, "soon", True])
def test_without_time_left_it_is_busy(indexed_home: Any, requests: Requests, deadline: Any) -> None:
    assert requests(hook(indexed_home, deadline_ms=deadline), time.monotonic()).body is BUSY


def test_time_in_the_queue_counts(indexed_home: Any, requests: Requests) -> None:
    assert requests(hook(indexed_home, deadline_ms=1_000), time.monotonic() - 2).body is BUSY


def test_the_status_says_what_it_holds(indexed_home: Any, followers: Followers, requests: Requests) -> None:
    opened(followers)
    body = requests({"op": "status"}, time.monotonic()).body
    assert body["version"] == __version__
    assert [vault["vault"] for vault in body["vaults"]] == ["default"]
    jobs = ["capture", "beads", "embed", "relate", "names", "notice", "consolidate", "dream", "profile", "summaries"]
    jobs += ["synthesis", "identity", "notes", "threads", "curate"]
    assert [job["job"] for job in body["vaults"][0]["jobs"]] == jobs
    assert body["memory_kib"] > 1_000 and body["descriptors"] > 3


def test_changed_settings_open_the_vaults_anew(indexed_home: Any, followers: Followers) -> None:
    with followers.pool.use() as before:
        assert opened(followers) is before
        indexed_home.configure("search: {mmr: false}\n")
        assert PooledVaults(followers.pool).config({}).search.mmr is False
        assert opened(followers) is not before
        assert before.vault.status().documents == 1  # still usable by who was at it


def test_with_settings_that_can_not_be_read_hooks_go_by_the_former_ones(
    indexed_home: Any, followers: Followers, requests: Requests
) -> None:
    before = opened(followers)
    indexed_home.configure("search: {mmr: [\n")
    assert "joins matter more" in requests(hook(indexed_home), time.monotonic()).body["output"]
    assert opened_by_former(followers) is before
    followers.tick()
    assert "config.yaml" in requests({"op": "status"}, time.monotonic()).body["problem"]
    with pytest.raises(ConfigError), followers.pool.use():
        pass  # who can be told is


def opened_by_former(followers: Followers) -> OpenVault:
    with followers.pool.use(former=True) as found:
        return found


def test_changed_settings_leave_no_folder_unwatched(
    indexed_home: Any, followers: Followers, until: Callable[..., None]
) -> None:
    before = opened(followers)
    indexed_home.configure("search: {mmr: false}\n")

    def reopened() -> bool:
        followers.tick()
        return any(row["vault"] == "default" and row["scans"] for row in followers.status())

    until(lambda: PooledVaults(followers.pool).config({}).search.mmr is False)
    until(reopened)
    assert opened(followers) is not before


def test_without_a_watch_the_next_question_finds_what_was_written(
    indexed_home: Any, followers: Followers, requests: Requests, until: Callable[..., None]
) -> None:
    indexed_home.configure("sync: {watch: false}\n")
    opened(followers)
    until(lambda: [row["scans"] for row in followers.status()] == [1])
    [follower] = followers._present()
    until(lambda: not follower._threads[0].is_alive())
    (indexed_home.notes / "kiln.md").write_text("# Kiln\n\nThe kiln burns at noon.\n", encoding="utf-8")
    asked = {"op": "call", "operation": "search", "arguments": {"query": "kiln noon"}, "deadline_ms": 9_000}
    reply = requests({**asked, "version": build(), "hash": "agreed"}, time.monotonic())
    assert [row["path"] for row in reply.body["result"]["results"]][:1] == ["kiln.md"]


def test_a_vault_that_is_wanted_is_opened_and_one_that_is_gone_is_not_asked_for_for_ever(
    indexed_home: Any, followers: Followers, until: Callable[..., None]
) -> None:
    followers.want(["default", "gone"])

    def settled() -> bool:
        followers.tick()
        return [row["vault"] for row in followers.status()] == ["default"] and "vault gone" in str(
            followers.pool.log.last(5)
        )

    until(settled)


def test_a_service_opens_a_vault_that_is_added_later(
    indexed_home: Any, followers: Followers, until: Callable[..., None]
) -> None:
    def names() -> set[str]:
        followers.tick()
        return {row["vault"] for row in followers.status()}

    followers.want_all()
    until(lambda: names() == {"default"})
    indexed_home.configure("vaults: {work: {}}\n")
    until(lambda: names() == {"default", "work"})


def test_opening_a_vault_does_not_hold_up_the_tick(indexed_home: Any) -> None:
    inside, go = threading.Event(), threading.Event()

    def slow() -> tuple[Any, ...]:
        inside.set()
        go.wait(20)
        return ()

    followers = Followers(VaultPool(environ=indexed_home.environ), slow)
    followers.start()
    opener = threading.Thread(target=lambda: opened(followers))
    opener.start()
    assert inside.wait(20)
    ticked = threading.Thread(target=followers.tick)
    ticked.start()
    ticked.join(5)
    held = ticked.is_alive()
    go.set()
    opener.join(20)
    ticked.join(20)
    followers.close()
    followers.pool.close()
    assert not held


def test_what_the_journal_gained_is_synced_once(indexed_home: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    fsync = os.fsync

    def spy(handle: int) -> None:
        synced.append(str(Path(f"/proc/self/fd/{handle}").readlink()))
        fsync(handle)

    assert indexed_home.hearth("pin", "0001-postgres.md").code == 0
    durability = Durability(settings(environ=indexed_home.environ))
    monkeypatch.setattr(os, "fsync", spy)
    durability.settle()
    durability.settle()
    assert len(synced) == durability.syncs == 1 and "/journal/" in synced[0]


def test_the_idle_time_comes_from_the_settings() -> None:
    assert lifetime(Daemon(), stay=False) == 1_800
    assert lifetime(Daemon(idle_minutes=5), stay=False) == 300
    assert lifetime(Daemon(idle_minutes=5), stay=True) is None
    assert lifetime(Daemon(mode="external"), stay=False) is None


def test_an_idle_daemon_ends_and_a_used_one_does_not(
    indexed_home: Any, followers: Followers, requests: Requests
) -> None:
    indexed_home.configure("daemon: {idle_minutes: 2}\n")
    followers.pool.settings()
    assert not _over(followers, requests, lambda: True, stay=False)
    requests.used = time.monotonic() - 121
    assert not _over(followers, requests, lambda: True, stay=True)
    assert _over(followers, requests, lambda: True, stay=False)
    requests(hook(indexed_home), time.monotonic())
    assert not _over(followers, requests, lambda: True, stay=False)
    assert _over(followers, requests, lambda: False, stay=True)
