from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hearth.extract.pages.topics import LEAST_DOCUMENTS, MOST_TOPICS, TopicCounts, title


def counted(*documents: tuple[str, float | None]) -> TopicCounts:
    counts = TopicCounts()
    for text, age in documents:
        counts.add([text], age)
    return counts


def test_a_topic_stands_in_three_documents_and_not_in_most() -> None:
    texts = [(f"The garden needs water. Sample{chr(97 + n) * 4} grows.", 5.0) for n in range(20)]
    texts += [("Zinc gutters leak, zinc prices rise.", 5.0)] * 3 + [("Copper is red.", 5.0)] * 2
    found = {one.term.lower(): one for one in counted(*texts).rank()}
    assert "zinc" in found and "garden" not in found and "copper" not in found
    assert (found["zinc"].documents, found["zinc"].mentions) == (3, 6)


def test_what_comes_up_more_than_usual_is_trending() -> None:
    other = [(f"Something else about word{chr(97 + n) * 3}.", 50.0) for n in range(90)]
    new = [("The mill stands still.", 3.0)] * 14
    old = [("The boat lies ashore.", 40.0 + n) for n in range(14)]
    found = {one.term.lower(): one for one in counted(*other, *new, *old).rank()}
    # 14 documents: (1 - 14 / 90) / sqrt(14 / 90) = 2.14
    assert found["mill"].trending and found["mill"].trend == 2.14
    assert not found["boat"].trending and found["boat"].trend < 0


def test_a_title_is_made_of_what_is_rare_in_the_vault() -> None:
    text = ["We compared the parser with the exporter, and the parser won because of Parquet."]
    assert title(text, {}, 10).split(", ")[1:] == ["Parquet", "exporter"]
    assert "Parquet" not in title(text, {"parquet": 10_000_000.0}, 10)
    assert title(["and it is so"], {}, 10) == ""


def test_scripts_without_spaces_have_topics_and_titles() -> None:
    assert "数据" in title(["我们讨论了数据库的迁移，数据库很大。"], {}, 10) + title(["数据数据"], {}, 10)


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
        template = ["## What happened", "## Options"] if number < 3 else ["## Turnips"] if number == 3 else []
        text = "We weighed the options of turnips." if number < 2 else f"Word{chr(97 + number) * 4} grows."
        counts.add([text], 5.0, [*template, f"# Day{chr(97 + number) * 4}"])
    found = {one.term.lower(): (one.documents, one.mentions) for one in counts.rank()}
    assert found == {"turnips": (3, 3)}
