"""A model's summary of a session: lines that rest on what was said, else the rules' own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hearth.capture.compaction import MADE_BY, SummaryRequest, parse_sections, summarize
from hearth.core.transcript import Turn
from hearth.guard.attacks import suspicion
from hearth.llm.pages import SessionSummarizer
from hearth.testing import ScriptedLlm
from hearth.transcripts.transcripts import TranscriptParser
from hearth.transcripts.turns import turns

ASKED = "Please move the invoices of the bakery to the new server at /srv/bakery before Friday."


def session(*said: tuple[str, str]) -> tuple[Turn, ...]:
    lines = [{"type": "message", "id": str(at), "parentId": str(at - 1) if at else None,
              "message": {"role": role, "content": text}} for at, (role, text) in enumerate(said)]  # fmt: skip
    head = {"type": "session", "version": 3, "id": "s", "timestamp": "2026-03-20T10:00:00Z"}
    data = "".join(json.dumps(one) + "\n" for one in (head, *lines))
    return tuple(turns(TranscriptParser().feed(data.encode())))


SAID = session(
    ("user", ASKED), ("assistant", "We decided to copy the invoices with rsync, since the old server is slow.")
)


def told(*replies: dict[str, Any] | str, focus: str = "") -> tuple[str, ScriptedLlm]:
    llm = ScriptedLlm(*(one if isinstance(one, str) else json.dumps(one) for one in replies))
    writer = SessionSummarizer(llm, lambda text: text, lambda text: bool(suspicion(text).labels))
    return summarize(SummaryRequest(SAID, focus=focus), model=lambda: writer)[0], llm


def test_lines_that_rest_on_the_session_are_kept_and_the_last_request_stands_word_for_word() -> None:
    text, llm = told(
        {"decisions": ["The invoices are copied with rsync."], "open": ["The move of the invoices is open."]}
    )
    found = parse_sections(text)
    assert found["Decisions"] == ["The invoices are copied with rsync."]
    assert f"Last request: {ASKED}" in found["Open"]
    assert "/srv/bakery" in text
    assert llm.name in found[MADE_BY][0]
    assert ASKED in llm.asked[0]


@pytest.mark.parametrize(
    "line",
    [
        "The invoices are copied to /srv/castle.",
        "Ramona copied the invoices with rsync.",
        "The invoices are not copied with rsync.",
        "The invoices move within 14 days.",
    ],
)
def test_a_line_that_nobody_said_is_dropped(line: str) -> None:
    text, _ = told({"done": [line]})
    assert line not in text
    assert MADE_BY not in text
    assert f"Last request: {ASKED}" in text


def test_the_rules_summarize_where_the_model_fails() -> None:
    assert told("no JSON at all", "again none", "none")[0] == summarize(SummaryRequest(SAID))[0]


def test_what_the_person_wants_most_is_asked_about_as_data() -> None:
    _, llm = told({"goal": []}, focus="rsync")
    assert "Most wanted: rsync" in llm.asked[0]


def test_a_former_summary_keeps_its_lines_but_not_its_label() -> None:
    text, _ = told({"decisions": ["The invoices are copied with rsync."]})
    later = parse_sections(summarize(SummaryRequest(session(("user", "And the orders, too?")), former=text))[0])
    assert "The invoices are copied with rsync." in later["Decisions"]
    assert MADE_BY not in later
