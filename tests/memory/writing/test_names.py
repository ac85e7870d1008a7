from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.document import is_docid
from hearth.memory.file_names import file_name, new_id, plain_days, revision_path, slug, subject_key


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("PostgreSQL over MongoDB", "postgresql-over-mongodb"),
        ("Zoë Ångström's café", "zoe-angstrom-s-cafe"),
        ("为什么不用流复制？", "为什么不用流复制"),
        ("Почему Redis", "почему-redis"),
        ("हिन्दी भाषा", "हिन्दी-भाषा"),
        ("../../etc/passwd", "etc-passwd"),
        ("a\x00b\nc", "a-b-c"),
        ("C++ & C#", "c-c"),
        ("🎉", ""),
    ],
)
def test_a_slug_reads_like_its_title(title: str, name: str) -> None:
    assert slug(title) == name


@given(st.text(max_size=300))
def test_any_title_gives_a_name_that_every_file_system_takes(title: str) -> None:
    name = file_name(title, "note", "0" * 16)
    assert len(name.encode()) <= 255
    assert not set(name) & set('/\\:*?"<>|\0 ')
    assert not name.startswith((".", "-"))
    assert name.endswith(f"{'0' * 16}.md")


def test_a_long_title_is_cut_between_words() -> None:
    assert slug("word " * 100) == "-".join(["word"] * 12)
    assert slug("x" * 100) == "x" * 60
    assert len(slug("为" * 100).encode()) <= 150


def test_ids_are_docids_and_differ() -> None:
    made = {new_id(os.urandom) for _ in range(1000)}
    assert len(made) == 1000
    assert all(is_docid(one) for one in made)


def test_revisions_sort_by_their_stamp() -> None:
    stamps = [9, 2**40, 117654590672797696, 2**62]
    paths = [revision_path("0" * 16, stamp) for stamp in stamps]
    assert paths == sorted(paths)


def test_only_plain_daily_names_count_newest_first() -> None:
    names = ["2026-03-04.md", "2026-03-05.bbbbbbbbbb.md", "2026-03-05.md", "notes.md"]
    assert plain_days(names) == ["2026-03-05.md", "2026-03-04.md"]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (("Editor", "Uses vim"), ("editor ", "Uses emacs"), True),
        ((None, "# Editor\n\nvim"), ("editor", "emacs"), True),
        ((None, "Indentation: tabs"), (None, "- **Indentation**: spaces"), True),
        ((None, "Prefers pnpm over npm."), (None, "prefers pnpm over npm. In CI too."), True),
        ((None, "I prefer tabs over spaces in Python"), (None, "I prefer tabs over spaces in Go"), False),
        ((None, "Preference: tabs"), (None, "Preference: dark mode"), False),
        ((None, "# Preferences\n\nUse tabs"), (None, "# Preferences\n\nUse dark mode"), False),
        ((None, "User: likes tea"), (None, "User: likes coffee"), False),
        ((None, "See https://a.example/x"), (None, "See https://b.example/x"), False),
        ((None, "C++"), (None, "C#"), False),
        ((None, "日本"), (None, "中国"), False),
    ],
)
def test_two_memories_share_a_subject_only_if_they_name_it(
    one: tuple[str | None, str], other: tuple[str | None, str], same: bool
) -> None:
    assert (subject_key(*one) == subject_key(*other)) is same
