"""Short instructions meet the preferences, decisions and pitfalls that govern them, and bring nothing else up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hearth.app import open_folder
from hearth.vault.vault import Vault

HERE = Path(__file__).parent
_ROWS = [row.split("\t") for row in (HERE / "governed.tsv").read_text("utf-8").splitlines() if row[0] != "#"]
_ABROAD = [row.split("\t") for row in (HERE / "governed_abroad.tsv").read_text("utf-8").splitlines() if row[0] != "#"]
_RULES = list(dict.fromkeys((kind, rule) for _, kind, rule, _ in _ABROAD))
_SILENT = (HERE / "ungoverned.txt").read_text("utf-8").splitlines()
_DEALT = 4
# Their words are in a rule all the same.
_SHARE_WORDS = {"shorten this sentence", "what is a merge conflict?"}


def _paths(vault: Vault, text: str, recipe: str) -> list[str]:
    budget = 800 if recipe.startswith("surface") else None
    hits = vault.recall(vault.query(text, recipe=recipe, limit=10, budget_tokens=budget)).hits
    return list(dict.fromkeys(hit.path for hit in hits))


def _open(folder: Path, rules: list[tuple[str, str, str]]) -> Vault:
    """Rules, as (name, kind, text), beside notes that are none."""
    notes = folder / "notes"
    notes.mkdir()
    for name, kind, rule in rules:
        (notes / name).write_text(f"---\ncontent_type: {kind}\n---\n{rule}\n", "utf-8")
    for number in range(20):
        text = f"# Garden {number}\n\nBed {number} wants water; the soil tests come with the install of a pump.\n"
        (notes / f"garden{number}.md").write_text(text, "utf-8")
    made = open_folder(notes, folder / "work")
    made.index.sync()
    return made


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    """All the rules in one."""
    rules = [(f"rule{number:02}.md", kind, rule) for number, (_, kind, rule, _) in enumerate(_ROWS)]
    made = _open(tmp_path_factory.mktemp("rules"), rules)
    yield made
    made.close()


@pytest.fixture(scope="module")
def dealt(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Vault]]:
    """The rules dealt out: three are brought at most, so no vault may hold more that govern one thing."""
    rules = [(f"rule{number:02}.md", kind, rule) for number, (_, kind, rule, _) in enumerate(_ROWS)]
    made = [_open(tmp_path_factory.mktemp(f"dealt{n}"), rules[n::_DEALT]) for n in range(_DEALT)]
    yield made
    for one in made:
        one.close()


@pytest.mark.parametrize("recipe", ["surface", "surface-speed"])
@pytest.mark.parametrize(("part", "most_missed"), [("seen", 1), ("held", 1)])
def test_an_instruction_brings_the_rule_that_governs_it(
    dealt: list[Vault], recipe: str, part: str, most_missed: int
) -> None:
    pairs = [(n, told) for n, (of, _, _, told) in enumerate(_ROWS) if of == part]
    missed = [told for n, told in pairs if f"rule{n:02}.md" not in _paths(dealt[n % _DEALT], told, recipe)[:3]]
    assert len(missed) <= most_missed, missed


@pytest.mark.parametrize("recipe", ["surface", "surface-speed"])
def test_of_many_rules_that_govern_an_instruction_three_are_brought(vault: Vault, recipe: str) -> None:
    for told in ("install lodash", "add numpy to the project", "set up unit tests for the frontend"):
        assert len([path for path in _paths(vault, told, recipe) if path.startswith("rule")]) == 3


def test_a_rule_stands_before_notes_that_share_more_words(tmp_path: Path) -> None:
    vault = _open(tmp_path, [("rule.md", "principle", "Never force-push to main.")])
    for name in ("shorthand", "remote", "branch"):
        text = f"# Push the branch with force, {name}\n\nTo push the branch with force: git push --force {name}.\n"
        (tmp_path / "notes" / f"{name}.md").write_text(text, "utf-8")
    vault.index.sync()
    paths = _paths(vault, "push the branch with force", "surface")
    vault.close()
    assert paths[0] == "rule.md"
    assert len(paths) > 1


def test_the_pairs_are_sixty_and_twenty_of_them_were_held_back() -> None:
    assert [sum(row[0] == part for row in _ROWS) for part in ("seen", "held")] == [40, 20]
    assert len(_SILENT) == 60


@pytest.mark.parametrize("recipe", ["surface", "surface-speed"])
def test_what_no_rule_governs_brings_nothing_up(vault: Vault, recipe: str) -> None:
    assert {text for text in _SILENT if _paths(vault, text, recipe)} <= _SHARE_WORDS


def test_a_note_that_is_no_rule_governs_nothing(vault: Vault) -> None:
    assert not any(path.startswith("garden") for path in _paths(vault, "install lodash", "surface"))


def test_what_runs_or_asks_is_not_governed_by_how_things_are_written(vault: Vault) -> None:
    for text in ("run the tests", "fix the failing test", "why does the install fail?", "what is a commit?"):
        query = vault.query(text, recipe="surface", limit=10, budget_tokens=800, explain=True)
        explained = [hit.explain for hit in vault.recall(query).hits]
        assert not any(score.lane == "rule" for one in explained if one for score in one.lanes), text


@pytest.mark.parametrize(
    ("kind", "text", "told"),
    [
        (
            "decision",
            "Orders live in PostgreSQL. A transaction commits once, and what it committed is never lost.",
            "commit this",
        ),
        ("decision", "We commit to PostgreSQL for the next two years.", "commit this"),
        (
            "preference",
            "Written for our designer, who sends CSS now and then: say which remarks block.",
            "contrast of the text colour",
        ),
        ("preference", "Tests call a real PostgreSQL in a container.", "restore the database to yesterday noon"),
    ],
)
def test_what_is_mentioned_in_passing_or_only_sounds_alike_governs_nothing(
    tmp_path: Path, kind: str, text: str, told: str
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "rule.md").write_text(f"---\ncontent_type: {kind}\n---\n{text}\n", "utf-8")
    (notes / "garden.md").write_text("# Garden\n\nThe bed wants water.\n", "utf-8")
    vault = open_folder(notes, tmp_path / "work")
    vault.index.sync()
    assert _paths(vault, told, "surface") == []
    vault.close()


def test_a_rule_on_commits_governs_them_in_the_repository(vault: Vault) -> None:
    assert "rule01.md" in _paths(vault, "commit this", "surface")


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    """Rules in English beside notes that are none, for whoever speaks another language."""
    folder = tmp_path_factory.mktemp("english")
    notes = folder / "notes"
    notes.mkdir()
    for number, (kind, rule) in enumerate(_RULES):
        (notes / f"rule{number:02}.md").write_text(f"---\ncontent_type: {kind}\n---\n{rule}\n", "utf-8")
    for number in range(30):
        text = f"# Garden {number}\n\nBed {number} wants water; the soil tests come with the install of a pump.\n"
        (notes / f"garden{number}.md").write_text(text, "utf-8")
    made = open_folder(notes, folder / "work")
    made.index.sync()
    yield made
    made.close()


@pytest.mark.parametrize("recipe", ["surface", "surface-speed"])
@pytest.mark.parametrize(("part", "most_missed"), [("seen", 0), ("held", 5)])
def test_an_instruction_in_another_language_meets_the_english_rule(
    english: Vault, recipe: str, part: str, most_missed: int
) -> None:
    pairs = [(_RULES.index((kind, rule)), told) for of, kind, rule, told in _ABROAD if of == part]
    missed = [told for number, told in pairs if f"rule{number:02}.md" not in _paths(english, told, recipe)[:5]]
    assert len(missed) <= most_missed, missed


@pytest.mark.parametrize("recipe", ["surface", "surface-speed"])
@pytest.mark.parametrize(
    "told",
    [
        "ejecuta las pruebas", "corrige el error", "lee el archivo", "muestra los registros", "behebe den Fehler",
        "lies die Datei", "erkläre diesen Code", "starte den Server neu", "corrige l'erreur",
        "explique ce code", "lis le fichier", "relance le serveur", "corrija o erro", "leia o arquivo",
        "wie spät ist es in Tokio?", "¿qué hora es?", "füge Zucker zum Teig hinzu", "añade sal a la sopa",
    ],
)  # fmt: skip
def test_an_instruction_in_another_language_that_no_rule_governs_brings_nothing(
    english: Vault, recipe: str, told: str
) -> None:
    assert _paths(english, told, recipe) == []
