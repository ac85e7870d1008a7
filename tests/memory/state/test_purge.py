"""Purging: the text is in no file any more, here and on other machines, whatever comes in between."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hearth.core.errors import Conflict, NotFound, UsageError
from hearth.memory.purge import texts_of

SECRET = "quagmire-zeppelin"  # one word for the analyzer's parts, too
TEXT = f"The safe opens with {SECRET}, twice."


def memory(house: Any, text: str = TEXT, **given: Any) -> Any:
    return house.vault.memories.remember(text, "preference", title="The safe", subject="safe", **given)


def holding(house: Any) -> list[str]:
    return sorted({*house.holding(SECRET), *house.holding("quagmire"), *house.holding("zeppelin")})


def test_without_yes_it_says_what_would_go_and_nothing_goes(house: Any) -> None:
    done = memory(house)
    before = house.events()
    with pytest.raises(UsageError, match="add --yes"):
        house.vault.state.purge(done.docid)
    assert Path(done.file).exists()
    assert house.events() == before


def test_a_purged_memory_is_in_no_file(house: Any) -> None:
    done = memory(house)
    assert len(holding(house)) >= 2  # else this test could not fail
    result = house.vault.state.purge(done.docid, yes=True, reason="leaked")
    assert (result.scope, result.pending, list(result.erased)) == ("memory", None, [done.file])
    assert holding(house) == []
    house.vault.index.sync()
    house.rebuilt()
    assert holding(house) == []
    assert house.found(SECRET) == []


def test_former_texts_are_gone_with_their_traces_in_the_index(house: Any) -> None:
    done = memory(house, "\n\n".join(f"{number}. {TEXT}" for number in range(800)))
    memory(house, "The safe opens with a kind word, once.")
    assert any(".revisions" in name for name in holding(house))
    house.vault.state.purge(done.docid, yes=True)
    assert holding(house) == []
    assert not (house.data / "default/memory/.revisions").exists() or not any(
        (house.data / "default/memory/.revisions").iterdir()
    )


def test_cached_vectors_of_other_texts_stay_and_those_of_the_purged_go(house: Any) -> None:
    done = memory(house)
    vault = house.vault
    cache, space = vault.state.purger.eraser.embeddings, house.vault.status().spaces[0].name
    with vault.store.read() as reader:
        texts = list(texts_of(reader))
    vector = np.ones(4, dtype=np.int8)
    cache.put(space, dict.fromkeys([*texts, "a former text"], (vector, 0.5)))
    house.vault.state.purge(done.docid, yes=True)
    with vault.store.read() as reader:
        left = list(texts_of(reader))
    assert 0 < len(left) < len(texts)
    known = cache.get(space, [*texts, "a former text"])
    assert [texts[at] for at in sorted(known)] == left


def test_scores_of_a_reranker_go(house: Any) -> None:
    done = memory(house)
    scores = house.vault.state.purger.eraser.reranks()
    scores.put("model", "question", {TEXT: 0.5})
    house.vault.state.purge(done.docid, yes=True)
    assert scores.get("model", "question", [TEXT]) == {}


@pytest.mark.parametrize("folder", ["default", "default/rebuild"])
def test_an_index_that_was_moved_aside_goes_too(house: Any, folder: str) -> None:
    done = memory(house)
    aside = house.cache / folder / "index.sqlite.corrupt-20260101T000000"
    aside.parent.mkdir(exist_ok=True)
    aside.write_bytes(TEXT.encode())
    house.vault.state.purge(done.docid, yes=True)
    assert not aside.exists()


def test_a_copy_that_a_sync_program_made_goes_too(house: Any) -> None:
    done = memory(house)
    copy = Path(done.file).with_name(Path(done.file).stem + ".sync-conflict-20260305.md")
    copy.write_text(TEXT, encoding="utf-8")
    house.vault.state.purge(done.docid, yes=True)
    assert not copy.exists()


@pytest.mark.parametrize("added", [" (1)", ".sync-conflict-20260305-120000-ABCDEFG", "-Annas-Mac", ".Conflict"])
def test_what_a_copy_of_a_memory_says_is_in_no_file_any_more_either(house: Any, added: str) -> None:
    done = memory(house)
    copy = Path(done.file).with_name(f"{Path(done.file).stem}{added}.md")
    copy.write_text(Path(done.file).read_text("utf-8"), "utf-8")
    # One that a person made, where nothing of its name tells.
    named = Path(done.file).with_name("larder.md")
    named.write_text(f"{Path(done.file).read_text('utf-8')}\nAnd more by hand.\n", "utf-8")
    house.vault.index.sync()
    result = house.vault.state.purge(done.docid, yes=True)
    assert (holding(house), result.pending) == ([], None)
    assert sorted(result.erased) == sorted(map(str, (done.file, copy, named)))
    house.vault.index.sync()
    assert (holding(house), house.found("safe opens")) == ([], [])


def test_copies_of_an_entity_go_with_it_and_others_of_a_like_name_stay(house: Any) -> None:
    for name, text in (("Anna", TEXT), ("Anna Maria", "Sings on Sundays.")):
        done = house.vault.memories.remember(text, "entity", subject=name, tags=("person",))
    folder = Path(done.file).parent
    anna = folder / "person-anna.md"
    for added in (" (1)", "-LAPTOP-9QX"):
        anna.with_name(f"person-anna{added}.md").write_text(f"{anna.read_text('utf-8')}- {SECRET}\n", "utf-8")
    house.vault.index.sync()
    house.vault.state.purge("person-anna.md", yes=True)
    assert (holding(house), [file.name for file in folder.glob("*.md")]) == ([], ["person-anna-maria.md"])


def test_a_persons_note_that_begins_like_a_day_outlives_that_day(house: Any) -> None:
    house.vault.memories.note(TEXT)
    [day] = (house.data / "default/memory/daily").glob("2*.md")
    own = day.with_name(f"{day.stem} walk.md")
    own.write_text("The heath at noon.\n", "utf-8")
    house.vault.index.sync()
    house.vault.state.purge(day.name, yes=True)
    assert (holding(house), own.exists()) == ([], True)


def test_of_a_persons_file_everything_but_the_file_goes_and_stays_away(house: Any) -> None:
    file = house.write("safe.md", f"---\ntags: [quagmire]\n---\n# Zeppelin\n\n{TEXT}\n")
    house.vault.index.sync()
    assert holding(house)
    result = house.vault.state.purge("safe.md", yes=True)
    assert (result.scope, result.erased) == ("index", ())
    assert str(file) in result.left[0]
    assert file.read_text(encoding="utf-8").endswith(f"{TEXT}\n")
    for step in ("nothing", "rescan", "edit", "rename", "rebuild"):
        if step == "edit":
            file.write_text(f"# Zeppelin\n\n{TEXT} More.\n", encoding="utf-8")
        if step == "rename":
            file = file.rename(house.notes / "vault.md")
        if step == "rebuild":
            house.rebuilt()
        house.vault.index.sync()
        assert (step, holding(house)) == (step, [])
        assert house.found(SECRET) == []


def test_restore_lets_a_persons_purged_file_be_indexed_again(house: Any) -> None:
    house.write("safe.md", f"# Safe\n\n{TEXT}\n")
    house.vault.state.purge("safe.md", yes=True)
    assert house.vault.state.restore("safe.md").action == "restored"
    house.vault.index.sync()
    assert house.found("safe opens") == ["safe.md"]
    house.rebuilt()
    assert house.found("safe opens") == ["safe.md"]


def test_with_file_a_persons_file_is_deleted_and_another_may_take_its_place(house: Any) -> None:
    file = house.write("safe.md", f"# Safe\n\n{TEXT}\n")
    house.vault.index.sync()
    result = house.vault.state.purge("safe.md", yes=True, file=True)
    assert (result.scope, result.erased, file.exists()) == ("file", (str(file),), False)
    assert holding(house) == []
    house.vault.index.sync()
    house.write("safe.md", f"# Safe\n\n{TEXT}\n")
    house.vault.index.sync()
    assert house.found(SECRET) == []
    house.write("safe.md", "# Safe\n\nThe safe is empty now.\n")
    house.vault.index.sync()
    assert house.found("safe empty") == ["safe.md"]


def test_a_note_that_a_person_put_into_the_memory_folder_is_theirs(house: Any) -> None:
    file = house.data / "default/memory/user/profile.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    house.vault.index.sync()
    file.write_text(f"# Me\n\n{TEXT}\n", encoding="utf-8")
    house.vault.index.sync()
    assert house.vault.state.purge("profile.md", yes=True).scope == "index"
    assert file.exists()


def test_another_machine_carries_the_purge_out_when_it_sees_it(house: Any, neighbour: Any) -> None:
    done = memory(house)
    memory(house, "The safe opens with a kind word, once.")
    neighbour.vault.index.sync()
    assert neighbour.found("kind word")
    house.vault.state.purge(done.docid, yes=True)
    # A sync program brings the file back that the other machine still had.
    Path(done.file).write_text(f"---\nid: {done.docid}\nmachine: x\n---\n{TEXT}\n", encoding="utf-8")
    neighbour.vault.index.sync()
    assert not Path(done.file).exists()
    assert (holding(neighbour), neighbour.found("safe opens")) == ([], [])


def test_a_file_that_comes_back_later_is_erased_again(house: Any) -> None:
    done = memory(house)
    text = Path(done.file).read_bytes()
    house.vault.state.purge(done.docid, yes=True)
    Path(done.file).write_bytes(text)
    house.vault.index.sync()
    assert not Path(done.file).exists()
    assert holding(house) == []


def test_a_purge_during_a_search_leaves_that_search_its_answer_and_is_finished_later(house: Any) -> None:
    done = memory(house)
    store = house.vault.store
    with store.read() as reader:
        stored = reader.document(done.docid)
        assert stored is not None
        result = house.vault.state.purge(done.docid, yes=True)
        assert "search is reading" in str(result.pending)
        assert any(SECRET in part.text for part in reader.fragments_of(stored.id))
        assert house.found(SECRET) == []
    house.vault.index.sync()
    assert holding(house) == []


def test_an_end_right_after_the_journal_was_written_is_made_good_by_the_next_scan(house: Any) -> None:
    from hearth.core.journal import Draft

    done = memory(house)
    changer = house.vault.state
    changer.history.log.append([Draft("purge", done.docid, data={"scope": "memory"})])
    house.vault.index.sync()
    assert not Path(done.file).exists()
    assert holding(house) == []


def test_a_file_that_can_not_be_deleted_is_named_and_tried_again(house: Any) -> None:
    done = memory(house)
    file = Path(done.file)
    file.unlink()
    file.mkdir()  # what stands there can't be unlinked, whoever tries
    result = house.vault.state.purge(done.docid, yes=True)
    assert str(file) in str(result.pending)
    file.rmdir()
    house.vault.index.sync()
    assert holding(house) == []


def test_what_a_purged_memory_superseded_comes_back_as_after_a_rebuild(house: Any) -> None:
    old = house.write("old.md", "# Old safe\n\nThe old safe opens with a key.\n")
    house.vault.index.sync()
    done = memory(house, supersedes=("old.md",))
    assert old.exists()
    house.vault.state.purge(done.docid, yes=True)
    live = house.state("old.md")
    house.rebuilt()
    assert house.state("old.md") == live


def test_a_purged_memory_is_found_by_no_name_any_more(house: Any) -> None:
    done = memory(house)
    house.vault.state.purge(done.docid, yes=True)
    with pytest.raises(NotFound):
        house.vault.state.purge(done.docid, yes=True)
    with pytest.raises((Conflict, NotFound)):
        house.vault.get(done.docid)


def test_a_file_name_that_quotes_the_text_is_not_journaled_by_the_purge(house: Any) -> None:
    done = house.vault.memories.remember(f"Zeppelin quagmire {SECRET}")
    house.vault.state.purge(done.docid, yes=True)
    assert holding(house) == []
