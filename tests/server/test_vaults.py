"""VaultPool of a server: by name, kept apart, opened anew with new settings, never rebuilt inside."""

from __future__ import annotations

import json
import signal
import threading
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.server.answers import Ask, data, refused

from hearth import app
from hearth.app import open_vault
from hearth.app.opened import Freshness
from hearth.app.pool import VaultPool
from hearth.app.rebuild import Rebuilder
from hearth.core.errors import NotFound, Unavailable
from hearth.server.mcp.tool import tools

WORDS = {"default": "restic", "work": "zanzibar"}
READ: dict[str, dict[str, Any]] = {
    "memory_retrieve": {"query": "{word} notes of last month"},
    "search": {"query": "{word}"},
    "vsearch": {"query": "{word}"},
    "query": {"query": "{word}"},
    "get": {"reference": "{path}"},
    "multi_get": {"pattern": "*"},
    "find_similar": {"reference": "{path}"},
    "timeline": {"reference": "{path}"},
    "memory_pin": {"reference": "{path}"},
    "memory_forget": {"reference": "{path}"},
    "memory_snooze": {"reference": "{path}", "days": 1},
    "lifecycle_restore": {"reference": "{path}"},
    "diary_read": {},
    "session_log": {},
    "lifecycle_status": {},
    "lifecycle_sweep": {},
    "status": {},
    "index_stats": {},
    "update": {},
    "vault_sync": {},
    "memory_search": {"query": "{word}"},
    "memory_get": {"path": "{path}"},
    "memory_context": {"message": "what do we know about {word}?"},
    "profile": {"rebuild": True},
    "memory_questions": {},
    "memory_entities": {"name": "{word}"},
    "memory_names": {"action": "split", "name": "{word}"},
    "build_graphs": {},
    "kg_query": {"name": "{word}"},
    "memory_history": {"reference": "{path}"},
    "memory_review": {},
    "memory_incognito": {},
    "memory_commitments": {},
    "memory_consolidate": {},
    "dream": {"action": "dry-run"},
    "reflect": {"days": 3650},
    "curate": {},
    "query_plan": {"query": "{word}"},
    "intent_search": {"query": "why {word}"},
    "find_causal_links": {"reference": "{path}"},
    "memory_evolution_status": {"reference": "{path}"},
}
PATHS = {"default": "runbooks/restore.md", "work": "payroll.md"}


@pytest.mark.parametrize(("mine", "other"), [("default", "work"), ("work", "default")])
def test_no_tool_of_one_vault_returns_anothers_text(ask: Ask, mine: str, other: str) -> None:
    for name in ("default", "work"):
        ask("diary_write", entry=f"The diary of {WORDS[name]}.", vault=name)
    for name in tools():
        if name not in READ:
            continue
        arguments = json.loads(json.dumps(READ[name]).replace("{word}", WORDS[other]).replace("{path}", PATHS[other]))
        said = ask(name, arguments, vault=mine).model_dump_json()
        # Only what was asked for may come back, in the words of the question.
        for word in arguments.values():
            said = said.replace(str(word), "")
        assert WORDS[other] not in said, name
        assert PATHS[other].rsplit("/")[-1] not in said, name
    assert set(tools()) - set(READ) == {
        "beads_sync",
        "memory_store",
        "memory_undo",
        "memory_capture",
        "diary_write",
        "list_vaults",
        "hearth",
    }


def test_memories_stay_in_their_vault(ask: Ask) -> None:
    data(ask("memory_store", content="The okapi password rotates on Mondays.", vault="work"))
    assert data(ask("search", query="okapi", vault="work"))["results"]
    assert data(ask("search", query="okapi"))["results"] == []


def test_a_vault_is_opened_when_first_asked_for(vaults: VaultPool) -> None:
    assert vaults.default == "default"
    assert vaults.names() == ("default", "work")
    with pytest.raises(NotFound), vaults.use("nowhere"):
        pass
    with vaults.use("work") as first, vaults.use("work") as second:
        assert first is second
        assert first.name == "work"


def test_new_settings_are_taken_up_and_the_old_vault_closes_with_its_last_user(
    vaults: VaultPool, tmp_path: Path
) -> None:
    config = tmp_path / "config" / "config.yaml"
    with vaults.use() as before:
        (tmp_path / "more").mkdir()
        (tmp_path / "more" / "new.md").write_text("# New\n\nThe pangolin curls up.\n")
        config.write_text(config.read_text().replace("vaults:", f'  more: {{path: "{tmp_path}/more"}}\nvaults:', 1))
        with vaults.use() as after:
            assert after is not before
            assert after.fresh() == []
            assert after.vault.recall("pangolin").hits[0].path == "new.md"
        assert before.vault.recall("restic").hits
    with pytest.raises(Unavailable), vaults.use():
        vaults.close()
        with vaults.use():
            pass


def test_changed_files_are_found_by_the_next_question(ask: Ask, environ: dict[str, str], tmp_path: Path) -> None:
    index = tmp_path / "cache" / "default" / "index.sqlite"
    (tmp_path / "notes" / "new.md").write_text("# New\n\nThe pangolin curls up.\n")
    with apsw.Connection(str(index)) as connection:
        connection.execute("UPDATE collections SET scanned_at = 0")
    assert [row["path"] for row in data(ask("search", query="pangolin"))["results"]] == ["new.md"]


def test_a_stale_index_answers_empty_and_is_rebuilt_by_another_process(
    vaults: VaultPool, ask: Ask, environ: dict[str, str], tmp_path: Path
) -> None:
    index = tmp_path / "cache" / "default" / "index.sqlite"
    with apsw.Connection(str(index)) as connection:
        connection.execute("UPDATE meta SET value = 'of another version' WHERE key = 'fingerprint'")
    refused(ask("get", reference="restore.md"), "rebuilding")
    rebuilding = vaults.rebuilder._started["default"].process
    rebuilding.send_signal(signal.SIGSTOP)
    for name in ("search", "vsearch", "query", "memory_retrieve"):
        found = data(ask(name, query="restic"))
        assert (found["results"], found["reason"]) == ([], "rebuilding")
        assert "Not searched: the index is being rebuilt" in found["text"]
        assert "Nothing found" not in found["text"]
    assert "ask again" in refused(ask("get", reference="restore.md"), "rebuilding")
    refused(ask("memory_store", content="Not now."), "rebuilding")
    refused(ask("reindex"), "rebuilding")
    assert data(ask("status"))["rebuilding"] is True
    rebuilding.send_signal(signal.SIGCONT)
    assert rebuilding.wait(60) == 0
    with open_vault(environ=environ) as vault:
        assert not vault.index.is_stale()
        assert vault.recall("restic").hits


def stale_without_its_folder(tmp_path: Path) -> None:
    (tmp_path / "notes").rename(tmp_path / "gone")
    with apsw.Connection(str(tmp_path / "cache" / "default" / "index.sqlite")) as connection:
        connection.execute("UPDATE meta SET value = 'of another version' WHERE key = 'fingerprint'")


def test_a_rebuild_that_failed_says_why_in_every_answer(vaults: VaultPool, ask: Ask, tmp_path: Path) -> None:
    stale_without_its_folder(tmp_path)
    assert "rebuilding" in refused(ask("get", reference="restore.md"), "rebuilding")
    assert vaults.rebuilder._started["default"].process.wait(60) != 0
    for _ in range(2):
        said = refused(ask("get", reference="restore.md"), "unavailable")
        assert "4 documents would be lost; bring the folder back" in said
        assert "a person runs: hearth reindex --force" in said
    found = data(ask("memory_retrieve", query="restic"))
    assert "Not searched: the index can't be rebuilt." in found["text"]
    assert "bring the folder back" in found["remarks"][0]
    assert "bring the folder back" in found["text"]
    assert "bring the folder back" in data(ask("status"))["text"]
    assert "not searched" in data(ask("memory_context", message="How do we restore the backup?"))["text"]
    (tmp_path / "gone").rename(tmp_path / "notes")
    with open_vault(environ=dict(vaults.settings().environ)) as vault:
        vault.index.sync()
    vaults._open["default"]._since = 0.0
    assert data(ask("search", query="restic"))["results"]


def test_a_rebuild_that_fails_is_tried_again_ever_more_seldom(environ: dict[str, str], tmp_path: Path) -> None:
    now = [0.0]
    rebuilder = Rebuilder(lambda: now[0])
    settings = app.settings(None, environ=environ)
    stale_without_its_folder(tmp_path)
    began = []
    for _ in range(4):
        rebuilder.ask(settings)
        rebuilder._started["default"].process.wait(60)
        began.append(now[0])
        process = rebuilder._started["default"].process
        while rebuilder._started["default"].process is process:
            now[0] += 30
            assert now[0] < 10_000
            last = rebuilder.ask(settings)
            assert (last.code, "bring the folder back" in str(last)) == ("unavailable", True)
    assert began == [0, 60, 180, 420]
    rebuilder._started["default"].process.wait(60)
    rebuilder.close()


def test_an_answer_does_not_wait_for_a_long_scan(environ: dict[str, str], tmp_path: Path) -> None:
    stopping = threading.Event()
    vault = open_vault(environ=environ)
    for number in range(3_000):
        (tmp_path / "notes" / f"n{number}.md").write_text(f"# Note {number}\n\nCapybara {number}.\n")
    with apsw.Connection(str(tmp_path / "cache" / "default" / "index.sqlite")) as connection:
        connection.execute("UPDATE collections SET scanned_at = 0")
    fresh = Freshness(vault, stopping, patience=0.0)
    [remark] = fresh.look()
    assert "still being scanned" in remark
    assert vault.recall("restic").hits
    fresh.close()
    assert fresh._pool is not None
    fresh._pool.shutdown()  # waits for what runs: a scan whose vault is closed ends at its next file
    with open_vault(environ=environ) as again:
        assert again.recall("restic").hits
        assert again.status().documents < 3_000


def test_folders_that_can_not_be_read_are_told_in_the_answer(ask: Ask, environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "notes").rename(tmp_path / "gone")
    with apsw.Connection(str(tmp_path / "cache" / "default" / "index.sqlite")) as connection:
        connection.execute("UPDATE collections SET scanned_at = 0")
    found = data(ask("search", query="restic"))
    assert found["remarks"]
    assert "Note: " in found["text"]
