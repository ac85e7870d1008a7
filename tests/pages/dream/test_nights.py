"""What nights must withstand: other machines, clocks that jump, pages that people lock, fill and delete, and a kill at
every step."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.pages.dream.test_dreamer import PORT, QUESTIONS, night, page, use, used
from tests.torture import Part, torture
from tests.truth.home import Home

from hearth.core import subjects
from hearth.core.instants import DAY_MS, show_date, zone_of
from hearth.core.journal import Draft
from hearth.pages.dream import memory_md as pages
from hearth.pages.dream import report
from hearth.pages.dream.fragments import blocks
from hearth.pages.dream.pages import DreamPages
from hearth.pages.dream.plan import promotions

KILN = "The kiln of the pottery is fired on Tuesdays with beech."


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return Home(tmp_path_factory.mktemp("home") / "home")


def confirm(home: Home, docid: str, text: str, days: int = 3) -> None:
    """As answers of the last days would have."""
    [block] = blocks(text)
    now = home.clock()
    drafts = []
    for back in range(days):
        on = show_date(now - back * DAY_MS, zone_of("UTC"))
        told = {"session": f"s{back}", "turn": "t", "blocks": [[docid, block.hash]], "on": on, "asked": f"q{back}"}
        drafts.append(Draft("referenced", docid, data=told))
    home.vault.dream.history.record(drafts)


def writer(home: Home) -> str | None:
    home.vault.dream.history.replay()
    return home.vault.dream.status().writer


# -- machines -------------------------------------------------------------------------------------------------------


def test_of_two_machines_the_one_that_dreamt_first_writes_and_uses_of_both_count(
    home: Home, tmp_path_factory: pytest.TempPathFactory
) -> None:
    docid = home.remember(PORT, "fact")
    other = Home(tmp_path_factory.mktemp("other") / "other", share=home)
    other.clock.ms = home.clock.ms
    for number, question in enumerate(QUESTIONS):
        at = (home, other)[number % 2]
        at.clock.ms = home.clock.ms = other.clock.ms = max(home.clock.ms, other.clock.ms)
        use(at, docid, question, PORT)
    home.clock.ms = other.clock.ms = max(home.clock.ms, other.clock.ms)
    assert [one.fragment.text for one in night(home).put] == [PORT]
    before = page(home).read_bytes()
    other.clock.advance(days=1)
    done = night(other)
    assert done.problem is not None and home.vault.dream.machine in done.problem
    assert not other.vault.dream.due() and page(home).read_bytes() == before
    taken = night(other, take_over=True)
    assert taken.problem is None and taken.put == ()
    home.clock.advance(days=2)
    refused = night(home)
    assert refused.problem is not None and other.vault.dream.machine in refused.problem
    text = page(home).read_text()
    assert text.count(PORT) == 1 and text.count("hearth:dream machine=") == 1


def test_a_machine_that_only_records_leaves_the_night_to_the_one_that_writes(
    home: Home, tmp_path_factory: pytest.TempPathFactory
) -> None:
    used(home)
    night(home)
    other = Home(tmp_path_factory.mktemp("other") / "other", share=home)
    docid = home.remember(KILN, "fact")
    for number in range(3):
        use(home, docid, f"when is the kiln fired {number}", KILN)
    other.clock.ms = home.clock.ms
    told = page(home).with_name("DREAMS.md").read_bytes()
    done = night(other)
    assert done.problem is not None and not done.applied and done.put == ()
    assert page(home).with_name("DREAMS.md").read_bytes() == told
    assert home.vault.dream.due()
    assert [one.fragment.text for one in night(home).put] == [KILN]


def test_of_two_machines_that_dreamt_apart_the_last_one_writes(tmp_path: Path) -> None:
    first, other = Home(tmp_path / "a"), Home(tmp_path / "b")
    for one, text, question in ((first, PORT, "which port is it"), (other, KILN, "when is it fired")):
        docid = one.remember(text, "fact")
        for number in range(3):
            use(one, docid, f"{question} {number}", text)
    other.clock.advance(days=1)
    assert night(first).put and night(other).put
    for one in (first, other):  # both journals are there now, and the page of one
        journals = Path(one.data) / "default" / "journal"
        for file in (Path((other if one is first else first).data) / "default" / "journal").glob("*.jsonl"):
            shutil.copy(file, journals / file.name)
    page(other).write_bytes(page(first).read_bytes())
    assert writer(first) == writer(other) == other.vault.dream.machine
    first.clock.advance(days=3)
    other.clock.advance(days=2)
    before = page(first).read_bytes()
    assert night(first).problem is not None and page(first).read_bytes() == before
    assert night(other).problem is None
    text = page(other).read_text()
    assert text.count("hearth:dream machine=") == 1 and text.count(PORT) == 1


# -- sources --------------------------------------------------------------------------------------------------------


def test_a_source_that_moves_keeps_its_item_and_takes_it_along_when_it_is_forgotten(home: Home) -> None:
    home.configure(collections="    dream: true\n")
    home.write("a.md", f"# Harbour\n\n{PORT}\n")
    [stored] = home.vault.documents()
    for question in QUESTIONS:
        use(home, stored.document.docid, question, PORT)
    assert night(home).put
    (home.notes / "a.md").rename(home.notes / "b.md")
    home.vault.index.sync()
    [moved] = [one.document for one in home.vault.documents() if one.document.collection == "notes"]
    use(home, moved.docid, QUESTIONS[0], PORT)
    before = page(home).read_bytes()
    assert night(home).put == () and page(home).read_bytes() == before
    home.vault.state.forget(moved.docid)
    home.clock.advance(days=1)
    assert len(night(home).left) == 1 and PORT not in page(home).read_text()


def test_a_source_that_says_something_else_now_leaves_its_item_until_it_fades(home: Home) -> None:
    home.configure(collections="    dream: true\n")
    home.write("a.md", f"# Harbour\n\n{PORT}\n")
    [stored] = home.vault.documents()
    for question in QUESTIONS:
        use(home, stored.document.docid, question, PORT)
    assert night(home).put
    home.write("a.md", "# Harbour\n\nThe staging database is gone for good.\n")
    home.vault.index.sync()
    home.clock.advance(days=100)
    assert night(home).left == {}
    home.clock.advance(days=40)
    assert [why for _, why in night(home).left.values()] == ["no signal for 120 days"]


# -- clocks ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("day", "hours"), [("2026-03-29", 23), ("2026-10-25", 25)])
def test_a_night_is_dreamt_once_where_the_clocks_change(tmp_path: Path, day: str, hours: int) -> None:
    home = Home(tmp_path / "home")
    home.environ["TZ"] = "Europe/Vienna"
    home.configure("dream:\n  at: '02:30'\n")  # skipped in March, there twice in October
    start = {"2026-03-29": 1_774_738_800_000, "2026-10-25": 1_792_879_200_000}[day]  # 00:00 in Vienna
    home.clock.ms = start - 4 * DAY_MS
    docid = home.remember(PORT, "fact")
    for question in QUESTIONS:
        use(home, docid, question, PORT)
    home.clock.ms = start
    nights = []
    for _ in range(hours * 4):
        if home.vault.dream.due():
            nights.append(night(home).night.day)
        home.clock.advance(seconds=900)
    assert nights == [day]
    assert home.vault.dream.grounds().today > day


@pytest.mark.parametrize("days", [-400, -3, 60, 4_000])
def test_a_clock_that_jumps_brings_nothing_back_and_takes_nothing_away(home: Home, days: int) -> None:
    used(home)
    night(home)
    before = page(home).read_text()
    home.clock.advance(days=days)
    night(home)
    home.clock.advance(days=-days + 1)
    night(home)
    rows = [row for row in page(home).read_text().split("\n") if row.strip()]
    assert len(rows) == len(set(rows)) and page(home).read_text().count(PORT) <= 1
    assert before.split("<!--")[0] in page(home).read_text()


# -- pages ----------------------------------------------------------------------------------------------------------


def test_windows_line_ends_of_a_page_stay(home: Home) -> None:
    used(home)
    page(home).write_bytes(b"# Mine\r\n\r\nI prefer tabs.\r\n")
    assert night(home).put
    data = page(home).read_bytes()
    assert PORT.encode() in data and data.count(b"\n") == data.count(b"\r\n")


def test_a_page_of_a_megabyte_is_added_to(home: Home) -> None:
    used(home)
    rows = "\n".join(f"- entry {number} of the harbour's book about boat {number * 7}" for number in range(20_000))
    page(home).write_text(f"# Mine\n\n{rows}\n")
    assert page(home).stat().st_size > 900_000
    assert night(home).put
    assert page(home).read_text().startswith(f"# Mine\n\n{rows}\n") and PORT in page(home).read_text()


def test_a_page_that_is_read_only_is_left_alone_until_it_is_not(home: Home) -> None:
    used(home)
    page(home).write_text("# Mine\n")
    page(home).chmod(0o444)
    done = night(home)
    assert done.problem is not None and "MEMORY.md" in done.problem and "writable" in done.problem
    assert page(home).read_text() == "# Mine\n"
    page(home).chmod(0o644)
    assert [one.fragment.text for one in night(home).put] == [PORT]


@pytest.mark.parametrize("what", ["deleted", "written", "broken"])
def test_a_page_that_changes_while_a_night_is_dreamt_is_a_persons(
    home: Home, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    used(home)
    page(home).write_text("# Mine\n")
    write = type(home.vault.dream.pages).write

    def meanwhile(*given: Any) -> bool:
        if what == "deleted":
            page(home).unlink()
        else:
            page(home).write_text({"written": "# Theirs\n", "broken": "<!-- hearth:dream:end -->\n"}[what])
        return write(*given)

    with monkeypatch.context() as patch:
        patch.setattr(type(home.vault.dream.pages), "write", meanwhile)
        done = night(home)
    assert done.problem is not None and not done.applied
    assert not page(home).exists() if what == "deleted" else PORT not in page(home).read_text()
    again = night(home)
    assert bool(again.put) == (what != "broken")


def test_a_page_that_was_deleted_brings_nothing_back(home: Home) -> None:
    docid = used(home)
    night(home)
    page(home).unlink()
    use(home, docid, QUESTIONS[0], PORT)
    assert night(home).put == ()
    assert not page(home).exists()


def test_the_diary_of_a_long_time_is_put_away_by_year_and_never_indexed(home: Home) -> None:
    used(home)
    told = page(home).with_name("DREAMS.md")
    told.parent.mkdir(parents=True, exist_ok=True)
    old = report.HEAD + "\n## 2025-01-01\n\n" + "The winch squeaked all night.\n" * 33_333
    told.write_text(old)
    done = night(home)
    year = done.night.day[:4]
    assert told.with_name(f"DREAMS.{year}.md").read_text() == old
    assert told.stat().st_size < 10_000 and f"## {done.night.day}" in told.read_text()
    told.write_text(old)
    home.clock.advance(days=1)
    confirm(home, home.remember(KILN, "fact"), KILN)
    assert night(home).put
    assert told.with_name(f"DREAMS.{year}-1.md").read_text() == old
    home.vault.index.sync()
    assert not [one for one in home.vault.documents() if "DREAMS" in one.document.path]
    assert not [hit for hit in home.vault.recall("the winch squeaked all night").hits if "winch" in hit.text]


# -- kills ----------------------------------------------------------------------------------------------------------

STEPS = ("open", "write", "fsync", "replace", "link", "rename", "unlink")


def killed_at(step: int, work: Callable[[], object]) -> bool:
    """Does the work in a child that ends at once before its ``step``-th call that changes the disk; whether it did."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            left = [step]
            for name in STEPS:
                setattr(os, name, _counted(getattr(os, name), left))
            work()
            code = 0
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, 9)
    return code == 9


def _counted(call: Callable[..., Any], left: list[int]) -> Callable[..., Any]:
    def counted(*given: Any, **named: Any) -> Any:
        if call.__name__ != "open" or (len(given) > 1 and given[1] & (os.O_WRONLY | os.O_RDWR)):
            left[0] -= 1
            if left[0] < 0:
                os._exit(9)
        return call(*given, **named)

    return counted


def test_a_night_that_is_killed_is_made_up_for_once(tmp_path: Path) -> None:
    assert [step for step in range(0, 60, 10) if kill(tmp_path / str(step), step)][-1] > 20


@torture("nights killed", parts=4)
def test_a_night_that_is_killed_at_any_step_is_made_up_for_once(tmp_path: Path, part: Part) -> None:
    for number in range(part.cases):
        step = 4 * number + part.seed
        kill(tmp_path / str(step), step)
        part.count()


def kill(tmp_path: Path, step: int) -> bool:
    """A night that promotes, takes out and tells, killed before that step; whether it came so far."""
    home = Home(tmp_path / "home")
    older = used(home)
    night(home)
    home.clock.advance(days=1)
    kiln = home.remember(KILN, "fact")
    confirm(home, kiln, KILN)
    home.vault.state.forget(older)
    at = home.clock.ms
    home.close()
    died = killed_at(step, lambda: night(home))
    night(home)
    text = page(home).read_text()
    assert text.count(KILN) == text.count("hearth:dream machine=") == text.count("hearth:dream:end") == 1
    assert PORT not in text
    assert page(home).with_name("DREAMS.md").read_text().count(f"## {show_date(at, zone_of('UTC'))}\n") == 1
    home.clock.advance(days=1)
    assert night(home).put == () and page(home).read_text() == text
    [one] = home.vault.dream.explain(kiln)
    assert one.state == "in"
    home.close()
    return died


class Died(BaseException):
    """As if the process had been killed there."""


@pytest.mark.parametrize("told", [False, True])
@pytest.mark.parametrize("days", [0, 1])
def test_a_night_that_dies_before_its_events_is_whole_after_the_next(
    home: Home, told: bool, days: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its diary names the run that takes it back, and what it took out has left."""
    older = used(home)
    first = night(home).run
    home.clock.advance(days=1)
    kiln = home.remember(KILN, "fact")
    confirm(home, kiln, KILN)
    home.vault.state.forget(older)
    tell = DreamPages.tell

    def die(pages: DreamPages, day: str, entry: str) -> None:
        if told:
            tell(pages, day, entry)
        raise Died

    with monkeypatch.context() as patch, pytest.raises(Died):
        patch.setattr(DreamPages, "tell", die)
        night(home)
    assert KILN in page(home).read_text() and PORT not in page(home).read_text()
    home.clock.advance(days=days)
    assert night(home).put == ()
    account = page(home).with_name("DREAMS.md").read_text()
    with home.vault.store.read() as reader:
        rows = {key[0]: row for key, row in promotions(reader, "").items()}
    assert (rows[kiln]["state"], rows[older]["state"]) == ("in", "left")
    run = rows[kiln]["run"]
    assert run == rows[older]["run"] != first
    assert account.count(f"hearth undo --run {run}`") == 1
    assert sum(row.startswith("- Added") and KILN in row for row in account.split("\n")) == 1
    assert account.count(f"- Took out “{PORT}” (#{older})") == 1
    home.vault.truth.undo_run(run)
    assert KILN not in page(home).read_text()


def test_a_page_that_could_not_be_written_leaves_no_line_half_gone(home: Home) -> None:
    older = used(home)
    first = night(home).run
    home.vault.state.forget(older)
    home.clock.advance(days=1)
    page(home).chmod(0o444)
    assert "read-only" in (night(home).problem or "")
    with home.vault.store.read() as reader:
        [row] = promotions(reader, "").values()
    assert (row["state"], row["run"]) == ("in", first)
    page(home).chmod(0o644)
    assert len(night(home).left) == 1


def test_a_page_in_conflict_is_left_alone_and_named(home: Home) -> None:
    used(home)
    page(home).parent.mkdir(parents=True, exist_ok=True)
    page(home).write_text(text := "# Mine\n\n<<<<<<< HEAD\n- tea\n=======\n- coffee\n>>>>>>> other\n")
    done = night(home)
    assert "git conflict on lines 3, 5, 7" in (done.problem or "") and page(home).read_text() == text
    assert "git conflict" in (home.vault.dream.status().problem or "")
    page(home).write_text("# Mine\n\n- tea\n- coffee\n")
    home.clock.advance(days=1)
    assert len(night(home).put) == 1


# -- edits ----------------------------------------------------------------------------------------------------------

NIGHTLY = 5


def test_no_edit_of_a_person_is_lost_reverted_or_brought_back_by_nights(tmp_path: Path) -> None:
    live(Home(tmp_path / "home"), Part("page edits", 0, 60))


@torture("page edits", parts=4)
def test_no_edit_of_a_person_is_lost_reverted_or_brought_back_by_many_nights(tmp_path: Path, part: Part) -> None:
    live(Home(tmp_path / "home"), part)


def live(home: Home, part: Part) -> None:
    """Nights that promote and take out, with edits of a person between them."""
    rng, deleted = part.rng, set[tuple[str, str]]()
    known: list[tuple[str, str]] = []
    while part.done.get(part.suite, 0) < part.cases:
        text = f"Entry {len(known)} says that boat {rng.randrange(9_999)} of Lund is {rng.choice(['red', 'blue'])}."
        known.append((home.remember(text, "fact"), text))
        confirm(home, *known[-1])
        if len(known) > 3 and rng.random() < 0.3:
            gone = known.pop(rng.randrange(len(known)))[0]
            home.vault.state.forget(gone)
        edits = min(NIGHTLY, part.cases - part.done.get(part.suite, 0)) if page(home).exists() else 0
        for _ in range(edits):
            edit(page(home), rng, deleted)
        part.count(edits)
        before = pages.read(page(home).read_text() if page(home).exists() else "")
        done = night(home)
        assert done.problem is None
        after = pages.read(page(home).read_text())
        ours = {item.row for item in before.ours}
        headings = {f"### {name}" for name in pages.HEADINGS}
        theirs = [row for number, row in enumerate(before.rows) if number not in ours and row.strip()]
        theirs = [row for row in theirs if row.strip() not in headings and "hearth:dream" not in row]
        kept = iter(after.rows)
        assert all(row in kept for row in theirs), f"seed {part.seed}: a person's line was lost, moved or changed"
        assert not deleted & {item.key for item in after.ours}, f"seed {part.seed}: a deleted item is back"
        home.clock.advance(days=1)


def edit(file: Path, rng: random.Random, deleted: set[tuple[str, str]]) -> None:
    """What a person does to a line that is no marker of the block."""
    rows = file.read_text().split("\n")
    at = rng.choice([number for number, row in enumerate(rows) if "hearth:dream" not in row])
    found = {item.row: item.key for item in pages.read(file.read_text()).ours}
    what = rng.choice(("insert", "change", "delete", "move", "checked"))
    if what == "insert":
        rows.insert(at, rng.choice(("- my own line", "## Mine", "text", "", "- [ ] a task", "<!-- a note -->")))
    elif what == "change":
        rows[at] = rows[at].replace("boat", "ship") or "something"
    elif what == "checked":
        rows[at] += " (checked)"
    elif what == "delete":
        if at in found:
            deleted.add(found[at])
        rows.pop(at)
    else:
        rows.insert(0, rows.pop(at))
    file.write_text("\n".join(rows))


def test_the_last_takeover_of_the_page_is_in_the_journal(home: Home) -> None:
    used(home)
    night(home)
    with home.vault.store.read() as reader:
        assert reader.registers(subjects.name_dreaming(), "writer") == {"writer": home.vault.dream.machine}


@pytest.mark.parametrize(("days", "counts"), [(30, True), (31, False)])
def test_a_signal_counts_for_thirty_days(home: Home, days: int, counts: bool) -> None:
    docid = home.remember(KILN, "fact")
    confirm(home, docid, KILN, days=1)
    home.clock.advance(days=days)
    assert bool(home.vault.dream.explain(docid)) is counts


def test_a_deleted_line_returns_under_no_other_spelling(home: Home) -> None:
    first, other = home.remember(KILN, "fact"), None
    confirm(home, first, KILN)
    assert len(night(home).put) == 1
    page(home).write_text("\n".join(row for row in page(home).read_text().split("\n") if KILN not in row))
    home.write("daily/2026-03-02.md", f"# Day\n\n- {KILN[:-1]}!\n")
    home.vault.index.sync()
    [other] = [one.document.docid for one in home.vault.documents() if one.document.path.startswith("daily")]
    home.clock.advance(days=1)
    confirm(home, other, f"{KILN[:-1]}!")
    assert night(home).put == ()
    assert KILN[:-1] not in page(home).read_text()
