"""What sentences say to be the cause of what."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.language.causes import LINKED, NAMED, CausedBy, CauseMention, find_causes, may_tell, settle
from hearth.text.words import read_table

KNOWN = {"retry storm", "queue rewrite"}


def read(text: str) -> list[CausedBy]:
    def find(mentions: Sequence[CauseMention]) -> list[str | None]:
        return [one.text if one.text in KNOWN else None for one in mentions]

    return [said for claim in find_causes(text) if (said := settle(claim, find)) is not None]


STORM, REWRITE = ("retry storm",), ("queue rewrite",)


@pytest.mark.parametrize(
    ("text", "cause", "effect", "weight"),
    [
        ("We capped the pool because of [[retry storm]].", STORM, (), LINKED),
        ("We capped the pool because of the Retry Storm.", STORM, (), NAMED),
        ("We capped the pool because of the `retry` storm - on Friday.", STORM, (), NAMED),
        ("Because of [[retry storm|the storm]], [[queue rewrite]] began.", STORM, REWRITE, LINKED),
        ("[[retry storm]] led to the queue rewrite.", STORM, REWRITE, NAMED),
        ("This led to [[queue rewrite]].", (), REWRITE, LINKED),
        ("Se debe a [[retry storm]].", STORM, (), LINKED),
        ("Die Störung wurde durch [[retry storm]] ausgelöst.", STORM, (), LINKED),
        ("因为[[retry storm]]，所以有了[[queue rewrite]]。", STORM, REWRITE, LINKED),
        ("[[retry storm]]が[[queue rewrite]]を引き起こした。", STORM, REWRITE, LINKED),
        ("[[queue rewrite]]，原因：[[retry storm]]。", STORM, REWRITE, LINKED),
        ("理由：[[retry storm]]。", STORM, (), LINKED),
        ("[[queue rewrite]]，是由[[retry storm]]引起的。", STORM, REWRITE, LINKED),
    ],
)
def test_a_cue_says_which_side_is_the_cause(
    text: str, cause: tuple[str, ...], effect: tuple[str, ...], weight: float
) -> None:
    assert may_tell(text)
    assert read(text) == [CausedBy(cause, effect, weight)]


@pytest.mark.parametrize(
    "text",
    [
        "It was not because of [[retry storm]].",
        "Was it because of [[retry storm]]?",
        "Perhaps [[retry storm]] led to it.",
        "If [[retry storm]] leads to [[queue rewrite]], tell me.",
        "He left because of the rain; see [[retry storm]].",
        "[[queue rewrite]] began because everybody was tired.",
        "[[retry storm]] and [[queue rewrite]] are two pages.",
        "[[retry storm]] fails. As a result, consider what [[queue rewrite]] says.",
        "",
    ],
)
def test_what_asks_denies_supposes_or_only_mentions_tells_nothing(text: str) -> None:
    assert read(text) == []


@given(st.text(max_size=400))
def test_any_text_is_read(text: str) -> None:
    for said in read(text):
        assert said.causes or said.effects


@pytest.mark.parametrize(
    "text",
    [
        text
        for row in read_table("causes")["row"]
        if row["kind"] in ("behind", "before", "sides")
        for text in row["yes"]
    ],
)
def test_whatever_a_cue_finds_holds_one_of_the_hints(text: str) -> None:
    assert may_tell(text)
