from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hearth.pages.topics import LEAST_DOCUMENTS, MOST_TOPICS, Topic, TopicCounts

OTHERS = [(f"Sample{chr(97 + n) * 4} grows.", 5.0) for n in range(20)]


def counted(*documents: tuple[str, float | None], titles: tuple[str, ...] = (), asks: bool = False) -> TopicCounts:
    counts = TopicCounts()
    for number, (text, age) in enumerate(documents):
        counts.add([f"{number}: {text}"], age, titles=titles if (text, age) not in OTHERS else (), asks=asks)
    return counts


def ranked(counts: TopicCounts) -> dict[str, Topic]:
    return {one.term.lower(): one for one in counts.rank()}


def test_a_phrase_that_four_documents_share_is_a_topic_where_a_title_has_it_and_its_last_word_is_a_noun() -> None:
    texts = [("We mended the zinc gutter, for the zinc gutter was old.", 5.0)] * 4 + [("Buy a copper pipe.", 5.0)] * 2
    assert not ranked(counted(*OTHERS, *texts))
    found = ranked(counted(*OTHERS, *texts, titles=("Repair of the zinc gutter",)))
    assert (found["zinc gutter"].documents, found["zinc gutter"].mentions) == (4, 8)
    assert list(found) == ["zinc gutter"]


def test_verbs_adverbs_weekdays_and_files_are_no_topics() -> None:
    said = "Therefore we receive rows on Monday, and imagine lib/gutter.py would often select them."
    assert not ranked(counted(*OTHERS, *[(said, 5.0)] * 4, titles=("Notes",)))


def test_one_word_is_a_topic_where_a_note_is_called_so() -> None:
    texts = [("The gutter is old. We mend the gutter.", 5.0)] * 3
    assert not ranked(counted(*OTHERS, *texts))
    assert list(ranked(counted(*OTHERS, *texts, titles=("Gutter",)))) == ["gutter"]


def test_one_word_is_a_topic_where_three_sessions_ask_for_it() -> None:
    texts = [(f"Mend the gutter of house {n}. The gutter is old.", 5.0) for n in range(3)]
    counts = TopicCounts()
    for text, age in (*OTHERS, *texts):
        counts.add([text], age, titles=(text.partition(".")[0],) if "gutter" in text else (), asks=True)
    assert list(ranked(counts)) == ["gutter"]


def test_a_name_in_two_titles_is_a_topic_and_in_a_period_without_one() -> None:
    texts = [("At last Grafana told us, and with Grafana we slept.", 5.0)] * 3
    assert not ranked(counted(*OTHERS, *texts))
    assert list(ranked(counted(*OTHERS, *texts, titles=("Boards in Grafana",)))) == ["grafana"]
    counts = TopicCounts(most_share=1.0, names=True)
    for number, (text, age) in enumerate(texts):
        counts.add([f"{number}: {text}"], age)
    assert list(ranked(counts)) == ["grafana"]


def test_an_item_that_is_carried_from_day_to_day_counts_once() -> None:
    counts = TopicCounts()
    for number in range(20):
        done = f"- [x] Ask about the zinc gutter ✅ 2026-03-{number + 1:02}"
        counts.add([done if number % 2 else "- [ ] Ask about the zinc gutter"], 5.0, titles=("The zinc gutter",))
    for text, age in OTHERS * 3:
        counts.add([text], age)
    assert not counts.rank()


def test_in_languages_that_put_the_noun_first_a_title_has_the_phrase() -> None:
    counts = TopicCounts()
    for number in range(3):
        said = f"{number}: Abbiamo scelto la rete elettrica in questo modo, e la rete tiene. Poi la rete cade."
        counts.add([said], 5.0, titles=("Rete elettrica",) if number == 0 else (), language="it")
    assert [one.term for one in counts.rank()] == ["rete elettrica"]


def test_what_comes_up_more_than_usual_is_trending() -> None:
    other = [(f"Something else about word{chr(97 + n) * 3}.", 50.0) for n in range(90)]
    new = [("Here is the tall mill.", 3.0)] * 14
    old = [("Here is a tarred boat.", 40.0 + n) for n in range(14)]
    found = ranked(counted(*other, *new, *old, titles=("Mill", "Boat")))
    # 14 documents: (1 - 14 / 90) / sqrt(14 / 90) = 2.14
    mill = next(one for term, one in found.items() if "mill" in term)
    boat = next(one for term, one in found.items() if "boat" in term)
    assert mill.trending and mill.trend == 2.14
    assert not boat.trending and boat.trend < 0


@given(st.lists(st.tuples(st.text(max_size=60), st.one_of(st.none(), st.floats(0, 400))), max_size=12))
def test_any_texts_give_topics_within_their_limits(documents: list[tuple[str, float | None]]) -> None:
    counts = counted(*documents)
    found = counts.rank()
    assert len(found) <= MOST_TOPICS
    assert all(LEAST_DOCUMENTS <= one.documents <= counts.documents for one in found)
    assert counted(*reversed(documents)).rank() == found


def test_headings_of_a_template_make_no_topic_and_what_stands_below_them_does() -> None:
    counts = TopicCounts()
    for number in range(20):
        template = (
            ["## The grave mistake", "## Options"] if number < 3 else ["## The green turnip"] if number == 3 else []
        )
        text = f"{number}: We weighed the green turnip." if number < 3 else f"Word{chr(97 + number) * 4} grows."
        counts.add([text], 5.0, [*template, f"# Day{chr(97 + number) * 4}"], ["Green turnip"] if number == 3 else [])
    found = {one.term.lower(): (one.documents, one.mentions) for one in counts.rank()}
    assert found == {"green turnip": (4, 4)}
