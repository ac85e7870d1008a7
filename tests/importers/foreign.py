"""Sources as other programs leave them, made from their documented forms."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import weakref
from pathlib import Path
from typing import Any

KEY = "ghp_" + "x1Y2z3A4b5C6d7E8f9G0h1I2j3K4l5M6n7O8"
_DOCUMENTS = """
create table content(hash text primary key, doc text not null, created_at text not null);
create table documents(id integer primary key autoincrement, collection text not null, path text not null,
  title text not null, hash text not null, created_at text not null, modified_at text not null,
  active integer not null default 1, domain text, workstream text, tags text,
  content_type text not null default 'note', review_by text, confidence real not null default 0.5,
  access_count integer not null default 0 {more});
"""
_LATER = """, content_hash text, quality_score real not null default 0.5, pinned integer not null default 0,
  snoozed_until text, last_accessed_at text, archived_at text, duplicate_count integer not null default 1,
  revision_count integer not null default 1, authored_at text, observation_type text, facts text, amem_tags text,
  amem_context text, invalidated_at text, invalidated_by integer, superseded_by integer"""
_STATE = """
create table memory_relations(source_id integer, target_id integer, relation_type text, weight real default 1.0,
  metadata text, created_at text not null, contradict_confidence real);
create table co_activations(doc_a text, doc_b text, count integer, last_seen text);
create table session_log(session_id text primary key, started_at text, ended_at text, handoff_path text, machine text,
  files_changed text, summary text);
create table entity_nodes(entity_id text primary key, entity_type text, name text, description text, created_at text);
create table entity_triples(id integer primary key autoincrement, subject_entity_id text, predicate text,
  object_entity_id text, object_literal text, valid_from text, valid_to text, confidence real, source_doc_id integer,
  source_fact text, created_at text);
create table beads_issues(beads_id text primary key, doc_id integer, status text);
create table context_usage(id integer primary key, session_id text, timestamp text);
"""


class ClawMem:
    """A folder with ``index.sqlite`` and ``config.yaml``; ``old`` has the schema of the first version."""

    def __init__(self, root: Path, *, old: bool = False) -> None:
        self.root, self.notes = root / "clawmem", root / "notes"
        self.root.mkdir(parents=True)
        self.notes.mkdir()
        self.file = self.root / "index.sqlite"
        self.connection = sqlite3.connect(self.file)
        weakref.finalize(self, self.connection.close)
        self.connection.executescript(_DOCUMENTS.format(more="" if old else _LATER) + ("" if old else _STATE))
        config = f'collections:\n  Notes:\n    path: {self.notes}\n    pattern: "**/*.md"\n'
        (self.root / "config.yaml").write_text(config, encoding="utf-8")

    def add(self, place: str, text: str, content_type: str = "note", **more: Any) -> int:
        """A document; one of ``Notes`` has a file."""
        collection, _, path = place.partition("/")
        if collection == "Notes":
            (self.notes / path).parent.mkdir(parents=True, exist_ok=True)
            (self.notes / path).write_text(text, encoding="utf-8")
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        self.run("insert or ignore into content values(?, ?, '2026-03-01T10:00:00Z')", digest, text)
        row = {
            "collection": collection, "path": path, "title": path.rpartition("/")[2].removesuffix(".md"),
            "hash": digest, "created_at": "2026-03-01T10:00:00.000Z", "modified_at": "2026-03-02T10:00:00.000Z",
            "content_type": content_type, **more,
        }  # fmt: skip
        names, marks = ", ".join(row), ", ".join("?" * len(row))
        return self.run(f"insert into documents({names}) values({marks})", *row.values())

    def run(self, statement: str, *values: Any) -> int:
        found = self.connection.execute(statement, values)
        self.connection.commit()
        return int(found.lastrowid or 0)


def fill(source: ClawMem) -> None:
    """A bit of everything: 6 documents of which one is a bead, 3 relations, and one of each other kind."""
    money = source.add("Notes/money.md", "# Money\n\nAmounts are stored in cents.\n", pinned=1, access_count=3)
    chosen = source.add(
        "_clawmem/decisions/db.md", "We chose PostgreSQL for the larder.\n", "decision", amem_tags='["database"]'
    )
    source.add(
        "_clawmem/observations/old.md",
        "The larder uses MySQL.\n",
        "observation",
        invalidated_at="2026-03-05T00:00:00Z",
        superseded_by=chosen,
        confidence=0.2,
    )
    source.add(
        "_clawmem/handoffs/one.md", "Next: move the orders.\n", "handoff", archived_at="2026-04-01T00:00:00Z", active=0
    )
    source.add("_clawmem/antipatterns/gone.md", f"Never print {KEY} in logs.\n", "antipattern", active=0)
    bead = source.add("beads/bd-1.md", "An issue of Beads.\n")
    source.run("insert into beads_issues values('bd-1', ?, 'open')", bead)
    relation = (
        "insert into memory_relations(source_id, target_id, relation_type, weight, created_at) values(?, ?, ?, ?, ?)"
    )
    source.run(relation, chosen, money, "supporting", 7.5, "2026-03-02T10:00:00Z")
    source.run(relation, chosen, money, "temporal", 1, "2026-03-02T10:00:00Z")
    source.run(relation, chosen, bead, "causal", 1, "2026-03-02T10:00:00Z")
    source.run(
        "insert into co_activations values('Notes/money.md', '_clawmem/decisions/db.md', 4, '2026-03-03T10:00:00Z')"
    )
    source.run(
        "insert into session_log values('s-1', '2026-03-01T09:00:00Z', '2026-03-01T11:00:00Z', 'handoffs/one.md', "
        "'box', '[]', '')"
    )
    source.run("insert into entity_nodes values('default:project:larder', 'project', 'larder', null, null)")
    source.run(
        "insert into entity_triples(subject_entity_id, predicate, object_literal, valid_from, confidence, created_at) "
        "values('default:project:larder', 'depends_on', 'Redis', '2026-03-01T00:00:00Z', 0.9, '2026-03-02T00:00:00Z')"
    )


def engram(root: Path, newline: str = "\n") -> Path:
    """Two facts of which the second replaced the first, a correction, a question, an entity, a thread, a summary."""
    place = root / "local"
    first, second = "fact-1738789200000-a1b2", "fact-1738962000000-c3d4"
    common = "created: 2026-02-05T21:00:00.000Z\nupdated: 2026-02-07T10:00:00.000Z\nsource: extraction\n"
    _write(
        place / f"facts/2026-02-05/{first}.md",
        f'---\nid: {first}\ncategory: fact\n{common}confidence: 0.8\nconfidenceTier: implied\ntags: ["database"]\n'
        f"entityRef: project-larder\nstatus: superseded\nsupersededBy: {second}\n"
        "supersededAt: 2026-02-07T10:00:00.000Z\n---\n\nThe larder keeps its orders in MySQL.\n",
        newline,
    )
    _write(
        place / f"facts/2026-02-07/{second}.md",
        f"---\nid: {second}\ncategory: decision\n{common}confidence: 0.95\nconfidenceTier: explicit\ntags: []\n"
        f"accessCount: 2\nlastAccessed: 2026-02-09T10:00:00.000Z\nlinks:\n  - targetId: correction-1738962000001-zz11\n"
        "    linkType: supports\n    strength: 0.7\n---\n\nThe larder keeps its orders in PostgreSQL.\n",
        newline,
    )
    _write(
        place / "corrections/correction-1738962000001-zz11.md",
        f"---\nid: correction-1738962000001-zz11\ncategory: correction\n{common}confidence: 0.95\n"
        "confidenceTier: explicit\ntags: []\n---\n\nThe port of the larder is 9090, not 8080.\n",
        newline,
    )
    _write(
        place / "questions/q-m1abcdef-xy.md",
        '---\nid: q-m1abcdef-xy\ncreated: "2026-02-05T21:00:00.000Z"\npriority: 0.6\nresolved: true\n'
        'resolvedAt: "2026-02-08T21:00:00.000Z"\n---\n\nWhich bakery delivers?\n\n**Context:** bread\n',
        newline,
    )
    _write(
        place / "entities/person-jane-roe.md",
        "# Jane Roe\n\n**Type:** person\n**Updated:** 2026-02-05T21:00:00.000Z\n\n## Facts\n\n- She runs the bakery.\n",
        newline,
    )
    _write(
        place / "profile.md",
        "# Behavioral Profile\n\n*Last updated: 2026-02-05*\n\n- Prefers short answers.\n",
        newline,
    )
    _dump(
        place / "threads/thread-1.json",
        {
            "id": "thread-1",
            "title": "Moving the orders",
            "createdAt": "2026-02-07T10:00:00Z",
            "episodeIds": [first, second],
        },
    )
    _dump(
        place / "summaries/summary-1.json",
        {
            "id": "summary-1",
            "createdAt": "2026-02-08T10:00:00Z",
            "timeRangeStart": "2026-02-01",
            "timeRangeEnd": "2026-02-07",
            "summaryText": "The orders moved.",
            "keyFacts": ["No loss."],
            "keyEntities": ["larder"],
            "sourceEpisodeIds": [first],
        },
    )
    _dump(place / "config/aliases.json", {"jane": "jane-roe"})
    _dump(place / "state/meta.json", {"extractionCount": 3})
    return place


def workspace(root: Path) -> Path:
    place = root / "clawd"
    _write(place / "MEMORY.md", "# Memory\n\n- The larder ships on Mondays.\n")
    _write(place / "USER.md", "# User\n\nLikes rye bread.\n")
    _write(place / "memory/2026-03-01.md", "# 2026-03-01\n\nTalked about the oven.\n")
    entry = {
        "path": "MEMORY.md", "startLine": 1, "endLine": 3, "snippet": "The larder ships on Mondays.", "recallCount": 2,
        "totalScore": 1.5, "recallDays": ["2026-03-01", "2026-03-02"],
    }  # fmt: skip
    told = {
        "version": 1,
        "entries": {"memory:MEMORY.md:1:3": entry, "memory:gone.md:1:2": {**entry, "path": "gone.md"}},
    }
    _dump(place / "memory/.dreams/short-term-recall.json", told)
    return place


def claude_memory(root: Path) -> Path:
    place = root / ".claude/projects/-work-larder"
    for name, kind, description, text in (
        ("rye", "user", "Prefers rye bread", "The user prefers rye bread."),
        ("force", "feedback", "Never force push without asking me", "Force pushes lost work twice."),
        ("port", "project", "We decided to use port 9090", "We decided to use port 9090 for the larder."),
        ("docs", "reference", "Where the manual is", "The manual is on the shelf."),
    ):
        head = f"---\nname: {name}\ndescription: {description}\nmetadata:\n  type: {kind}\n---\n"
        _write(place / f"memory/{name}.md", f"{head}\n{text}\n")
    _write(place / "memory/MEMORY.md", "- [[rye]]\n")
    (place / "session.jsonl").write_text(json.dumps({"type": "user", "cwd": "/work/larder"}) + "\n", encoding="utf-8")
    return root / ".claude"


def whatsapp(root: Path) -> Path:
    lines = [
        "[24.11.26, 18:03:12] Hanna: When does the oven arrive?",
        "[24.11.26, 18:04:00] Ben: On Thursday at nine.\nBring the trolley.",
        "[24.11.26, 18:04:30] \u200eHanna created group",
        "[24.11.26, 18:05:00] Hanna: Good.",
        "[26.11.26, 09:00:00] Ben: The oven is here.",
        "[26.11.26, 09:01:00] Hanna: Wonderful.",
    ]
    return _write(root / "_chat.txt", "\n".join(lines))


def telegram(root: Path) -> Path:
    rows: list[dict[str, Any]] = [
        {"id": 1, "type": "service", "date_unixtime": "1795500000", "action": "create_group"},
        {"id": 2, "type": "message", "date_unixtime": "1795500060", "from": "Hanna", "text": "Is the flour here?"},
        {"id": 3, "type": "message", "date_unixtime": "1795500120", "from": "Ben",
         "text": ["Yes, see ", {"type": "link", "text": "https://example.org"}]},
    ]  # fmt: skip
    return _dump(root / "result.json", {"name": "Bakery", "type": "private_group", "id": 7, "messages": rows})


def _write(file: Path, text: str, newline: str = "\n") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.replace("\n", newline).encode())
    return file


def _dump(file: Path, value: Any) -> Path:
    return _write(file, json.dumps(value))
