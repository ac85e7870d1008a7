"""Summaries of weeks and months: a page each, from sources, with a person's words before ours."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.truth.home import Home

from hearth.core.errors import Unavailable, UsageError
from hearth.llm.pages import CitedWriter
from hearth.pages.summaries import ASKED, DECISIONS, FOLDER, MILESTONES, SHORT, ProjectSummaries
from hearth.testing import ScriptedLlm

OAK, REDIS, LID = "We chose oak for the lid.", "We chose Redis for the queue.", "Committed: the second lid."
SAID = """---
content_type: conversation
session: s1
project: larder
machine: {machine}
---

## User · 10:00

Mend the quern of the larder.
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home")
    for text, kind in ((OAK, "decision"), (REDIS, "decision"), (LID, "milestone")):
        made.remember(text, kind, project="larder")
    return made


def pages(home: Home) -> dict[str, list[tuple[str, str]]]:
    found = home.vault.knowledge.summaries.show()
    return {Path(one.path).name: [(bullet.section, bullet.text) for bullet in one.bullets] for one in found}


def file(home: Home, name: str = "2026-03-larder.md") -> Path:
    return Path(home.vault.memories.writer.memories.root) / FOLDER / name


def test_a_repository_without_an_origin_is_called_as_its_folder(home: Home) -> None:
    for text in (OAK, REDIS, LID):
        home.remember(text, "decision", project="/home/ana/shelf/.git")
    summaries = home.vault.knowledge.summaries
    summaries.rebuild()
    for project in ("shelf", "ana/shelf", "shelf/.git"):
        assert [one.title.partition(":")[0] for one in summaries.show(project=project)] == ["shelf", "shelf"]


def test_a_project_has_a_page_a_week_and_a_month_and_a_second_run_changes_no_byte(home: Home) -> None:
    summaries = home.vault.knowledge.summaries
    assert [one.title for one in summaries.rebuild()] == [
        "larder: Week 9 of 2026 (2026-02-23 to 2026-03-01)",
        "larder: March 2026",
    ]
    said = {(DECISIONS, OAK), (DECISIONS, REDIS), (MILESTONES, LID)}
    assert {name: set(told) for name, told in pages(home).items()} == {
        "2026-W09-larder.md": said,
        "2026-03-larder.md": said,
    }
    assert all(bullet.sources for one in summaries.show() for bullet in one.bullets)
    before = file(home).read_bytes()
    assert summaries.rebuild() == [] and file(home).read_bytes() == before
    home.rebuilt()
    assert home.vault.knowledge.summaries.rebuild() == []


def test_two_statements_of_a_project_make_no_page_and_none_feeds_on_a_page(home: Home) -> None:
    home.remember("We chose brass.", project="forge")
    home.vault.knowledge.summaries.rebuild()
    home.vault.knowledge.summaries.rebuild()
    assert len(pages(home)) == 2
    summary = home.vault.documents()
    assert all(FOLDER not in hit.path for hit in home.vault.recall("which wood for the lid").hits)
    assert any(one.document.content_type == "summary" for one in summary)


def test_what_a_session_was_for_is_told_in_the_persons_words(home: Home) -> None:
    writer = home.vault.memories.writer
    talk = Path(writer.memories.root) / "agent/conversations/2026-03-01-talk-abc123.md"
    talk.parent.mkdir(parents=True)
    talk.write_text(SAID.format(machine=writer.machine))
    home.vault.index.sync()
    home.vault.knowledge.summaries.rebuild()
    assert (ASKED, "Mend the quern of the larder") in pages(home)["2026-03-larder.md"]


def test_a_persons_words_stay_and_what_they_delete_returns_on_no_summary(home: Home) -> None:
    home.vault.knowledge.summaries.rebuild()
    text = file(home).read_text().replace(OAK, "We chose ash, in fact.")
    file(home).write_text("\n".join(line for line in text.split("\n") if REDIS not in line))
    home.vault.knowledge.summaries.rebuild()
    home.vault.knowledge.summaries.rebuild()
    found = pages(home)
    assert {text for _, text in found["2026-03-larder.md"]} == {"We chose ash, in fact.", LID}
    assert REDIS not in {text for _, text in found["2026-W09-larder.md"]}


@pytest.mark.parametrize("how", ["forget", "purge"])
def test_what_is_out_of_sight_leaves_every_page_at_once(home: Home, how: str) -> None:
    oak = home.remember("We chose pine for the shelf.", project="larder")
    home.vault.knowledge.summaries.rebuild()
    assert "pine" in file(home).read_text() and "pine" in file(home, "2026-W09-larder.md").read_text()
    if how == "purge":
        home.vault.state.purge(oak, yes=True)
    else:
        home.vault.state.forget(oak)
    assert "pine" not in file(home).read_text() and "pine" not in file(home, "2026-W09-larder.md").read_text()
    assert OAK in file(home).read_text()


def test_pages_are_listed_by_period_and_project(home: Home) -> None:
    for text in ("We chose brass.", "We chose coal.", "We chose tongs."):
        home.remember(text, project="example.org/smith/forge")
    summaries = home.vault.knowledge.summaries
    summaries.rebuild()
    assert len(summaries.show()) == 4
    assert [one.title for one in summaries.show("2026-03", "forge")] == ["forge: March 2026"]
    with pytest.raises(UsageError, match="not a period"):
        summaries.show("march")


def test_a_page_that_is_in_the_way_keeps_no_other_from_being_written(home: Home) -> None:
    home.vault.knowledge.summaries.rebuild()
    home.remember("We chose elm.", project="larder")
    torn = file(home).read_text() + "\n<<<<<<< mine\n"
    file(home).write_text(torn)
    assert [Path(one.path).name for one in home.vault.knowledge.summaries.rebuild()] == ["2026-W09-larder.md"]
    assert file(home).read_text() == torn


def test_another_machine_reads_them_and_writes_none(home: Home, tmp_path: Path) -> None:
    home.vault.knowledge.summaries.rebuild()
    other = Home(tmp_path / "other", share=home)
    assert len(pages(other)) == 2
    with pytest.raises(Unavailable, match="the machine that created this vault"):
        other.vault.knowledge.summaries.rebuild()


def modelled(home: Home, *answers: str | Exception) -> tuple[ProjectSummaries, ScriptedLlm]:
    llm = ScriptedLlm(*answers)
    known = home.vault.knowledge.summaries
    made = ProjectSummaries(
        known.history, known.writer, known.prepare, True, lambda: CitedWriter(llm, str, lambda _: False)
    )
    return made, llm


def short(home: Home) -> list[str]:
    return [text for section, text in pages(home)["2026-03-larder.md"] if section == SHORT]


def answer(text: str, *sources: int) -> str:
    return json.dumps({"sentences": [{"text": text, "sources": list(sources)}]})


def test_a_model_sums_up_what_is_over_once_for_the_same_statements(home: Home) -> None:
    summary = answer("The queue got Redis and the lid got oak.", 1, 2)
    summaries, llm = modelled(home, summary, summary, summary)
    summaries.rebuild()
    assert llm.asked == []
    home.clock.advance(days=40)
    summaries.rebuild()
    assert short(home) == ["The queue got Redis and the lid got oak."] and len(llm.asked) == 2
    summaries.rebuild()
    assert len(llm.asked) == 2 and short(home) != []


def test_what_the_model_said_leaves_with_any_of_its_sources_and_stays_while_it_is_away(home: Home) -> None:
    summary = answer("The queue got Redis and the lid got oak.", 1, 2)
    summaries, _ = modelled(home, summary, summary, Unavailable("away"), Unavailable("away"))
    home.clock.advance(days=40)
    summaries.rebuild()
    elm = home.remember("We chose elm.", project="larder", said_at=home.clock() - 39 * 86_400_000)
    summaries.rebuild()
    assert short(home) == ["The queue got Redis and the lid got oak."]
    home.vault.state.forget(elm)
    assert short(home) != []
    [redis] = [one for one in home.vault.documents() if "Redis" in one.document.title]
    home.vault.state.forget(redis.document.docid)
    assert short(home) == [] and "got oak" not in file(home).read_text()


def test_without_a_model_that_can_be_understood_the_rules_page_stands(home: Home) -> None:
    summaries, llm = modelled(home, "no json", "no json")
    home.clock.advance(days=40)
    summaries.rebuild()
    assert short(home) == [] and len(pages(home)["2026-03-larder.md"]) == 3
    summaries.rebuild()
    assert len(llm.asked) == 2


def test_the_background_looks_at_what_is_recent_where_that_is_wanted(home: Home) -> None:
    summaries = home.vault.knowledge.summaries
    assert summaries.due() and len(summaries.catch_up()) == 2 and not summaries.due()
    home.vault.memories.remember("We chose elm.", "decision", project="larder")
    assert not summaries.due()
    home.clock.advance(days=1)
    assert summaries.due()
    home.clock.advance(days=90)
    assert summaries.catch_up() == []
    home.configure("knowledge: {summaries: false}\n")
    assert not home.vault.knowledge.summaries.due()
