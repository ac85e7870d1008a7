"""Doctor: vector spaces, the reranker and the language model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hearth.app import Settings
from hearth.app.models import try_out
from hearth.app.settings import now_ms
from hearth.cli.health.machine import FAIL, OK, WARN, Finding
from hearth.cli.output import plural
from hearth.core.errors import BadReply, HearthError, Unavailable
from hearth.ports import Embedder
from hearth.vault import canary, ledger
from hearth.vault.canary import Collapsed
from hearth.vault.upkeep import SpaceStatus
from hearth.vault.vault import Vault

_REINSTALL = "the model's files are damaged; run: pip install --force-reinstall hearth-memory"


def vectors(vault: Vault) -> Iterator[Finding]:
    """Which spaces there are, what they lack, and why."""
    for space in vault.status().spaces:
        yield _count(space)
        if space.failed:
            why = "; ".join(f"{count:,} times: {reason}" for reason, count in space.reasons)
            fix = "check what the model refuses; the built-in table answers for these fragments"
            message = f"{space.name}: {plural(space.failed, 'fragment')} failed, {why}"
            yield Finding("vectors", WARN, message, fix)


def _count(space: SpaceStatus) -> Finding:
    if space.role == "former":
        message = f"{space.name}: {plural(space.vectors, 'vector')} of a model that is no longer configured"
        return Finding("vectors", WARN, message, "restore that model, or drop them with: hearth embed", "embed")
    if space.facts is not None and space.facts.doubt:
        return Finding("vectors", FAIL, f"{space.name} must not answer: {space.facts.doubt}")
    if space.missing:
        message = f"{space.name}: {plural(space.missing, 'fragment')} without a vector"
        return Finding("vectors", WARN, message, "run: hearth embed", "embed")
    if not space.serves:
        message = f"{space.name}: has all available vectors but does not answer yet"
        return Finding("vectors", WARN, message, "run: hearth embed", "embed")
    return Finding("vectors", OK, f"{space.name}: every fragment has one")


def models(vault: Vault, chosen: Settings) -> Iterator[Finding]:
    """Asks each model questions whose answers are known."""
    spaces = vault.index.upkeep.spaces
    yield _judge("model", spaces.static.load(), None, None, _REINSTALL)
    if spaces.model is None:
        return
    variable = chosen.loaded.config.embedding.api_key_env
    if variable is not None:
        there = chosen.key(variable) is not None
        message = f"the variable {variable} is {'set' if there else 'not set'}"
        yield Finding("model key", OK if there else FAIL, message, None if there else f"set {variable} to the key")
        if not there:
            return
    try:
        embedder = spaces.model.load()
    except (Unavailable, BadReply) as error:
        yield Finding("model", FAIL, f"{spaces.model.label} can't be opened: {error}", _AWAY)
        return
    with vault.store.read() as reader:
        facts = ledger.newest(ledger.read(reader), embedder.fingerprint)
        known = None if facts is None else ledger.canary(reader, facts.name)
    if facts is not None and facts.dimensions != embedder.dimensions:
        message = f"{embedder.fingerprint} has {embedder.dimensions} dimensions, stored are {facts.dimensions}"
        yield Finding("model", FAIL, message, "run: hearth embed")
        return
    yield _judge("model", embedder, known, facts.first_margins if facts else None, _AWAY)


_AWAY = "the built-in table answers meanwhile; check embedding.* with: hearth config show"


def _judge(name: str, embedder: Embedder, known: object, first: Mapping[str, float] | None, fix: str) -> Finding:
    margins = ""
    try:
        reading = canary.read(embedder)
        margins = ", ".join(f"{kind} {value:.3f}" for kind, value in reading.margins.items())
        if known is not None:
            canary.compare(reading.vectors, known, embedder.fingerprint)  # type: ignore[arg-type]
        canary.judge(reading.margins, first, embedder.fingerprint)
    except Collapsed as error:
        return Finding(name, FAIL, f"{error} ({margins})" if margins else str(error), fix)
    except (Unavailable, BadReply) as error:
        return Finding(name, FAIL, f"{embedder.fingerprint} does not answer: {error}", fix)
    return Finding(name, OK, f"{embedder.fingerprint} can tell texts apart: {margins}")


_RERANK_OFF = "; without it: hearth config set rerank.provider none"


def discrimination(vault: Vault) -> Iterator[Finding]:
    """Asks it questions whose answers are known; nothing where none is configured."""
    rerank = vault.core.recaller.rerank
    if rerank is None:
        return
    try:
        model, check = rerank.examine()
    except HearthError as error:
        yield Finding("rerank", FAIL, f"searches run without it: {error}", f"see rerank.* in the settings{_RERANK_OFF}")
        return
    if rerank.cache_problem is not None:
        yield Finding("rerank", WARN, rerank.cache_problem)
    if check.problem is not None:
        fix = f"check that {model} is a reranking model and how it is served, or choose another{_RERANK_OFF}"
        yield Finding("rerank", FAIL, f"{model} is not used: {check.problem}", fix)
    else:
        found = f"right in {check.auc or 0:.0%} of the test pairs, margin {check.margin or 0:.2f}"
        yield Finding("rerank", OK, f"{model}: {found}")


_LLM_OFF = "; without it: hearth config set llm.provider none"


def answers(chosen: Settings) -> Iterator[Finding]:
    """Asks it for one word; nothing where none is configured."""
    given = chosen.loaded.config.llm
    if given.provider == "none":
        return
    try:
        name, used = try_out(chosen, now_ms)
    except HearthError as error:
        level = WARN if error.code == "over_budget" else FAIL
        yield Finding("llm", level, f"rules read sessions in the meantime: {error}", f"see: hearth llm test{_LLM_OFF}")
        return
    budget = "" if given.tokens_per_day is None else f" of {given.tokens_per_day:,}"
    yield Finding("llm", OK, f"{name} answers; {used:,}{budget} tokens used today")
