"""Words as texts write them, with what may stand around one without a blank: a text's words are taken apart once."""

from __future__ import annotations

from collections.abc import Iterable

_BEFORE = ("", "`", '"', "'", "(", "$(", "**", "./", "/bin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/")
_AFTER = ("", ":", ",", ".", ")", "`", ":**")


def spellings(words: Iterable[str], *, closed: bool = False) -> frozenset[str]:
    """``closed``: with what may follow, too."""
    return frozenset(
        before + word + after for word in words for before in _BEFORE for after in (_AFTER if closed else ("",))
    )
