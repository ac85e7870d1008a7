"""The vaults themselves: which there are, what they hold, and bringing them up to date."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from hearth.engine.vault import Vault
from hearth.errors import NotFound, Unavailable, UsageError
from hearth.model.identity import INTERNAL
from hearth.model.instants import show_date
from hearth.server.mcp import render
from hearth.server.mcp.folders import collection_of
from hearth.server.mcp.tool import Answer, Call, Tool
from hearth.server.remedies import MCP, all_worded, worded
from hearth.server.schema import Schema, inputs, outputs, rows, text, value

if TYPE_CHECKING:
    from hearth.engine.indexing.sync import SyncReport

_SHOWN = 5


def _list_vaults(call: Call) -> Answer:
    names = call.vaults.names()
    data = [{"name": name, "default": name == call.vaults.default} for name in names]
    said = "\n".join(f"{name} (default)" if name == call.vaults.default else name for name in names)
    return Answer(said, {"vaults": data})


def _status(call: Call) -> Answer:
    vault = call.vault
    stale = vault.index.is_stale()
    with vault.store.read() as reader:
        statistics, skipped = reader.statistics(), len(reader.skipped())
        missing = sum(space.missing for space in vault.index.upkeep.status(reader))
    collections = _collections(call.vault)
    said = f"Vault {call.vault.name}: {_size(statistics.documents, statistics.fragments)}"
    failure = call.vaults.rebuilder.failure(call.vault.name) if stale else None
    lines = [said + (", index being rebuilt" if stale else ""), *map(_collection_line, collections)]
    if failure is not None:
        lines.append(f"The index can't be rebuilt: {render.line(worded(failure, MCP))}")
    if missing:
        lines.append(f"{render.plural(missing, 'vector')} missing; a person runs: hearth embed")
    if skipped:
        lines.append(f"{render.plural(skipped, 'file')} skipped; a person runs: hearth status --all")
    data = {
        "vault": call.vault.name,
        "documents": statistics.documents,
        "fragments": statistics.fragments,
        "missing_vectors": missing,
        "skipped": skipped,
        "rebuilding": stale,
        "collections": collections,
    }
    return Answer("\n".join(lines), data)


def _size(documents: int, fragments: int) -> str:
    return f"{render.plural(documents, 'document')}, {render.plural(fragments, 'fragment')}"


def _collections(vault: Vault) -> list[dict[str, Any]]:
    """Every collection that is set up, indexed or not; that of memories once there are some."""
    with vault.store.read() as reader:
        states = reader.collections()
    rows = []
    for collection in vault.collections:
        state = states.get(collection.name)
        if state is not None and (state.documents or state.held or collection.name != INTERNAL):
            known = {"scanned_at": state.scanned_at, "held": state.held}
            rows.append({"name": collection.name, "documents": state.documents, **known})
        elif collection.name != INTERNAL:
            rows.append({"name": collection.name, "documents": 0, "scanned_at": 0, "held": "not indexed yet"})
    return rows


def _collection_line(row: dict[str, Any]) -> str:
    kind = " (memories)" if row["name"] == INTERNAL else ""
    held = f"; {render.line(row['held'])}" if row["held"] else ""
    documents = render.plural(row["documents"], "document")
    read = f", read {render.minute(row['scanned_at'])}" if row["scanned_at"] else ""
    return f"- {row['name']}{kind}: {documents}{read}{held}"


def _index_stats(call: Call) -> Answer:
    status = call.vault.status()
    documents = [stored.document for stored in call.vault.documents()]
    now = call.vault.clock()
    types = dict(Counter(document.content_type for document in documents).most_common())
    due = sum(document.review_by is not None and document.review_by < now for document in documents)
    dates = sorted(at for document in documents if (at := document.dated_at) is not None)
    data = {
        "vault": status.vault,
        "documents": status.documents,
        "fragments": status.fragments,
        "content_types": types,
        "languages": status.languages,
        "states": dict(status.states),
        "vectors": status.vectors,
        "missing_vectors": status.missing_vectors,
        "skipped": len(status.skipped),
        "review_due": due,
        "oldest_at": dates[0] if dates else None,
        "newest_at": dates[-1] if dates else None,
    }
    by_type = ", ".join(f"{name} {count:,}" for name, count in types.items()) or "none"
    states = ", ".join(f"{count:,} {name}" for name, count in status.states.items() if count) or "none set"
    vectors = ", ".join(f"{name} {count:,}" for name, count in status.vectors.items()) or "none"
    lines = [
        f"Vault {status.vault}: {_size(status.documents, status.fragments)}",
        f"Types: {by_type}",
        f"States: {states}; due for review: {due:,}",
        f"Languages: {', '.join(status.languages) or 'unknown'}",
        f"Vectors: {vectors}; missing: {status.missing_vectors:,}",
    ]
    if dates:
        lines.append(f"Written {show_date(dates[0])} to {show_date(dates[-1])}")
    return Answer("\n".join(lines), data)


def _reindex(call: Call) -> Answer:
    report = _scanned(call)
    return Answer(_summary(report), _row(report))


def _vault_sync(call: Call) -> Answer:
    chosen = [call["collection"], call["content_root"]]
    if sum(one is not None for one in chosen) > 1:
        raise UsageError("give collection or content_root, not both")
    there = call.vault.collections
    name = call["collection"]
    if call["content_root"] is not None:
        name = collection_of(call["content_root"], there).name
    elif name is not None and name not in {collection.name for collection in there}:
        names = ", ".join(collection.name for collection in there)
        raise NotFound(f"no collection {name!r}; there are: {names}; a person adds one: hearth collection add")
    report = _scanned(call)
    rows = [row for row in _collections(call.vault) if name in (None, row["name"])]
    said = "\n".join([_summary(report), *map(_collection_line, rows)])
    return Answer(said, _row(report) | {"vault": call.vault.name, "collections": rows})


def _scanned(call: Call) -> SyncReport:
    if call.vault.index.is_stale():
        raise call.vaults.rebuilder.ask(call.opened.settings)
    if (other := call.vault.index.scanning()) is not None:
        raise Unavailable(f"{other} is reading the folders of this vault already; ask again when that is done")
    return call.vault.index.sync(progress=call.progress)


_COUNTS = ("added", "changed", "moved", "retired", "unchanged")


def _row(report: SyncReport) -> dict[str, Any]:
    skipped = [{"path": f"{one.collection}/{one.path}", "reason": render.line(one.reason)} for one in report.skipped]
    return {name: getattr(report, name) for name in _COUNTS} | {
        "seconds": round(report.seconds, 3),
        "skipped": skipped[:100],
        "problems": [render.line(one) for one in all_worded(report.problems[:100], MCP)],
        "held": [f"{name}: {render.line(why)}" for name, why in report.held.items()],
    }


def _summary(report: SyncReport) -> str:
    counts = [f"{count:,} {name}" for name in _COUNTS if (count := getattr(report, name))]
    lines = [f"{', '.join(counts) or 'no documents'} in {report.seconds:.1f} s"]
    lines += [f"skipped {render.name(f.collection)}/{render.name(f.path)}: {render.line(f.reason)}"
              for f in report.skipped[:_SHOWN]]  # fmt: skip
    if len(report.skipped) > _SHOWN:
        lines.append(f"and {len(report.skipped) - _SHOWN:,} more files skipped")
    lines += [f"{name} is held: {render.line(why)}" for name, why in report.held.items()]
    problems = all_worded(report.problems[:_SHOWN], MCP)
    return "\n".join(lines + [render.line(problem) for problem in problems])


_DONE: dict[str, Schema] = {
    **{name: value("integer", f"Documents {name}.") for name in _COUNTS},
    "seconds": value("number"),
    "skipped": rows("Files left out, the first 100.", path="string", reason="string"),
    "problems": value("strings"),
    "held": value("strings", "Collections that lost too much at once to believe it."),
}
_COLLECTIONS = rows("scanned_at is ms UTC.", name="string", documents="integer", scanned_at="integer", held="string?")

TOOLS = (
    Tool(
        name="status",
        title="What the memory holds",
        description="Say what a vault holds, by collection, and whether anything is wrong with it.",
        takes=inputs(),
        gives=outputs(
            vault=value("string"),
            documents=value("integer"),
            fragments=value("integer"),
            missing_vectors=value("integer"),
            skipped=value("integer", "Files left out."),
            rebuilding=value("boolean"),
            collections=_COLLECTIONS,
        ),
        run=_status,
        core=True,
        reads=False,
    ),
    Tool(
        name="index_stats",
        title="Figures of the index",
        description="Count documents by type and state, vectors, languages, and what is due for review.",
        takes=inputs(),
        gives=outputs(
            vault=value("string"),
            documents=value("integer"),
            fragments=value("integer"),
            content_types=value("object", "Type -> number of documents."),
            languages=value("strings"),
            states=value("object", "State -> number of documents."),
            vectors=value("object", "Space -> number of vectors."),
            missing_vectors=value("integer"),
            skipped=value("integer", "Files left out."),
            review_due=value("integer", "Documents past their review date."),
            oldest_at=value("integer?", "ms UTC."),
            newest_at=value("integer?", "ms UTC."),
        ),
        run=_index_stats,
    ),
    Tool(
        name="list_vaults",
        title="List the vaults",
        description="Name the vaults there are; any tool takes one as vault.",
        takes=inputs(),
        gives=outputs(vaults=rows("", name="string", default="boolean")),
        run=_list_vaults,
        reads=False,
    ),
    Tool(
        name="reindex",
        title="Bring the index up to date",
        description=(
            "Read what changed in all folders of a vault. Seldom needed: searches look at the folders themselves."
        ),
        takes=inputs(),
        gives=outputs(**_DONE),
        run=_reindex,
        writes=True,
        reads=False,
        long=True,
    ),
    Tool(
        name="vault_sync",
        title="Bring a collection up to date",
        description=(
            "Read what changed in a vault, and say how a collection stands. Only folders that a person added as "
            "collections; this adds none."
        ),
        takes=inputs(
            collection=text("The collection to report on (default: all).", longest=64),
            content_root=text("The same by folder: absolute, or collection/folder.", longest=4_096),
        ),
        gives=outputs(vault=value("string"), collections=_COLLECTIONS, **_DONE),
        run=_vault_sync,
        writes=True,
        reads=False,
        long=True,
    ),
)
