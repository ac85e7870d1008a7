"""Causes among what a session left behind: said once, with the lines that say so, and a person's word before them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.capture.conftest import Talk, talk
from tests.models.llm.chat import ChatServer

from hearth.core.document import INTERNAL
from hearth.graph.chains import CausalLink, find_causal_links
from hearth.language.causes import SOLVED
from hearth.ports import Filter

__all__ = ["talk"]
DATA = next(folder for folder in Path(__file__).parents if folder.name == "tests") / "transcripts" / "data"


def captured(talk: Talk, name: str = "claude_code_plan") -> None:
    shutil.copy(DATA / f"{name}.jsonl", talk.transcript)
    talk.end_turn()
    talk.end()
    assert talk.capture.run().problems == ()


def links(talk: Talk) -> list[CausalLink]:
    with talk.vault.store.read() as reader:
        found = list(reader.each_document(Filter((INTERNAL,), ("problem",))))
    return [link for one in found for link in find_causal_links(talk.vault, f"#{one.document.docid}", "causes").links]


def relations(talk: Talk) -> int:
    return sum(event.kind == "relate" for event in talk.vault.state.history.log.newest(own=False))


@pytest.mark.parametrize("name", ["claude_code_plan", "codex_work"])
def test_a_solved_problem_led_to_its_solution_with_the_lines_that_say_so(talk: Talk, name: str) -> None:
    captured(talk, name)
    solved = [link for link in links(talk) if link.confidence == SOLVED]
    assert [link.document.content_type for link in solved] == ["observation"]
    assert solved[0].origin == "capture"
    assert "test_lid failed and passes again" in solved[0].evidence[0].words


def test_it_is_said_once_and_again_in_a_rebuilt_index(talk: Talk) -> None:
    captured(talk)
    before, count = [link.to_dict() for link in links(talk)], relations(talk)
    assert before and count
    talk.end_turn()
    talk.capture.run(everything=True)
    assert relations(talk) == count
    talk.vault.close()
    shutil.rmtree(talk.folder / "cache")
    talk.vault = talk.open()
    talk.vault.index.sync()
    assert [link.to_dict() for link in links(talk)] == before


def test_a_person_who_takes_it_back_is_not_overruled(talk: Talk) -> None:
    captured(talk)
    link = links(talk)[0]
    step = link.via[0]
    talk.vault.graph.unrelate(f"#{step.source}", "causal", f"#{step.target}")
    assert link.document.docid not in [one.document.docid for one in links(talk)]
    talk.say("Thanks, and now close the jar.")
    talk.end_turn()
    talk.capture.run(everything=True)
    assert link.document.docid not in [one.document.docid for one in links(talk)]


def test_what_is_taken_back_with_its_session_relates_nothing(talk: Talk) -> None:
    captured(talk)
    assert links(talk)
    talk.capture.undo(talk.name)
    assert links(talk) == []


SOLD, MOVED = "The landlord sold the house in May.", "The user moved the workshop to Crestmoor."
PAIR = {
    "cause": 1,
    "effect": 2,
    "confidence": 0.8,
    "cause_quote": "sold the house",
    "effect_quote": "moved the workshop",
}


def memory(text: str, turn: int, quote: str) -> dict[str, Any]:
    return {"category": "fact", "text": text, "turn": turn, "quote": quote, "certainty": "explicit"}


@pytest.fixture
def server() -> Iterator[ChatServer]:
    made = ChatServer(always=json.dumps({"memories": []}))
    yield made
    made.stop()


@pytest.fixture
def read_by(talk: Talk, server: ChatServer) -> Talk:
    talk.environ |= {"HEARTH_LLM_PROVIDER": "openai", "HEARTH_LLM_URL": server.url, "HEARTH_LLM_MODEL": "small"}
    talk.again()
    said = ("The landlord sold the house in May", "So I moved the workshop to Crestmoor")
    told = [memory(text, turn, quote) for turn, (text, quote) in enumerate(zip((SOLD, MOVED), said, strict=True), 1)]
    server.replies.append(json.dumps({"memories": told}))
    for text in said:
        talk.turn(f"{text}.", "I see.")
    return talk


def test_what_a_model_calls_a_cause_is_kept_with_how_sure_it_is_and_once(read_by: Talk, server: ChatServer) -> None:
    server.replies.append(json.dumps({"pairs": [PAIR, PAIR | {"cause": 7}]}))
    assert read_by.capture.run(everything=True).problems == ()
    assert "[1] turn 1, fact: The landlord sold the house in May." in server.sent[1].prompt
    [moved] = read_by.vault.recall("Where is the workshop?").hits[:1]
    [link] = find_causal_links(read_by.vault, f"#{moved.docid}", "caused_by").links
    assert (link.origin, link.confidence, link.evidence[0].words) == ("capture", 0.8, MOVED)
    read_by.turn("Thanks.", "You are welcome.")
    read_by.capture.run(everything=True)
    assert relations(read_by) == 1


def test_a_model_that_talks_nonsense_of_causes_loses_no_memory(read_by: Talk, server: ChatServer) -> None:
    server.replies.extend(["because I say so"] * 3)
    report = read_by.capture.run(everything=True)
    assert (report.problems, report.unread, report.left_out) == ((), (), ())
    assert MOVED in read_by.vault.recall("Where is the workshop?").hits[0].text
    assert relations(read_by) == 0
