"""A language model as a reranker: how much likelier it goes on with "yes" than with "no"."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from hearth.core.errors import BadReply
from hearth.models.http.embedding_codec import judgement
from hearth.models.http.family import Scores
from hearth.models.http.reply import number, part

# The most that OpenAI's own route gives.
_ALTERNATIVES = 5


def score_body(query: str, texts: Sequence[str], model: str | None) -> dict[str, Any]:
    (text,) = texts
    named = {} if model is None else {"model": model}
    return {
        "prompt": judgement(model, query, text),
        "max_tokens": 1,
        "temperature": 0,
        "logprobs": _ALTERNATIVES,
        **named,
    }


def read_scores(reply: Any, count: int) -> list[float]:
    choices = part(reply, "choices", list)
    if len(choices) != count:
        raise BadReply(f"the reply holds {len(choices)} choices for {count} prompts")
    return [_yes(_alternatives(part(choice, "logprobs", dict))) for choice in choices]


def _alternatives(logprobs: dict[str, Any]) -> dict[str, float]:
    """Token -> log probability of the first place; OpenAI's and vLLM's table, or llama-server's list of objects."""
    first = (part(logprobs, "content" if "content" in logprobs else "top_logprobs", list) or [{}])[0]
    if isinstance(first, dict) and "top_logprobs" in first:
        items = [(part(item, "token", str), item.get("logprob")) for item in part(first, "top_logprobs", list)]
    elif isinstance(first, dict):
        items = list(first.items())
    else:
        raise BadReply("the reply's logprobs are no table of tokens")
    return {token: number(value, "logprob") for token, value in items}


def _yes(alternatives: dict[str, float]) -> float:
    """P(yes) / (P(yes) + P(no)); one that is not listed counts as much as the least that is."""
    sums = {"yes": 0.0, "no": 0.0}
    for token, logprob in alternatives.items():
        word = token.strip(" \t\r\n▁Ġ\"'.").casefold()
        if word in sums:
            sums[word] += math.exp(min(0.0, logprob))
    if not any(sums.values()):
        raise BadReply("the model answered neither yes nor no; it can't rerank by /v1/completions")
    least = math.exp(min(0.0, min(alternatives.values())))
    yes, no = (value or least for value in sums.values())
    return yes / (yes + no)


SCORES = Scores("completions", "completions", score_body, read_scores, needs_model=False, batch=1)
