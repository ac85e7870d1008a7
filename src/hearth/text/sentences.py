"""Where sentences end: for all who part a text into them, without an eye for abbreviations."""

from __future__ import annotations

import re

END = re.compile(r"""(?:(?<=[.!?…])|(?<=[.!?…]["'”’)\]]))\s++|(?<=[。！？])""")
"""What stands between two sentences of a paragraph; nothing does in a script without spaces."""
_END_OF_LINE = re.compile(rf"{END.pattern}|\n+")


def split_sentences(text: str) -> list[str]:
    """Its sentences as they stand, none of them blank; a line's end is one of a sentence too."""
    return [sentence for sentence in _END_OF_LINE.split(text) if sentence.strip()]
