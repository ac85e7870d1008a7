"""What is known of a name: from memories and from fields, with the time for which it holds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hearth.app import compose, settings
from hearth.core.errors import UsageError
from hearth.core.memory import NewMemory
from hearth.graph.facts import MOST_READ, FactsView, find_facts
from hearth.vault.vault import Vault

DAY = 86_400_000
START = 1_772_000_000_000
START_OF_FEBRUARY = 1_769_904_000_000
START_OF_JUNE, END_OF_SEPTEMBER = 1_748_736_000_000, 1_759_276_800_000


@pytest.fixture
def clock() -> list[int]:
    return [START]


@pytest.fixture
def vault(tmp_path: Path, clock: list[int]) -> Iterator[Vault]:
    notes, clips = tmp_path / "notes", tmp_path / "clips"
    for folder in (notes, clips, tmp_path / "config"):
        folder.mkdir()
    (notes / "importer.md").write_text(
        "---\nowner: Ines\nuses: [polars, DuckDB]\n---\n\n# Importer\n\nReads CSV.\n", "utf-8"
    )
    (notes / "prose.md").write_text("# Prose\n\nThe larder uses Kafka.\n", "utf-8")
    (clips / "clip.md").write_text("---\nowner: Mallory\n---\n\n# Importer\n\nReads CSV.\n", "utf-8")
    folders = {f"HEARTH_{name.upper()}_DIR": str(tmp_path / name) for name in ("config", "data", "cache", "state")}
    config = f"collections:\n  notes: {{path: {notes}}}\n  clips: {{path: {clips}, trust: external}}\n"
    (tmp_path / "config" / "config.yaml").write_text(config, "utf-8")
    with compose(settings(environ=folders), lambda: clock[0]) as opened:
        opened.index.sync()
        yield opened


def told(view: FactsView) -> list[str]:
    return [" ".join((fact.subject, fact.predicate, fact.object)) for fact in view.facts]


def test_what_replaced_something_ends_what_was_said_of_it(vault: Vault, clock: list[int]) -> None:
    vault.memories.remember("The job queue runs on Redis.", "fact")
    clock[0] += DAY
    vault.memories.remember("The job queue moved from Redis to PostgreSQL, since Redis lost jobs.", "decision")
    found = find_facts(vault, "job queue")
    assert told(found) == ["job queue migrated_to PostgreSQL", "job queue runs_on Redis"]
    assert [fact.valid_to for fact in found.facts] == [None, START + DAY]
    assert told(find_facts(vault, "JOB QUEUE", as_of=START)) == ["job queue runs_on Redis"]
    assert told(find_facts(vault, "redis", direction="incoming", predicate="replaced")) == ["PostgreSQL replaced Redis"]
    before = find_facts(vault, "job queue", as_of=START - DAY)
    assert (before.facts, before.known, before.candidates) == ((), 2, ())


def test_what_ran_there_before_and_returns_holds_again(vault: Vault, clock: list[int]) -> None:
    for host in ("Hetzner", "Fly", "Hetzner"):
        said = NewMemory(f"Ana wrote {clock[0]} lines of tests that day. Staging runs on {host}.", "milestone")
        vault.memories.writer.remember(said)
        clock[0] += DAY
    held = [told(find_facts(vault, "staging", as_of=START + day * DAY)) for day in range(4)]
    assert held == [[f"Staging runs_on {host}"] for host in ("Hetzner", "Fly", "Hetzner", "Hetzner")]


def test_a_memory_that_is_said_again_in_the_same_words_holds_again(vault: Vault, clock: list[int]) -> None:
    for host in ("Hetzner", "Fly", "Hetzner", "Hetzner"):
        done = vault.memories.remember(f"Staging runs on {host}.", "fact")
        clock[0] += DAY
    assert done.action == "duplicate"
    held = [told(find_facts(vault, "staging", as_of=START + day * DAY)) for day in range(5)]
    assert held == [[f"Staging runs_on {host}"] for host in ("Hetzner", "Fly", "Hetzner", "Hetzner", "Hetzner")]
    spans = [(fact.object, fact.valid_from, fact.valid_to) for fact in find_facts(vault, "staging").facts]
    assert spans == [
        ("Hetzner", START + 2 * DAY, None), ("Fly", START + DAY, START + 2 * DAY), ("Hetzner", START, START + DAY),
    ]  # fmt: skip
    vault.index.reindex(force=True)
    assert spans == [(fact.object, fact.valid_from, fact.valid_to) for fact in find_facts(vault, "staging").facts]


def test_a_fact_holds_since_and_until_its_sentence_says_so(vault: Vault) -> None:
    vault.memories.remember("The larder uses DuckDB since 2025-06-01 until 2025-09-30.", "fact")
    [fact] = find_facts(vault, "larder").facts
    assert (fact.valid_from, fact.valid_to) == (START_OF_JUNE, END_OF_SEPTEMBER)
    assert told(find_facts(vault, "larder", as_of=START_OF_JUNE)) == ["larder uses DuckDB"]
    assert told(find_facts(vault, "larder", as_of=START_OF_JUNE - 1)) == []
    assert told(find_facts(vault, "larder", as_of=END_OF_SEPTEMBER)) == []


def test_fields_of_notes_state_facts_their_prose_those_of_two_names_and_what_is_external_nothing(
    vault: Vault, tmp_path: Path
) -> None:
    found = find_facts(vault, "Importer")
    assert sorted(told(found)) == ["Importer owned_by Ines", "Importer uses DuckDB", "Importer uses polars"]
    assert {fact.confidence for fact in found.facts} == {0.6}
    assert told(find_facts(vault, "Kafka")) == told(find_facts(vault, "Mallory")) == []
    said = "# Billing\n\n{} Our Billing uses RabbitMQ since 2025-06-01, and the cellar uses Kafka.\n"
    (tmp_path / "notes" / "billing.md").write_text(said.format("It is slow."), "utf-8")
    (tmp_path / "clips" / "queue.md").write_text(said.format("Our Till uses RabbitMQ."), "utf-8")
    vault.index.sync()
    [fact] = find_facts(vault, "RabbitMQ").facts
    assert (told(find_facts(vault, "RabbitMQ")), fact.confidence) == (["Billing uses RabbitMQ"], 0.6)
    assert (fact.path, fact.line, fact.valid_from) == ("billing.md", 3, START_OF_JUNE)
    assert told(find_facts(vault, "Kafka")) == []


def test_a_name_that_begins_a_sentence_is_known_by_another_passage_of_its_note(vault: Vault, tmp_path: Path) -> None:
    filler = "\n\n".join(f"Line {number} says little that anybody asks for, again and again." for number in range(200))
    text = f"# Highlights\n\nColours in Obsidian differ.\n\n{filler}\n\n## Code\n\nObsidian uses Prism for code.\n"
    (tmp_path / "notes" / "highlights.md").write_text(text, "utf-8")
    vault.index.sync()
    assert told(find_facts(vault, "Prism")) == ["Obsidian uses Prism"]


def test_a_field_counts_though_the_text_holds_the_name_too(vault: Vault, tmp_path: Path) -> None:
    (tmp_path / "notes" / "report.md").write_text(
        "---\nuses: polars\n---\n\n# Report\n\nSlow since polars 2.\n", "utf-8"
    )
    vault.index.sync()
    found = find_facts(vault, "polars", direction="incoming")
    assert sorted(told(found)) == ["Importer uses polars", "Report uses polars"]


def test_fields_of_a_note_whose_text_never_holds_its_name_count(vault: Vault, tmp_path: Path) -> None:
    (tmp_path / "notes" / "exporter.md").write_text("---\nowner: Jonas\n---\n\nWrites CSV.\n", "utf-8")
    (tmp_path / "clips" / "exporter.md").write_text("---\nowner: Mallory\n---\n\nWrites CSV.\n", "utf-8")
    vault.index.sync()
    assert told(find_facts(vault, "exporter")) == ["exporter owned_by Jonas"]


def test_what_a_memory_says_without_a_subject_is_a_fact_of_its_subject_once(vault: Vault, clock: list[int]) -> None:
    remember = vault.memories.writer.remember
    remember(NewMemory("Runs on Hetzner.", "fact", subject="staging"))
    clock[0] += DAY
    remember(NewMemory("Staging runs on Fly. It uses Caddy. Avoid downtime!", "fact", subject="staging"))
    found = find_facts(vault, "staging")
    assert told(found) == ["Staging runs_on Fly", "staging runs_on Hetzner"]
    assert [(fact.valid_from, fact.valid_to) for fact in found.facts] == [(START + DAY, None), (START, START + DAY)]
    assert told(find_facts(vault, "hetzner")) == ["staging runs_on Hetzner"]


def test_the_file_of_an_entity_states_facts_of_it_since_their_lines_until_they_end(
    vault: Vault, tmp_path: Path
) -> None:
    for text in ("Uses Emacs.", "Ines Aldana prefers tea.", "Lives in Crestmoor."):
        vault.memories.writer.remember(NewMemory(text, "entity", subject="Ines Aldana", tags=("person",)))
    [path] = Path(vault.memories.writer.memories.root, "user", "entities").iterdir()
    text = path.read_text("utf-8").replace("Emacs. (agent)", "Emacs. (agent, until 2025-09-30)")
    path.write_text(text.replace("- 2026-02-25 Uses", "- 2025-06-01 Uses") + "- 2025-06-01 Is on leave.\n", "utf-8")
    vault.index.sync()
    tea, emacs = find_facts(vault, "Ines Aldana").facts
    assert (told(find_facts(vault, "emacs")), tea.object) == (["Ines Aldana uses Emacs"], "tea")
    assert (emacs.valid_from, emacs.valid_to) == (START_OF_JUNE, END_OF_SEPTEMBER)
    assert (emacs.quote, path.read_text("utf-8").split("\n")[emacs.line - 1][:23]) == (
        "Uses Emacs.",
        "- 2025-06-01 Uses Emacs",
    )


def test_of_one_document_fifty_facts_count_of_an_entity_the_newest_and_the_rest_is_told(
    vault: Vault, tmp_path: Path
) -> None:
    tools = ", ".join(f"Tool{number:02}" for number in range(51))
    (tmp_path / "notes" / "workshop.md").write_text(f"---\nuses: [{tools}]\n---\n\n# Workshop\n", "utf-8")
    vault.memories.writer.remember(NewMemory("Uses Emacs.", "entity", subject="Ines Aldana", tags=("person",)))
    [path] = Path(vault.memories.writer.memories.root, "user", "entities").iterdir()
    lines = "".join(f"- 2025-{1 + n // 56:02}-{1 + n // 2 % 28:02} Uses Tool{n:02}.\n" for n in range(60))
    path.write_text(path.read_text("utf-8") + lines, "utf-8")
    vault.index.sync()
    found = find_facts(vault, "Workshop", limit=100)
    assert (len(found.facts), found.known, found.left_out) == (50, 50, 1)
    assert found.to_dict()["left_out"] == 1
    known = find_facts(vault, "Ines Aldana", limit=100)
    assert known.left_out == 11
    assert {fact.object for fact in known.facts} == {"Emacs", *(f"Tool{n:02}" for n in range(11, 60))}
    assert find_facts(vault, "Tool00").left_out == 0


def test_what_is_remembered_of_a_name_does_not_drown_in_notes_that_mention_it(vault: Vault, tmp_path: Path) -> None:
    vault.memories.remember("The larder uses SQLite.", "note")
    notes = tmp_path / "notes"
    vault.index.sync()
    assert (told(found := find_facts(vault, "larder")), found.truncated) == (["larder uses SQLite"], False)
    for number in range(MOST_READ + 1):
        (notes / f"day{number}.md").write_text(f"# The larder\n\nSwept the larder {number} times.\n", "utf-8")
    vault.index.sync()
    assert (told(found := find_facts(vault, "larder")), found.truncated) == (["larder uses SQLite"], True)


def test_notes_that_are_only_called_so_take_no_passage_from_those_that_hold_the_name(
    vault: Vault, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    for number in range(MOST_READ + 1):
        (notes / f"larder {number}.md").write_text(f"Swept it {number} times.\n", "utf-8")
    (notes / "river.md").write_text("Then they said that Larder uses SQLite.\n", "utf-8")
    vault.index.sync()
    found = find_facts(vault, "Larder")
    assert (told(found), found.truncated) == (["Larder uses SQLite"], False)


def test_a_name_of_which_nothing_is_known_gets_those_beside_it(vault: Vault) -> None:
    vault.memories.remember("Decided with Ada: the larder uses SQLite.", "decision")
    assert find_facts(vault, "Ada").candidates == ("larder",)


def test_a_name_that_nothing_goes_by_gets_those_like_it(vault: Vault) -> None:
    vault.memories.remember("Signed off by Ines Aldana: the larder runs on SQLite.", "decision")
    vault.graph.names().run()
    assert find_facts(vault, "Inez Aldana").alike == find_facts(vault, "Aldan").alike == ("Ines Aldana",)
    assert find_facts(vault, "Bartholomew").alike == ()


@pytest.mark.parametrize("given", [{"predicate": "likes"}, {"direction": "up"}])
def test_what_there_is_not_is_refused(vault: Vault, given: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        find_facts(vault, "larder", **given)
    with pytest.raises(UsageError):
        find_facts(vault, "…")


def test_each_field_of_a_head_is_read_as_its_yaml_says_and_names_its_line(vault: Vault, tmp_path: Path) -> None:
    head = [
        "---", "owner: Ana Ruiz", "tags:", "  - infra", "uses:", "  - polars  # for tables",
        "  - '[[tools/DuckDB|DuckDB]]'",
        'depends_on: [Etcd, "[[quenby]]"]', 'runs_on: "Hetzner, Falkenstein" # the second', "---", "", "# Turnpike", "",
        "Opens at dawn.", "",
    ]  # fmt: skip
    (tmp_path / "notes" / "turnpike.md").write_text("\n".join(head), "utf-8")
    vault.index.sync()
    found = find_facts(vault, "Turnpike")
    assert sorted((" ".join((one.predicate, one.object)), one.line) for one in found.facts) == [
        ("depends_on Etcd", 8),
        ("depends_on quenby", 8),
        ("owned_by Ana Ruiz", 2),
        ("runs_on Hetzner, Falkenstein", 9),
        ("uses DuckDB", 7),
        ("uses polars", 6),
    ]


def test_what_was_over_when_it_was_said_ends_nothing_that_is_so_now(vault: Vault, clock: list[int]) -> None:
    vault.memories.remember("The job queue is owned by Ana Ruiz until 2026-02-01", "fact")
    clock[0] += DAY
    vault.memories.remember("Tom Beck owns the job queue since 2026-02-01", "fact")
    tom, ana = find_facts(vault, "job queue").facts
    assert [(one.object, one.valid_from, one.valid_to) for one in (tom, ana)] == [
        ("Tom Beck", START_OF_FEBRUARY, None),
        ("Ana Ruiz", None, START_OF_FEBRUARY + DAY),
    ]
    assert told(find_facts(vault, "job queue", as_of=START)) == ["job queue owned_by Tom Beck"]
    assert told(find_facts(vault, "job queue", as_of=START_OF_FEBRUARY - 1)) == ["job queue owned_by Ana Ruiz"]


def test_a_move_ends_nothing_of_what_stays_where_it_is(vault: Vault, clock: list[int]) -> None:
    vault.memories.remember("The job queue uses Redis.", "fact")
    vault.memories.remember("Quenby depends on Redis.", "fact")
    clock[0] += DAY
    vault.memories.remember("The job queue moved from Redis to PostgreSQL.", "decision")
    held = ["Quenby depends_on Redis", "PostgreSQL replaced Redis"]
    assert sorted(told(find_facts(vault, "Redis", as_of=clock[0]))) == sorted(held)
    clock[0] += DAY
    vault.memories.remember("PostgreSQL replaced Redis.", "decision")
    assert set(told(find_facts(vault, "Redis", as_of=clock[0]))) == {"PostgreSQL replaced Redis"}


@pytest.mark.parametrize("known", ["before the move", "after the move"])
def test_what_happened_on_a_day_counts_from_that_day(vault: Vault, clock: list[int], known: str) -> None:
    if known == "before the move":
        clock[0] = START_OF_FEBRUARY - DAY
    vault.memories.remember("The job queue runs on Redis.", "fact")
    clock[0] = START + DAY
    vault.memories.remember("The job queue moved on 2026-02-01 from Redis to PostgreSQL.", "decision")
    runs, moved = ["job queue runs_on Redis"], ["job queue migrated_to PostgreSQL"]
    days = (START_OF_FEBRUARY - 1, START_OF_FEBRUARY, START, clock[0])
    assert [told(find_facts(vault, "job queue", as_of=day)) for day in days] == [runs, moved, moved, moved]


@pytest.mark.parametrize("asked", ["job queues", "jobqueue", "job-queu", "job qeue"])
def test_a_name_of_which_nothing_is_known_gets_those_like_it_of_which_something_is(vault: Vault, asked: str) -> None:
    vault.memories.remember("The job queue runs on Redis.", "fact")
    vault.memories.remember("Ana bakes bread on Sundays.", "fact")
    assert find_facts(vault, asked).candidates[:1] == ("job queue",)
    assert find_facts(vault, "bread").candidates == ()


def test_objects_of_facts_and_subjects_of_fields_are_candidates(vault: Vault) -> None:
    vault.memories.remember("The larder uses Post Gres.", "fact")
    assert find_facts(vault, "PostGres").candidates == ("Post Gres",)
    assert find_facts(vault, "duckbd").candidates == ("DuckDB",)
    assert find_facts(vault, "Importr").candidates == ("Importer",)


def test_a_note_says_what_a_name_is_in_a_sentence_that_begins_with_it(vault: Vault, tmp_path: Path) -> None:
    said = (
        "Karpenter is a tool that scales clusters.\n\nMaybe Karpenter is a bird. Is Karpenter the right one?\n\n"
        "What Karpenter does is a riddle. Karpenter is not a queue, and Karpenter is slow.\n"
    )
    (tmp_path / "notes" / "karpenter.md").write_text(f"# Scaling\n\n{said}", "utf-8")
    vault.index.sync()
    [fact] = find_facts(vault, "Karpenter").facts
    assert (fact.predicate, fact.object, fact.line) == ("is", "tool that scales clusters", 3)
