"""Vaults by name, by project, and the machine's time zone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hearth.config import Loaded, local_zone, vault, vault_for, vault_names
from hearth.core.errors import NotFound
from hearth.core.paths import Folders

Load = Callable[..., Loaded]
Write = Callable[..., Path]


def test_a_vault_lies_in_subfolders_of_its_name(folders: Folders, loaded: Load) -> None:
    view = vault(loaded().config, folders, "default")
    assert view.data == Path(folders.data, "default")
    assert view.cache == Path(folders.cache, "default")
    assert (view.roots, dict(view.collections)) == ((), {})


def test_the_short_form_gives_the_data_folder(write: Write, folders: Folders, loaded: Load) -> None:
    write("vaults: {work: ~/work-memory}\n")
    config = loaded().config
    assert vault_names(config) == ("default", "work")
    view = vault(config, folders, "work")
    assert (view.data, view.cache) == (Path("/home/me/work-memory"), Path(folders.cache, "work"))


def test_top_level_collections_belong_to_the_default_vault_alone(write: Write, folders: Folders, loaded: Load) -> None:
    write(
        "collections: {a: {path: /a}}\n"
        "vaults: {default: {collections: {b: {path: /b}}}, work: {collections: {a: {path: /c}}}}\n"
    )
    config = loaded().config
    assert list(vault(config, folders, "default").collections) == ["a", "b"]
    assert vault(config, folders, "work").collections["a"].path == Path("/c")


def test_an_unknown_vault_lists_the_names(write: Write, folders: Folders, loaded: Load) -> None:
    write("vaults: {work: /w}\n")
    with pytest.raises(NotFound, match=r"no vault 'wrok'; did you mean work.; vaults are default, work"):
        vault(loaded().config, folders, "wrok")


def test_a_project_uses_the_vault_of_its_longest_root(write: Write, loaded: Load, tmp_path: Path) -> None:
    base = tmp_path.resolve()
    write(f"vaults: {{work: {{roots: [{base}/w, /elsewhere]}}, client: {{roots: [{base}/w/client]}}}}\n")
    config = loaded().config
    assert vault_for(base / "w" / "x", config) == "work"
    assert vault_for(base / "w", config) == "work"
    assert vault_for(base / "w" / "client" / "app", config) == "client"
    assert vault_for(base / "w" / "client2", config) == "work"
    assert vault_for(base / "wx", config) == "default"
    assert vault_for(base, config) == "default"


@pytest.mark.parametrize("name", ["\ud800", "a\0b"])
def test_a_folder_that_no_system_can_hold_is_the_default_vaults(write: Write, loaded: Load, name: str) -> None:
    write("vaults: {work: {roots: [/w]}}\n")
    assert vault_for(Path("/w", name), loaded().config) == "default"


def test_a_root_is_found_through_symlinks(write: Write, loaded: Load, tmp_path: Path) -> None:
    (tmp_path / "real" / "app").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real")
    write(f"vaults: {{work: {{roots: [{tmp_path}/link]}}}}\n")
    assert vault_for(tmp_path / "real" / "app", loaded().config) == "work"
    assert vault_for(tmp_path / "link" / "app", loaded().config) == "work"


@pytest.mark.parametrize(
    ("tz", "link", "zone"),
    [
        ("Europe/Madrid", None, "Europe/Madrid"),
        (":Europe/Madrid", None, "Europe/Madrid"),
        ("/usr/share/zoneinfo/Europe/Madrid", None, "Europe/Madrid"),
        ("", "/usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo"),
        (None, "../usr/share/zoneinfo/posix/Asia/Tokyo", "Asia/Tokyo"),
        (None, "/var/db/timezone/zoneinfo/Asia/Tokyo", "Asia/Tokyo"),
        ("CET-1CEST", "/usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo"),
        ("../../etc/passwd", None, "UTC"),
        ("No/Where", "/somewhere/else", "UTC"),
        (None, None, "UTC"),
    ],
)
def test_the_zone_is_tz_else_the_link_else_utc(tmp_path: Path, tz: str | None, link: str | None, zone: str) -> None:
    localtime = tmp_path / "localtime"
    if link:
        localtime.symlink_to(link)
    environ = {} if tz is None else {"TZ": tz}
    assert local_zone(environ, str(localtime)) == zone


def test_the_zone_comes_with_the_settings(loaded: Load) -> None:
    assert loaded({"TZ": "Asia/Tokyo"}).zone == "Asia/Tokyo"
