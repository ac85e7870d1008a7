"""hearth reflect: what it prints, and how it ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.mark.usefixtures("vault")
def test_what_was_written_lately_is_told_with_its_place(hearth: Run) -> None:
    hearth("remember", "We run the kiln at night.", "--type", "decision")
    told = hearth("reflect")
    assert told.code == 0 and "decisions\n" in told.out and "We run the kiln at night.  _hearth/agent/" in told.out
    found = json.loads(hearth("reflect", "3", "--json").out)
    assert [one["text"] for one in found["decisions"]] == ["We run the kiln at night."] and found["days"] == 3


@pytest.mark.usefixtures("vault")
def test_where_nothing_stands_out_it_says_so_and_days_must_be_some(hearth: Run) -> None:
    told = hearth("reflect")
    assert told.code == 0 and "nothing certain yet" in told.err
    assert hearth("reflect", "0").code == 2
