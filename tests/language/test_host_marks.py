from __future__ import annotations

import pytest

from hearth.language.structure import is_own_command, strip_host_marks


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("[Image #1] Why does the jar leak?", "Why does the jar leak?"),
        ("[Image #1]why does the jar leak?", "why does the jar leak?"),
        ("Why does the jar in [Image #2] leak?", "Why does the jar in leak?"),
        ("Look at this [Pasted text #2 +30 lines].", "Look at this."),
        ("[Pasted Content 4096 chars]\nWe use litres.", "We use litres."),
        ("$larder-count always use litres", "always use litres"),
        ("$larder-count $review We use litres.", "We use litres."),
        ("[Image #1] $review the lid", "the lid"),
        ("[$pdf](/s/pdf/SKILL.md) fill the form", "fill the form"),
        ("[Image #1]", ""),
        ("$user is null in checkout.php", "$user is null in checkout.php"),
        ("It costs $5, see [1].", "It costs $5, see [1]."),
        ("Keep   two spaces and <b>tags</b>", "Keep   two spaces and <b>tags</b>"),
    ],
)
def test_what_the_client_put_in_goes_and_what_the_person_typed_stays(text: str, left: str) -> None:
    assert strip_host_marks(text) == left


def test_commands_of_the_client_are_told_from_those_of_the_person() -> None:
    assert is_own_command("/model") and is_own_command("/clear ")
    assert not is_own_command("/deploy") and not is_own_command("/plugin:model")
