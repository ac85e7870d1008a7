"""A folder that means harm: every bad file is listed with its reason, every good one is found."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from hearth import app
from hearth.core.document import docid
from hearth.core.journal import Draft

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


def hostile(site: Any) -> tuple[set[str], set[str]]:
    """Writes the worst that we could think of; returns paths that must be skipped and paths that must be searchable
    by the marker planted in each."""
    root: Path = site.notes
    good = {
        name: site.write(name)
        for name in (
            "quote\"'`.md", "line\nbreak.md", "esc\x1b[31m.md", "tab\there.md", "e\u0301clair.md", "日本.md",
            "$(id).md", "%00.md", " lead.md", "a" * 240 + ".md", "deep/" * 20 + "down.md", "CON.md", "-dash.md",
            "emoji \U0001f600.md",
        )
    }  # fmt: skip
    for name, front in {
        "bomb.md": BOMB,
        "keys.md": "k" * 65_536 + ": 1\n",
        "value.md": "title: " + "v" * 65_536 + "\n",
        "nested.md": "x: " + "[" * 5_000 + "]" * 5_000 + "\n",
        "flow.md": "x: " + "{a: " * 3_000 + "1" + "}" * 3_000 + "\n",
        "python.md": "x: !!python/object/apply:os.system ['true']\n",
        "twice.md": "title: a\ntitle: b\n",
        "broken.md": "title: [unclosed\n: : :\n\t- x\n",
        "dates.md": "date: 9999-99-99\ncreated: -1\nupdated: .inf\n",
        "types.md": "title: {a: 1}\ntags: 7\naliases: !!binary aGVhcnRo\nid: [1]\n",
        "nul.md": 'title: "a\\0b"\n',
    }.items():
        file = site.write(name)
        file.write_text(f"---\n{front}---\n\n" + file.read_text(encoding="utf-8"), encoding="utf-8")
        good[name] = file
    undecodable = os.fsencode(root) + b"/bad\xff\xfename.md"
    Path(os.fsdecode(undecodable)).write_bytes(site.write("odd.md").read_bytes().replace(b"About", b"Copy"))
    (root / "huge.md").write_bytes(b"# Huge\n\n" + b"word " * (6 * 2**20 // 5))
    (root / "binary.md").write_bytes(bytes(range(256)) * 40)
    (root / "zeros.md").write_bytes(b"\0" * 5_000)
    (root / "latin.md").write_bytes("# Café\n\ncrème brûlée à la carte".encode("latin-1"))
    (root / "utf16.md").write_bytes("# Wide\n\nwide words".encode("utf-16"))
    (root / "empty.md").write_bytes(b"")
    (root / "blank.md").write_bytes(b" \n\t\n")
    (root / "line.md").write_bytes(b"w" * 2_000_000)
    (root / "unread.md").write_text("# Secret\n\nnobody may read this\n", encoding="utf-8")
    (root / "unread.md").chmod(0)
    os.mkfifo(root / "pipe.md")
    (root / "loop.md").symlink_to("loop.md")
    (root / "dangling.md").symlink_to("nowhere.md")
    (root / "circle").symlink_to(".")
    (root / "outside.md").symlink_to("/etc/hostname")
    (root / "folder.md").mkdir()
    (root / "shut").mkdir()
    (root / "shut" / "in.md").write_text("# In\n", encoding="utf-8")
    (root / "shut").chmod(0)
    skipped = {"huge.md", "binary.md", "zeros.md", "unread.md", "pipe.md", "loop.md", "dangling.md", "outside.md"}
    return skipped | {"shut/"}, set(good)


def test_a_hostile_folder_is_taken_in_and_its_worst_files_are_named(site: Any, obedient: dict[str, Any]) -> None:
    skipped, good = hostile(site)
    report = site.run("bootstrap", str(site.notes), "--json", **obedient).ok()
    assert "\x1b" not in report.err
    status = json.loads(site.run("status", "--json", **obedient).ok().out)
    reasons = {row["path"]: row["reason"] for row in status["skipped"]}
    missing = skipped - reasons.keys()
    assert missing == set(), reasons
    assert all(reasons.values())
    assert status["documents"] >= len(good)
    assert {row["document"].split("/")[-1] for row in status["problems"]} >= {"broken.md", "bomb.md"}
    said = site.run("status", "--all", **obedient).ok()
    assert "\x1b" not in said.out
    with site.vault() as vault:
        assert vault.index.check() == []
        for path, word in site.markers.items():
            hits = vault.recall(word, recipe="keyword").hits
            assert hits, path
    (site.notes / "shut").chmod(0o755)


def test_a_file_that_grows_while_it_is_read_is_found_once_it_rests(site: Any) -> None:
    site.plant(30)
    growing = site.write("growing.md")
    site.run("init").ok()
    stop = threading.Event()

    def grow() -> None:
        with growing.open("a", encoding="utf-8") as file:
            while not stop.is_set():
                file.write("more basalt and amber\n" * 20)
                file.flush()

    writer = threading.Thread(target=grow)
    writer.start()
    try:
        result = site.run("bootstrap", str(site.notes)).ok()
    finally:
        stop.set()
        writer.join()
    assert "growing.md" in result.err or "31 added" in result.out
    if growing.stat().st_size > 5 * 2**20:
        growing.write_text(growing.read_text(encoding="utf-8")[:100_000], encoding="utf-8")
    site.check()


def test_a_file_caught_empty_in_the_middle_of_a_write_keeps_its_text(indexed: Any) -> None:
    path, word = next(iter(indexed.markers.items()))
    file = indexed.notes / path
    text = file.read_bytes()
    file.write_bytes(b"")
    with indexed.vault() as vault:
        assert [skipped.path for skipped in vault.index.sync().skipped] == [path]
        assert [hit.path for hit in vault.recall(word, recipe="keyword").hits] == [path]
    file.write_bytes(text)
    indexed.check()


def test_two_thousand_files_are_indexed_and_found(site: Any) -> None:
    site.plant(2_000)
    result = site.run("bootstrap", str(site.notes)).ok()
    assert "2,000 documents" in result.out
    with site.vault() as vault:
        assert vault.status().missing_vectors == 0
        for path, word in list(site.markers.items())[::50]:
            assert [hit.path for hit in vault.recall(word, recipe="keyword").hits] == [path]


# -- clocks ------------------------------------------------------------------------------------------------------------


FAR_TIMES = (0, 1, -86_400, 2**31, 2**33, 4_102_444_800, 253_402_300_799)


def test_files_from_other_times_are_found(site: Any) -> None:
    site.plant(3)
    for seconds in FAR_TIMES:
        file = site.write(f"at {seconds}.md")
        os.utime(file, (seconds, seconds))
    site.run("bootstrap", str(site.notes)).ok()
    for command in (["query", "about", "--json"], ["timeline", "notes/at 8589934592.md"], ["list"], ["status"]):
        site.run(*command).ok()
    site.check()
    for seconds in FAR_TIMES:
        os.utime(site.write(f"at {seconds}.md", "anew", more="longer\n"), (seconds, seconds))
    site.check()


def test_a_clock_set_back_loses_nothing(site: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    now = app.now_ms()
    site.plant(5)
    site.run("bootstrap", str(site.notes)).ok()

    def pin(kind: str, path: str) -> None:
        with site.vault() as vault:
            vault.index.syncer.history.record([Draft(kind, docid("notes", path), path, None, {})])

    pin("pin", "n0001.md")
    pin("pin", "n0002.md")
    for back in (3_600_000, 40 * 365 * 86_400_000, now):
        monkeypatch.setattr(app, "now_ms", lambda back=back: now - back)
        site.write("n0003.md", back)
        site.plant(1, start=10 + len(site.markers))
        site.check()
        pin("unpin", "n0001.md")
        with site.vault() as vault:
            state = {d.document.path: d.state.pinned for d in vault.documents()}
        assert (state["n0001.md"], state["n0002.md"]) == (False, True)
        pin("pin", "n0001.md")
    monkeypatch.setattr(app, "now_ms", lambda: now + 1_000)
    site.check()
    with site.vault() as vault:
        assert {d.document.path for d in vault.documents() if d.state.pinned} == {"n0001.md", "n0002.md"}
