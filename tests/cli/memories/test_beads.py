"""Issues of Beads become memory: by a stand-in for ``bd``, since the program can't be had everywhere."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.capture.bd import Bd, edge

import hearth as package
from hearth.capture.bead_issues import parse_export
from hearth.capture.beads import Beads
from hearth.disk import beads as disk
from hearth.ports import Filter

Run = Callable[..., Any]


@pytest.fixture
def bd(tmp_path: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Bd:
    found = Bd(tmp_path / "programs")
    monkeypatch.setenv("PATH", f"{found.folder}{os.pathsep}/usr/bin{os.pathsep}/bin")
    (tmp_path / "home").mkdir(exist_ok=True)
    return found


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    (root / ".beads").mkdir(parents=True)
    for name in ("objects", "refs"):
        (root / ".git" / name).mkdir(parents=True)
    (root / ".git" / "config").write_text('[remote "origin"]\n\turl = git@github.com:acme/shop.git\n')
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    return root


def report(done: Any) -> dict[str, Any]:
    assert done.code == 0, done.err
    [found] = json.loads(done.out)["repositories"]
    return dict(found)


def read(name: str) -> str:
    with package.open_vault() as vault:
        return vault.get(f"agent/beads/acme-shop/{name}.md").text


def relations() -> set[tuple[str, str, str, str]]:
    from hearth.graph.relations import relations_of

    with package.open_vault() as vault, vault.store.read() as reader:
        names = {
            one.document.docid: one.document.path.rpartition("/")[2].removesuffix(".md") for one in vault.documents()
        }
        found = relations_of(reader, list(names), near=False)
    return {(one.type, names[one.source], names[one.target], one.origin) for one in found if one.origin != "links"}


def test_issues_become_documents_that_say_all_that_the_export_says(hearth: Run, bd: Bd, repository: Path) -> None:
    bd.issue(
        "bd-a1", "Rotate the keys of the walrus service", status="in_progress", priority=1, issue_type="feature",
        assignee="ana", description="Keys are a year old.", design="Two keys at a time.", labels=["security"],
        comments=[{"author": "ben", "text": "Start with staging.", "created_at": "2026-11-02T08:00:00Z"}],
        updated_at="2026-11-03T08:00:00Z", estimated_minutes=90, sprint={"name": "S4"},
    )  # fmt: skip
    bd.issue("bd-b2", "Clean the pond", dependencies=[edge("bd-b2", "bd-a1")])
    bd.set(memories={"deploy-day": "Deploys of the pond happen on Tuesdays."}, envelope=True)
    found = report(hearth("beads", "add", str(repository), "--json"))
    assert (found["name"], found["created"], found["problem"]) == ("acme-shop", 3, None)
    text = read("bd-a1")
    for part in (
        "Feature, in progress, priority 1, assigned to ana.",
        "Keys are a year old.", "## Design\n\nTwo keys at a time.",
        "- 2026-11-02, ben: Start with staging.", "- estimated_minutes: 90", '- sprint: {"name": "S4"}',
        "project: github.com/acme/shop", "content_type: bead",
    ):  # fmt: skip
        assert part in text, part
    assert "- blocks: bd-a1, Rotate the keys" in read("bd-b2")
    assert "bd-a1" in hearth("query", "when are the walrus keys rotated?").out
    assert "Tuesdays" in hearth("query", "on which day do deploys of the pond happen?").out
    [(arguments, where, variables)] = bd.was_called()
    assert arguments == ["export", "--include-memories"] and where == str(repository)
    assert variables["BD_JSON_ENVELOPE"] == "1" and not any(name.startswith("HEARTH_") for name in variables)


def test_what_changes_vanishes_and_comes_back_there_does_so_here(hearth: Run, bd: Bd, repository: Path) -> None:
    for name in ("bd-a1", "bd-b2", "bd-c3"):
        bd.issue(name, f"Feed the walrus of pond {name}")
    hearth("beads", "add", str(repository))
    assert report(hearth("beads", "sync", "--json"))["unchanged"] == 3
    bd.issue("bd-a1", "Feed the walrus twice", status="closed")
    gone = bd.found["issues"].pop("bd-b2")
    bd.save()
    found = report(hearth("beads", "sync", str(repository), "--json"))
    assert (found["updated"], found["archived"], found["unchanged"]) == (1, 1, 1)
    assert "Feed the walrus twice" in read("bd-a1")
    assert "bd-b2" not in hearth("list", "--type", "bead").out
    bd.issue("bd-b2", gone["title"])
    assert report(hearth("beads", "sync", "--json"))["restored"] == 1
    assert "bd-b2" in hearth("list", "--type", "bead").out
    [row] = json.loads(hearth("beads", "list", "--json").out)["repositories"]
    assert (row["documents"], row["open"], row["project"]) == (3, 2, "github.com/acme/shop")


def test_edges_follow_beads_and_those_of_others_stay(hearth: Run, bd: Bd, repository: Path) -> None:
    bd.issue("bd-a1", "One")
    bd.issue("bd-b2", "Two", dependencies=[edge("bd-b2", "bd-a1"), edge("bd-b2", "bd-c3", "discovered-from")])
    bd.issue("bd-c3", "Three", dependencies=[edge("bd-c3", "bd-a1", "parent-child"), edge("bd-c3", "gone-1")])
    assert report(hearth("beads", "add", str(repository), "--json"))["relations"] == 3
    stated = {("causal", "bd-a1", "bd-b2", "beads"), ("supporting", "bd-b2", "bd-c3", "beads")}
    assert stated <= relations() and any(kind == "semantic" and by == "beads" for kind, *_, by in relations())
    with package.open_vault() as vault:
        docid = vault.get("agent/beads/acme-shop/bd-a1.md").document.docid
        vault.graph.relate(docid, "causal", vault.get("agent/beads/acme-shop/bd-c3.md").document.docid)
    bd.issue("bd-b2", "Two", dependencies=[])
    bd.issue("bd-c3", "Three", dependencies=[])
    assert report(hearth("beads", "sync", "--json"))["ended"] == 3
    assert {one for one in relations() if one[0] != "temporal"} == {("causal", "bd-a1", "bd-c3", "program")}
    bd.issue("bd-b2", "Two", dependencies=[edge("bd-b2", "bd-a1")])
    hearth("beads", "sync")
    assert ("causal", "bd-a1", "bd-b2", "beads") in relations()


def test_decisions_and_reasons_become_memories_once(hearth: Run, bd: Bd, repository: Path) -> None:
    decision = {"issue_type": "decision", "description": "Floats lost a cent in the ledger."}
    bd.issue("bd-a1", "Keep amounts in cents", status="closed", **decision)
    bd.issue(
        "bd-b2", "Importer hangs", issue_type="bug", status="closed", close_reason="The socket had no timeout set."
    )
    bd.issue("bd-c3", "Tidy up", status="closed", close_reason="Done")
    assert report(hearth("beads", "add", str(repository), "--json"))["captured"] == 2
    with package.open_vault() as vault:
        there = vault.documents(Filter(include_hidden=True))
        found = {one.document.content_type: one for one in there if "beads/" not in one.document.path}
        assert found["decision"].state.pending and "Floats lost a cent" in vault.read(found["decision"]).text
        assert "no timeout set" in vault.read(found["problem"]).text
    assert report(hearth("beads", "sync", "--json"))["captured"] == 0


def test_what_is_still_open_is_not_decided(hearth: Run, bd: Bd, repository: Path) -> None:
    for status in ("open", "in_progress", "blocked"):
        bd.issue(f"bd-{status}", f"Keep amounts in {status} cents", issue_type="decision", status=status)
    assert report(hearth("beads", "add", str(repository), "--json"))["captured"] == 0
    bd.issue("bd-open", "Keep amounts in open cents", issue_type="decision", status="closed")
    assert report(hearth("beads", "sync", "--json"))["captured"] == 1


def test_a_repository_that_can_not_be_read_is_not_connected(hearth: Run, bd: Bd, repository: Path) -> None:
    bd.set(fails=True)
    assert hearth("beads", "add", str(repository)).code != 0
    assert json.loads(hearth("beads", "list", "--json").out)["repositories"] == []


def test_a_sync_for_one_changed_issue_reads_no_other_document(hearth: Run, bd: Bd, repository: Path) -> None:
    for number in range(5):
        bd.issue(f"bd-{number}", f"Shelf {number}", description="It bends.")
    assert report(hearth("beads", "add", str(repository), "--json"))["created"] == 5
    bd.issue("bd-3", "Shelf 3", description="It is straight now.")
    with package.open_vault() as vault:
        folder = Path(vault.memories.writer.memories.root) / "agent/beads/acme-shop"
        for number in (0, 1, 2, 4):
            (folder / f"bd-{number}.md").unlink()  # what is not read is not missed
        [done] = vault.beads.sync()
    assert (done.counts["updated"], done.counts["unchanged"], done.problem) == (1, 4, None)


def test_a_session_begins_with_what_is_still_to_be_done(
    hearth: Run, bd: Bd, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        bd.issue(f"bd-{number}", f"Feed pond number {number}")
    bd.issue("bd-8", "Paint the walrus", status="in_progress")
    bd.issue("bd-9", "Sell the walrus", status="closed")
    hearth("beads", "add", str(repository))
    monkeypatch.chdir(repository)
    said = hearth("surface", "--bootstrap").out.partition("Current work")[2]
    assert said.index("Paint the walrus") < said.index("Feed pond") and said.count("Feed pond") == 4
    assert "Sell the walrus" not in said


def test_bd_runs_only_where_a_person_connected_it_and_only_the_same_program(
    hearth: Run, bd: Bd, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bd.issue("bd-a1", "One")
    assert hearth("beads", "sync", str(repository)).code == 3
    assert hearth("beads", "sync").code == 0 and bd.was_called() == []
    hearth("beads", "add", str(repository))
    other = Bd(tmp_path / "other programs")
    monkeypatch.setenv("PATH", f"{other.folder}{os.pathsep}{bd.folder}")
    refused = hearth("beads", "sync")
    assert refused.code != 0 and "another bd" in refused.out and other.was_called() == []
    own = Bd(repository / "node_modules" / "bin")
    monkeypatch.setenv("PATH", f"{own.folder}{os.pathsep}.{os.pathsep}{bd.folder}")
    assert hearth("beads", "sync").code == 0 and own.was_called() == []
    hearth("beads", "remove", str(repository))
    calls = len(bd.was_called())
    assert hearth("beads", "sync", str(repository)).code == 3 and len(bd.was_called()) == calls
    assert "bd-a1" not in hearth("list", "--type", "bead").out


def test_bd_that_hangs_fails_or_is_locked_changes_nothing(
    hearth: Run, bd: Bd, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bd.issue("bd-a1", "One")
    bd.set(locked=1)
    assert report(hearth("beads", "add", str(repository), "--json"))["created"] == 1, "it tries again"
    bd.found["issues"].clear()
    bd.set(locked=0, fails=True)
    failed = hearth("beads", "sync")
    assert failed.code != 0 and "no beads database found" in failed.out
    bd.set(fails=False, hangs=True)
    monkeypatch.setattr(disk, "SECONDS", 0.5)
    failed = hearth("beads", "sync")
    assert failed.code != 0 and "did not answer" in failed.out
    assert "bd-a1" in hearth("list", "--type", "bead").out


def test_many_issues_that_are_gone_at_once_are_kept_until_somebody_says_so(
    hearth: Run, bd: Bd, repository: Path
) -> None:
    for number in range(24):
        bd.issue(f"bd-{number}", f"Number {number}")
    hearth("beads", "add", str(repository))
    bd.set(issues={"bd-0": bd.found["issues"]["bd-0"]})
    held = hearth("beads", "sync")
    assert held.code != 0 and "--force" in held.out
    assert report(hearth("beads", "sync", "--force", "--json"))["archived"] == 23


def test_without_bd_its_files_are_read_and_odd_lines_are_counted(
    hearth: Run, bd: Bd, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    refused = hearth("beads", "add", str(repository))
    assert refused.code != 0 and "jsonl" in refused.err
    rows = [
        {"id": "bd-a1", "title": "Old", "updated_at": "2026-01-01T00:00:00Z"},
        {"id": "bd-a1", "title": "New", "updated_at": "2026-02-01T00:00:00Z"},
        {"id": "../../escape", "title": "Escaped", "status": "open"},
        {"id": "bd-d4", "title": "Gone", "status": "tombstone"},
    ]
    text = "\n".join([*map(json.dumps, rows), "{torn", '"x"', json.dumps({"id": "bd-x", "note": "no title"})])
    (repository / ".beads" / "issues.jsonl").write_text(text, encoding="utf-8")
    found = report(hearth("beads", "add", str(repository), "--json"))
    assert (found["reader"], found["created"], found["skipped"]) == (".beads/*.jsonl", 2, 3)
    assert "3 entries skipped (neither an issue nor a memory)" in hearth("beads", "sync", str(repository)).out
    assert "New" in read("bd-a1") and hearth("search", "Escaped").code == 0
    with package.open_vault() as vault:
        paths = [one.document.path for one in vault.documents()]
    assert all(path.startswith("agent/beads/acme-shop/") and ".." not in path for path in paths)


def test_one_issue_that_can_not_be_kept_keeps_no_other_from_being_read(hearth: Run, bd: Bd, repository: Path) -> None:
    bd.issue("bd-a1", "Long", description="word " * 30_000, notes="word " * 30_000)
    bd.issue("bd-b2", "Short")
    bd.set(memories={"k": "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"})
    done = hearth("beads", "add", str(repository), "--json")
    [found] = json.loads(done.out)["repositories"]
    assert (found["created"], found["skipped"]) == (2, 1) and "only a secret" in found["problem"]
    assert len(read("bd-a1").encode()) < 70_000


def test_what_was_removed_comes_back_when_it_is_added_again(hearth: Run, bd: Bd, repository: Path) -> None:
    bd.issue("bd-a1", "One", status="closed")
    hearth("beads", "add", str(repository))
    assert report(hearth("beads", "remove", str(repository), "--json"))["archived"] == 1
    assert report(hearth("beads", "add", str(repository), "--json"))["restored"] == 1


def test_the_innermost_repository_is_removed(hearth: Run, bd: Bd, repository: Path) -> None:
    inner = repository / "parts" / "till"
    (inner / ".beads").mkdir(parents=True)
    bd.issue("bd-a1", "One")
    for place in (repository, inner):
        hearth("beads", "add", str(place))
    assert report(hearth("beads", "remove", str(inner), "--json"))["repository"] == str(inner)
    assert json.loads(hearth("beads", "list", "--json").out)["repositories"][0]["repository"] == str(repository)


def test_repositories_of_one_name_on_two_hosts_keep_their_issues(hearth: Run, bd: Bd, repository: Path) -> None:
    other = repository.with_name("other shop")
    shutil.copytree(repository, other)
    (other / ".git" / "config").write_text('[remote "origin"]\n\turl = git@gitlab.com:acme/shop.git\n')
    bd.issue("bd-a1", "One")
    first, second = (report(hearth("beads", "add", str(place), "--json")) for place in (repository, other))
    assert first["name"] != second["name"] and second["archived"] == 0
    assert [one["documents"] for one in json.loads(hearth("beads", "list", "--json").out)["repositories"]] == [1, 1]


def test_files_outside_the_repository_are_not_read(
    hearth: Run, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "issues.jsonl").write_text(json.dumps({"id": "bd-a1", "title": "Private"}))
    (repository / ".beads").rmdir()
    (repository / ".beads").symlink_to(tmp_path / "elsewhere")
    assert hearth("beads", "add", str(repository)).code != 0
    assert "Private" not in hearth("list", "--type", "bead").out


def test_an_incognito_folder_is_not_read(hearth: Run, bd: Bd, repository: Path) -> None:
    bd.issue("bd-a1", "One")
    (repository / ".hearth.toml").write_text("capture = false\n")
    refused = hearth("beads", "add", str(repository))
    assert refused.code != 0 and bd.was_called() == []


def test_changes_are_noticed_by_the_files_alone_and_a_sync_settles_them(hearth: Run, bd: Bd, repository: Path) -> None:
    (repository / ".beads" / "db").write_text("1")
    bd.issue("bd-a1", "One")
    hearth("beads", "add", str(repository))
    with package.open_vault() as vault:
        assert vault.beads.count_changed() == 0
        bd.issue("bd-b2", "Two")
        (repository / ".beads" / "db").write_text("22")
        assert vault.beads.count_changed() == 1
        [done] = vault.beads.sync_changed()
        assert done.counts["created"] == 1 and vault.beads.count_changed() == 0


def test_what_changes_during_a_sync_is_read_by_the_next(
    hearth: Run, bd: Bd, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bd.issue("bd-a1", "One")
    add = Beads._capture

    def change(*given: Any) -> None:
        (repository / ".beads" / "db").write_text("meanwhile")
        add(*given)

    monkeypatch.setattr(Beads, "_capture", change)
    hearth("beads", "add", str(repository))
    with package.open_vault() as vault:
        assert vault.beads.count_changed() == 1


def test_an_agent_can_sync_by_its_tool_and_connect_nothing(hearth: Run, bd: Bd, repository: Path) -> None:
    from hearth.operations.catalog import CORE, tools

    names = [name for name in tools() if "beads" in name]
    assert names == ["beads_sync"] and "beads_sync" not in CORE


def test_exports_of_any_shape_are_read() -> None:
    issue = {"id": "bd-1", "title": "One"}
    for text in (json.dumps([issue]), json.dumps({"schema_version": 1, "data": [issue]}), json.dumps(issue)):
        assert list(parse_export(text).issues) == ["bd-1"]


def test_a_deletion_holds_in_whatever_order_files_are_read() -> None:
    old = {"id": "bd-1", "title": "One", "updated_at": "2026-01-01T00:00:00Z"}
    gone = old | {"status": "tombstone", "deleted_at": "2026-02-01T00:00:00Z"}
    dateless = {"id": "bd-1", "title": "One", "status": "tombstone"}
    back = old | {"updated_at": "2026-03-01T00:00:00Z"}
    for rows, names in (([old, gone], []), ([old, dateless], []), ([gone, old], []), ([gone, back], ["bd-1"])):
        assert list(parse_export("\n".join(map(json.dumps, rows))).issues) == names
    assert parse_export("[" * 100_000).skipped == 1 and parse_export("").issues == {}
