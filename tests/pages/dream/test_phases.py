from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.pages.dream.fragments import DreamFragment, FragmentSignal, Kind, count_signals
from hearth.pages.dream.plan import NightRules, dream, unite
from hearth.pages.dream.scores import Gates, PhaseHits, score
from hearth.pages.dream.themes import TermFrequencies

TODAY = "2026-03-20"
WORDS = TermFrequencies({}, 1_000)


def signal(
    kind: Kind = "used", day: str = TODAY, question: str = "q", at: int = 0, session: str = ""
) -> FragmentSignal:
    return FragmentSignal(kind, ("d", "0" * 12), day, question, 0.8, at, session)


def fragment(
    *signals: FragmentSignal, text: str = "The kiln is fired on Tuesdays.", doc: str = "d", **more: object
) -> DreamFragment:
    return DreamFragment((doc, "0" * 12), text, 1, "daily/2026-03-01.md", "daily", signals, **more)  # type: ignore[arg-type]


def sound(doc: str = "d", text: str = "The kiln is fired on Tuesdays.") -> DreamFragment:
    used = [signal(day=f"2026-03-{day}", question=f"q{day}") for day in (15, 17, 19)]
    return fragment(*used, text=text, doc=doc, spacing=0.8, tags=("kiln", "tuesday", "fire"))


def test_the_parts_are_those_of_the_formula() -> None:
    one = fragment(
        signal("found", "2026-03-06", "a"), signal("used", "2026-03-06", "b"), spacing=0.5, tags=("x", "y", "z")
    )
    hits = PhaseHits({one.key: frozenset({"2026-03-06"})}, {one.key: frozenset({"2026-03-06"})})
    found = score(one, hits, TODAY, Gates()).parts
    assert found["frequency"] == pytest.approx(0.24 * math.log(3) / math.log(11))
    assert found["relevance"] == pytest.approx(0.30 * 0.8)
    assert found["diversity"] == pytest.approx(0.15 * 2 / 5)
    assert found["recency"] == pytest.approx(0.15 * 0.5)
    assert found["consolidation"] == pytest.approx(0.10 * 0.5)
    assert found["richness"] == pytest.approx(0.06 * 3 / 6)
    assert found["phases"] == pytest.approx((0.06 + 0.09) * math.log(2) / math.log(7) * 0.5)


def test_a_further_signal_on_another_day_stands_for_a_confirmation_that_is_missing_but_not_for_the_first() -> None:
    used, on = signal(question="a"), "2026-03-19"
    found = [signal("found", on, f"q{number}") for number in range(4)]
    lacks = [score(fragment(*some), PhaseHits(), TODAY, Gates(min_score=0)).lacks for some in (
        [used, *found[:3]], [used, *found[:2]], found, [used, *(signal("found", TODAY, one.question) for one in found)],
    )]  # fmt: skip
    one_of_two = ("1 of 2 confirmations",)
    assert lacks == [(), one_of_two, ("0 of 2 confirmations",), one_of_two]
    assert score(fragment(used, *found[:3]), PhaseHits(), TODAY, Gates(0, min_confirmations=3)).lacks


def test_a_statement_is_that_of_an_undated_page_else_of_the_oldest_and_never_an_echo() -> None:
    echo = fragment(signal(question="a"), doc="a", echo=True, written="2026-01-01")
    late = fragment(signal(question="b"), doc="b", written="2026-03-01")
    early = fragment(signal(question="c"), doc="c", written="2026-02-01")
    page = fragment(signal(question="d"), doc="d")
    for some, first in (((echo, late, early, page), page), ((echo, late, early), early), ((echo, late), late)):
        [one] = unite(some)
        assert one.key == first.key and len(one.signals) == len(some)
    assert unite([echo]) == []
    assert "an assistant said it in a session" in score(echo, PhaseHits(), TODAY, Gates(min_score=0)).lacks


def test_near_identical_statements_are_one_with_the_signals_of_all() -> None:
    used = [signal(day=f"2026-03-{day}", question=f"q{day}") for day in (15, 17, 19)]
    texts = ("The kiln is fired on Tuesdays.", "The kiln is **fired** on Tuesdays", "The kiln is fired on Tuesdays!")
    parts = [fragment(one, text=text, doc=f"d{n}") for n, (one, text) in enumerate(zip(used, texts, strict=True))]
    other = fragment(signal(), text="The kiln is never fired on Tuesdays.", doc="e")
    united = unite([*parts, other])
    assert [(one.key[0], len(one.signals)) for one in united] == [("d0", 3), ("e", 1)]
    assert united[0].keys == tuple(one.key for one in parts)
    night = dream(united, PhaseHits(), WORDS, TODAY, NightRules(Gates(min_score=0), 10))
    assert [one.fragment.key for one in night.promoted] == [parts[0].key]


def test_what_rem_counts_are_the_days_of_a_week() -> None:
    """Used on two days of a month, and on one of the last seven: a pattern of the month, not of the week."""
    texts = ("Ada fires the kiln.", "Bo cools the kiln.", "Cy mends the kiln.")
    once = [
        fragment(signal(day="2026-03-02"), signal(day=TODAY), text=text, doc=f"d{n}", tags=("kiln",))
        for n, text in enumerate(texts)
    ]
    night = dream(once, PhaseHits(), WORDS, TODAY, NightRules(Gates(), 10))
    assert (night.themes, night.patterns, night.rem) == ((), (), ())
    [first, *rest] = once
    twice = replace(first, signals=(*first.signals, signal(day="2026-03-14")))
    night = dream([twice, *rest], PhaseHits(), WORDS, TODAY, NightRules(Gates(), 10))
    assert [one.key for one in night.patterns] == [twice.key] and [one.days for one in night.themes] == [2]


@pytest.mark.parametrize(
    ("signals", "lack"),
    [
        ([signal("found", f"2026-03-1{n}", f"q{n}") for n in range(9)], "0 of 2 confirmations"),
        ([signal(question=f"q{n}", at=n) for n in range(5)], "confirmed on 1 of 2 days"),
        ([signal(day=f"2026-03-1{n}") for n in range(5)], "1 of 2 questions"),
        ([signal(day=f"2026-03-1{n}", question=f"q{n}") for n in range(2)], "2 of 3 signals"),
    ],
)
def test_each_gate_shuts_alone(signals: list[FragmentSignal], lack: str) -> None:
    assert lack in score(fragment(*signals), PhaseHits(), TODAY, Gates(min_score=0)).lacks


def test_a_session_counts_three_times_at_most_and_a_question_once_a_day() -> None:
    many = [signal(question=f"q{n}", at=n, session="s") for n in range(9)]
    assert len(count_signals(many)) == 3
    assert len(count_signals([signal(at=n) for n in range(500)])) == 1


@given(st.permutations([signal(question=f"q{n % 4}", at=n, session=f"s{n % 2}") for n in range(12)]))
def test_the_order_in_which_signals_are_read_does_not_matter(signals: list[FragmentSignal]) -> None:
    expected = count_signals([signal(question=f"q{n % 4}", at=n, session=f"s{n % 2}") for n in range(12)])
    assert count_signals(signals) == expected


def test_a_night_promotes_the_best_up_to_its_limit_and_none_twice() -> None:
    texts = [f"{name} lives in {place}." for name in ("Ada", "Bo", "Cy") for place in ("Graz", "Lund", "Oslo", "Pisa")]
    fragments = [sound(f"d{n:02d}", text) for n, text in enumerate(texts)]
    twin = sound("e", texts[0])
    night = dream(unite([*fragments, twin]), PhaseHits(), WORDS, TODAY, NightRules(Gates(), 10))
    assert len(night.promoted) == 10
    assert twin.key not in {one.fragment.key for one in night.promoted}


def test_what_is_known_or_said_already_is_not_promoted() -> None:
    one, other = sound("a", "Ada lives in Graz."), sound("b", "Bo lives in Lund.")
    rules = NightRules(Gates(), 10, frozenset({one.key}), lambda text: text == other.text)
    assert dream([one, other], PhaseHits(), WORDS, TODAY, rules).promoted == ()


def test_themes_are_shared_by_three_passages_on_two_days_and_rare_elsewhere() -> None:
    fragments = [sound(f"d{n}", f"Firing {n} of the kiln.") for n in range(4)]
    common = TermFrequencies({"kiln": 2, "tuesday": 900}, 1_000)
    night = dream(fragments, PhaseHits(), common, TODAY, NightRules(Gates(), 10))
    assert "kiln" in [theme.tag for theme in night.themes]
    assert "tuesday" not in [theme.tag for theme in night.themes]
    assert set(night.rem) == {one.key for one in fragments}
    assert {one.key for one in night.patterns} == {one.key for one in fragments}


def test_a_theme_is_named_by_a_word_and_not_by_its_stem() -> None:
    texts = ("A necklace from Lund.", "The necklaces of the museum.", "Her necklace was mended.")
    days = ((15, 17), (16, 18), (17, 19))
    fragments = [
        fragment(*(signal(day=f"2026-03-{one}") for one in on), text=text, doc=f"d{number}", tags=("necklac",))
        for number, (text, on) in enumerate(zip(texts, days, strict=True))
    ]
    [theme] = dream(fragments, PhaseHits(), WORDS, TODAY, NightRules(Gates(), 10)).themes
    assert (theme.tag, theme.name) == ("necklac", "necklace")
