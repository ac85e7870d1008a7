"""The time that a sentence states for its fact."""

from __future__ import annotations

import pytest

from hearth.core.instants import show_date, zone_of
from hearth.language.intervals import find_event_time, find_span, strip_days

AT = 1_795_350_000_000  # 2026-11-22


def span(quote: str, phrase: str = "PostgreSQL") -> tuple[str | None, str | None]:
    since, until = find_span(quote, phrase, AT, "UTC")
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
        ("Larder utilise PostgreSQL depuis 2025.", ("2025-01-01", None)),
        ("Larder utilise PostgreSQL depuis l'année dernière.", ("2025-01-01", None)),
        ("Larder utilise PostgreSQL jusqu’au 3 mars 2026.", (None, "2026-03-04")),
        ("Larder utilise PostgreSQL jusqu'en 2025.", (None, "2026-01-01")),
        ("Larder nutzt PostgreSQL seit 2025.", ("2025-01-01", None)),
        ("Larder nutzt seit 2025 PostgreSQL.", ("2025-01-01", None)),
        ("Larder läuft seit dem 3. März 2025 auf der PostgreSQL.", ("2025-03-03", None)),
        ("Larder nutzt PostgreSQL bis Ende 2025.", (None, "2026-01-01")),
        ("Larder nutzt PostgreSQL bis zum 1. Mai 2026.", (None, "2026-05-02")),
        ("Larder usa PostgreSQL desde 2025 hasta el 1 de mayo de 2026.", ("2025-01-01", "2026-05-02")),
        ("Larder usa PostgreSQL hasta 2025.", (None, "2026-01-01")),
        ("O Larder usa PostgreSQL desde 2025.", ("2025-01-01", None)),
        ("O Larder usa PostgreSQL desde o dia 3 de março de 2025.", ("2025-03-03", None)),
        ("O Larder usa PostgreSQL até ao 2026-05-01.", (None, "2026-05-02")),
        ("O Larder usa PostgreSQL até 2025.", (None, "2026-01-01")),
        ("Larder usa PostgreSQL dal 2025.", ("2025-01-01", None)),
        ("Larder usa PostgreSQL da marzo 2025.", ("2025-03-01", None)),
        ("Larder gira dall'anno scorso su PostgreSQL.", ("2025-01-01", None)),
        ("Larder usa PostgreSQL fino al 1º maggio 2026.", (None, "2026-05-02")),
        ("Larder usa PostgreSQL fino a marzo 2026.", (None, "2026-04-01")),
        ("Larder uses PostgreSQL until 2025.", (None, "2026-01-01")),
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
        "Das Team, das bis 2025 wuchs, nutzt PostgreSQL.",
        "Larder nutzt PostgreSQL bis 2000 Anfragen.",
        "Larder usa PostgreSQL da sempre, da Ana.",
    ],
)
def test_what_is_said_of_something_else(quote: str) -> None:
    assert span(quote) == (None, None)


def test_a_span_that_ends_before_it_begins_has_no_end() -> None:
    assert span("Larder uses PostgreSQL since 2026-05-01 until 2026-01-10.") == ("2026-05-01", None)


def day_of(quote: str, phrase: str = "PostgreSQL") -> str | None:
    at = find_event_time(quote, phrase, AT, "UTC")
    return None if at is None else show_date(at, zone_of("UTC"))


@pytest.mark.parametrize(
    ("quote", "told"),
    [
        ("The queue moved from Redis to PostgreSQL on 2026-04-02.", "2026-04-02"),
        ("The queue moved on 2 April 2026 from Redis to PostgreSQL.", "2026-04-02"),
        ("On 2026-04-02, the queue moved to PostgreSQL.", "2026-04-02"),
        ("In March 2026 we adopted PostgreSQL.", "2026-03-01"),
        ("The queue moved to PostgreSQL on 2026-04-02 until 2026-05-01.", "2026-04-02"),
        ("We adopted PostgreSQL for the queue in March.", "2026-03-01"),
        ("We adopted PostgreSQL yesterday, as Ana had said on 2026-04-02.", "2026-11-21"),
        ("PostgreSQL was replaced by Redis in 2024.", "2024-01-01"),
        ("The queue moves to PostgreSQL on 2027-01-01.", "2027-01-01"),
        ("Die Queue wechselte am 2. April 2026 von Redis auf PostgreSQL.", "2026-04-02"),
        ("La cola migró el 2 de abril de 2026 de Redis a PostgreSQL.", "2026-04-02"),
        ("La file est passée de Redis à PostgreSQL le 2 avril 2026.", "2026-04-02"),
        ("PostgreSQL substituiu Redis em março de 2026.", "2026-03-01"),
        ("Abbiamo adottato PostgreSQL il 2 aprile 2026.", "2026-04-02"),
        ("PostgreSQL заменил Redis 2 апреля 2026.", "2026-04-02"),
    ],
)
def test_when_something_happened(quote: str, told: str) -> None:
    assert day_of(quote) == told


@pytest.mark.parametrize(
    "quote",
    [
        "We adopted PostgreSQL.",
        "We adopted PostgreSQL, as we had said on 2026-04-02.",
        "We adopted PostgreSQL because Redis lost jobs in March 2026.",
        "We adopted PostgreSQL after the outage of 2026-03-01.",
        "We chose PostgreSQL for the launch in June 2027.",
        "The cluster bought in March 2026 moved to PostgreSQL.",
        "The queue moved to PostgreSQL 2026-04 and the April release.",
        "The queue moved to PostgreSQL before 2026-04-02.",
    ],
)
def test_a_day_of_something_else_is_none_on_which_it_happened(quote: str) -> None:
    assert day_of(quote) is None


def test_a_date_that_is_part_of_a_name_stays_in_the_sentence() -> None:
    assert strip_days("The API moved in May 2026 to version 2026-04.") == "The API moved to version 2026-04."
