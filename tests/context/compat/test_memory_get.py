"""memory_get: which lines of which files, and none from anywhere else."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.context.memory_tools import MAX_CHARS, NOT_ALLOWED, READ_FAILED
from hearth.context.report import citation, without_lines
from hearth.core.errors import UsageError

TEN = "".join(f"line {n}\n" for n in range(1, 11))
SECRET = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("work/bread.md", "work/bread.md"),
        ("bread.md", "work/bread.md"),
        ("./bread.md", "work/bread.md"),
        ("api/limits.md", "work/api/limits.md"),
        ("MEMORY.md", "work/MEMORY.md"),
        ("memory/2026-03-05.md", "work/memory/2026-03-05.md"),
        ("work/memory/2026-03-05.md", "work/memory/2026-03-05.md"),
        ("hearth://work/bread.md", "work/bread.md"),
        ("work/bread.md#L1-L3", "work/bread.md"),
    ],
)
def test_a_file_has_the_names_that_other_systems_give_it(house: Any, path: str, shown: str) -> None:
    found = house.get(path)
    assert (found["status"], found["path"]) == ("ok", shown)
    assert found["text"] == house.notes.joinpath(shown.removeprefix("work/")).read_text().rstrip("\n")


def test_an_absolute_path_inside_a_collection_is_read(house: Any) -> None:
    assert house.get(str(house.notes / "bread.md"))["path"] == "work/bread.md"


def test_a_memory_is_found_below_memory_and_by_what_a_search_calls_it(house: Any) -> None:
    done = house.vault.memories.remember("The staging port is 8443", "fact")
    found = house.get(f"memory/{done.path}")
    assert found["status"] == "ok" and "The staging port is 8443" in found["text"]
    [result, *_] = house.vault.compat.search("staging port").results
    assert result.path == f"memory/{done.path}"
    assert house.get(result.citation)["text"].endswith("The staging port is 8443")
    assert house.get(f"_hearth/{done.path}")["path"] == result.path
    assert house.get(done.file)["path"] == result.path


def test_lines_are_counted_from_1_and_the_answer_says_where_to_go_on(house: Any) -> None:
    house.write("ten.md", TEN)
    found = house.get("ten.md", 3, 2)
    assert (found["text"], found["from"], found["lines"], found["nextFrom"]) == ("line 3\nline 4", 3, 2, 5)
    assert found["truncated"] and found["totalLines"] == 10
    rest = house.get("ten.md", 9, 50)
    assert (rest["text"], rest["truncated"], "nextFrom" in rest) == ("line 9\nline 10", False, False)
    assert house.get("ten.md", None, 2)["text"] == "line 1\nline 2"
    assert house.get("ten.md#L4-L5")["text"] == "line 4\nline 5"
    assert house.get("ten.md#L4-L5", 1, 1)["text"] == "line 1"


@pytest.mark.parametrize("first", [11, 10_000])
def test_beyond_the_end_the_text_is_empty(house: Any, first: int) -> None:
    house.write("ten.md", TEN)
    found = house.get("ten.md", first, 5)
    assert (found["status"], found["text"], found["lines"], found["truncated"]) == ("ok", "", 0, False)


def test_numbers_below_1_are_refused(house: Any) -> None:
    for numbers in ((0, None), (-3, 2), (1, 0)):
        with pytest.raises(UsageError, match="counted from 1"):
            house.get("bread.md", *numbers)


def test_a_long_text_ends_at_a_line_and_going_on_gives_the_whole(house: Any) -> None:
    lines = [f"{n} " + "x" * 200 for n in range(200)]
    house.write("long.md", "\n".join([*lines, "y" * (MAX_CHARS + 50), "last"]))
    pieces, start = [], 1
    while start is not None:
        found = house.get("long.md", start, 500)
        assert len(found["text"]) <= MAX_CHARS
        pieces.append(found["text"])
        start = found.get("nextFrom")
    whole = "\n".join(pieces).split("\n")
    assert whole == [*lines, "y" * MAX_CHARS, "last"]


def test_secrets_are_scrubbed(house: Any) -> None:
    house.write("keys.md", f"# Keys\n\ntoken: {SECRET}\n")
    found = house.get("keys.md")
    assert found["status"] == "ok" and SECRET not in found["text"] and "token" in found["text"]


@pytest.mark.parametrize("path", ["nowhere.md", "work/nowhere.md", "memory/nowhere.md", "bread", "api", "work"])
def test_a_file_that_is_not_there_is_not_found_and_no_error(house: Any, path: str) -> None:
    found = house.get(path)
    assert (found["status"], found["text"], found["path"], "error" in found) == ("not_found", "", path, False)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "..",
        "../secret.md",
        "work/../../secret.md",
        "memory/../../config/config.yaml",
        "/etc/passwd",
        "a\0b.md",
        "C:/x.md",
        "a\\b.md",
        "_PRIVATE/x.md",
        "work/_private/x.md",
    ],
)
def test_a_path_that_leads_out_or_is_private_is_refused_by_code(house: Any, path: str) -> None:
    found = house.get(path)
    assert (found["status"], found["text"], found["code"]) == ("error", "", NOT_ALLOWED)
    assert found["error"]


def test_what_lies_beside_the_notes_is_not_read(house: Any) -> None:
    outside = house.home / "secret.md"
    outside.write_text("# Secret\n\nxyzzy\n")
    house.write("_PRIVATE/own.md", "# Own\n\nxyzzy\n")
    house.write(".hidden.md", "xyzzy\n")
    house.write("notes.txt", "xyzzy\n")
    (house.notes / "link.md").symlink_to(outside)
    (house.notes / "folder").symlink_to(house.home)
    house.vault.index.sync()
    for path in ("link.md", "folder/secret.md", ".hidden.md", "notes.txt", "_PRIVATE/own.md", str(outside)):
        found = house.get(path)
        assert found["status"] != "ok" and "xyzzy" not in found["text"], path


def test_a_file_that_became_a_link_after_it_was_indexed_is_refused(house: Any) -> None:
    outside = house.home / "secret.md"
    outside.write_text("xyzzy\n")
    assert house.get("bread.md")["status"] == "ok"
    file: Path = house.notes / "bread.md"
    file.unlink()
    file.symlink_to(outside)
    found = house.get("bread.md")
    assert (found["status"], found["text"], found["code"]) == ("error", "", NOT_ALLOWED)


def test_a_link_inside_the_collection_is_followed(house: Any) -> None:
    (house.notes / "alias.md").symlink_to(house.notes / "bread.md")
    house.vault.index.sync()
    assert "Rye bread" in house.get("alias.md")["text"]


def test_what_is_forgotten_or_purged_is_not_found(house: Any) -> None:
    house.vault.state.forget("bread.md")
    house.vault.state.purge("boats.md", yes=True)
    assert house.get("bread.md")["status"] == house.get("boats.md")["status"] == "not_found"
    house.vault.state.restore("bread.md")
    assert house.get("bread.md")["status"] == "ok"


def test_a_file_that_went_meanwhile_is_not_found(house: Any) -> None:
    house.get("bread.md")
    (house.notes / "bread.md").unlink()
    assert house.get("bread.md")["status"] == "not_found"


def test_a_file_that_can_not_be_read_is_an_error_by_code(house: Any) -> None:
    house.get("bread.md")
    (house.notes / "bread.md").unlink()
    (house.notes / "bread.md").mkdir()
    assert house.get("bread.md")["code"] == READ_FAILED


def test_a_name_that_fits_two_collections_is_refused_with_both(house: Any) -> None:
    other = house.home / "other"
    other.mkdir()
    (other / "bread.md").write_text("# Other bread\n\nWheat.\n")
    house.configure("", f"  other:\n    path: {other}\n")
    found = house.get("bread.md")
    assert found["code"] == NOT_ALLOWED and "other/bread.md, work/bread.md" in found["error"]
    assert "Wheat" in house.get("other/bread.md")["text"]


def test_composed_and_decomposed_names_are_one(house: Any) -> None:
    house.write("caf\u00e9.md", "# Cafe\n\nOpen till ten.\n")
    house.vault.index.sync()
    assert house.get("cafe\u0301.md")["status"] == "ok"


@given(st.text(max_size=40), st.integers(1, 10**6), st.integers(0, 10**6))
def test_a_citation_says_path_and_lines(path: str, start: int, more: int) -> None:
    assert without_lines(citation(path, start, start + more)) == (path, start, more + 1)


@given(path=st.text(max_size=60))
def test_no_path_raises(shared: Any, path: str) -> None:
    assert shared.get(path)["status"] in ("ok", "not_found", "error")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Any:
    from types import SimpleNamespace

    from hearth import app

    home = tmp_path_factory.mktemp("shared")
    (home / "work").mkdir()
    (home / "work/a.md").write_text("# A\n\nText.\n")
    environ = {f"HEARTH_{n}_DIR": str(home / n) for n in ("CONFIG", "DATA", "CACHE", "STATE")} | {"HOME": str(home)}
    (home / "CONFIG").mkdir()
    (home / "CONFIG/config.yaml").write_text(f"collections: {{work: {{path: {home / 'work'}}}}}\n")
    with app.open_vault(environ=environ | {"PATH": os.environ.get("PATH", "")}) as vault:
        vault.index.sync()
        yield SimpleNamespace(get=lambda path: vault.compat.get(path).to_dict())
