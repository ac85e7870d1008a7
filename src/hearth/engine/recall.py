"""Recall: one function from a query to its answer, the same for every surface."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from hearth.engine.hits import as_hit
from hearth.engine.intent import emphasis
from hearth.engine.lanes import dates, lexical
from hearth.engine.lanes.vector import Embedded
from hearth.engine.question import Language, Question, ask, is_question
from hearth.engine.recipes import Recipe, recipe
from hearth.engine.spaces import Spaces
from hearth.engine.usage.companions import companions
from hearth.engine.usage.identities import moves
from hearth.errors import BadReply, Unavailable, UsageError
from hearth.model.query import MAX_RESULTS, Conversation, Explanation, Hit, LaneScore, Query, Recall
from hearth.ports import Posting, Reader, Statistics, Store, StoredDocument, StoredFragment
from hearth.ranking.composite import apply_composite
from hearth.ranking.cut import apply_cut
from hearth.ranking.diversify import apply_diversity
from hearth.ranking.factors import Ageing
from hearth.ranking.fuse import fuse
from hearth.ranking.pack import pack
from hearth.ranking.prior import apply_prior
from hearth.ranking.snippet import snippet
from hearth.ranking.stage import Candidate, ordered
from hearth.ranking.weights import CUT, FUSION, VOICE
from hearth.ranking.welcome import welcome
from hearth.text.budget import estimate_tokens
from hearth.text.packed import Packed
from hearth.text.terms import terms

if TYPE_CHECKING:
    from hearth.engine.rerank import Rerank

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
    scoring: str = "relevance"

    def context(self, collection: str, path: str) -> str | None:
        """What the settings say of the closest folder above a document."""
        texts = self.contexts.get(collection, {})
        found = [folder for folder in texts if f"/{path}".startswith(f"/{folder.strip('/')}/".replace("//", "/"))]
        return texts[max(found, key=len)] if found else None


class Recaller:
    """Answers queries over a store. Thread-safe."""

    def __init__(self, store: Store, spaces: Spaces | None, taste: Taste, rerank: Rerank | None = None) -> None:
        self._store = store
        self._spaces = spaces
        self._taste = taste
        self._rerank = rerank

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
    def spaces(self) -> Spaces | None:
        return self._spaces

    @property
    def rerank(self) -> Rerank | None:
        return self._rerank


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
        self._packed: dict[int, bytes] = {}
        self._moved: dict[str, list[str]] | None = None
        taste = recaller.taste
        language = replace(taste.language, languages=self._statistics.languages)
        self._question: Question = ask(query, language)
        self._lexicon = lexical.look_up(self._question, reader, self._statistics)
        self._emphasis = emphasis(query, self._lexicon, language, reader, self._statistics)
        self._rerank_trace: Mapping[str, Any] | None = None
        self._unfit = ""

    def run(self) -> Recall:
        if self._question.empty:
            return self._nothing("the query holds nothing to search for")
        if not self._statistics.fragments:
            return self._nothing("the vault is empty; add notes with: hearth bootstrap FOLDER")
        pool = self._candidates()
        if not pool:
            chosen = " of those asked for by collection, type or date" if self._question.within.narrow else ""
            return self._nothing(f"no passage{chosen} shares a word or meaning with the query")
        if self._recaller.rerank is not None and "rerank" in self._recipe.stages:
            pool = self._reranked(self._recaller.rerank, pool)
        if self._recipe.unasked and self._is_small_talk(pool):
            return self._nothing("the prompt's words say too little to go by")
        ranked = self._staged(pool)
        if not ranked:
            best = max(candidate.score for candidate in pool)
            return self._nothing(self._unfit or f"the best passage scored {best:.2f}, too little to be an answer")
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
        self._packed = {item.posting.fragment: item.posting.packed for item in best}
        fragments = self._reader.fragments(list(self._packed))
        documents = self._reader.documents(sorted({fragment.document for fragment in fragments.values()}))
        pool = [
            self._candidate(item, fragments[item.posting.fragment], documents[item.posting.document])
            for item in best
            if item.posting.fragment in fragments and item.posting.document in documents
        ]
        fitting = ordered([c for c in pool if self._has_phrases(c)])
        if self._recipe.unasked:
            fitting = welcome(fitting, self._query.at, self._query.conversation or Conversation())
        return _without_headers(fitting, alone=not self._question.excluded)

    def _vector_task(self) -> tuple[Embedded | None, list[tuple[int, float]] | None]:
        spaces = self._recaller.spaces
        if spaces is None:
            self._missing.append("vector")
            return None, None
        try:
            asked = replace(self._query, text=self._question.text)
            embedded = Embedded.of(spaces, asked, self._reader, self._statistics.generation, self._missing)
        except (Unavailable, BadReply) as error:
            if spaces.strict:
                raise
            self._missing.append(f"vector: {error}")
            return None, None
        if embedded is None:
            return None, None
        return embedded, embedded.nearest(NEIGHBOURS, self._reader.rows(self._question.within))

    def _scored(self, ids: Sequence[int], embedded: Embedded | None, cosines: Mapping[int, float]) -> list[_Scored]:
        weights = self._weights(embedded.trust if embedded is not None else 0.0)
        by_rest = embedded.by_rest if embedded is not None else frozenset()
        rest = self._weights(embedded.rest_trust) if embedded is not None and by_rest else weights
        calibrated = embedded.calibrated(cosines) if embedded is not None else {}
        found: list[_Scored] = []
        mean_length = self._statistics.mean_length
        for posting in self._reader.postings(ids, self._question.within):
            opinion = lexical.score(self._lexicon, posting, mean_length)
            if opinion is None:
                continue
            fragment = posting.fragment
            near = calibrated.get(fragment)
            fused = fuse((*opinion.scores(), near or 0.0), rest if fragment in by_rest else weights)
            found.append(_Scored(posting, opinion, None if near is None else (cosines[fragment], near), fused))
        return found

    def _weights(self, trust: float) -> tuple[float, float, float]:
        """The say of keyword, substring and vector lane: 0 for one that can't answer this question."""
        by_words = "keyword" in self._recipe.lanes
        return (
            FUSION.keyword if by_words and self._question.words else 0.0,
            FUSION.substring if by_words and self._question.tokens else 0.0,
            FUSION.vector * trust,
        )

    def _timed(self, candidate: Candidate) -> Candidate:
        if "time" not in self._recipe.lanes or not self._question.times:
            return candidate
        near = dates.near(self._question.times, candidate.document)
        raised = candidate.score + FUSION.time * near.score * (1 - candidate.score)
        return replace(candidate, lanes=(*candidate.lanes, near), score=raised, fused=raised)

    def _candidate(self, scored: _Scored, fragment: StoredFragment, document: StoredDocument) -> Candidate:
        lanes, fused = scored.opinion.lanes(), scored.fused
        if scored.near is not None:
            lanes = (*lanes, LaneScore("vector", *scored.near))
        found = self._timed(Candidate(fragment, document, fused, fused, lanes))
        if not scored.opinion.quiet:
            return found
        why = "frontmatter" if fragment.kind == "frontmatter" else "an assistant's words"
        return found.moved("voice", found.score * VOICE, why)

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
        ageing = Ageing(query.at, taste.half_lives, taste.temporal_decay)
        apply = apply_composite if taste.scoring == "composite" else apply_prior
        stages = {
            "prior": apply(ageing, self._companions, recent=self._question.recent, explain=query.explain),
            "diversify": apply_diversity(weight, query.limit, self._words),
            "cut": apply_cut(self._floor(), query.min_score),
        }
        for name in self._recipe.stages:
            if name in stages:
                pool = stages[name](pool)
        if "pack" in self._recipe.stages and query.budget_tokens is not None:
            from hearth.engine.units import units  # turns of conversations, which only packing takes apart

            packed = pack(units(pool, self._worth), query.budget_tokens)[0][: query.limit]
            if pool and not packed:
                self._unfit = f"no passage fits into {query.budget_tokens} tokens; allow more"
            return packed
        return pool[: query.limit]

    def _floor(self) -> float:
        """What the best passage must reach: names say more than anything else whether a prompt is about these notes."""
        names = self._question.names
        if not self._recipe.unasked or not names:
            return self._recipe.floor
        known = any(variant in self._lexicon.idf_by_term for name in names for variant in name)
        return self._recipe.floor + (-CUT.name if known else CUT.name)

    def _is_small_talk(self, pool: Sequence[Candidate]) -> bool:
        """Whether even the best passage accounts for little information: idf is the surprise of a word in nats."""
        if self._query.conversation is not None and self._query.conversation.asks:
            return False
        best = max(candidate.relevance for candidate in pool)
        least = CUT.asked_nats if is_question(self._query.text) else CUT.told_nats
        return self._lexicon.mass * best < self._recipe.nats * least

    def _reranked(self, rerank: Rerank, pool: list[Candidate]) -> list[Candidate]:
        near = None if self._embedded is None else self._embedded.nearness
        found = rerank(self._query, self._question.text, pool, self._emphasis, near)
        self._rerank_trace = found.trace
        if found.missing is not None:
            self._missing.append(found.missing)
        return found.pool

    def _companions(self, stored: StoredDocument) -> Mapping[str, int]:
        """What a document was used together with; what was never used is not looked up."""
        if not stored.state.access_count:
            return {}
        if self._moved is None:
            self._moved = moves(self._reader)
        return companions(self._reader, stored.document.docid, self._moved)

    def _words(self, candidate: Candidate) -> frozenset[int]:
        """The index terms that stand in a candidate's text."""
        found = frozenset(Packed(self._packed[candidate.fragment.id]).body_ids())
        return found if self._lexicon.aside is None else found - {self._lexicon.aside}

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
        short = snippet(fragment.text, fragment.start_line, self._emphasis, document.language)
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
            "stages": [name for name in self._recipe.stages if name != "rerank" or self._recaller.rerank is not None],
            "words": [list(word.variants) for word in question.words],
            "tokens": [list(token.variants) for token in question.tokens],
            "phrases": list(question.phrases),
            "times": [time.phrase for time in question.times],
            "recency": question.recent,
            "words_dropped": question.dropped,
            "candidates": pool,
            "generation": self._statistics.generation,
            **({} if self._rerank_trace is None else {"rerank": dict(self._rerank_trace)}),
        }


class _Scored(NamedTuple):
    """``near`` is cosine and probability of a fragment with a vector."""

    posting: Posting
    opinion: lexical.Opinion
    near: tuple[float, float] | None
    fused: float


def _without_headers(found: list[Candidate], *, alone: bool) -> list[Candidate]:
    """Frontmatter is left out where a better passage of its document is there, since title and tags count in every
    one, and unless it may stand ``alone``: the passages that it would speak for may hold a word that is unwanted."""
    kept: list[Candidate] = []
    documents: set[int] = set()
    for candidate in found:
        header = candidate.fragment.kind == "frontmatter"
        if not header or (alone and candidate.document.id not in documents):
            kept.append(candidate)
        documents.add(candidate.document.id)
    return kept


def _loudness(item: _Scored) -> tuple[float, int]:
    return (-item.fused * (VOICE if item.opinion.quiet else 1.0), item.posting.fragment)
