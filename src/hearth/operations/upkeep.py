"""The server and its vaults: which there are, what they hold, and bringing them up to date."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from hearth import __version__
from hearth.config import edit
from hearth.config.kinds import near
from hearth.core.document import INTERNAL, NAMES
from hearth.core.errors import Guidance, NotFound, Unavailable, UsageError
from hearth.core.instants import show_date
from hearth.core.lazy import dataclass
from hearth.disk.project import find_provenance
from hearth.memory.status import stale, today
from hearth.operations import render, shapes
from hearth.operations.arguments import Arguments, allowed, collection_of, text
from hearth.operations.operation import PLAIN, Operation, Request, Route, Row, Tool
from hearth.operations.shapes import COUNTS as NUMBERS
from hearth.operations.shapes import FLAG, INSTANT, NUMBER, TEXT, TEXTS, WHOLE, listed, maybe, obj, ref
from hearth.vault.indexing.plan import COUNTS
from hearth.vault.vault import Status, Vault, VaultCounts

if TYPE_CHECKING:
    from hearth.vault.indexing.plan import SyncReport

_MOST = 100


class Reindex(Arguments):
    collection: Annotated[str | None, text("The collection (default: all); of a new folder, its name.", 64)] = None
    content_root: Annotated[
        str | None, text("The same by folder: absolute, or collection/folder. A new one becomes a collection.", 4_096)
    ] = None
    pattern: Annotated[str | None, text("Of a new folder: which files, as globs between commas.", 1_000)] = None


@dataclass(frozen=True, slots=True)
class Held:
    """What a vault holds now; ``failure`` is why its index can't be rebuilt, where it can't."""

    vault: str
    documents: int
    fragments: int
    missing_vectors: int
    skipped: int
    rebuilding: bool
    failure: str | None
    collections: list[dict[str, Any]]
    counts: VaultCounts

    def to_dict(self) -> dict[str, Any]:
        names = ("vault", "documents", "fragments", "missing_vectors", "skipped", "rebuilding", "collections")
        return {name: getattr(self, name) for name in names} | self.counts.to_dict()


@dataclass(frozen=True, slots=True)
class Scanned:
    """``vault`` and ``collections`` are how it stands after, where that was asked for."""

    report: SyncReport
    vault: str | None = None
    collections: list[dict[str, Any]] | None = None

    def to_dict(self) -> dict[str, Any]:
        found = self.report.to_dict(_MOST)
        return found if self.vault is None else found | {"vault": self.vault, "collections": self.collections}


def _count_skipped(files: Iterable[Any]) -> dict[str, Any]:
    found = [shapes.skipped(one) for one in files]
    return {"skipped": found[:_MOST], "skipped_total": len(found)}


def _health(call: Request, given: Arguments) -> Row:
    """Asks the index for real: a process that runs but can't answer is not well."""
    began = time.perf_counter()
    if call.vault.index.is_stale():
        raise call.vaults.rebuilder.ask(call.opened.settings)
    with call.vault.store.read() as reader:
        documents = reader.statistics().documents
    call.vault.recall("health", limit=1, recipe="keyword")
    took = round((time.perf_counter() - began) * 1000, 2)
    return Row({"status": "ok", "version": __version__, "documents": documents, "took_ms": took})


def describe_vault(call: Request, given: Arguments) -> Held:
    vault = call.vault
    stale = vault.index.is_stale()
    with vault.store.read() as reader:
        statistics, skipped = reader.statistics(), len(reader.skipped())
        missing = sum(space.missing for space in vault.index.upkeep.status(reader))
    failure = call.vaults.rebuilder.failure(vault.name) if stale else None
    return Held(
        vault.name,
        statistics.documents,
        statistics.fragments,
        missing,
        skipped,
        stale,
        failure,
        list(_collections(vault)),
        vault.counts(),
    )


def _collections(vault: Vault) -> Iterable[dict[str, Any]]:
    """Every collection that is set up, indexed or not; that of memories once there are some. Where they lie on the disk
    is nobody's business who asks over a network."""
    with vault.store.read() as reader:
        states = reader.collections()
    for one in vault.collections:
        state = states.get(one.name)
        if one.name == INTERNAL and (state is None or not (state.documents or state.held)):
            continue
        yield {
            "name": one.name,
            "pattern": one.pattern,
            "trust": NAMES[one.trust],
            "documents": state.documents if state else 0,
            "scanned_at": state.scanned_at if state else None,
            "held": state.held if state else "not indexed yet",
        }


def _stats(call: Request, given: Arguments) -> Row:
    status = call.vault.status()
    return Row(
        _figures(call, status)
        | {"rebuilding": call.vault.index.is_stale(), **_count_skipped(status.skipped)}
        | {"problems": _problems(call, status)[:_MOST]}
    )


def _figures(call: Request, status: Status) -> dict[str, Any]:
    """What every account of the index says: types of documents, accesses and sessions beside what it holds."""
    return {
        **call.vault.counts().to_dict(),
        "vault": status.vault,
        "documents": status.documents,
        "fragments": status.fragments,
        "languages": list(status.languages),
        "states": dict(status.states),
        "vectors": status.vectors,
        "missing_vectors": status.missing_vectors,
        "missing_relations": status.missing_relations,
    }


def _problems(call: Request, status: Status) -> list[str]:
    """What keeps the whole vault from being up to date first, then single documents."""
    found = [f"collection {one.name!r} is held: {one.held}" for one in status.collections if one.held]
    failure = call.vaults.rebuilder.failure(call.opened.name) if call.vault.index.is_stale() else None
    if failure is not None:
        found.insert(0, Guidance.behind("the index can't be rebuilt: ", failure))
    return found + [f"{uri}: {why}" for uri, why in status.problems]


def _index_stats(call: Request, given: Arguments) -> Row:
    status = call.vault.status()
    documents = [stored.document for stored in call.vault.documents()]
    now = call.vault.clock()
    dates = sorted(at for document in documents if (at := document.dated_at) is not None)
    due = sum(stale(document, today(now, call.vault.zone)) for document in documents)
    return Row(
        _figures(call, status)
        | {"skipped": len(status.skipped), "review_due": due}
        | {"oldest_at": dates[0] if dates else None, "newest_at": dates[-1] if dates else None}
    )


def _vaults(call: Request, given: Arguments) -> Row:
    return Row({"vaults": [{"name": name, "default": name == call.vaults.default} for name in call.vaults.names()]})


def _metrics(call: Request, given: Arguments) -> str:
    """The server adds what it counted of requests."""
    with call.vault.store.read() as reader:
        statistics = reader.statistics()
    name = call.vault.name
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


def _reindex(call: Request, given: Arguments) -> Scanned:
    if (other := call.vault.index.scanning()) is not None:
        raise Unavailable(f"{other} is reading the folders of this vault already; ask again when that is done")
    return Scanned(call.vault.index.sync(progress=call.progress))


def _sync(call: Request, given: Reindex) -> Scanned:
    there = call.vault.collections
    names = [collection.name for collection in there]
    name = given.collection
    if given.content_root is not None:
        known = collection_of(given.content_root, there)
        if known is None:
            return _bring_in(call, given, given.content_root)
        if name not in (None, known.name):
            raise UsageError(f"{given.content_root[:200]!r} is in the collection {known.name!r}; leave collection out")
        name = known.name
    elif name is not None and name not in names:
        message = f"no collection {name!r}{near(name, names)}; there are: {', '.join(names)}"
        raise NotFound(f"{message}; bring one in by its folder (content_root)")
    return _scan(call, name)


def _scan(call: Request, name: str | None) -> Scanned:
    done = _reindex(call, Arguments())
    found = [row for row in _collections(call.vault) if name in (None, row["name"])]
    return Scanned(done.report, call.vault.name, found)


def _bring_in(call: Request, given: Reindex, content_root: str) -> Scanned:
    """A folder below a root of the vault becomes a collection, and the vault is opened anew with it."""
    chosen = call.opened.settings
    folder = allowed(content_root, chosen.vault.roots)
    name = given.collection or edit.name_of(folder)
    trust = find_provenance(folder, chosen.environ).trust
    fields = {"path": str(folder), "trust": trust, **({"pattern": given.pattern} if given.pattern else {})}
    edit.add_collection(chosen.folders, chosen.vault.name, name, fields, call.vaults.names())
    with call.vaults.use(chosen.vault.name) as opened:
        return _scan(replace(call, opened=opened), name)


_COLLECTIONS = listed(
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
_COUNTED = {
    "content_types": NUMBERS | {"description": "Type -> number of documents."},
    "accesses": WHOLE | {"description": "How often answers used documents."},
    "accessed": WHOLE | {"description": "Documents that were read or used."},
    "sessions": WHOLE | {"description": "Sessions with agents, but empty ones."},
}
_FIGURES = {
    "vault": TEXT,
    "documents": WHOLE,
    "fragments": WHOLE,
    "languages": TEXTS,
    **_COUNTED,
    "states": NUMBERS | {"description": "State -> number of documents."},
    "vectors": NUMBERS | {"description": "Space -> number of vectors."},
    "missing_vectors": WHOLE,
    "missing_relations": WHOLE | {"description": "Documents whose relations are to be derived."},
}
_SKIPPED = {"skipped": listed(ref("Skipped"), "Files left out, the first 100."), "skipped_total": WHOLE}
_DONE = {
    **{name: WHOLE | {"description": f"Documents {name}."} for name in COUNTS},
    "fragments": WHOLE | {"description": "Fragments that were written."},
    "seconds": NUMBER,
    **_SKIPPED,
    "left_out": NUMBERS | {"description": "Reason -> number of files and folders that are no notes or not to be read."},
    "faults": listed(ref("Skipped"), "Documents with something wrong in them, the first 100; searches find them."),
    "problems": TEXTS,
    "held": {
        "type": "object",
        "additionalProperties": TEXT,
        "description": "Collections that lost too much at once to believe it.",
    },
}
_LEFT_OUT = WHOLE | {"description": "Files left out."}


_SHOWN = 5


def render_vaults(result: Row, given: Arguments) -> str:
    return "\n".join(f"{one['name']} (default)" if one["default"] else one["name"] for one in result.data["vaults"])


def render_vault_status(result: Held, given: Arguments) -> str:
    text = f"Vault {result.vault}: {_size(result.documents, result.fragments)}"
    lines = [
        text + (", index being rebuilt" if result.rebuilding else ""),
        *map(_collection_line, result.collections),
        *_say_counts(result.counts.to_dict()),
    ]
    if result.failure is not None:
        lines.append(f"The index can't be rebuilt: {render.word_message(result.failure)}")
    if result.missing_vectors:
        lines.append(f"{render.plural(result.missing_vectors, 'vector')} missing; a person runs: hearth embed")
    if result.skipped:
        lines.append(f"{render.plural(result.skipped, 'file')} skipped; a person runs: hearth status --all")
    return "\n".join(lines)


def _size(documents: int, fragments: int) -> str:
    return f"{render.plural(documents, 'document')}, {render.plural(fragments, 'fragment')}"


def _collection_line(row: dict[str, Any]) -> str:
    kind = " (memories)" if row["name"] == INTERNAL else ""
    why = f"; {render.line(row['held'])}" if row["held"] else ""
    read = f", read {render.minute(row['scanned_at'])}" if row["scanned_at"] else ""
    return f"- {row['name']}{kind}: {render.plural(row['documents'], 'document')}{read}{why}"


def render_figures(result: Row, given: Arguments) -> str:
    row = result.data
    states = ", ".join(f"{count:,} {name}" for name, count in row["states"].items() if count) or "none set"
    types, uses = _say_counts(row)
    lines = [
        f"Vault {row['vault']}: {_size(row['documents'], row['fragments'])}",
        types,
        f"States: {states}; due for review: {row['review_due']:,}",
        uses,
        f"Languages: {', '.join(row['languages']) or 'unknown'}",
        f"Vectors: {_count(row['vectors'])}; missing: {row['missing_vectors']:,}",
        f"Documents to relate: {row['missing_relations']:,}",
    ]
    if row["oldest_at"] is not None:
        lines.append(f"Written {show_date(row['oldest_at'])} to {show_date(row['newest_at'])}")
    return "\n".join(lines)


def _say_counts(row: dict[str, Any]) -> tuple[str, str]:
    read = f"{render.plural(row['accessed'], 'document')} read or used, {row['accesses']:,} times in answers"
    return f"Types: {_count(row['content_types'])}", f"Accesses: {read}; sessions: {row['sessions']:,}"


def _count(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items()) or "none"


def render_scan(result: Scanned, given: Arguments) -> str:
    report = result.report
    lines = [report.summarize()]
    lines += [f"skipped {render.place(f.collection, f.path)}: {render.line(f.reason)}" for f in report.skipped[:_SHOWN]]
    if len(report.skipped) > _SHOWN:
        lines.append(f"and {len(report.skipped) - _SHOWN:,} more files skipped")
    lines += [f"fault in {render.place(f.collection, f.path)}: {render.line(f.reason)}" for f in report.faults[:_SHOWN]]
    if len(report.faults) > _SHOWN:
        lines.append(f"and {len(report.faults) - _SHOWN:,} more documents with faults")
    lines += [f"{name} is held: {render.line(why)}" for name, why in report.held.items()]
    lines += map(render.word_message, report.problems[:_SHOWN])
    return "\n".join([*lines, *map(_collection_line, result.collections or ())])


HEALTH = Operation(
    "health",
    "Health",
    "Whether the vault answers a search. Needs no token.",
    Arguments,
    obj({"status": TEXT | {"const": "ok"}, "version": TEXT, "documents": WHOLE, "took_ms": NUMBER}),
    _health,
    reads=False,
    routes=(Route("GET", "/health", vault=False),),
    command="doctor",
)
STATUS = Operation(
    "status",
    "What the memory holds",
    "Show what a vault holds, by collection, and whether anything is wrong with it.",
    Arguments,
    obj(
        {name: _FIGURES[name] for name in ("vault", "documents", "fragments", "missing_vectors", *_COUNTED)}
        | {"skipped": _LEFT_OUT, "rebuilding": FLAG, "collections": _COLLECTIONS}
    ),
    describe_vault,
    reads=False,
    words=render_vault_status,
    tools=(Tool("status"),),
)
STATS = Operation(
    "stats",
    "Figures of a vault",
    "Figures of a vault.",
    Arguments,
    obj({**_FIGURES, "rebuilding": FLAG, **_SKIPPED, "problems": TEXTS}),
    _stats,
    reads=False,
    routes=(Route("GET", "/stats"),),
    command="status",
)
INDEX_STATS = Operation(
    "index_stats",
    "Figures of the index",
    "Count documents by type and state, accesses, sessions, vectors, languages, and what is due for review.",
    Arguments,
    obj(
        {
            **_FIGURES,
            "skipped": _LEFT_OUT,
            "review_due": WHOLE | {"description": "Documents past their review date."},
            "oldest_at": maybe(INSTANT),
            "newest_at": maybe(INSTANT),
        }
    ),
    _index_stats,
    words=render_figures,
    tools=(Tool("index_stats"),),
    command="status",
)
COLLECTIONS = Operation(
    "collections",
    "List the collections",
    "The collections of a vault.",
    Arguments,
    obj({"collections": _COLLECTIONS}),
    lambda call, given: Row({"collections": list(_collections(call.vault))}),
    reads=False,
    routes=(Route("GET", "/collections"),),
    command="collection",
)
VAULTS = Operation(
    "vaults",
    "List the vaults",
    "List the vaults; any tool takes one as vault.",
    Arguments,
    obj({"vaults": listed(obj({"name": TEXT, "default": FLAG}))}),
    _vaults,
    reads=False,
    words=render_vaults,
    tools=(Tool("list_vaults"),),
    routes=(Route("GET", "/vaults", vault=False),),
    command="vault",
)
METRICS = Operation(
    "metrics",
    "Metrics",
    "Figures for Prometheus.",
    Arguments,
    {},
    _metrics,
    reads=False,
    routes=(Route("GET", "/metrics", media=PLAIN),),
    command="serve",
)
REINDEX = Operation(
    "reindex",
    "Bring the index up to date",
    "Update the index from all folders of a vault. Seldom needed: searches check the folders themselves.",
    Arguments,
    obj(_DONE),
    _reindex,
    reads=False,
    writes=True,
    long=True,
    words=render_scan,
    tools=(Tool("update", former=("reindex",)),),
    routes=(
        Route("POST", "/update"),
        Route("POST", "/reindex", former=True),
    ),
    command="update",
)
SYNC = Operation(
    "vault_sync",
    "Bring a collection up to date",
    "Update a vault and show a collection's state. A folder below one of the vault's roots becomes a new collection.",
    Reindex,
    obj({"vault": TEXT, "collections": _COLLECTIONS, **_DONE}),
    _sync,
    reads=False,
    writes=True,
    long=True,
    words=render_scan,
    tools=(Tool("vault_sync"),),
    command="update",
)
