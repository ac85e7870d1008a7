from __future__ import annotations

from typing import Any

import pytest
from tests.memory.usage.conftest import DAY, DOCS

from hearth.core.errors import UsageError
from hearth.core.journal import Draft
from hearth.core.session import Shown, Surfacing
from hearth.vault.history import History


def test_what_was_shown_is_known_with_its_lines_tokens_and_hash(room: Any) -> None:
    shown = (Shown(DOCS["bread.md"], 3, 9), Shown(DOCS["bread.md"], 20, 21), Shown(DOCS["boats.md"]))
    room.usage.surfaced(Surfacing("s", "t1", shown, 120, "context-surfacing", "ab12"))
    [turn] = room.usage.list_shown("s", 5)
    assert (turn.turn, turn.at, turn.tokens, turn.prompt_hashes) == ("t1", room.now, 120, ("ab12",))
    assert set(turn.shown) == set(shown)
    assert set(turn.docids) == {DOCS["bread.md"], DOCS["boats.md"]}


def test_the_same_surfacing_again_changes_nothing(room: Any) -> None:
    room.show("t1", "bread.md")
    before = room.everything(), room.events()
    room.show("t1", "bread.md")
    assert (room.everything(), room.events()) == before


def test_a_turn_keeps_what_several_hooks_showed(room: Any) -> None:
    room.show("t1", "bread.md", "boats.md")
    room.show("t1", "boats.md", "trees.md", hook="pretool-inject", tokens=50)
    room.show("t1", "bees.md", hook="pretool-inject", tokens=50)
    [turn] = room.usage.list_shown("s", 5)
    assert (set(turn.docids), turn.tokens) == (set(DOCS.values()), 200)
    assert [room.statistics(path).surfaced for path in DOCS] == [1, 1, 1, 1]


def test_only_the_last_turns_come_and_those_that_showed_nothing_count(room: Any) -> None:
    room.show("t1", "bread.md")
    for number in range(2, 8):
        room.now += 1000
        room.sessions.turn_ended("s", "/t.jsonl", number, f"t{number}")
    room.now += 1000
    room.show("t8", "boats.md")
    found = room.usage.list_shown("s", 5)
    assert [turn.turn for turn in found] == ["t8", "t7", "t6", "t5", "t4"]
    assert [turn.docids for turn in found] == [(DOCS["boats.md"],), (), (), (), ()]
    assert [turn.turn for turn in room.usage.list_shown("s", 50)][-1] == "t1"
    assert room.usage.turn_count("s") == 8


def test_feedback_counts_each_document_that_the_answer_used_once(room: Any) -> None:
    room.show("t1", "bread.md", "boats.md", "trees.md")
    assert room.answer("t1", "bread.md").new == (DOCS["bread.md"],)
    events = room.events()
    again = room.answer("t1", "bread.md")
    assert (again.referenced, again.new, room.events()) == ((DOCS["bread.md"],), (), events)
    assert [room.statistics(path).referenced for path in DOCS] == [1, 0, 0, 0]
    assert [room.accesses(path) for path in DOCS] == [1, 0, 0, 0]
    assert room.statistics("bread.md").last_referenced_at == room.now
    assert [room.statistics(path).surfaced for path in DOCS] == [1, 1, 1, 0]


def test_the_text_that_was_shown_is_recognised_without_any_name(room: Any) -> None:
    room.show("t1", "bread.md", "boats.md")
    found = room.usage.feedback("s", "t1", "The dinghy leaks at the transom, so caulk it before the regatta.")
    assert found.referenced == (DOCS["boats.md"],)


def test_what_another_turn_was_shown_does_not_count_for_this_one(room: Any) -> None:
    room.show("t1", "bread.md")
    room.show("t2", "boats.md")
    assert room.answer("t2", "bread.md").referenced == ()
    assert room.answer("t3", "bread.md").shown == 0


@pytest.mark.parametrize("order", [(0, 1), (1, 0), (0, 1, 0, 1)])
def test_feedback_in_any_order_comes_to_the_same(room: Any, order: tuple[int, ...]) -> None:
    room.show("t1", "bread.md", "boats.md", "trees.md")
    answers = (("bread.md",), ("boats.md", "trees.md"))
    for number in order:
        room.answer("t1", *answers[number])
    assert [room.statistics(path).referenced for path in DOCS] == [1, 1, 1, 0]
    assert all(set(room.together(path).values()) == {1} for path in ("bread.md", "boats.md", "trees.md"))
    with room.store.read() as reader:
        relations = [key for name in DOCS.values() for key in reader.registers(name, "relation:usage:")]
    assert len(relations) == 3


def test_what_is_used_together_is_related_by_at_most_one(room: Any) -> None:
    one, other = sorted((DOCS["bread.md"], DOCS["boats.md"]))
    weights = []
    for number in range(12):
        room.show(f"t{number}", "bread.md", "boats.md")
        room.answer(f"t{number}", "bread.md", "boats.md")
        with room.store.read() as reader:
            weights.append(reader.registers(one, "relation:")[f"relation:usage:{other}"]["weight"])
    assert weights == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.0, 1.0])
    assert room.events().count("relate") == 10
    assert room.together("bread.md") == {DOCS["boats.md"]: 12}


def test_questions_count_by_hash_and_day(room: Any) -> None:
    scores = {DOCS["bread.md"]: 0.9, DOCS["boats.md"]: 0.4}
    for _ in range(3):
        room.recalled("how long does rye take?", scores, "s", "t1")
    assert room.statistics("bread.md").recalled == 1
    room.recalled("sour starter", {DOCS["bread.md"]: 0.7})
    room.now += 3 * DAY
    room.recalled("how  long does rye take?", scores)
    found = room.statistics("bread.md")
    assert (found.recalled, found.diversity, round(found.spacing, 3)) == (3, 0.4, 0.43)
    assert (found.surfaced, found.referenced) == (0, 0)
    room.recalled("nothing fits", {})
    assert room.events().count("recalled") == 5


def test_a_document_that_moved_keeps_its_use_and_its_company(room: Any) -> None:
    room.show("t1", "bread.md", "boats.md")
    room.answer("t1", "bread.md", "boats.md")
    room.recalled("rye", {DOCS["bread.md"]: 0.9})
    moved = {"bread.md": "trees.md", "boats.md": "bees.md"}
    for old, new in moved.items():
        room.sessions.history.record([Draft("moved", DOCS[new], data={"from": DOCS[old]})])
    room.show("t2", "trees.md", "bees.md")
    room.answer("t2", "trees.md", "bees.md")
    found = room.statistics("trees.md")
    assert (found.surfaced, found.referenced, found.recalled) == (2, 2, 1)
    assert room.together("trees.md")[DOCS["bees.md"]] == 2
    assert DOCS["trees.md"] not in room.together("trees.md")


def test_a_circle_of_moves_ends(room: Any) -> None:
    for old, new in (("bread.md", "boats.md"), ("boats.md", "bread.md")):
        room.sessions.history.record([Draft("moved", DOCS[new], data={"from": DOCS[old]})])
    room.show("t", "bread.md", "boats.md")
    assert (room.statistics("bread.md").surfaced, room.together("bread.md")) == (2, {})


@pytest.mark.parametrize(
    "shown", [(), tuple(Shown(f"{n:016}") for n in range(51)), (Shown("../etc/passwd"),), (Shown(""),)]
)
def test_a_surfacing_that_can_not_be_kept_is_refused_and_leaves_nothing(room: Any, shown: tuple[Shown, ...]) -> None:
    with pytest.raises(UsageError):
        room.usage.surfaced(Surfacing("s", "t", shown))
    assert "surfaced" not in room.events()


def test_odd_lines_count_as_the_whole_document(room: Any) -> None:
    docid = DOCS["bread.md"]
    room.usage.surfaced(Surfacing("s", "t", (Shown(docid, 9, 3), Shown(docid, -1, 2), Shown(docid, 1, 2**40))))
    [turn] = room.usage.list_shown("s", 1)
    assert turn.shown == (Shown(docid),)
    assert room.usage.feedback("s", "t", "Eighteen hours of patience for a sour starter.").referenced == (docid,)


def test_a_document_that_is_not_in_the_index_counts_all_the_same(room: Any) -> None:
    room.usage.surfaced(Surfacing("s", "t", (Shown("0" * 16, 1, 2), Shown(DOCS["bread.md"], 1, 1))))
    assert room.usage.feedback("s", "t", f"#{'0' * 16}").shown == 1
    assert room.usage.list_shown("s", 1)[0].docids == ("0" * 16, DOCS["bread.md"])


def test_a_stranger_in_the_journal_breaks_no_question(room: Any) -> None:
    odd = {"session": "s", "turn": "t", "key": "k", "docs": [DOCS["bread.md"]]}
    room.show("t0", "bread.md")
    for lines in (None, 5, [], [[1]], [["x", None]], [[3, 4, 5]], "12"):
        room.sessions.history.record(
            [Draft("surfaced", data={**odd, "lines": lines, "tokens": "x", "hook": 3, "prompt": []})]
        )
        room.everything()
    assert room.usage.list_shown("s", 5)[0].docids == (DOCS["bread.md"],)


def test_the_text_behind_a_use_is_known_so_that_a_renamed_file_keeps_it(room: Any) -> None:
    room.show("t1", "bread.md")
    room.show("t2", "bread.md")
    assert room.events().count("seen") == 1
    with room.store.read() as reader:
        known = reader.registers(DOCS["bread.md"])
        stored = reader.document(DOCS["bread.md"])
    assert (known["path"], known["body_hash"]) == ("bread.md", stored.document.body_hash)


def test_usage_never_waits_for_the_disk_once_the_session_is_known(room: Any) -> None:
    recorded: list[bool] = []
    log = room.sessions.history.log

    class Watched:
        """The journal, and whether each append was to be durable."""

        def __getattr__(self, name: str) -> Any:
            return getattr(log, name)

        def append(self, drafts: Any, *, durable: bool = True) -> Any:
            recorded.append(durable)
            return log.append(drafts, durable=durable)

    history = History(Watched(), room.store)
    object.__setattr__(room.usage, "history", history)
    object.__setattr__(room.sessions, "history", history)
    room.show("t1", "bread.md")
    room.show("t2", "bread.md")
    room.recalled("rye", {DOCS["bread.md"]: 1.0})
    room.sessions.turn_ended("s", "/t.jsonl", 5, "t2")
    assert recorded == [True, False, False, True]
