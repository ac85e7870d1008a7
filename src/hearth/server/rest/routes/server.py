"""The server and its vaults: is it well, what does it hold."""

from __future__ import annotations

import time
from typing import Any

from hearth import __version__
from hearth.engine.vault import Status
from hearth.errors import Unavailable
from hearth.model.identity import INTERNAL
from hearth.server.remedies import REST, all_worded
from hearth.server.rest.route import PLAIN, Asked, Route
from hearth.server.rest.shapes import COUNTS, FLAG, INSTANT, NUMBER, TEXT, TEXTS, WHOLE, listed, maybe, obj, ref

_MOST_SKIPPED = 100


def _health(asked: Asked) -> dict[str, Any]:
    """Asks the index for real: a process that runs but can't answer is not well."""
    began = time.perf_counter()
    if asked.vault.index.is_stale():
        raise asked.vaults.rebuilder.ask(asked.opened.settings)
    with asked.vault.store.read() as reader:
        documents = reader.statistics().documents
    asked.vault.recall("health", limit=1, recipe="keyword")
    took = round((time.perf_counter() - began) * 1000, 2)
    return {"status": "ok", "version": __version__, "documents": documents, "took_ms": took}


def _stats(asked: Asked) -> dict[str, Any]:
    status = asked.vault.status()
    skipped = [{"collection": f.collection, "path": f.path, "reason": f.reason} for f in status.skipped]
    return {
        "vault": status.vault,
        "documents": status.documents,
        "fragments": status.fragments,
        "languages": list(status.languages),
        "states": dict(status.states),
        "vectors": status.vectors,
        "missing_vectors": status.missing_vectors,
        "rebuilding": asked.vault.index.is_stale(),
        "skipped": skipped[:_MOST_SKIPPED],
        "skipped_total": len(skipped),
        "problems": all_worded(_problems(asked, status), REST)[:_MOST_SKIPPED],
    }


def _problems(asked: Asked, status: Status) -> list[str]:
    """What keeps the whole vault from being up to date first, then single documents."""
    found = [f"collection {one.name!r} is held: {one.held}" for one in status.collections if one.held]
    failure = asked.vaults.rebuilder.failure(asked.opened.name) if asked.vault.index.is_stale() else None
    if failure is not None:
        found.insert(0, f"the index can't be rebuilt: {failure}")
    return found + [f"{uri}: {why}" for uri, why in status.problems]


def _collections(asked: Asked) -> dict[str, Any]:
    """Where they lie on the disk is nobody's business who asks over a network."""
    with asked.vault.store.read() as reader:
        states = reader.collections()
    rows = []
    for one in asked.vault.collections:
        state = states.get(one.name)
        if one.name == INTERNAL and (state is None or not (state.documents or state.held)):
            continue
        rows.append(
            {
                "name": one.name,
                "pattern": one.pattern,
                "trust": one.trust,
                "documents": state.documents if state else 0,
                "scanned_at": state.scanned_at if state else None,
                "held": state.held if state else "not indexed yet",
            }
        )
    return {"collections": rows}


def _vaults(asked: Asked) -> dict[str, Any]:
    names = asked.vaults.names()
    return {"vaults": [{"name": name, "default": name == asked.vaults.default} for name in names]}


def _metrics(asked: Asked) -> str:
    """The server adds what it counted of requests."""
    with asked.vault.store.read() as reader:
        statistics = reader.statistics()
    name = asked.vault.name
    return "\n".join(
        (
            "# HELP hearth_documents Documents in the index of a vault.",
            "# TYPE hearth_documents gauge",
            f'hearth_documents{{vault="{name}"}} {statistics.documents}',
            "# HELP hearth_fragments Fragments in the index of a vault.",
            "# TYPE hearth_fragments gauge",
            f'hearth_fragments{{vault="{name}"}} {statistics.fragments}',
        )
    )


def _reindex(asked: Asked) -> dict[str, Any]:
    if (other := asked.vault.index.scanning()) is not None:
        raise Unavailable(f"{other} is reading the folders of this vault already; ask again when that is done")
    report = asked.vault.index.sync(progress=asked.progress)
    skipped = [{"collection": f.collection, "path": f.path, "reason": f.reason} for f in report.skipped]
    return {name: getattr(report, name) for name in _COUNTS} | {
        "seconds": round(report.seconds, 3),
        "skipped": skipped[:_MOST_SKIPPED],
        "skipped_total": len(skipped),
        "problems": all_worded(report.problems[:_MOST_SKIPPED], REST),
        "held": dict(report.held),
    }


_COUNTS = ("added", "changed", "moved", "retired", "unchanged")
_SKIPPED = {"skipped": listed(ref("Skipped"), "Files left out, the first 100."), "skipped_total": WHOLE}

ROUTES = (
    Route(
        "health",
        "GET",
        "/health",
        "Whether the vault answers a search. Needs no token.",
        _health,
        obj({"status": TEXT | {"const": "ok"}, "version": TEXT, "documents": WHOLE, "took_ms": NUMBER}),
        vault=False,
    ),
    Route(
        "stats",
        "GET",
        "/stats",
        "Figures of a vault.",
        _stats,
        obj(
            {
                "vault": TEXT,
                "documents": WHOLE,
                "fragments": WHOLE,
                "languages": TEXTS,
                "states": COUNTS,
                "vectors": COUNTS,
                "missing_vectors": WHOLE,
                "rebuilding": FLAG,
                **_SKIPPED,
                "problems": TEXTS,
            }
        ),
    ),
    Route(
        "collections",
        "GET",
        "/collections",
        "The collections of a vault.",
        _collections,
        obj(
            {
                "collections": listed(
                    obj(
                        {
                            "name": TEXT,
                            "pattern": TEXT,
                            "trust": TEXT,
                            "documents": WHOLE,
                            "scanned_at": maybe(INSTANT),
                            "held": maybe(TEXT),
                        }
                    )
                )
            }
        ),
    ),
    Route(
        "vaults",
        "GET",
        "/vaults",
        "The vaults there are.",
        _vaults,
        obj({"vaults": listed(obj({"name": TEXT, "default": FLAG}))}),
        vault=False,
    ),
    Route("metrics", "GET", "/metrics", "Figures for Prometheus.", _metrics, media=PLAIN),
    Route(
        "reindex",
        "POST",
        "/reindex",
        "Bring the index up to date with the folders.",
        _reindex,
        obj(
            {
                **dict.fromkeys(_COUNTS, WHOLE),
                "seconds": NUMBER,
                **_SKIPPED,
                "problems": TEXTS,
                "held": {"type": "object", "additionalProperties": TEXT},
            }
        ),
        body={},
        long=True,
    ),
)
