"""A language model may word what a night promotes where its words hold; what is promoted it never decides."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tests.pages.dream.test_dreamer import QUESTIONS, night, page, use
from tests.truth.home import Home

from hearth.core.errors import Unavailable
from hearth.guard.attacks import suspicion
from hearth.llm.pages import NightEditor
from hearth.pages.dream import memory_md as pages
from hearth.pages.dream import report
from hearth.pages.dream.dreamer import Dreamer
from hearth.pages.dream.pages import apply_edits
from hearth.pages.dream.plan import Night, NightPlan
from hearth.pages.dream.themes import Theme
from hearth.testing import ScriptedLlm

LONG = (
    "It was agreed in the meeting with the people of the other team that the staging database listens on "
    "port 6543 unless the bastion is down."
)
SHORT = "The staging database listens on port 6543 unless the bastion is down."


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    home = Home(tmp_path_factory.mktemp("home") / "home")
    docid = home.remember(LONG, "fact")
    for question in QUESTIONS:
        use(home, docid, question, f"As noted: {LONG}")
    return home


def worded_by(home: Home, answer: str | Exception) -> Dreamer:
    editor = NightEditor(ScriptedLlm(answer), lambda text: text, lambda text: bool(suspicion(text).labels))
    return replace(home.vault.dream, editor=lambda: editor)


def reply(text: str) -> str:
    return json.dumps({"statements": [{"n": 1, "text": text}], "themes": []})


def test_a_shorter_statement_stands_on_the_page_as_such_and_the_whole_one_in_the_account(home: Home) -> None:
    done = worded_by(home, reply(SHORT)).dream()
    assert done.edited_by == "scripted" and [one.fragment.text for one in done.put] == [LONG]
    text = page(home).read_text()
    assert f"- {SHORT} (" in text and "), shortened) <!-- hearth:p " in text and LONG not in text
    told = page(home).with_name("DREAMS.md").read_text()
    assert LONG in told and f"Shortened by scripted: {SHORT}" in told
    assert [item.statement for item in pages.read(text).ours] == [SHORT]
    home.clock.advance(days=1)
    before = page(home).read_bytes()
    assert night(home).put == () and page(home).read_bytes() == before


@pytest.mark.parametrize("answer", [Unavailable("nobody answers"), "no JSON", reply(SHORT.replace("6543", "6544"))])
def test_where_its_words_do_not_hold_the_page_has_the_sources(home: Home, answer: str | Exception) -> None:
    done = worded_by(home, answer).dream()
    assert done.edited_by.startswith("rules, since ")
    text = page(home).read_text()
    assert f"- {LONG} (" in text and "shortened" not in text


def test_a_theme_that_a_model_named_says_so_and_the_others_do_not() -> None:
    examples = ("The kiln of the pottery is fired on Tuesdays.", "The kiln needs beech.")
    themes = tuple(Theme(tag, (("a", "1"), ("b", "2"), ("c", "3")), 2, 3.0, examples, tag) for tag in ("kiln", "beech"))
    planned = NightPlan(Night("2026-01-02", (), themes, (), (), ()), (), (), {}, ())
    answer = json.dumps({"statements": [], "themes": [{"n": 1, "name": "pottery kiln"}]})
    editor = NightEditor(ScriptedLlm(answer), lambda text: text, lambda text: False)
    found, told_by = apply_edits(planned, lambda: editor)
    assert told_by == "scripted"
    told = report.entry(found.night, {}, {})
    assert "What came up on several days: *pottery kiln* (named by scripted).\n" in told and "beech" not in told


def test_a_dry_run_asks_no_model(home: Home) -> None:
    assert worded_by(home, Unavailable("nobody answers")).dream(apply=False).edited_by == "rules"


def test_an_undo_takes_a_shortened_line_back(home: Home) -> None:
    done = worded_by(home, reply(SHORT)).dream()
    assert done.run is not None
    home.vault.truth.undo_run(done.run)
    assert SHORT not in page(home).read_text()
