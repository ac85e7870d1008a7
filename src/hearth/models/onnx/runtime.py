"""What fastembed and onnxruntime do for a model folder. The only module that imports them, and late: it takes 0.4 s."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hearth.core.errors import Remedy, Unavailable
from hearth.models.onnx.manifest import Manifest

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MAX_THREADS = 4
"""More threads hardly speed up models of this size, and starve what else runs."""

_PROVIDERS = ("CPUExecutionProvider",)
_POOLING = {"mean": "MEAN", "cls": "CLS", "last": "LAST_TOKEN", "none": "DISABLED"}
_registering = threading.Lock()

VERIFY = Remedy("models verify", lead="check it: ")


def check_extra(name: str) -> None:
    """Raises ``Unavailable`` where the extra is not installed; imports nothing."""
    if find_spec("fastembed") is None:
        raise Unavailable(
            f"the model {name} needs what is not installed: pip install 'hearth-memory[onnx]'{_pull(name)}; or go back "
            "to the built-in embedder",
            Remedy("models use static", lead="", joint=": "),
        )


def _pull(name: str) -> str:
    return "" if name.startswith("path:") else f", then hearth models pull {name}"


def threads() -> int:
    """Half of the processors that this process may use, at least 1, at most ``MAX_THREADS``."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(MAX_THREADS, usable // 2))


def embedding(folder: Path, manifest: Manifest) -> tuple[Any, Tokenizer]:
    """fastembed's TextEmbedding over the folder and its tokenizer, which cuts at the recipe's length.

    Raises ``Unavailable`` where the folder can't be loaded.
    """
    recipe = manifest.recipe
    with _loading(folder):
        from fastembed import TextEmbedding
        from fastembed.common.model_description import ModelSource, PoolingType

        name = f"hearth/{manifest.fingerprint}/{folder}"
        with _registering:
            if all(name.lower() != known["model"].lower() for known in TextEmbedding.list_supported_models()):
                TextEmbedding.add_custom_model(
                    name,
                    PoolingType[_POOLING[recipe.pooling]],
                    normalization=False,
                    sources=ModelSource(url="file://"),
                    dim=recipe.dimensions,
                    model_file=recipe.model_file,
                    output_name=recipe.output,
                )
        model = TextEmbedding(name, **_options(folder))
        return model, _tokenizer(model, recipe.max_tokens)


def cross_encoder(folder: Path, manifest: Manifest) -> tuple[Any, Tokenizer]:
    """As ``embedding``, but fastembed's TextCrossEncoder."""
    with _loading(folder):
        from fastembed.common.model_description import ModelSource
        from fastembed.rerank.cross_encoder import TextCrossEncoder

        name = f"hearth/{manifest.fingerprint}/{folder}"
        with _registering:
            if all(name.lower() != known["model"].lower() for known in TextCrossEncoder.list_supported_models()):
                TextCrossEncoder.add_custom_model(
                    name, sources=ModelSource(url="file://"), model_file=manifest.recipe.model_file
                )
        model = TextCrossEncoder(name, **_options(folder))
        return model, _tokenizer(model, manifest.recipe.max_tokens)


def _options(folder: Path) -> dict[str, Any]:
    return {
        "specific_model_path": str(folder),
        "threads": threads(),
        "providers": _PROVIDERS,
        "enable_cpu_mem_arena": False,
    }


def _tokenizer(model: Any, max_tokens: int) -> Tokenizer:
    tokenizer: Tokenizer = model.model.tokenizer
    tokenizer.enable_truncation(max_length=max_tokens)
    return tokenizer


@contextmanager
def _loading(folder: Path) -> Iterator[None]:
    """The many ways in which a folder can fail to load, as one error."""
    try:
        yield
    except ImportError as error:
        raise Unavailable(f"the extra is incomplete ({error}): pip install 'hearth-memory[onnx]'") from error
    except Exception as error:
        # onnxruntime and tokenizers raise classes of their own, and bare Exception for a broken file.
        raise Unavailable(
            f"the model in {folder} can't be loaded ({_first_line(error)})",
            VERIFY,
        ) from error


@contextmanager
def running(folder: Path) -> Iterator[None]:
    """What goes wrong inside the model, as ``Unavailable``."""
    try:
        yield
    except Exception as error:
        why = _first_line(error)
        raise Unavailable(f"the model in {folder} failed ({why})", VERIFY) from error


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:200]}" if lines else type(error).__name__
