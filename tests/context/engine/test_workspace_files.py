"""The files of a workspace that stand before a conversation."""

from __future__ import annotations

from datetime import date

import pytest

from hearth.context.engine.workspace import FileText, render_files, select_day_notes, select_files
from hearth.text.lines import estimate_tokens

NAMES = ("AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "TOOLS.md", "MEMORY.md")
LONG = {name: f"{name} begins\n" + f"a line of {name}\n" * 3_000 + f"{name} ends" for name in NAMES}
TODAY = date(2026, 11, 28)


def test_files_are_cut_to_their_limits_with_head_and_tail() -> None:
    found = select_files(LONG.get, 10**6, private=True)
    sizes = {file.name: len(file.text) for file in found}
    assert list(sizes) == list(NAMES)[: len(sizes)]
    assert sizes["AGENTS.md"] <= 20_000 and sizes["USER.md"] <= 4_000 and sum(sizes.values()) <= 60_100
    agents = found[0].text
    assert agents.startswith("AGENTS.md begins") and agents.endswith("AGENTS.md ends")
    head, note, tail = agents.split("[…")[0], agents.split("[…")[1], agents.split("…]")[1]
    assert (len(head.strip()), len(tail.strip())) == (pytest.approx(14_000, abs=20), pytest.approx(4_000, abs=20))
    assert f"of {len(LONG['AGENTS.md']):,} characters left out: read AGENTS.md" in note


def test_in_a_group_nothing_private_stands_there() -> None:
    assert {file.name for file in select_files(LONG.get, 10**6, private=False)} == set(NAMES) - {"USER.md", "MEMORY.md"}


@pytest.mark.parametrize("budget", [4_000, 32_000])
def test_files_take_three_tenths_of_a_small_budget_and_say_how_long_they_are(budget: int) -> None:
    found = select_files(LONG.get, budget, private=True)
    assert sum(file.tokens for file in found) <= 0.3 * budget + 300
    assert all(f"of {len(LONG[file.name]):,} characters left out" in file.text for file in found)


def test_of_memory_whole_entries_stay_and_the_others_are_counted() -> None:
    text = "# Memory\n\n" + "".join(f"- Entry {at} of many.\n" for at in range(2_000))
    [file] = select_files({"MEMORY.md": text}.get, 4_000, private=True)
    *entries, _, note = file.text.splitlines()
    assert all(line.endswith("of many.") for line in entries[2:])
    assert note == f"[… {2_000 - len(entries[2:])} more entries: read MEMORY.md …]"
    prose = select_files({"MEMORY.md": "One long paragraph. " * 3_000}.get, 10**6, private=True)
    assert len(prose[0].text) > 15_000


def test_marks_of_promoted_lines_cost_nothing() -> None:
    text = "# Memory\n\n- Port 5432. <!-- hearth:p k1 h1 p -->\n"
    [file] = select_files({"MEMORY.md": text}.get, 10**6, private=True)
    assert file.text == "# Memory\n\n- Port 5432."


@pytest.mark.parametrize("name", ["memory/2026-11-28.md", "MEMORY.md"])
@pytest.mark.parametrize("tokens", [1, 5, 20, 50, 200, 299])
def test_a_file_takes_no_more_than_its_tokens(name: str, tokens: int) -> None:
    file = FileText(name, "word " * 240, 1_200)
    assert estimate_tokens(render_files([file], [tokens])) <= tokens


def test_of_a_day_s_sessions_the_last_four_come_with_its_file() -> None:
    times = {"zoo": "08:00", "apple": "21:30", "mango": "12:00", "kiwi": "19:00", "1815": "", "pear": "07:00"}
    files = {f"2026-11-28-{slug}.md": f"# Session of 2026-11-28 {time}\n" for slug, time in times.items()}
    files["2026-11-28-1815.md"] = "Written by another program."
    files |= {"2026-11-28.md": "Today.", "2026-11-27.md": "x" * 5_000, "2026-11-26.md": "Too old."}
    found = [file.name for file in select_day_notes(files, files.get, TODAY)]
    slugs = [f"memory/2026-11-28-{slug}.md" for slug in ("apple", "kiwi", "1815", "mango")]
    assert found == ["memory/2026-11-28.md", *slugs, "memory/2026-11-27.md"]
    assert len(select_day_notes(files, files.get, TODAY)[-1].text) <= 1_200


def test_notes_of_days_take_2_800_characters() -> None:
    files = {f"2026-11-{day}.md": "x " * 3_000 for day in (27, 28)} | {f"2026-11-28-{at}.md": "y " * 900 for at in "ab"}
    assert sum(len(file.text) for file in select_day_notes(files, files.get, TODAY)) <= 2_800
