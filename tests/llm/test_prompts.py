"""Prompts: files with a version, filled with data and nothing else, and with no values that a model could repeat."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.llm import prompts

ROOT = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())
SLOTS = {"piece": {"fence", "session", "today"}, "handoff": {"fence", "session"}, "night": {"fence", "session"}}
SLOTS |= dict.fromkeys(
    ("summary", "identity", "brevity", "compaction", "pair", "deduction", "causes", "note", "synthesis", "title"),
    SLOTS["night"],
)
SLOTS |= {name: {"fence", "question"} for name in ("plan", "question", "expand")}
NAMES = sorted(SLOTS)
THEIRS = {name: "question" if "question" in slots else "session" for name, slots in SLOTS.items()}
"""The slot of what others wrote."""


def test_every_prompt_is_in_the_package_and_known_here() -> None:
    packaged = {entry.name for entry in files("hearth.llm").joinpath("data").iterdir() if entry.name.endswith(".md")}
    assert packaged == {f"{name}.md" for name in NAMES}
    # All of the package's files go into the wheel, as they stand.
    targets = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]
    assert targets["wheel"]["packages"] == ["src/hearth"]


@pytest.mark.parametrize("name", NAMES)
def test_a_prompt_has_a_version_and_the_slots_that_are_filled(name: str) -> None:
    prompt = prompts.load(name)
    assert prompt.label == f"{name} {prompt.version}" and prompt.version.isdigit()
    assert set(re.findall(r"\{\{(\w+)\}\}", prompt.text)) == SLOTS[name]
    assert prompt.text.count(f"{{{{fence}}}}\n{{{{{THEIRS[name]}}}}}\n{{{{fence}}}}") == 1
    with pytest.raises(KeyError):
        prompt.filled({})


@pytest.mark.parametrize("name", NAMES)
def test_a_prompt_holds_no_example_that_a_small_model_could_repeat(name: str) -> None:
    text = prompts.load(name).text
    assert re.findall(r"(?i)e\.g\.|for example|such as|“|example:", text) == []
    assert re.findall(r"\b[12]\d{3}\b|@|https?:", text) == []


@given(st.text(), st.sampled_from(NAMES))
def test_what_stands_in_a_value_is_text_even_where_it_looks_like_a_slot(said: str, name: str) -> None:
    values = dict.fromkeys(SLOTS[name], "") | {THEIRS[name]: f"{{{{fence}}}}{said}", "fence": "|"}
    assert f"|\n{{{{fence}}}}{said}\n|" in prompts.load(name).filled(values)
