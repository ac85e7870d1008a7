"""Fills in many vectors through OpenAI's batch service: half the price, within a day, through restarts."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any

import numpy as np

from hearth.core.errors import BadReply, ConfigError, Unavailable
from hearth.core.files import locked
from hearth.core.lazy import dataclass
from hearth.models.http.client import Ledger, RecordedBatch
from hearth.models.http.models import HttpEmbedder
from hearth.models.http.protocol import DOCUMENT, Vector, answers, form, line, mark, part
from hearth.models.http.transport import HttpRequest
from hearth.text.lines import estimate_tokens

MAX_TEXTS = 10_000
"""Of the 50,000 that the service takes: the result, some 30 kB a text, then stays about 300 MB."""

MAX_BYTES = 50 * 2**20
MAX_TOKENS = 1_000_000
"""Estimated; an account may have only so many waiting at a time."""

_ENDPOINT = "/v1/embeddings"
_MARK = "hearth"
_PAGES = 10
_DONE = frozenset({"completed", "expired", "cancelled"})
# Sent once only: a second batch would be paid for.
_ONCE = replace(DOCUMENT, retries=0)


@dataclass(slots=True)
class BatchResult:
    """By position in the texts that were given: vectors, reasons for those that failed, and those that no batch holds
    yet or that ran out of time: they are for the next one."""

    vectors: dict[int, Vector] = field(default_factory=dict)
    failed: dict[int, str] = field(default_factory=dict)
    left: tuple[int, ...] = ()


class BatchJob:
    """One batch of a space. Its state is a file in ``folder``, so whoever comes after a restart goes on with the same
    batch. The texts must be scrubbed already."""

    def __init__(self, embedder: HttpEmbedder, folder: Path) -> None:
        """Raises ``ConfigError`` for a server that has no such service."""
        if embedder.speech.family.name != "openai":
            raise ConfigError("embedding.batch_api needs the openai dialect; set it to false")
        self._embedder = embedder
        self._client = embedder.client
        name = hashlib.sha256(embedder.fingerprint.encode()).hexdigest()[:12]
        self._ledger = Ledger(folder / f"batch-{name}.json")
        self._results = folder / f"batch-{name}.jsonl"
        self._lock = folder / f"batch-{name}.lock"

    @property
    def pending(self) -> bool:
        """Whether a batch is under way, or its result not yet acknowledged by ``finish``."""
        return self._ledger.read() is not None

    def run(self, texts: Sequence[str], wait: Callable[[], None]) -> BatchResult:
        """Goes on with the batch under way, else starts one for as many ``texts`` as it takes, and gives its result.

        ``wait`` passes the time between two looks; it may raise to stop, and a later run goes on. After storing the
        result call ``finish``; until then a run gives the same result again and pays nothing. Raises ``Unavailable``
        and ``BadReply``.
        """
        with locked(self._lock, wait=0):
            job = self._ledger.read()
            if job is None or job.batch is None:
                job = self._start(job, texts)
            while True:
                state = self._look(job)
                if state["status"] in _DONE:
                    return self._collect(state, texts)
                if state["status"] == "failed":
                    self._ledger.clear()
                    raise Unavailable(f"{self._client.server.name} failed the batch: {_errors(state)}")
                wait()

    def finish(self) -> None:
        """Forgets the batch: its result is stored."""
        self._ledger.clear()

    # -- starting --------------------------------------------------------------------------------------------------

    def _start(self, job: RecordedBatch | None, texts: Sequence[str]) -> RecordedBatch:
        found = self._find(job) if job is not None else None
        if job is None or found is None:
            # Nothing was created, so nothing was paid: the file is made anew, in case that was what failed.
            job = self._upload(texts)
            found = self._create(job)
        job = replace(job, batch=found)
        self._ledger.write(job)
        return job

    def _upload(self, texts: Sequence[str]) -> RecordedBatch:
        data, count = self._data(texts)
        if not count:
            raise Unavailable("no text to embed in a batch")
        boundary = secrets.token_hex(16)
        body = form("batch", data, boundary)
        request = HttpRequest(self._url("files"), body, f"multipart/form-data; boundary={boundary}")
        file = self._client.ask(request, lambda reply: part(reply, "id", str), DOCUMENT)
        job = RecordedBatch(secrets.token_hex(16), self._embedder.fingerprint, count, file)
        self._ledger.write(job)
        return job

    def _data(self, texts: Iterable[str]) -> tuple[bytes, int]:
        speech = self._embedder.speech
        found: list[bytes] = []
        size = tokens = 0
        for text in dict.fromkeys(text for text in texts if text.strip()):
            rendered = speech.rendered(text, "document")
            data = line(rendered, _ENDPOINT, speech.payload([rendered], "document"))
            size += len(data)
            tokens += estimate_tokens(rendered)
            if found and (len(found) >= MAX_TEXTS or size > MAX_BYTES or tokens > MAX_TOKENS):
                break
            found.append(data)
        return b"".join(found), len(found)

    def _create(self, job: RecordedBatch) -> str:
        payload = {
            "input_file_id": job.file,
            "endpoint": _ENDPOINT,
            "completion_window": "24h",
            "metadata": {_MARK: job.name},
        }
        return self._client.ask(HttpRequest.of(self._url("batches"), payload), _id, _ONCE)

    def _find(self, job: RecordedBatch) -> str | None:
        """The batch that an earlier run asked for without living to see the reply."""
        after = ""
        for _ in range(_PAGES):
            url = self._url("batches", f"limit=100{after}")
            page = self._client.ask(HttpRequest(url), lambda reply: part(reply, "data", list), DOCUMENT)
            for batch in page:
                if isinstance(batch, dict) and (batch.get("metadata") or {}).get(_MARK) == job.name:
                    return _id(batch)
            if len(page) < 100:
                return None
            after = f"&after={_id(page[-1])}"
        raise Unavailable(
            f"{self._ledger.path} names a batch that is not among the latest {_PAGES * 100}; if the provider lists "
            "none of it, delete that file to start a new one"
        )

    # -- ending ----------------------------------------------------------------------------------------------------

    def _look(self, job: RecordedBatch) -> dict[str, Any]:
        try:
            return self._client.ask(HttpRequest(self._url(f"batches/{job.batch}")), _state, DOCUMENT)
        except Unavailable as error:
            raise Unavailable(f"{error} (batch {job.batch}, kept in {self._ledger.path})") from None

    def _collect(self, state: dict[str, Any], texts: Sequence[str]) -> BatchResult:
        wanted: dict[str, list[int]] = {}
        result = BatchResult()
        for at, text in enumerate(texts):
            if text.strip():
                wanted.setdefault(mark(self._embedder.speech.rendered(text, "document")), []).append(at)
        for name in ("output_file_id", "error_file_id"):
            if state.get(name):
                self._take(str(state[name]), wanted, result)
        for at in (at for at, text in enumerate(texts) if not text.strip()):
            result.vectors[at] = np.zeros(self._embedder.dimensions, np.float32)
        result.left = tuple(sorted(at for places in wanted.values() for at in places))
        return result

    def _take(self, file: str, wanted: dict[str, list[int]], result: BatchResult) -> None:
        try:
            self._client.download(HttpRequest(self._url(f"files/{file}/content")), DOCUMENT, self._results)
            for name, reply, problem in answers(self._results):
                vector = problem if problem is not None else self._vector(reply)
                for at in wanted.pop(name, ()):
                    if isinstance(vector, str):
                        result.failed[at] = vector
                    else:
                        result.vectors[at] = vector
        finally:
            self._results.unlink(missing_ok=True)

    def _vector(self, reply: Any) -> Vector | str:
        try:
            (row,) = self._embedder.speech.rows(reply, [""])
        except BadReply as error:
            return str(error)
        return f"the server gave {row}" if isinstance(row, str) else row

    def _url(self, route: str, query: str = "") -> str:
        url = self._embedder.place.beside(route)
        return url + (("&" if "?" in url else "?") + query if query else "")


def _id(reply: Any) -> str:
    return part(reply, "id", str)


def _state(reply: Any) -> dict[str, Any]:
    part(reply, "status", str)
    return dict(reply)


def _errors(state: dict[str, Any]) -> str:
    errors = (state.get("errors") or {}).get("data") or []
    messages = [str(error.get("message") or error.get("code")) for error in errors if isinstance(error, dict)]
    return "; ".join(messages[:3])[:300] or "it gives no reason"
