"""What is said of a person: what lasts, said outright or meant, the strongest first, nothing twice."""

from __future__ import annotations

import pytest

from hearth.pages.about import ProfileSource, choose, fit, is_about


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
        ("The user is Ines, a potter from Crestmoor.", "fact", True),
        ("The user's birthday is April 5.", "fact", True),
        ("The user said: “I'm 44 years old.”", "fact", True),
        ("The user said: “Tea is my favorite.”", "preference", True),
        ("The user prefers writing on Saturday mornings.", "preference", True),
        ("Always let me know what you would like to change.", "principle", True),
        ("The user painted this after they visited a museum.", "fact", False),
        ("The user is a huge fan of this genre!", "preference", False),
        ("The user's preference for keeping it small.", "preference", False),
        ("The user said the angle was 65°.", "fact", False),
        ("The user lost 6 hours.", "fact", False),
        ("The user just accepted a job.", "fact", False),
        ("The user has a review planned for July 30.", "fact", False),
        ("The user said: “On Friday, I got great news.”", "fact", False),
        ("The user passed the exam last Friday (2023-10-20)!", "fact", False),
        ("The user's score improved from 65% to 82%.", "fact", False),
        ("The user said: “I'd like to add a cache.”", "preference", False),
        ("The user said: “Can you help me with the proof?”", "preference", False),
        ("The user said: “so I'd like to be pragmatic about it.”", "preference", False),
        ("The user said: “Always add version numbers.”", "principle", True),
        ("Always answer in German.", "principle", True),
        ("We adopt PostgreSQL.", "decision", False),
        ("My deploy script needs Node 18.", "fact", False),
        ("The user's project name is Larder.", "fact", False),
        ("The user said: “My staging server runs Debian.”", "fact", False),
        ("The user's goal is to reach full coverage.", "fact", False),
        ("The user is using Gunicorn with 3 workers, listening on port 10000.", "fact", False),
        ("The user has been using the tides API with the `units` parameter.", "fact", False),
        ("The user uses Flask for their larder app.", "fact", False),
        ("The user's oldest daughter is called Mira.", "fact", True),
        ("My time zone is Europe/Lisbon.", "fact", True),
        ("The user is celebrating at the harbour.", "fact", False),
        ("The user is living in Porto.", "fact", True),
        ("The user has tracked ten percent more orders since August 2024.", "fact", False),
        ("The user said: “I set up a raffle for the school.”", "fact", False),
        ("Don't forget to pack warm socks.", "principle", False),
        ("Always check twice, and don't forget to say so.", "principle", True),
        ("Nope, never been on a boat.", "principle", False),
        ("The user chose to put clarity before length in that draft.", "preference", False),
        ("The user is a huge fan of it, that's why they go.", "preference", False),
        ("The user said: “That is one of my favorite songs.”", "preference", False),
        ("The user loves to copy her style.", "preference", False),
        ("The user loves the songs that Nina wrote, and her voice.", "preference", True),
        ("Correction: Antworten bitte auf Deutsch.", "correction", True),
        ("Correction: le risposte in italiano, per favore.", "correction", True),
        ("Correction: 日本語で答えてください。", "correction", True),
        ("Correction: der Port ist 9090.", "correction", False),
        ("Correction: 请求超时是五秒。", "correction", False),
        ("Correction: 申请截止于五月。", "correction", False),
        ("Correction: the SVP is Nina.", "correction", False),
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


def test_what_says_the_same_in_near_words_is_said_once_as_the_newest_has_it() -> None:
    texts = (
        "The user prefers using structured bullet points with quantified achievements over paragraphs.",
        "The user prefers bullet points with quantified results over paragraphs.",
        "The user prefers a bundle of 100 KB and short builds.",
        "The user prefers a bundle of 200 KB and short builds.",
    )
    found = choose([source(text, "preference", str(at), said_at=f"2026-03-0{9 - at}") for at, text in enumerate(texts)])
    assert [one.sources for one in found] == [("0",), ("2",), ("3",)]


def test_a_tool_is_named_once_with_its_newest_version() -> None:
    texts = (
        "The user is using Flask 2.3.1 and Redis.",
        "The user is using Flask 2.0 for styling.",
        "The user uses Redis 7.",
        "The user is using Flask 2.3 and Gunicorn.",
        "The user is using Redis as a local DB.",
        "The user uses vim.",
    )
    found = choose([source(text, docid=str(at), said_at=f"2026-03-0{9 - at}") for at, text in enumerate(texts)])
    assert [one.sources for one in found] == [("0",), ("3",), ("5",)]


def test_who_somebody_is_comes_before_what_they_use() -> None:
    found = choose([source("The user is using Flask.", said_at="2026-04-01"), source("The user is a potter.")])
    assert [one.text for one in found] == ["The user is a potter.", "The user is using Flask."]


def test_that_it_was_said_before_is_not_said() -> None:
    found = choose([source("The user prefers short drafts, like they mentioned.", "preference")])
    assert [one.text for one in found] == ["The user prefers short drafts."]


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


def test_past_the_strongest_that_there_may_be_room_for_none_is_looked_at() -> None:
    given = [source(f"The user likes {name}.", "preference", name) for name in ("tea", "jazz", "hills")]
    assert choose(given, 2) == choose(given)[:2]


def test_who_somebody_is_stands_on_the_profile_in_their_own_language_and_first() -> None:
    told = ["Dicho por el usuario: “Me llamo Ana.”", "Angabe des Nutzers: “Ich arbeite als Koch.”"]
    passing = "Dit par l'utilisateur: “Je travaille sur le bug.”"
    uses = "The user uses Neovim."
    facts = [
        ProfileSource(f"{n}", "fact", text, "2026-03-01", "explicit") for n, text in enumerate([uses, *told, passing])
    ]
    assert [one.text for one in choose(facts)] == [*reversed(told), uses]
