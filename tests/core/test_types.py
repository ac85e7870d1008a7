from __future__ import annotations

import re
from pathlib import Path

import pytest

from hearth.core.memory import CONTENT_TYPES, DEFAULT_TYPE, Merge
from hearth.markdown.description import describe

PAGE = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists()) / "docs" / "memory.md"
# name: half-life in days, baseline, whether attention counts, what engine writes do
TABLE = {
    "decision": (None, 0.85, False, "skip"),
    "deduction": (None, 0.85, False, "skip"),
    "hub": (None, 0.80, False, "never"),
    "preference": (None, 0.80, False, "subject"),
    "antipattern": (None, 0.75, False, "recent"),
    "problem": (60, 0.75, False, "new"),
    "research": (90, 0.70, False, "never"),
    "milestone": (60, 0.70, False, "new"),
    "project": (120, 0.65, True, "never"),
    "handoff": (30, 0.60, True, "session"),
    "conversation": (45, 0.55, False, "never"),
    "progress": (45, 0.50, True, "never"),
    "entity": (None, 0.75, False, "gather"),
    "principle": (None, 0.75, False, "subject"),
    "skill": (None, 0.75, False, "subject"),
    "correction": (None, 0.75, False, "subject"),
    "observation": (None, 0.65, False, "skip"),
    "fact": (None, 0.65, False, "skip"),
    "relationship": (None, 0.65, False, "gather"),
    "bead": (None, 0.65, False, "skip"),
    "commitment": (90, 0.70, False, "new"),
    "question": (30, 0.50, False, "new"),
    "moment": (120, 0.60, False, "new"),
    "profile": (None, 0.80, False, "never"),
    "summary": (180, 0.60, False, "one"),
    "daily": (30, 0.50, False, "append"),
    "note": (60, 0.50, True, "new"),
    "meeting": (120, 0.60, False, "never"),
    "runbook": (None, 0.70, False, "never"),
    "postmortem": (None, 0.70, False, "never"),
    "rfc": (None, 0.70, False, "never"),
    "weekly": (60, 0.50, False, "never"),
}
FOLDERS = {
    "agent/decisions", "agent/observations", "agent/handoffs", "agent/antipatterns", "agent/facts", "agent/deductions",
    "agent/beads", "user/preferences", "user/entities", "daily",
}  # fmt: skip


def test_the_registry_is_the_table() -> None:
    rows = {
        name: (kind.half_life_days, kind.baseline, kind.attention_decay, str(kind.merge))
        for name, kind in CONTENT_TYPES.items()
    }
    assert rows == TABLE
    assert all(name == kind.name for name, kind in CONTENT_TYPES.items())
    assert DEFAULT_TYPE in CONTENT_TYPES


def test_a_type_has_a_folder_exactly_if_the_engine_writes_it() -> None:
    for kind in CONTENT_TYPES.values():
        assert (kind.folder is None) == (kind.merge is Merge.NEVER), kind.name


def test_no_two_types_share_a_folder_and_the_layout_has_its_folders() -> None:
    folders = [kind.folder for kind in CONTENT_TYPES.values() if kind.folder is not None]
    assert len(set(folders)) == len(folders)
    assert set(folders) >= FOLDERS


@pytest.mark.parametrize("name", CONTENT_TYPES)
def test_a_file_of_each_type_says_so_whatever_its_folder(name: str) -> None:
    assert describe({"content_type": name}, "agent/decisions/x.md", "").content_type == name


def test_the_page_on_memories_has_the_folder_of_every_type() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `([\w/]+)/` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert dict(rows) == {kind.name: kind.folder for kind in CONTENT_TYPES.values() if kind.folder}
