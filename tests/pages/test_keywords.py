"""Keywords: names and rare words before others, pairs that come again, three to seven, and the sentence with most."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hearth.core.graph import CONTEXT_CHARS, MOST_KEYWORDS
from hearth.pages.document_notes import KeywordCounts, context, find_spelling, keywords

TEXT = """The parcel queue runs on Redis. A job that the parcel queue loses is lost. Move `claim_next` to PostgreSQL 16.

```python
pemmican = quern()
```
"""


def found(text: str, **df: float) -> list[str]:
    return keywords(KeywordCounts.of(text), df, 100)


def test_names_identifiers_and_pairs_come_first_and_code_says_nothing() -> None:
    words = found(TEXT)
    assert {"Redis", "PostgreSQL", "parcel queue"} <= set(words)
    assert not {"pemmican", "quern", "parcel", "queue"} & set(words)
    assert 3 <= len(words) <= MOST_KEYWORDS


def test_what_stands_everywhere_in_the_vault_weighs_little() -> None:
    assert "Redis" in found(TEXT)
    assert "Redis" not in found(TEXT, redi=10_000.0)


def test_a_text_without_a_word_that_says_anything_has_none() -> None:
    assert found("") == [] and found("It is what it is, as I said.") == []


def test_the_context_is_the_sentence_with_most_of_them() -> None:
    said = context(("note", "2026-03-01", None), TEXT, found(TEXT))
    assert said == "note, 2026-03-01: The parcel queue runs on Redis."
    assert context(("note", None), "", []) == "note"


def test_a_keyword_is_held_where_all_of_its_words_are() -> None:
    counts = KeywordCounts.of(TEXT)
    assert (
        find_spelling(counts, "Queues", "en") == "queue"
        and find_spelling(counts, "parcel queues", "en") == "parcel queue"
    )
    assert find_spelling(counts, "parcel larder", "en") is None


@given(st.text(max_size=200))
def test_any_text_has_keywords_of_its_own_and_a_context_within_its_limits(text: str) -> None:
    words = found(text)
    assert len(words) <= MOST_KEYWORDS and len(set(words)) == len(words)
    said = context(("note",), text, words)
    assert len(said) <= CONTEXT_CHARS and "\n" not in said
