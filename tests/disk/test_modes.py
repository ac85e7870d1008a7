"""Who else may read what Hearth keeps."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.files import Log, make_folder, open_private, write_atomically
from hearth.disk.memories import DiskMemories
from hearth.disk.state_files import Places
from hearth.store.sqlite.connection import connect


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def modes(root: Path) -> dict[str, int]:
    return {path.relative_to(root).as_posix(): mode(path) for path in root.rglob("*")}


def places(root: Path, **given: Any) -> Places:
    wanted: dict[str, Any] = {"trees": [], "flat": [], "tops": [], "people": [], "home": str(root / "home")} | given
    return Places(**wanted)


@pytest.fixture(params=[0o000, 0o022, 0o077, 0o277])
def umask(request: pytest.FixtureRequest) -> Any:
    former = os.umask(request.param)
    yield request.param
    os.umask(former)


def test_whatever_is_written_is_its_owners_alone_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    top = tmp_path / "top"
    make_folder(top / "a" / "b")
    write_atomically(top / "c" / "settings", b"x")
    write_atomically(top / "c" / "settings", b"y")
    memories = DiskMemories(top / "memory")
    assert memories.create("agent/x.md", b"x")
    connection = connect(top / "index.sqlite")
    connection.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    assert (top / "index.sqlite-wal").exists() and (top / "index.sqlite-shm").exists()
    Log(top / "logs" / "hooks.log", str).write("a line")
    with open(top / "export", "xb", opener=open_private):
        pass
    found = modes(tmp_path)
    connection.close()
    assert {oct(found[name]) for name in found if (tmp_path / name).is_dir()} == {"0o700"}
    files = {name: bits for name, bits in found.items() if not (tmp_path / name).is_dir()}
    assert len(files) >= 6
    assert {name: oct(bits) for name, bits in files.items() if bits & 0o077} == {}


def test_new_folders_in_a_persons_collection_are_as_open_as_the_collection(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes").chmod(0o755)
    assert DiskMemories(tmp_path / "notes").create("new/x.md", b"x")
    assert mode(tmp_path / "notes" / "new") == 0o755


def tree(root: Path) -> None:
    (root / "data" / "memory" / "agent").mkdir(parents=True)
    (root / "data" / "memory" / "agent" / "x.md").write_text("x", "utf-8")
    for path in (root / "data", *(root / "data").rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o664)


def test_what_others_could_read_is_closed_once_and_named(tmp_path: Path) -> None:
    tree(tmp_path)
    ours = places(tmp_path, trees=[str(tmp_path / "data")])
    closed = ours.close()
    assert [Path(path).name for path in closed.done] == ["x.md", "agent", "memory", "data"]
    assert closed.left == ()
    assert modes(tmp_path / "data") == {"memory": 0o700, "memory/agent": 0o700, "memory/agent/x.md": 0o600}
    assert ours.close().done == ours.close_all().done == ()


def test_a_closing_that_was_cut_short_is_seen_by_the_next_glance(tmp_path: Path) -> None:
    tree(tmp_path)
    (tmp_path / "data" / "memory" / "agent" / "x.md").chmod(0o600)
    (tmp_path / "data" / "memory" / "agent").chmod(0o700)
    assert len(places(tmp_path, trees=[str(tmp_path / "data")]).close().done) == 2


def test_a_glance_does_not_walk_but_a_thorough_look_does(tmp_path: Path) -> None:
    tree(tmp_path)
    ours = places(tmp_path, trees=[str(tmp_path / "data")])
    ours.close()
    (tmp_path / "data" / "memory" / "agent" / "x.md").chmod(0o644)
    assert ours.close().done == ()
    assert len(ours.close_all().done) == 1


def test_collections_of_people_and_what_leads_to_them_stay_as_they_are(tmp_path: Path) -> None:
    tree(tmp_path)
    inner = tmp_path / "data" / "memory"
    places(tmp_path, trees=[str(tmp_path / "data")], people=[str(inner)]).close()
    assert {mode(tmp_path / "data"), mode(inner), mode(inner / "agent")} == {0o755}
    assert mode(inner / "agent" / "x.md") == 0o664
    places(tmp_path, tops=[str(tmp_path)], people=[str(inner)]).close()
    assert mode(tmp_path / "data") == 0o755


def test_a_home_a_folder_of_everybody_and_what_a_link_leads_to_are_not_touched(tmp_path: Path) -> None:
    tree(tmp_path)
    places(tmp_path, trees=[str(tmp_path / "data")], home=str(tmp_path / "data" / "memory")).close()
    assert mode(tmp_path / "data" / "memory" / "agent") == 0o755
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    (shared / "theirs").write_text("x", "utf-8")
    (shared / "theirs").chmod(0o644)
    places(tmp_path, flat=[str(shared)]).close()
    assert mode(shared / "theirs") == 0o644
    ours = tmp_path / "ours"
    ours.mkdir()
    (ours / "away").symlink_to(tmp_path / "data")
    places(tmp_path, trees=[str(ours)]).close_all()
    assert mode(tmp_path / "data") == 0o755


def test_of_a_flat_folder_the_files_right_in_it_are_closed(tmp_path: Path) -> None:
    tree(tmp_path)
    places(tmp_path, flat=[str(tmp_path / "data" / "memory" / "agent")], tops=[str(tmp_path / "data")]).close()
    assert modes(tmp_path / "data") == {"memory": 0o755, "memory/agent": 0o700, "memory/agent/x.md": 0o600}
    assert mode(tmp_path / "data") == 0o700


def test_nothing_there_is_nothing_to_close(tmp_path: Path) -> None:
    nowhere = str(tmp_path / "nowhere")
    assert places(tmp_path, trees=[nowhere], flat=[nowhere], tops=[nowhere]).close_all().done == ()


@given(bits=st.integers(0, 0o777))
def test_closing_takes_from_others_and_nothing_from_the_owner(tmp_path_factory: Any, bits: int) -> None:
    folder = tmp_path_factory.mktemp("modes")
    (folder / "file").write_text("x", "utf-8")
    (folder / "file").chmod(bits)
    places(folder, flat=[str(folder)], home="/nowhere").close_all()
    assert mode(folder / "file") == bits & 0o700
