from __future__ import annotations

import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hearth import open_vault

Run = Callable[..., object]
RESULT = {
    "docid",
    "collection",
    "path",
    "start_line",
    "end_line",
    "title",
    "score",
    "content_type",
    "authored_at",
    "modified_at",
    "fragment",
    "snippet",
}


def on_terminal(environ: dict[str, str], *arguments: str, **variables: str) -> str:
    """What a command prints to a terminal."""
    parent, child = pty.openpty()
    command = [sys.executable, "-m", "hearth", *arguments]
    process = subprocess.Popen(
        command, env=environ | {"TERM": "xterm-256color"} | variables, stdout=child, stderr=child
    )
    os.close(child)
    shown = b""
    try:
        while chunk := os.read(parent, 65_536):
            shown += chunk
    except OSError:  # Linux says so when the other end is closed
        pass
    os.close(parent)
    assert process.wait(timeout=100) == 0
    return shown.decode("utf-8")


@pytest.mark.parametrize("command", ["search", "query"])
def test_a_budget_does_not_bring_more_results_than_asked_for(hearth: Run, notes: Path, command: str) -> None:
    for number in range(12):
        (notes / f"amber-{number}.md").write_text(f"Amber fact {number} stands in a note of its own.\n", "utf-8")
    assert hearth("bootstrap", str(notes)).code == 0
    asked = (command, "amber fact", "--budget", "4000", "--json")
    assert len(json.loads(hearth(*asked, "-n", "20").out)["results"]) > 5
    assert len(json.loads(hearth(*asked, "-n", "2").out)["results"]) == 2


@pytest.mark.parametrize("command", ["search", "vsearch", "query"])
def test_each_kind_of_search_finds_the_note(hearth: Run, vault: Path, command: str) -> None:
    result = hearth(command, "why", "PostgreSQL", "over", "MongoDB", "--json")
    answer = json.loads(result.out)
    assert result.code == 0
    assert answer["recipe"] == {"search": "keyword", "vsearch": "semantic", "query": "hybrid"}[command]
    assert answer["results"][0]["path"] == "decisions/0001-postgres.md"


def test_json_has_exactly_the_fields_of_the_contract(hearth: Run, vault: Path) -> None:
    answer = json.loads(hearth("query", "restore a backup", "--json").out)
    assert set(answer) == {"query", "recipe", "took_ms", "missing", "reason", "confident", "confidence", "results"}
    assert 0 <= answer["confidence"] <= 1 and set(answer["results"][0]) == RESULT
    full = json.loads(hearth("query", "restore a backup", "--json", "--full", "--explain").out)["results"][0]
    assert {"text", "explain"} <= set(full)
    assert set(full["explain"]) == {"lanes", "fused", "stages"}


def test_json_without_results_is_still_the_whole_answer(hearth: Run, vault: Path) -> None:
    result = hearth("search", "zzqqxx", "--json")
    answer = json.loads(result.out)
    assert (result.code, answer["results"]) == (0, [])
    assert answer["reason"]


def test_nothing_found_says_why_on_stderr_alone(hearth: Run, vault: Path) -> None:
    result = hearth("search", "zzqqxx")
    assert (result.code, result.out) == (0, "")
    assert result.err.startswith("nothing found: ")


def test_an_empty_vault_says_how_to_add_notes(hearth: Run) -> None:
    result = hearth("search", "anything")
    assert result.code == 0
    assert "hearth bootstrap" in result.err


def test_a_note_written_after_the_last_scan_is_found_by_a_later_search(hearth: Run, vault: Path) -> None:
    (vault / "new.md").write_text("# Quokka\n\nA quokka came to visit.\n", encoding="utf-8")
    age_scan()
    assert "new.md" in hearth("search", "quokka", "--files").out


def test_files_are_docid_score_and_place(hearth: Run, vault: Path) -> None:
    lines = hearth("search", "postgresql", "--files").out.splitlines()
    assert re.fullmatch(r"[0-9a-z]{16},[01]\.\d{4},my-notes/decisions/0001-postgres\.md:\d+", lines[0])


def test_csv_reads_back_whatever_the_note_holds(hearth: Run, vault: Path) -> None:
    (vault / "odd.md").write_text('# A "quoted", title\n\nAardvark, "so to say",\nand more.\n', encoding="utf-8")
    hearth("update")
    rows = list(csv.DictReader(io.StringIO(hearth("search", "aardvark", "--csv").out)))
    assert rows[0]["title"] == 'A "quoted", title'
    assert 'Aardvark, "so to say",' in rows[0]["snippet"]
    assert hearth("search", "zzqqxx", "--csv").out.startswith("docid,score,collection,path")


def test_markdown_holds_a_note_with_fences_inside_its_own(hearth: Run, vault: Path) -> None:
    (vault / "fence.md").write_text("# Wombat [one] | two\n\nWombat:\n\n````\ncode\n````\n", encoding="utf-8")
    hearth("update")
    out = hearth("search", "wombat", "--md", "--full").out
    assert r"## 1. Wombat \[one\] \| two" in out
    assert "`````markdown" in out


def test_formats_exclude_each_other(hearth: Run, vault: Path) -> None:
    result = hearth("search", "x", "--json", "--csv")
    assert result.code == 2
    assert "choose one" in result.err


def test_piped_output_has_no_control_sequences(spawn: Run, vault: Path) -> None:
    result = spawn("query", "postgresql", "--explain", FORCE_COLOR="1")
    assert result.code == 0
    assert "\x1b" not in result.out + result.err
    assert "lane keyword: raw" in result.out


def test_a_terminal_gets_links_that_open_the_file_at_the_line(vault: Path, environ: dict[str, str]) -> None:
    shown = on_terminal(environ, "search", "postgresql")
    target = str(vault).replace(" ", "%20")
    assert f";file://{target}/decisions/0001-postgres.md#L1" in shown
    assert "\x1b[1;33mPostgreSQL" in shown


def test_a_terminal_gets_links_into_obsidian_where_the_notes_are_a_vault_of_it(
    vault: Path, environ: dict[str, str]
) -> None:
    assert "obsidian" not in on_terminal(environ, "search", "postgresql")
    (vault / ".obsidian").mkdir()
    shown = on_terminal(environ, "search", "postgresql")
    target = str(vault).replace("/", "%2F").replace(" ", "%20")
    assert f";obsidian://open?path={target}%2Fdecisions%2F0001-postgres.md\x1b" in shown
    assert ";file://" in shown


def test_no_color_leaves_a_terminal_plain(vault: Path, environ: dict[str, str]) -> None:
    assert "\x1b" not in on_terminal(environ, "search", "postgresql", NO_COLOR="1")


def test_control_characters_in_notes_never_reach_a_terminal(hearth: Run, vault: Path, environ: dict[str, str]) -> None:
    evil = "# Ocelot\x1b]0;owned\x07 \u202egnp\n\nOcelot \x1b[2J\x9b31m text\x08.\n"
    (vault / "evil\x1b[31m.md").write_text(evil, encoding="utf-8")
    hearth("update")
    for arguments in (["search", "ocelot", "--full"], ["get", "evil"], ["list"], ["search", "ocelot", "--files"]):
        if arguments[0] == "get":
            arguments = ["get", json.loads(hearth("search", "ocelot", "--json").out)["results"][0]["docid"]]
        shown = on_terminal(environ, *arguments, NO_COLOR="1")
        assert "celot" in shown or "evil" in shown
        assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e]", shown), arguments


@pytest.mark.parametrize(
    "text",
    [
        'unbalanced " quote',
        "AND OR NOT NEAR( * ^ : { } )",
        "a' ; DROP TABLE documents; --",
        "word " * 4_000,
        "x" * 50_000,
        "🔥" * 3_000,
        "\n\t ",
        "path: tag: type:",
        "%s %d {0} ${HOME} `id`",
    ],
)
def test_any_text_is_a_safe_question(hearth: Run, vault: Path, text: str) -> None:
    result = hearth("query", "--json", "--", text)
    assert result.code == 0, result.err
    json.loads(result.out)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(min_size=1, max_size=80).filter(lambda text: not re.search(r"\b(before|after):", text)))
def test_every_unicode_text_is_a_safe_question(hearth: Run, vault: Path, text: str) -> None:
    if text == "-":
        return
    result = hearth("search", "--json", "--", text)
    assert result.code == 0, result.err
    assert json.loads(result.out)["recipe"] == "keyword"


def test_bytes_that_are_no_text_are_a_safe_question(spawn: Run, vault: Path) -> None:
    result = spawn("search", "--json", b"postgresql \xff\xfe")
    assert result.code == 0
    assert json.loads(result.out)["results"]


def test_a_dash_reads_the_question_from_standard_input(spawn: Run, vault: Path) -> None:
    result = spawn("search", "-", "--json", stdin=b"PostgreSQL \n" + b"\xff")
    assert json.loads(result.out)["results"][0]["path"] == "decisions/0001-postgres.md"


def test_a_file_name_that_is_no_text_comes_out_as_its_bytes(hearth: Run, spawn: Run, vault: Path) -> None:
    (Path(os.fsdecode(os.fsencode(vault) + b"/caf\xe9.md"))).write_text("# Pangolin\n\nPangolin.\n", encoding="utf-8")
    assert hearth("update").code == 0
    assert "caf\udce9.md" in spawn("search", "pangolin", "--files").out
    assert json.loads(spawn("search", "pangolin", "--json").out)["results"][0]["path"] == "caf\udce9.md"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["-c", "my-note"], 3, "did you mean my-notes?"),
        (["--type", "decison"], 2, "did you mean decision?"),
        (["--since", "soon"], 2, "write YYYY-MM-DD"),
        (["--since", "2026-13-40"], 2, "write YYYY-MM-DD"),
        (["-n", "0"], 2, "1<=x<=100"),
        (["-n", "101"], 2, "1<=x<=100"),
        (["--min-score", "2"], 2, "0<=x<=1"),
        (["--budget", "0"], 2, "x>=1"),
    ],
)
def test_a_bad_option_is_one_line_that_says_what_to_do(
    hearth: Run, vault: Path, arguments: list[str], code: int, said: str
) -> None:
    result = hearth("search", "postgres", *arguments)
    assert (result.code, result.out) == (code, "")
    assert said in result.err
    assert result.err.count("\n") == 1


def test_filters_reach_the_search(hearth: Run, vault: Path) -> None:
    def paths(*arguments: str) -> list[str]:
        return [row["path"] for row in json.loads(hearth("search", "bread", "--json", *arguments).out)["results"]]

    assert paths() == ["daily/2026-03-05.md"]
    assert paths("--since", "2026-03-05", "--until", "2026-03-05") == ["daily/2026-03-05.md"]
    assert paths("--since", "2026-03-06") == []
    assert paths("--until", "2026-03-04") == []
    assert paths("--type", "daily") in ([], ["daily/2026-03-05.md"])
    assert paths("--type", "decision") == []
    assert paths("-c", "my-notes", "--min-score", "0.999") == []


def test_one_result_was_asked_for_and_one_is_given(hearth: Run, vault: Path) -> None:
    assert len(hearth("query", "postgresql backup", "-n", "1", "--files").out.splitlines()) == 1


def test_a_search_answers_although_the_folder_is_gone_and_says_so(hearth: Run, vault: Path) -> None:
    vault.rename(vault.with_name("away"))
    age_scan()
    result = hearth("search", "postgresql")
    assert result.code == 0
    assert "collection 'my-notes' is held" in result.err


def age_scan() -> None:
    """The last scan was a minute ago."""
    index = apsw.Connection(str(Path(os.environ["HEARTH_CACHE_DIR"], "default", "index.sqlite")))
    index.execute("UPDATE collections SET scanned_at = scanned_at - 60000")
    index.close()


def test_get_names_what_links_to_the_document_beside_its_text(hearth: Run, vault: Path) -> None:
    text = "Load it into [[0001-postgres]].\n"
    for number in range(12):
        (vault / f"note {number:02}.md").write_text(text, encoding="utf-8")
    hearth("update")
    told = hearth("get", "0001-postgres")
    assert told.out == (vault / "decisions/0001-postgres.md").read_text(encoding="utf-8")
    assert told.err.startswith("linked from: my-notes/note 00.md, my-notes/note 01.md, ")
    assert told.err.endswith(" and 2 more\n")
    assert len(json.loads(hearth("get", "0001-postgres", "--json").out)["backlinks"]) == 12
    assert hearth("get", "note 00").err == ""


def test_a_plan_prints_an_outline_by_time_and_says_its_parts(hearth: Run, notes: Path) -> None:
    for day, text in (("2026-03-02", "The kettle leaks."), ("2026-02-01", "Bought a kettle for tea.")):
        (notes / f"{day}.md").write_text(f"# Kitchen\n\n{text}\n", encoding="utf-8")
    (notes / "lamp.md").write_text("The lamp hangs in the hall.\n", encoding="utf-8")
    assert hearth("bootstrap", str(notes)).code == 0
    outline = hearth("query", "In what order did things happen to the kettle?", "--recipe", "plan").out
    bought, leaks = outline.index(":3 Bought a kettle for tea."), outline.index(":3 The kettle leaks.")
    assert outline.index("/2026-02-01.md") < bought < leaks
    parts = hearth("query", "Where is the lamp? What leaks?", "--recipe", "plan", "--json")
    assert json.loads(parts.out)["plan"]["clauses"] == ["Where is the lamp?", "What leaks?"]
    assert "asked in parts" in parts.err
    assert hearth("search", "kettle", "--recipe", "plan").code == 2


def test_a_name_is_told_by_its_lines_and_its_company(hearth: Run, notes: Path) -> None:
    (notes / "tiles.md").write_text("Ines Aldana glazed the tiles with Rurik.\n", encoding="utf-8")
    (notes / "kiln.md").write_text("Then Ines Aldana called Rurik.\n", encoding="utf-8")
    (notes / "train.md").write_text("We left with Tove Lindgren and met Tove Marklund.\n", encoding="utf-8")
    assert hearth("bootstrap", str(notes)).code == 0
    told = hearth("entities", "Ines").out
    assert told.startswith("Ines Aldana (person, also Ines), on 2 lines")
    assert hearth("entities", "-n", "5").out == hearth("entities", "list", "-n", "5").out
    assert "tiles.md:1  Ines Aldana glazed" in told
    assert "Rurik (person): 2 fragments" in told
    several = hearth("entities", "Tove")
    assert sorted(several.out.split("\n")) == ["", "Tove Lindgren", "Tove Marklund"]
    assert "several entities have this name" in several.err
    assert "nothing found" in hearth("entities", "Zebedee").err
    assert hearth("entities", "--json", "Ines Aldana").out.startswith("{")


def test_names_are_merged_split_and_given_aliases_and_each_is_taken_back(hearth: Run, notes: Path) -> None:
    (notes / "tiles.md").write_text("Ines Aldana glazed the tiles with Rurik.\n", encoding="utf-8")
    (notes / "show.md").write_text("Then Merge Split called Rurik.\n", encoding="utf-8")
    assert hearth("bootstrap", str(notes)).code == 0
    done = hearth("entities", "merge", "Merge Split", "Ines Aldana", "--reason", "her stage name")
    assert done.out == "merged: Merge Split means Ines Aldana\n"
    assert hearth("entities", "-n", "5", "Merge Split").out.startswith(
        "Ines Aldana (person, also Merge Split), on 2 lines"
    )
    assert hearth(*done.err.split("hearth ")[-1].split()).code == 0
    assert hearth("entities", "Ines Aldana").out.startswith("Ines Aldana (person), on 1 line")
    alias = json.loads(hearth("entities", "alias", "Ines Aldana", "the glazer", "--json").out)
    assert (alias["name"], alias["of"], len(alias["events"])) == ("the glazer", "Ines Aldana", 1)
    assert hearth("entities", "the glazer").out.startswith("Ines Aldana (")
    assert "itself alone" in hearth("entities", "split", "Ines").out
    assert "1 document" in hearth("entities", "split", "Ines Aldana", "tiles.md", "--as", "Ines the Second").out
    assert hearth("entities", "show", "Ines the Second").out.startswith("Ines the Second")
    assert hearth("entities", "split", "Ines Aldana", "tiles.md").code == 2


def test_what_was_remembered_answers_before_a_general_note(hearth: Run, vault: Path) -> None:
    def first(question: str) -> str:
        result: Any = hearth("query", "--json", question)
        return str(json.loads(result.out)["results"][0]["path"])

    guide = vault / "guide.md"
    guide.write_text("# Deploy\n\nDeploy from a tag, and watch the log of the deploy.\n", encoding="utf-8")
    hearth("remember", "--type", "decision", "We deploy on Tuesdays now, after the stand-up")
    assert first("when do we deploy?").startswith("agent/decisions/")
    # Nobody's own is asked for here.
    assert first("how do I deploy?") == first("where to deploy from") == "guide.md"
    # A newer note may know better.
    guide.write_text("---\ndate: 2999-01-01\n---\n" + guide.read_text(encoding="utf-8"), encoding="utf-8")
    assert first("when do we deploy?") == "guide.md"


def test_what_somebody_else_said_is_nobodys_own_answer(hearth: Run, vault: Path) -> None:
    (vault / "guide.md").write_text(
        "# Deploy\n\nDeploy from a tag, and watch the log of the deploy.\n", encoding="utf-8"
    )
    done = hearth("remember", "--json", "--type", "decision", "We deploy on Tuesdays now, after the stand-up")
    memory = Path(hearth("path", "data").out.strip(), "memory", json.loads(done.out)["path"])
    memory.write_text(memory.read_text(encoding="utf-8").replace("trust: agent", "trust: external"), encoding="utf-8")
    found = json.loads(hearth("query", "--json", "when do we deploy?").out)["results"]
    assert found[0]["path"] == "guide.md"
    assert found[1]["trust"] == "external"


def test_what_waits_for_approval_does_not_stand_before_a_note(
    hearth: Run, vault: Path, environ: dict[str, str]
) -> None:
    (vault / "guide.md").write_text(
        "# Deploy\n\nDeploy from a tag, and watch the log of the deploy.\n", encoding="utf-8"
    )
    with open_vault(environ=environ) as opened:
        opened.capture(
            "chat", [("user", "We deploy on Tuesdays, after the stand-up."), ("assistant", "Noted.")], end=True
        )
        opened.capture.run()
    found = json.loads(hearth("query", "--json", "when do we deploy?").out)["results"]
    assert found[0]["path"] == "guide.md"
    assert found[1]["path"].startswith("agent/decisions/")
