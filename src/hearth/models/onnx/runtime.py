"""Opens models with onnxruntime, those of a folder that somebody else made too, and batches their tokens."""

from __future__ import annotations

import json
import mmap
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from hearth.core.errors import Remedy, Unavailable
from hearth.core.files import write_atomically
from hearth.core.paths import install_command
from hearth.models.onnx.catalogue import PLAIN, ExportRecipe, File, Manifest, checksum, decides_vectors

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
            f"the model {name} needs what is not installed: {install_command('onnx')}{_pull(name)}; or go back "
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
        raise Unavailable(f"the extra is incomplete ({error}): {install_command('onnx')}") from error
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


_MODEL_FILES = ("model.onnx", "onnx/model.onnx", "model_optimized.onnx", "onnx/model_quantized.onnx")
_LOCAL_POOLING = {"cls_token": "cls", "mean_tokens": "mean", "lasttoken": "last"}
_LONGEST = 2_048
"""Tokens; some models take more, at a cost that grows with the square."""


def describe(folder: Path, kind: str, memory: Path) -> Manifest:
    """A manifest for a folder without ``hearth.json``.

    ``memory`` is where checksums are remembered, since reading a model of 1 GB takes a second. Raises ``Unavailable``
    that names what is missing.
    """
    model_file = next((name for name in _MODEL_FILES if (folder / name).is_file()), None)
    if model_file is None:
        raise Unavailable(f"{folder} has no ONNX model; expected one of {', '.join(_MODEL_FILES)}")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        if not (folder / name).is_file():
            raise Unavailable(f"{folder} has no {name}; copy it from the model's source")
    try:
        recipe = _recipe(folder, kind, model_file)
        names = [name for name in _names(folder) if decides_vectors(name)]
        return Manifest(recipe, f"path:{folder}", _files(folder, names, memory))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Unavailable(f"the model in {folder} can't be read: {error!r}; check its files") from error


def _recipe(folder: Path, kind: str, model_file: str) -> ExportRecipe:
    config = _json(folder / "config.json")
    prompts = _json(folder / "config_sentence_transformers.json").get("prompts") or {}
    embedder = kind == "embedder"
    return ExportRecipe(
        name="local",  # not the folder's: renaming it must not cost every vector
        kind=kind,
        model_file=model_file,
        max_tokens=_max_tokens(folder, config),
        dimensions=int(config["hidden_size"]) if embedder else 0,
        pooling=_pooling(folder) if embedder else "none",
        query=_template(prompts, "query"),
        document=_template(prompts, "document", "passage"),
        multilingual=True,
    )


def _max_tokens(folder: Path, config: Mapping[str, Any]) -> int:
    given = (
        _json(folder / "sentence_bert_config.json").get("max_seq_length"),
        _json(folder / "tokenizer_config.json").get("model_max_length"),
        config.get("max_position_embeddings"),
    )
    return int(min(number for number in (*given, _LONGEST) if isinstance(number, int) and number >= 8))


def _pooling(folder: Path) -> str:
    """Mean where nothing is said, as sentence-transformers does."""
    modes = _json(folder / "1_Pooling" / "config.json")
    return next((kind for mode, kind in _LOCAL_POOLING.items() if modes.get(f"pooling_mode_{mode}")), "mean")


def _template(prompts: Mapping[str, str], *names: str) -> str:
    return next((prompts[name] for name in names if prompts.get(name)), "") + PLAIN


def _names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def _files(folder: Path, names: list[str], memory: Path) -> dict[str, File]:
    """Sizes and checksums; a file of the same size and time as last time is not read again."""
    known = _json(memory)
    found: dict[str, File] = {}
    kept: dict[str, list[Any]] = {}
    for name in names:
        place = folder / name
        state = place.stat()
        before = known.get(str(place.resolve()))
        same = isinstance(before, list) and before[:2] == [state.st_size, state.st_mtime_ns]
        found[name] = File(state.st_size, str(before[2]) if same and before is not None else checksum(place))
        kept[str(place.resolve())] = [state.st_size, state.st_mtime_ns, found[name].sha256]
    if any(known.get(place) != row for place, row in kept.items()):
        _remember(memory, known | kept)
    return found


def _remember(memory: Path, rows: Mapping[str, Any]) -> None:
    try:
        write_atomically(memory, json.dumps(rows).encode())
    except Unavailable:  # then it is computed again next time
        return


def _json(path: Path) -> dict[str, Any]:
    """Empty where there is no such file. Raises ``ValueError`` for one that is not a table."""
    if not path.is_file():
        return {}
    read = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(read, dict):
        raise ValueError(f"{path.name} is not a table")
    return read


_MEANINGFUL = 3
"""Letters from which on a piece is more than a bit of spelling."""

_LONGEST_SAMPLE = 4_000
"""Characters looked at; the language of a text shows at its beginning."""


def coverage(tokenizer: Tokenizer, text: str, *, multilingual: bool) -> float:
    """Share of the text's letters that the model reads as more than spelling, in [0, 1]; 0 without letters.

    For a model of one language these are the letters in pieces of three or more (English about 0.8, Russian 0.02); for
    a multilingual one, whose pieces are short in many scripts, all letters but those of unknown tokens.
    """
    text = legible(text[:_LONGEST_SAMPLE])
    letters = sum(map(str.isalpha, text))
    if not letters:
        return 0.0
    unknown = getattr(tokenizer.model, "unk_token", None)
    covered = 0
    found = tokenizer.encode(text)
    for one in (found, *found.overflowing):
        for (start, end), token in zip(one.offsets, one.tokens, strict=True):
            inside = sum(map(str.isalpha, text[start:end]))
            if token != unknown and (multilingual or inside >= _MEANINGFUL):
                covered += inside
    return min(1.0, covered / letters)
