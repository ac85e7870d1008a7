from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
KEY = "ghp_" + "x1Y2z3A4b5C6d7E8f9G0h1I2j3K4l5M6n7O8"


def said(result: Any) -> dict[str, Any]:
    assert result.code == 0, result.err
    found: dict[str, Any] = json.loads(result.out)
    return found


def test_a_memory_is_found_by_the_next_search(hearth: Run) -> None:
    done = said(hearth("remember", "We", "chose", "PostgreSQL", "over", "MongoDB", "--type", "decision", "--json"))
    assert (done["action"], done["collection"], done["content_type"]) == ("written", "_hearth", "decision")
    assert Path(done["file"]).read_text("utf-8").endswith("\n\nWe chose PostgreSQL over MongoDB\n")
    hits = said(hearth("query", "why postgresql?", "--json"))["results"]
    assert [hit["docid"] for hit in hits] == [done["docid"]]


def test_it_says_in_one_line_what_was_done_and_where(hearth: Run, tmp_path: Path) -> None:
    first = hearth("remember", "Uses vim", "--type", "preference", "--subject", "editor")
    again = hearth("remember", "Uses vim", "--type", "preference", "--subject", "editor")
    other = hearth("remember", "Uses emacs", "--type", "preference", "--subject", "editor")
    place = first.out.removeprefix("written ")
    assert place.startswith(f"{tmp_path}/data/default/memory/user/preferences/editor-")
    assert again.out == f"duplicate, nothing written: {place}"
    assert other.out == f"revised {place}"


def test_all_options_reach_the_file(hearth: Run) -> None:
    old = said(hearth("remember", "An old way", "--json"))
    options = ["--title", "Head", "--tag", "a", "--tag", "b", "--project", "p", "--session", "s", "--confidence", "0.3"]
    done = said(hearth("remember", "A new way", *options, "--subject", "way", "--supersedes", old["docid"], "--json"))
    text = Path(done["file"]).read_text("utf-8")
    wanted = (
        "title: Head",
        "tags: [a, b]",
        "project: p",
        "session: s",
        "subject: way",
        "confidence: 0.3",
        "expires_at: ",
    )
    assert [line for line in wanted if f"\n{line}" not in text] == []
    assert done["supersedes"] == [old["docid"]]
    assert said(hearth("search", "old way", "--json"))["results"][0]["docid"] == done["docid"]


def test_text_comes_from_standard_input_whole_or_not_at_all(spawn: Run) -> None:
    result = spawn("remember", "-", "--json", stdin="# Ünïcode\n\nzwei Zeilen\n".encode())
    assert json.loads(result.out)["title"] == "Ünïcode"
    large = spawn("remember", "-", stdin=b"x" * 70_000)
    assert (large.code, large.out) == (2, "")
    assert "over 65,536 bytes" in large.err


def test_a_secret_is_taken_out_and_that_is_said(hearth: Run, tmp_path: Path) -> None:
    result = hearth("remember", f"The deploy token is {KEY} until May")
    assert result.err == "1 secret removed\n"
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes()


def test_what_cannot_be_kept_is_an_error_of_one_line(hearth: Run) -> None:
    for arguments in ([], [""], [KEY], ["x", "--type", "hub"], ["x", "--confidence", "2"], ["x", "--supersedes", "no"]):
        result = hearth("remember", *arguments)
        assert result.code in (2, 3) and result.err.count("\n") == 1 and result.out == "", arguments
        assert KEY not in result.err


def test_notes_go_to_today(hearth: Run) -> None:
    first = said(hearth("note", "Baked", "bread", "--json"))
    second = said(hearth("note", "Walked the dog", "--json"))
    assert first["action"] == "appended" and first["path"].startswith("daily/2")
    assert second["docid"] == first["docid"]
    assert said(hearth("query", "dog", "--json"))["results"][0]["docid"] == first["docid"]


def test_a_diary_is_written_and_read_by_agent_and_topic(hearth: Run) -> None:
    said(hearth("diary", "write", "Looked at the parser", "-a", "claude", "-t", "parser", "--json"))
    said(hearth("diary", "write", "Looked at the tests", "--json"))
    entries = said(hearth("diary", "read", "--json"))["entries"]
    assert [entry["text"] for entry in entries] == ["Looked at the tests", "Looked at the parser"]
    result = hearth("diary", "read", "-a", "claude", "-n", "1")
    assert result.out.splitlines()[0].endswith("Z  claude  parser")
    assert result.out.splitlines()[1] == "Looked at the parser"
    assert hearth("diary", "read", "-a", "nobody").err == "no diary entries match\n"


def test_a_lost_index_is_rebuilt_before_anything_is_compared(hearth: Run, tmp_path: Path) -> None:
    first = said(hearth("remember", "Likes tea", "--type", "fact", "--json"))
    for file in (tmp_path / "cache" / "default").glob("index.sqlite*"):
        file.unlink()
    again = said(hearth("remember", "likes tea", "--type", "fact", "--json"))
    assert (again["action"], again["docid"]) == ("duplicate", first["docid"])


def test_an_open_vault_does_not_lose_what_another_process_remembers(
    environ: dict[str, str], spawn: Run, notes: Path
) -> None:
    from hearth import open_vault

    with open_vault() as vault:
        vault.index.sync()
        assert spawn("remember", "The cat sleeps on the stove").code == 0
        vault.index.sync()
        assert [hit.collection for hit in vault.recall("cat on the stove").hits] == ["_hearth"]


def test_no_temporary_files_and_no_revisions_are_ever_indexed(hearth: Run) -> None:
    for editor in ("vim", "emacs"):
        hearth("remember", f"Uses {editor}", "--type", "preference", "--subject", "editor")
    hearth("update")
    assert len(said(hearth("list", "--json"))["documents"]) == 1


def test_a_hand_off_belongs_to_the_project_that_it_is_written_in(
    hearth: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = tmp_path / ("deep" * 60) / "My shop"
    (shop / ".git").mkdir(parents=True)
    monkeypatch.chdir(shop)
    handed = said(hearth("remember", "Half of the import is done", "--type", "handoff", "--json"))
    plain = said(hearth("remember", "The import reads UTF-8", "--json"))
    of_session = said(hearth("remember", "All of the export", "--type", "handoff", "--session", "new", "--json"))
    assert f'project: "{shop}"' in Path(of_session["file"]).read_text("utf-8")
    assert f'project: "{shop}"' in Path(handed["file"]).read_text("utf-8")
    assert "project:" not in Path(plain["file"]).read_text("utf-8")


@pytest.mark.parametrize("named", [".", "jam", "../jam/"])
def test_a_project_is_named_by_its_folder_or_its_last_name(
    hearth: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    jam = tmp_path / "jam"
    jam.mkdir()
    subprocess.run(["git", "init", "-q", str(jam)], check=True)
    monkeypatch.chdir(jam)
    noted = said(
        hearth("remember", "We decided to sterilise every jar", "--type", "decision", "--project", named, "--json")
    )
    other = said(hearth("remember", "The cellar is cold", "--project", "cellar", "--json"))
    assert f'project: "{jam}/.git"' in Path(noted["file"]).read_text("utf-8")
    assert "project: cellar" in Path(other["file"]).read_text("utf-8")
