"""What the routes of a question add to what hybrid search finds, the same for every surface."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from hearth.core.document import Document
from hearth.core.lazy import dataclass
from hearth.core.query import Hit, Recall
from hearth.core.session import Session
from hearth.ports import Filter
from hearth.recall.ranking.packing import SECTION_FLOOR
from hearth.recall.routing import MODES, asks_newest, plan
from hearth.text.time_expressions import time_ranges
from hearth.vault.vault import Vault

_RELATED_FROM = 2
_RELATED_SCORE = 0.3
_MOST_DATED = 200
_MOST_TIMES = 5
_MOST_SESSIONS = 100
MOST_ADDED = 5
"""Fragments that a route adds beyond the limit."""


@dataclass(frozen=True, slots=True)
class Added:
    """What a route adds to the fragments; ``timed`` says that it looked at a time. Where there is an ``outline``, the
    fragments stand beside it."""

    hits: Sequence[Hit] = ()
    documents: Sequence[Document] = ()
    sessions: Sequence[Session] = ()
    timed: bool = False
    outline: Recall | None = None


@dataclass(frozen=True, slots=True)
class RouteQuestion:
    """A question to a vault: at most ``limit`` fragments, of these collections, of all where none is named."""

    vault: Vault
    text: str
    limit: int
    collections: tuple[str, ...] = ()

    def recall(self, recipe: str) -> Recall:
        return self.vault.recall(self.text, recipe=recipe, limit=self.limit, collections=self.collections)


def _hybrid(ask: RouteQuestion, recall: Recall) -> Added:
    return Added()


def _by_recipe(recipe: str) -> Callable[[RouteQuestion, Recall], Added]:
    def added(ask: RouteQuestion, recall: Recall) -> Added:
        return Added(_list_new(ask, recall, ask.recall(recipe).hits))

    return added


def _planned(ask: RouteQuestion, recall: Recall) -> Added:
    """An outline, or what is best for each part of the question."""
    found = ask.recall("plan")
    if found.plan is not None and found.plan.kind == "outline":
        return Added(outline=found if found.hits else None)
    return Added(_list_new(ask, recall, found.hits))


def _list_new(ask: RouteQuestion, recall: Recall, found: Sequence[Hit]) -> list[Hit]:
    known = {(hit.docid, hit.start_line) for hit in recall.hits}
    return [hit for hit in found if (hit.docid, hit.start_line) not in known][: min(ask.limit, MOST_ADDED)]


def _discovery(ask: RouteQuestion, recall: Recall) -> Added:
    """Documents like the best ones, as far as these are answers."""
    known = {hit.docid for hit in recall.hits}
    added: dict[str, Hit] = {}
    for hit in recall.hits[:_RELATED_FROM]:
        for other in ask.vault.similar(f"#{hit.docid}", 2 * MOST_ADDED + len(known)):
            within = not ask.collections or other.collection in ask.collections
            if within and other.docid not in known and other.score >= _RELATED_SCORE:
                added.setdefault(other.docid, other)
    return Added(sorted(added.values(), key=lambda hit: (-hit.score, hit.docid))[: min(ask.limit, MOST_ADDED)])


def _timeline(ask: RouteQuestion, recall: Recall) -> Added:
    """What was written and which sessions there were in the time that the question names, newest first; the newest of
    all where it asks for that. Else the fragments found, by date: what is new has nothing to do with the question."""
    vault, limit, within = ask.vault, ask.limit, Filter(ask.collections, at=ask.vault.clock())
    now = vault.clock()
    # As far ahead as back, so that the middle is now.
    times = [(time.start, time.end) for time in time_ranges(ask.text, now, vault.zone)[:_MOST_TIMES]]
    spans = times or ([(0, 2 * now)] if asks_newest(ask.text) else [])
    if not spans:
        # What is not sure to answer says nothing of when.
        return Added((), _list_dated(vault, recall)[:limit] if recall.confident else [])
    unique = {document.docid: document for span in spans for document in newest(vault, within, span, limit)}
    documents = sorted(unique.values(), key=lambda document: document.newest_first)[:limit]
    log = vault.sessions.recent(_MOST_SESSIONS)
    sessions = [one for one in log if any(one.began < end and one.last >= start for start, end in spans)]
    return Added((), documents, sessions[:limit], timed=True)


def _list_dated(vault: Vault, recall: Recall) -> list[Document]:
    """The documents of the fragments, newest first."""
    with vault.store.read() as reader:
        found = [reader.document(docid) for docid in dict.fromkeys(hit.docid for hit in recall.hits)]
    documents = [stored.document for stored in found if stored is not None]
    return sorted(documents, key=lambda document: document.newest_first)


def newest(vault: Vault, within: Filter, span: tuple[int, int], limit: int) -> list[Document]:
    """Documents dated in [start, end) ms UTC, newest first; of very many those next to the middle."""
    with vault.store.read() as reader:
        rows = reader.documents_between(*span, within, max(limit, _MOST_DATED))
        found = [stored.document for stored in reader.documents(rows).values()]
    return sorted(found, key=lambda document: document.newest_first)[:limit]


_ROUTES: dict[str, Callable[[RouteQuestion, Recall], Added]] = {
    "hybrid": _hybrid,
    "keyword": _by_recipe("keyword"),
    "semantic": _by_recipe("semantic"),
    "causal": _by_recipe("intent"),
    "complex": _planned,
    "discovery": _discovery,
    "timeline": _timeline,
}
assert set(_ROUTES) == set(MODES)


# What a question asks for exactly, or why, is no outline, whatever else its wording says.
_OUTLINED = ("timeline", "discovery", "semantic")


def added(mode: str, ask: RouteQuestion, recall: Recall, *, chosen: bool = False) -> Added:
    """What the route adds to what hybrid search found for the question. Where the route was ``chosen`` by the wording
    and that asks for an outline, too, it comes instead of more fragments."""
    more = _ROUTES[mode](ask, recall)
    if not (chosen and mode in _OUTLINED and plan(ask.text).kind == "outline" and not asks_newest(ask.text)):
        return more
    outline = _planned(ask, recall).outline
    return more if outline is None else replace(more, hits=(), outline=outline)


def stand_beside(outline: Recall, hits: Sequence[Hit], *, full: bool) -> list[Hit]:
    """The fragments that an outline lacks and that are as near to the best of them as its lines are; those that it
    shows a line of, too, where they are wanted in ``full``."""
    shown: dict[str, list[int]] = {}
    for line in outline.hits:
        shown.setdefault(line.docid, []).append(line.start_line)

    def is_shown(hit: Hit) -> bool:
        return any(hit.start_line <= line <= hit.end_line for line in shown.get(hit.docid, ()))

    least = SECTION_FLOOR * max((hit.score for hit in hits), default=0.0)
    return [hit for hit in hits if hit.score >= least and (full or not is_shown(hit))]
