"""The batch service: one batch however often the program restarts, and each text by its own fate."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.models.http.batch_service import BatchService
from tests.models.http.server import WIDTH, Answer, ModelServer

from hearth.core.errors import BadReply, ConfigError, Unavailable
from hearth.core.files import locked
from hearth.models.http import HttpEmbedder
from hearth.models.http import batch as module
from hearth.models.http.batch import BatchJob

Opened = Callable[..., HttpEmbedder]
TEXTS = ["We chose PostgreSQL.", "", "The cat sleeps.", "Backups run at night."]


class Stopped(Exception):
    """What the wait raises to play the end of the process."""


def stop() -> None:
    raise Stopped


def go_on() -> None:
    """The next look may come at once."""


@pytest.fixture
def service(server: ModelServer) -> BatchService:
    server.service = BatchService()
    return server.service


@pytest.fixture
def job(service: BatchService, opened: Opened, tmp_path: Path) -> Callable[[], BatchJob]:
    """A job as a new process would open it."""
    return lambda: BatchJob(opened(model="text-embedding-3-small"), tmp_path)


def test_a_batch_gives_the_vectors_that_single_requests_give(
    job: Callable[[], BatchJob], opened: Opened, service: BatchService, server: ModelServer
) -> None:
    result = job().run(TEXTS, go_on)
    single = opened(model="text-embedding-3-small").embed(TEXTS, "document")
    assert result.failed == {}
    assert result.left == ()
    assert np.allclose([result.vectors[at] for at in range(4)], single, atol=1e-6)
    assert service.created == 1
    lines = [json.loads(line) for line in service.files["file-0"].splitlines()]
    assert len(lines) == 3
    assert (lines[0]["method"], lines[0]["url"]) == ("POST", "/v1/embeddings")
    assert lines[0]["body"] == {"input": [TEXTS[0]], "model": "text-embedding-3-small"}
    assert len({line["custom_id"] for line in lines}) == 3


@pytest.mark.parametrize("looks", range(4))
def test_a_restart_goes_on_with_the_same_batch(job: Callable[[], BatchJob], service: BatchService, looks: int) -> None:
    calls = iter(range(looks))

    def stop_later() -> None:
        if next(calls, None) is None:
            raise Stopped

    try:
        result = job().run(TEXTS, stop_later)
    except Stopped:
        assert job().pending
        result = job().run(TEXTS, go_on)
    assert len(result.vectors) == 4
    assert service.created == 1


def test_the_same_result_comes_again_until_it_is_acknowledged(
    job: Callable[[], BatchJob], service: BatchService, tmp_path: Path
) -> None:
    job().run(TEXTS, go_on)
    again = job().run(TEXTS, go_on)
    assert len(again.vectors) == 4
    assert service.created == 1
    job().finish()
    assert not job().pending
    assert [path.suffix for path in tmp_path.iterdir()] == [".lock"]
    job().run(TEXTS, go_on)
    assert service.created == 2


def test_a_batch_whose_reply_was_lost_is_found_and_not_paid_for_twice(
    job: Callable[[], BatchJob], service: BatchService, server: ModelServer
) -> None:
    server.scripts.extend([lambda reply: reply, lambda reply: Answer(200, json.dumps(reply).encode(), cut=True)])
    with pytest.raises(Unavailable):
        job().run(TEXTS, go_on)
    assert service.created == 1
    assert len(job().run(TEXTS, go_on).vectors) == 4
    assert service.created == 1


def test_a_lost_batch_is_found_behind_hundreds_of_others(
    job: Callable[[], BatchJob], service: BatchService, server: ModelServer
) -> None:
    server.scripts.extend([lambda reply: reply, lambda reply: Answer(200, b"<html>")])
    with pytest.raises(BadReply):
        job().run(TEXTS, go_on)
    for at in range(1, 250):
        service.batches[f"batch-{at}"] = {"id": f"batch-{at}", "status": "completed", "metadata": None}
    assert len(job().run(TEXTS, go_on).vectors) == 4
    assert service.created == 1


def test_a_lost_batch_that_may_be_further_back_is_not_made_again(
    job: Callable[[], BatchJob], service: BatchService, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PAGES", 2)
    server.scripts.extend([lambda reply: reply, lambda reply: Answer(200, b"<html>")])
    with pytest.raises(BadReply):
        job().run(TEXTS, go_on)
    for at in range(1, 250):
        service.batches[f"batch-{at}"] = {"id": f"batch-{at}", "status": "completed", "metadata": None}
    with pytest.raises(Unavailable, match=r"latest 200"):
        job().run(TEXTS, go_on)
    assert service.created == 1


def test_a_batch_that_was_never_made_is_made(
    job: Callable[[], BatchJob], service: BatchService, server: ModelServer
) -> None:
    server.scripts.extend([lambda reply: reply, "reset"])
    with pytest.raises(Unavailable):
        job().run(TEXTS, go_on)
    assert len(job().run(TEXTS, go_on).vectors) == 4
    assert service.created == 1


def test_each_failure_is_reported_for_its_own_text(job: Callable[[], BatchJob], service: BatchService) -> None:
    service.refuse = {TEXTS[2]}
    result = job().run(TEXTS, go_on)
    assert sorted(result.vectors) == [0, 1, 3]
    assert result.failed == {2: "too bad: 15"}
    assert result.left == ()


def test_what_the_time_did_not_suffice_for_is_left_for_the_next_batch(
    job: Callable[[], BatchJob], service: BatchService
) -> None:
    service.ending, service.tried = "expired", 2
    result = job().run(TEXTS, go_on)
    assert sorted(result.vectors) == [0, 1, 2]
    assert result.left == (3,)
    assert result.failed == {}


def test_texts_that_came_after_the_start_are_left_and_vanished_ones_ignored(
    job: Callable[[], BatchJob], service: BatchService
) -> None:
    with pytest.raises(Stopped):
        job().run(TEXTS, stop)
    result = job().run(["new", TEXTS[3]], go_on)
    assert sorted(result.vectors) == [1]
    assert result.left == (0,)


def test_a_batch_takes_only_so_many_texts(
    job: Callable[[], BatchJob], service: BatchService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_TEXTS", 2)
    result = job().run(TEXTS, go_on)
    assert sorted(result.vectors) == [0, 1, 2]
    assert result.left == (3,)


def test_vectors_are_checked_like_those_of_single_requests(job: Callable[[], BatchJob], service: BatchService) -> None:
    def bend(body: dict) -> dict:
        if len(bad) < 1:
            bad.append(body)
            body["data"][0]["embedding"][0] = None
        return body

    bad: list[dict] = []
    service.bend = bend
    result = job().run(TEXTS, go_on)
    assert list(result.failed) == [0]
    assert "finite" in result.failed[0]
    assert result.vectors[2].shape == (WIDTH,)
    assert np.linalg.norm(result.vectors[2]) == pytest.approx(1)


def test_a_batch_that_fails_as_a_whole_says_why_and_the_next_begins_anew(
    job: Callable[[], BatchJob], service: BatchService
) -> None:
    service.ending = "failed"
    with pytest.raises(Unavailable, match=r"Enqueued token limit"):
        job().run(TEXTS, go_on)
    service.ending = "completed"
    assert len(job().run(TEXTS, go_on).vectors) == 4


def test_a_batch_that_is_gone_is_not_replaced_without_being_asked(
    job: Callable[[], BatchJob], service: BatchService, tmp_path: Path
) -> None:
    with pytest.raises(Stopped):
        job().run(TEXTS, stop)
    service.batches.clear()
    with pytest.raises(Unavailable, match=r"No batch found.*batch-0, kept in .*\.json"):
        job().run(TEXTS, go_on)
    assert service.created == 1


@pytest.mark.parametrize("damage", [b"", b"{}", b"[]", b'{"version": 2}', b"\xff"])
def test_a_damaged_state_stops_instead_of_paying_again(
    job: Callable[[], BatchJob], service: BatchService, tmp_path: Path, damage: bytes
) -> None:
    with pytest.raises(Stopped):
        job().run(TEXTS, stop)
    (state,) = tmp_path.glob("*.json")
    state.write_bytes(damage)
    with pytest.raises(Unavailable, match=r"damaged.*delete it"):
        job().run(TEXTS, go_on)
    assert service.created == 1


def test_the_state_holds_no_text_and_no_key(service: BatchService, opened: Opened, tmp_path: Path) -> None:
    embedder = opened(model="m", key="sk-secret-key", api_key_env="K")
    with pytest.raises(Stopped):
        BatchJob(embedder, tmp_path).run(TEXTS, stop)
    for path in tmp_path.iterdir():
        text = path.read_text()
        assert "sk-secret-key" not in text
        assert "PostgreSQL" not in text
    (state,) = tmp_path.glob("*.json")
    assert state.stat().st_mode & 0o077 == 0


def test_another_model_has_a_state_of_its_own(service: BatchService, opened: Opened, tmp_path: Path) -> None:
    with pytest.raises(Stopped):
        BatchJob(opened(model="one"), tmp_path).run(TEXTS, stop)
    assert not BatchJob(opened(model="two"), tmp_path).pending


def test_two_processes_do_not_run_one_batch(job: Callable[[], BatchJob], tmp_path: Path) -> None:
    with pytest.raises(Stopped):
        job().run(TEXTS, stop)
    (lock,) = tmp_path.glob("*.lock")
    with locked(lock), pytest.raises(Unavailable):
        job().run(TEXTS, go_on)


def test_only_the_openai_dialect_has_batches(opened: Opened, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"batch_api"):
        BatchJob(opened(dialect="tei"), tmp_path)
