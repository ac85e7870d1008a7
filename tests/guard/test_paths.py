from __future__ import annotations

from pathlib import Path

import pytest

from hearth.core.errors import UsageError
from hearth.core.files import inside, is_private

ESCAPES = (
    "", "/", "/etc/passwd", "//server/share", "..", "../x", "a/../../x", "a/..", "a/../b", "\0", "a\0b", "C:/x", "c:x",
    "C:\\Windows", "\\\\server\\share", "a\\..\\b", "./../x",
)  # fmt: skip


@pytest.mark.parametrize("relative", ESCAPES)
def test_shapes_that_could_escape_are_refused(tmp_path: Path, relative: str) -> None:
    with pytest.raises(UsageError):
        inside(tmp_path, relative)


@pytest.mark.parametrize(
    "relative", ["a.md", "a/b.md", "./a.md", "..a/b..md", "%2e%2e/x", "~draft.md", "día/日本.md", "..."]
)
def test_names_inside_resolve_under_the_root(tmp_path: Path, relative: str) -> None:
    assert inside(tmp_path, relative) == (tmp_path.resolve() / relative)


def test_a_link_that_leads_out_is_refused_and_one_that_stays_is_followed(tmp_path: Path) -> None:
    root, outside = tmp_path / "notes", tmp_path / "notes-secret"
    root.mkdir()
    outside.mkdir()
    (root / "real.md").write_text("x")
    (root / "stays").symlink_to(root / "real.md")
    (root / "leaves").symlink_to(outside)
    (root / "dangling").symlink_to(outside / "later.md")
    assert inside(root, "stays") == (root / "real.md").resolve()
    for relative in ("leaves", "leaves/x.md", "dangling"):
        with pytest.raises(UsageError, match="is outside"):
            inside(root, relative)


def test_the_root_itself_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert inside(tmp_path / "link", "a.md") == (tmp_path / "real" / "a.md").resolve()


def test_a_loop_of_links_never_leads_out(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert tmp_path.resolve() in inside(tmp_path, "loop/x").parents


def test_private_segments_are_recognised_in_any_case() -> None:
    assert is_private(("notes", "_Private", "a.md"))
    assert not is_private(("notes", "_private.md", "private"))
