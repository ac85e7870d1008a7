"""Targets: the one document that somebody means, by reference, or by description where no other comes near."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hearth.core.document import DocumentState
from hearth.core.errors import Ambiguous, NotFound
from hearth.core.lazy import dataclass
from hearth.core.query import Hit, Recall
from hearth.ports import Store, StoredDocument
from hearth.vault.reference import LISTED, find, remembered

MIN_SCORE = 0.45
"""The calibrated score from which on a description is taken to mean its best document."""
MARGIN = 0.4
"""How far the second best document has to stay behind."""
_SHOWN = 5


def _hidden(state: DocumentState) -> bool:
    return state.hidden


def _any(state: DocumentState) -> bool:
    del state
    return True


@dataclass(frozen=True)
class Targets:
    """``ask`` answers a description, hidden documents included where the flag says so."""

    store: Store
    roots: Mapping[str, str]
    ask: Callable[[str, bool], Recall]

    def one(self, reference: str, *, hidden: bool = False, described: bool = True) -> StoredDocument:
        """The document meant; among several of a name ``hidden`` prefers what is hidden, else what is not forgotten.

        Raises ``NotFound``, or ``Ambiguous`` with the candidates.
        """
        try:
            return self._find_named(reference, _hidden if hidden else remembered)
        except NotFound as error:
            missed = error
        try:
            return self._find_named(reference, _any)
        except NotFound:
            if not (described and _describes(reference)):
                raise missed from None
        return self._describe(reference, hidden=hidden)

    def _find_named(self, reference: str, admits: Callable[[DocumentState], bool]) -> StoredDocument:
        with self.store.read() as reader:
            return find(reference, reader, self.roots, admits).stored

    def _describe(self, text: str, *, hidden: bool) -> StoredDocument:
        best: dict[str, tuple[StoredDocument, Hit]] = {}
        hits = self.ask(text, hidden).hits
        with self.store.read() as reader:
            for hit in hits:
                stored = reader.document(hit.docid)
                others = (find(place, reader, self.roots, _any).stored for place in hit.also_in)
                for one in (stored, *others):
                    if one is not None and (one.state.hidden or not hidden):
                        best.setdefault(one.document.docid, (one, hit))
        ranked = sorted(best.values(), key=lambda item: -item[1].score)
        if not ranked:
            raise NotFound(f"nothing fits the description {text!r}; name a document", LISTED.joined(", "))
        first, second = ranked[0][1].score, ranked[1][1].score if len(ranked) > 1 else 0.0
        if first >= MIN_SCORE and first - second >= MARGIN:
            return ranked[0][0]
        shown = ((stored.document, hit.score) for stored, hit in ranked[:_SHOWN])
        names = tuple(f"#{d.docid} {d.collection}/{d.path} ({score:.2f})" for d, score in shown)
        raise Ambiguous(f"{text!r} is not clear, so nothing was changed; name one: {', '.join(names)}", names)


def _describes(text: str) -> bool:
    """A single word is a name, perhaps mistyped; scripts without spaces may say much in one."""
    return len(text.split()) > 1 or not text.isascii()
