"""The analyzer: from text to index terms, the same for documents and questions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearth.text.language import background_share, detect, fold, stem
from hearth.text.terms import (
    MAX_WHOLE,
    chunk_terms,
    chunks,
    count_terms,
    names_code,
    ngrams,
    surface,
    terms,
    whole_form,
)

ODD = st.text(st.characters() | st.sampled_from("._-/\\@#+:'’&%$~ aZ9重ก\u0301\ud800"), max_size=60)


@pytest.mark.parametrize(
    ("chunk", "expected"),
    [
        ("getUserById", {"=getuserbyid", "get", "user", "by", "id"}),
        ("parse_http_url", {"=parse_http_url", "pars", "http", "url"}),
        ("src/store.ts", {"=src/store.ts", "=store.ts", "src", "store"}),
        ("v0.8.2", {"=v0.8.2", "=0.8.2"}),
        ("user@example.com", {"=user@example.com", "user"}),
        ("@scope/pkg", {"=@scope/pkg", "=scope/pkg", "pkg"}),
        ("C++", {"=c++"}),
        ("C++.", {"=c++"}),
        ("C#,", {"=c#"}),
        ("HTTPServer", {"=httpserver", "http", "server"}),
        ("--dry-run", {"=--dry-run", "=dry-run", "dri", "run"}),
        ("2024-01-15", {"=2024-01-15"}),
        ("l'école", {"ecole"}),
        ("don't", {"don"}),
        ("naïve", {"naiv"}),
        ("重跑gen-itgc后", {"=gen-itgc", "重跑", "重", "后", "gen", "itgc"}),
        ("データベース", {"デー", "ース"}),
        ("ฐานข้อมูล", {"ฐา"}),
    ],
)
def test_a_chunk_gives_its_whole_form_and_its_parts(chunk: str, expected: set[str]) -> None:
    assert expected <= set(terms(chunk, "en"))


@pytest.mark.parametrize(
    "drawn", ["3sap7keq9v0h2m5t", "a94a8fe5ccb19ba61c4c0873d391e987982fbbd3", "3f2504e0-4f89-11d3-9a0c-0305e82c3301"]
)
def test_letters_between_the_digits_of_an_id_are_no_words(drawn: str) -> None:
    found = set(terms(drawn, "en"))
    assert f"={drawn}" in found
    assert not [term for term in found if term.isalpha()]


def test_a_plain_word_gives_its_stem_only() -> None:
    assert list(terms("Databases", "en")) == [stem("databases", "en")]
    assert whole_form("plain") is None
    assert whole_form("don't") is None


@settings(max_examples=300, deadline=None)
@given(ODD, st.sampled_from(("en", "de", "zh", "und")))
def test_terms_of_a_text_are_found_again_by_a_question(text: str, language: str) -> None:
    found = list(terms(text, language))
    assert found == list(terms(text, language))
    for chunk in chunks(text):
        assert not any(char.isspace() for char in chunk)
        asked = surface(chunk)
        variants = {*asked.wholes, *asked.grams, *(stem(word, language) for word in asked.words)}
        assert set(chunk_terms(chunk, language)) <= variants
    for term in found:
        assert term
        assert not term.startswith("=") or len(term) <= MAX_WHOLE + 1


@given(st.text(max_size=40), st.text(max_size=40))
def test_what_stands_apart_is_analyzed_apart(left: str, right: str) -> None:
    assert list(terms(f"{left} {right}", "en")) == [*terms(left, "en"), *terms(right, "en")]


def test_case_and_composition_make_no_difference() -> None:
    assert set(terms("GRÖSSE", "de")) == set(terms("grösse", "de")) == set(terms("gro\u0308sse", "de"))


def test_pairs_and_single_characters_cover_unspaced_text() -> None:
    assert list(ngrams("数据库")) == ["数", "据", "库", "数据", "据库"]


@given(st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), min_size=2, max_size=12))
def test_the_last_pair_and_character_of_unspaced_text_are_terms_like_the_first(run: str) -> None:
    for text in (run, f"gen-{run}", f"{run} v2", f"见{run}"):
        found = set(terms(text, "zh"))
        assert {run[:2], run[-2:], run[0], run[-1]} <= found


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The cat is on the table and it sleeps.", "en"),
        ("Die Katze ist auf dem Tisch und sie schläft.", "de"),
        ("El gato está en la mesa y no se mueve.", "es"),
        ("Le chat est sur la table et il dort.", "fr"),
        ("Кошка спит на столе.", "ru"),
        ("猫在桌子上睡觉。", "zh"),
        ("猫はテーブルの上で寝ています。", "ja"),
        ("고양이가 탁자 위에서 잔다.", "ko"),
        ("แมวนอนบนโต๊ะ", "th"),
        ("x = f(y); z", "en"),
        ("", "en"),
    ],
)
def test_languages_are_told_apart(text: str, language: str) -> None:
    assert detect(text) == language


@given(st.text(max_size=200))
def test_any_text_has_a_language(text: str) -> None:
    assert 2 <= len(detect(text)) <= 3


def test_folding_takes_marks_off_latin_letters_only() -> None:
    assert fold("café") == "cafe"
    assert fold("й") == "й"
    assert fold("ฐาน") == "ฐาน"


@given(st.text(max_size=20), st.sampled_from(("en", "de", "el", "ar", "ja")))
def test_a_stem_is_never_empty_unless_its_word_is(word: str, language: str) -> None:
    assert bool(stem(word.casefold(), language)) == bool(fold(word.casefold()))


def test_common_words_have_a_large_background_and_rare_ones_a_small_one() -> None:
    assert background_share(stem("function", "en")) > background_share("xylophon")
    assert 0 < background_share("xylophon") <= background_share(stem("use", "en")) <= 1


@given(st.text(st.characters(max_codepoint=127)))
def test_ascii_text_is_cut_as_it_is_beside_a_letter_that_is_not_ascii(text: str) -> None:
    assert [*chunks(text), "é"] == chunks(text + " é")


@given(st.from_regex(r"\A[A-Za-z]{1,8}[.:]{1,3}\Z"))
def test_a_full_stop_or_colon_adds_no_term_to_a_word(chunk: str) -> None:
    stems = dict.fromkeys(stem(word, "en") for word in surface(chunk).words)
    assert chunk_terms(chunk, "en") == (*surface(chunk).wholes, *surface(chunk).grams, *stems)


@given(st.text(max_size=60), st.sampled_from(["en", "es", "zh"]))
def test_counting_terms_counts_what_listing_them_lists(text: str, language: str) -> None:
    listed = list(terms(text, language))
    assert count_terms(text, language) == {term: listed.count(term) for term in listed}


def test_an_emoji_is_a_token_whatever_its_skin_and_whatever_it_touches() -> None:
    assert list(terms("🦊", "en")) == ["=🦊"]
    assert "=👍" in list(terms("👍🏽", "en"))
    assert list(terms("party🎉", "en")) == ["=🎉", "parti"]
    assert list(terms("⚠️ 🇪🇸", "en")) == ["=⚠", "=🇪🇸"]
    assert list(terms("a → b ─", "en")) == ["a", "b"]


@pytest.mark.parametrize(
    "chunk", ["StateFlow", "getUserById", "money.py", "src/store.ts", "get_user", "LARDER_IMPORT", "std::vector"]
)
def test_a_name_in_code_is_told_by_its_shape(chunk: str) -> None:
    assert names_code(chunk)


@pytest.mark.parametrize("chunk", ["e.g.", "p.m.", "U.S.", "self-care", "USA", "v0.8.2", "end.Then", "27.5", "word"])
def test_what_people_write_is_no_name_in_code(chunk: str) -> None:
    assert not names_code(chunk)
