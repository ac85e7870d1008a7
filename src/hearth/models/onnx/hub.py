"""Files of a model from the Hugging Face hub or a mirror of it (``HF_ENDPOINT``), resumable.

``huggingface_hub`` finds the files and carries tokens, proxies and endpoints; its own downloads end with their process
and can't be resumed by another, so the bytes are fetched here.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hearth.core.errors import BadReply, Unavailable
from hearth.core.files import make_folder
from hearth.core.lazy import dataclass
from hearth.models.onnx.catalogue import CatalogueEntry

if TYPE_CHECKING:
    import httpx

Progress = Callable[[int, int], None]

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
                done += self._file(file, repository, revision, folder, partial(_ahead, progress, done, total))
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
            raise BadReply(f"{file.name} of {repository} came with another checksum; it was deleted, pull again")
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


def _ahead(progress: Progress, before: int, total: int, count: int) -> None:
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
    import shutil

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
    """What the hub's library raises, as errors of ours."""
    import httpx
    from huggingface_hub import errors

    try:
        yield
    except errors.GatedRepoError as error:
        raise Unavailable(
            f"{repository} wants its terms accepted: do so at https://huggingface.co/{repository}, then set HF_TOKEN"
        ) from error
    except errors.RepositoryNotFoundError as error:
        raise Unavailable(f"the hub has no {repository}, or wants a token for it (HF_TOKEN)") from error
    except (errors.OfflineModeIsEnabled, errors.LocalEntryNotFoundError) as error:
        raise Unavailable("the hub is switched off here (HF_HUB_OFFLINE)") from error
    except (errors.HfHubHTTPError, httpx.HTTPError) as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise Unavailable(f"the hub can't be reached ({said})") from error
