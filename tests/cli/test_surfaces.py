"""What the command line says to somebody who meets it for the first time."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Result

from hearth import open_vault
from hearth.core.session import BRIEFING, Shown, Sighting, Surfacing

Run = Callable[..., Result]


@pytest.mark.parametrize("words", [(), ("collection",), ("setup",), ("models",)])
def test_a_group_alone_prints_its_help_line_by_line(hearth: Run, words: tuple[str, ...]) -> None:
    result = hearth(*words)
    lines = result.out.splitlines()
    assert lines[0].startswith(f"Usage: hearth {' '.join(words)}".rstrip())
    assert ("Commands:" if words else "Set up:") in lines and len(lines) > 8
    assert result.err == ""


def test_bootstrap_counts_the_files_of_its_own_folder(hearth: Run, vault: Path, tmp_path: Path) -> None:
    other = tmp_path / "pages"
    other.mkdir()
    (other / "one.md").write_text("# One\n\nA page about sourdough.\n", encoding="utf-8")
    assert hearth("bootstrap", str(other)).out.startswith("collection pages: 1 added in ")
    assert hearth("bootstrap", str(other)).out.startswith("collection pages: 1 unchanged in ")


def test_bootstrap_of_an_empty_folder_says_what_to_do(hearth: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = hearth("bootstrap", str(tmp_path / "empty"))
    assert result.code == 0
    assert "put notes there" in result.out and "hearth query" not in result.out
    (tmp_path / "texts").mkdir()
    result = hearth("bootstrap", str(tmp_path / "texts"), "--pattern", "*.txt")
    assert "'*.txt'" in result.out


def test_own_notes_stand_before_a_manual_that_is_kept_to_look_things_up(
    hearth: Run, notes: Path, tmp_path: Path
) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "git-commit.md").write_text("# git commit\n\nCommit staged files to the repository with a message.\n")
    for number in range(4):
        (pages / f"page{number}.md").write_text(f"# page {number}\n\nPrint page {number}.\n", "utf-8")
    (notes / "2026-03-01.md").write_text("# Ours\n\nWhen we commit staged files, the message names the ticket.\n")
    assert hearth("bootstrap", str(pages)).code == 0
    assert hearth("bootstrap", str(notes)).code == 0
    hearth("collection", "surface", "pages", "asked")
    asked = "how do we commit staged files with a message?"
    assert paths(hearth("query", asked, "--json"))[:2] == ["2026-03-01.md", "git-commit.md"]
    assert paths(hearth("query", "git commit", "--json"))[0] == "git-commit.md", "what is asked for by its name"


@pytest.fixture
def tagged(hearth: Run, notes: Path) -> Path:
    (notes / "work").mkdir()
    (notes / "work" / "importer.md").write_text("---\ntags: [work/hearth]\n---\n# Importer\n\nIt reads sourdough.\n")
    (notes / "bread.md").write_text("# Bread\n\nSourdough wants time. #kitchen\n", encoding="utf-8")
    assert hearth("bootstrap", str(notes)).code == 0
    return notes


def paths(result: Result) -> list[str]:
    return [row["path"] for row in json.loads(result.out).get("results", [])]


@pytest.mark.parametrize("command", ["search", "vsearch", "query"])
def test_filters_come_as_options(hearth: Run, tagged: Path, command: str) -> None:
    assert paths(hearth(command, "sourdough", "--tag", "work", "--json")) == ["work/importer.md"]
    assert paths(hearth(command, "sourdough", "--tag", "#kitchen", "--json")) == ["bread.md"]
    assert paths(hearth(command, "sourdough", "--path", "work/", "--json")) == ["work/importer.md"]


def test_a_tag_alone_lists_what_carries_it_or_one_below(hearth: Run, tagged: Path) -> None:
    assert set(paths(hearth("search", "tag:work", "--json"))) == {"work/importer.md"}
    listed = json.loads(hearth("list", "--tag", "work", "--json").out)["documents"]
    assert [row["path"] for row in listed] == ["work/importer.md"]


def test_an_unknown_type_is_refused_with_those_there_are(hearth: Run, tagged: Path) -> None:
    for words in (("search", "type:banana bread"), ("query", "bread", "--type", "banana"), ("list", "--type", "x")):
        result = hearth(*words)
        assert result.code == 2 and "decision" in result.err
    (tagged / "odd.md").write_text("---\ncontent_type: banana\n---\n# Odd\n", encoding="utf-8")
    hearth("update")
    assert "content_type 'banana' is unknown; choose among: decision" in hearth("status").out


def test_documents_are_listed_by_their_last_access(hearth: Run, tagged: Path) -> None:
    first = json.loads(hearth("list", "--json").out)["documents"]
    assert first[0]["accesses"] == 0 and first[0]["last_accessed_at"] is None
    orders = {
        order: [row["path"] for row in json.loads(hearth("list", "--sort", order, "--json").out)["documents"]]
        for order in ("path", "dated", "accessed")
    }
    assert orders["dated"][0] == "daily/2026-03-05.md"
    with open_vault() as opened:
        opened.usage.opened(first[-1]["docid"])
    again = json.loads(hearth("list", "--sort", "accessed", "-n", "1", "--json").out)["documents"]
    assert [row["path"] for row in again] == [first[-1]["path"]] and again[0]["last_accessed_at"] is not None
    assert all(sorted(order) == sorted(orders["path"]) for order in orders.values())


def test_documents_like_one_are_no_unsure_answer(hearth: Run, tagged: Path) -> None:
    result = hearth("similar", "bread.md")
    assert result.code == 0 and result.out and "Closest matches" not in result.err
    assert json.loads(hearth("similar", "bread.md", "--json").out)["confident"] is True


def test_sessions_in_which_nothing_happened_are_not_listed(hearth: Run, vault: Path) -> None:
    with open_vault() as opened:
        opened.sessions.seen(Sighting("empty-one", host="claude-code"))
        opened.sessions.seen(Sighting("busy-one", host="claude-code"))
        opened.usage.surfaced(Surfacing("busy-one", "turn-1", (Shown("0" * 16, 1, 2),), 10))
    assert [row["id"] for row in json.loads(hearth("log", "--json").out)["sessions"]] == ["busy-one"]


def test_a_session_that_was_only_told_a_briefing_is_not_listed(hearth: Run, vault: Path) -> None:
    with open_vault() as opened:
        opened.sessions.seen(Sighting("briefed-one", host="claude-code"))
        opened.usage.surfaced(Surfacing("briefed-one", f"{BRIEFING}1", (Shown("0" * 16, 1, 2),), 10))
        assert opened.sessions.recent()[0].surfaced == 1
    assert json.loads(hearth("log", "--json").out)["sessions"] == []
    assert json.loads(hearth("status", "--json").out)["sessions"] == 0


def test_the_status_counts_types_accesses_and_sessions(hearth: Run, tagged: Path) -> None:
    hearth("remember", "We keep sourdough in the cellar.", "--type", "decision")
    with open_vault() as opened:
        docid = opened.documents()[0].document.docid
        opened.usage.opened(docid)
        opened.sessions.seen(Sighting("busy-one", host="claude-code"))
        opened.usage.surfaced(Surfacing("busy-one", "turn-1", (Shown(docid, 1, 2),), 10))
    told = json.loads(hearth("status", "--json").out)
    assert told["content_types"] == {"note": 2, "decision": 2, "runbook": 1, "daily": 1}
    assert (told["accesses"], told["accessed"], told["sessions"]) == (0, 1, 1)
    shown = " ".join(hearth("status").out.split())
    for part in (
        "types decision 2, note 2, daily 1, runbook 1",
        "1 document read or used, 0 times in answers",
        "sessions 1",
    ):
        assert part in shown


def test_our_own_frontmatter_is_neither_searched_nor_shown(hearth: Run, vault: Path) -> None:
    hearth("remember", "The marmot whistles at noon.", "--session", "s-1", "--type", "fact")
    shown = hearth("search", "marmot").out
    assert "whistles" in shown and "session:" not in shown and "created_by" not in shown
    assert "marmot" not in hearth("search", "created_by machine scope").out


@pytest.mark.parametrize("words", ["tomorrow", "today", "Yesterday"])
def test_a_day_may_be_named_by_its_word(hearth: Run, tagged: Path, words: str) -> None:
    result = hearth("query", "bread", "--until", words, "--json")
    assert result.code == 0
    assert paths(result) == (["daily/2026-03-05.md"])
