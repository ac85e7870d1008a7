"""Which figures and times a sentence tells, and which of them as new."""

from __future__ import annotations

import pytest

from hearth.language.statement_values import find_tellings


@pytest.mark.parametrize(
    ("sentence", "language", "told"),
    [
        ("The new daily quota is 1,200 calls.", "en", [("1200", True)]),
        ("The daily quota is 1,200 calls.", "en", [("1200", False)]),
        ("The call was rescheduled to 4:30 PM.", "en", [("4:30pm", True)]),
        ("Das Ziel liegt inzwischen bei 1350 Wörtern.", "de", [("1350", True)]),
        ("La nueva cuota es de 40 llamadas.", "es", [("40", True)]),
        ("I scored 4/5 on it.", "en", []),
        ("Nothing is counted here.", "en", []),
    ],
)
def test_values_are_told_with_whether_they_are_new(sentence: str, language: str, told: list[tuple[str, bool]]) -> None:
    assert [(one.form, one.lately) for one in find_tellings(sentence, language)] == told


def test_a_figure_comes_with_what_it_counts() -> None:
    [told] = find_tellings("The user secured 5 interviews.", "en")
    assert (told.before, told.units) == ("secur", ("interview",))


def test_money_counts_nothing() -> None:
    [told] = find_tellings("The raise is $110,000 a year.", "en")
    assert told.units == ("",)


def test_of_an_unknown_language_nothing_is_told() -> None:
    assert find_tellings("Kolme uutta sanaa, 5 kirjaa.", "fi") == []
