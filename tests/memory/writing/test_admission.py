from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.errors import UsageError
from hearth.core.memory import MAX_SUPERSEDED, MAX_TAGS, MAX_TEXT_BYTES, NewMemory
from hearth.guard.secrets import redaction as secrets
from hearth.memory.admission import admitted, memory_of

KEY = "ghp_" + "x1Y2z3A4b5C6d7E8f9G0h1I2j3K4l5M6n7O8"


def fit(text: str, **given: Any) -> NewMemory:
    return admitted(NewMemory(text, **given), secrets.redact).wish


@pytest.mark.parametrize("text", ["", "  \n\t\n", "\x00\x07", "\ufeff"])
def test_an_empty_text_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="no text to remember"):
        fit(text)


@pytest.mark.parametrize(
    "text", [KEY, f"  {KEY}\n", f"GITHUB_TOKEN={KEY}", f"export TOKEN={KEY}", f"- api key: {KEY}", f"`{KEY}`."]
)
def test_a_text_that_is_nothing_but_a_secret_is_refused_without_repeating_it(text: str) -> None:
    with pytest.raises(UsageError, match="only a secret") as caught:
        fit(text)
    assert KEY not in str(caught.value)


def test_what_is_said_about_a_secret_is_kept_without_it() -> None:
    found = admitted(NewMemory(f"Rotate the token {KEY} every month", title=f"On {KEY}", tags=(KEY,)), secrets.redact)
    assert KEY not in repr(found)
    assert "every month" in found.wish.text
    assert found.redacted == 3


@given(st.text(max_size=200))
def test_whatever_is_admitted_can_be_written_and_drives_no_terminal(text: str) -> None:
    try:
        found = fit(text)
    except UsageError:
        return
    found.text.encode("utf-8")
    assert not set(found.text) & {chr(c) for c in range(32) if chr(c) not in "\n\t"}
    assert fit(found.text).text == found.text


def test_line_ends_become_one_kind_and_the_rest_of_the_text_stays_as_it_is() -> None:
    assert fit("\n\n  indented\r\n\r\n\tcode\rlast  \n\n").text == "  indented\n\n\tcode\nlast"


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"text": "x" * (MAX_TEXT_BYTES + 1)}, "65,537 bytes, over the limit of 65,536"),
        ({"text": "é" * (MAX_TEXT_BYTES // 2 + 1)}, "65,538 bytes"),
        ({"title": "x" * 201}, "title has 201 characters, over the limit of 200"),
        ({"subject": "x" * 10_000_000}, "subject has 10,000,000 characters"),
        ({"project": "x" * 513}, "project has 513 characters, over the limit of 512"),
        ({"session": "x" * 201}, "session"),
        ({"tags": ("x" * 65,)}, "a tag has 65 characters, over the limit of 64"),
        ({"tags": tuple(map(str, range(MAX_TAGS + 1)))}, "33 tags are over the limit of 32"),
        ({"supersedes": ("x",) * (MAX_SUPERSEDED + 1)}, "17 superseded documents"),
        ({"confidence": 1.01}, "confidence 1.01 is out of range"),
        ({"confidence": math.nan}, "out of range"),
        ({"scope": "world"}, "scope is one of user, project, agent"),
        ({"trust": "human"}, "trust is one of agent, external"),
        ({"content_type": "poem"}, "'poem' is not a content type; a memory is one of: antipattern"),
        ({"content_type": "hub"}, "'hub' can be written only by people"),
    ],
)
def test_each_limit_is_an_error_that_names_it(given: dict[str, Any], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        admitted(replace(NewMemory("text"), **given), secrets.redact)


def test_a_text_at_the_limit_is_kept() -> None:
    assert len(fit("x" * MAX_TEXT_BYTES).text) == MAX_TEXT_BYTES


def test_single_line_fields_lose_their_line_ends_and_empty_ones_are_none() -> None:
    found = fit("x", title=" a\n b ", project="", tags=("#one", "two words", "one", " "))
    assert (found.title, found.project, found.tags) == ("a b", None, ("one", "two words"))


@pytest.mark.parametrize(
    ("content_type", "project", "scope"),
    [
        ("preference", None, "user"),
        ("preference", "p", "project"),
        ("decision", None, "agent"),
        ("fact", "p", "project"),
    ],
)
def test_whose_memory_it_is_follows_from_project_and_folder(content_type: str, project: str | None, scope: str) -> None:
    wish = NewMemory("x", content_type, project=project)
    assert memory_of(wish, "0" * 16, "m", 0).scope == scope
    assert memory_of(replace(wish, scope="user"), "0" * 16, "m", 0).scope == "user"


@pytest.mark.parametrize(
    ("wish", "title"),
    [
        (NewMemory("# Head\n\nText", title="Given"), "Given"),
        (NewMemory("# Head\n\nText", subject="Subject"), "Head"),
        (NewMemory("Text", subject="Subject"), "Subject"),
        (NewMemory("- [ ] First **words**. More."), "First words"),
        (NewMemory("# Decision\n\nUse tabs. Always."), "Use tabs"),
        (NewMemory("word " * 40), "word " * 14 + "word…"),
    ],
)
def test_the_title_is_given_or_the_heading_or_the_subject_or_the_first_words(wish: NewMemory, title: str) -> None:
    assert memory_of(wish, "0" * 16, "m", 0).title == title
