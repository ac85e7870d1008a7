"""Much that would leave the page at once waits for a person, and keeps nothing else from happening."""

from __future__ import annotations

import pytest
from tests.pages.dream.test_dreamer import PORT, QUESTIONS, night, page, use
from tests.pages.dream.test_nights import confirm
from tests.truth.home import Home

from hearth.core.instants import DAY_MS
from hearth.pages.dream.dreamer import find_leaving
from hearth.pages.dream.memory_md import PageItem, read
from hearth.text.lines import estimate_tokens

ROOM = 150
PLACES = ("Graz", "Lund", "Oslo", "Pisa", "Turku", "Porto")


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return Home(tmp_path_factory.mktemp("home") / "home")


def told(place: str) -> str:
    return f"The winter ferry of {place} sails from the northern pier at seven."


def promoted(home: Home) -> list[str]:
    """docids of what stands on the page."""
    found = [home.remember(told(place), "fact") for place in PLACES]
    home.clock.advance(days=5)
    for docid, place in zip(found, PLACES, strict=True):
        confirm(home, docid, told(place))
    assert len(night(home).put) == len(PLACES)
    return found


def test_more_than_three_and_a_quarter_wait_until_a_person_agrees(home: Home) -> None:
    gone = promoted(home)
    for docid in gone[:4]:
        home.vault.state.forget(docid)
    home.clock.advance(days=1)
    done = night(home)
    assert done.problem is None and not done.left and len(done.waiting) == 4
    assert all(told(place) in page(home).read_text() for place in PLACES)
    assert "until you agree" not in page(home).read_text()
    assert len(home.vault.dream.status().waiting) == 4
    [review] = [one for one in home.vault.knowledge.curator().curate().actions if one.kind == "review"]
    assert "hearth dream --approve" in review.commands and told("Graz") in " ".join(review.details)
    assert [(one.text, one.command) for one in find_leaving(home.vault.dream)] == [
        (text, "hearth dream --approve") for text, _ in done.waiting.values()
    ]
    agreed = night(home, agreed=True)
    assert len(agreed.left) == 4 and not agreed.waiting
    account = page(home).with_name("DREAMS.md").read_text()
    assert account.count(f"## {done.night.day}\n") == account.count(f"## {done.night.day}, again\n") == 1
    assert account.count("- Took out “The winter ferry") == 4 and f"hearth undo --run {agreed.run}`" in account
    again = night(home, agreed=True)
    assert again.run is None and page(home).with_name("DREAMS.md").read_text() == account
    text = page(home).read_text()
    assert [place for place in PLACES if told(place) in text] == ["Turku", "Porto"]
    assert not home.vault.dream.status().waiting


def test_what_waits_keeps_nothing_from_being_promoted(home: Home) -> None:
    for docid in promoted(home)[:5]:
        home.vault.state.forget(docid)
    docid = home.remember(PORT, "fact")
    for question in QUESTIONS:
        use(home, docid, question, f"As noted: {PORT}")
    done = night(home)
    assert [one.fragment.text for one in done.put] == [PORT] and len(done.waiting) == 5
    account = page(home).with_name("DREAMS.md").read_text()
    assert account.count("- Left in “The winter ferry") == 5


def test_three_leave_by_themselves(home: Home) -> None:
    for docid in promoted(home)[:3]:
        home.vault.state.forget(docid)
    home.clock.advance(days=1)
    done = night(home)
    assert len(done.left) == 3 and not done.waiting


def test_what_is_invalid_leaves_that_night_and_what_is_snoozed_stays(home: Home) -> None:
    gone, snoozed, *_ = promoted(home)
    home.vault.state.invalidate(gone)
    home.vault.state.snooze(snoozed, home.clock.ms + 9 * DAY_MS)
    home.clock.advance(days=1)
    assert list(night(home).left.values()) == [(told("Graz"), "its source is invalidated")]
    text = page(home).read_text()
    assert [place for place in PLACES if told(place) not in text] == ["Graz"]


def test_what_a_night_has_no_place_for_stands_again_the_next(home: Home) -> None:
    home.configure("dream:\n  per_night: 4\n")
    found = [home.remember(told(place), "fact") for place in PLACES]
    home.clock.advance(days=5)
    for docid, place in zip(found, PLACES, strict=True):
        confirm(home, docid, told(place))
    first = {one.fragment.text for one in night(home).put}
    assert len(first) == 4 and not night(home, agreed=True).put
    home.clock.advance(days=1)
    second = {one.fragment.text for one in night(home).put}
    assert len(second) == 2 and first | second == set(map(told, PLACES))
    assert all(page(home).read_text().count(told(place)) == 1 for place in PLACES)


def test_where_there_is_no_room_the_weakest_leave_and_no_more_than_need_to(home: Home) -> None:
    home.configure(f"dream:\n  max_tokens: {ROOM}\n")
    for place in PLACES:
        docid = home.remember(told(place), "fact")
        confirm(home, docid, told(place))
    came = {one.fragment.text for one in night(home).put}
    assert 0 < len(came) < len(PLACES) and taken(home) <= ROOM < taken(home) + min(costs(home))
    home.clock.advance(days=20)
    confirm(home, home.remember(PORT, "fact"), PORT)
    before = dict(zip(statements(home), costs(home), strict=True))
    done = night(home)
    left = {text for text, _ in done.left.values()}
    assert PORT in statements(home) and left and left < came and PORT not in left
    assert {why for _, why in done.left.values()} == {"no room: it was the weakest"}
    assert taken(home) <= ROOM < taken(home) + min(before[text] for text in left)


def items(home: Home) -> list[PageItem]:
    return read(page(home).read_text()).ours


def statements(home: Home) -> list[str]:
    return [one.statement for one in items(home)]


def costs(home: Home) -> list[int]:
    return [estimate_tokens(one.text) for one in items(home)]


def taken(home: Home) -> int:
    return sum(costs(home))
