"""Which program a source comes from, by what stands in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path

from hearth.core.errors import HearthError, NotFound, UsageError
from hearth.importers.records import Format

KINDS: Mapping[str, str] = {
    "clawmem": "clawmem",
    "engram": "engram",
    "workspace": "folders",
    "claude-code": "folders",
    "codex": "folders",
    "context": "folders",
    "mem0": "statements",
    "honcho": "statements",
    "supermemory": "statements",
    "basic-memory": "folders",
    "obsidian": "folders",
    "chat": "chat_logs",
}
"""Each kind of source and the module here that reads it."""
SERVICES = ("honcho", "supermemory")
"""Kinds that may be named instead of a place, with what follows a colon."""
_LEAST = 0.5


def find_format(place: Path, kind: str | None = None) -> Format:
    """The one that was named, else the one that is surest. Raises ``UsageError`` where none or several are."""
    kind = kind or find_service(str(place))
    if kind is not None:
        return load(kind)
    if not place.exists():
        raise NotFound(f"no file or folder {place}")
    # What may not be read fails here with the system's reason, not as a source of no known kind.
    if place.is_dir():
        next(place.iterdir(), None)
    else:
        place.open("rb").close()
    found = sorted(_measure(place), key=lambda one: -one[0])
    if not found or found[0][0] < _LEAST:
        known = ", ".join(KINDS)
        raise UsageError(f"can't tell what {place} is; name it with --from KIND, one of: {known}")
    best = [one for certainty, one in found if certainty == found[0][0]]
    if len(best) > 1:
        names = " or ".join(one.name for one in best)
        raise UsageError(f"{place} may be {names}; say which with --from KIND")
    return best[0]


def load(kind: str) -> Format:
    if kind not in KINDS:
        raise UsageError(f"there is no kind of source {kind!r}; it is one of: {', '.join(KINDS)}")
    module = import_module(f"hearth.importers.{KINDS[kind]}")
    formats: tuple[Format, ...] = getattr(module, "FORMATS", None) or (module.FORMAT,)
    return next(one for one in formats if one.name == kind)


def find_service(source: str) -> str | None:
    """The kind of a service that a source names."""
    kind = source.partition(":")[0]
    return kind if kind in SERVICES and not Path(source).exists() else None


def _measure(place: Path) -> Iterator[tuple[float, Format]]:
    for kind in KINDS:
        one = load(kind)
        try:
            certainty = one.certainty(place)
        except (HearthError, OSError):
            continue
        if certainty > 0:
            yield certainty, one
