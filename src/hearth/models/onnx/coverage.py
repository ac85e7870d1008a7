"""How well a tokenizer knows a text's language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hearth.models.onnx.windows import legible

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_MEANINGFUL = 3
"""Letters from which on a piece is more than a bit of spelling."""

_LONGEST = 4_000
"""Characters looked at; the language of a text shows at its beginning."""


def coverage(tokenizer: Tokenizer, text: str, *, multilingual: bool) -> float:
    """Share of the text's letters that the model reads as more than spelling, in [0, 1]; 0 without letters.

    For a model of one language these are the letters in pieces of three or more (English about 0.8, Russian 0.02); for
    a multilingual one, whose pieces are short in many scripts, all letters but those of unknown tokens.
    """
    text = legible(text[:_LONGEST])
    letters = sum(map(str.isalpha, text))
    if not letters:
        return 0.0
    unknown = getattr(tokenizer.model, "unk_token", None)
    covered = 0
    found = tokenizer.encode(text)
    for one in (found, *found.overflowing):
        for (start, end), token in zip(one.offsets, one.tokens, strict=True):
            inside = sum(map(str.isalpha, text[start:end]))
            if token != unknown and (multilingual or inside >= _MEANINGFUL):
                covered += inside
    return min(1.0, covered / letters)
