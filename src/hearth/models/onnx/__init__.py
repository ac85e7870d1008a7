"""Models that run on this machine through fastembed and onnxruntime: the extra ``onnx``.

Importing this package imports neither; opening a model reads its manifest, and the first use loads the model.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hearth.core.errors import Remedy, Unavailable
from hearth.models.onnx import catalogue, runtime
from hearth.models.onnx.runtime import check_extra

if TYPE_CHECKING:
    from hearth.models.onnx.models import OnnxEmbedder, OnnxReranker

LOCAL = "path:"
PARTIAL = ".partial"
_MEMORY = "local.json"
WITHOUT = {"embedder": "static", "reranker": "none"}
"""What ``hearth models use`` calls doing without a model, by its kind."""


def models_folder(cache: str | Path) -> Path:
    """Where pulled models lie, below Hearth's cache folder; no vault can have this name."""
    return Path(cache, "_models")


def open_embedder(model: str | None, folder: Path) -> OnnxEmbedder:
    """The embedder ``model``: a name of the catalogue (None: ``minilm``) or ``path:`` and a folder.

    ``folder`` holds pulled models. Raises ``NotFound`` for an unknown name, ``Unavailable`` where the extra or the
    model is missing or not whole.
    """
    place, found = resolve(model or catalogue.DEFAULT["embedder"], folder, "embedder")
    from hearth.models.onnx.models import OnnxEmbedder

    return OnnxEmbedder(place, found)


def open_reranker(model: str | None, folder: Path) -> OnnxReranker:
    """The reranker ``model`` (None: ``ms-marco-minilm``); as ``open_embedder``."""
    place, found = resolve(model or catalogue.DEFAULT["reranker"], folder, "reranker")
    from hearth.models.onnx.models import OnnxReranker

    return OnnxReranker(place, found)


def resolve(model: str, folder: Path, kind: str) -> tuple[Path, catalogue.Manifest]:
    """Where a model lies, and its manifest. Raises as ``open_embedder``; judges files by their sizes alone."""
    if model.startswith(LOCAL):
        check_extra(model)
        place = local_folder(model)
        found = catalogue.read_manifest(place) or runtime.describe(place, kind, folder / _MEMORY)
    else:
        known = catalogue.find_entry(model, kind)
        name = known.name
        check_extra(name)
        place = folder / name
        pulled = catalogue.read_manifest(place)
        if pulled is None:
            raise Unavailable(
                f"the model {name} is not on this machine: hearth models pull {name} (while online), or do without",
                Remedy(f"models use {WITHOUT[kind]}", lead="", joint=": "),
            )
        # A curve that was measured after the pull holds for the same weights.
        found = replace(pulled, recipe=replace(pulled.recipe, curve=known.recipe.curve))
    if found.recipe.kind != kind:
        raise Unavailable(f"the model in {place} is of the kind {found.recipe.kind}, not {kind}; choose another")
    broken = catalogue.find_missing(place, found)
    if broken:
        raise Unavailable(f"the model in {place} is incomplete ({', '.join(broken)}); {again(model)}")
    return place, found


def local_folder(model: str) -> Path:
    """The absolute folder that ``path:…`` names."""
    return Path(model.removeprefix(LOCAL)).expanduser().absolute()


def again(model: str) -> str:
    """How to get a model whose files are damaged."""
    return "copy the folder again" if model.startswith(LOCAL) else f"repair it: hearth models pull {model}"
