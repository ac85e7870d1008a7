"""A team's vault: which types, dates and statuses of its notes are read, and whether questions find them first.

``engnotes`` holds ``meta.jsonl``: a row has ``id``, ``path``, ``types`` that are right, ``date`` (or none),
``dateform`` and ``status``; beside it lies a case of questions.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from trust_checks.table import Options, Row, is_in, read_lines
from trust_checks.vault import Vault

_OVER = ("superseded", "deprecated", "rejected")
_WEEK = 6


def measure(options: Options) -> Iterator[Row]:
    folder = None if options.data is None else options.data / "engnotes"
    if folder is None or not (folder / "meta.jsonl").exists():
        return
    [corpus] = folder.glob("*/corpus")
    meta = [row for row in read_lines(folder / "meta.jsonl") if is_in(options.part, "engnotes-meta", row["id"])]
    rows = read_lines(corpus.parent / "queries.jsonl")
    asked = [row for row in rows if row.get("gold") and is_in(options.part, "engnotes", row["id"])][: options.most]
    with Vault() as vault:
        vault.run("bootstrap", str(corpus), "--name", "engnotes")
        read = [(row, vault.ask("get", f"engnotes/{row['path']}")) for row in meta[: options.most]]
        first = [_is_first(vault, row, corpus) for row in asked]
    types = [found.get("content_type") in row["types"] for row, found in read]
    over = [_is_over(found) == (row["status"] in _OVER) for row, found in read if row["status"]]
    dates = [_is_day(row, found) for row, found in read if row["date"]]
    for name, right in (("type", types), ("status", over), ("date", dates)):
        yield Row(f"engnotes: {name} right", sum(right), len(right), ">= 0.95")
    yield Row("engnotes: recall@1", sum(first), len(first), ">= 0.8")


def _is_first(vault: Vault, row: dict[str, Any], corpus: Path) -> bool:
    hits = vault.ask("query", row["query"], "-n", "1").get("results", [])
    gold = {one["path"] if isinstance(one, dict) else one for one in row["gold"]}
    return bool(hits) and str(hits[0]["path"]) in gold


def _is_over(found: dict[str, Any]) -> bool:
    status = str(found.get("status") or "").lower()
    return bool(found.get("hidden") or found.get("superseded_by") or status.startswith(_OVER))


def _is_day(row: dict[str, Any], found: dict[str, Any]) -> bool:
    when = found.get("authored_at") or found.get("valid_from")
    if not when:
        return False
    day = datetime.fromtimestamp(when / 1000, UTC).date()
    away = abs((day - date.fromisoformat(row["date"])).days)
    return away == 0 or (row["dateform"].startswith("ISO week") and away <= _WEEK)
