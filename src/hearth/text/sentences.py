"""Where sentences end: for all who part a text into them, without an eye for abbreviations; which these are."""

from __future__ import annotations

from hearth.lazy import regex

ABBREVIATIONS = r"Prof|Dr|Mr|Mrs|Ms|St|Nr|No|Sr|Sra|Mme|vs|etc|approx|bzw|ca|e\.g|i\.e|z\.B|d\.h"
"""Alternatives of a pattern: a full stop after them ends no sentence."""
END = regex(r"""(?:(?<=[.!?…])|(?<=[.!?…]["'”’)\]]))\s++|(?<=[。！？])""")
"""What stands between two sentences of a paragraph; nothing does in a script without spaces."""
_END_OF_LINE = regex(rf"{END.pattern}|\n+")
# The same for texts that are written with spaces: it starts with a blank, so that the others are passed over fast.
_SPACED = regex(r"""\s(?:(?<=[.!?…]\s)\s*+|(?<=[.!?…]["'”’)\]]\s)\s*+|(?<=\n)\n*+)""")
_UNSPACED = regex("[。！？]")


def split_sentences(text: str) -> list[str]:
    """Its sentences as they stand, none of them blank; a line's end is one of a sentence too."""
    end = _SPACED if text.isascii() or _UNSPACED.search(text) is None else _END_OF_LINE
    return [sentence for sentence in end.split(text) if sentence.strip()]
