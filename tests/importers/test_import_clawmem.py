"""What ClawMem remembers is taken in: files stay where they are, the rest becomes files, its state becomes events."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.importers.foreign import KEY, ClawMem, fill

from hearth import open_vault

Run = Callable[..., Any]


@pytest.fixture
def source(tmp_path: Path) -> ClawMem:
    made = ClawMem(tmp_path / "source")
    fill(made)
    return made


def take(hearth: Run, *arguments: str) -> dict[str, Any]:
    result = hearth("import", *arguments, "--json")
    assert result.code == 0, result.err
    found: dict[str, Any] = json.loads(result.out)
    return found


def hits(hearth: Run, *arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(hearth("query", *arguments, "--json").out)["results"]
    return found


def files(root: Path) -> dict[str, bytes]:
    found = root / "data/default/memory/imported"
    return {str(file.relative_to(found)): file.read_bytes() for file in found.rglob("*.md")}


def test_every_record_is_accounted_for(hearth: Run, source: ClawMem) -> None:
    told = take(hearth, str(source.root))
    assert told["kind"] == "clawmem"
    assert told["by_source"] == {
        "document": {"taken": 5}, "relation": {"taken": 1}, "co-activation": {"taken": 1}, "session": {"taken": 1},
        "triple": {"taken": 1},
    }  # fmt: skip
    assert told["skipped"] == {
        "kept by Beads: hearth beads add": 3,
        "computed anew: what came before what": 1,
        "computed anew: entities in documents": 1,
    }
    assert told["without_place"] == {"session_log.machine": 1} and told["redacted"] == 1


def test_a_file_stays_and_its_folder_becomes_a_collection(hearth: Run, source: ClawMem) -> None:
    take(hearth, str(source.root))
    found = hits(hearth, "amounts stored in cents")
    assert (found[0]["collection"], found[0]["path"]) == ("notes", "money.md")


def test_what_was_superseded_or_forgotten_there_is_so_here(hearth: Run, source: ClawMem) -> None:
    take(hearth, str(source.root))
    assert any("PostgreSQL" in hit["snippet"] for hit in hits(hearth, "what did we choose for the larder?"))
    assert not [hit for hit in hits(hearth, "larder MySQL") if "MySQL" in hit["snippet"]]
    assert not [hit for hit in hits(hearth, "never print in logs") if "antipatterns" in hit["path"]]
    shown = hearth("journal", "show").out
    whole = hearth("journal", "show", "--json").out
    assert "2026-03-05T00:00:00Z" in shown and '"weight": 1.0' in whole


def test_twice_is_once_and_a_dry_run_tells_the_same_and_writes_nothing(
    hearth: Run, source: ClawMem, tmp_path: Path
) -> None:
    dry = take(hearth, str(source.root), "--dry-run")
    assert not (tmp_path / "data/default/memory/imported").exists() and not (tmp_path / "config").exists()
    done = take(hearth, str(source.root))
    same = ("taken", "known", "events", "redacted", "skipped", "without_place", "by_source")
    assert {name: dry[name] for name in same} == {name: done[name] for name in same}
    before = files(tmp_path)
    again = take(hearth, str(source.root))
    assert (again["taken"], again["events"], again["known"], again["run"]) == (0, 0, 9, None)
    assert files(tmp_path) == before


def test_undo_takes_it_all_back_but_for_what_was_edited(hearth: Run, source: ClawMem, tmp_path: Path) -> None:
    run = take(hearth, str(source.root))["run"]
    [edited] = (tmp_path / "data/default/memory/imported/clawmem/decisions").glob("*.md")
    edited.write_text(edited.read_text("utf-8") + "\nIt is fast.\n", encoding="utf-8")
    result = hearth("undo", "--run", run)
    assert result.code == 0 and "collection notes removed" in result.err
    assert "was changed after the run and stays" in result.err
    assert [hit["path"] for hit in hits(hearth, "PostgreSQL larder Redis cents orders")] == [
        f"imported/clawmem/decisions/{edited.name}"
    ]
    assert (source.notes / "money.md").exists()
    back = take(hearth, str(source.root))
    assert back["taken"] >= 5 and back["skipped"]["edited since it was taken in"] == 1
    assert not [hit for hit in hits(hearth, "never print in logs") if "antipatterns" in hit["path"]]


def test_the_source_is_only_read(hearth: Run, source: ClawMem) -> None:
    source.connection.execute("pragma journal_mode = wal")
    source.add("_clawmem/decisions/late.md", "Written to the log of writes alone: juniper.\n", "decision")
    before = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in source.root.iterdir()}
    assert f"{source.file.name}-wal" in before
    take(hearth, str(source.root))
    assert {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in source.root.iterdir()} == before
    assert hits(hearth, "juniper")


def test_a_locked_database_is_read_all_the_same(hearth: Run, source: ClawMem) -> None:
    source.connection.execute("begin exclusive")
    assert take(hearth, str(source.root))["taken"] == 9


def test_the_first_schema_is_read_as_well(hearth: Run, tmp_path: Path) -> None:
    old = ClawMem(tmp_path / "old", old=True)
    old.add("_clawmem/decisions/x.md", "We chose rye.\n", "decision")
    assert take(hearth, str(old.file))["by_source"] == {"document": {"taken": 1}}


def test_hostile_rows_do_no_harm(hearth: Run, tmp_path: Path) -> None:
    bad = ClawMem(tmp_path / "bad")
    (tmp_path / "secret.md").write_text("outside", encoding="utf-8")
    bad.add("_clawmem/../../../../escape.md", "A path that leads out.\n", title="../../../x\0y")
    bad.add("Notes2/big.md", "word " * 2_500_000)
    bad.run("insert into content values('nul', ?, '2026')", b"a NUL \0 and \xff bytes: quince")
    for path, title in (("nul.md", "NUL"), ("same.md", "\u202eright to left")):
        bad.run(
            "insert into documents(collection, path, title, hash, created_at, modified_at, snoozed_until, tags) "
            "values('_clawmem', ?, ?, 'nul', 'never', '99999-01-01', 'soon', '[[[')",
            path, title,
        )  # fmt: skip
    columns = "collection, path, title, hash, created_at, modified_at"
    bad.run(f"insert into documents({columns}) values('x', 'y', '', 'none', '', '')")
    told = take(hearth, str(bad.root))
    assert told["by_source"]["document"]["taken"] == 4
    assert told["skipped"] == {"its text is not in the database": 1}
    written = tmp_path / "data/default/memory/imported"
    assert all(file.is_relative_to(written) for file in written.rglob("*")) and hits(hearth, "quince")
    assert len(list(written.rglob("*big*"))) > 5


def test_what_is_no_database_is_refused_with_what_to_do(hearth: Run, tmp_path: Path) -> None:
    (tmp_path / "index.sqlite").write_bytes(b"SQLite format 3\0" + os.urandom(5_000))
    result = hearth("import", str(tmp_path / "index.sqlite"), "--from", "clawmem")
    assert result.code != 0 and "can't read" in result.err
    result = hearth("import", str(tmp_path))
    assert result.code != 0 and "--from KIND" in result.err


def test_two_machines_write_the_same_files(hearth: Run, source: ClawMem, tmp_path: Path, monkeypatch: Any) -> None:
    take(hearth, str(source.root))
    first = files(tmp_path)
    shutil.rmtree(tmp_path / "data")
    for name in ("data", "cache", "state", "config"):
        monkeypatch.setenv(f"HEARTH_{name.upper()}_DIR", str(tmp_path / "other" / name))
    take(hearth, str(source.root))
    assert files(tmp_path / "other") == first


def test_state_survives_a_rebuild(hearth: Run, source: ClawMem, environ: dict[str, str]) -> None:
    take(hearth, str(source.root))
    assert hearth("reindex").code == 0
    with open_vault(environ=environ) as vault, vault.store.read() as reader:
        [stored] = [one for one in vault.documents() if one.document.path == "money.md"]
        assert stored.state.pinned and stored.state.access_count == 3
        assert reader.document(stored.document.docid) is not None
    assert KEY not in "".join(text.decode() for text in files(Path(environ["HEARTH_DATA_DIR"]).parent).values())
