"""Recall: one function from a query to its answer, the same for every surface."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hearth.engine.hits import as_hit
from hearth.engine.lanes import dates, lexical
from hearth.engine.lanes.vector import Embedded
from hearth.engine.question import Language, Question, ask
from hearth.engine.recipes import Recipe, recipe
from hearth.engine.spaces import Space
from hearth.engine.units import units
from hearth.errors import BadReply, Unavailable, UsageError
from hearth.model.query import MAX_RESULTS, Explanation, Hit, LaneScore, Query, Recall
from hearth.ports import Reader, Statistics, Store, StoredDocument, StoredFragment
from hearth.ranking.cut import apply_cut
from hearth.ranking.diversify import apply_diversity
from hearth.ranking.fuse import fuse
from hearth.ranking.pack import pack
from hearth.ranking.prior import apply_prior
from hearth.ranking.snippet import snippet
from hearth.ranking.stage import Candidate, ordered
from hearth.ranking.weights import FUSION, VOICE
from hearth.text.budget import estimate_tokens
from hearth.text.terms import terms

# Vector neighbours that enter the pool, and how many of the pool reach the stages per result asked for.
NEIGHBOURS = 60
_POOL_PER_RESULT = 4


@dataclass(frozen=True, slots=True)
class Taste:
    """What the configuration says of ranking."""

    language: Language = field(default_factory=Language)
    half_lives: Mapping[str, float | None] = field(default_factory=dict)
    temporal_decay: bool = True
    mmr: bool = True
    mmr_weight: float = 0.7
    contexts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def context(self, collection: str, path: str) -> str | None:
        """What the settings say of the closest folder above a document."""
        texts = self.contexts.get(collection, {})
        found = [folder for folder in texts if f"/{path}".startswith(f"/{folder.strip('/')}/".replace("//", "/"))]
        return texts[max(found, key=len)] if found else None


class Recaller:
    """Answers queries over a store. Thread-safe."""

    def __init__(self, store: Store, space: Space | None, taste: Taste) -> None:
        self._store = store
        self._space = space
        self._taste = taste

    def __call__(self, query: Query) -> Recall:
        """Raises ``UsageError`` for a limit out of range or a malformed operator; never for odd text."""
        if not 1 <= query.limit <= MAX_RESULTS:
            raise UsageError(f"limit {query.limit} is out of range; choose 1 to {MAX_RESULTS}")
        started = time.perf_counter()
        chosen = recipe(query.recipe)
        with self._store.read() as reader:
            answer = _Answer(self, reader, query, chosen).run()
        return replace(answer, took_ms=(time.perf_counter() - started) * 1000)

    @property
    def taste(self) -> Taste:
        return self._taste

    @property
    def space(self) -> Space | None:
        return self._space


class _Answer:
    """One query under way."""

    def __init__(self, recaller: Recaller, reader: Reader, query: Query, chosen: Recipe) -> None:
        self._recaller = recaller
        self._reader = reader
        self._query = query
        self._recipe = chosen
        self._statistics: Statistics = reader.statistics()
        self._missing: list[str] = []
        self._embedded: Embedded | None = None
        taste = recaller.taste
        language = replace(taste.language, languages=self._statistics.languages)
        self._question: Question = ask(query, language)
        self._lexicon = lexical.look_up(self._question, reader, self._statistics)

    def run(self) -> Recall:
        if self._question.empty:
            return self._nothing("the query holds nothing to search for")
        if not self._statistics.fragments:
            return self._nothing("the vault is empty; add notes with: hearth bootstrap FOLDER")
        pool = self._candidates()
        if not pool:
            return self._nothing("no passage shares a word or meaning with the query")
        ranked = self._staged(pool)
        if not ranked:
            best = max(candidate.score for candidate in pool)
            return self._nothing(f"the best passage scored {best:.2f}, too little to be an answer")
        hits = tuple(self._hit(candidate) for candidate in ranked)
        return Recall(
            query=self._query.text,
            recipe=self._recipe.name,
            hits=hits,
            missing=tuple(self._missing),
            tokens=sum(estimate_tokens(hit.text) for hit in hits),
            trace=self._trace(len(pool)) if self._query.explain else {},
        )

    def _nothing(self, reason: str) -> Recall:
        trace = self._trace(0) if self._query.explain else {}
        return Recall(self._query.text, self._recipe.name, missing=tuple(self._missing), reason=reason, trace=trace)

    # -- candidates ------------------------------------------------------------------------------------------------

    def _candidates(self) -> list[Candidate]:
        uses = self._recipe.lanes
        embedded, neighbours = self._vector_task() if "vector" in uses else (None, None)
        self._embedded = embedded
        ids: dict[int, None] = {}
        if "keyword" in uses:
            ids.update(dict.fromkeys(lexical.matched(self._question, self._lexicon, self._reader)))
        if "time" in uses and self._question.times:
            ids.update(dict.fromkeys(dates.dated(self._question.times, self._reader, self._question.within)))
        cosines: dict[int, float] = dict(neighbours) if neighbours else {}
        ids.update(dict.fromkeys(cosines))
        if embedded is not None:
            cosines.update(embedded.scores([i for i in ids if i not in cosines]))
        scored = self._scored(list(ids), embedded, cosines)
        size = max(self._query.candidates, _POOL_PER_RESULT * self._query.limit)
        best = sorted(scored, key=_loudness)[: size * (4 if self._question.phrases else 1)]
        fragments = self._reader.fragments([item[0] for item in best])
        documents = self._reader.documents(sorted({fragment.document for fragment in fragments.values()}))
        pool = [
            self._candidate(item, fragments[item[0]], documents[fragments[item[0]].document])
            for item in best
            if item[0] in fragments and fragments[item[0]].document in documents
        ]
        return ordered([c for c in pool if self._has_phrases(c)])

    def _vector_task(self) -> tuple[Embedded | None, list[tuple[int, float]] | None]:
        space = self._recaller.space
        if space is None:
            self._missing.append("vector")
            return None, None
        try:
            embedded = Embedded.of(space, self._question.text, self._reader, self._statistics.generation)
        except (Unavailable, BadReply) as error:
            self._missing.append(f"vector: {error}")
            return None, None
        if embedded is None:
            return None, None
        return embedded, embedded.nearest(NEIGHBOURS, self._reader.rows(self._question.within))

    def _scored(self, ids: Sequence[int], embedded: Embedded | None, cosines: Mapping[int, float]) -> list[_Scored]:
        weights = self._weights(embedded)
        calibrated = embedded.calibrated(cosines) if embedded is not None else {}
        found: list[_Scored] = []
        for posting in self._reader.postings(ids, self._question.within):
            judged = lexical.score(self._lexicon, posting, self._statistics)
            if judged is None:
                continue
            lanes, quiet = judged
            if posting.fragment in calibrated:
                near = LaneScore("vector", cosines[posting.fragment], calibrated[posting.fragment])
                lanes = (*lanes, near)
            fused = fuse({lane.lane: lane.score for lane in lanes if lane.lane in weights}, weights)
            found.append((posting.fragment, lanes, fused, quiet))
        return found

    def _weights(self, embedded: Embedded | None) -> dict[str, float]:
        """The lanes that can answer this question, with their say."""
        weights: dict[str, float] = {}
        if "keyword" in self._recipe.lanes:
            if self._question.words:
                weights["keyword"] = FUSION.keyword
            if self._question.tokens:
                weights["substring"] = FUSION.substring
        if embedded is not None:
            weights["vector"] = FUSION.vector * embedded.trust
        return weights

    def _timed(self, candidate: Candidate) -> Candidate:
        if "time" not in self._recipe.lanes or not self._question.times:
            return candidate
        near = dates.near(self._question.times, candidate.document)
        raised = candidate.score + FUSION.time * near.score * (1 - candidate.score)
        return replace(candidate, lanes=(*candidate.lanes, near), score=raised, fused=raised)

    def _candidate(self, scored: _Scored, fragment: StoredFragment, document: StoredDocument) -> Candidate:
        _, lanes, fused, quiet = scored
        found = self._timed(Candidate(fragment, document, fused, fused, lanes))
        return found.moved("voice", found.score * VOICE, "an assistant's words") if quiet else found

    def _has_phrases(self, candidate: Candidate) -> bool:
        if not self._question.phrases:
            return True
        text = " ".join(candidate.fragment.text.casefold().split())
        return all(" ".join(phrase.casefold().split()) in text for phrase in self._question.phrases)

    # -- stages ----------------------------------------------------------------------------------------------------

    def _staged(self, pool: list[Candidate]) -> list[Candidate]:
        query, taste = self._query, self._recaller.taste
        # A packed answer pays for a line once, which is diversity enough; weighing a hundred windows costs 40 ms.
        diverse = taste.mmr and query.diverse and query.budget_tokens is None
        weight = taste.mmr_weight if diverse else None
        stages = {
            "prior": apply_prior(
                query.at, dict(taste.half_lives), decay=taste.temporal_decay, recent=self._question.recent
            ),
            "diversify": apply_diversity(weight, query.limit),
            "cut": apply_cut(self._recipe.floor, query.min_score),
        }
        for name in self._recipe.stages:
            if name in stages:
                pool = stages[name](pool)
        if "pack" in self._recipe.stages and query.budget_tokens is not None:
            return pack(units(pool, self._worth), query.budget_tokens)[0][: query.limit]
        return pool[: query.limit]

    def _worth(self, texts: Sequence[str]) -> list[float]:
        """What texts say of the question on their own: the share of its words, and nearness in meaning."""
        weights, mass = self._lexicon.idf_by_term, sum(word.idf for word in self._lexicon.words) or 1.0
        language = self._statistics.languages[0] if len(self._statistics.languages) == 1 else "en"
        own = [min(1.0, sum(weights.get(term, 0.0) for term in set(terms(text, language))) / mass) for text in texts]
        if self._embedded is None:
            return own
        near = self._embedded.nearness(texts)
        return [(word + cosine) / 2 for word, cosine in zip(own, near, strict=True)]

    def _hit(self, candidate: Candidate) -> Hit:
        document, fragment = candidate.document.document, candidate.fragment
        short = snippet(fragment.text, fragment.start_line, self._lexicon.idf_by_term, document.language)
        explain = None
        if self._query.explain:
            explain = Explanation(candidate.lanes, candidate.fused, candidate.moves)
        return replace(
            as_hit(candidate.document, fragment, candidate.score, short.text, explain),
            also_in=candidate.also_in,
            context=self._recaller.taste.context(document.collection, document.path),
        )

    def _trace(self, pool: int) -> dict[str, Any]:
        question = self._question
        return {
            "lanes": list(self._recipe.lanes),
            "stages": list(self._recipe.stages),
            "words": [list(word.variants) for word in question.words],
            "tokens": [list(token.variants) for token in question.tokens],
            "phrases": list(question.phrases),
            "times": [time.phrase for time in question.times],
            "recency": question.recent,
            "words_dropped": question.dropped,
            "candidates": pool,
            "generation": self._statistics.generation,
        }


# Fragment, lane scores, fused score, and whether only an assistant speaks.
_Scored = tuple[int, tuple[LaneScore, ...], float, bool]


def _loudness(item: _Scored) -> tuple[float, int]:
    return (-item[2] * (VOICE if item[3] else 1.0), item[0])
