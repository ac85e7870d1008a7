"""A model folder that somebody else made: how to run it, and how well it knows a language."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hearth.core.errors import Unavailable
from hearth.core.files import write_atomically
from hearth.models.onnx.catalogue import PLAIN, ExportRecipe, File, Manifest, checksum, decides_vectors
from hearth.models.onnx.runtime import legible

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_MODEL_FILES = ("model.onnx", "onnx/model.onnx", "model_optimized.onnx", "onnx/model_quantized.onnx")
_POOLING = {"cls_token": "cls", "mean_tokens": "mean", "lasttoken": "last"}
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
    return next((kind for mode, kind in _POOLING.items() if modes.get(f"pooling_mode_{mode}")), "mean")


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
