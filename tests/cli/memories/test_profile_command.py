from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

Run = Callable[..., Any]


def test_what_is_known_of_you_is_shown_with_its_source(hearth: Run) -> None:
    assert "--rebuild makes it" in hearth("profile").err
    hearth("remember", "The user prefers tabs over spaces.", "--type", "preference")
    shown = hearth("profile", "--rebuild")
    assert "The user prefers tabs over spaces." in shown.out and " #" in shown.out
    assert json.loads(hearth("profile", "--rebuild", "--json").out)["changed"] is False
