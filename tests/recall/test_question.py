"""Reading a question: any text is safe, and what people write is understood."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearth.core.errors import UsageError
from hearth.core.query import MAX_QUERY_TERMS, Query
from hearth.recall.question import Language, Question, ask
from hearth.text.language import stem

AT = 1_700_000_000_000


def read(text: str, **given: object) -> Question:
    return ask(Query(text, AT, **{"syntax": True, **given}), Language())  # type: ignore[arg-type]


def words(question: Question) -> set[str]:
    return {variant for word in question.words for variant in word.variants}


def tokens(question: Question) -> set[str]:
    return {variant for token in question.tokens for variant in token.variants}


ODD = st.text(st.characters() | st.sampled_from("\"-:()*'\0\ud800\udfff🙂\u202e\u200f重跑เก%;"), max_size=60)


@settings(max_examples=300, deadline=None)
@given(ODD)
def test_any_text_is_read(text: str) -> None:
    try:
        question = read(text)
    except UsageError as error:
        assert "is not a date" in str(error)
        return
    assert len(question.words) <= MAX_QUERY_TERMS
    for word in (*question.words, *question.tokens, *question.excluded):
        assert word.variants
        assert word.weight > 0
        for variant in word.variants:
            variant.encode("utf-8")


def test_unspaced_text_is_asked_for_by_all_its_pairs_and_one_character_by_itself() -> None:
    assert words(read("数据库图")) == {"数据", "据库", "库图"}
    assert words(read("库")) == {"库"}


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "???", "\0", "\ud800", "''", '""', "-", "()"])
def test_nothing_to_search_for_is_empty(text: str) -> None:
    assert read(text).empty


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("what is in src/store.ts?", "=src/store.ts"),
        ("write to user@example.com, please", "=user@example.com"),
        ("install @scope/pkg", "=@scope/pkg"),
        ("released v0.8.2.", "=v0.8.2"),
        ("released v0.8.2.", "=0.8.2"),
        ("is C++ fast", "=c++"),
        ("who calls getUserById()", "=getuserbyid"),
        ("重跑gen-itgc后", "=gen-itgc"),
        ("set HEARTH_CACHE_DIR", "=hearth_cache_dir"),
        ("error E-4012", "=e-4012"),
    ],
)
def test_identifiers_are_kept_whole(text: str, token: str) -> None:
    assert token in tokens(read(text))


def test_parts_of_identifiers_are_words() -> None:
    assert {"user", "id"} <= words(read("getUserById"))
    assert {"重跑", "gen", "itgc"} <= words(read("重跑gen-itgc后"))


def test_stop_words_count_only_where_nothing_else_is_asked() -> None:
    assert [word.variants[0] for word in read("what is the database").words] == [stem("database", "en")]
    only = read("to be or not to be")
    assert not only.empty
    assert "not" in words(only)


def test_words_of_the_owner_are_stop_words_too() -> None:
    question = ask(Query("acme database", AT), Language(stop_words=frozenset({"acme"})))
    assert "acme" not in words(question)


def test_phrases_are_taken_from_quotes() -> None:
    question = read('the "merge queue" and "  two  words " of ""')
    assert question.phrases == ("merge queue", "two  words")
    assert {"merg", "queue"} <= words(question)


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        ("database -postgres", {"postgr"}),
        ("database -postgres -mysql", {"postgr", "mysql"}),
        ("tar -xf file", set()),
        ("rm -rf / --force", set()),
        ("well-known name", set()),
        ("-postgres", set()),
        ("a - postgres", set()),
        ("range 10 -20", set()),
    ],
)
def test_a_word_after_a_lone_hyphen_is_left_out_and_a_flag_is_not(text: str, left_out: set[str]) -> None:
    excluded = {variant for word in read(text).excluded for variant in word.variants}
    assert left_out <= excluded
    assert bool(excluded) == bool(left_out)
    assert not left_out & words(read(text))


def test_operators_narrow_the_search_and_leave_the_text() -> None:
    question = read("cache path:Deep/ path:x tag:red type:decision after:2024-01-02 before:2024-02-01")
    within = question.within
    assert (within.paths, within.tags, within.types) == (("Deep/", "x"), ("red",), ("decision",))
    assert (within.since, within.until) == (1_704_153_600_000, 1_706_745_600_000)
    assert [word.variants[0] for word in question.words] == [stem("cache", "en")]
    assert question.text == "cache"


def test_operators_join_the_options_of_the_query() -> None:
    within = read("x tag:red", collections=("notes",), types=("note",), since=5).within
    assert (within.collections, within.types, within.since, within.tags) == (("notes",), ("note",), 5, ("red",))


@pytest.mark.parametrize("value", ["soon", "2024-13-01", "2024-02-30", "2024", "2024-1-1"])
def test_a_date_that_is_none_is_refused_by_name(value: str) -> None:
    with pytest.raises(UsageError, match=f"{value}.*YYYY-MM-DD"):
        read(f"x before:{value}")


def test_a_colon_elsewhere_is_no_operator() -> None:
    question = read("see http://path:80 and xpath:foo and Tag: x")
    assert question.within.narrow is False


def test_a_very_long_question_is_cut_and_says_how_much() -> None:
    question = read(" ".join(f"word{number}x" for number in range(200_000)))
    assert len(question.words) <= MAX_QUERY_TERMS
    assert question.dropped > 0


def test_every_language_of_the_vault_stems_the_question() -> None:
    question = ask(Query("Entscheidungen", AT), Language(languages=("de", "en")))
    assert stem("entscheidungen", "de") in words(question)
    assert stem("entscheidungen", "en") in words(question)


def test_times_are_read_in_the_zone_of_the_query() -> None:
    utc, tokyo = read("what happened yesterday"), read("what happened yesterday", zone="Asia/Tokyo")
    assert utc.times
    assert utc.times[0].start != tokyo.times[0].start


def test_the_form_of_a_request_is_no_part_of_what_an_answer_should_hold() -> None:
    question = read(
        "can you list the order in which I mentioned parts of the billing service across our conversations?"
    )
    asked = {variant for word in question.words if word.asked for variant in word.variants}
    assert {stem("billing", "en"), stem("service", "en")} <= asked
    assert not asked & {stem(word, "en") for word in ("list", "order", "mentioned", "conversations")}
    assert {stem("conversations", "en")} <= words(question)


@pytest.mark.parametrize(
    "text",
    [
        "session summary",
        "what did I say?",
        "list",
        "show the order total per item",
        "why do all sessions lose my session key?",
    ],
)
def test_a_request_about_orders_and_sessions_asks_for_them(text: str) -> None:
    assert all(word.asked for word in read(text).words)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("what did Caroline tell Ms Greene?", ["caroline", "ms", "greene"]),
        ("Caroline", []),
        ("where did we meet Jürgen, and why?", ["jurgen"]),
        ("где мы встретили Анну?", ["анну"]),
        ("is the API slow in Flask (or Django)?", ["flask", "django"]),
        ("when does Caroline's review take place?", ["caroline"]),
        ("qué dijo la amiga d'Alice?", ["alice"]),
        ("where is the Ju\u0308rgen file?", ["jurgen"]),
        ("When Does The Review With Bertram Take Place", []),
        ("wo liegt die Rechnung vom Server?", []),
        ("Fix it. Then run the tests", []),
        ("what did I say?", []),
    ],
)
def test_a_capital_inside_a_sentence_is_a_name(text: str, names: list[str]) -> None:
    assert [variants[-1] for variants in read(text).names] == names
