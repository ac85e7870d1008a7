from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearth.models.onnx.runtime import Cutter, batches, legible

LIMIT = 16


@pytest.fixture(scope="module")
def tokenizer(tiny: Path) -> Any:
    from tokenizers import Tokenizer

    found = Tokenizer.from_file(str(tiny / "embedder" / "tokenizer.json"))
    found.enable_truncation(max_length=LIMIT)
    found.enable_padding()
    return found


def tokens(tokenizer: Any, text: str) -> int:
    found = tokenizer.encode(text)
    return sum(sum(one.attention_mask) for one in (found, *found.overflowing))


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="ab \n.\u00e9", max_size=200), st.sampled_from(["{text}", "ask: {text}", "one {text} two"]))
def test_the_windows_of_a_text_are_the_text_and_each_fits(tokenizer: Any, text: str, template: str) -> None:
    (found,) = Cutter(tokenizer, LIMIT, template).windows([text])
    before, after = template.split("{text}")
    kept = "".join(window.text.removeprefix(before).removesuffix(after) for window in found)
    # White space alone gives no window; what has letters is there, in order.
    assert "".join(kept.split()) == "".join(text.split())
    for window in found:
        assert window.tokens == tokens(tokenizer, window.text) <= LIMIT


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=400), st.integers(6, LIMIT))
def test_any_text_is_cut_and_each_window_fits_a_smaller_limit_too(tokenizer: Any, text: str, limit: int) -> None:
    (found,) = Cutter(tokenizer, limit).windows([text])
    assert all(tokens(tokenizer, window.text) <= limit or len(window.text) == 1 for window in found)
    joined = "".join(window.text for window in found)
    assert len(joined) <= len(legible(text))


def test_windows_end_between_words_and_are_about_equally_long(tokenizer: Any) -> None:
    (found,) = Cutter(tokenizer, LIMIT).windows(["river cat roof money " * 20])
    assert all(window.text.endswith(" ") for window in found[:-1])
    lengths = [window.tokens for window in found]
    assert max(lengths) - min(lengths) <= 3


def test_a_text_that_fits_is_left_as_it_is(tokenizer: Any) -> None:
    (found,) = Cutter(tokenizer, LIMIT).windows([" the cat "])
    assert [window.text for window in found] == [" the cat "]


@given(st.lists(st.integers(1, 50), max_size=60), st.integers(0, 120))
def test_batches_hold_every_item_once_and_stay_within_the_limit(lengths: list[int], limit: int) -> None:
    found = list(batches(list(enumerate(lengths)), lambda item: item[1], limit))
    assert sorted(row for run in found for row, _ in run) == list(range(len(lengths)))
    assert all(len(run) == 1 or len(run) * max(size for _, size in run) <= limit for run in found)
    sizes = [size for run in found for _, size in run]
    assert sizes == sorted(sizes)
