"""Walking and reading real folders."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import textwrap
import threading
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from hearth.core.document import FileState
from hearth.core.errors import ConfigError, Unavailable
from hearth.disk.collections import MAX_FILE_BYTES, DiskFiles
from hearth.ports import Collection, Walk


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


def write(root: Path, *paths: str, text: str = "text") -> None:
    for path in paths:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def walk(root: Path, **given: Any) -> Walk:
    return DiskFiles().walk(Collection("notes", str(root), **given))


def names(root: Path, **given: Any) -> list[str]:
    return sorted(walk(root, **given).files)


def reasons(found: Walk) -> dict[str, str]:
    return {item.path: item.reason for item in found.skipped}


# -- what is found ----------------------------------------------------------------------------------------------------


def test_markdown_at_any_depth_is_found_with_its_stat(root: Path) -> None:
    write(root, "a.md", "deep/er/b.md", "c.txt", "d.MD")
    found = walk(root)
    assert sorted(found.files) == ["a.md", "d.MD", "deep/er/b.md"]
    status = (root / "a.md").stat()
    assert found.files["a.md"] == FileState(status.st_mtime_ns, status.st_size, status.st_ctime_ns, b"a.md")
    assert found.skipped == ()
    assert found.missing is None


def test_patterns_and_exclusions_select_files(root: Path) -> None:
    write(root, "a.md", "b.txt", "drafts/c.md", "x/drafts/d.md", "e.org")
    assert names(root, pattern="**/*.txt, *.org") == ["b.txt", "e.org"]
    assert names(root, exclude=("drafts/",)) == ["a.md"]
    assert names(root, exclude=("/drafts/", "x/**")) == ["a.md"]


def test_a_broken_pattern_is_a_configuration_error(root: Path) -> None:
    with pytest.raises(ConfigError, match="glob"):
        walk(root, exclude=("[z-a]",))


@pytest.mark.parametrize(
    "name", ["a b.md", "a\nb.md", 'it\'s "so".md', "%2e.md", "#1.md", "-rf.md", "重跑.md", "🙂.md"]
)
def test_odd_names_are_walked_and_read(root: Path, name: str) -> None:
    write(root, name, text="odd")
    collection = Collection("notes", str(root))
    found = walk(root)
    assert list(found.files) == [unicodedata.normalize("NFC", name)]
    assert DiskFiles().read(collection, found.files[unicodedata.normalize("NFC", name)]) == b"odd"


def test_undecodable_names_are_walked_and_read(root: Path) -> None:
    (Path(os.fsdecode(os.fsencode(root) + b"/caf\xe9.md"))).write_bytes(b"latin")
    found = walk(root)
    [(path, file)] = found.files.items()
    assert (path, file.disk_path) == ("caf\udce9.md", b"caf\xe9.md")
    assert DiskFiles().read(Collection("notes", str(root)), file) == b"latin"


def test_names_that_differ_in_unicode_form_only_count_once(root: Path) -> None:
    write(root, "é.md", text="composed")
    write(root, unicodedata.normalize("NFD", "é.md"), text="decomposed")
    if len(list(root.iterdir())) < 2:
        pytest.skip("this file system normalises names")
    found = walk(root)
    assert list(found.files) == ["é.md"]
    assert list(reasons(found).values()) == ["another file has the same name in a different Unicode form"]


def test_a_decomposed_name_is_known_by_its_composed_form_and_read_by_its_own(root: Path) -> None:
    name = unicodedata.normalize("NFD", "Ärger.md")
    write(root, name, text="own")
    file = walk(root).files["Ärger.md"]
    assert file.disk_path == os.fsencode(name)
    assert DiskFiles().read(Collection("notes", str(root)), file) == b"own"
    assert DiskFiles().state(Collection("notes", str(root)), file.disk_path) == file


# -- what is left out -------------------------------------------------------------------------------------------------


def test_hidden_vendored_and_private_folders_are_not_entered(root: Path) -> None:
    write(root, ".hidden/a.md", "node_modules/b.md", "venv/c.md", "_PRIVATE/d.md", "x/_private/e.md", ".f.md", "g.md")
    found = walk(root)
    assert list(found.files) == ["g.md"]
    assert found.skipped == ()


def test_a_hidden_root_is_accepted_when_named(root: Path) -> None:
    write(root, ".brain/a.md")
    assert names(root / ".brain") == ["a.md"]


COPIES = (
    "a.sync-conflict-20240101-120000-ABCDEFG.md",
    "a (conflicted copy 2024-01-01).md",
    "a (conflicted copy 2024-01-01 123456).md",
    "a (the-laptop's conflicted copy 2024-01-01).md",
    "a_conflict-20240101-120000.md",
    "a_conflict-ann-20240101-120000.md",
    "a (Conflicted copy iPhone 202401011200).md",
    "a (SFConflict ann@x.org 2024-01-01-12-00-00).md",
    "a_HOST_Jan-01-120000-2024_Conflict.md",
    "a.Conflict.md",
    "a [conflicted].md",
    "a (case conflict).md",
    "a-host-safeBackup-0001.md",
    "a (Ann’s conflicted copy 2024-01-01).md",
    "a (Ann's conflicted copy 2024-01-01 (1)).md",
    "a (In Konflikt stehende Kopie von Ann 2024-01-01).md",
    "a (Copia en conflicto de Ann 2024-01-01).md",
    "a (Copie en conflit de Ann 2024-01-01).md",
    "a (Copia in conflitto di Ann 2024-01-01).md",
    "a (Cópia em conflito de Ann 2024-01-01).md",
    "a (Conflicterende kopie van Ann 2024-01-01).md",
    "a (Ann の競合コピー 2024-01-01).md",
)


@pytest.mark.parametrize("copy", COPIES)
def test_a_copy_of_a_sync_conflict_counts_once_where_it_says_something_else(root: Path, copy: str) -> None:
    write(root, "a.md", copy)
    same = walk(root)
    assert (list(same.files), reasons(same)) == (
        ["a.md"],
        {copy: "copy left by a sync conflict, the same as its original"},
    )
    write(root, copy, text="TEXT")
    assert names(root) == sorted(["a.md", copy])
    (root / "a.md").unlink()
    assert names(root) == [copy]


@pytest.mark.parametrize(
    "name",
    [
        "a.sync-conflict-notes.md",
        "on (conflicted copy rights).md",
        "on (conflict 2024-01-01).md",
        "a_conflict-1.md",
        "conflict (1).md",
    ],
)
def test_a_name_that_only_speaks_of_conflicts_is_a_name(root: Path, name: str) -> None:
    write(root, name.replace(".sync-conflict-notes", "").replace("_conflict-1", ""), name)
    assert name in names(root)


@pytest.mark.parametrize("copy", COPIES)
def test_of_the_engines_files_only_days_have_two_sides(root: Path, copy: str) -> None:
    write(root, f"agent/notes/{copy}", "agent/notes/a.md", text="one")
    day = f"daily/2026-01-01{copy[1:]}"
    write(root, "daily/2026-01-01.md", text="one")
    write(root, day, text="another")
    found = walk(root, origin="engine")
    assert sorted(found.files) == sorted(["agent/notes/a.md", "daily/2026-01-01.md", day])
    assert reasons(found) == {f"agent/notes/{copy}": "copy left by a sync conflict"}


def test_files_over_five_megabytes_are_listed_with_their_size(root: Path) -> None:
    (root / "big.md").write_bytes(b"x" * (MAX_FILE_BYTES + 1))
    (root / "limit.md").write_bytes(b"x" * MAX_FILE_BYTES)
    found = walk(root)
    assert list(found.files) == ["limit.md"]
    assert "5.0 MB is over the limit" in reasons(found)["big.md"]


def test_pipes_and_sockets_are_listed_and_never_opened(root: Path) -> None:
    os.mkfifo(root / "pipe.md")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(root / "socket.md"))
        found = walk(root)
    assert found.files == {}
    assert reasons(found) == {"pipe.md": "not a regular file", "socket.md": "not a regular file"}


def test_a_pipe_that_took_the_place_of_a_file_does_not_hang_the_reader(root: Path) -> None:
    write(root, "a.md")
    file = walk(root).files["a.md"]
    (root / "a.md").unlink()
    os.mkfifo(root / "a.md")
    with pytest.raises(OSError, match="not a regular file"):
        DiskFiles().read(Collection("notes", str(root)), file)


def test_an_inner_collection_owns_its_files(root: Path) -> None:
    write(root, "a.md", "work/b.md", "work/deep/c.md", "other/d.md")
    assert names(root, inner_roots=(str(root / "work"),)) == ["a.md", "other/d.md"]
    assert names(root / "work") == ["b.md", "deep/c.md"]


@pytest.mark.parametrize("kind", ["missing", "file"])
def test_a_root_that_is_no_folder_is_named(root: Path, kind: str) -> None:
    write(root, "file")
    found = walk(root / kind)
    assert found.files == {}
    assert found.missing is not None
    assert str(root / kind) in found.missing


def test_very_deep_folders_end_in_a_remark_not_in_an_error(root: Path) -> None:
    folder = root.joinpath(*["d"] * 70)
    folder.mkdir(parents=True)
    write(folder, "deep.md")
    write(root, "a.md")
    found = walk(root)
    assert list(found.files) == ["a.md"]
    assert "deeper than 64 folders" in reasons(found).values()


UNPRIVILEGED = """
    import os, sys
    from hearth.ports import Collection
    from hearth.disk.collections import DiskFiles
    if os.getuid() == 0:
        os.setgid(65534); os.setuid(65534)
    collection = Collection("notes", sys.argv[1])
    walk = DiskFiles().walk(collection)
    print(sorted(walk.files), [(s.path, s.reason) for s in walk.skipped])
    for path, file in walk.files.items():
        try:
            DiskFiles().read(collection, file)
        except OSError as error:
            print(path, error.strerror)
"""


def test_unreadable_files_and_folders_cost_only_themselves(root: Path) -> None:
    write(root, "good.md", "shut.md", "closed/a.md")
    # The temporary folder belongs to the one who runs the tests; the child may be nobody.
    for folder in (root, *root.parents):
        if folder.stat().st_uid == os.getuid() and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o055)
    (root / "shut.md").chmod(0)
    (root / "closed").chmod(0)
    try:
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(UNPRIVILEGED), str(root)],
            capture_output=True, text=True, timeout=100, check=False, env={"PYTHONPATH": os.pathsep.join(sys.path)},
        )  # fmt: skip
    finally:
        (root / "closed").chmod(0o755)
    if "ermission" in done.stderr:
        pytest.skip("an unprivileged process can't import the packages here")
    assert done.stdout.splitlines() == [
        "['good.md', 'shut.md'] [('closed/', \"folder can't be read: Permission denied\")]",
        "shut.md Permission denied",
    ], done.stderr


# -- links ------------------------------------------------------------------------------------------------------------


def test_links_out_of_the_root_are_listed_not_followed(root: Path, tmp_path: Path) -> None:
    write(tmp_path, "outside/secret.md", "notes-evil/secret.md")
    (root / "folder").symlink_to(tmp_path / "outside")
    (root / "file.md").symlink_to(tmp_path / "outside/secret.md")
    (root / "sibling").symlink_to(tmp_path / "notes-evil")
    found = walk(root)
    assert found.files == {}
    assert reasons(found) == dict.fromkeys(("file.md", "folder", "sibling"), "link that leaves the collection")


def test_links_inside_the_root_add_no_second_copy_of_a_folder(root: Path) -> None:
    write(root, "real/a.md")
    (root / "aaa").symlink_to(root / "real")
    (root / "zzz").symlink_to("real")
    (root / "self").symlink_to(root)
    assert names(root) == ["real/a.md"]


def test_loops_of_links_end(root: Path) -> None:
    folder = root
    for level in range(10):
        folder = folder / str(level)
        folder.mkdir()
        write(folder, "a.md")
        (folder / "up").symlink_to(root)
        (folder / "round").symlink_to(folder)
    (root / "x.md").symlink_to(root / "y.md")
    (root / "y.md").symlink_to(root / "x.md")
    found = walk(root)
    assert len(found.files) == 10
    assert reasons(found).keys() == {"x.md", "y.md"}


def test_links_do_not_open_what_is_private(root: Path) -> None:
    write(root, "_PRIVATE/secret.md", "a.md")
    (root / "open").symlink_to(root / "_PRIVATE")
    (root / "peek.md").symlink_to(root / "_PRIVATE/secret.md")
    assert names(root) == ["a.md"]


def test_a_dangling_link_is_listed(root: Path) -> None:
    (root / "gone.md").symlink_to(root / "nowhere.md")
    assert reasons(walk(root)) == {"gone.md": "can't be read: No such file or directory"}


def test_a_file_replaced_by_a_link_out_of_the_root_is_not_read(root: Path, tmp_path: Path) -> None:
    write(tmp_path, "secret.md", text="secret")
    write(root, "a.md")
    file = walk(root).files["a.md"]
    (root / "a.md").unlink()
    (root / "a.md").symlink_to(tmp_path / "secret.md")
    with pytest.raises(OSError, match="leaves the collection"):
        DiskFiles().read(Collection("notes", str(root)), file)


# -- git --------------------------------------------------------------------------------------------------------------


def repository(root: Path, **ignores: str) -> None:
    (root / ".git").mkdir()
    for folder, text in ignores.items():
        path = root / folder.replace("_", "/") if folder != "top" else root
        path.mkdir(parents=True, exist_ok=True)
        (path / ".gitignore").write_text(text, encoding="utf-8")


def test_ignored_files_are_left_out_inside_a_repository(root: Path) -> None:
    write(root, "a.md", "build/b.md", "sub/c.md", "sub/keep.md", "sub/deep/d.md", "tmp-1.md")
    repository(root, top="build/\ntmp-*.md\n# a.md\n\n", sub="*.md\n!keep.md\n")
    assert names(root) == ["a.md", "sub/keep.md"]


def test_ignore_files_mean_nothing_outside_a_repository(root: Path) -> None:
    write(root, "a.md", "b.md")
    (root / ".gitignore").write_text("a.md\n", encoding="utf-8")
    assert names(root) == ["a.md", "b.md"]


def test_rules_above_the_collection_apply_to_it(root: Path) -> None:
    write(root, "docs/a.md", "docs/drafts/b.md", "docs/private.md")
    repository(root, top="drafts/\n/docs/private.md\n")
    assert names(root / "docs") == ["a.md"]


def test_the_excludes_of_the_clone_apply(root: Path) -> None:
    write(root, "a.md", "mine.md", ".git/info/exclude")
    (root / ".git/info/exclude").write_text("mine.md\n", encoding="utf-8")
    assert names(root) == ["a.md"]


def test_a_repository_inside_plain_notes_brings_its_own_rules(root: Path) -> None:
    write(root, "a.md", "code/b.md", "code/out/c.md")
    repository(root / "code", top="out/\n")
    assert names(root) == ["a.md", "code/b.md"]


def test_malformed_rules_are_passed_over_and_the_rest_holds(root: Path) -> None:
    write(root, "a.md", "b.md", "é.md")
    (root / ".git").mkdir()
    (root / ".gitignore").write_bytes(b"\xef\xbb\xbfa.md\r\n!\n\\\n[z-a]\n\xff\xfe\nfoo\\\n/\n\xc3\xa9.md\n")
    assert names(root) == ["b.md"]


# -- reading ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("during", "after"),
    [(b"x" * 11, b"x" * 11), (b"x" * 5, b"x" * 10), (b"x" * 10, b"x" * 11)],
    ids=["grown before", "shrunk for a moment", "grown after"],
)
def test_a_file_whose_size_changes_while_it_is_read_is_read_later_even_at_the_same_time(
    root: Path, monkeypatch: pytest.MonkeyPatch, during: bytes, after: bytes
) -> None:
    path = root / "log.md"
    path.write_bytes(b"x" * 10)
    file = walk(root).files["log.md"]
    reads = os.read

    def write(data: bytes) -> None:
        path.write_bytes(data)
        os.utime(path, ns=(file.mtime_ns, file.mtime_ns))

    def reading(handle: int, most: int) -> bytes:
        write(during)
        data = reads(handle, most)
        write(after)
        return data

    write(b"x" * 10)
    monkeypatch.setattr(os, "read", reading)
    with pytest.raises(Unavailable, match="being written"):
        DiskFiles().read(Collection("notes", str(root)), file)
    monkeypatch.undo()
    assert DiskFiles().read(Collection("notes", str(root)), walk(root).files["log.md"]) == after


def test_a_file_that_grows_while_it_is_read_is_read_later(root: Path) -> None:
    path = root / "log.md"
    path.write_bytes(b"x" * 2_000_000)
    collection = Collection("notes", str(root))
    file = walk(root).files["log.md"]
    done = threading.Event()

    def grow() -> None:
        with path.open("ab", buffering=0) as handle:
            while not done.is_set() and handle.tell() < MAX_FILE_BYTES - 10:
                handle.write(b"y")

    writer = threading.Thread(target=grow)
    writer.start()
    torn = 0
    try:
        for _ in range(5_000):
            try:
                data = DiskFiles().read(collection, file)
            except Unavailable as error:
                torn += 1
                assert "being written" in str(error)
                break
            assert data == b"x" * 2_000_000 + b"y" * (len(data) - 2_000_000)
    finally:
        done.set()
        writer.join()
    assert torn
    assert DiskFiles().read(collection, file) == path.read_bytes()


def test_a_file_that_grew_over_the_limit_is_refused(root: Path) -> None:
    write(root, "a.md")
    file = walk(root).files["a.md"]
    (root / "a.md").write_bytes(b"x" * (MAX_FILE_BYTES + 1))
    with pytest.raises(OSError, match="larger than 5 MB"):
        DiskFiles().read(Collection("notes", str(root)), file)


def test_a_file_that_is_gone_has_no_state(root: Path) -> None:
    assert DiskFiles().state(Collection("notes", str(root)), b"gone.md") is None
    with pytest.raises(FileNotFoundError):
        DiskFiles().read(Collection("notes", str(root)), FileState(0, 0, 0, b"gone.md"))
