"""Expansion: where the settings want it, a question is looked up in the words of a language model, too."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple

from hearth.core.errors import UsageError
from hearth.core.query import Query, Rewording
from hearth.recall.candidates import gather, open_context
from hearth.recall.interfaces import Context, Lane
from hearth.recall.lanes import KeywordLane, SubstringLane, VectorLane
from hearth.recall.ranking.candidate import Candidate, order
from hearth.recall.routing import Interpreter
from hearth.vault.spaces import Spaces

SECONDS = 5.0
"""How long a question waits for the model; a third of its own deadline where it has one."""
_SHARE = 3
_KEPT = 256
WEIGHT = 0.4
"""What a score by other words counts against one by the question's own."""
_SURE, _LEAD = 0.65, 0.15
_WHY = "found by other words"
_WORDS: tuple[type[Lane], ...] = (KeywordLane, SubstringLane)
_MEANING: tuple[type[Lane], ...] = (VectorLane,)


class Expanded(NamedTuple):
    """The candidates, with those that other words found; ``missing`` says why there are none. ``trace`` is for
    ``--explain``."""

    candidates: list[Candidate]
    trace: Mapping[str, Any]
    missing: tuple[str, ...] = ()


class Expander:
    """``interpreter`` asks the model. What it said is kept for as long as the process lives, by question and intent:
    a file of it would tell what was asked. Thread-safe."""

    def __init__(self, interpreter: Interpreter) -> None:
        self._interpreter = interpreter
        self._known: OrderedDict[tuple[str, str], Rewording] = OrderedDict()
        self._lock = threading.Lock()
        self._whole, self._failed = "", False

    def reword_whole(self, question: str) -> Expander:
        """The same for the parts of a question: they share what the model says of all of it, and it is asked once."""
        found = copy(self)
        found._whole = question
        return found

    def __call__(self, context: Context, spaces: Spaces | None, found: list[Candidate]) -> Expanded:
        """Never raises for the model's sake: where it can't answer in time, the candidates are as they were."""
        query, text = context.query, context.question.text
        if not query.intent and is_sure(found):
            return Expanded(found, {"asked": False, "why": "the best hit leaves no doubt"})
        rewording, is_known, missing = self._reword(self._whole or text, query)
        if rewording is None:
            return Expanded(found, {"asked": True, "answered": False}, tuple(f"expansion: {why}" for why in missing))
        other = list(_search(context, spaces, rewording))
        trace = {"asked": True, "answered": True, "cached": is_known, **rewording.to_dict(), "found": len(other)}
        return Expanded(merge(found, other), trace)

    def _reword(self, text: str, query: Query) -> tuple[Rewording | None, bool, tuple[str, ...]]:
        key = (text, query.intent or "")
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key], True, ()
        if self._failed:
            return None, False, ()
        seconds = SECONDS if query.deadline_ms is None else min(SECONDS, query.deadline_ms / 1000 / _SHARE)
        found, missing = self._interpreter.ask(lambda reader: reader.reword(*key), seconds)
        self._failed = bool(self._whole) and found is None
        if found is not None:
            with self._lock:
                self._known[key] = found
                while len(self._known) > _KEPT:
                    self._known.popitem(last=False)
        return found, False, missing


def is_sure(found: Sequence[Candidate]) -> bool:
    """Whether the best candidate scores so high, and the next document so much less, that other words add nothing."""
    if not found or found[0].score < _SURE:
        return False
    best = found[0]
    second = max((one.score for one in found if one.document.id != best.document.id), default=0.0)
    return best.score - second >= _LEAD


def merge(found: Iterable[Candidate], other: Iterable[Candidate]) -> list[Candidate]:
    """What the question itself finds keeps its score; what other words find counts ``WEIGHT`` of theirs."""
    by_id = {one.fragment.id: one for one in found}
    for one in other:
        score = one.score * WEIGHT
        known = by_id.get(one.fragment.id)
        if known is None:
            by_id[one.fragment.id] = replace(one.move("expansion", score, _WHY), fused=score)
        elif known.score < score:
            by_id[one.fragment.id] = replace(known.move("expansion", score, _WHY), fused=score)
    return order(list(by_id.values()))


def _search(context: Context, spaces: Spaces | None, rewording: Rewording) -> Iterator[Candidate]:
    meanings = (*rewording.meanings, *filter(None, (rewording.passage,)))
    for text, lanes in (*((text, _WORDS) for text in rewording.words), *((text, _MEANING) for text in meanings)):
        by_meaning = lanes is _MEANING
        if by_meaning and context.vectors is None:
            continue
        query = replace(context.query, text=text)
        try:
            asked = open_context(query, context.reader, context.settings, None, unasked=False, by_meaning=by_meaning)
            # Words of the model's choosing widen nothing: "formerly" would let in what was superseded.
            asked = replace(asked, question=replace(asked.question, within=context.question.within))
            yield from gather(asked.with_vectors(spaces) if by_meaning else asked, lanes)
        except UsageError:
            continue
