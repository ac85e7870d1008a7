from __future__ import annotations

import pytest

from hearth.pages.dream.scores import KnownStatements
from hearth.text.similarity import near_identical


@pytest.mark.parametrize("change", [("of the ", ""), (" every", " each"), ("Harbour", "harbour"), (".", "!")])
def test_what_is_near_identical_is_found_among_thousands(change: tuple[str, str]) -> None:
    """As comparing each with each would find it."""
    long = "The old ferry of the Harbour leaves the northern pier at seven and comes back at nine every day but Monday."
    known = [long, *(f"The ferry number {n} leaves pier {n % 7} at seven every day." for n in range(2_000))]
    near = long.replace(*change)
    said = KnownStatements(known)
    assert said.find(near) == next((one for one in known if near_identical(near, one)), None)
    assert said.find("The ferry number 2001 leaves pier 3 at seven every day.") is None
