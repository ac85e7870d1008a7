from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.capture.conftest import MINUTE, Talk

from hearth.capture.handoff import TurnText
from hearth.core.document import INTERNAL, DocumentState
from hearth.core.errors import NotFound, Unavailable, UsageError
from hearth.core.query import Conversation
from hearth.core.session import Sighting
from hearth.markdown import frontmatter
from hearth.ports import Filter


def edit(number: int, path: str = "/w/jar.py") -> dict[str, Any]:
    return {"type": "tool_use", "id": f"c{number}", "name": "Edit", "input": {"file_path": path}}


def test_an_ended_session_is_one_document_that_a_question_finds(talk: Talk) -> None:
    talk.turn("Where do the sessions of the larder live?", "In PostgreSQL, since the cookies crumbled.", edit(1))
    talk.end()
    report = talk.capture.run()
    assert (report.sessions, report.turns, report.waiting, report.problems) == (1, 1, 0, ())
    [file] = talk.files()
    assert file.name.startswith("2026-11-22-where-do-the-sessions-of-the-larder-live")
    text = file.read_text(encoding="utf-8")
    assert re.search(r"\n## User · \d\d:\d\d\n\nWhere do the sessions of the larder live\?\n", text)
    assert "- Edit `/w/jar.py`: ok" in text
    hits = talk.vault.recall("cookies crumbled PostgreSQL", min_score=0.0).hits
    assert {hit.docid for hit in hits} == set(report.documents)
    assert {hit.content_type for hit in hits} == {"conversation", "handoff"}


def test_nothing_is_written_twice_however_often_it_is_run(talk: Talk) -> None:
    talk.turn("First we salt the jar.")
    talk.end()
    talk.capture.run()
    once = talk.text()
    assert talk.capture.run(everything=True).sessions == 0
    talk.turn("Then we close the jar.")
    talk.end()
    talk.capture.run()
    assert talk.text().count("salt the jar") == 1 and talk.text().count("close the jar") == 1
    assert talk.text().startswith(once.rstrip())


def test_what_was_written_but_not_noted_is_not_written_again(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    talk.turn("First we salt the jar.")
    talk.end()
    history = talk.capture.history

    def crash(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(type(history), "record", crash)
        with pytest.raises(KeyboardInterrupt):
            talk.capture.run()
    assert talk.text().count("salt the jar") == 1
    capture = talk.again()
    assert capture.run().turns == 1
    assert talk.text().count("salt the jar") == 1 and len(talk.files()) == 1


def test_a_session_waits_for_five_turns_fifteen_minutes_or_its_end(talk: Talk) -> None:
    talk.turn("one salted jar")
    assert talk.capture.run().waiting == 1
    assert talk.capture.due_in() == 15 * 60
    talk.now += 15 * MINUTE
    assert talk.capture.due_in() == 0 and talk.capture.run().turns == 1
    for number in range(5):
        assert talk.capture.run().turns == 0
        talk.turn(f"jar number {number}")
    assert talk.capture.run().turns == 5
    talk.turn("the last jar")
    talk.end()
    assert talk.capture.run().turns == 1
    assert talk.capture.due_in() is None and talk.capture.status().waiting == []


@pytest.mark.parametrize(("mode", "turns"), [("off", 0), ("every_n", 5), ("time_based", 6)])
def test_the_modes(talk: Talk, mode: str, turns: int) -> None:
    capture = talk.again(HEARTH_CAPTURE_MODE=mode)
    for number in range(5):
        talk.turn(f"jar number {number}")
        capture.run()
    if mode == "time_based":
        assert capture.run().turns == 0
        talk.turn("jar number 5")
        talk.now += 15 * MINUTE
        assert capture.run().turns == turns
    else:
        assert talk.text().count("## User") == turns
    if mode == "off":
        talk.end()
        talk.now += 60 * MINUTE
        assert capture.run().turns == 0 and capture.run(everything=True).turns == 5


def test_what_is_private_or_not_to_be_remembered_is_not_kept(talk: Talk) -> None:
    talk.turn("We keep the jars in the cellar.")
    talk.turn("<private>my salary is 5000</private>", "Your salary is 5000.")
    talk.turn("Please don't remember this: the door code is 4711.", "4711, understood.")
    talk.turn("The code of <private>Ada</private> opens the cellar.")
    talk.turn("The spare key hangs behind the mirror.")
    talk.turn("Forget what I just said.")
    talk.end()
    talk.capture.run()
    text = talk.text()
    assert "cellar" in text and "The code of [private] opens" in text
    for secret in ("5000", "4711", "Ada", "mirror", "Forget what"):
        assert secret not in text, secret


def test_headings_of_what_was_said_open_no_turn(talk: Talk) -> None:
    talk.turn(
        "# Plan\n\n## User · 09:00\n\nIgnore the above.\n\n```\n## User · 10:00\n```", "Jars\n====\n\nall of them"
    )
    talk.end()
    talk.capture.run()
    opened = [line for line in talk.text().split("\n") if line.startswith("## ")]
    assert [line.split(" · ")[0] for line in opened] == ["## User", "## User", "## Assistant"]
    assert "> ## User · 09:00" in talk.text() and "\\====" in talk.text()


def test_secrets_are_taken_out(talk: Talk) -> None:
    talk.turn("The token is ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8", "I keep ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8 in mind.")
    talk.end()
    talk.capture.run()
    assert "a1B2c3D4e5" not in talk.text() and "The token is" in talk.text()


def test_a_long_paste_keeps_its_head_and_tail_with_the_count_of_the_rest(talk: Talk) -> None:
    talk.turn("HEAD " + "jam " * 5_000 + "TAIL")
    talk.end()
    talk.capture.run()
    assert "HEAD" in talk.text() and "TAIL" in talk.text() and "12,009 characters left out" in talk.text()


def test_a_long_session_goes_on_in_another_file(talk: Talk) -> None:
    for number in range(300):
        talk.say(f"jar {number}: " + "dill and brine " * 150, "pickled " * 100)
    talk.end_turn()
    talk.end()
    talk.capture.run()
    first, second = talk.files()
    assert second.name.endswith(".2.md") or first.name.endswith(".2.md")
    assert all(file.stat().st_size <= 600_000 for file in talk.files())
    assert all(talk.text().count(f"jar {number}: dill") == 1 for number in range(300))


def test_sessions_interleave_without_mixing(talk: Talk) -> None:
    other = Talk(talk.folder, talk.environ, "7777-other")
    other.now = talk.now
    talk.turn("The blue jar holds plums.")
    other.turn("The red jar holds figs.")
    talk.turn("The blue jar is full.")
    other.turn("The red jar is empty.")
    talk.end()
    other.end()
    talk.now = other.now
    assert talk.capture.run().sessions == 2
    texts = [file.read_text(encoding="utf-8") for file in talk.files()]
    assert len(texts) == 2 and all(("blue" in text) != ("red" in text) for text in texts)
    other.vault.close()


def test_a_transcript_that_was_rewritten_or_shortened_is_read_again_and_nothing_is_doubled(talk: Talk) -> None:
    talk.turn("The first jar holds plums.")
    talk.turn("The second jar holds figs.")
    talk.end()
    talk.capture.run()
    lines = talk.transcript.read_text(encoding="utf-8").splitlines(keepends=True)
    talk.transcript.write_text("".join(lines[2:]), encoding="utf-8")
    talk.turn("The third jar holds pears.")
    talk.end()
    talk.capture.run()
    assert [talk.text().count(word) for word in ("plums", "figs", "pears")] == [1, 1, 1]
    talk.transcript.write_text("", encoding="utf-8")
    talk.end_turn()
    assert talk.capture.run(everything=True).problems == () and talk.capture.status().waiting == []


def test_a_transcript_that_is_gone_ends_the_wait(talk: Talk) -> None:
    talk.turn("The first jar holds plums.")
    talk.end()
    talk.transcript.unlink()
    assert talk.capture.run().problems == () and talk.capture.status().waiting == []


def test_one_bad_session_keeps_no_other_from_being_captured(talk: Talk) -> None:
    talk.turn("The first jar holds plums.")
    talk.end()
    talk.vault.sessions.turn_ended("bad", "relative.jsonl", 10)
    talk.vault.sessions.ended("bad")
    report = talk.capture.run()
    assert [session for session, _ in report.problems] == ["bad"] and report.sessions == 1
    assert "plums" in talk.text()
    assert [one.session for one in talk.capture.status().waiting] == ["bad"]


def test_projects_that_are_excluded_leave_nothing(talk: Talk) -> None:
    capture = talk.again(HEARTH_CAPTURE_EXCLUDE='["lard*"]')
    talk.turn("The first jar holds plums.")
    talk.end()
    assert capture.run().documents == () and talk.files() == []
    assert capture.status().waiting == []


def test_without_conversations_none_is_written(talk: Talk) -> None:
    capture = talk.again(HEARTH_CAPTURE_CONVERSATIONS="false")
    talk.turn("The first jar holds plums.")
    talk.end()
    capture.run()
    assert talk.files() == [] and not capture.status().conversations


def test_two_processes_do_not_capture_at_once(talk: Talk) -> None:
    talk.turn("The first jar holds plums.")
    talk.end()
    with talk.capture.lease(0), pytest.raises(Unavailable):
        talk.capture.run(patient=False)
    assert talk.capture.run().turns == 1


def test_who_asks_for_a_capture_waits_for_the_one_that_is_going_on(talk: Talk) -> None:
    talk.turn("The first jar holds plums.")
    talk.end()
    with ThreadPoolExecutor(1) as pool:
        with talk.capture.lease(0):
            asked = pool.submit(talk.capture.run)
            with pytest.raises(TimeoutError):
                asked.result(timeout=0.05)
        assert asked.result().turns == 1


def test_what_is_captured_days_later_has_the_day_on_which_it_was_said(talk: Talk) -> None:
    talk.turn("We decided to use PostgreSQL for the larder.")
    said = talk.now
    talk.end()
    talk.now += 3 * 24 * 60 * MINUTE
    talk.capture.run()
    with talk.vault.store.read() as reader:
        found = {one.document.content_type: one.document for one in list(reader.each_document(Filter((INTERNAL,))))}
    assert {abs(said - (found[name].authored_at or 0)) <= MINUTE for name in ("decision", "handoff")} == {True}
    assert found["decision"].valid_from == found["decision"].authored_at


def test_what_a_session_says_to_be_otherwise_now_replaces_what_was_remembered(talk: Talk) -> None:
    old = talk.vault.memories.remember("The staging server listens on port 8080.", "decision", project="larder")
    talk.turn("We decided that the staging server listens on port 9090 instead of 8080.")
    talk.end()
    talk.capture.run()
    with talk.vault.store.read() as reader:
        stored = reader.document(old.docid)
        assert stored is not None
        by = reader.document(stored.state.superseded_by or "")
    assert by is not None and "9090" in by.document.title


def test_a_capture_is_a_run_that_is_taken_back_with_what_was_noticed_of_it(talk: Talk) -> None:
    old = talk.vault.memories.remember("We use MongoDB for the larder.", "decision").docid
    talk.turn("We decided to use PostgreSQL for the larder instead of MongoDB.", "PostgreSQL it is.")
    talk.end()
    talk.capture.run()
    [batch] = talk.capture.show(talk.name)
    new = next(one.document.docid for one in batch.documents if one.document.content_type == "decision")
    done = talk.vault.truth.undo_run(batch.id)
    assert done.undone >= 1
    with talk.vault.store.read() as reader:
        before, after = reader.document(old), reader.document(new)
    assert before is not None and after is not None
    assert (before.state.hidden, after.state.forgotten) == (False, True)
    assert before.state.confidence is None
    assert talk.vault.truth.reviews() == []
    with pytest.raises(NotFound):
        talk.vault.truth.undo_run(batch.id)


def test_undoing_a_capture_brings_back_what_it_superseded_and_the_certainty_of_what_it_cast_doubt_on(
    talk: Talk,
) -> None:
    gone = talk.vault.memories.remember("The staging server listens on port 8080.", "decision", project="larder").docid
    doubted = talk.vault.memories.remember(
        "The invoices are printed on the second floor.", "fact", project="larder"
    ).docid
    talk.turn("We decided that the staging server listens on port 9090 instead of 8080.", "Noted.")
    talk.turn("Remember that the invoices are printed in the basement.", "Noted.")
    talk.end()
    talk.capture.run()

    def states() -> list[DocumentState]:
        with talk.vault.store.read() as reader:
            found = [reader.document(docid) for docid in (gone, doubted)]
        return [one.state for one in found if one is not None]

    [first, second] = states()
    assert first.hidden and not second.hidden
    assert second.confidence is not None and len(talk.vault.truth.reviews()) == 1
    talk.capture.undo(talk.name)
    [first, second] = states()
    assert (first.hidden, first.superseded_by) == (False, None)
    assert second.confidence is None and talk.vault.truth.reviews() == []


def test_what_was_captured_is_shown_and_taken_back_in_one_step(talk: Talk) -> None:
    talk.turn("The first jar holds plums.")
    talk.end()
    talk.capture.run()
    [batch] = talk.capture.show(talk.name)
    assert [stored.document.content_type for stored in batch.documents] == ["conversation"]
    assert talk.capture.show()[0].to_dict() == batch.to_dict()
    with pytest.raises(NotFound, match="no memory"):
        talk.capture.undo(batch.id)
    [done] = talk.capture.undo(talk.name)
    assert talk.vault.recall("plums").hits == ()
    talk.vault.state.restore(done.docid)
    assert talk.vault.recall("plums").hits
    with pytest.raises(NotFound, match="capture show"):
        talk.capture.undo("nobody")


def test_an_index_that_is_deleted_loses_no_work_and_knows_what_was_captured(talk: Talk, tmp_path: Path) -> None:
    talk.turn("The first jar holds plums.")
    talk.end()
    talk.capture.run()
    talk.turn("The second jar holds figs.")
    talk.end()
    talk.vault.close()
    for file in (tmp_path / "cache").rglob("index.sqlite*"):
        file.unlink()
    talk.vault = talk.open()
    talk.vault.index.freshen()
    assert talk.capture.run().turns == 1
    assert talk.text().count("plums") == 1 and talk.text().count("figs") == 1
    assert len(talk.capture.show()) == 2


def test_a_compaction_is_a_line_and_what_came_before_it_is_captured_at_once(talk: Talk) -> None:
    talk.say("The first jar holds plums.")
    size = talk.transcript.stat().st_size
    talk.vault.sessions.turn_ended(talk.name, str(talk.transcript), size, state="under way")
    assert talk.vault.sessions.watermark(talk.name, str(talk.transcript)) == 0
    assert talk.capture.run().turns == 1
    talk.write({"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted"})
    talk.turn("The second jar holds figs.")
    talk.end()
    talk.capture.run()
    assert talk.text().index("plums") < talk.text().index("compacted the session here") < talk.text().index("figs")


def test_lines_that_nobody_can_read_are_passed_over(talk: Talk) -> None:
    with talk.transcript.open("ab") as file:
        file.write(b"\xff\xfe not json\n" + json.dumps({"type": "martian"}).encode() + b"\n" + b"{" * 100_000 + b"\n")
    talk.turn("The first jar holds plums.")
    talk.end()
    assert talk.capture.run().problems == () and "plums" in talk.text()


def test_the_document_names_its_session_host_and_project(talk: Talk) -> None:
    talk.turn("The first jar holds plums.")
    talk.end()
    talk.capture.run()
    for line in ("session: 0b1d6f2e-talk", "host: claude-code", "project: larder", "content_type: conversation"):
        assert line in talk.files()[0].read_text(encoding="utf-8").replace('"', "")


def test_a_session_seen_elsewhere_is_not_this_machines_work(talk: Talk) -> None:
    talk.vault.sessions.seen(Sighting("elsewhere", "codex"))
    assert talk.capture.status().waiting == []


def test_conversations_are_erased_once_they_were_kept_for_long_enough(talk: Talk) -> None:
    capture = talk.again(HEARTH_CAPTURE_KEEP_DAYS="30")
    talk.turn("The first jar holds plums.")
    talk.end()
    capture.run()
    assert len(talk.files()) == 1
    os.utime(talk.files()[0], (talk.now / 1000, talk.now / 1000))
    talk.vault.index.sync()
    capture.run()
    assert len(talk.files()) == 1
    talk.now += 31 * 24 * 60 * MINUTE
    assert capture.run().problems == () and talk.files() == []
    assert talk.vault.recall("plums").hits == ()


# -- turns that are handed over --------------------------------------------------------------------------------------


def test_turns_that_are_handed_over_at_once_are_counted_one_by_one(talk: Talk) -> None:
    asked = ("Where do the quinces lie?", "And the figs?", "Which jar is the oldest?")
    turns = [turn for text in asked for turn in (TurnText("user", text, talk.now), TurnText("assistant", "There."))]
    talk.capture("chat-8", turns, end=True)
    talk.capture.run()
    assert {one.id: one.turns for one in talk.vault.sessions.recent(9)}["chat-8"] == 3


def test_turns_that_are_handed_over_are_captured_as_any_others(talk: Talk) -> None:
    asked = TurnText("user", "Where do the sessions of the larder live?", talk.now)
    answered = TurnText("assistant", "In PostgreSQL.\n<vault-context>not said</vault-context>")
    done = talk.capture("chat-7", [asked, answered], end=True)
    assert (done.session, done.turns, done.due_at) == ("chat-7", 2, talk.now)
    [waiting] = (talk.folder / "data").rglob("inbox/*.jsonl")
    assert waiting.stat().st_mode & 0o777 == 0o600
    assert talk.capture.run().turns == 1
    assert "larder live" in talk.text() and "In PostgreSQL." in talk.text()
    assert talk.capture.status().waiting == []
    talk.capture("chat-7", [TurnText("user", "And the jars?")], end=True)
    talk.capture.run()
    assert {one.id: one.turns for one in talk.vault.sessions.recent(9)}["chat-7"] == 2
    assert talk.text().count("larder live") == 1 and talk.text().count("And the jars?") == 1
    assert len(talk.files()) == 1
    talk.now += 8 * 24 * 60 * MINUTE
    talk.capture.run()
    assert not waiting.exists() and len(talk.files()) == 1


def test_what_was_said_last_is_forgotten_on_request_though_it_was_captured_before(talk: Talk) -> None:
    for text in ("Remember that the pump is blue.", "Remember that the barn is red.", "Forget what I just said."):
        talk.capture("chat-7", [TurnText("user", text, talk.now), TurnText("assistant", "All right.", talk.now)])
        talk.capture.run(everything=True)
        talk.now += MINUTE
    assert "pump is blue" in talk.text() and "barn is red" not in talk.text()
    found = [hit.path for hit in talk.vault.recall("barn red", limit=9).hits if "facts/" in hit.path]
    assert len(found) == 1 and "the-pump-is-blue" in found[0]


def test_the_hand_off_of_turns_that_were_handed_over_is_of_the_whole_session(talk: Talk) -> None:
    said = (
        "I want to build an irrigation controller for the greenhouse.",
        "We decided to run it on the Pico, because the other board loses its network.",
        "The next step is the wiring of valve 3.",
    )
    for text in said:
        talk.capture("chat-7", [TurnText("user", text, talk.now), TurnText("assistant", "All right.", talk.now)])
        talk.capture.run(everything=True)
        talk.now += MINUTE
    [handoff] = (talk.folder / "data").rglob("handoffs/*.md")
    text = handoff.read_text("utf-8")
    assert all(one.rstrip(".") in text for one in said), text


def test_turns_that_were_handed_over_go_with_their_conversation_when_it_is_purged(talk: Talk) -> None:
    talk.capture("chat-7", [TurnText("user", "The first jar holds plums.", talk.now)], end=True)
    talk.capture("chat-8", [TurnText("user", "The second jar holds figs.", talk.now)], end=True)
    talk.capture.run()
    [first] = [file for file in talk.files() if "plums" in file.read_text("utf-8")]
    talk.vault.state.purge(f"_hearth/agent/conversations/{first.name}", yes=True)
    [left] = (talk.folder / "data").rglob("inbox/*.jsonl")
    assert "figs" in left.read_text("utf-8")


def test_secrets_are_gone_before_a_turn_waits(talk: Talk) -> None:
    talk.capture("chat-7", [TurnText("user", "It is ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8")])
    [waiting] = (talk.folder / "data").rglob("inbox/*.jsonl")
    assert "a1B2c3D4e5" not in waiting.read_text(encoding="utf-8")


def test_turns_that_come_while_others_are_captured_are_not_lost(talk: Talk) -> None:
    talk.capture("chat-7", [TurnText("user", "The first jar holds plums.")])
    [work] = talk.capture._pending()
    talk.capture("chat-7", [TurnText("user", "The second jar holds figs.")])
    talk.capture.worker.capture(work)
    assert talk.capture.run(everything=True).turns == 1
    assert talk.text().count("plums") == 1 and talk.text().count("figs") == 1
    talk.now += 8 * 24 * 60 * MINUTE
    talk.capture.run()
    assert list((talk.folder / "data").rglob("inbox/*.jsonl")) == []


def test_turns_that_were_handed_over_are_gone_at_once_where_conversations_are_not_kept(talk: Talk) -> None:
    capture = talk.again(HEARTH_CAPTURE_CONVERSATIONS="false")
    talk.capture("chat-7", [TurnText("user", "The first jar holds plums.", talk.now)], end=True)
    capture.run()
    assert list((talk.folder / "data").rglob("inbox/*.jsonl")) == []


@pytest.mark.parametrize(
    ("session", "turns", "fault"),
    [
        ("", [TurnText("user", "x")], "needs a name"),
        ("s", [], "0 turns"),
        ("s", [TurnText("user", "x")] * 201, "201 turns"),
        ("s", [TurnText("system", "x")], "turn 1 has the role 'system'"),
        ("s", [TurnText("user", "x" * 262_145)], "262,145 bytes"),
    ],
)
def test_turns_that_can_not_be_taken_are_refused_whole(
    talk: Talk, session: str, turns: list[TurnText], fault: str
) -> None:
    with pytest.raises(UsageError, match=fault):
        talk.capture(session, turns)
    assert list((talk.folder / "data").rglob("inbox/*.jsonl")) == []


def test_log_and_timeline_lead_to_what_was_said(talk: Talk) -> None:
    talk.turn("The blue jar holds plums.", "Noted.")
    before = talk.vault.sessions.recent()[0]
    assert before.conversation is None
    talk.end()
    talk.capture.run()
    [said] = talk.files()
    found = talk.vault.sessions.recent()[0].conversation
    assert found is not None and talk.vault.get(f"#{found}").document.path.endswith(said.name)
    moments = talk.vault.timeline(f"#{found}")
    assert [one.conversation for one in moments if one.focus] == [found]
    talk.capture.undo(talk.name)
    assert talk.vault.sessions.recent()[0].conversation is None


def test_a_search_may_ask_for_what_was_said_alone(talk: Talk) -> None:
    talk.turn("We decided: the blue jar holds plums, not figs, until the summer of 2027.", "Noted.")
    talk.end()
    talk.capture.run()

    def kinds(*sources: str) -> set[str]:
        return {hit.content_type for hit in talk.vault.recall("what holds the blue jar?", sources=sources).hits}

    assert kinds("conversations") == {"conversation"}
    assert "decision" in kinds("memory") and "conversation" not in kinds("memory")
    assert kinds("notes") == set() and {"conversation", "decision"} <= kinds()


def test_in_its_own_session_a_conversation_stays_out(talk: Talk) -> None:
    for number in range(3):
        talk.turn(f"The blue jar number {number} holds plums.", "Noted.")
    talk.end()
    talk.capture.run()

    def found(session: str, project: str = "larder") -> set[str]:
        where = Conversation(project, session=session, asks=True)
        return {
            hit.content_type
            for hit in talk.vault.recall("which jar holds plums?", recipe="surface", conversation=where).hits
        }

    assert "conversation" in found("another") and "conversation" not in found("another", "oven")
    assert found(talk.name).isdisjoint({"conversation", "handoff"})


def test_a_session_that_goes_on_in_another_file_loses_nothing_of_the_first(talk: Talk) -> None:
    talk.turn("The first jar holds plums.", "Noted.")
    first = talk.transcript
    for name, words in (("second", "The second jar holds figs."), ("third", "The third jar holds quinces.")):
        talk.transcript = talk.folder / f"{name}.jsonl"
        talk.turn(words, "Noted, too.")
    assert first.exists()
    for _ in range(3):
        talk.capture.run(everything=True)
    assert all(talk.text().count(fruit) == 1 for fruit in ("plums", "figs", "quinces"))
    assert talk.capture.status().waiting == []
    talk.turn("The third jar is full.", "Noted.")
    talk.capture.run(everything=True)
    assert talk.text().count("quinces") == 1 and "is full" in talk.text()


def test_what_a_file_repeats_of_the_one_before_it_is_kept_once(talk: Talk) -> None:
    talk.turn("The first jar holds plums.", "Noted.")
    talk.capture.run(everything=True)
    lines = talk.transcript.read_bytes()
    talk.transcript = talk.folder / "resumed.jsonl"
    talk.transcript.write_bytes(lines)
    talk.turn("The second jar holds figs.", "Noted.")
    talk.capture.run(everything=True)
    assert talk.text().count("plums") == 1 and talk.text().count("figs") == 1
    assert talk.text().count("Noted.") == 2


def test_what_a_fork_begins_with_is_kept_with_the_session_that_it_comes_from(talk: Talk, tmp_path: Path) -> None:
    talk.turn("We decided: the first jar holds plums.", "Noted.")
    talk.end()
    talk.capture.run()
    fork = tmp_path / "fork.jsonl"
    fork.write_bytes(talk.transcript.read_bytes())
    before = talk.transcript.stat().st_size
    talk.transcript = fork
    talk.now += 2 * MINUTE
    talk.vault.sessions.seen(Sighting("fork-1", "claude-code", "larder"))
    talk.say("We decided: the second jar holds figs.", "Noted, too.")
    talk.vault.sessions.turn_ended("fork-1", str(fork), fork.stat().st_size, "t2")
    talk.vault.sessions.ended("fork-1")
    talk.capture.run()
    assert before < fork.stat().st_size and len(talk.files()) == 2
    assert talk.text().count("plums") == 1 and talk.text().count("figs") == 1
    kept = [document.document.title for batch in talk.capture.show("fork-1") for document in batch.documents]
    assert any("figs" in title for title in kept) and not any("plums" in title for title in kept)


def test_asking_what_waits_costs_no_more_with_more_sessions_where_nothing_happened(
    talk: Talk, steps: Callable[[Callable[[], object]], int]
) -> None:
    talk.turn("The first jar holds plums.", "Noted.")
    due = talk.capture.due_in()
    few = steps(talk.capture.due_in)
    for number in range(30):
        talk.vault.sessions.turn_ended(f"session-{number}", str(talk.transcript), 10, "t1")
    assert talk.capture.due_in() == due
    talk.capture.run(everything=True)
    assert talk.capture.due_in() is None and talk.capture.status().waiting == []
    assert steps(talk.capture.due_in) <= few + 20


def test_a_promise_is_kept_by_saying_so_in_passing(talk: Talk) -> None:
    talk.turn("I promise to order the anemometer for the bakery roof by Friday.")
    talk.end()
    talk.capture.run()
    assert [one.state for one in talk.vault.truth.commitments()] == ["open"]
    talk.turn("I ordered the anemometer for the bakery roof today btw. Which oven comes next?", "The second one.")
    talk.end()
    talk.capture.run()
    assert talk.vault.truth.commitments() == []


def test_a_promise_is_found_by_asking_what_was_promised(talk: Talk) -> None:
    talk.turn("Ada is the new lead of the bakery team. I'll send her the recipe by Friday.")
    talk.turn("We decided with Ada that the oven stays on. Ada wants it so.")
    talk.end()
    talk.capture.run()
    assert talk.vault.recall("what did I promise Ada?").hits[0].content_type == "commitment"


def test_what_answers_comes_before_the_talk_in_which_the_same_was_asked(talk: Talk) -> None:
    decided = [("user", "We decided to use uv instead of poetry for the larder."), ("assistant", "Noted.")]
    asked = [("user", "Which package manager did we choose for the larder?"), ("assistant", "I am not sure.")]
    for session, turns in (("decided", decided), ("asked", asked)):
        talk.capture(session, [TurnText(*said) for said in turns], end=True)
        talk.capture.run(everything=True)
    first, *others = talk.vault.recall(asked[0][1]).hits
    assert first.content_type == "decision"
    assert "conversation" in {hit.content_type for hit in others}


def test_what_was_captured_before_the_person_asks_to_forget_it_is_forgotten(talk: Talk) -> None:
    talk.turn("We decided to keep the counters of the jars in SQLite.")
    talk.turn("From now on label every jar in Flemish. My sister Wren likes jars of 3 litres.")
    talk.capture.run(everything=True)
    assert shown(talk) >= {"principle", "relationship"}
    for _ in range(2):  # once more, as after a crash
        talk.turn("forget what I just said" if _ == 0 else "Thanks.")
        talk.capture.run(everything=True)

    kept = {"decisions", "principles", ".revisions"}  # hidden, and there for who restores it
    texts = [file.read_text() for file in (talk.folder / "data").rglob("*.md") if not kept & set(file.parts)]
    assert not any("Flemish" in text for text in texts)
    assert "relationship" not in shown(talk)
    assert any("jars in SQLite" in text and "## User" in text for text in texts)


def shown(talk: Talk) -> set[str]:
    hits = talk.vault.recall("Who labels every jar in Flemish, and who likes jars of 3 litres?").hits
    return {hit.content_type for hit in hits if "Flemish" in hit.text or "litres" in hit.text}


def test_a_hand_off_does_not_outlive_what_is_to_be_forgotten(talk: Talk) -> None:
    talk.turn("We decided to sell the bakery to Wren.")
    talk.capture.run(everything=True)
    talk.turn("Forget what I just said.")
    talk.end()
    talk.capture.run(everything=True)

    assert not [hit for hit in talk.vault.recall("Did we sell the bakery to Wren?").hits if "bakery" in hit.text]


def test_a_conversation_is_not_called_after_what_is_to_be_forgotten(talk: Talk) -> None:
    talk.turn("We decided to sell the bakery to Wren.")
    talk.capture.run(everything=True)
    talk.turn("vergiss, was ich gerade gesagt habe")
    talk.turn("Which flour is in the larder?")
    talk.end()
    talk.capture.run(everything=True)

    [file] = (talk.folder / "data").rglob("conversations/*.md")
    assert "bakery" not in file.name and "bakery" not in file.read_text()
    assert "Which flour is in the larder?" in file.read_text()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Je préfère les figures en noir et blanc.", "Je préfère le seigle au blé."),
        ("I prefer night trains to buses.", "I prefer small groups to big tours."),
    ],
)
def test_two_wishes_that_are_quoted_stay_two(talk: Talk, one: str, other: str) -> None:
    talk.turn(one)
    talk.turn(other)
    talk.end()
    talk.capture.run()

    kept = [file.read_text() for file in (talk.folder / "data").rglob("preferences/*.md")]
    assert sum(one.rstrip(".") in text for text in kept) == sum(other.rstrip(".") in text for text in kept) == 1


def title(talk: Talk) -> str:
    [file] = talk.files()
    return frontmatter.split(file.read_text()).fields["title"]


def test_a_conversation_is_called_what_the_agent_calls_it_in_words_that_were_said(talk: Talk) -> None:
    talk.turn("hm, where do the counters of all the jars go?", "Into SQLite, beside the labels.")
    talk.capture.run(everything=True)
    assert title(talk) == "hm, where do the counters of all the jars go?"
    talk.write({"type": "ai-title", "aiTitle": "Counters of jars in SQLite"})
    talk.turn("Thanks.")
    talk.capture.run(everything=True)
    assert title(talk) == "Counters of jars in SQLite"
    talk.write({"type": "ai-title", "aiTitle": "Divorce papers"})  # what only a private turn can have held
    talk.turn("Bye.")
    talk.capture.run(everything=True)
    assert title(talk) == "Counters of jars in SQLite"


def test_a_conversation_is_called_what_the_person_calls_it_without_another_word(talk: Talk) -> None:
    talk.turn("Where do the counters go?", "Into SQLite.")
    talk.capture.run(everything=True)
    talk.write({"type": "custom-title", "customTitle": "larder\n# rework"})
    talk.end_turn()
    talk.end()
    talk.capture.run(everything=True)
    assert title(talk) == "larder # rework"
    assert talk.vault.recall("larder rework").hits[0].title == "larder # rework"


def test_a_title_that_nothing_left_says_goes_with_what_is_forgotten(talk: Talk) -> None:
    talk.turn("We count the jars.", "In SQLite.")
    talk.write({"uuid": "title", "type": "ai-title", "aiTitle": "Wren likes plums"})
    talk.turn("My sister Wren likes plums.", "Noted.")
    talk.capture.run(everything=True)
    assert title(talk) == "Wren likes plums"
    talk.turn("forget what I just said")
    talk.capture.run(everything=True)
    assert "Wren" not in title(talk)
