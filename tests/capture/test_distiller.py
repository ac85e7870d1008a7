from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.capture.conftest import MINUTE, Talk

from hearth.core.document import INTERNAL, find_speaker
from hearth.ports import Filter

DATA = next(folder for folder in Path(__file__).parents if folder.name == "tests") / "transcripts" / "data"
DECISION = "Asked “Which database should the larder use?”, the user chose: PostgreSQL."
KINDS = ("decision", "milestone", "correction", "antipattern", "problem", "observation")


def work(talk: Talk, name: str = "claude_code_work") -> None:
    """A session that a real agent wrote, up to its end."""
    shutil.copy(DATA / f"{name}.jsonl", talk.transcript)
    talk.end_turn()
    talk.end()


def memories(talk: Talk) -> dict[str, Any]:
    with talk.vault.store.read() as reader:
        found = list(reader.each_document(Filter((INTERNAL,), KINDS, include_hidden=True)))
    return {one.document.docid: one for one in found}


@pytest.mark.parametrize("name", ["claude_code_work", "claude_code_plan", "codex_work"])
def test_what_a_host_recorded_becomes_memories_that_say_where_they_are_from(talk: Talk, name: str) -> None:
    work(talk, name)
    report = talk.capture.run()
    assert (report.problems, report.left_out) == ((), ())
    [decision] = [one for one in memories(talk).values() if "Which database" in one.document.title]
    file = talk.folder / "data" / "default" / "memory" / decision.document.path
    text = file.read_text(encoding="utf-8")
    assert DECISION in text and "evidence: PostgreSQL" in text.replace('"', "")
    assert f"source: session {talk.name}, turn " in text.replace('"', "") and "tier: explicit" in text
    assert "project: larder" in text and "created_by: capture" in text
    hits = talk.vault.recall("which database did we choose for the larder?").hits
    assert (hits[0].content_type, hits[0].voice) == ("decision", "the user's words")
    by_title = {one.document.title: find_speaker(one.document) for one in memories(talk).values()}
    by_agent = [title for title in by_title if title.startswith(("Committed", "The user approved the agent's plan"))]
    assert by_agent and not any(by_title[title] for title in by_agent)


def test_a_memory_is_written_once_however_often_its_piece_comes(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    work(talk)
    writer = type(talk.capture.worker.conversations.writer)
    index = writer.index
    calls: list[str] = []

    def crash(self: Any, path: str, identity: str) -> None:
        calls.append(path)
        if len(calls) in (1, 3, 6, 10):
            raise KeyboardInterrupt
        index(self, path, identity)

    for _ in range(4):
        with monkeypatch.context() as patch:
            patch.setattr(writer, "index", crash)
            with pytest.raises(KeyboardInterrupt):
                talk.capture.run()
        talk.again()
    once = talk.capture.run()
    files = sorted(path.name for path in (talk.folder / "data").rglob("memory/agent/*/*.md"))
    # With the conversation and the hand-off.
    assert len(files) == len(memories(talk)) + 2 == len(set(once.documents))
    talk.vault.index.sync()
    assert len(memories(talk)) + 2 == len(files)


def test_what_was_forgotten_is_not_written_again(talk: Talk) -> None:
    work(talk)
    talk.capture.run()
    batch = talk.capture.show()[0]
    forgotten = talk.capture.undo(batch.id)
    assert len(forgotten) == len(memories(talk)) > 2
    assert all(one.state.forgotten for one in memories(talk).values())
    assert len(talk.files()) == 1
    assert "conversation" in {hit.content_type for hit in talk.vault.recall("larder").hits}
    size = talk.transcript.stat().st_size
    talk.now += MINUTE
    talk.transcript.write_bytes(talk.transcript.read_bytes() + b"\n")
    talk.vault.sessions.turn_ended(talk.name, str(talk.transcript), size + 1)
    talk.capture.run(everything=True)
    assert all(one.state.forgotten for one in memories(talk).values())


def test_what_a_person_wrote_is_not_taken_back_with_a_piece_that_says_the_same(talk: Talk) -> None:
    own = talk.vault.memories.remember(DECISION, "decision", project="larder", created_by="cli")
    work(talk)
    talk.capture.run()
    talk.capture.undo(talk.name)
    assert not memories(talk)[own.docid].state.forgotten
    assert {hit.docid for hit in talk.vault.recall("larder").hits} == {own.docid}


def test_a_piece_that_begins_in_the_middle_knows_what_came_before(talk: Talk) -> None:
    lines = (DATA / "claude_code_plan.jsonl").read_bytes().splitlines(keepends=True)
    talk.transcript.write_bytes(b"")
    for number, line in enumerate(lines):
        with talk.transcript.open("ab") as file:
            file.write(line)
        if number % 7 == 6:
            talk.now += 1
            talk.end_turn()
            talk.capture.run(everything=True)
    talk.end_turn()
    talk.end()
    talk.capture.run()
    batches = {one.document.title for one in memories(talk).values()}
    assert any("Which database" in title for title in batches) and any("test_lid failed" in title for title in batches)


def test_nothing_is_distilled_of_what_is_withheld(talk: Talk) -> None:
    talk.turn("<private>We decided: the larder moves to Malta.</private>", "Noted.")
    talk.turn("Don't remember this: we decided to buy the harbour.", "Understood.")
    talk.end()
    talk.capture.run()
    assert memories(talk) == {}


def handoff(talk: Talk) -> str:
    docid = talk.vault.sessions.get(talk.name).session.handoff
    return "" if docid is None else talk.vault.get(f"#{docid}").text


def test_a_session_leaves_a_hand_off_that_is_written_anew_while_it_lives(talk: Talk) -> None:
    talk.turn("Let us sort the larder by shelves.", "I will begin with the jars.")
    talk.turn("We decided: glass jars stand on the lowest shelf.", "The glass jars are down there now.")
    talk.turn("Go on with the tins.", "The tins stand on the second shelf.")
    talk.capture.run(everything=True)
    first = handoff(talk)
    assert "## Request\n\nLet us sort the larder by shelves." in first
    assert "lowest shelf" in first.partition("## Decisions")[2]
    talk.turn("We decided: flour stands in the drawer.", "The flour is in the drawer.")
    talk.end()
    talk.capture.run()
    assert "flour stands in the drawer" in handoff(talk) and "Let us sort the larder" in handoff(talk)
    assert len(list((talk.folder / "data").rglob("memory/agent/handoffs/*.md"))) == 1
    assert talk.capture.run(everything=True).documents == ()


def test_a_hand_off_that_the_agent_wrote_itself_stays(talk: Talk) -> None:
    own = talk.vault.memories.remember("Stopped at the third shelf.", "handoff", session=talk.name)
    for number in range(3):
        talk.turn(f"Now shelf {number}.", f"Shelf {number} is sorted.")
    talk.end()
    talk.capture.run()
    assert talk.vault.sessions.get(talk.name).session.handoff == own.docid


def test_a_question_and_its_answer_leave_no_hand_off(talk: Talk) -> None:
    talk.turn("What is the boiling point of brine?", "A little above 100 degrees.")
    talk.end()
    talk.capture.run()
    assert handoff(talk) == ""


def test_what_the_person_decided_and_prefers_becomes_memories(talk: Talk) -> None:
    talk.turn("We decided to use PostgreSQL for the larder instead of MongoDB.", "PostgreSQL it is.")
    talk.turn("I always prefer tabs over spaces in Makefiles.", "Tabs it is.")
    talk.turn("Don't forget that we decided to deploy on Thursdays.", "Thursdays.")
    talk.end()
    talk.capture.run()
    with talk.vault.store.read() as reader:
        found = list(reader.each_document(Filter((INTERNAL,), ("decision", "preference"))))
    texts = [talk.vault.read(one).text for one in found]
    assert any("PostgreSQL" in text for text in texts) and any("Makefiles" in text for text in texts)
    assert any("Thursdays" in text for text in texts)


def test_what_a_commit_changed_becomes_an_observation(talk: Talk) -> None:
    work(talk, "claude_code_plan")
    talk.capture.run()
    [seen] = [one for one in memories(talk).values() if one.document.title == "Give the jar two lids"]
    text = talk.vault.read(seen).text
    assert "- Committed: Give the jar two lids." in text and "Changed: `" in text and "jar.py" in text
    assert "tags: [change, what-changed]" in text and "source:" in text


def test_facts_about_a_person_gather_in_one_file_and_leave_it_with_their_session(talk: Talk) -> None:
    own = talk.vault.memories.remember("Sings in a choir.", "relationship", subject="The user's wife")
    talk.turn("By the way, my wife works at the hospital in Graz since 2019.", "Noted.")
    talk.end()
    talk.capture.run()
    file = talk.folder / "data" / "default" / "memory" / own.path
    text = file.read_text(encoding="utf-8")
    documents = {one.document.content_type: one.document for batch in talk.capture.show() for one in batch.documents}
    cited = documents["conversation"]
    assert "Sings in a choir." in text and f"hospital in Graz since 2019. (explicit · #{cited.docid}) ^" in text
    with talk.vault.store.read() as reader:
        stored = reader.document(own.docid)
    assert stored is not None and stored.document.tags == ()
    assert own.docid in {one.document.docid for batch in talk.capture.show() for one in batch.documents}
    undone = {change.docid: change.action for change in talk.capture.undo(talk.name)}
    assert undone.pop(own.docid) == "reverted" and set(undone.values()) == {"forgotten"}
    text = file.read_text(encoding="utf-8")
    assert "Sings in a choir." in text and "hospital in Graz" not in text
    assert own.docid in {hit.docid for hit in talk.vault.recall("who sings in a choir?").hits}
    assert own.docid not in {change.docid for change in talk.capture.undo(talk.name)}


@pytest.mark.parametrize("written", ["as it is now", "as it once was"])
def test_a_fact_in_a_shared_file_goes_with_its_turn_whatever_its_line_cites(talk: Talk, written: str) -> None:
    own = talk.vault.memories.remember("Sings in a choir.", "relationship", subject="The user's wife")
    talk.turn("By the way, my wife works at the hospital in Graz since 2019.", "Noted.")
    talk.capture.run(everything=True)
    file = talk.folder / "data" / "default" / "memory" / own.path
    text = file.read_text(encoding="utf-8")
    assert "hospital in Graz" in text
    if written == "as it once was":
        old = f"(explicit · session {talk.name}, turn 1, rules 3) ^0123456789abcdef"
        file.write_text(re.sub(r"\(explicit · #\w+\) \^\w+", old, text), encoding="utf-8")
        assert old in file.read_text(encoding="utf-8")
        talk.vault.index.sync()
    talk.turn("forget what I just said")
    talk.capture.run(everything=True)
    text = file.read_text(encoding="utf-8")
    assert "Sings in a choir." in text and "hospital in Graz" not in text


def test_a_file_that_holds_one_sessions_facts_alone_is_forgotten_with_it(talk: Talk) -> None:
    talk.turn("By the way, my wife works at the hospital in Graz since 2019.", "Noted.")
    talk.end()
    talk.capture.run()
    assert {change.action for change in talk.capture.undo(talk.name)} == {"forgotten"}
    assert talk.vault.recall("who works at the hospital in Graz?").hits == ()


def test_what_was_merged_into_an_older_memory_is_taken_out_of_it_again(talk: Talk) -> None:
    text = "The user refused `rm -rf jars` and said: “Never delete the jars. Move them.”"
    own = talk.vault.memories.remember(text, "antipattern", project="larder", created_by="cli")
    work(talk)
    talk.capture.run()
    file = talk.folder / "data" / "default" / "memory" / own.path
    merged = file.read_text(encoding="utf-8")
    assert "created_by: capture" in merged
    actions = {change.docid: change.action for change in talk.capture.undo(talk.name)}
    assert actions[own.docid] == "reverted"
    assert text in file.read_text(encoding="utf-8") and "session" not in file.read_text(encoding="utf-8")
