"""What is said of a person: what lasts, said outright or meant, the strongest first, nothing twice."""

from __future__ import annotations

import pytest

from hearth.extract.pages.about import ProfileSource, choose, fit, is_about


def source(text: str, content_type: str = "fact", docid: str = "abc", **given: object) -> ProfileSource:
    return ProfileSource(docid, content_type, text, **{"said_at": "2026-03-01", "tier": "explicit", **given})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "content_type", "expected"),
    [
        ("The user uses Python 3.11.", "fact", True),
        ("The user is allergic to nuts.", "fact", True),
        ("The user has a dog named Rex.", "fact", True),
        ("The user has been vegetarian since 2020.", "fact", True),
        ("The staging database listens on port 6543.", "fact", False),
        ("The user is trying to optimize the dashboard.", "fact", False),
        ("The user has completed the login module.", "fact", False),
        ("The user has a deadline of April 15 to finish the MVP.", "fact", False),
        ("The user is going to Rome next week.", "fact", False),
        ("The user is using HTML5 and wants to make sure they follow best practices.", "fact", False),
        ("The user is getting ready for the review on April 15, 2024.", "fact", False),
        ("The user is trying to set up a project and prefers Bootstrap over Foundation.", "preference", False),
        ("The user said: “so I'd like to be pragmatic about it.”", "preference", False),
        ("The user said: “Always add version numbers.”", "principle", True),
        ("Always answer in German.", "principle", True),
        ("We adopt PostgreSQL.", "decision", False),
    ],
)
def test_only_what_lasts_and_is_the_persons(text: str, content_type: str, expected: bool) -> None:
    assert is_about(source(text, content_type)) is expected


def test_what_was_only_guessed_is_left_out() -> None:
    assert choose([source("The user likes tea.", "preference", tier="speculative")]) == []


def test_what_two_say_is_said_once_with_both_sources_and_what_another_says_too_is_left_out() -> None:
    found = choose(
        [
            source("The user prefers simple, minimal dependencies.", "preference", "a"),
            source("The user prefers simple, minimal dependencies.", "preference", "b", said_at="2026-03-02"),
            source("The user is using Python 3.11.", docid="c"),
            source("The user is using Python 3.11 and SQLite 3.39.", docid="d"),
        ]
    )
    assert [(one.text, one.sources) for one in found] == [
        ("The user prefers simple, minimal dependencies.", ("b", "a")),
        ("The user is using Python 3.11 and SQLite 3.39.", ("d",)),
    ]


def test_the_reverse_of_a_preference_is_another() -> None:
    texts = ("The user prefers PostgreSQL over MongoDB.", "The user prefers MongoDB over PostgreSQL for all of it.")
    assert len(choose([source(text, "preference", str(at)) for at, text in enumerate(texts)])) == 2


def test_over_the_cap_the_weakest_by_tier_use_and_age_leave() -> None:
    found = choose(
        [
            source("The user likes tea.", "preference", "old"),
            source("The user likes jazz.", "preference", "new", said_at="2026-04-01"),
            source("The user likes hills.", "preference", "used", uses=3),
            source("The user likes boats.", "preference", "meant", tier="implied", uses=9),
        ]
    )
    assert [one.sources[0] for one in found] == ["used", "new", "old", "meant"]
    assert [one.sources[0] for one in fit(found, 2, 500)] == ["used", "new"]
    assert fit(found, 9, 0) == []
