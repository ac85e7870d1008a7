"""llama-server started with ``--rerank``, and vLLM: Jina's shape with raw scores.

vLLM's scores are probabilities already: they keep their order here, and ``dialect: jina`` takes them as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hearth.models.http.families.jina import read_scores
from hearth.models.http.family import Scores


def score_body(query: str, texts: Sequence[str], model: str | None) -> dict[str, Any]:
    named = {} if model is None else {"model": model}
    return {"query": query, "documents": list(texts), **named}


SCORES = Scores("llama", "rerank", score_body, read_scores, needs_model=False, logits=True)
