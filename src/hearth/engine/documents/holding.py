"""The passages that hold a name: looked up by its words, and not ranked beyond that."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from hearth.model.identity import INTERNAL
from hearth.ports import Filter, Reader, StoredDocument, StoredFragment, TermRow, WantedTerm
from hearth.text.similarity import flatten
from hearth.text.terms import terms

MOST_PASSAGES = 100
# So many that may hold the name are looked at for each that is wanted, since some have it in a title alone; its other
# words help to find them where they are in so few.
_MATCHED, _LEAST_MATCHED, _POSTINGS = 4, 400, 20_000
_BATCH = 100


class NamePassage(NamedTuple):
    stored: StoredDocument
    part: StoredFragment


def find_passages(
    reader: Reader,
    name: str,
    within: Filter,
    limit: int = MOST_PASSAGES,
    holds: Callable[[str], bool] | None = None,
) -> list[NamePassage]:
    """Those where the name stands prominently first, then the newest; ``holds`` says of a text whether it does, as it
    is written unless given."""
    plan = _plan(reader, name)
    matched = reader.match(plan, within, max(_LEAST_MATCHED, _MATCHED * limit)) if plan else []
    flat = flatten(name)
    parts = list(islice(_hold(reader, matched, holds or (lambda text: flat in flatten(text))), limit))
    documents = reader.documents(sorted({part.document for part in parts}))
    return [NamePassage(documents[part.document], part) for part in parts if part.document in documents]


def has_memories(reader: Reader) -> bool:
    """Whether anything was remembered, forgotten or not."""
    return bool(reader.find_documents(Filter((INTERNAL,), include_hidden=True), 1))


def _plan(reader: Reader, name: str) -> list[WantedTerm]:
    """The rarest term of the name in each language of the vault, and others that are cheap."""
    spelled = [set(terms(name, language)) for language in reader.statistics().languages or ("en",)]
    rows = reader.terms(set().union(*spelled))
    whole = [sorted((rows[one] for one in own), key=_rarity) for own in spelled if own and own <= rows.keys()]
    chosen = dict.fromkeys(own[0] for own in whole)
    spent = sum(row.df for row in chosen)
    for row in sorted({row for own in whole for row in own} - chosen.keys(), key=_rarity):
        spent += row.df
        if spent <= _POSTINGS:
            chosen[row] = None
    return [WantedTerm(row) for row in chosen]


def _rarity(row: TermRow) -> tuple[int, int]:
    return row.df, row.id


def _hold(reader: Reader, matched: Sequence[int], holds: Callable[[str], bool]) -> Iterator[StoredFragment]:
    for start in range(0, len(matched), _BATCH):
        batch = matched[start : start + _BATCH]
        parts = reader.fragments(batch)
        yield from (parts[one] for one in batch if one in parts and holds(parts[one].text))
