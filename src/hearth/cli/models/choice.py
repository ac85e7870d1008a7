"""Which model the configuration names, and how a command changes that."""

from __future__ import annotations

from hearth import paths
from hearth.config import config_file, edit, load
from hearth.models.onnx import LOCAL, catalogue

STATIC, NONE = PLAIN = ("static", "none")

# The section of the settings, and what its provider is without a model.
_SECTIONS = {"embedder": ("embedding", STATIC), "reranker": ("rerank", NONE)}


def used() -> dict[str, str]:
    """Kind -> the model in use: a name of the catalogue, ``path:`` and a folder, ``static``, ``none`` or ``http``."""
    config = load(paths.folders()).config
    return {
        kind: (given.model or catalogue.DEFAULT[kind]) if given.provider == "onnx" else given.provider
        for kind, given in (("embedder", config.embedding), ("reranker", config.rerank))
    }


def kind_of(name: str, *, reranker: bool) -> str:
    """What ``name`` is used as. Raises ``NotFound`` for one that the catalogue lacks."""
    if name == STATIC:
        return "embedder"
    if name == NONE:
        return "reranker"
    if name.startswith(LOCAL):
        return "reranker" if reranker else "embedder"
    return catalogue.find(name).recipe.kind


def choose(kind: str, name: str) -> list[str]:
    """Writes the choice to ``config.yaml``; returns which variables overrule it."""
    section, without = _SECTIONS[kind]
    plain = name in PLAIN
    values = {"provider": without if plain else "onnx", "model": None if plain else name}
    folders = paths.folders()
    # With a model the provider comes last, without one first: a stop in between leaves settings that fit together.
    for key in ("provider", "model") if plain else ("model", "provider"):
        edit.set_value(folders, f"{section}.{key}", values[key])
    origins = load(folders).origins
    own = config_file(folders).name
    found = (origins.get(f"{section}.{key}", own) for key in values)
    return sorted({origin for origin in found if not origin.startswith(own)})
