"""Which queries a message becomes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.context.queries import MAX_QUERIES, derive
from hearth.language.asking import MAX_MESSAGE_CHARS

CHATTER = (
    "I finally got the build green after two hours of fighting with the linter. The coffee machine on the third "
    "floor is broken again. My train was late this morning and I missed most of the standup. "
)


def kinds(message: str) -> list[tuple[str, str]]:
    return [(query.kind, query.text) for query in derive(message)]


def test_a_short_message_is_one_query_as_it_is() -> None:
    assert kinds("Why did we choose  PostgreSQL?") == [("ask", "Why did we choose PostgreSQL?")]
    assert kinds("fix the  proxy headers") == [("ask", "fix the proxy headers")]


def test_a_question_is_asked_without_what_is_said_beside_it() -> None:
    message = "I was reading the notes this morning. Which port does the proxy use?"
    assert kinds(message) == [("ask", "Which port does the proxy use?"), ("message", message)]


@pytest.mark.parametrize("ask", ["Why?", "Why did we do that?", "Which tools would you suggest?"])
def test_a_question_that_leans_on_what_stands_before_it_is_asked_with_it(ask: str) -> None:
    message = f"The proxy drops long headers. {ask}"
    assert kinds(message) == [("ask", message)]


def test_a_short_message_that_asks_two_things_asks_for_each() -> None:
    assert kinds("Which database did we choose? And who waters the garden?") == [
        ("ask", "And who waters the garden?"),
        ("ask", "Which database did we choose?"),
        ("message", "Which database did we choose? And who waters the garden?"),
    ]


def test_the_questions_of_a_long_message_come_first_the_last_one_leading() -> None:
    found = kinds(f"Who owns the billing service? {CHATTER}When does the certificate expire?")
    assert found[:2] == [("ask", "When does the certificate expire?"), ("ask", "Who owns the billing service?")]
    assert {kind for kind, _ in found[2:]} == {"statement", "message"}


@pytest.mark.parametrize(
    "ask",
    [
        "Remind me which port the proxy uses.",
        "by the way, what was the name of that library",
        "¿Cuándo caduca el certificado del servidor?",
        "Wo liegt das Zertifikat des Servers.",
        "証明書はいつ切れますか？",
    ],
)
def test_a_question_is_known_without_its_mark_and_in_other_languages(ask: str) -> None:
    assert ("ask", ask) in kinds(f"{CHATTER}\n{ask}\n{CHATTER}")


def test_a_question_that_says_little_takes_the_sentence_before_along() -> None:
    found = kinds(f"{CHATTER}We moved the billing service to Frankfurt. Why did we do that?")
    assert found[0] == ("ask", "We moved the billing service to Frankfurt. Why did we do that?")


def test_code_gives_its_names_and_its_last_error() -> None:
    message = (
        f"{CHATTER}\n```\nTraceback:\n  File src/proxy/headers.py in parse_header\nValueError: too many headers\n```\n"
    )
    found = [text for kind, text in kinds(message) if kind == "code"]
    assert found[0] == "ValueError: too many headers"
    assert "src/proxy/headers.py" in found[1] and "parse_header" in found[1]


def test_code_alone_is_asked_for_too() -> None:
    assert kinds("```python\nread_timeout = config.read_timeout\n```") == [("code", "read_timeout config.read_timeout")]


def test_what_says_the_same_is_asked_once() -> None:
    found = kinds(f"Who owns billing here? {CHATTER} who owns Billing here? {CHATTER}")
    assert len([text for kind, text in found if kind == "ask"]) == 1


@pytest.mark.parametrize("message", ["", "   ", "the of and", "```\n```", "?!"])
def test_a_message_that_says_nothing_gives_no_query(message: str) -> None:
    assert derive(message) == []


@pytest.mark.parametrize(
    "message",
    ["before:noon we met", 'he said "never again" twice', "run it -without the flag", "see path:src tag:x type:note"],
)
def test_a_message_is_no_query_syntax(message: str) -> None:
    assert kinds(message) == [("ask", message)]


def test_what_is_pasted_is_code_without_a_fence_too() -> None:
    pasted = '{"error": {"code": "ECONNREFUSED", "at": "src/proxy.py"}}\nTypeError: x is None'
    assert kinds(f"Which port does the proxy use?\n{pasted}") == [
        ("ask", "Which port does the proxy use?"),
        ("code", "TypeError: x is None"),
        ("code", "ECONNREFUSED src/proxy.py TypeError"),
    ]


def test_of_an_endless_message_the_ends_are_read() -> None:
    middle = "Filler words without any meaning stand here. " * 2_000
    found = kinds(f"Who owns billing these days? {middle} When does the contract end?")
    asks = [text for kind, text in found if kind == "ask"]
    assert asks == ["When does the contract end?", "Who owns billing these days?"]
    assert all(len(text) <= MAX_MESSAGE_CHARS + 1 for _, text in found)


def test_a_question_behind_a_megabyte_of_output_is_asked() -> None:
    for pasted in ("2026-02-11 08:12:01 INFO oven is hot\n" * 30_000, "```\n" + "bake(bread)\n" * 90_000 + "```\n"):
        assert kinds(f"{pasted}\nWho repairs the oven in Arles?")[0] == ("ask", "Who repairs the oven in Arles?")


def test_what_others_ask_in_a_text_is_no_question() -> None:
    mail = "Hi Renske,\nwho waters the garden in June? Which key opens the shed?\nKind regards, Ilja"
    found = kinds(f"Who pays for the roof of the mill?\n\n{mail}\n\n{CHATTER}")
    assert [text for kind, text in found if kind == "ask"] == ["Who pays for the roof of the mill?"]


@given(st.text(max_size=600))
def test_any_message_gives_few_distinct_queries(message: str) -> None:
    found = derive(message)
    assert len(found) <= MAX_QUERIES
    assert len({query.text for query in found}) == len(found)
    assert all(query.text.strip() for query in found)


@given(st.lists(st.sampled_from(["Where is it kept?", CHATTER, "```\nfoo_bar()\n```", "path:x", '"', "-no", "- a"])))
def test_any_mixture_is_bounded(parts: list[str]) -> None:
    assert len(derive("\n".join(parts * 3))) <= MAX_QUERIES
