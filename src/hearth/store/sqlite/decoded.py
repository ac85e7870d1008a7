"""Documents that earlier requests decoded: a fifth of a short query is turning the same records into values again."""

from __future__ import annotations

from hearth.ports import StoredDocument

_MOST = 4_096


class Decoded:
    """Documents by row, kept for one generation of the index. Thread-safe: each generation has a dict of its own."""

    def __init__(self) -> None:
        self._kept: tuple[int, dict[int, StoredDocument]] = (-1, {})

    def of(self, generation: int) -> dict[int, StoredDocument]:
        """What is known of a generation; whoever decodes a document adds it."""
        kept = self._kept
        if kept[0] != generation or len(kept[1]) > _MOST:
            kept = self._kept = (generation, {})
        return kept[1]
