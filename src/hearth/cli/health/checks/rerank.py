"""The reranker: whether it can tell an answer from a text about the same thing."""

from __future__ import annotations

from collections.abc import Iterator

from hearth.cli.health.checks.finding import FAIL, OK, WARN, Finding
from hearth.engine.vault import Vault
from hearth.errors import HearthError

_OFF = "; without it: hearth config set rerank.provider none"


def discrimination(vault: Vault) -> Iterator[Finding]:
    """Asks it questions whose answers are known; nothing where none is configured."""
    rerank = vault.core.recaller.rerank
    if rerank is None:
        return
    try:
        model, check = rerank.examine()
    except HearthError as error:
        yield Finding("rerank", FAIL, f"searches go on without it: {error}", f"see rerank.* in the settings{_OFF}")
        return
    if rerank.cache_problem is not None:
        yield Finding("rerank", WARN, rerank.cache_problem)
    if check.problem is not None:
        fix = f"check that {model} is a reranking model and how it is served, or choose another{_OFF}"
        yield Finding("rerank", FAIL, f"{model} is not used: {check.problem}", fix)
    else:
        found = f"right in {check.auc or 0:.0%} of the test pairs, margin {check.margin or 0:.2f}"
        yield Finding("rerank", OK, f"{model}: {found}")
