"""ClawMem: folders that its configuration names, and in SQLite what has no file: memories, conversations and state."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hearth.core.lazy import dataclass
from hearth.core.memory import CONTENT_TYPES, NewMemory, Origin
from hearth.importers.clawmem_state import UNTOUCHED, RowNames, read_changes, read_state
from hearth.importers.records import DocumentName, FileName, Folder, Format, Found, MemoryName, Options, Record
from hearth.importers.sources import Row, Tables, is_database, opened
from hearth.importers.values import instant, lines, read_text, read_yaml, share, to_text, word

_TYPES = {"deductive": "deduction", "profile": "note"}
_BEADS = "kept by Beads: hearth beads add"
_OWN = "_clawmem"
_PROFILES = (f"{_OWN}/profile.md",)
_SUFFIXES = (".sqlite", ".sqlite3", ".db")
_CONFIGS = ("config.yaml", "index.yml", "index.yaml")
# Columns that have a place here, that ClawMem computes from others, and that only its own upkeep reads.
_PLACED = frozenset(
    [
        "id",
        "collection",
        "path",
        "title",
        "hash",
        "created_at",
        "modified_at",
        "active",
        "tags",
        "content_type",
        "confidence",
        "access_count",
        "pinned",
        "snoozed_until",
        "last_accessed_at",
        "archived_at",
        "invalidated_at",
        "superseded_by",
        "authored_at",
        "duplicate_count",
        "revision_count",
        "last_seen_at",
        "observation_type",
        "amem_tags",
        "amem_keywords",
    ]
)
_DERIVED = frozenset(
    [
        "content_hash",
        "normalized_hash",
        "memory_type",
        "topic_key",
        "embed_state",
        "embed_error",
        "embed_attempts",
        "quality_score",
        "obs_quality_score",
    ]
)
_OF_MEMORIES = ("domain", "workstream", "review_by", "amem_context", "skill_name", "failure_reason")


@dataclass(frozen=True, slots=True)
class _Vault:
    name: str
    file: Path


def measure_certainty(place: Path) -> float:
    """By the tables that only ClawMem has, or a configuration that names its collections."""
    database = _find_database(place)
    if database is not None:
        with opened(database) as tables:
            known = set(tables.columns("documents")) >= {"collection", "path", "hash", "active"}
            return 1.0 if known and tables.columns("content") else 0.0
    return 0.9 if _find_config(place) is not None and "collections" in _read_config(_find_config(place)) else 0.0


def read(place: Path, options: Options) -> Iterator[Found]:
    config = _read_config(_choose_config(place, options))
    folders = dict(_list_folders(config, options))
    yield from folders.values()
    for vault in _list_vaults(place, config, options):
        with opened(vault.file) as tables:
            yield from _read_vault(tables, vault.name, folders)


def _read_vault(tables: Tables, vault: str, folders: Mapping[str, Folder]) -> Iterator[Found]:
    texts = {str(row["hash"]): str(row["doc"]) for row in tables.rows("content")}
    beads = {row.get("doc_id") for row in tables.rows("beads_issues")}
    names: dict[int, DocumentName] = {}
    rows = list(tables.rows("documents", "id"))
    for row in rows:
        if (name := _name(row, vault, folders, beads, texts)) is not None:
            names[int(row["id"])] = name
    known = RowNames(vault, names, {_display(row): names[int(row["id"])] for row in rows if int(row["id"]) in names})
    for row in rows:
        yield _read_document(row, known, beads, texts)
    yield from read_state(tables, known, beads)


def _name(
    row: Row, vault: str, folders: Mapping[str, Folder], beads: set[Any], texts: Mapping[str, str]
) -> DocumentName | None:
    collection, path = str(row.get("collection")), str(row.get("path"))
    if row["id"] in beads or _is_bead(collection, path):
        return None
    folder = folders.get(collection)
    if folder is not None and _is_file_below(folder.path, path):
        return FileName(collection, path)
    return MemoryName(f"clawmem\0{vault}\0{collection}\0{path}") if str(row.get("hash")) in texts else None


def _read_document(row: Row, known: RowNames, beads: set[Any], texts: Mapping[str, str]) -> Record:
    label = _display(row)
    name = known.by_id.get(int(row["id"]))
    if name is None:
        is_bead = row["id"] in beads or _is_bead(str(row.get("collection")), str(row.get("path")))
        return Record("document", label, skipped=_BEADS if is_bead else "its text is not in the database")
    if label in _PROFILES:
        return Record("document", label, skipped="made anew: the profile")
    changes = tuple(read_changes(row, name, known))
    if isinstance(name, FileName):
        return Record("document", label, file=name, changes=changes, unplaced=_unplaced(row, _OF_MEMORIES))
    text = texts[str(row["hash"])]
    if not text.strip():
        return Record("document", label, skipped="empty")
    given = str(row.get("content_type") or "note").lower()
    content_type = _TYPES.get(given, given)
    tags = [*lines(row.get("tags")), *lines(row.get("amem_tags")), *lines(row.get("amem_keywords"))]
    tags += [kind for kind in (word(row.get("observation_type")),) if kind]
    if content_type not in CONTENT_TYPES:
        tags, content_type = [*tags, given], "note"
    memory = NewMemory(
        text,
        content_type,
        to_text(row.get("title")) or None,
        tuple(dict.fromkeys(tags)),
        created_by="clawmem",
        confidence=_lowered(row),
        origin=Origin(f"clawmem {label}"),
        said_at=_instant(row, "authored_at", "created_at", "modified_at"),
        key=name.key,
    )
    facts = {key: to_text(row[key]) for key in _OF_MEMORIES if to_text(row.get(key))}
    return Record("document", label, memory=memory, facts=facts, changes=changes, unplaced=_unplaced(row, (), text))


def _unplaced(row: Row, more: tuple[str, ...], text: str = "") -> tuple[str, ...]:
    """Columns with something in them for which there is no place; those that a memory's text spells out have one."""
    found = [key for key, value in row.items() if key not in _PLACED and key not in _DERIVED and key not in more]
    kept = [key for key in found if key not in _OF_MEMORIES and lines(row[key]) and not _is_told(row[key], text)]
    return tuple(f"documents.{key}" for key in (*kept, *(key for key in more if to_text(row.get(key)))))


def _is_told(value: object, text: str) -> bool:
    return bool(text) and all(line in text for line in lines(value))


def _lowered(row: Row) -> float | None:
    """A confidence, where something took from what ClawMem gives each document of the type."""
    value = share(row.get("confidence"))
    return round(value, 2) if value is not None and value < UNTOUCHED else None


def _instant(row: Row, *names: str) -> int | None:
    return next((at for name in names if (at := instant(row.get(name))) is not None), None)


def _display(row: Row) -> str:
    return f"{row.get('collection')}/{row.get('path')}"


def _is_bead(collection: str, path: str) -> bool:
    return collection == "beads" or (collection == _OWN and path.startswith("beads/"))


def _is_file_below(root: Path, path: str) -> bool:
    if not path or "\0" in path or path.startswith("/") or ".." in path.split("/"):
        return False
    try:
        return (root / path).is_file()
    except (OSError, ValueError):
        return False


# -- where things are ----------------------------------------------------------------------------------------------


def _find_database(place: Path) -> Path | None:
    if place.is_dir():
        place = place / "index.sqlite"
    return place if place.suffix in _SUFFIXES and is_database(place) else None


def _find_config(place: Path) -> Path | None:
    if place.is_dir():
        return next((place / name for name in _CONFIGS if (place / name).is_file()), None)
    return place if place.name in _CONFIGS else None


def _choose_config(place: Path, options: Options) -> Path | None:
    """The one that was named, else the one beside the database, else that of this person."""
    beside = _find_config(place if place.is_dir() else place.parent)
    own = Path(options.environ.get("CLAWMEM_CONFIG_DIR") or options.home / ".config" / "clawmem")
    return _find_config(place) or beside or _find_config(own)


def _read_config(file: Path | None) -> Mapping[str, Any]:
    if file is None:
        return {}
    found = read_yaml(read_text(file))
    return found if isinstance(found, dict) else {}


def _list_folders(config: Mapping[str, Any], options: Options) -> Iterator[tuple[str, Folder]]:
    given = config.get("collections")
    for name, item in given.items() if isinstance(given, dict) else ():
        path = item.get("path") if isinstance(item, dict) else None
        if not isinstance(path, str) or "\0" in path:
            continue
        folder = _expand(path, options)
        context = item.get("context")
        told = {str(key): str(text) for key, text in context.items()} if isinstance(context, dict) else {}
        if folder.is_dir():
            yield str(name), Folder(str(name), folder, to_text(item.get("pattern")), context=told)


def _list_vaults(place: Path, config: Mapping[str, Any], options: Options) -> Iterator[_Vault]:
    """The database that was named; of a folder or a configuration the main one and those that are configured."""
    main = _find_database(place)
    if main is not None and not place.is_dir():
        yield _Vault("default", main)
        return
    default = Path(options.environ.get("INDEX_PATH") or options.home / ".cache" / "clawmem" / "index.sqlite")
    if main is not None or is_database(default):
        yield _Vault("default", main or default)
    given = config.get("vaults")
    named = dict(given) if isinstance(given, dict) else {}
    try:
        told = json.loads(options.environ.get("CLAWMEM_VAULTS") or "{}")
    except ValueError:
        told = {}
    named |= told if isinstance(told, dict) else {}
    for name, path in named.items():
        file = _expand(str(path), options)
        if is_database(file):
            yield _Vault(str(name), file)


def _expand(path: str, options: Options) -> Path:
    return options.home / path[2:] if path.startswith("~/") else Path(path)


FORMAT = Format("clawmem", "ClawMem", measure_certainty, read)
