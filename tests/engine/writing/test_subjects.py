from __future__ import annotations

import pytest

from hearth.engine.writing.subjects import first_words


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
