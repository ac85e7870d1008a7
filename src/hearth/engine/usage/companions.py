"""Which documents were used together, wherever they have moved to since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hearth.engine.usage.identities import former, present
from hearth.model.journal import subjects
from hearth.ports import StateReader


def companions(reader: StateReader, docid: str, moved: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """docid -> occasions of those that a document was used together with, under the names they bear now;
    ``moved`` is ``identities.moves``."""
    own = former(reader, docid) if moved else [docid]
    found: dict[str, int] = {}
    for subject in own:
        for name, (count, _) in reader.members(subject).items():
            if (companion := subjects.read_companion(name)) is not None:
                for other in present(companion, moved):
                    found[other] = found.get(other, 0) + count
    return {other: count for other, count in found.items() if other not in own}
