"""Several vector spaces side by side: which one answers, how one takes over, and that no failure takes answers away."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hearth.core.document import docid
from hearth.core.errors import Unavailable
from hearth.core.query import Query, Recall
from hearth.markdown.fragments import embedding_text
from hearth.models.static import StaticEmbedder, quantize
from hearth.recall.hits import similar
from hearth.recall.interfaces import RankingSettings
from hearth.recall.recall import Recaller
from hearth.store.sqlite.caches import SqliteEmbeddings
from hearth.testing import TableModel
from hearth.vault import embedding, ledger
from hearth.vault.canary import Collapsed
from hearth.vault.embedding import BatchPatience, EmbedReport, Filler, Order
from hearth.vault.ledger import Model, Space, Spaces
from hearth.vault.upkeep import SMALL, SpaceStatus, Upkeep

NOTES = {
    "boat.md": "# Boat\n\nThe hull of the sailing boat was painted last summer.\n",
    "bread.md": "# Bread\n\nRye dough rises for eight hours before it is baked.\n",
    "money.md": "# Money\n\nThe bank raised the interest on our loan.\n",
}
QUESTION = "painting the ship"


class Rig:
    """A box with a model that can be changed under it."""

    def __init__(self, box: Any, *, local: bool = False, strict: bool = False) -> None:
        self.box = box
        self.model: TableModel | None = TableModel()
        self.local, self.strict = local, strict
        self.static = StaticEmbedder()
        self.embeddings = SqliteEmbeddings(box.home / "embeddings.sqlite", 10_000)

    @property
    def spaces(self) -> Spaces:
        model, static = self.model, Space(lambda: self.static)
        if model is None:
            return Spaces(static)
        return Spaces(static, Model("the model", lambda: model, lambda: model), self.strict)

    @property
    def upkeep(self) -> Upkeep:
        filler = Filler(self.box.store, quantize, nullcontext, self.embeddings)
        return Upkeep(self.box.store, self.spaces, filler, lambda wait: nullcontext(), lambda: self.box.now, self.local)

    def write(self, notes: dict[str, str] = NOTES) -> None:
        for path, text in notes.items():
            self.box.write(path, text)
        self.box.sync()
        self.upkeep.static()

    def embed(self, *, force: bool = False) -> EmbedReport:
        return self.upkeep.run(force=force)

    def ask(self, text: str = QUESTION, **given: Any) -> Recall:
        recaller = Recaller(self.box.store, self.spaces, RankingSettings())
        return recaller(Query(text, **{"at": self.box.now, "recipe": "semantic", "min_score": 0.0, **given}))

    def status(self) -> dict[str, SpaceStatus]:
        with self.box.store.read() as reader:
            return {space.name: space for space in self.upkeep.status(reader)}

    def by_model(self, text: str = QUESTION) -> bool:
        """Whether the model answers, told by its cosines."""
        recall = self.ask(text, explain=True)
        best = recall.hits[0]
        with self.box.store.read() as reader:
            (part,) = reader.fragments_of(reader.document(best.docid).id)
            block = reader.vectors(self.model.fingerprint, fragments=[part.id]) if self.model else None
        if block is None or not len(block.fragments):
            return False
        stored = block.vectors[0].astype(np.float32) * block.scales[0]
        raw = next(lane.raw for lane in best.explain.lanes if lane.lane == "vector")
        return bool(np.isclose(raw, float(stored @ self.model.embed([text], "query")[0]), atol=0.01))


def scores(recall: Recall) -> dict[str, float]:
    return {hit.path: hit.score for hit in recall.hits}


@pytest.fixture
def rig(box: Any) -> Iterator[Rig]:
    built = Rig(box)
    yield built
    built.embeddings.close()


# -- which space answers ---------------------------------------------------------------------------------------------


def test_a_model_answers_once_its_space_is_complete_and_the_static_table_until_then(rig: Rig) -> None:
    rig.write()
    before = rig.ask()
    assert before.hits[0].path == "boat.md"
    assert before.missing == ("the model: its vectors are not complete; run: hearth embed",)
    report = rig.embed()
    assert report.embedded == 3
    assert report.news == ["model:64:1 is complete and answers from now on"]
    after = rig.ask()
    assert after.hits[0].path == "boat.md"
    assert after.missing == ()
    assert rig.by_model()


def test_new_fragments_answer_by_the_static_table_until_the_model_has_them(rig: Rig) -> None:
    rig.write()
    rig.embed()
    rig.write({"ship.md": "# Ship\n\nWe painted the ship blue.\n"})
    recall = rig.ask()
    assert recall.hits[0].path == "ship.md"
    assert {hit.path for hit in recall.hits} >= {"ship.md", "boat.md"}
    assert recall.missing == ()
    mixed = scores(recall)["ship.md"]
    rig.model = None
    assert scores(rig.ask())["ship.md"] == pytest.approx(mixed, abs=0.02)


def test_what_the_model_lacks_is_looked_up_again_after_each_update(rig: Rig) -> None:
    rig.write()
    rig.embed()
    rig.write({"ship.md": "# Ship\n\nWe painted the ship blue.\n"})
    assert rig.ask().hits[0].path == "ship.md"
    rig.write({"ship.md": "# Ship\n\nIt was sold.\n", "paint.md": "# Paint\n\nThe ship gets new paint.\n"})
    assert rig.ask("new paint for the ship").hits[0].path == "paint.md"


def test_each_fragment_has_the_weight_of_the_space_that_judges_it(rig: Rig) -> None:
    rig.write()
    rig.embed()
    rig.write({"ship.md": "# Ship\n\nWe gave the ship a fresh coat of blue.\n"})
    with rig.box.store.write() as writer:
        ledger.note(writer, replace(ledger.read(writer)["model:64:1"], weight=0.0))
    mixed = scores(rig.ask(recipe="hybrid"))
    rig.model = None
    static = scores(rig.ask(recipe="hybrid"))
    words = scores(rig.ask(recipe="keyword"))
    assert mixed["ship.md"] == pytest.approx(static["ship.md"])
    assert mixed["boat.md"] == pytest.approx(words["boat.md"])
    assert static["boat.md"] != pytest.approx(words["boat.md"], abs=0.01)
    assert static["ship.md"] != pytest.approx(words["ship.md"], abs=0.01)


def test_filters_hold_in_both_parts_of_a_mixed_answer(rig: Rig) -> None:
    rig.write()
    rig.embed()
    rig.write({"ship.md": "# Ship\n\nWe painted the ship blue.\n"})
    rig.box.journalled("forget", "ship.md")
    rig.box.journalled("forget", "boat.md")
    assert not {"ship.md", "boat.md"} & {hit.path for hit in rig.ask().hits}


@pytest.mark.parametrize("how", ["away", "nan", "wide"])
def test_a_model_that_fails_a_question_is_named_and_the_static_table_answers(rig: Rig, how: str) -> None:
    rig.write()
    rig.embed()
    if how == "away":
        rig.model.away = True
    else:
        rig.model.spoilt = how
    recall = rig.ask()
    assert recall.hits[0].path == "boat.md"
    (reason,) = recall.missing
    assert reason.startswith("the model: ")


class Narrower(TableModel):
    """Another width under the name of the first."""

    def __init__(self) -> None:
        super().__init__(dimensions=32)
        self.fingerprint = TableModel().fingerprint


def test_a_question_of_another_width_than_the_stored_vectors_is_left_to_the_static_table(rig: Rig) -> None:
    rig.write()
    rig.embed()
    rig.model = Narrower()
    recall = rig.ask()
    assert recall.hits[0].path == "boat.md"
    assert recall.missing == ("the model: it gave a vector of 32 numbers, its stored ones have 64; run: hearth embed",)


def test_a_model_that_stalls_is_left_out_and_asked_again_when_it_is_back(rig: Rig) -> None:
    rig.write()
    rig.embed()
    rig.model.gate = threading.Event()
    model = rig.spaces.model
    recaller = Recaller(rig.box.store, Spaces(rig.spaces.static, model), RankingSettings())
    query = Query(QUESTION, at=rig.box.now, recipe="semantic", min_score=0.0, deadline_ms=60)
    first = recaller(query)
    assert first.missing == ("the model: it did not answer within 0.02 s",)
    assert first.hits[0].path == "boat.md"
    assert recaller(query).missing == ("the model: it has not answered an earlier question yet",)
    rig.model.gate.set()
    for thread in threading.enumerate():
        if thread.name == "hearth-model":
            thread.join()
    rig.model.gate = None
    later = Query(QUESTION, at=rig.box.now, recipe="semantic", min_score=0.0)
    assert recaller(later).missing == ()


def test_a_question_whose_time_is_up_asks_no_model_and_leaves_none_waiting(rig: Rig) -> None:
    rig.write()
    rig.embed()
    query = Query(QUESTION, at=rig.box.now, recipe="semantic", min_score=0.0, deadline_ms=0)
    recaller = Recaller(rig.box.store, rig.spaces, RankingSettings())
    found = recaller(query)
    assert found.missing == ("the model: there was no time left to ask it",)
    assert found.hits[0].path == "boat.md"
    assert recaller(replace(query, deadline_ms=None)).missing == ()


def test_with_fallback_error_a_model_that_fails_fails_the_search(box: Any) -> None:
    rig = Rig(box, strict=True)
    rig.write()
    with pytest.raises(Unavailable, match="run: hearth embed"):
        rig.ask()
    rig.embed()
    assert rig.ask().hits
    rig.model.away = True
    with pytest.raises(Unavailable, match="is away"):
        rig.ask()
    assert rig.ask("boat", recipe="keyword").hits
    rig.embeddings.close()


def test_similar_documents_are_found_in_the_space_that_has_the_document(rig: Rig) -> None:
    rig.write({**NOTES, "ship.md": "# Ship\n\nWe painted the ship blue.\n"})
    rig.embed()
    rig.write({"sail.md": "# Sail\n\nA new sail for the boat.\n"})
    rig.model.away = True
    with rig.box.store.read() as reader:
        for path in ("boat.md", "sail.md"):
            found = similar(reader.document(docid("notes", path)), rig.spaces, reader, 2, rig.box.now)
            assert {hit.path for hit in found} & {"boat.md", "ship.md"}


# -- switching -------------------------------------------------------------------------------------------------------


def test_a_space_is_complete_since_it_first_was(rig: Rig) -> None:
    rig.write()
    rig.embed()
    first = rig.status()["model:64:1"].facts
    assert first is not None
    assert first.complete == rig.box.now
    rig.write({"ship.md": "# Ship\n\nWe painted the ship blue.\n"})
    assert rig.box.now > first.complete
    assert rig.embed().news == []
    later = rig.status()["model:64:1"].facts
    assert later is not None
    assert later.complete == first.complete


def test_another_model_takes_over_when_it_is_complete_and_only_then_the_first_goes(rig: Rig) -> None:
    rig.write()
    rig.embed()
    rig.model = TableModel("other", 96)
    rig.model.away = True
    report = rig.embed()
    assert report.error == "other:96:1 is away"
    assert rig.status()["model:64:1"].vectors == 3
    rig.model.away = False
    rig.model.refused = frozenset({"hull"})
    rig.embed()
    assert rig.status()["model:64:1"].vectors == 3
    assert rig.status()["other:96:1"].role == "filling"
    assert rig.ask().hits[0].path == "boat.md"
    rig.model.refused = frozenset()
    assert rig.embed().news == [
        "other:96:1 is complete and answers from now on",
        "dropped the vectors of model:64:1, which no longer answers",
    ]
    assert set(rig.status()) == {"other:96:1", rig.static.fingerprint}
    assert rig.by_model()


def test_going_back_before_the_other_is_complete_costs_nothing(rig: Rig) -> None:
    rig.write()
    first = rig.model
    rig.embed()
    rig.model = TableModel("other")
    rig.model.refused = frozenset({"hull"})
    rig.embed()
    rig.model = first
    asked = first.asked
    assert rig.by_model()
    rig.embed()
    assert first.asked - asked < 20
    assert set(rig.status()) == {"model:64:1", rig.static.fingerprint}


def test_a_model_that_is_no_longer_configured_is_dropped_by_embed_alone(rig: Rig) -> None:
    rig.write()
    rig.embed()
    rig.model = None
    rig.write({"new.md": "A new note.\n"})
    assert rig.status()["model:64:1"].role == "former"
    assert rig.ask().missing == ()
    assert rig.embed().news == ["dropped the vectors of model:64:1, which no longer answers"]
    assert set(rig.status()) == {rig.static.fingerprint}


def test_embedding_anew_fills_a_second_space_while_the_first_answers(rig: Rig) -> None:
    rig.write()
    rig.embed()
    rig.model.refused = frozenset({"hull"})
    rig.embed(force=True)
    found = rig.status()
    assert (found["model:64:1"].serves, found["model:64:1#2"].serves) == (True, False)
    rig.model.refused = frozenset()
    asked = rig.model.asked
    assert rig.embed(force=True).embedded == 3 + 1, "the run before is resumed: 3 static ones and the one that is left"
    assert rig.model.asked - asked < 100
    assert set(rig.status()) == {"model:64:1#2", rig.static.fingerprint}
    assert rig.ask().missing == ()


def test_vectors_of_a_changed_document_go_in_every_space(rig: Rig) -> None:
    rig.write()
    rig.embed()
    rig.write({"boat.md": "# Boat\n\nSold.\n"})
    assert rig.status()["model:64:1"].vectors == 2
    assert rig.status()[rig.static.fingerprint].vectors == 3
    rig.embed()
    with rig.box.store.read() as reader:
        assert reader.lacking("model:64:1") == []


def meanwhile(model: TableModel, word: str, change: Callable[[], None]) -> None:
    """Makes ``change`` once, while the model is at a text with ``word``."""
    inner, left = model.embed, [change]

    def embed(texts: Sequence[str], role: Any) -> Any:
        found = inner(texts, role)
        while left and any(word in text for text in texts):
            left.pop()()
        return found

    model.embed = embed  # type: ignore[method-assign]


@pytest.fixture
def rebuilt(make_box: Callable[[], Any]) -> Iterator[Rig]:
    """While the model is at the first batch, the index is made anew with other fragments under the same ids."""
    rig = Rig(make_box())
    rig.write()

    def rebuild() -> None:
        for file in rig.box.home.glob("index-0.sqlite*"):
            file.unlink()
        rig.write({"apple.md": "# Apple\n\nThe apple tree is in blossom.\n"})

    assert rig.model is not None
    meanwhile(rig.model, "hull", rebuild)
    yield rig
    rig.embeddings.close()
    rig.box.store.close()


def test_a_vector_is_written_only_where_its_text_still_stands(rebuilt: Rig) -> None:
    rebuilt.embed()
    model = TableModel()
    with rebuilt.box.store.read() as reader:
        parts = reader.fragments_after(0, 100)
        titles = {row: stored.document.title for row, stored in reader.documents([p.document for p in parts]).items()}
        block = reader.vectors(model.fingerprint, fragments=[part.id for part in parts])
    assert len(block.fragments) > 0
    texts = {part.id: embedding_text(part, titles[part.document]) for part in parts}
    assert len(texts) == 4
    expected = model.embed([texts[int(fragment)] for fragment in block.fragments], "document")
    assert np.allclose(block.vectors * block.scales[:, None], expected, atol=0.01)


def test_what_a_rebuild_put_behind_a_run_is_embedded_in_that_run(rebuilt: Rig) -> None:
    assert rebuilt.embed().news == ["model:64:1 is complete and answers from now on"]
    assert rebuilt.status()["model:64:1"].vectors == 4


# -- failures --------------------------------------------------------------------------------------------------------


def test_a_text_refused_three_times_does_not_keep_a_space_from_being_complete(rig: Rig) -> None:
    rig.write()
    rig.model.refused = frozenset({"hull"})
    reports = [rig.embed() for _ in range(3)]
    assert [report.failed for report in reports] == [1, 1, 1]
    assert [bool(report.news) for report in reports] == [False, False, True]
    space = rig.status()["model:64:1"]
    assert (space.serves, space.missing, space.failed) == (True, 0, 1)
    assert space.reasons == (("model:64:1 refuses hull", 1),)
    assert rig.ask().hits[0].path == "boat.md", "the static table answers for it"


def test_a_model_that_refuses_most_texts_does_not_take_over(rig: Rig) -> None:
    rig.write({f"{n}.md": f"# Note {n}\n\nThe boat number {n}.\n" for n in range(6)})
    rig.model.refused = frozenset(f"number {n}" for n in range(5))
    for _ in range(4):
        rig.embed()
    assert not rig.status()["model:64:1"].serves
    assert rig.status()["model:64:1"].missing == 0


def test_a_run_in_which_nearly_everything_fails_stops(rig: Rig) -> None:
    rig.write({f"{n}.md": f"# Note\n\nThe boat number {n}.\n" for n in range(60)})
    rig.model.refused = frozenset({"boat number"})
    report = rig.embed()
    assert report.failed == 32
    assert "32 of 32 texts failed" in (report.error or "")


@pytest.mark.parametrize("how", ["nan", "alike", "wide"])
def test_a_model_that_is_of_no_use_stops_before_anything_is_written(rig: Rig, how: str) -> None:
    rig.write()
    rig.model.spoilt = how
    with pytest.raises(Exception, match="model:64:1") as caught:
        rig.embed()
    assert caught.value.code == "bad_reply"
    assert set(rig.status()) == {rig.static.fingerprint, "model:64:1"}
    assert rig.status()["model:64:1"].vectors == 0
    assert rig.ask().hits[0].path == "boat.md"


def test_a_model_that_changed_behind_its_name_is_noticed_and_replaced_when_told(rig: Rig) -> None:
    rig.write()
    rig.embed()
    rig.model.seed = 7
    rig.write({"ship.md": "# Ship\n\nWe painted the ship blue.\n"})
    with pytest.raises(Collapsed, match="hearth embed -f"):
        rig.embed()
    assert rig.status()["model:64:1"].vectors == 3, "vectors of two models never meet in one space"
    recall = rig.ask()
    assert "is not the model that made the stored vectors" in recall.missing[0]
    assert {hit.path for hit in recall.hits} >= {"ship.md", "boat.md"}
    rig.embed(force=True)
    assert set(rig.status()) == {"model:64:1#2", rig.static.fingerprint}
    assert rig.ask().missing == ()


def test_a_model_that_comes_back_as_it_was_is_trusted_again(rig: Rig) -> None:
    rig.write()
    rig.embed()
    rig.model.seed = 7
    with pytest.raises(Collapsed):
        rig.embed()
    rig.model.seed = 0
    rig.embed()
    assert rig.by_model()


def test_a_model_that_breaks_during_a_run_spoils_the_new_space_only(rig: Rig) -> None:
    rig.write()
    rig.embed()

    class Breaking(TableModel):
        def embed(self, texts: Any, role: Any) -> Any:
            found = super().embed(texts, role)
            self.seed = 3 if any("hull" in text for text in texts) else self.seed
            return found

    rig.model = Breaking("other")
    with pytest.raises(Collapsed):
        rig.embed()
    found = rig.status()
    assert found["other:64:1"].role == "doubted"
    assert found["model:64:1"].vectors == 3
    with pytest.raises(Collapsed):
        rig.embed()
    rig.model = TableModel("other")
    rig.embed(force=True)
    assert set(rig.status()) == {"other:64:1#2", rig.static.fingerprint}


def test_losing_the_index_does_not_bring_back_the_vectors_of_a_model_that_changed(box: Any) -> None:
    rig = Rig(box)
    rig.write()
    rig.embed()
    rig.model.seed = 7
    rig.embed(force=True)
    box.new_store()
    rig.write()
    report = rig.embed()
    assert report.reused >= 3, "what the present model made comes from the cache"
    assert "model:64:1#2" in rig.status()
    assert rig.ask().missing == ()
    rig.embeddings.close()


class Service:
    """A batch service: takes so many texts at a time, refuses those with a word, and is slow."""

    def __init__(self, most: int, refused: str = "-") -> None:
        self.most, self.refused = most, refused
        self.pending = True
        self.waits = 0
        self.vectors: dict[int, Any] = {}
        self.failed: dict[int, str] = {}

    def run(self, texts: Sequence[str], wait: Callable[[], None]) -> Service:
        wait()
        self.waits += 1
        rows = TableModel().embed(texts[: self.most], "document")
        self.failed = {at: "too odd" for at, text in enumerate(texts[: self.most]) if self.refused in text}
        self.vectors = {at: row for at, row in enumerate(rows) if at not in self.failed}
        return self

    def finish(self) -> None:
        self.pending = self.waits < 2


def test_much_work_goes_through_the_batch_service_and_the_model_does_the_rest(rig: Rig) -> None:
    rig.write()
    service = Service(1, refused="dough")
    filler = Filler(rig.box.store, quantize, nullcontext, rig.embeddings, patience=BatchPatience(poll=0))
    asked = rig.model.asked
    report = filler.fill(Order(rig.model, "model:64:1"), backfill=service)
    assert (service.waits, report.embedded, report.failed) == (2, 2, 1)
    assert rig.model.asked - asked == 1
    with rig.box.store.read() as reader:
        (failure,) = reader.spaces()["model:64:1"].failures
        assert failure.error == "too odd"


class Slow(Service):
    """Its batch is not done yet."""

    asked = 0

    def run(self, texts: Sequence[str], wait: Callable[[], None]) -> Service:
        while self.asked < 3:
            self.asked += 1
            wait()
        return super().run(texts, lambda: None)


@pytest.mark.parametrize(("most", "runs"), [(0, 4), (60, 1)])
def test_a_run_leaves_a_batch_that_takes_long_to_a_later_one(rig: Rig, most: float, runs: int) -> None:
    rig.write()
    service, order = Slow(10), Order(rig.model, "model:64:1")
    filler = Filler(rig.box.store, quantize, nullcontext, patience=BatchPatience(poll=0, most=most))
    reports = [filler.fill(order, backfill=service) for _ in range(runs)]
    assert ["a later run takes its result" in (report.error or "") for report in reports] == [True] * (runs - 1) + [
        False
    ]
    assert sum(report.embedded for report in reports) == 3


class Stale(Service):
    """Its batch under way holds nothing that is still wanted."""

    def run(self, texts: Sequence[str], wait: Callable[[], None]) -> Service:
        if self.waits:
            return super().run(texts, wait)
        self.waits += 1
        return self

    def finish(self) -> None:
        self.pending = False


def test_a_batch_that_was_stored_but_not_acknowledged_does_not_keep_the_next_from_starting(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "_WORTHWHILE", 2)
    rig.write()
    service = Stale(10)
    filler = Filler(rig.box.store, quantize, nullcontext, patience=BatchPatience(poll=0))
    asked = rig.model.asked
    assert filler.fill(Order(rig.model, "model:64:1"), backfill=service).embedded == 3
    assert (service.waits, rig.model.asked - asked) == (2, 0)


def test_a_little_work_is_not_worth_a_batch(rig: Rig) -> None:
    rig.write()
    service = Service(10)
    service.pending = False
    filler = Filler(rig.box.store, quantize, nullcontext, patience=BatchPatience(poll=0))
    assert filler.fill(Order(rig.model, "model:64:1"), backfill=service).embedded == 3
    assert service.waits == 0


# -- after an update -------------------------------------------------------------------------------------------------


def test_an_update_embeds_a_few_new_fragments_by_a_local_model_and_leaves_many_to_embed(box: Any) -> None:
    rig = Rig(box, local=True)
    rig.write()
    assert rig.upkeep.small().embedded == 0, "a first fill is never a part of an update"
    rig.embed()
    rig.write({"ship.md": "# Ship\n\nWe painted the ship blue.\n"})
    assert rig.upkeep.small().embedded == 1
    rig.write({f"{n}.md": f"# Note\n\nThe boat number {n}.\n" for n in range(SMALL + 1)})
    assert rig.upkeep.small().embedded == 0
    rig.model.away = True
    rig.write({f"{n}.md": "" for n in range(SMALL)})
    assert rig.upkeep.small().error == "model:64:1 is away"
    rig.embeddings.close()


def test_an_update_asks_no_model_elsewhere(rig: Rig) -> None:
    rig.write()
    rig.embed()
    rig.write({"ship.md": "# Ship\n\nWe painted the ship blue.\n"})
    asked = rig.model.asked
    assert rig.upkeep.small() == EmbedReport()
    assert rig.model.asked == asked


# -- what the index remembers ----------------------------------------------------------------------------------------


def test_facts_of_another_version_are_passed_over(box: Any, make_box: Callable[[], Any]) -> None:
    with box.store.write() as writer:
        ledger.note(writer, ledger.SpaceInfo("a", "a", 1, curve=None, weight=0.5))
        writer.set_meta("spaces", writer.meta("spaces").replace('"began"', '"begun"'))
    with box.store.read() as reader:
        assert ledger.read(reader) == {}


def test_the_canarys_vectors_come_back(box: Any) -> None:
    vectors = TableModel().embed(["one text", "another text"], "document")
    with box.store.write() as writer:
        ledger.keep_canary(writer, "a", vectors)
    with box.store.read() as reader:
        found = ledger.canary(reader, "a")
        assert found is not None
        assert np.allclose(found, vectors, atol=1e-3)
        assert ledger.canary(reader, "b") is None
