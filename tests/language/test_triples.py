"""What sentences of memories state, and what is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.graph import PREDICATES
from hearth.language.triples import find_triples

STATED = [
    ("We use PostgreSQL for the larder.", "We uses PostgreSQL"),
    ("The billing service depends on the ledger.", "billing service depends_on ledger"),
    ("Staging runs on hetzner, 8 cores.", "Staging runs_on hetzner"),
    ("The API is deployed to Fly.io since March.", "API deployed_to Fly.io"),
    ("BullMQ was replaced by pg-boss.", "pg-boss replaced BullMQ"),
    ("pg-boss replaced BullMQ in March.", "pg-boss replaced BullMQ"),
    ("Maria owns the import pipeline.", "import pipeline owned_by Maria"),
    ("The import pipeline is owned by Jonas now.", "import pipeline owned_by Jonas"),
    ("The outage was caused by an expired certificate.", "outage caused_by expired certificate"),
    ("An expired certificate caused the outage on Monday.", "outage caused_by expired certificate"),
    ("The leak was fixed by closing the pool.", "leak resolved_by closing the pool"),
    ("The web client talks to the gateway.", "web client integrates_with gateway"),
    ("The user prefers short, plain answers because they read fast.", "user prefers short, plain answers"),
    ("We don't use pandas.", "We avoids pandas"),
    ("Der Importer verwendet PostgreSQL.", "Importer uses PostgreSQL"),
    ("Staging läuft auf Hetzner.", "Staging runs_on Hetzner"),
    ("El servicio usa Redis para la cola.", "servicio uses Redis"),
    ("Le service utilise Redis.", "service uses Redis"),
    ("Staging läuft seit 2025 auf Hetzner.", "Staging runs_on Hetzner"),
    ("Le service tourne sur Hetzner depuis 2025.", "service runs_on Hetzner"),
    ("Il servizio gira su Hetzner dal 2025.", "servizio runs_on Hetzner"),
    ("O serviço roda em Hetzner até março de 2026.", "serviço runs_on Hetzner"),
    ("Since March 2025 the billing service runs on Hetzner.", "billing service runs_on Hetzner"),
]
DATED = [
    ("The job queue moved on 2026-04-02 from Redis to PostgreSQL.", "job queue migrated_to PostgreSQL"),
    ("In March 2026 quenby migrated to Fly.", "quenby migrated_to Fly"),
    ("Redis was replaced in March 2026 by PostgreSQL.", "PostgreSQL replaced Redis"),
    ("Redis wurde am 2. April 2026 durch PostgreSQL ersetzt.", "PostgreSQL replaced Redis"),
    ("PostgreSQL a remplacé Redis en mars 2026.", "PostgreSQL replaced Redis"),
    ("La cola migró el 2 de abril de 2026 de Redis a PostgreSQL.", "cola migrated_to PostgreSQL"),
    ("The API moved to version 2026-04 on 2026-05-02.", "API migrated_to version 2026-04"),
    ("We prefer meetings on Mondays.", "We prefers meetings on Mondays"),
]
SILENT = [
    "We might use Kafka.", "Does the queue use Redis?", "It uses Redis.", "I used to like it.", "Nothing is so.", "",
    "If the queue uses Redis, tell me.", "She had watched four people use the planner.", "use", "replaced by",
]  # fmt: skip


@pytest.mark.parametrize(("text", "stated"), STATED)
def test_a_sentence_states_a_fact(text: str, stated: str) -> None:
    [found] = find_triples(text)
    assert " ".join(found[:3]) == stated and found.quote == text


@pytest.mark.parametrize("predicate", [one for one in PREDICATES if one != "is"])
def test_a_triple_as_capture_writes_it_is_taken(predicate: str) -> None:
    [found] = find_triples(f"- larder {predicate} Heron")
    assert found[:3] == ("larder", predicate, "Heron")


@pytest.mark.parametrize("text", ["- larder depends_on what is not there", "The key depends_on lists services."])
def test_a_sentence_with_a_key_in_it_is_no_triple(text: str) -> None:
    assert list(find_triples(text)) == []


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("Runs on Hetzner.", "pantry runs_on Hetzner"),
        ("Now runs on Hetzner.", "pantry runs_on Hetzner"),
        ("Migrated to Fly.", "pantry migrated_to Fly"),
        ("Owns the importer.", "importer owned_by pantry"),
        ("Was replaced by the larder.", "larder replaced pantry"),
        ("Läuft auf Hetzner.", "pantry runs_on Hetzner"),
        ("The larder runs on Fly.", "larder runs_on Fly"),
    ],
)
def test_a_sentence_without_a_subject_is_about_what_is_given(text: str, stated: str) -> None:
    [found] = find_triples(text, "pantry")
    assert " ".join(found[:3]) == stated


@pytest.mark.parametrize(
    "text",
    ["Use Redis.", "Never use Redis.", "Don’t use Redis.", "Replaced Redis.", "Went with Redis.", "Usamos Redis."],
)
def test_an_order_and_what_we_did_are_not_about_it(text: str) -> None:
    assert list(find_triples(text, "pantry")) == []


@pytest.mark.parametrize("text", SILENT)
def test_what_hedges_asks_or_points_elsewhere_states_none(text: str) -> None:
    assert list(find_triples(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "The job queue moved from Redis to PostgreSQL because Redis lost jobs.",
        "We moved the job queue from Redis to PostgreSQL in May.",
    ],
)
def test_a_move_also_states_what_was_replaced(text: str) -> None:
    found = [" ".join(triple[:3]) for triple in find_triples(text)]
    assert found == ["job queue migrated_to PostgreSQL", "PostgreSQL replaced Redis"]


@pytest.mark.parametrize(("text", "stated"), DATED)
def test_the_day_on_which_something_happened_stands_anywhere_in_its_sentence(text: str, stated: str) -> None:
    assert " ".join(next(find_triples(text))[:3]) == stated


@pytest.mark.parametrize(
    ("text", "within"),
    [
        ("PostgreSQL replaced Redis.", ""),
        ("We replaced Redis with PostgreSQL on 2026-04-02.", ""),
        ("PostgreSQL replaced Redis for good, with no downtime.", ""),
        ("Redis was replaced by PostgreSQL in our wiki.", "wiki"),
        ("In the importer, PostgreSQL replaced Redis in March 2026.", "importer"),
        ("PostgreSQL ersetzte Redis im Importer.", "Importer"),
        ("The larder moved from Redis to PostgreSQL.", "larder"),
        ("We moved the wiki from Redis to PostgreSQL.", "wiki"),
        ("The larder uses PostgreSQL instead of Redis.", "larder"),
    ],
)
def test_what_is_replaced_may_be_so_for_one_thing_alone(text: str, within: str) -> None:
    [found] = [triple for triple in find_triples(text) if triple.predicate == "replaced"]
    assert (found.object, found.within) == ("Redis", within)


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("Am 2. April ersetzte PostgreSQL Redis.", ["PostgreSQL replaced Redis"]),
        ("Heute ersetzt PostgreSQL die Redis-Warteschlange.", ["PostgreSQL replaced Redis-Warteschlange"]),
        ("Im Importer ersetzte PostgreSQL Redis.", ["PostgreSQL replaced Redis"]),
        ("Seit Mai verwendet die Larder-App PostgreSQL.", ["Larder-App uses PostgreSQL"]),
        ("Für den Import nutzt Larder eine Warteschlange in PostgreSQL.", ["Larder uses Warteschlange"]),
        ("Am 2. April ersetzte Amazon RDS Redis.", []),
        ("Inzwischen nutzen wir PostgreSQL.", []),
        ("Am Ende ersetzte es Redis.", []),
    ],
)
def test_the_subject_of_german_may_stand_behind_its_verb(text: str, stated: list[str]) -> None:
    assert [" ".join(triple[:3]) for triple in find_triples(text)] == stated


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    for triple in find_triples(text):
        assert triple.predicate in PREDICATES and triple.subject and triple.object
