"""Questions about a time, and about the last session: in every recipe, in nine languages, by dates and not by words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from hearth.app import open_folder
from hearth.core.memory import NewMemory, Remembered
from hearth.core.query import Conversation, Recall
from hearth.recall.recall import RECIPES
from hearth.vault.vault import Vault

# A Sunday.
TODAY = date(2026, 11, 22)
ASKED = ("keyword", "semantic", "hybrid")


def at(day: date, hour: int = 9, minute: int = 0) -> int:
    return int(datetime(day.year, day.month, day.day, hour, minute, tzinfo=UTC).timestamp() * 1000)


def remember(diary: Diary, wish: NewMemory) -> Remembered:
    return diary.vault.memories.writer.remember(wish)


class Diary:
    """A vault over a folder of notes, asked at a moment that tests set."""

    def __init__(self, folder: Path) -> None:
        self.notes = folder / "notes"
        self.notes.mkdir()
        self.now = at(TODAY)
        self.vault: Vault = open_folder(self.notes, folder / "work", clock=lambda: self.now)

    def write(self, path: str, text: str) -> None:
        target = self.notes / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")

    def ask(self, text: str, recipe: str = "hybrid", **given: object) -> Recall:
        query = self.vault.query(text, at=self.now, recipe=recipe)
        return self.vault.recall(replace(query, **given))  # type: ignore[arg-type]

    def paths(self, text: str, recipe: str = "hybrid", **given: object) -> list[str]:
        return list(dict.fromkeys(hit.path for hit in self.ask(text, recipe, **given).hits))


def _fill(diary: Diary) -> None:
    done = ("Pruned the apple trees.", "Paid the water bill.", "Repaired the bicycle.", "Baked rye bread.")
    for back in range(60):
        day = TODAY - timedelta(days=back)
        if day != date(2026, 11, 10):
            diary.write(f"daily/{day}.md", f"# {day}\n\n{done[back % 4]}\n\n## Evening\n\nRead chapter {back}.\n")
    diary.write("yesterday.md", "# Yesterday\n\nWhat did I do yesterday? A song about yesterday and last Thursday.\n")
    diary.write("march.md", "# The march\n\nWe march on in March, as we did last year in March.\n")
    diary.write("trip.md", "---\ndate: 2026-03-14\n---\n# Trip to Porto\n\nWalked along the river.\n")
    diary.write("novel.md", "---\ndate: 2127-01-01\n---\n# A novel\n\nIt plays in the future, yesterday and today.\n")
    diary.vault.index.sync()


@pytest.fixture(scope="module")
def diary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Diary]:
    made = Diary(tmp_path_factory.mktemp("diary"))
    _fill(made)
    yield made
    made.vault.close()


YESTERDAY = "daily/2026-11-21.md"
THURSDAY = "daily/2026-11-19.md"


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("yesterday", YESTERDAY),
        ("what did I do last Thursday", THURSDAY),
        ("¿qué hablamos ayer?", YESTERDAY),
        ("2026-11-21", YESTERDAY),
        ("in March", "trip.md"),
    ],
)
def test_a_question_about_a_time_alone_has_what_is_of_it_and_nothing_else(
    diary: Diary, recipe: str, text: str, path: str
) -> None:
    found = diary.ask(text, recipe)
    assert {hit.path for hit in found.hits} == {path}
    assert found.confident


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("Was haben wir gestern besprochen?", YESTERDAY),
        ("Was habe ich letzten Donnerstag gemacht?", THURSDAY),
        ("Qu'avons-nous fait hier ?", YESTERDAY),
        ("Qu'est-ce que j'ai fait jeudi dernier ?", THURSDAY),
        ("Cosa abbiamo fatto ieri?", YESTERDAY),
        ("Di cosa abbiamo parlato giovedì scorso?", THURSDAY),
        ("O que fizemos ontem?", YESTERDAY),
        ("O que fiz na quinta-feira passada?", THURSDAY),
        ("Wat hebben we gisteren gedaan?", YESTERDAY),
        ("Wat deed ik afgelopen donderdag?", THURSDAY),
        ("Что мы делали вчера?", YESTERDAY),
        ("Что я делал в прошлый четверг?", THURSDAY),
        ("Vad gjorde vi igår?", YESTERDAY),
        ("Vad gjorde jag i torsdags?", THURSDAY),
        ("¿Qué hice el jueves pasado?", THURSDAY),
        ("notes of 19 November 2026", THURSDAY),
        ("Notizen vom 19.11.2026", THURSDAY),
        ("le 19 novembre", THURSDAY),
    ],
)
def test_a_time_is_understood_in_nine_languages(diary: Diary, text: str, path: str) -> None:
    assert diary.paths(text) == [path]


@pytest.mark.parametrize("recipe", ASKED)
def test_of_what_answers_as_well_that_of_the_time_comes_first(diary: Diary, recipe: str) -> None:
    paths = diary.paths("did I bake rye bread last Thursday", recipe)
    assert paths[0] == THURSDAY
    assert len(paths) > 1


@pytest.mark.parametrize("recipe", ["keyword", "hybrid"])
def test_a_note_that_merely_bears_the_date_stands_behind_what_answers(diary: Diary, recipe: str) -> None:
    found = diary.ask("was the bicycle repaired last Thursday?", recipe).hits
    assert "bicycle" in found[0].text and found[0].path != THURSDAY
    assert found[1].path == THURSDAY


def test_of_the_time_what_answers_best_comes_first(diary: Diary) -> None:
    baked = {"daily/2026-11-11.md", "daily/2026-11-15.md"}
    assert diary.paths("which days did I bake rye bread last week")[0] in baked


@pytest.mark.parametrize("recipe", ASKED)
@pytest.mark.parametrize("text", ["2026-11-10", "what did I do on 10 November 2026?", "¿qué hice el 10 de noviembre?"])
def test_a_day_without_a_note_says_so_and_offers_the_nearest(diary: Diary, recipe: str, text: str) -> None:
    found = diary.ask(text, recipe)
    assert not found.confident
    assert found.reason is not None and found.reason.startswith("nothing is dated")
    assert {hit.path for hit in found.hits} == {"daily/2026-11-09.md", "daily/2026-11-11.md"}


def test_a_day_without_a_note_brings_nothing_unasked(diary: Diary) -> None:
    assert not diary.ask("what did I do on 2026-11-10", "surface").hits


def test_another_date_is_no_answer_to_a_question_about_something_on_a_day(diary: Diary) -> None:
    found = diary.ask("water bill 2026-11-10")
    assert not found.confident
    assert "nothing is dated 2026-11-10" in (found.reason or "")


def test_a_note_that_names_the_date_answers_where_none_is_dated_so(diary: Diary, tmp_path: Path) -> None:
    own = Diary(tmp_path)
    own.write("tax.md", "# Tax\n\nThe return is due on 2026-12-01.\n")
    own.write("other.md", "# Other\n\nSomething else is due on 2026-12-11.\n")
    own.vault.index.sync()
    assert own.paths("2026-12-01") == ["tax.md"]
    own.vault.close()


def test_what_is_asked_since_a_day_reaches_to_the_present(diary: Diary) -> None:
    assert set(diary.paths("what did I do since Thursday")) == {f"daily/2026-11-{day}.md" for day in (19, 20, 21, 22)}


def test_a_filter_holds_for_a_question_about_a_time(diary: Diary) -> None:
    assert diary.paths("yesterday", paths=("trip.md",)) == ["trip.md"]
    assert not diary.ask("yesterday", paths=("trip.md",)).confident


def test_a_command_with_a_time_in_it_brings_no_note_of_that_time(diary: Diary) -> None:
    assert diary.paths("deploy the release today", "surface") == []
    assert diary.paths("fix this before tomorrow", "surface") == []


ZONES = (
    "Pacific/Kiritimati",
    "Pacific/Auckland",
    "Asia/Kolkata",
    "Europe/Berlin",
    "UTC",
    "America/New_York",
    "Etc/GMT+12",
)


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("minute", [-1, 0, 1])
def test_at_midnight_yesterday_is_the_day_that_ended(diary: Diary, zone: str, minute: int) -> None:
    from zoneinfo import ZoneInfo

    midnight = datetime(2026, 11, 20, tzinfo=ZoneInfo(zone)) + timedelta(minutes=minute)
    ended = date(2026, 11, 19) if minute >= 0 else date(2026, 11, 18)
    moment = int(midnight.timestamp() * 1000)
    assert diary.paths("what did I do yesterday", at=moment, zone=zone) == [f"daily/{ended}.md"]


@pytest.mark.parametrize("count", [500, pytest.param(10_000, marks=pytest.mark.torture)])
def test_of_many_daily_notes_yesterdays_is_found(tmp_path: Path, count: int) -> None:
    own = Diary(tmp_path)
    for back in range(count):
        own.write(f"{TODAY - timedelta(days=back)}.md", f"Note {back}: what did I do yesterday and today.\n")
    own.vault.index.sync()
    for recipe in ("keyword", "hybrid", "surface"):
        assert own.paths("yesterday", recipe) == ["2026-11-21.md"]
        assert own.paths("what did I do yesterday?", recipe) == ["2026-11-21.md"]
    assert own.paths("in January 2026", limit=3)[0].startswith("2026-01-")
    own.vault.close()


# -- the last session -------------------------------------------------------------------------------------------------


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Diary]:
    made = Diary(tmp_path)
    made.write("left.md", "# Where we left the car\n\nWe left the car where we were last time, at the station.\n")
    made.vault.index.sync()
    for back, text in (
        (3, "Chose Redis for the queue; the consumer is not written."),
        (1, "Tests of the parser fail."),
    ):
        made.now = at(TODAY - timedelta(days=back))
        wish = NewMemory(text, content_type="handoff", title=f"Hand-off {back}", session=f"s{back}")
        made.vault.sessions.handed_off(f"s{back}", remember(made, wish).docid)
    made.now = at(TODAY)
    yield made
    made.vault.close()


# An outline tells in the order of time, so its first line is the oldest.
@pytest.mark.parametrize("recipe", sorted(set(RECIPES) - {"outline"}))
@pytest.mark.parametrize(
    "text",
    [
        "where were we?",
        "last session",
        "where did we leave off?",
        "what's the last thing we worked on?",
        "¿qué es lo último que hicimos?",
        "was haben wir zuletzt gemacht?",
        "quelle est la dernière chose que nous avons faite ?",
        "¿dónde lo dejamos?",
        "wo waren wir stehen geblieben?",
        "où en étions-nous ?",
        "dove eravamo rimasti?",
        "onde paramos?",
        "waar waren we gebleven?",
        "на чём мы остановились?",
        "var slutade vi?",
    ],
)
def test_where_we_were_is_what_the_last_session_handed_on(log: Diary, recipe: str, text: str) -> None:
    found = log.ask(text, recipe)
    assert found.hits[0].title == "Hand-off 1"
    assert "left.md" not in {hit.path for hit in found.hits}
    assert found.confident


def test_the_session_under_way_is_not_the_last_one(log: Diary) -> None:
    here = Conversation(session="s1", other_projects=True)
    assert log.ask("where were we?", "surface", conversation=here).hits[0].title == "Hand-off 3"


def test_the_hand_off_of_another_project_is_not_ours(log: Diary) -> None:
    wish = NewMemory("The shop.", content_type="handoff", title="Shop", session="s9", scope="project", project="a/shop")
    remember(log, wish)
    here = Conversation(project="https/b/garden")
    assert "Shop" not in {hit.title for hit in log.ask("where were we?", "surface", conversation=here).hits}
    assert "Shop" in {hit.title for hit in log.ask("where were we?").hits}


def test_without_any_session_the_notes_are_searched_as_for_any_question(diary: Diary) -> None:
    assert diary.ask("where were we?").hits


def test_a_time_that_something_is_brought_to_finds_how_that_is_done(tmp_path: Path) -> None:
    diary = Diary(tmp_path)
    diary.write(
        "restore.md", "---\ndate: 2025-03-01\n---\n# Restore\n\nTo restore the database, run the dump backwards.\n"
    )
    diary.write("2026-11-21.md", "# Notes\n\nWalked to the lake.\n")
    diary.vault.index.sync()
    found = diary.ask("restore the database to yesterday noon")
    assert found.hits[0].path == "restore.md"
    assert found.confident


@pytest.fixture
def databases(tmp_path: Path) -> Diary:
    diary = Diary(tmp_path)
    diary.write(
        "old.md", "---\ndate: 2026-01-10\ncontent_type: decision\n---\n# Database\n\nThe database is MongoDB.\n"
    )
    diary.write(
        "new.md",
        "---\ndate: 2026-09-01\ncontent_type: decision\nsupersedes: old.md\n---\n"
        "# Database\n\nThe database is PostgreSQL.\n",
    )
    diary.write("2026-06-03.md", "# Notes\n\nBought apples.\n")
    diary.vault.index.sync()
    return diary


def test_a_question_about_a_past_time_has_what_was_true_then(databases: Diary) -> None:
    for text in ("which database did we have in June 2026?", "which database was it back in March 2026?"):
        found = databases.ask(text)
        assert found.hits[0].path == "old.md", text
        assert found.confident, text
    for text in ("which database do we have?", "which database did we have in October 2026?"):
        assert databases.ask(text).hits[0].path == "new.md", text


def test_a_past_time_hides_nothing_and_shows_nothing_that_was_over_by_then(databases: Diary) -> None:
    assert "new.md" in databases.paths("which database did we have in June 2026?")
    assert "old.md" not in databases.paths("which database did we have in October 2026?")
    assert databases.paths("what did I do on 3 June 2026?")[0] == "2026-06-03.md"


def test_what_was_true_is_told_of_months_that_it_was_true_in(tmp_path: Path) -> None:
    made = Diary(tmp_path)
    made.write("old.md", "---\ndate: 2026-03-01\ncontent_type: decision\n---\n# Database\n\nThe database is MongoDB.\n")
    made.write(
        "new.md",
        "---\ndate: 2026-06-01\ncontent_type: decision\nsupersedes: old.md\n---\n"
        "# Database\n\nThe database is PostgreSQL.\n",
    )
    made.vault.index.sync()
    held = {
        month: "old.md" in made.paths(f"which database did we have in {month} 2026?")
        for month in ("February", "March", "June", "July")
    }
    assert held == {"February": False, "March": True, "June": True, "July": False}  # June began with it
    assert "old.md" in made.paths("which database did we have in February 2026, and in April 2026?")
    made.vault.close()


def test_an_undated_text_that_names_the_time_answers_what_happened_then(tmp_path: Path) -> None:
    made = Diary(tmp_path)
    made.write("bridge.md", "# The bridge\n\nThe mayor opened the swing bridge over the Tyne in 1981.\n")
    made.write("mill.md", "# The mill\n\nThe mayor opened the mill.\n")
    made.vault.index.sync()
    answer = made.ask("What did the mayor open over the Tyne in 1981?")
    assert (answer.hits[0].path, answer.confident, answer.reason) == ("bridge.md", True, None)
    answer = made.ask("What did the mayor open over the Tyne in 1982?")
    assert (answer.confident, answer.reason) == (False, "nothing is dated in 1982")
    assert not made.ask("what did I do in 1981?").confident
    made.vault.close()
