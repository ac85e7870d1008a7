"""Many processes over one vault: nobody is told that something is locked, nobody gets half an answer."""

from __future__ import annotations

import json
import os
import threading
from typing import Any

import pytest

from hearth.core.files import locked


def finished(site: Any, processes: list[Any]) -> list[Any]:
    results = [site.end(process).plain() for process in processes]
    for result in results:
        assert "locked" not in result.err and "busy" not in result.err, result.err
    return results


def cold_open(site: Any, count: int) -> None:
    site.plant(10)
    site.run("init").ok()
    config = site.home / "config" / "config.yaml"
    config.write_text(f"collections:\n  notes: {{path: {site.notes}}}\n", encoding="utf-8")
    words = list(site.markers.items())
    processes = [site.start("search", "--json", words[number % 10][1]) for number in range(count)]
    for number, result in enumerate(finished(site, processes)):
        assert result.ok().paths()[:1] == [words[number % 10][0]], result.err
    assert [name for name in site.cache_files() if name.startswith("index.sqlite.corrupt")] == []
    assert len([name for name in site.cache_files() if name.endswith("index.sqlite")]) == 1
    site.check()


def churn(site: Any, rounds: int) -> int:
    """Two processes update and ten search while files change; returns how many processes ran."""
    site.plant(40)
    site.run("bootstrap", str(site.notes)).ok()
    steady = sorted(site.markers.items())[20:]
    processes = 0
    for round_ in range(rounds):
        stop = threading.Event()

        def keep_changing(round_: int = round_, stop: threading.Event = stop) -> None:
            version = 0
            while not stop.wait(0.02):
                version += 1
                for number in range(version % 5, 20, 5):
                    site.write(f"n{number:04}.md", round_, version, more="basalt " * (version % 300))

        changer = threading.Thread(target=keep_changing)
        changer.start()
        try:
            updates = [site.start("update", "--json") for _ in range(2)]
            searches = [(path, site.start("search", "--json", word)) for path, word in steady[:5]]
            searches += [(f"n{n:04}.md", site.start("search", "--json", f"about n{n:04}")) for n in range(5)]
            for result in finished(site, updates):
                assert json.loads(result.ok().out)["held"] == {}
            for (path, _), result in zip(searches, finished(site, [p for _, p in searches]), strict=True):
                assert path in result.ok().paths(), result.err
        finally:
            stop.set()
            changer.join()
        site.check()
        processes += 12
    site.doctor()
    return processes


def test_eight_processes_open_a_new_vault_at_once(site: Any) -> None:
    cold_open(site, 8)


def test_two_update_and_ten_search_while_files_change(site: Any) -> None:
    assert churn(site, 1) == 12


@pytest.mark.torture
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("round_", range(10))
def test_many_processes_open_a_new_vault_at_once(site: Any, round_: int) -> None:
    cold_open(site, 8 + round_)


@pytest.mark.torture
@pytest.mark.timeout(1800)
def test_many_rounds_of_updates_and_searches_while_files_change(site: Any) -> None:
    churn(site, 15)


def test_an_update_that_has_to_wait_names_who_is_scanning(indexed: Any) -> None:
    with locked(indexed.cache / "sync.lock"):
        waiting = indexed.start("update")
        first = waiting.stderr.readline().decode()
    assert f"waiting for process {os.getpid()}" in first
    indexed.end(waiting).plain().ok()
