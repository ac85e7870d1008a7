"""What a person takes back in their client is taken out of what was captured of it."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from tests.capture.conftest import Talk

from hearth.core.document import INTERNAL
from hearth.markdown import frontmatter
from hearth.ports import Filter


class Tree:
    """A session of Claude Code whose lines follow each other; ``leaf`` is the one that the next line follows."""

    def __init__(self, talk: Talk) -> None:
        self.talk = talk
        self.leaf: str | None = None

    def line(self, kind: str, **record: Any) -> str:
        uid = f"{kind}-{self.talk.now}-{self.talk.turns}-{self.leaf}"[:80]
        self.talk.write({"type": kind, "uuid": uid, "parentUuid": self.leaf, **record})
        self.leaf = uid
        return uid

    def ask(self, text: str, **more: Any) -> str | None:
        """Gives the line before it."""
        self.talk.turns += 1
        self.talk.now += 60_000
        before = self.leaf
        message = {"role": "user", "content": text}
        self.line("user", **{"promptId": f"p{self.talk.turns}", "message": message} | more)
        return before

    def answer(self, text: str = "Done.", *tools: dict[str, Any]) -> None:
        blocks = [{"type": "text", "text": text}, *tools]
        message = {"id": f"m{self.talk.turns}", "role": "assistant", "model": "x", "content": blocks}
        self.line("assistant", message=message)

    def turn(self, text: str, answer: str = "Done.", **more: Any) -> str | None:
        before = self.ask(text, **more)
        self.answer(answer)
        self.talk.end_turn()
        return before


@pytest.fixture
def tree(talk: Talk) -> Tree:
    return Tree(talk)


def documents(talk: Talk) -> list[Any]:
    """What is kept and not forgotten."""
    with talk.vault.store.read() as reader:
        return [
            one for one in list(reader.each_document(Filter((INTERNAL,)))) if not (one.state.hidden or one.vanished)
        ]


def everything(talk: Talk) -> str:
    """Names and texts of what is kept."""
    memory = talk.folder / "data" / "default" / "memory"
    found = [one.document.path for one in documents(talk)]
    return "\n".join([*found, *((memory / path).read_text() for path in found)])


def test_a_turn_that_is_rewound_before_it_is_captured_leaves_nothing(talk: Talk, tree: Tree) -> None:
    tree.turn("We decided to keep the counters of the jars in SQLite.", "Noted.")
    before = tree.turn("From now on label every jar in Flemish.", "Every label in Flemish.")
    tree.leaf = before
    tree.turn("From now on label every jar in Dutch.", "In Dutch.")
    talk.end()
    talk.capture.run()
    kept = everything(talk)
    assert "Flemish" not in kept
    assert "in Dutch" in kept and "SQLite" in kept


def test_a_turn_that_is_rewound_after_it_was_captured_is_taken_back(talk: Talk, tree: Tree) -> None:
    tree.turn("We decided to keep the counters of the jars in SQLite.", "Noted.")
    before = tree.turn("From now on label every jar in Flemish. My sister Wren likes jars of 3 litres.", "In Flemish.")
    tree.turn("We decided to sell the jars to Wren.", "Sold.")
    talk.capture.run(everything=True)
    assert all(word in everything(talk) for word in ("Flemish", "3 litres", "sell the jars"))
    tree.leaf = before
    tree.turn("Which jars are empty?", "The third one.")
    report = talk.capture.run(everything=True)
    assert (report.taken_back, report.problems) == (2, ())
    kept = everything(talk)
    assert not any(word in kept for word in ("Flemish", "Wren", "litres", "sell", "Sold"))
    assert "SQLite" in kept and "Which jars are empty?" in kept
    [file] = talk.files()
    assert frontmatter.split(file.read_text()).fields["turns"] == "2"
    assert not [hit for hit in talk.vault.recall("label jars in Flemish").hits if "Flemish" in hit.text]


def test_an_answer_that_was_captured_in_two_parts_goes_as_a_whole(talk: Talk, tree: Tree) -> None:
    tree.turn("Where are the jars?", "In the cellar.")
    before = tree.ask("Count the jars of plums.")
    tree.answer("I count the shelf of plums.")
    talk.end_turn()
    talk.capture.run(everything=True)
    tree.answer("There are nine plums.")
    talk.end_turn()
    talk.capture.run(everything=True)
    assert talk.text().count("plums") == 3
    tree.leaf = before
    tree.turn("Count the lids.", "Four.")
    talk.capture.run(everything=True)
    assert "plums" not in talk.text() and "Count the lids." in talk.text() and "In the cellar." in talk.text()


def test_a_first_prompt_that_is_edited_names_the_conversation_anew(talk: Talk, tree: Tree) -> None:
    tree.line("attachment", attachment={"type": "environment"})
    before = tree.turn("We sell the bakery to Wren, right?", "Right.")
    talk.capture.run(everything=True)
    tree.leaf = before
    tree.turn("Which flour is in the larder?", "Rye.")
    talk.end()
    talk.capture.run()
    [file] = talk.files()
    assert "bakery" not in file.name and "bakery" not in everything(talk)
    assert frontmatter.split(file.read_text()).fields["title"] == "Which flour is in the larder?"


def test_what_a_later_turn_says_again_stays(talk: Talk, tree: Tree) -> None:
    tree.turn("Where are the jars?", "In the cellar.")
    before = tree.turn("From now on label every jar in Flemish.")
    talk.capture.run(everything=True)
    tree.leaf = before
    tree.turn("From now on label every jar in Flemish, please.")
    talk.capture.run(everything=True)
    hits = talk.vault.recall("In which language is every jar labelled?").hits
    assert any(hit.content_type != "conversation" and "Flemish" in hit.text for hit in hits)


def test_an_older_wording_comes_back_when_the_newer_one_is_taken_back(talk: Talk, tree: Tree) -> None:
    tree.turn("We decided to store the lids in SQLite.")
    talk.capture.run(everything=True)
    before = tree.turn("We decided to store the lids in PostgreSQL instead of SQLite.")
    talk.capture.run(everything=True)
    tree.leaf = before
    tree.turn("Where are the lids?", "In the box.")
    talk.capture.run(everything=True)
    hits = [hit for hit in talk.vault.recall("where do we store the lids?").hits if hit.content_type == "decision"]
    assert hits and all("PostgreSQL" not in hit.text for hit in hits)


def test_results_of_parallel_tools_and_a_compaction_take_nothing_back(talk: Talk, tree: Tree) -> None:
    tree.turn("From now on label every jar in Flemish.")
    tree.ask("Read both lists.")
    calls = []
    for name in ("x", "y"):
        block = {"type": "tool_use", "id": f"t{name}", "name": "Read", "input": {"file_path": f"/{name}"}}
        message = {"id": "par", "role": "assistant", "model": "x", "content": [block]}
        calls.append(tree.line("assistant", message=message, requestId=name))
        talk.now += 1
    talk.end_turn()
    talk.capture.run(everything=True)
    for name, call in zip(("x", "y"), calls, strict=True):
        tree.leaf = call
        result = {"type": "tool_result", "tool_use_id": f"t{name}", "content": "nine"}
        tree.line("user", message={"role": "user", "content": [result]})
        talk.now += 1
    tree.answer("Both are read.")
    talk.end_turn()
    assert talk.capture.run(everything=True).taken_back == 0
    last, tree.leaf = tree.leaf, None
    tree.line("system", subtype="compact_boundary", logicalParentUuid=last)
    tree.line("user", isCompactSummary=True, message={"role": "user", "content": "This session is being continued"})
    tree.turn("Which jars are empty?")
    assert talk.capture.run(everything=True).taken_back == 0
    assert "Flemish" in everything(talk) and "Both are read." in talk.text()


class Killed(BaseException):
    pass


@pytest.mark.parametrize("step", range(20))
@pytest.mark.parametrize("first", [False, True], ids=["later", "first"])
def test_killed_at_any_step_of_taking_back_the_next_run_ends_it(
    talk: Talk, tree: Tree, step: int, first: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.line("attachment", attachment={"type": "environment"})
    start = tree.turn("We decided to sell the bakery to Wren.", "Sold.")
    before = tree.turn("From now on label every jar in Flemish. My sister Wren likes jars of 3 litres.", "In Flemish.")
    talk.capture.run(everything=True)
    tree.leaf = start if first else before
    tree.turn("From now on label every lid in Dutch.", "In Dutch.")
    writer = talk.capture.worker.conversations.writer
    steps = 0
    with monkeypatch.context() as patch:
        for owner, name in (
            (type(talk.capture.history), "record"),
            (type(writer), "index"),
            (type(writer.memories), "replace"),
            (type(writer.memories), "create"),
        ):
            real = getattr(owner, name)

            def counted(self: Any, *given: Any, _real: Any = real, **more: Any) -> Any:
                nonlocal steps
                steps += 1
                if steps == step + 1:
                    raise Killed
                return _real(self, *given, **more)

            patch.setattr(owner, name, counted)
        with suppress(Killed):
            talk.capture.run(everything=True)
    report = talk.again().run(everything=True)
    assert report.problems == ()
    kept = everything(talk)
    assert not any(word in kept for word in ("Flemish", "litres", *(["bakery", "Sold"] if first else [])))
    assert kept.count("label every lid in Dutch") >= 2 and talk.text().count("label every lid in Dutch") == 1
    assert ("bakery" in kept) is not first and len(talk.files()) == 1


def test_a_session_in_two_folders_leaves_memories_in_the_project_of_each(talk: Talk, tree: Tree) -> None:
    folders = [talk.folder / "larder", talk.folder / "pantry"]
    for folder in folders:
        (folder / ".git").mkdir(parents=True)
        (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        (folder / ".git" / "objects").mkdir()
        (folder / ".git" / "refs").mkdir()
    names = [talk.vault.sessions.project_of(str(folder)) for folder in folders]
    assert names[0] != names[1] and None not in names
    tree.turn("From now on label every jar in Flemish.", cwd=str(folders[0]))
    tree.turn("We decided to store the lids in SQLite.", cwd=str(folders[1] / "."))
    talk.end()
    talk.capture.run()
    found = {}
    for file in (talk.folder / "data" / "default" / "memory").rglob("*.md"):
        text = file.read_text()
        for word in ("Flemish", "lids in SQLite"):
            fields = frontmatter.split(text).fields
            if word in text and fields["content_type"] in ("principle", "decision", "preference"):
                found[word] = fields["project"]
    assert found == {"Flemish": names[0], "lids in SQLite": names[1]}


def test_of_a_folder_that_is_excluded_nothing_is_kept_though_the_session_began_elsewhere(
    talk: Talk, tree: Tree
) -> None:
    capture = talk.again(HEARTH_CAPTURE_EXCLUDE=json.dumps(["*/diary*"]))
    tree.turn("From now on label every jar in Flemish.", cwd="/w/larder")
    tree.turn("I decided to leave the bakery to Wren.", cwd="/w/diary")
    tree.turn("Which jars are empty?", cwd="/w/larder")
    talk.end()
    capture.run()
    kept = everything(talk)
    assert "bakery" not in kept and "Flemish" in kept and "Which jars are empty?" in kept


def test_what_could_not_be_read_is_counted_once_and_named(talk: Talk, tree: Tree) -> None:
    tree.turn("Where are the jars?")
    with talk.transcript.open("ab") as file:
        file.write(b'{"type":"user","message":{"content":"lost \n' + b"\0" * 64 + b"\n")
    tree.turn("Where are the lids?")
    talk.capture.run(everything=True)
    tree.turn("Thanks.")
    talk.capture.run(everything=True)
    [passed] = talk.capture.status().passed_over
    assert (passed.lines, passed.session, passed.reason) == (2, talk.name, "not a JSON object")
    assert passed.transcript == str(talk.transcript)
    assert talk.capture.status().to_dict()["passed_over"]["lines"] == 2


def test_a_prompt_beside_an_image_of_11_mb_is_kept(talk: Talk, tree: Tree) -> None:
    image = {"type": "image", "source": {"type": "base64", "data": "A" * 11 * 1024 * 1024}}
    tree.ask("", message={"role": "user", "content": [image, {"type": "text", "text": "Why does this jar leak?"}]})
    tree.answer("The lid is cracked.")
    talk.end_turn()
    talk.end()
    talk.capture.run()
    assert "Why does this jar leak?" in talk.text() and "The lid is cracked." in talk.text()
    assert talk.capture.status().passed_over[0].lines == 1


def test_words_after_a_command_are_the_persons_and_those_after_a_setting_are_not(talk: Talk, tree: Tree) -> None:
    command = "<command-message>{0}</command-message>\n<command-name>/{0}</command-name>\n"
    command += "<command-args>{1}</command-args>"
    tree.turn(command.format("shelve", "We decided to store the lids in SQLite."))
    tree.turn(command.format("model", "We decided to store the jars in Redis."))
    talk.end()
    talk.capture.run()
    kept = everything(talk)
    assert "store the lids in SQLite" in kept and "Redis" not in kept
    assert "## User" in talk.text() and "command-" not in kept


def test_titles_are_without_what_the_client_put_into_a_prompt(talk: Talk, tree: Tree) -> None:
    tree.turn("[Image #1] [Pasted text #2 +30 lines] $label-jars Why does the jar leak?", "The lid is cracked.")
    for number in range(3):
        tree.turn(f"And jar number {number}?")
    talk.end()
    talk.capture.run()
    assert "Hand-off: Why does the jar leak?" in [one.document.title for one in documents(talk)]
    [file] = talk.files()
    assert frontmatter.split(file.read_text()).fields["title"] == "Why does the jar leak?"
