"""The ways of naming a document, reading it back, and what stands around it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import pytest

from hearth.core.document import docid
from hearth.core.errors import Ambiguous, BadReply, NotFound, Unavailable
from hearth.disk.collections import DiskFiles
from hearth.guard.secrets import redaction as secrets
from hearth.models.static import quantize
from hearth.ports import Collection, Filter
from hearth.recall.hits import similar, timeline
from hearth.testing import HashEmbedder
from hearth.vault.changes import find
from hearth.vault.documents import Excerpt, read_lines
from hearth.vault.embedding import Filler
from hearth.vault.ledger import Space, Spaces

if TYPE_CHECKING:
    from hearth.ports import DocumentReader


@pytest.fixture
def filled(box: Any) -> Any:
    inner = box.root / "inner"
    box.collections = [
        Collection("notes", str(box.root), inner_roots=(str(inner),)),
        Collection("inner", str(inner)),
    ]
    box.write("db/choice.md", "# Choice\n\none\ntwo\nthree\nfour\n")
    box.write("api/choice.md", "# API\n\namber\n")
    box.write("inner/deep.md", "# Deep\n\nbasalt\n")
    box.write("Größe 1.md", "# Size\n")
    box.sync()
    return box


def named(box: Any, reference: str) -> str:
    roots = {collection.name: collection.root for collection in box.collections}
    with box.store.read() as reader:
        target = find(reference, reader, roots)
    return f"{target.stored.document.collection}/{target.stored.document.path}"


def lines(box: Any, reference: str, *, raw: bool = False) -> Excerpt:
    roots = {collection.name: collection.root for collection in box.collections}
    with box.store.read() as reader:
        target = find(reference, reader, roots)
    collection = next(c for c in box.collections if c.name == target.stored.document.collection)
    return read_lines(DiskFiles(), collection, target, None if raw else secrets.redact)


def test_a_document_is_found_by_every_name_it_has(filled: Any) -> None:
    identity = docid("notes", "db/choice.md")
    stored = filled.stored("db/choice.md").document
    for reference in (
        f"#{identity}", identity, identity[:6], identity.upper(), "notes/db/choice.md", "db/choice.md",
        "hearth://notes/db/choice.md", "hearth://notes/db/choice.md#L2-L3", f"{filled.root}/db/choice.md",
        "./db/choice.md", stored.body_hash[:8], " db/choice.md ", "db/choice.md:3",
    ):  # fmt: skip
        assert named(filled, reference) == "notes/db/choice.md", reference


def test_a_whole_docid_is_looked_up_without_searching_names(filled: Any) -> None:
    class Nameless:
        """Whatever else it is asked for is missing."""

        def __init__(self, reader: Any) -> None:
            self.document = reader.document

    identity = docid("notes", "db/choice.md")
    with filled.store.read() as reader:
        for reference in (identity, f"#{identity}:2", f"[[{identity.upper()}]]"):
            assert find(reference, cast("DocumentReader", Nameless(reader)), {}).stored.document.docid == identity


def test_names_are_compared_in_their_composed_form(filled: Any) -> None:
    assert named(filled, "Gro\u0308ße 1.md".replace("Gro\u0308ße", "Gro\u0308ße")) == "notes/Größe 1.md"
    assert named(filled, "hearth://notes/Gr%C3%B6%C3%9Fe%201.md") == "notes/Größe 1.md"


def test_an_absolute_path_belongs_to_the_innermost_collection(filled: Any) -> None:
    assert named(filled, f"{filled.root}/inner/deep.md") == "inner/deep.md"


def test_a_name_that_fits_several_lists_them(filled: Any) -> None:
    with pytest.raises(Ambiguous) as caught:
        named(filled, "choice.md")
    assert set(caught.value.candidates) == {"notes/api/choice.md", "notes/db/choice.md"}


def test_a_file_is_known_by_the_number_or_words_that_its_name_begins_with(filled: Any) -> None:
    for path in ("adr/0008-server-side-sessions.md", "adr/0009-queue.md", "adr/00080.md"):
        filled.write(path, f"# {path}\n")
    filled.sync()
    assert named(filled, "0008") == "notes/adr/0008-server-side-sessions.md"
    assert named(filled, "0008-SERVER") == "notes/adr/0008-server-side-sessions.md"
    for text in ("0008-serv", "00", "0010"):
        with pytest.raises(NotFound):
            named(filled, text)


def test_a_forgotten_document_can_neither_be_named_nor_confuse(filled: Any) -> None:
    filled.journalled("forget", "api/choice.md")
    assert named(filled, "choice.md") == "notes/db/choice.md"
    with pytest.raises(NotFound, match=r"did you mean notes/db/choice\.md\?"):
        named(filled, "api/choice.md")


def test_a_miss_suggests_near_names(filled: Any) -> None:
    with pytest.raises(NotFound, match=r"did you mean inner/deep\.md"):
        named(filled, "deeep.md")
    for odd in ("", "#", ":3", "hearth://", "\0", "\ud800", "*", "'; --", "../../etc/passwd"):
        with pytest.raises(NotFound):
            named(filled, odd)


def test_a_miss_suggests_documents_of_nearly_this_title(filled: Any) -> None:
    filled.write("decisions/0012.md", "# Move sessions to Redis\n\nbasalt\n")
    filled.sync()
    for text in ("Move session to Redis", "sessions to redis", "0012-a"):
        with pytest.raises(NotFound, match=r"did you mean notes/decisions/0012\.md"):
            named(filled, text)


def test_names_right_and_wrong_cost_no_more_in_a_larger_vault(
    make_box: Callable[[], Any], steps: Callable[..., int]
) -> None:
    def ask(box: Any, reference: str) -> None:
        with contextlib.suppress(NotFound):
            named(box, reference)

    costs: dict[str, list[int]] = {}
    for count in (300, 1_200):
        box = make_box()
        for number in range(count):
            box.write(f"{number % 7}/plan {number}.md", f"# Plan {number}\n\nBox {number}.\n")
        box.sync()
        path = "5/plan 12.md"
        for reference in (path, f"notes/{path}", "plan 12.md", docid("notes", path)[:8], "plen 12", "5/plam 12.md"):
            costs.setdefault(reference, []).append(steps(lambda box=box, text=reference: ask(box, text)))
        box.store.close()
    assert {name: few for name, (few, many) in costs.items() if many > 1.5 * few} == {}


@pytest.mark.parametrize(
    ("suffix", "expected"),
    [
        ("", (1, 6, "# Choice\n\none\ntwo\nthree\nfour")),
        (":3", (3, 6, "one\ntwo\nthree\nfour")),
        (":3:2", (3, 4, "one\ntwo")),
        ("#L4", (4, 4, "two")),
        ("#L4-L5", (4, 5, "two\nthree")),
        ("#L4-5", (4, 5, "two\nthree")),
        (":5:99", (5, 6, "three\nfour")),
    ],
)
def test_lines_are_read_as_asked(filled: Any, suffix: str, expected: tuple[int, int, str]) -> None:
    excerpt = lines(filled, f"db/choice.md{suffix}")
    assert (excerpt.start_line, excerpt.end_line, excerpt.text) == expected
    assert excerpt.total_lines == 6


def test_lines_beyond_the_end_and_lost_files_are_named(filled: Any) -> None:
    with pytest.raises(NotFound, match="has 6 lines; 7 is beyond"):
        lines(filled, "db/choice.md:7")
    (filled.root / "db/choice.md").write_bytes(b"\0\0")
    with pytest.raises(Unavailable, match="binary"):
        lines(filled, "db/choice.md")
    (filled.root / "db/choice.md").unlink()
    with pytest.raises(NotFound, match="deleted since it was indexed"):
        lines(filled, "db/choice.md")


def test_the_lines_read_are_the_lines_of_the_index_whatever_the_encoding(box: Any) -> None:
    body = "# Kopf\n\n" + "".join(f"Zeile {n} mit Größe.\n" for n in range(3, 60))
    for name, data in {
        "crlf.md": body.replace("\n", "\r\n").encode(),
        "bom.md": b"\xef\xbb\xbf" + body.encode(),
        "utf16.md": b"\xff\xfe" + body.encode("utf-16-le"),
        "bad.md": body.encode().replace(b"Kopf", b"K\xff\xe2\x82pf"),
    }.items():
        box.write(name, data)
    box.sync()
    for name in ("crlf.md", "bom.md", "utf16.md", "bad.md"):
        stored = box.stored(name)
        with box.store.read() as reader:
            parts = reader.fragments_of(stored.id)
        for part in parts:
            shown = lines(box, f"{name}#L{part.start_line}-L{part.end_line}").text
            assert shown == part.text.replace("\r\n", "\n").rstrip("\n"), name


def test_secrets_are_shown_only_raw(box: Any) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    box.write("a.md", f"one\ntoken {secret}\nthree\n")
    box.sync()
    assert lines(box, "a.md:2:1").text == "token [redacted:github-token]"
    assert lines(box, "a.md:2:1", raw=True).text == f"token {secret}"


# -- around a document -----------------------------------------------------------------------------------------------


def test_similar_documents_share_words_or_meaning_and_leave_itself_out(box: Any) -> None:
    for name, text in {
        "a.md": "amber basalt cedar", "b.md": "amber basalt delta", "c.md": "ember fjord", "d.md": "amber basalt cedar",
    }.items():  # fmt: skip
        box.write(name, text + "\n")
    box.sync()
    embedder = HashEmbedder()
    space = Spaces(Space(lambda: embedder))
    Filler(box.store, quantize, box.syncer().exclusive).run(embedder)
    box.journalled("forget", "d.md")
    with box.store.read() as reader:
        for chosen in (space, None):
            found = similar(reader.document(docid("notes", "a.md")), chosen, reader, 10, 0)
            assert found[0].path == "b.md"
            assert not {"a.md", "d.md"} & {hit.path for hit in found}
            assert len(similar(reader.document(docid("notes", "a.md")), chosen, reader, 1, 0)) == 1


def test_the_timeline_stands_around_its_document(filled: Any) -> None:
    for number in range(1, 6):
        filled.write(f"2024-01-0{number}.md", f"Day {number}.\n")
    filled.sync()
    with filled.store.read() as reader:
        middle = reader.document(docid("notes", "2024-01-03.md"))
        found = timeline(middle, reader, 1, 1, Filter(collections=("notes",)))
    assert [(m.stored.document.path, m.focus) for m in found] == [
        ("2024-01-02.md", False), ("2024-01-03.md", True), ("2024-01-04.md", False),
    ]  # fmt: skip


# -- embedding -------------------------------------------------------------------------------------------------------


class Poisoned(HashEmbedder):
    """Refuses texts that hold a word."""

    def __init__(self, word: str, error: type[Exception] = BadReply) -> None:
        super().__init__()
        self._word, self._error = word, error

    def embed(self, texts: Any, role: Any) -> Any:
        if any(self._word in text for text in texts):
            raise self._error(f"can't embed {self._word}")
        return super().embed(texts, role)


def test_a_text_that_the_model_refuses_blocks_no_other_and_is_tried_three_times(box: Any) -> None:
    for name in ("amber", "basalt", "cedar"):
        box.write(f"{name}.md", f"{name}\n")
    box.sync()
    filler = Filler(box.store, quantize, box.syncer().exclusive)
    first = filler.run(Poisoned("basalt"))
    assert (first.embedded, first.failed) == (2, 1)
    assert [filler.run(Poisoned("basalt")).failed for _ in range(3)] == [1, 1, 0]
    assert filler.run(HashEmbedder(name="other")).embedded == 3


def test_a_model_that_is_away_leaves_the_work_for_later(box: Any) -> None:
    box.write("a.md", "amber\n")
    box.sync()
    filler = Filler(box.store, quantize, box.syncer().exclusive)
    report = filler.run(Poisoned("amber", Unavailable))
    assert (report.embedded, report.failed, report.error) == (0, 0, "can't embed amber")
    assert filler.run(HashEmbedder()).embedded == 1
    assert filler.run(HashEmbedder()).embedded == 0
    assert filler.run(HashEmbedder(), again=True).embedded == 1
