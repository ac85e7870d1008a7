"""Opens models with onnxruntime and batches their tokens."""

from __future__ import annotations

import mmap
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from hearth.core.errors import Remedy, Unavailable
from hearth.models.onnx.catalogue import Manifest

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

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


Item = TypeVar("Item")

BATCH_TOKENS = 256
"""Tokens computed at once, padding included. Larger batches were slower on processors, smaller ones for short texts
(all-MiniLM-L6-v2, one thread: 12 words 192 texts/s alone, 296 by four, 187 by 64; 120 words 31 alone, 21 by 64)."""

_DYNAMIC = b"DynamicQuantize"


def batches(items: Sequence[Item], tokens: Callable[[Item], int], limit: int) -> Iterator[list[Item]]:
    """The items by length; each run, padded to its longest, has at most ``limit`` tokens, or a single item."""
    run: list[Item] = []
    for item in sorted(items, key=tokens):
        if run and tokens(item) * (len(run) + 1) > limit:
            yield run
            run = []
        run.append(item)
    if run:
        yield run


def limit_of(model_file: Path) -> int:
    """``BATCH_TOKENS``, or 0, which means one at a time, for a model that scales its int8 activations over a batch.

    There a text's vector would depend on the texts beside it: the cosine between the two fell to 0.97.
    """
    with model_file.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return 0 if data.find(_DYNAMIC) >= 0 else BATCH_TOKENS


SLOT = "{text}"
_BLOCK = 256
"""Texts tokenised at once: the tokenizer pads them all to the longest."""


class TokenWindow(NamedTuple):
    """A piece of a text inside its template, and its length in tokens, special ones included."""

    text: str
    tokens: int


class Cutter:
    """Cuts texts for one template at ``limit`` tokens, template and special tokens included.

    ``tokenizer`` is set to the model's length, which is no smaller, and is not changed: threads share it.
    """

    def __init__(self, tokenizer: Tokenizer, limit: int, template: str = SLOT) -> None:
        self._tokenizer = tokenizer
        self._limit = limit
        self._before, self._after = template.split(SLOT, 1)
        around = sum(tokenizer.encode(template.replace(SLOT, "")).attention_mask)
        self._room = max(1, limit - around)
        self._unknown = getattr(tokenizer.model, "unk_token", None)

    def windows(self, texts: Sequence[str]) -> list[list[TokenWindow]]:
        """The pieces of each text, in order and without overlap; together they are the text.

        They are about equally long and end between words where there are any. A piece without a token that the model
        knows is left out.
        """
        found: list[list[TokenWindow]] = []
        for start in range(0, len(texts), _BLOCK):
            found += map(list, self._block([legible(text) for text in texts[start : start + _BLOCK]]))
        return found

    def _block(self, texts: Sequence[str]) -> Iterator[Iterator[TokenWindow]]:
        encodings = self._tokenizer.encode_batch([self._dress(text) for text in texts])
        return map(self._pieces, texts, encodings)

    def _dress(self, text: str) -> str:
        return f"{self._before}{text}{self._after}"

    def _pieces(self, text: str, encoding: Encoding) -> Iterator[TokenWindow]:
        tokens = sum(encoding.attention_mask)
        if len(text) > 1 and (encoding.overflowing or tokens > self._limit):
            # On its own, a piece may take a token more than in its place, and be cut again.
            for pieces in self._block(self._parts(text, encoding)):
                yield from pieces
        elif any(token != self._unknown for _, token in self._tokens(text, encoding)):
            yield TokenWindow(self._dress(text), tokens)

    def _tokens(self, text: str, encoding: Encoding) -> Iterator[tuple[int, str]]:
        """Where in the text each of its tokens begins, and the token; not those of the template."""
        start, end = len(self._before), len(self._before) + len(text)
        for (begin, stop), token in zip(encoding.offsets, encoding.tokens, strict=True):
            if start <= begin < stop <= end:
                yield begin - start, token

    def _parts(self, text: str, encoding: Encoding) -> list[str]:
        """At least two, each shorter than the text, with about the same number of tokens."""
        starts = [at for one in (encoding, *encoding.overflowing) for at, _ in self._tokens(text, one)]
        count = max(2, -(-len(starts) // self._room))
        cuts = [0]
        for number in range(1, count):
            place = starts[len(starts) * number // count] if starts else 0
            cuts.append(_between_words(text, cuts[-1], place))
        kept = [text[start:end] for start, end in pairwise([*cuts, len(text)]) if end > start]
        half = (len(text) + 1) // 2
        return kept if len(kept) > 1 else [text[:half], text[half:]]


def legible(text: str) -> str:
    """The text without lone surrogates, which stand for undecodable bytes and which no tokenizer takes."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _between_words(text: str, start: int, end: int) -> int:
    """The end of the last white space in the second half of ``text[start:end]``, else ``end``, but never before
    ``start``."""
    for at in range(end, (start + end) // 2, -1):
        if text[at - 1].isspace():
            return at
    return max(start, end)
