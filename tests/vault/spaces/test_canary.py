"""The canary: which models it lets pass, which it stops, and how it knows one again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hearth.core.errors import BadReply
from hearth.models.static import StaticEmbedder, quantize
from hearth.recall.ranking.weights import probability
from hearth.testing import HashEmbedder, TableModel, record, temporary_store
from hearth.vault import canary, ledger
from hearth.vault.canary import Collapsed


def test_the_built_in_table_passes_with_room_to_spare() -> None:
    reading = canary.read(StaticEmbedder())
    canary.judge(reading.margins, None, "static")
    assert set(reading.margins) == {"related", "paraphrase", "truncation", "spread"}
    assert all(reading.margins[kind] > 0.9 for kind in reading.margins)


def test_a_model_without_meaning_does_not_pass() -> None:
    embedder = HashEmbedder()
    with pytest.raises(Collapsed, match="related"):
        canary.judge(canary.read(embedder).margins, None, embedder.fingerprint)


class Endings(StaticEmbedder):
    """As a model whose server dropped the token that it reads the text at: only the end counts."""

    def embed(self, texts: Any, role: Any) -> Any:
        return super().embed([text[-40:] for text in texts], role)


def test_a_model_that_reads_only_endings_does_not_pass_though_it_tells_short_texts_apart() -> None:
    reading = canary.read(Endings())
    assert reading.margins["related"] > canary.FLOORS["related"]
    with pytest.raises(Collapsed, match="truncation"):
        canary.judge(reading.margins, None, "endings")


class Bag(StaticEmbedder):
    contextual = True


def test_a_model_that_sums_up_words_passes_and_is_told_from_one_that_reads_and_then_stops() -> None:
    margins = canary.read(Bag()).margins
    assert margins["order"] < ledger.ORDER < margins["negation"]
    canary.judge(margins, None, "bag")
    assert not ledger.SpaceInfo("bag", "bag", 1, first_margins=margins).contextual
    reads = {**margins, "order": 0.008}
    assert ledger.SpaceInfo("bag", "bag", 1, first_margins=reads).contextual
    with pytest.raises(Collapsed, match="order"):
        canary.judge(margins, reads, "bag")


def test_a_model_that_lost_much_of_its_first_margins_does_not_pass() -> None:
    margins = {"related": 0.75, "spread": 0.9}
    canary.judge(margins, None, "m")
    with pytest.raises(Collapsed, match=r"related 0\.750, needs 0\.792"):
        canary.judge(margins, {"related": 0.99, "spread": 0.98}, "m")


def test_margins_that_are_no_numbers_do_not_pass() -> None:
    with pytest.raises(Collapsed):
        canary.judge({"spread": float("nan")}, None, "m")


@pytest.mark.parametrize("spoilt", ["nan", "wide"])
def test_vectors_that_break_the_port_are_a_bad_reply(spoilt: str) -> None:
    model = TableModel()
    model.spoilt = spoilt
    with pytest.raises(BadReply, match="model:64:1"):
        canary.read(model)


def test_the_same_model_is_known_again_in_half_precision_and_another_is_not() -> None:
    model = TableModel()
    known = canary.read(model).vectors.astype(np.float16).astype(np.float32)
    canary.recognise(model, known)
    canary.recognise(model, known + np.random.default_rng(0).normal(0, 0.003, known.shape).astype(np.float32))
    model.seed = 1
    with pytest.raises(Collapsed, match="hearth embed -f"):
        canary.recognise(model, known)
    with pytest.raises(Collapsed, match="width"):
        canary.recognise(TableModel(dimensions=32), known)


def test_many_texts_with_one_vector_are_refused_and_few_or_equal_ones_are_not() -> None:
    alike = np.full((9, 4), 0.5, dtype=np.float32)
    texts = [str(n) for n in range(9)]
    with pytest.raises(Collapsed, match="same vector"):
        canary.refuse_alike(alike, texts, "m")
    canary.refuse_alike(alike[:4], texts[:4], "m")
    canary.refuse_alike(alike, ["one text"] * 9, "m")
    canary.refuse_alike(alike * 0, texts, "m")


# -- calibration -----------------------------------------------------------------------------------------------------


def test_a_measured_curve_rises_and_tells_own_passages_from_others() -> None:
    static = StaticEmbedder()
    assert static.curve is not None
    reading = canary.read(TableModel())
    curve = canary.by_canary(reading, canary.read(static), static.curve)
    assert curve.slope > 0
    assert probability(curve, reading.own).mean() > 0.5 > 0.1 > probability(curve, reading.other).mean()


def weighed(texts: list[str], spread: float = 1.0) -> canary.Say | None:
    store, model = temporary_store(), TableModel()
    with store.write() as writer:
        for number, text in enumerate(texts):
            writer.put(record("notes", f"{number}.md", text))
        parts = writer.fragments_after(0, 1000)
        vectors = model.embed([part.text for part in parts], "document")
        middle = vectors.mean(axis=0)
        writer.put_vectors("m", [part.id for part in parts], *quantize(middle + spread * (vectors - middle)))
    with store.read() as reader:
        return canary.weigh(reader, "m", canary.read(model).vectors)


MANY = [f"Note {n}: {word} and {other}" for n, (word, other) in enumerate(
    (a, b) for a in ("boat", "bread", "money", "garden", "server") for b in ("summer", "test", "doctor", "song", "tax")
)]  # fmt: skip


def test_a_space_in_which_all_fragments_lie_together_loses_its_weight() -> None:
    usual, collapsed = weighed(MANY), weighed(MANY, spread=0.02)
    assert usual is not None and collapsed is not None
    assert usual.weight == 1.0
    assert collapsed.weight < 0.2


def test_the_closer_the_fragments_lie_together_the_less_is_their_spread() -> None:
    found = [weighed(MANY, spread=spread) for spread in (0.02, 0.5, 1.0)]
    spreads = [say.spread for say in found if say is not None]
    assert len(spreads) == 3
    assert spreads == sorted(spreads)
    assert 0.0 <= spreads[0] < 0.1 < spreads[2] <= 1.0


def test_a_small_vault_says_nothing_of_its_space() -> None:
    assert weighed(MANY[:5]) is None
