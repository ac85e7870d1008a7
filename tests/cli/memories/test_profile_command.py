from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

Run = Callable[..., Any]


def test_what_is_known_of_you_is_shown_with_its_source(hearth: Run) -> None:
    assert "No profile yet. Run: hearth profile --rebuild" in hearth("profile").err
    hearth("remember", "The user prefers tabs over spaces.", "--type", "preference")
    shown = hearth("profile", "--rebuild")
    assert "The user prefers tabs over spaces." in shown.out and " #" in shown.out
    assert json.loads(hearth("profile", "--rebuild", "--json").out)["changed"] is False


def test_what_projects_came_to_is_shown_by_period_with_its_file(hearth: Run) -> None:
    assert "nothing certain yet" in hearth("summaries").err
    for wood in ("oak", "ash", "elm"):
        hearth("remember", f"We chose {wood} for the lid.", "--type", "decision", "--project", "larder")
    shown = hearth("summaries", "--rebuild", "--project", "larder")
    assert "We chose oak for the lid." in shown.out and "summaries/" in shown.out and " #" in shown.out
    found = json.loads(hearth("summaries", "-n", "1", "--json").out)
    assert (len(found["summaries"]), found["total"]) == (1, 2)
    assert "not a period" in hearth("summaries", "--period", "march").err


def test_what_an_agent_was_told_again_is_off_unless_it_is_wanted(hearth: Run) -> None:
    assert "knowledge.identity true" in hearth("identity").err
    hearth("config", "set", "knowledge", '{"identity": true}')
    for _ in range(2):
        hearth("remember", "Ask before a push.", "--type", "correction")
    assert "Corrected 2 times: Ask before a push." in hearth("identity", "--rebuild").out
    assert json.loads(hearth("identity", "--json").out)["path"] == "agent/IDENTITY.md"


def test_a_correction_of_a_thing_is_not_about_the_person(hearth: Run) -> None:
    for text in (
        "Correction: the kiosk listens on port 9090, not 8080.",
        "Correction: always run the tests in a container.",
        "Correction: I live in Porto, not in Lisbon.",
        "Ask before a push.",
    ):
        assert hearth("remember", text, "--type", "correction").code == 0
    shown = hearth("profile", "--rebuild").out
    for wanted in ("Always run the tests in a container.", "I live in Porto, not in Lisbon.", "Ask before a push."):
        assert wanted in shown
    assert "9090" not in shown and "Correction" not in shown


def test_a_labelled_preference_or_principle_is_about_the_person(hearth: Run) -> None:
    for content_type, text in (("preference", "Tabs over spaces"), ("principle", "Small commits over large ones")):
        assert hearth("remember", f"{content_type.capitalize()}: {text}.", "--type", content_type).code == 0
    shown = hearth("profile", "--rebuild").out
    assert "Tabs over spaces." in shown and "Small commits over large ones." in shown
