"""Folders of other programs become collections: Engram's, agents' workspaces, hosts' own memory, context files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.importers import foreign

from hearth import open_vault
from hearth.context.notes import is_loaded

Run = Callable[..., Any]


def take(hearth: Run, *arguments: str) -> dict[str, Any]:
    result = hearth("import", *arguments, "--json")
    assert result.code == 0, result.err
    found: dict[str, Any] = json.loads(result.out)
    return found


def hits(hearth: Run, *arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(hearth("query", *arguments, "--json").out)["results"]
    return found


def hashes(root: Path) -> dict[str, str]:
    return {str(file): hashlib.sha256(file.read_bytes()).hexdigest() for file in root.rglob("*") if file.is_file()}


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_engrams_folder_is_a_collection_and_its_memories_are_what_they_are(
    hearth: Run, environ: dict[str, str], tmp_path: Path, newline: str
) -> None:
    place = foreign.engram(tmp_path / "source", newline)
    before = hashes(place)
    told = take(hearth, str(place))
    assert (told["kind"], hashes(place)) == ("engram", before)
    assert told["by_source"] == {
        "memory": {"taken": 3}, "question": {"taken": 1}, "page": {"taken": 2}, "thread": {"taken": 1},
        "summary": {"taken": 1}, "alias": {"taken": 1},
    }  # fmt: skip
    assert told["skipped"] == {"computed anew: Engram's own counts": 1}
    with open_vault(environ=environ) as vault:
        known = {one.document.path.rpartition("/")[2]: one for one in vault.documents()}
        types = {name: one.document.content_type for name, one in known.items()}
        assert types["fact-1738962000000-c3d4.md"] == "decision"
        assert types["correction-1738962000001-zz11.md"] == "correction"
        assert types["person-jane-roe.md"] == "entity" and types["profile.md"] == "profile"
        chosen = known["fact-1738962000000-c3d4.md"]
        assert (chosen.document.trust, chosen.state.access_count) == ("agent", 2)
        assert chosen.document.title == "The larder keeps its orders in PostgreSQL."
    assert take(hearth, str(place))["taken"] == 0


def test_a_superseded_memory_of_engram_no_longer_answers_in_any_collection(hearth: Run, tmp_path: Path) -> None:
    place = foreign.engram(tmp_path / "source")
    assert hearth("bootstrap", str(place), "--setup", "none").code == 0
    found = hits(hearth, "where does the larder keep its orders")
    assert "PostgreSQL" in found[0]["snippet"] and not any("MySQL" in hit["snippet"] for hit in found)
    older = hits(hearth, "where does the larder keep its orders", "--include", "superseded")
    assert any("MySQL" in hit["snippet"] for hit in older)
    assert not any("bakery delivers" in hit["snippet"] for hit in hits(hearth, "which bakery delivers"))


def test_a_workspace_is_read_where_it_stands_or_copied_byte_for_byte(hearth: Run, tmp_path: Path) -> None:
    place = foreign.workspace(tmp_path / "source")
    told = take(hearth, str(place))
    assert (told["kind"], told["by_source"]) == ("workspace", {"file": {"taken": 3}})
    assert set(told["skipped"]) == {"its file is not there", "left to dreaming, which takes them over"}
    assert hits(hearth, "when does the larder ship")[0]["collection"] == "clawd"
    assert hearth("undo", "--run", told["run"]).code == 0 and not hits(hearth, "when does the larder ship")
    run = take(hearth, str(place), "--copy")["run"]
    copied = tmp_path / "data/default/memory/imported/workspace/clawd"
    assert (copied / "memory/2026-03-01.md").read_bytes() == (place / "memory/2026-03-01.md").read_bytes()
    assert hits(hearth, "when does the larder ship")[0]["collection"] == "_hearth"
    assert hearth("undo", "--run", run).code == 0 and not hits(hearth, "when does the larder ship")
    assert (place / "MEMORY.md").exists()


def test_a_collection_that_was_changed_since_stays(hearth: Run, tmp_path: Path) -> None:
    run = take(hearth, str(foreign.workspace(tmp_path / "source")))["run"]
    assert hearth("collection", "set", "clawd", "surface=never").code == 0
    assert "collection clawd was changed since and stays" in hearth("undo", "--run", run).err
    assert "clawd" in hearth("collection", "list").out


@pytest.mark.parametrize("noted", [None, {"path": "/elsewhere"}])
def test_a_collection_that_only_bears_the_name_that_a_run_meant_to_give_stays(
    hearth: Run, tmp_path: Path, notes: Path, noted: object
) -> None:
    assert hearth("collection", "add", str(notes), "--name", "clawd").code == 0
    run = take(hearth, dump_mem0(tmp_path))["run"]
    # As a run leaves it that was killed before it added its collection.
    file = tmp_path / "state/imports" / f"{run}.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({"vault": "default", "collections": {"clawd": noted}}), encoding="utf-8")
    assert "collection clawd was changed since and stays" in hearth("undo", "--run", run).err
    assert "clawd" in hearth("collection", "list").out


def dump_mem0(root: Path) -> str:
    place = root / "mem0.json"
    place.write_text(json.dumps([{"id": "m1", "memory": "The larder has two doors"}]), encoding="utf-8")
    return str(place)


def test_undo_in_another_vault_removes_no_collection_there(hearth: Run, tmp_path: Path) -> None:
    place = foreign.workspace(tmp_path / "source")
    assert hearth("vault", "add", "other").code == 0
    assert hearth("--vault", "other", "collection", "add", str(place), "--name", "clawd").code == 0
    run = take(hearth, str(place))["run"]
    assert hearth("--vault", "other", "undo", "--run", run).code != 0
    assert "clawd" in hearth("--vault", "other", "collection", "list").out
    assert hearth("undo", "--run", run).code == 0


def test_claude_codes_memory_is_read_where_it_stands_with_its_types(
    hearth: Run, environ: dict[str, str], tmp_path: Path
) -> None:
    place = foreign.claude_memory(tmp_path / "source")
    before = hashes(place)
    assert take(hearth, str(place))["by_source"] == {"file": {"taken": 5}}
    assert hashes(place) == before
    with open_vault(environ=environ) as vault:
        [collection] = [one for one in vault.collections if one.origin == "file"]
        assert (collection.name, collection.trust, collection.projects) == (
            "claude-larder-memory", "agent", ("/work/larder",),
        )  # fmt: skip
        types = {one.document.path: one.document.content_type for one in vault.documents()}
        assert {name: types[f"{name}.md"] for name in ("rye", "force", "port", "docs")} == {
            "rye": "preference", "force": "antipattern", "port": "decision", "docs": "note",
        }  # fmt: skip


def test_two_projects_of_one_name_are_both_taken(hearth: Run, tmp_path: Path) -> None:
    for home in ("one", "two"):
        folder = tmp_path / f"claude/projects/-{home}-larder"
        (folder / "memory").mkdir(parents=True)
        (folder / "a.jsonl").write_text(f'["cwd"]\n{{"cwd": "/{home}/larder"}}\n')
        (folder / "memory/rye.md").write_text(f"---\nname: rye\ndescription: Rye\ntype: user\n---\nRye of {home}.\n")
    told = take(hearth, str(tmp_path / "claude"))
    assert told["by_source"] == {"file": {"taken": 2}}
    assert hearth("undo", "--run", told["run"]).code == 0 and "claude-" not in hearth("collection", "list").out


def test_what_two_hosts_remember_alike_is_one_hit(hearth: Run, tmp_path: Path) -> None:
    take(hearth, str(foreign.claude_memory(tmp_path / "source")))
    codex = tmp_path / ".codex/memories"
    (codex / "rollout_summaries").mkdir(parents=True)
    for name, text in (
        ("MEMORY.md", "The user prefers rye bread.\n"),
        ("memory_summary.md", "v1\n"),
        ("raw_memories.md", ""),
    ):
        (codex / name).write_text(text, encoding="utf-8")
    assert take(hearth, str(tmp_path / ".codex"))["kind"] == "codex"
    found = [hit for hit in hits(hearth, "which bread does the user prefer") if "rye bread" in hit["snippet"]]
    assert len(found) == 1


def test_context_files_are_a_collection_hidden_ones_too(hearth: Run, tmp_path: Path) -> None:
    root = tmp_path / "larder"
    (root / ".cursor/rules").mkdir(parents=True)
    (root / "AGENTS.md").write_text("Run the tests with juniper.\n", encoding="utf-8")
    (root / ".cursorrules").write_text("Answer in quince.\n", encoding="utf-8")
    (root / ".cursor/rules/style.mdc").write_text("Indent by medlar.\n", encoding="utf-8")
    (root / ".env").write_text("PASSWORD=damson\n", encoding="utf-8")
    (root / "notes.md").write_text("Something else: sloe.\n", encoding="utf-8")
    told = take(hearth, str(root), "--from", "context")
    assert told["by_source"] == {"file": {"taken": 3}}
    for word in ("juniper", "quince", "medlar"):
        assert hits(hearth, word)[0]["collection"] == "context"
    said = "".join(hit["snippet"] for word in ("damson", "sloe") for hit in hits(hearth, word))
    assert "damson" not in said and "sloe" not in said


@pytest.mark.parametrize(
    ("host", "place", "cwd", "loaded"),
    [
        ("claude-code", "/work/larder/CLAUDE.md", "/work/larder/src", True),
        ("claude-code", "/work/larder/CLAUDE.md", "/work/other", False),
        ("claude-code", "/work/larder/src/CLAUDE.md", "/work/larder", False),
        ("claude-code", "/work/larder/.claude/rules/style.md", "/work/larder", True),
        ("claude-code", "/home/ana/.claude/projects/-work/memory/MEMORY.md", "/work", True),
        ("claude-code", "/home/ana/.claude/projects/-work/memory/rye.md", "/work", False),
        ("codex", "/work/larder/AGENTS.md", "/work/larder", True),
        ("codex", "/work/larder/CLAUDE.md", "/work/larder", False),
        ("cursor", "/work/larder/.cursorrules", "/work/larder", True),
        ("codex", "/work/larder/AGENTS.md", None, False),
    ],
)
def test_hooks_know_what_a_host_loads_itself(host: str, place: str, cwd: str | None, loaded: bool) -> None:
    assert is_loaded(host, place, cwd) is loaded


def test_a_vault_of_notes_is_a_collection(hearth: Run, tmp_path: Path) -> None:
    vault = tmp_path / "My vault"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / "bread.md").write_text("# Bread\n\nRye needs a sourdough.\n", encoding="utf-8")
    told = take(hearth, str(vault))
    assert (told["kind"], hits(hearth, "sourdough")[0]["collection"]) == ("obsidian", "my-vault")
    basic = tmp_path / "basic"
    basic.mkdir()
    head = "---\ntitle: Coffee\ntype: note\npermalink: coffee\n---\n"
    text = f"{head}\n- [method] Pour over. #brewing\n- relates_to [[Tea]]\n"
    (basic / "coffee.md").write_text(text, encoding="utf-8")
    assert take(hearth, str(basic))["kind"] == "basic-memory"


def test_an_older_run_does_not_take_back_what_a_later_one_added(
    hearth: Run, environ: dict[str, str], tmp_path: Path
) -> None:
    place = foreign.engram(tmp_path / "source", "\n")
    first = take(hearth, str(place))["run"]
    name = json.loads(hearth("collection", "list", "--json").out)["collections"][0]["name"]
    assert hearth("collection", "remove", name).code == 0
    second = take(hearth, str(place))["run"]
    assert second != first
    hearth("undo", "--run", first)
    assert hits(hearth, "orders in PostgreSQL")
    assert hearth("undo", "--run", second).code == 0
    assert not hits(hearth, "orders in PostgreSQL")
