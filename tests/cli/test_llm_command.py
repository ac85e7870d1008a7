"""``hearth llm test``, and what the commands around it say of a language model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.models.llm.chat import ChatServer

from hearth.app import settings
from hearth.cli.health.machine import FAIL, OK
from hearth.cli.health.models import answers

Hearth = Callable[..., Any]
TOLD = {
    "memories": [
        {
            "category": "decision",
            "text": "The jars of the larder stand on the top shelf, because the cat can reach the lower ones.",
            "turn": 2,
            "quote": "From now on they stand on the top shelf",
            "certainty": "explicit",
        },
        {
            "category": "fact",
            "text": "The user keeps bees.",
            "turn": 1,
            "quote": "I keep bees",
            "certainty": "explicit",
        },
    ]
}


@pytest.fixture
def server(environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    made = ChatServer(always=json.dumps(TOLD))
    monkeypatch.setenv("HEARTH_LLM_PROVIDER", "openai")
    monkeypatch.setenv("HEARTH_LLM_URL", made.url)
    yield made
    made.stop()


def test_a_sample_shows_what_would_be_kept_and_what_not(server: ChatServer, hearth: Hearth, tmp_path: Path) -> None:
    done = hearth("llm", "test")
    assert done.code == 0, done.err
    assert "decision: The jars of the larder stand on the top shelf" in done.out and "(explicit, turn 2)" in done.out
    assert "not kept: The user keeps bees.: its quote does not occur in its turn" in done.out
    assert "today: 1 call, 100 tokens (at most 500,000)" in done.err
    assert not (tmp_path / "data").exists()
    found = json.loads(hearth("llm", "test", "--json").out)
    assert (found["calls_today"], len(found["extraction"]["memories"])) == (2, 1)
    assert found["model"].startswith("openai:127.0.0.1")


def test_a_model_that_is_not_there_is_said_with_its_exit_code(hearth: Hearth, server: ChatServer) -> None:
    server.always = "I would rather talk."
    done = hearth("llm", "test")
    assert done.code == 6 and "no JSON object" in done.err
    server.stop()
    done = hearth("llm", "test")
    assert done.code == 5 and "it can't be reached" in done.err


def test_without_a_model_it_says_which_setting_to_make(hearth: Hearth) -> None:
    done = hearth("llm", "test")
    assert done.code == 5 and "llm.provider" in done.err


def test_doctor_asks_the_model_for_a_word(environ: dict[str, str], server: ChatServer) -> None:
    chosen = settings()
    server.replies.append('{"word": "ready"}')
    [found] = answers(chosen)
    assert found.level == OK and "answers; 100 of 500,000 tokens used today" in found.message
    server.always = "no"
    [found] = answers(chosen)
    assert found.level == FAIL and "rules read sessions in the meantime" in found.message


def test_doctor_says_nothing_of_a_model_that_nobody_wants(environ: dict[str, str]) -> None:
    assert list(answers(settings())) == []
