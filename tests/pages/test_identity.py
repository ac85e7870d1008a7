"""What an agent was told again: off unless wanted, from corrections alone, with a person's words before ours."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.truth.home import Home

from hearth.core.errors import Unavailable, UsageError
from hearth.llm.pages import CitedWriter
from hearth.pages.identity import IDENTITY_PATTERNS, PATH, REPEATED, AgentIdentity
from hearth.testing import ScriptedLlm

READER = "Use the streaming reader for large files."


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home")
    made.configure("knowledge: {identity: true}\n")
    return made


def correct(home: Home, text: str, session: str) -> str:
    return home.remember(text, "correction", session=session)


def said(home: Home) -> list[tuple[str, str]]:
    return [(one.section, one.text) for one in home.vault.knowledge.identity.show().bullets]


def test_it_is_written_only_where_it_is_wanted(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    correct(home, READER, "s1")
    assert not home.vault.knowledge.identity.due()
    with pytest.raises(UsageError, match="is off"):
        home.vault.knowledge.identity.rebuild()


def test_a_correction_that_was_given_twice_is_told_with_its_sources(home: Home) -> None:
    first = correct(home, READER, "s1")
    correct(home, "Ask before a push.", "s1")
    home.vault.knowledge.identity.rebuild()
    assert said(home) == []
    second = correct(home, "Use the streaming reader for all large files.", "s2")
    page = home.vault.knowledge.identity.rebuild()
    assert [(one.section, set(one.sources)) for one in page.bullets] == [(REPEATED, {first, second})]
    assert page.bullets[0].text.startswith("Corrected 2 times: ")
    assert not home.vault.knowledge.identity.rebuild().changed
    assert all(PATH not in hit.path for hit in home.vault.recall("streaming reader").hits)
    home.vault.state.forget(first)
    home.vault.state.forget(second)
    assert said(home) == []
    file = Path(home.vault.memories.writer.memories.root) / PATH
    assert "streaming" not in file.read_text()


def test_the_same_words_said_again_count_as_another_occasion(home: Home) -> None:
    correct(home, READER, "s1")
    home.vault.memories.remember(READER, "correction", session="s2")
    home.vault.knowledge.identity.rebuild()
    assert [section for section, _ in said(home)] == [REPEATED]


def test_a_model_adds_patterns_that_rest_on_two_and_what_it_saw_stays_while_it_is_away(home: Home) -> None:
    correct(home, READER, "s1")
    correct(home, "Use the streaming writer for large files.", "s1")
    pattern = {"text": "Large files need the streaming reader and writer.", "sources": [1, 2]}
    alone = {"text": "Large files need the streaming reader.", "sources": [1]}
    llm = ScriptedLlm(json.dumps({"sentences": [pattern, alone]}), Unavailable("away"))
    known = home.vault.knowledge.identity
    made = AgentIdentity(
        known.history, known.writer, known.prepare, True, lambda: CitedWriter(llm, str, lambda _: False)
    )
    made.rebuild()
    assert (IDENTITY_PATTERNS, pattern["text"]) in said(home) and IDENTITY_PATTERNS not in {
        s for s, t in said(home) if t == alone["text"]
    }
    made.rebuild()
    assert len(llm.asked) == 1
    correct(home, "Ask before a push.", "s2")
    made.rebuild()
    assert len(llm.asked) == 2 and (IDENTITY_PATTERNS, pattern["text"]) in said(home)


def test_it_is_looked_at_once_an_hour(home: Home) -> None:
    correct(home, READER, "s1")
    identity = home.vault.knowledge.identity
    assert identity.due()
    identity.catch_up()
    home.vault.memories.remember(READER.replace("large", "long"), "correction", session="s2")
    assert not identity.due()
    home.clock.advance(days=1)
    assert identity.due()
