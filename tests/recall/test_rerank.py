"""Reranking: the model decides where it can tell answers apart, and is left out, by name, where it can't."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hearth.app import open_folder
from hearth.cli.health.models import discrimination
from hearth.core.errors import BadReply, HearthError, Unavailable
from hearth.core.query import Query, Recall
from hearth.guard.secrets import redaction as secrets
from hearth.ports import Reranker
from hearth.recall.interfaces import RankingSettings
from hearth.recall.ranking.candidate import Candidate
from hearth.recall.ranking.weights import log_odds
from hearth.recall.recall import Recaller
from hearth.recall.rerank import (
    HEALTHY_MS,
    MIN_AUC,
    REST_MS,
    USELESS_MS,
    Rerank,
    choose_texts,
    examine,
    golden,
    word_question,
)
from hearth.store.sqlite.caches import SqliteReranks
from hearth.testing import (
    ConstantReranker,
    FailingReranker,
    FixedClock,
    InvertedReranker,
    StallingReranker,
    WordReranker,
)
from hearth.text.lines import estimate_tokens
from hearth.vault.canary import fit_curve
from hearth.vault.indexing.analysis import Analyzer

QUESTION = "why did the kettle break"
ANSWER = "Limescale had closed the valve"
NOTES = {
    "answer.md": f"# Repairs\n\n{ANSWER}; the repair of the kettle took an hour.\n",
    "words.md": "# Kettle\n\nWhy the kettle may break: see the kettle manual, chapter kettle.\n",
    "tea.md": "# Tea\n\nThe kettle boils at noon.\n",
}
KNOWN = {QUESTION: ANSWER}


class Asking:
    """A box of notes that a reranker reads."""

    def __init__(self, box: Any, home: Path) -> None:
        self.box = box
        self.clock = FixedClock()
        self.path = home / "reranks.sqlite"
        self.cache = SqliteReranks(self.path)
        self.rerank: Rerank | None = None
        for path, text in NOTES.items():
            box.write(path, text)
        box.sync()

    def use(self, model: Reranker | Callable[[], Reranker], **given: Any) -> Asking:
        """As in a new process: nothing of another model is known but what the file holds."""
        load = model if callable(model) else lambda: model
        self.cache.close()
        self.cache = SqliteReranks(self.path)
        self.rerank = Rerank(load, self.clock, self.cache, **given)
        return self

    def __call__(self, text: str = QUESTION, **given: Any) -> Recall:
        recaller = Recaller(self.box.store, None, RankingSettings(), self.rerank)
        return recaller(Query(text, **{"at": self.box.now, "explain": True, **given}))

    def paths(self, text: str = QUESTION, **given: Any) -> list[str]:
        return [hit.path for hit in self(text, **given).hits]


def left_out(answer: Recall) -> list[str]:
    """What is missing besides the vectors, of which these boxes have none."""
    return [why for why in answer.missing if why != "vector"]


@pytest.fixture
def asking(box: Any, tmp_path: Path) -> Iterator[Asking]:
    built = Asking(box, tmp_path)
    yield built
    built.cache.close()


# -- what it does -----------------------------------------------------------------------------------------------------


def test_what_answers_comes_before_what_repeats_the_question(asking: Asking) -> None:
    assert asking.paths()[0] == "words.md"
    answer = asking.use(WordReranker(KNOWN))()
    assert answer.hits[0].path == "answer.md"
    assert left_out(answer) == []
    assert answer.trace["rerank"]["answered"] is True
    assert answer.trace["rerank"]["model"] == "words:1"
    assert answer.trace["stages"][0] == "rerank"


def test_the_move_is_explained_with_the_score_before_and_after(asking: Asking) -> None:
    for hit in asking.use(WordReranker(KNOWN))().hits:
        assert hit.explain is not None
        move = next(move for move in hit.explain.moves if move.stage == "rerank")
        assert move.before == hit.explain.fused
        read = float(move.why.rsplit(" ", 1)[1])
        assert move.after == pytest.approx(0.1 * move.before + 0.9 * read, abs=0.005)


def test_an_answer_is_not_sure_where_the_model_finds_none(asking: Asking) -> None:
    class Refusing(WordReranker):
        def score(self, query: str, texts: Any) -> Any:
            return super().score(query, texts) if query != QUESTION else np.full(len(texts), 0.01, dtype=np.float32)

    assert asking.paths()
    answer = asking.use(Refusing())()
    assert not answer.confident
    assert "no confident answer" in (answer.reason or "")


@pytest.mark.parametrize("recipe", ["keyword", "semantic", "surface"])
def test_only_the_recipe_hybrid_is_reranked(asking: Asking, recipe: str) -> None:
    plain = asking(recipe=recipe)
    model = WordReranker(KNOWN)
    found = asking.use(model)(recipe=recipe)
    assert [hit.path for hit in found.hits] == [hit.path for hit in plain.hits]
    assert "rerank" not in found.trace
    assert model.asked == []


def test_all_texts_are_read_at_once_each_once_and_at_most_thirty(asking: Asking) -> None:
    for number in range(60):
        asking.box.write(f"more/{number:02}.md", f"# Kettle {number % 40}\n\nThe kettle {number % 40} may break.\n")
    asking.box.sync()
    model = WordReranker()
    answer = asking.use(model)("kettle break", limit=50)
    (asked,) = [texts for question, texts in model.asked if question == "kettle break"]
    assert len(asked) == len(set(asked)) == 30
    assert answer.trace["rerank"]["texts"] == 30
    assert answer.trace["rerank"]["candidates"] > 30
    model.asked.clear()
    asking("kettle break", candidates=7)
    assert answer.trace["rerank"]["cached"] == 0
    assert asking("kettle break", candidates=7).trace["rerank"]["texts"] == 7


def test_of_a_long_passage_without_a_word_of_the_question_the_part_nearest_in_meaning_is_read(box: Any) -> None:
    filler = "Lorem ipsum dolor sit amet. " * 90
    box.write("long.md", f"{filler} A brew for the afternoon. {filler}\n")
    box.sync(analyzer=Analyzer(secrets.redact, 5_000, 50))
    with box.store.read() as reader:
        stored = box.stored("long.md")
        (part,) = reader.fragments_of(stored.id)
    near = lambda texts: [float("brew" in text) for text in texts]  # noqa: E731
    places, texts = choose_texts([Candidate(part, stored, 0.5)], 30, {"kettl": 1.0}, near)
    assert places == [0]
    assert "A brew" in texts[0]


def test_a_turn_is_read_after_what_was_said_before_it(box: Any) -> None:
    box.write("a.md", "It broke.\n")
    box.sync()
    with box.store.read() as reader:
        stored = box.stored("a.md")
        part = replace(reader.fragments_of(stored.id)[0], context="Ana: how is the kettle?")
    assert choose_texts([Candidate(part, stored, 0.5)], 30, {})[1] == ["a\nAna: how is the kettle?\nIt broke."]


def test_a_passage_is_read_with_its_headings(asking: Asking) -> None:
    model = WordReranker()
    asking.use(model)()
    texts = next(texts for question, texts in model.asked if question == QUESTION)
    assert any(text.startswith("# Repairs\n") and ANSWER in text for text in texts)
    asking.box.write("valve.md", "# House\n\n## Kitchen\n\n" + "Fill it. " * 150 + "\n\nThe kettle may break.\n")
    asking.box.sync()
    model.asked.clear()
    asking()
    assert any(
        text.startswith("House > Kitchen\n") and "may break" in text for _, texts in model.asked for text in texts
    )


def test_of_a_long_passage_the_part_about_the_question_is_read(asking: Asking) -> None:
    filler = "Lorem ipsum dolor sit amet consetetur sadipscing elitr sed diam nonumy. "
    asking.box.write("long.md", "# Long\n\n" + filler * 60 + f"{ANSWER} when the kettle broke. " + filler * 60 + "\n")
    asking.box.sync(analyzer=Analyzer(secrets.redact, 5_000, 50))
    assert len(asking.box.texts("long.md")) == 1
    model = WordReranker()
    asking.use(model)()
    texts = next(texts for question, texts in model.asked if question == QUESTION)
    (read,) = [text for text in texts if text.startswith("Long\n") or "# Long" in text]
    assert ANSWER in read
    assert estimate_tokens(read) < 310


def test_the_same_question_gives_the_same_list_from_model_and_cache(asking: Asking) -> None:
    fresh = asking.use(WordReranker(KNOWN))()
    again = asking()
    other = asking.use(WordReranker(KNOWN))()
    assert again.trace["rerank"]["hit_rate"] == other.trace["rerank"]["hit_rate"] == 1.0
    assert fresh.hits == again.hits == other.hits


# -- cache and health record ------------------------------------------------------------------------------------------


def test_a_model_is_asked_once_for_a_question_and_text_and_checked_once_a_day(asking: Asking) -> None:
    model = WordReranker()
    asking.use(model)()
    assert len(model.asked) == len(golden()) + 1
    other = WordReranker()
    asking.use(other)()
    assert other.asked == []
    assert asking("kettle noon").trace["rerank"]["cached"] == 0
    asking.clock.advance(days=HEALTHY_MS / 86_400_000)
    before = len(other.asked)
    asking()
    assert len(other.asked) - before == len(golden())


def test_another_fingerprint_is_checked_and_asked_anew(asking: Asking) -> None:
    asking.use(WordReranker())()
    other = WordReranker()
    other.fingerprint = "words:2"
    asking.use(other)()
    assert len(other.asked) == len(golden()) + 1


def test_a_text_that_changed_is_read_again(asking: Asking) -> None:
    model = WordReranker()
    asking.use(model)()
    asking.box.write("tea.md", "# Tea\n\nThe kettle boils at one.\n")
    asking.box.sync()
    model.asked.clear()
    asking()
    ((_, texts),) = model.asked
    assert [text.strip() for text in texts] == ["# Tea\n\nThe kettle boils at one."]


def test_a_useless_model_is_looked_at_again_after_an_hour(asking: Asking) -> None:
    asking.use(ConstantReranker())()
    repaired = WordReranker(KNOWN)
    repaired.fingerprint = ConstantReranker.fingerprint
    asking.use(repaired)
    assert "same score" in left_out(asking())[0]
    assert repaired.asked == []
    asking.clock.advance(seconds=USELESS_MS / 1000)
    assert asking().hits[0].path == "answer.md"


def test_it_works_without_a_cache(asking: Asking) -> None:
    model = WordReranker(KNOWN)
    asking.rerank = Rerank(lambda: model, asking.clock)
    assert asking.paths()[0] == "answer.md"
    assert asking.paths()[0] == "answer.md"
    assert len(model.asked) == len(golden()) + 2


# -- left out ---------------------------------------------------------------------------------------------------------


class Answering(WordReranker):
    """Healthy at first, then gives what ``reply`` makes of its scores."""

    def __init__(self, reply: Callable[[Any], Any]) -> None:
        super().__init__()
        self.reply = reply

    def score(self, query: str, texts: Any) -> Any:
        scores = super().score(query, texts)
        return self.reply(scores) if query == QUESTION else scores


def _unloadable() -> Reranker:
    raise Unavailable("the model is not here; run: hearth models pull")


USELESS: dict[str, tuple[Callable[[], Any], str]] = {
    "constant": (ConstantReranker, "same score"),
    "nearly 0": (lambda: ConstantReranker(1e-11), "same score"),
    "inverted": (InvertedReranker, "can't tell answers"),
    "unavailable": (lambda: FailingReranker(Unavailable("away")), "away"),
    "a bug": (lambda: FailingReranker(RuntimeError("no such layer")), "RuntimeError: no such layer"),
    "NaN": (lambda: Answering(lambda scores: scores * np.nan), "score nan"),
    "too few": (lambda: Answering(lambda scores: scores[1:]), "2 scores for 3 texts"),
    "too many": (lambda: Answering(lambda scores: [*scores, 0.5]), "4 scores for 3 texts"),
    "logits": (lambda: Answering(lambda scores: scores * 9), "not one from 0 to 1"),
}


@pytest.mark.parametrize("kind", USELESS)
def test_a_model_that_is_of_no_use_is_named_and_the_answer_is_as_without_it(asking: Asking, kind: str) -> None:
    plain = asking()
    build, why = USELESS[kind]
    for _ in range(2):
        found = asking.use(build())()
        assert found.hits == plain.hits
        assert len(left_out(found)) == 1
        assert left_out(found)[0].startswith("rerank: ")
        assert why in left_out(found)[0]
        assert found.trace["rerank"]["answered"] is False


def test_the_first_places_stay_where_that_is_set_and_the_rest_follows_the_model(asking: Asking) -> None:
    plain = [hit.path for hit in asking().hits]
    assert plain[0] != "answer.md"
    assert asking.use(WordReranker(KNOWN)).paths()[0] == "answer.md"
    found = asking.use(WordReranker(KNOWN), extent=(1, 1)).paths()
    assert found[:2] == [plain[0], "answer.md"]
    assert asking.use(WordReranker(KNOWN), extent=(1, 10)).paths() == plain


def test_further_parts_of_a_document_are_read_where_that_is_set_and_its_best_one_counts(asking: Asking) -> None:
    shelves = [f"Shelf {number} holds plates and bowls." for number in range(60)]
    asking.box.write("answer.md", f"# Log\n\nThe kettle of this house.\n\n{' '.join(shelves)}\n")
    asking.box.sync()
    model = WordReranker({QUESTION: "Shelf 24 holds"})
    one, four = asking.use(model)(), asking.use(model, extent=(4, 0))()
    scores = [{hit.path: hit.score for hit in found.hits}.get("answer.md", 0.0) for found in (one, four)]
    assert scores[0] < scores[1]
    assert "windows" not in one.trace["rerank"] and 0 < four.trace["rerank"]["windows"] <= 3


def test_a_model_that_can_not_be_opened_is_named(asking: Asking) -> None:
    plain = asking()
    found = asking.use(_unloadable)()
    assert found.hits == plain.hits
    assert left_out(found) == ["rerank: the model is not here; run: hearth models pull"]


def test_a_stalling_model_costs_no_more_than_its_deadline_and_is_left_alone_for_a_while(asking: Asking) -> None:
    plain = asking()
    model = StallingReranker()
    found = asking.use(model, first_seconds=0.05)()
    assert found.hits == plain.hits
    assert "did not answer within" in left_out(found)[0]
    assert "did not answer within" in left_out(asking(deadline_ms=10_000))[0]
    model.go.set()
    asking.clock.advance(seconds=REST_MS / 1000)
    asking.rerank = Rerank(lambda: WordReranker(KNOWN), asking.clock, asking.cache)
    assert asking.paths()[0] == "answer.md"


def test_another_process_does_not_wait_for_a_model_that_just_failed(asking: Asking) -> None:
    def late(scores: Any) -> Any:
        raise Unavailable("timed out")

    asking.use(Answering(late))()
    fresh = WordReranker(KNOWN)
    assert left_out(asking.use(fresh)()) == ["rerank: timed out"]
    assert fresh.asked == []
    asking.clock.advance(seconds=REST_MS / 1000)
    # It was healthy before it failed, and that still holds.
    assert left_out(asking()) == []
    assert len(fresh.asked) == 1


def test_a_question_gives_the_model_a_part_of_its_own_deadline(asking: Asking) -> None:
    model = StallingReranker()
    found = asking.use(model)(deadline_ms=90)
    assert "did not answer within 0.03 s" in left_out(found)[0]
    model.go.set()
    # That was the question's hurry, so the model is not left alone for it.
    asking.use(WordReranker(KNOWN))
    assert asking.paths()[0] == "answer.md"


def test_while_a_late_answer_is_awaited_others_are_answered_without_the_model(asking: Asking) -> None:
    plain = asking()
    model = StallingReranker()
    asking.use(model)(deadline_ms=90)
    found = asking()
    assert found.hits == plain.hits
    assert "not answered an earlier question" in left_out(found)[0]
    model.go.set()


# -- intent -----------------------------------------------------------------------------------------------------------


def test_the_intent_stands_before_the_question_that_the_model_reads(asking: Asking) -> None:
    model = WordReranker()
    asking.use(model)('"kettle" break', intent="buying: a new one")
    question, _ = model.asked[-1]
    assert question == "buying: a new one\nkettle break"


def test_the_intent_chooses_lines_but_finds_and_scores_nothing(asking: Asking) -> None:
    lines = [f"Line {n} of the kettle list is about nothing in particular, like most others." for n in range(30)]
    lines[22] = "The kettle in the invoice cost forty euros."
    asking.box.write("list.md", "# List\n\n" + "\n".join(lines[:5] + lines[20:23]) + "\n")
    asking.box.sync()
    plain, hinted = asking("kettle", min_score=0.0), asking("kettle", min_score=0.0, intent="invoice: euros?")
    assert [(hit.docid, hit.score) for hit in plain.hits] == [(hit.docid, hit.score) for hit in hinted.hits]
    shown = {hit.path: hit.snippet for hit in hinted.hits}
    assert "invoice" in shown["list.md"]
    assert "invoice" not in {hit.path: hit.snippet for hit in plain.hits}["list.md"]
    assert asking("", intent="kettle").hits == ()


@pytest.mark.parametrize("intent", ["before:yesterday path:", '"', "-x " * 400, "\ud800\x00", " ", ":"])
def test_any_intent_is_safe(asking: Asking, intent: str) -> None:
    assert asking.use(WordReranker(KNOWN)).paths(intent=intent)
    asking.rerank = None
    assert asking.paths(intent=intent)


def test_a_long_question_is_cut_to_what_a_model_can_read() -> None:
    words = "lorem " * 2_000
    question = word_question(f"{words} the kettle {words}", f"{words} invoice {words}", {"kettl": 1.0, "invoic": 0.5})
    assert "kettle" in question
    assert "invoice" in question
    assert len(question) < 4 * (96 + 48) + 2


# -- health -----------------------------------------------------------------------------------------------------------


class Counting:
    """The share of the question's words, and nothing else."""

    fingerprint = "counting"

    def __init__(self) -> None:
        self.words = WordReranker()
        self.words.answers = set()

    def score(self, query: str, texts: Any) -> Any:
        return self.words.score(query, texts)


class Random:
    fingerprint = "random"

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def score(self, query: str, texts: Any) -> Any:
        return self.rng.random(len(texts))


class Long:
    """Prefers what is long."""

    fingerprint = "long"

    def score(self, query: str, texts: Any) -> Any:
        return [min(1.0, len(text) / 200) for text in texts]


class Meaning:
    """Nearness by the table that comes with Hearth."""

    fingerprint = "meaning"

    def __init__(self, slope: float = 0.5, base: float = 0.5) -> None:
        from hearth.models.static import StaticEmbedder

        self.embedder = StaticEmbedder()
        self.slope, self.base = slope, base

    def score(self, query: str, texts: Any) -> Any:
        near = self.embedder.embed(texts, "document") @ self.embedder.embed([query], "query")[0]
        return self.base + self.slope * near


@pytest.mark.parametrize(("slope", "base"), [(0.5, 0.5), (0.05, 0.6), (0.0005, 0.001)])
def test_a_model_that_knows_meaning_is_healthy_at_any_scale(slope: float, base: float) -> None:
    check = examine(Meaning(slope, base), 5)
    assert check.problem is None
    assert check.at == 5
    assert check.auc is not None
    assert check.auc > MIN_AUC + 0.1
    assert check.curve is not None
    assert check.curve.slope > 0


@pytest.mark.parametrize("model", [Counting(), Long(), Random(1), Random(2), InvertedReranker(), ConstantReranker(0)])
def test_what_counts_words_or_letters_or_guesses_is_not_healthy(model: Any) -> None:
    assert examine(model, 0).problem is not None


def test_few_models_that_guess_pass_for_healthy() -> None:
    assert sum(examine(Random(seed), 0).problem is None for seed in range(200)) <= 4


def test_a_model_that_reads_one_language_only_is_healthy() -> None:
    english = {case.question for case in golden() if case.language == "en"}

    class English(WordReranker):
        def score(self, query: str, texts: Any) -> Any:
            known = super().score(query, texts)
            return known if query in english else np.full(len(texts), 0.6, dtype=np.float32)

    check = examine(English(), 0)
    assert check.problem is None
    # What it can't read does not blur what its scores mean.
    words, cases = WordReranker(), [case for case in golden() if case.language == "en"]
    right = [log_odds(float(words.score(c.question, [c.answer])[0])) for c in cases]
    wrong = [log_odds(float(score)) for c in cases for score in words.score(c.question, c.others)]
    assert check.curve == fit_curve(right, wrong)


def test_the_golden_texts_are_pairs_in_two_languages_of_like_length() -> None:
    cases = golden()
    assert len(cases) >= 12
    assert {case.language for case in cases} == {"en", "es"}
    assert all(len(case.others) == 2 and case.answer not in case.others for case in cases)
    mean = [
        sum(map(len, texts)) / len(texts) for texts in ([c.answer for c in cases], [o for c in cases for o in c.others])
    ]
    assert mean[0] == pytest.approx(mean[1], rel=0.1)


# -- wiring -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    notes = tmp_path / "vault-notes"
    notes.mkdir()
    for path, text in NOTES.items():
        (notes / path).write_text(text)
    return notes


def test_a_configured_model_that_can_not_be_opened_is_named_by_the_search_and_by_doctor(
    folder: Path, tmp_path: Path
) -> None:
    given = {
        "HEARTH_RERANK_PROVIDER": "http",
        "HEARTH_RERANK_URL": "http://127.0.0.1:9",
        "HEARTH_RERANK_API_KEY_ENV": "MY_KEY",
    }
    with open_folder(folder, tmp_path / "work", given) as vault:
        vault.index.sync()
        answer = vault.recall(QUESTION)
        assert answer.hits
        assert [why for why in answer.missing if why.startswith("rerank") and "MY_KEY is not set" in why]
        (finding,) = discrimination(vault)
        assert finding.level == "fail"
        assert "MY_KEY is not set" in finding.message


@pytest.mark.parametrize(("model", "level"), [(WordReranker(), "ok"), (ConstantReranker(), "fail")])
def test_doctor_checks_that_the_model_tells_answers_apart(
    folder: Path, tmp_path: Path, model: Reranker, level: str
) -> None:
    with open_folder(folder, tmp_path / "work") as vault:
        assert list(discrimination(vault)) == []
        recaller = Recaller(vault.store, None, RankingSettings(), Rerank(lambda: model, FixedClock()))
        (finding,) = discrimination(vault.with_core(replace(vault.core, recaller=recaller)))
        assert (finding.level, finding.check) == (level, "rerank")
        assert model.fingerprint in finding.message


def test_examining_names_whatever_goes_wrong(asking: Asking) -> None:
    for error in (BadReply("nonsense"), RuntimeError("a bug")):
        asking.use(FailingReranker(error))
        assert asking.rerank is not None
        with pytest.raises(HearthError, match=str(error)):
            asking.rerank.examine()


def test_a_model_that_doctor_found_healthy_answers_again_at_once(asking: Asking) -> None:
    class Away(WordReranker):
        away = True

        def score(self, query: str, texts: Any) -> Any:
            if self.away:
                raise Unavailable("away")
            return super().score(query, texts)

    model = Away(KNOWN)
    asking.use(model)
    assert left_out(asking()) == left_out(asking()) == ["rerank: away"]
    model.away = False
    assert left_out(asking()) == ["rerank: away"]
    assert asking.rerank is not None
    assert asking.rerank.examine()[1].problem is None
    assert asking.paths()[0] == "answer.md"


def test_without_a_model_nothing_of_reranking_is_loaded(folder: Path, tmp_path: Path) -> None:
    program = (
        "import sys, pathlib; from hearth.app import open_folder; a, b = map(pathlib.Path, sys.argv[1:])\n"
        "with open_folder(a, b) as vault: vault.index.sync(); assert vault.recall('kettle').hits\n"
        "print([m for m in sys.modules if 'rerank' in m or m in ('httpx', 'onnxruntime', 'fastembed')])"
    )
    command = [sys.executable, "-c", program, str(folder), str(tmp_path / "work")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
