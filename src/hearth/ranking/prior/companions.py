"""Co-activation: what was used together with the best hits, as far as it is among the candidates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hearth.ports import StoredDocument
from hearth.ranking.stage import Candidate

Companions = Callable[[StoredDocument], Mapping[str, int]]
"""The documents (docid) that a document was used together with -> on how many occasions."""

# ClawMem asks for the partners of the first quarter in order of arrival; the best few keep the cost bounded.
BEST = 3
PARTNERS = 5


def together(candidates: Sequence[Candidate], companions: Companions) -> dict[str, int]:
    """docid -> the most occasions on which it was used together with one of the best three documents, for the five
    partners of each that are candidates too. ``candidates`` come best first."""
    there = {candidate.document.document.docid: candidate.document for candidate in candidates}
    found: dict[str, int] = {}
    for docid in list(there)[:BEST]:
        partners = [(count, other) for other, count in companions(there[docid]).items() if other in there]
        for count, other in sorted(partners, key=lambda pair: (-pair[0], pair[1]))[:PARTNERS]:
            if other != docid:
                found[other] = max(count, found.get(other, 0))
    return found
