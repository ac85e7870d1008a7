"""Documents and their fragments as they travel to another process."""

from __future__ import annotations

from collections.abc import Sequence

from hearth.lazy import dataclass
from hearth.model.document import Document
from hearth.ports import Reader, StoredDocument, StoredFragment


@dataclass(frozen=True, slots=True)
class DocumentTexts:
    """Documents with their fragments in order."""

    documents: tuple[tuple[Document, tuple[StoredFragment, ...]], ...]

    @property
    def size(self) -> int:
        return sum(len(part.text) for _, fragments in self.documents for part in fragments)


def find_unchanged(reader: Reader, batch: Sequence[StoredDocument]) -> set[int]:
    """Rows of those that were not written anew since."""
    present = reader.documents([one.id for one in batch])
    return {one.id for one in batch if one.id in present and present[one.id].document == one.document}


def read_texts(reader: Reader, batch: Sequence[StoredDocument]) -> DocumentTexts:
    return DocumentTexts(tuple((one.document, tuple(reader.fragments_of(one.id))) for one in batch))
