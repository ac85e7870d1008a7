"""What Obsidian's own settings say of the notes in a folder: what is left out, and how a day's note is called."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from hearth.core.lazy import dataclass
from hearth.disk.commits import find_above
from hearth.ports import DailyNotes

FOLDER = ".obsidian"
_APP, _DAILY, _TEMPLATES = "app.json", "daily-notes.json", "templates.json"
_PERIODIC, _TEMPLATER = "plugins/periodic-notes/data.json", "plugins/templater-obsidian/data.json"
# Reasons, as a report counts them.
EXCLUDED, TEMPLATE = "excluded in Obsidian", "template"
DRAWING, CANVAS = "Excalidraw drawing", "canvas"
_MAX_BYTES = 1024 * 1024
_MAX_FILTER = 1_000
_TODAY = "YYYY-MM-DD"


@dataclass(frozen=True)
class ObsidianVault:
    """``base`` is the folder that holds ``.obsidian``."""

    base: str

    def hides(self, path: str) -> str | None:
        """Why a file is left out, or a folder whose path ends in a slash; ``path`` is absolute and below ``base``."""
        inside = path[len(self.base) + 1 :]
        lower = inside.casefold()
        if any(lower == place or lower.startswith(f"{place}/") for place in self._templates):
            return TEMPLATE
        return EXCLUDED if any(pattern.search(inside) for pattern in self._excluded) else None

    def daily(self, root: str) -> DailyNotes | None:
        """How the notes of days are called, for a collection at ``root`` above or below ``base``; ``None`` where
        nothing but the usual is said."""
        core, periodic = self._read(_DAILY), self._table(_PERIODIC, "daily")
        given = periodic if periodic.get("enabled") is True else core
        folder, form = _text(given, "folder").strip("/"), _text(given, "format") or _TODAY
        if (folder, form) == ("", _TODAY):
            return None
        if self.base == root or self.base.startswith(root + os.sep):
            return DailyNotes(folder, form, below=self.base[len(root) + 1 :])
        return DailyNotes(folder, form, above=root[len(self.base) + 1 :])

    @property
    def settings(self) -> tuple[str, ...]:
        """The files that are read, there or not."""
        return tuple(f"{self.base}/{FOLDER}/{name}" for name in (_APP, _DAILY, _TEMPLATES, _PERIODIC, _TEMPLATER))

    @cached_property
    def _templates(self) -> tuple[str, ...]:
        """Paths of folders and of notes without their suffix, in one case."""
        daily = _text(self._read(_DAILY), "template")
        named = (
            _text(self._read(_TEMPLATES), "folder"),
            _text(self._read(_TEMPLATER), "templates_folder"),
            daily and f"{daily.removesuffix('.md')}.md",
        )
        return tuple({place.strip("/").casefold() for place in named if place.strip("/")})

    @cached_property
    def _excluded(self) -> tuple[re.Pattern[str], ...]:
        filters = self._read(_APP).get("userIgnoreFilters")
        return tuple(_patterns(filters if isinstance(filters, list) else []))

    def _read(self, name: str) -> Mapping[str, Any]:
        """A file of settings; empty where there is none that can be read."""
        try:
            with Path(self.base, FOLDER, name).open("rb") as file:
                found = json.loads(file.read(_MAX_BYTES))
        except (OSError, ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    def _table(self, name: str, key: str) -> Mapping[str, Any]:
        found = self._read(name).get(key)
        return found if isinstance(found, dict) else {}


def vault_above(root: str) -> ObsidianVault | None:
    """The vault that a folder is, or lies in."""
    base = find_above(root, f"{FOLDER}/")
    return None if base is None else ObsidianVault(base)


def drawn(name: str) -> str | None:
    """What a file of this name holds instead of text, if its name tells."""
    if name.endswith((".excalidraw", ".excalidraw.md")):
        return DRAWING
    return CANVAS if name.endswith(".canvas") else None


def _text(table: Mapping[str, Any], key: str) -> str:
    value = table.get(key)
    return value.strip() if isinstance(value, str) else ""


def _patterns(filters: list[Any]) -> Iterator[re.Pattern[str]]:
    """A filter is the beginning of a path, or a regular expression between slashes; case does not count. One that can't
    be read hides nothing."""
    for given in filters:
        if not isinstance(given, str) or not given.strip("/") or len(given) > _MAX_FILTER:
            continue
        try:
            whole = len(given) > 1 and given[0] == given[-1] == "/"
            yield re.compile(given[1:-1] if whole else "^" + re.escape(given.lstrip("/")), re.IGNORECASE)
        except (re.error, RecursionError, OverflowError):
            continue
