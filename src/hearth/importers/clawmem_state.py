"""ClawMem's state: what it keeps of documents beside their text, and how they, sessions and entities are related."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from hearth.core.lazy import dataclass
from hearth.core.memory import NewMemory, Origin
from hearth.core.session import session_key
from hearth.importers.records import Change, DocumentName, FileName, MemoryName, Record
from hearth.importers.sources import Row, Tables
from hearth.importers.values import count, digest, instant, lines, number, share, to_text

MOST_USES = 200
"""So many uses of one document are taken over; more say nothing more."""
UNTOUCHED = 0.45
"""Below this confidence something contradicted a document: what nobody touched has a half or more."""
_RELATIONS = {"semantic": "semantic", "supporting": "supporting", "contradicts": "contradicts", "causal": "causal"}
_ANEW = {
    "temporal": "computed anew: what came before what",
    "entity": "computed anew: entities in common",
    "usage": "counted as used together",
}
# Of these a table's rows are counted, and none is taken.
_LEFT = {
    "entity_mentions": "computed anew: entities in documents",
    "entity_cooccurrences": "computed anew: entities beside each other",
    "entity_enrichment_state": "ClawMem's own upkeep",
    "content_vectors": "computed anew: vectors",
    "llm_cache": "a cache",
    "embed_canary": "ClawMem's own upkeep",
    "vault_flags": "ClawMem's own upkeep",
    "hook_dedupe": "ClawMem's own upkeep",
    "utility_signals": "counted with each document",
    "intent_classifications": "a cache",
    "maintenance_runs": "ClawMem's own upkeep",
    "worker_leases": "ClawMem's own upkeep",
    "memory_evolution": "the former keywords of notes by a language model",
    "context_usage": "what was shown in past turns",
    "recall_events": "counted with each document",
    "beads_issues": "kept by Beads: hearth beads add",
    "beads_dependencies": "kept by Beads: hearth beads add",
}


@dataclass(frozen=True, slots=True)
class RowNames:
    """Names of documents by their row and by ``collection/path``; ``vault`` keeps the rows of several apart."""

    vault: str
    by_id: Mapping[int, DocumentName]
    by_place: Mapping[str, DocumentName]

    def find(self, identity: object) -> DocumentName | None:
        found = number(identity)
        return None if found is None else self.by_id.get(int(found))


def read_changes(row: Row, name: DocumentName, known: RowNames) -> Iterator[Change]:
    """What state a row of ``documents`` has."""
    changed = instant(row.get("modified_at")) or instant(row.get("created_at")) or 0
    if count(row.get("pinned")):
        yield Change("pin", name, changed)
    if (until := instant(row.get("snoozed_until"))) is not None:
        yield Change("snooze", name, changed, {"until": until})
    if (at := instant(row.get("archived_at"))) is not None and not count(row.get("active")):
        yield Change("archive", name, at)
    elif not count(row.get("active")):
        yield Change("forget", name, instant(row.get("last_seen_at")) or changed)
    if (at := instant(row.get("invalidated_at"))) is not None:
        yield Change("invalidate", name, at, {"at": at})
    if (by := known.find(row.get("superseded_by"))) is not None and by != name:
        at = instant(row.get("invalidated_at")) or changed
        yield Change("supersede", name, at, {"by": by, "at": at})
    value = share(row.get("confidence"))
    if isinstance(name, FileName) and value is not None and value < UNTOUCHED:
        yield Change("confidence", name, changed, {"value": round(value, 2)})
    if isinstance(name, FileName) and (tags := lines(row.get("amem_tags"))):
        yield Change("retag", name, changed, {"tags": tags})
    seen = instant(row.get("last_accessed_at")) or changed
    key = digest(known.vault, row.get("collection"), row.get("path"))
    for kind, times, at in (
        ("referenced", count(row.get("access_count"), MOST_USES), seen),
        ("duplicate", count(row.get("duplicate_count"), MOST_USES) - 1, instant(row.get("last_seen_at")) or changed),
        ("revised", count(row.get("revision_count"), MOST_USES) - 1, changed),
    ):
        for number_of_use in range(times):
            yield Change(kind, name, at, {"key": f"clawmem:{key}:{number_of_use}"})


def read_state(tables: Tables, known: RowNames, beads: set[Any]) -> Iterator[Record]:
    yield from _read_relations(tables, known, beads)
    yield from _read_companions(tables, known)
    yield from _read_sessions(tables, known)
    yield from _read_facts(tables, known)
    yield from _read_patterns(tables, known)
    yield from _read_recalls(tables, known)
    for table, why in _LEFT.items():
        for _ in range(tables.count(table)):
            yield Record(table, table, skipped=why)


def _read_relations(tables: Tables, known: RowNames, beads: set[Any]) -> Iterator[Record]:
    for row in tables.rows("memory_relations"):
        kind = to_text(row.get("relation_type"))
        label = f"{kind} {row.get('source_id')} -> {row.get('target_id')}"
        source, target = known.find(row.get("source_id")), known.find(row.get("target_id"))
        if beads.intersection((row.get("source_id"), row.get("target_id"))):
            yield Record("relation", label, skipped="kept by Beads: hearth beads add")
        elif kind in _ANEW:
            yield Record("relation", label, skipped=_ANEW[kind])
        elif source is None or target is None or source == target:
            yield Record("relation", label, skipped="one of its documents is not there")
        elif kind not in _RELATIONS:
            yield Record("relation", label, skipped=f"unknown type {kind[:40]!r}")
        else:
            at = instant(row.get("created_at")) or 0
            weight = number(row.get("weight"))
            data: dict[str, Any] = {"type": kind, "target": target, "origin": "import", "at": at}
            data["weight"] = 1.0 if weight is None else round(min(1.0, max(0.0, weight)), 4)
            unplaced = ("memory_relations.contradict_confidence",) if row.get("contradict_confidence") else ()
            if to_text(row.get("metadata")) not in ("", "{}", "null"):
                data["reason"] = to_text(row["metadata"])[:200]
            yield Record("relation", label, changes=(Change("relate", source, at, data),), unplaced=unplaced)


def _read_companions(tables: Tables, known: RowNames) -> Iterator[Record]:
    for row in tables.rows("co_activations"):
        pair = [known.by_place.get(to_text(row.get(key)).removeprefix("clawmem://")) for key in ("doc_a", "doc_b")]
        label = f"{row.get('doc_a')} with {row.get('doc_b')}"
        one, other = pair
        if one is None or other is None or one == other:
            yield Record("co-activation", label, skipped="one of its documents is not there")
            continue
        at = instant(row.get("last_seen")) or 0
        key = digest("together", known.vault, row.get("doc_a"), row.get("doc_b"))
        times = count(row.get("count"), MOST_USES)
        changes = (Change("coactive", one, at, {"docs": [one, other], "key": f"{key}:{i}"}) for i in range(times))
        yield Record("co-activation", label, changes=tuple(changes))


def _read_sessions(tables: Tables, known: RowNames) -> Iterator[Record]:
    for row in tables.rows("session_log"):
        identity = to_text(row.get("session_id"))
        began = instant(row.get("started_at"))
        if not identity or began is None:
            yield Record("session", identity or "session", skipped="it has no name or no beginning")
            continue
        data: dict[str, Any] = {"session": session_key(identity), "began": began, "host": "clawmem"}
        if (ended := instant(row.get("ended_at"))) is not None:
            data["ended"] = ended
        handoff = known.by_place.get(to_text(row.get("handoff_path"))) or known.by_place.get(
            f"_clawmem/{to_text(row.get('handoff_path'))}"
        )
        if handoff is not None:
            data["handoff"] = handoff
        names = ["files_changed", "machine", *([] if handoff else ["summary", "handoff_path"])]
        unplaced = tuple(f"session_log.{name}" for name in names if to_text(row.get(name)) not in ("", "[]"))
        change = Change("session", None, ended or began, data)
        yield Record("session", identity, changes=(change,), unplaced=unplaced)


def _read_facts(tables: Tables, known: RowNames) -> Iterator[Record]:
    """Entities' descriptions and what was said of them, each as a fact with its own time."""
    entities = {to_text(row.get("entity_id")): row for row in tables.rows("entity_nodes")}
    for identity, row in entities.items():
        text = to_text(row.get("description"))
        if not text:
            yield Record("entity", identity, skipped="computed anew: entities in documents")
            continue
        name = to_text(row.get("name")) or identity
        wish = NewMemory(f"{name}: {text}", subject=name, said_at=instant(row.get("created_at")))
        yield _fact(known, "entity", identity, wish)
    for row in tables.rows("entity_triples", "id"):
        subject = _entity_name(entities, row.get("subject_entity_id"))
        value = to_text(row.get("object_literal")) or _entity_name(entities, row.get("object_entity_id"))
        label = f"{subject} {row.get('predicate')} {value}"
        if not subject or not value:
            yield Record("triple", label, skipped="its subject or object is not there")
            continue
        predicate = to_text(row.get("predicate")).replace("_", " ")
        until = to_text(row.get("valid_to"))
        since = instant(row.get("valid_from"))
        said = instant(row.get("created_at"))
        text = f"{subject} {predicate} {value}." + (f" (until {until})" if until else "")
        fact = to_text(row.get("source_fact"))
        key = f"{row.get('id')}\0{label}"
        text = f"{text}\n\n> {fact}" if fact else text
        sure = share(row.get("confidence"))
        wish = NewMemory(text, subject=subject, said_at=said, valid_from=since, confidence=None if sure == 1 else sure)
        record = _fact(known, "triple", key, wish)
        if (ends := instant(until)) is not None and record.memory is not None and record.memory.key:
            ended = Change("invalidate", MemoryName(record.memory.key), ends, {"at": ends})
            record = Record("triple", label, memory=record.memory, changes=(ended,))
        yield record


def _fact(known: RowNames, kind: str, key: str, wish: NewMemory) -> Record:
    """A statement about an entity, as a memory of its own."""
    subject = str(wish.subject)
    memory = replace(
        wish,
        content_type="fact",
        subject=subject[:200],
        tags=(kind,),
        created_by="clawmem",
        origin=Origin(f"clawmem {kind} {subject}"[:400], tier="inferred"),
        key=f"clawmem\0{known.vault}\0{kind}\0{key}",
    )
    return Record(kind, subject, memory=memory)


def _entity_name(entities: Mapping[str, Row], identity: object) -> str:
    row = entities.get(to_text(identity))
    return to_text(row.get("name")) if row is not None else to_text(identity).rpartition(":")[2]


def _read_patterns(tables: Tables, known: RowNames) -> Iterator[Record]:
    for row in tables.rows("consolidated_observations", "id"):
        text = to_text(row.get("observation"))
        if not text:
            yield Record("pattern", "pattern", skipped="empty")
            continue
        key = f"clawmem\0{known.vault}\0pattern\0{row.get('id')}"
        at = instant(row.get("created_at"))
        memory = NewMemory(text, "observation", tags=("pattern",), created_by="clawmem", said_at=at, key=key)
        changes: list[Change] = []
        for source in lines(row.get("source_doc_ids")):
            if (other := known.find(source)) is not None:
                data = {"type": "supporting", "target": MemoryName(key), "origin": "import", "at": at or 0}
                changes.append(Change("relate", other, at or 0, data))
        if (ended := instant(row.get("invalidated_at"))) is not None or to_text(row.get("status")) not in (
            "",
            "active",
        ):
            ended = ended or instant(row.get("updated_at")) or at or 0
            changes.append(Change("invalidate", MemoryName(key), ended, {"at": ended}))
        unplaced = tuple(f"consolidated_observations.{name}" for name in ("trend", "proof_count") if row.get(name))
        yield Record("pattern", text[:60], memory=memory, changes=tuple(changes), unplaced=unplaced)


def _read_recalls(tables: Tables, known: RowNames) -> Iterator[Record]:
    """How often documents were found: the days of it are not kept there, so they count as one each."""
    for row in tables.rows("recall_stats"):
        name = known.find(row.get("doc_id"))
        if name is None:
            yield Record("recall statistics", str(row.get("doc_id")), skipped="one of its documents is not there")
            continue
        at = instant(row.get("last_recalled_at")) or 0
        key = digest("recall", known.vault, *name)
        times = count(row.get("recall_count"), MOST_USES)
        changes = tuple(
            Change("recalled", name, at, {"key": f"{key}:{number_of_use}"}) for number_of_use in range(times)
        )
        kept = ("unique_queries", "negative_count")
        unplaced = tuple(f"recall_stats.{column}" for column in kept if count(row.get(column)))
        yield Record("recall statistics", str(row.get("doc_id")), changes=changes, unplaced=unplaced)
