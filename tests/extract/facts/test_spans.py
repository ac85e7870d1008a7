"""The time that a sentence states for its fact."""

from __future__ import annotations

import pytest

from hearth.extract.facts.spans import stated_span
from hearth.model.instants import show_date, zone_of

AT = 1_795_350_000_000  # 2026-11-22


def span(quote: str, phrase: str = "PostgreSQL") -> tuple[str | None, str | None]:
    since, until = stated_span(quote, phrase, AT, "UTC")
    day = zone_of("UTC")
    return (None if since is None else show_date(since, day), None if until is None else show_date(until, day))


@pytest.mark.parametrize(
    ("quote", "told"),
    [
        ("Larder uses PostgreSQL since 2026-01-10.", ("2026-01-10", None)),
        ("Larder uses PostgreSQL since March 2025.", ("2025-03-01", None)),
        ("Since March 2025 Larder uses PostgreSQL.", ("2025-03-01", None)),
        ("Larder uses PostgreSQL until 2026-05-01.", (None, "2026-05-02")),
        ("Larder uses PostgreSQL since 2026-01-10 until 2026-05-01.", ("2026-01-10", "2026-05-02")),
        ("Larder nutzt PostgreSQL seit Mai 2025.", ("2025-05-01", None)),
        ("Larder usa PostgreSQL desde enero de 2026.", ("2026-01-01", None)),
        ("Larder utilise PostgreSQL depuis le 3 mars 2026.", ("2026-03-03", None)),
    ],
)
def test_what_it_holds_since_and_until(quote: str, told: tuple[str | None, str | None]) -> None:
    assert span(quote) == told


@pytest.mark.parametrize(
    "quote",
    [
        "Larder uses PostgreSQL.",
        "Larder uses PostgreSQL, since Redis lost jobs on 2026-01-10.",
        "Larder uses PostgreSQL, and Ana is away until 2026-12-01.",
        "Larder uses PostgreSQL and was dark since 2026-01-10.",
        "Larder uses PostgreSQL as of 16.2.",
        "Until she left in 2025, Ana said, Larder uses PostgreSQL",
    ],
)
def test_what_is_said_of_something_else(quote: str) -> None:
    assert span(quote) == (None, None)


def test_a_span_that_ends_before_it_begins_has_no_end() -> None:
    assert span("Larder uses PostgreSQL since 2026-05-01 until 2026-01-10.") == ("2026-05-01", None)
