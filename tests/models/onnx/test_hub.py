"""Downloads from a hub on this machine that can drop, stall, lie and refuse."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hearth.core.errors import BadReply, Unavailable
from hearth.models.onnx import catalogue
from hearth.models.onnx.pull import Hub

NAME = "owner/repo"
BIG = bytes(range(256)) * 4_000
FILES = {
    "onnx/model.onnx": BIG,
    "tokenizer.json": b'{"model": "x"}',
    "tokenizer_config.json": b"{}",
    "config.json": b'{"hidden_size": 4}',
    "README.md": b"not needed",
}
ENTRY = catalogue.CatalogueEntry(
    catalogue.ExportRecipe("thing", "embedder", "onnx/model.onnx", 64, dimensions=4, pooling="mean"), repository=NAME
)

Fetch = Callable[[], tuple[str, tuple[str, ...]]]


@pytest.fixture
def remote(extra: None, hub: Any) -> Any:
    return hub.publish(NAME, dict(FILES))


@pytest.fixture
def fetch(hub: Any, tmp_path: Path) -> Fetch:
    return lambda: Hub(endpoint=hub.url, stall=2, pause=0).fetch(ENTRY, tmp_path / "down", lambda done, total: None)


def there(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and path.name != ".source"}


def test_the_files_of_the_model_come_and_no_others(remote: Any, fetch: Fetch, tmp_path: Path) -> None:
    source, names = fetch()
    assert source == f"{NAME} {remote.revision}"
    assert set(names) == there(tmp_path / "down") == set(FILES) - {"README.md"}
    assert all((tmp_path / "down" / name).read_bytes() == FILES[name] for name in names)


def test_progress_rises_to_the_whole(remote: Any, hub: Any, tmp_path: Path) -> None:
    steps: list[tuple[int, int]] = []
    Hub(endpoint=hub.url).fetch(ENTRY, tmp_path / "down", lambda done, total: steps.append((done, total)))
    total = sum(map(len, FILES.values())) - len(FILES["README.md"])
    assert steps == sorted(steps)
    assert steps[-1] == (total, total)


@pytest.mark.parametrize("fault", ["drop", "stall"])
def test_a_lost_connection_is_gone_on_with_where_it_broke(
    remote: Any, fetch: Fetch, tmp_path: Path, fault: str
) -> None:
    remote.faults["onnx/model.onnx"] = [fault, fault]
    fetch()
    ranges = [asked for name, asked in remote.asked if name == "onnx/model.onnx"]
    assert ranges == [None, f"bytes={len(BIG) // 2}-", f"bytes={len(BIG) * 3 // 4}-"]
    assert (tmp_path / "down" / "onnx" / "model.onnx").read_bytes() == BIG


def test_another_attempt_goes_on_where_the_last_gave_up(remote: Any, fetch: Fetch, tmp_path: Path) -> None:
    remote.faults["onnx/model.onnx"] = ["drop", "404"]
    with pytest.raises(Unavailable, match="404"):
        fetch()
    part = tmp_path / "down" / "onnx" / "model.onnx.part"
    assert part.stat().st_size == len(BIG) // 2
    remote.asked.clear()
    fetch()
    assert remote.asked[0] == ("onnx/model.onnx", f"bytes={len(BIG) // 2}-")
    assert (tmp_path / "down" / "onnx" / "model.onnx").read_bytes() == BIG


def test_a_server_that_knows_no_ranges_sends_the_whole_again(remote: Any, fetch: Fetch, tmp_path: Path) -> None:
    remote.faults["onnx/model.onnx"] = ["drop", "whole"]
    fetch()
    assert (tmp_path / "down" / "onnx" / "model.onnx").read_bytes() == BIG


def test_complete_files_are_not_fetched_again(remote: Any, fetch: Fetch) -> None:
    fetch()
    remote.asked.clear()
    fetch()
    assert remote.asked == []


def test_a_new_revision_starts_anew(remote: Any, fetch: Fetch, tmp_path: Path) -> None:
    fetch()
    remote.revision = "f" * 40
    remote.files["onnx/model.onnx"] = BIG[::-1]
    source, _ = fetch()
    assert source.endswith("f" * 40)
    assert (tmp_path / "down" / "onnx" / "model.onnx").read_bytes() == BIG[::-1]


def test_a_hub_that_never_gets_further_is_given_up(remote: Any, fetch: Fetch) -> None:
    remote.faults["onnx/model.onnx"] = ["500"] * 9
    with pytest.raises(Unavailable, match="500"):
        fetch()


@pytest.mark.parametrize(("name", "sum_"), [("onnx/model.onnx", "0" * 64), ("tokenizer.json", "0" * 40)])
def test_a_file_with_another_checksum_is_refused_and_deleted(
    remote: Any, fetch: Fetch, tmp_path: Path, name: str, sum_: str
) -> None:
    remote.claimed[name] = sum_
    with pytest.raises(BadReply, match="wrong checksum"):
        fetch()
    assert name not in there(tmp_path / "down")
    assert f"{name}.part" not in there(tmp_path / "down")
    remote.claimed.clear()
    fetch()


def test_a_damaged_part_is_noticed_and_replaced(remote: Any, fetch: Fetch, tmp_path: Path) -> None:
    remote.faults["onnx/model.onnx"] = ["drop", "404"]
    with pytest.raises(Unavailable):
        fetch()
    part = tmp_path / "down" / "onnx" / "model.onnx.part"
    part.write_bytes(b"\0" * part.stat().st_size)
    with pytest.raises(BadReply, match="pull again"):
        fetch()
    fetch()
    assert (tmp_path / "down" / "onnx" / "model.onnx").read_bytes() == BIG


def test_a_part_longer_than_the_file_starts_anew(remote: Any, fetch: Fetch, tmp_path: Path) -> None:
    remote.faults["onnx/model.onnx"] = ["drop", "404"]
    with pytest.raises(Unavailable):
        fetch()
    (tmp_path / "down" / "onnx" / "model.onnx.part").write_bytes(BIG + b"more")
    fetch()
    assert (tmp_path / "down" / "onnx" / "model.onnx").read_bytes() == BIG


def test_a_repository_that_is_not_there_is_named(extra: None, hub: Any, fetch: Fetch) -> None:
    with pytest.raises(Unavailable, match=f"no {NAME}"):
        fetch()


def test_a_repository_without_a_needed_file_is_named(remote: Any, fetch: Fetch) -> None:
    del remote.files["tokenizer.json"]
    with pytest.raises(Unavailable, match=r"has no tokenizer\.json"):
        fetch()


def test_a_hub_out_of_reach_is_one_clear_line(extra: None, tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="the hub can't be reached") as raised:
        Hub(endpoint="http://127.0.0.1:9", stall=1, pause=0).fetch(ENTRY, tmp_path, lambda done, total: None)
    assert "\n" not in str(raised.value)
