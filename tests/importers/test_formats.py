"""Each format is known by what it holds, and what was said in it comes out; nothing else is taken for a talk."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.importers.exports import BEGUN, WRITERS, talk

from hearth.core.errors import UsageError
from hearth.core.transcript import Kind
from hearth.importers.formats import Conversation, Head, Reading, recognize
from hearth.importers.mining import FORMATS, find_format
from hearth.importers.runs import ImportReport
from hearth.importers.sources import find_files, read_head

SAID = ("Where do we keep the quinces?", "In the larder, on the top shelf.", "And the figs?", "They hang in the attic.")
NOW = (BEGUN + 1_000_000) * 1000


def read(folder: Path) -> Iterator[tuple[str, Conversation]]:
    report = ImportReport()
    files = list(find_files(folder, report.skip))
    for file in files:
        form = recognize(read_head(file), FORMATS)
        if form is not None:
            for found in form.read([file], Reading(frozenset(), NOW, report)):
                assert isinstance(found, Conversation)
                yield form.name, found
    assert report.problems == []


@pytest.mark.parametrize("name", WRITERS)
def test_a_format_is_known_by_its_content_and_gives_what_was_said(tmp_path: Path, name: str) -> None:
    WRITERS[name](tmp_path, "one", talk(*SAID))
    [(form, found)] = list(read(tmp_path))
    assert form == name.partition(" (")[0]
    kinds = (Kind.USER, Kind.ASSISTANT)
    assert [entry.text for entry in found.entries if entry.kind in kinds] == list(SAID)
    if not found.speakers:
        assert [entry.kind for entry in found.entries if entry.kind in kinds] == [*kinds, *kinds]


@pytest.mark.parametrize("name", WRITERS)
def test_the_name_of_a_file_says_nothing(tmp_path: Path, name: str) -> None:
    (tmp_path / "a").mkdir()
    WRITERS[name](tmp_path / "a", "one", talk(*SAID))
    file = max((one for one in (tmp_path / "a").rglob("*") if one.is_file()), key=lambda one: one.stat().st_size)
    if name == "slack":
        file = next(one for one in (tmp_path / "a/one").iterdir())
    other = tmp_path / "README.bin"
    file.rename(other)
    form = recognize(Head(other.read_bytes()[: 64 * 1024]), FORMATS)
    assert form is not None and form.name == name.partition(" (")[0]


FOREIGN = {
    "settings.json": json.dumps({"messages": [], "title": "x", "version": 2, "sessionId": None}),
    "package.json": json.dumps({"name": "shop", "version": "1.0.0", "scripts": {"test": "vitest"}}),
    "rows.json": json.dumps([{"id": 1, "type": "message"}, {"id": 2, "role": "user"}]),
    "log.jsonl": '{"level":"info","msg":"started","ts":1}\n{"level":"warn","msg":"slow","ts":2}\n',
    "events.jsonl": '{"type":"user","id":3}\n{"type":"session","id":"x"}\n',
    "notes.md": "# Plan\n\nNote: buy flour.\nTodo: call Ana.\nNote: bake.\nTodo: eat.\n",
    "faq.md": "Q: How deep is it?\nA: Two metres.\nQ: And there?\nA: Forty.\n",
    "server.log": "INFO: started\nERROR: no disk?\nINFO: again.\nERROR: no disk?\nINFO: bye.\n",
    "CHANGELOG.md": "Added: a lid.\nFixed: a leak.\nAdded: a tap.\nFixed: a drip.\n",
    "mail.txt": "From: ana\nTo: bo\nSubject: jars?\n\nShall we?\n\nFrom: bo\nTo: ana\nSubject: jars?\n\nYes.\n",
    "compose.yaml": "Name: shop\nPort: 80\nName: db\nPort: 90\nName: cache\nPort: 70\n",
    "empty": "",
    "zeros": "\0" * 5_000,
}


@pytest.mark.parametrize("name", FOREIGN)
def test_what_is_no_conversation_is_not_taken_for_one(tmp_path: Path, name: str) -> None:
    assert recognize(Head(FOREIGN[name].encode()), FORMATS) is None


def test_people_who_talk_in_a_text_are_third_persons(tmp_path: Path) -> None:
    WRITERS["text"](tmp_path, "one", talk(*SAID, names=("Ana", "Bo Lee")))
    [(_, found)] = list(read(tmp_path))
    assert list(found.speakers.values()) == ["Ana", "Bo Lee", "Ana", "Bo Lee"]


@pytest.mark.parametrize("names", [("Customer", "Agent"), ("Jane", "Claude")])
def test_a_name_like_an_assistants_makes_nobody_the_person(tmp_path: Path, names: tuple[str, str]) -> None:
    WRITERS["text"](tmp_path, "one", talk(*SAID, names=names))
    [(_, found)] = list(read(tmp_path))
    assert list(found.speakers.values()) == [*names, *names]
    assert all(entry.kind is Kind.ASSISTANT for entry in found.entries)


def test_an_unknown_format_is_refused_with_the_names_that_there_are() -> None:
    with pytest.raises(UsageError, match="claude-code"):
        find_format("word")


def test_what_may_be_of_two_formats_is_said_with_the_option_that_decides() -> None:
    twice = [form for form in FORMATS if form.name == "text"] * 2
    with pytest.raises(UsageError, match="--format"):
        recognize(Head(b"User: a\nAssistant: b\nUser: c\nAssistant: d\n"), twice)


def test_a_head_that_ends_in_the_middle_of_a_value_is_read_as_far_as_it_goes() -> None:
    whole = json.dumps([{"mapping": {"a": {"text": 'x, ] } "y \\'}}, "title": "t"}, {"mapping": {}, "title": "u, {v"}])
    for end in range(1, len(whole)):
        value = Head(whole[:end].encode()).value
        assert value == [] or isinstance(value[0], dict), whole[:end]
    assert len(Head(whole[:-4].encode()).items) == 2
