"""Values of other programs' records, read without trusting their types."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from hearth.core import instants, yaml_tree
from hearth.core.errors import Unavailable, UsageError
from hearth.importers.formats import Head

MAX_JSON_BYTES = 512 * 2**20
BEGINNING_BYTES = 2**20
"""In exports of chats a list of contacts stands before what was said."""
_MAX_LIST = 1_000
_YAML_DEPTH = 8
_SECONDS_END = 100_000_000_000
"""What is larger counts milliseconds."""


def to_text(value: object) -> str:
    """A scalar as text, without space around it; empty for anything else."""
    if isinstance(value, bool) or value is None or isinstance(value, (dict, list, tuple, bytes)):
        return ""
    return str(value).replace("\0", "").strip()


def word(value: object) -> str:
    """One lower-case word; empty for anything longer."""
    text = to_text(value).lower()
    return text if text and not any(char.isspace() for char in text) else ""


def number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def share(value: object) -> float | None:
    """A number from 0 to 1."""
    found = number(value)
    return found if found is not None and 0 <= found <= 1 else None


def count(value: object, most: int = 1_000) -> int:
    found = number(value)
    return 0 if found is None else max(0, min(int(found), most))


def lines(value: object) -> list[str]:
    """The texts of a list, of a JSON list, or of words between commas."""
    if isinstance(value, str) and value.lstrip()[:1] == "[":
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return []
    if isinstance(value, str):
        value = value.split(",")
    listed = value if isinstance(value, (list, tuple)) else []
    return [text for item in listed[:_MAX_LIST] if (text := to_text(item))]


def instant(value: object, zone: str = "UTC") -> int | None:
    """ms UTC of an ISO 8601 text or of a number of seconds or milliseconds; ``None`` for what can't be one."""
    seconds = number(value)
    if seconds is not None:
        at = int(seconds * 1000) if abs(seconds) < _SECONDS_END else int(seconds)
        return at if at > 0 else None
    text = to_text(value)
    return instants.parse(text, zone) if text else None


def digest(*parts: object) -> str:
    """The same 32 characters for the same parts."""
    text = "\0".join(map(str, parts))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def read_text(place: Path, most: int = 64 * 2**20) -> str:
    """Raises ``UsageError`` for a file that is too large, ``Unavailable`` for one that can't be read."""
    try:
        if place.stat().st_size > most:
            raise UsageError(f"{place} is larger than {most // 2**20} MB")
        return place.read_bytes().decode("utf-8-sig", "replace")
    except OSError as error:
        raise Unavailable(f"can't read {place}: {error.strerror}") from error


def read_beginning(place: Path) -> Head:
    """The first bytes of a file, by which it is recognised; empty for what is no file or can't be read."""
    try:
        status = place.stat()
        return _read_head(str(place), status.st_size, status.st_mtime_ns) if place.is_file() else Head(b"")
    except OSError:
        return Head(b"")


@lru_cache(maxsize=1)
def _read_head(place: str, size: int, modified_ns: int) -> Head:
    """Read, and parsed, once for all formats that look at it."""
    del size, modified_ns
    with Path(place).open("rb") as file:
        return Head(file.read(BEGINNING_BYTES))


def read_json(place: Path) -> Any:
    """Raises ``UsageError`` for what is no JSON."""
    try:
        return json.loads(read_text(place, MAX_JSON_BYTES))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{place} is not JSON: {error}") from error


def read_yaml(text: str) -> Any:
    """YAML as lists, tables and texts; ``None`` for what is none."""
    try:
        found = yaml_tree.read(text, _YAML_DEPTH)
    except yaml_tree.YamlRefused:
        return None

    def plain(item: yaml_tree.Item) -> Any:
        if item.items is not None:
            return [plain(one) for one in item.items]
        if item.pairs is not None:
            return {key.text: plain(one) for key, one in item.pairs if key.text is not None}
        return item.text

    return None if found is None else plain(found)


def tables(value: object) -> Iterator[dict[str, Any]]:
    """The tables of a list."""
    yield from (item for item in value if isinstance(item, dict)) if isinstance(value, list) else ()
