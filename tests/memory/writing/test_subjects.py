from __future__ import annotations

import pytest

from hearth.memory.file_names import first_words


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("test_lid failed in jar_test.py. Then it passed.", "test_lid failed in jar_test.py"),
        ("__Never__ vent _helium_ here", "Never vent helium here"),
        ("**Use** `pnpm`, *always*", "Use pnpm, always"),
    ],
)
def test_a_title_loses_emphasis_and_no_part_of_a_name(text: str, title: str) -> None:
    assert first_words(text) == title


def test_a_title_ends_at_no_full_stop_within_its_sentence() -> None:
    assert first_words("Die Abgabe ist am 1. März. Danach Urlaub.") == "Die Abgabe ist am 1. März"
    assert (
        first_words("We use R because Prof. Ada Roux wants it. So be it.") == "We use R because Prof. Ada Roux wants it"
    )
