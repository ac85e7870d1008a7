"""Of what a file is a copy, by its name."""

from __future__ import annotations

import pytest

from hearth.core.conflict import grows, likely_original_of, original_of, shorter_names

ID = "0123456789abcdef"


@pytest.mark.parametrize(
    ("path", "original"),
    [
        ("daily/2026-01-01.md", None),
        ("daily/2026-01-01.0123456789.md", None),
        ("daily/2026-01-01.Conflict.md", "daily/2026-01-01.md"),
        ("daily/2026-01-01.0123456789 (1).md", "daily/2026-01-01.0123456789.md"),
        ("daily/2026-01-01 (1).sync-conflict-20260101-120000-ABCDEFG.md", "daily/2026-01-01.md"),
        ("daily/2026-01-012.md", None),
        (f"agent/notes/tea-{ID}.md", None),
        (f"agent/notes/tea-{ID}-and-milk-{ID}.md", None),
        (f"agent/notes/tea-{ID}-Annas-Mac.md", f"agent/notes/tea-{ID}.md"),
        (f"agent/notes/tea-{ID}g.md", None),
        ("agent/notes/tea (1).md", None),
        ("user/entities/person-anna.md", None),
        ("user/entities/person-anna-maria.md", None),
        ("user/entities/person-anna.0123456789.md", None),
        ("user/entities/person-anna-2.md", None),
        ("user/entities/person-आर्या.md", None),
        ("user/entities/person-anna-maria (1).md", "user/entities/person-anna-maria.md"),
        ("user/entities/person-anna-maria-Annas-Mac.md", "user/entities/person-anna-maria.md"),
        ("user/entities/person-anna.0123456789 2.md", "user/entities/person-anna.0123456789.md"),
        ("MEMORY (1).md", None),
        ("MEMORY (conflicted copy).md", "MEMORY.md"),
    ],
)
def test_in_the_engines_folder_a_name_of_ours_and_more_is_a_copys(path: str, original: str | None) -> None:
    assert original_of(path, ours=True) == original
    assert original is None or "MEMORY" in path or grows(original) or ID in original


def test_whom_an_entity_may_be_a_copy_of_is_told_from_the_longest_name_on() -> None:
    paths = ["user/entities/person-anna-maria.md", "user/entities/person-anna.md"]
    assert list(shorter_names("user/entities/person-anna-maria-thinkpad.md")) == paths
    assert list(shorter_names("agent/notes/person-anna-maria.md")) == []


@pytest.mark.parametrize("name", ["Bread (1)", "Bread(1)", "Bread 2", "Bread - Copy", "Bread copy", "Bread-Annas-Mac"])
def test_what_people_call_their_notes_too_may_be_a_copy(name: str) -> None:
    assert original_of(f"{name}.md") is None
    assert likely_original_of(f"{name}.md") == "Bread.md"
