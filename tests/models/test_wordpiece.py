from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hearth.models.static
from hearth.models import static as module
from hearth.models.static import WordPiece, words

PIECES = (
    (Path(hearth.models.static.__file__).with_name("static_table") / "vocabulary.txt").read_text("utf-8").split("\n")
)
VOCABULARY = dict(zip(PIECES, range(len(PIECES)), strict=True))
WORDPIECE = WordPiece(VOCABULARY)

SAMPLES = [
    "Hello, World! It's 3.14159 o'clock -- don't you_think?",
    "path/to/file.py:42 raised HTTP(404); see https://example.com/a?b=c&d=%20e#top",
    "Ça va? Über die Straße, naïve façade, El Niño, Señor, Ærøskøbing, İstanbul, ÅNGSTRÖM",
    "中文和日本語。한국 사람，mixed中文text、かな",
    "Съешь же ещё этих мягких французских булок, ΟΔΥΣΣΕΥΣ ὁ σοφός",
    "snake_case camelcase SCREAMING-KEBAB v1.2.3-rc.4 0xDEADBEEF",
    "tabs\tand\nnewlines\r\nand\u00a0no-break\u2003spaces “quotes” — dashes… ¿qué?",
    "electroencephalographically antidisestablishmentarianism",
]


def pieces(text: str) -> list[str]:
    return [PIECES[row] for row in WORDPIECE.ids(text)]


CAMEL = re.compile("[a-z][A-Z]|[A-Z][A-Z][a-z]")


def reference(text: str) -> list[str]:
    tokenizers = pytest.importorskip("tokenizers")
    full = {piece: row for row, piece in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *PIECES])}
    tokenizer = tokenizers.BertWordPieceTokenizer(full, lowercase=True)
    return list(tokenizer.encode(text, add_special_tokens=False).tokens)


@pytest.mark.parametrize("text", SAMPLES)
def test_samples_are_cut_as_the_reference_cuts_them(text: str) -> None:
    expected = reference(text)
    assert "[UNK]" not in expected
    assert pieces(text) == expected


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.text(alphabet=st.characters(codec="latin-1", exclude_categories=("C", "So")), max_size=12), max_size=12)
)
def test_latin_text_is_cut_as_the_reference_cuts_it(runs: list[str]) -> None:
    text = " ".join(runs)
    expected = reference(text)
    if "[UNK]" not in expected and not CAMEL.search(text):
        assert pieces(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("getUserById", ["get", "user", "by", "id"]),
        ("new HTTPServer()", ["new", "http", "server", "(", ")"]),
        ("YouTube", ["youtube"]),
    ],
)
def test_camel_case_is_read_as_its_words_unless_it_is_one(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected


def test_a_name_of_unknown_parts_is_cut_as_in_lower_case() -> None:
    assert pieces("PostgreSQL") == pieces("postgresql")


def test_an_unknown_character_costs_only_itself() -> None:
    assert pieces("deploy🚀now") == ["deploy", "now"]
    assert pieces("🚀") == []


def test_an_endless_word_is_dropped_and_its_neighbours_stay() -> None:
    assert pieces("before " + "x" * 101 + " after") == ["before", "after"]


def test_separators_and_controls_do_not_glue_words() -> None:
    assert pieces("page\x0cbreak\x0bhere") == ["page", "break", "here"]
    assert pieces("so\u00adft\x00ware") == ["software"]


def test_words_are_lower_case_without_accents_and_alone() -> None:
    assert words("Café,OK") == ["cafe", ",", "ok"]


def test_a_full_memo_is_begun_anew_and_answers_stay_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MEMO_LIMIT", 10)
    small = WordPiece(VOCABULARY)
    text = " ".join(PIECES[2000:2100])
    assert [small.ids(text) for _ in range(3)] == [WORDPIECE.ids(text)] * 3


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_every_text_has_pieces_of_the_vocabulary(text: str) -> None:
    assert all(0 <= row < len(PIECES) for row in WORDPIECE.ids(text))
