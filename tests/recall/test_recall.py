"""Asking a vault: what answers, what must not, and that nothing a person types can break it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hearth.core.document import docid
from hearth.core.errors import BadReply, Unavailable, UsageError
from hearth.core.journal import Draft
from hearth.core.query import Query, Recall
from hearth.models.static import quantize
from hearth.ports import Collection
from hearth.recall.interfaces import RankingSettings
from hearth.recall.recall import Recaller
from hearth.testing import HashEmbedder
from hearth.text.lines import estimate_tokens
from hearth.vault.embedding import Filler
from hearth.vault.ledger import Space, Spaces

NOTES = {
    "db.md": "# Database\n\nWe chose PostgreSQL over MongoDB for the billing service.\n",
    "api.md": "# API\n\n`getUserById` lives in src/store.ts and asks @scope/pkg at v0.8.2.\n",
    "mail.md": "Write to user@example.com about C++.\n",
    "zh.md": "重跑gen-itgc后 数据库 更新\n",
    "deep/ops.md": "---\ntags: [Größe, ops]\ncontent_type: decision\nauthored_at: 2024-01-15\n---\n"
    "The merge queue blocks deploys.\n",
    "queue.md": "A queue of merge requests.\n",
    "stop.md": "To be or not to be.\n",
}


class Asking:
    """A box whose index can be asked, with or without vectors."""

    def __init__(self, box: Any, *, vectors: bool) -> None:
        self.box = box
        embedder = HashEmbedder()
        self.space = Space(lambda: embedder) if vectors else None
        self.recaller: Recaller | None = None

    def fill(self, notes: dict[str, str]) -> None:
        for path, text in notes.items():
            self.box.write(path, text)
        self.box.sync()
        self.embed()

    def embed(self) -> None:
        if self.space is not None:
            Filler(self.box.store, quantize, self.box.syncer().exclusive).run(self.space.load())

    def __call__(self, text: str, **given: Any) -> Recall:
        if self.recaller is None:
            self.recaller = Recaller(
                self.box.store, None if self.space is None else Spaces(self.space), RankingSettings()
            )
        return self.recaller(Query(text, **{"at": self.box.now, **given}))

    def paths(self, text: str, **given: Any) -> list[str]:
        return [hit.path for hit in self(text, **given).hits]


@pytest.fixture(params=["words", "words and vectors"])
def asking(request: pytest.FixtureRequest, box: Any) -> Asking:
    return Asking(box, vectors="vectors" in request.param)


# -- any text ---------------------------------------------------------------------------------------------------------

NASTY = (
    '"', '"a', "a AND b NOT (c OR d) NEAR/3 e*", "'; DROP TABLE documents; --", "\0", "a\0b", "🙂🙂",
    "\ud800", "a\udcff-b", "%_%", "^:*", "重", "path:", "path:\udcff", "tag:'", "{}[]", "x" * 1_000_000,
    "\ufdfa" * 100, "ﬁ", "e\u0301" * 50, "=" * 50, "s12", "=s12", "12", "word " * 200_000, "\u202egro.elpmaxe",
)  # fmt: skip


def test_nothing_typed_breaks_a_search(asking: Asking) -> None:
    asking.fill(NOTES)
    for text in NASTY:
        answer = asking(text)
        assert answer.confident != bool(answer.reason), text[:40]
        assert answer.hits or answer.reason, text[:40]


@pytest.fixture(scope="module")
def safe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Recall]]:
    from hearth.app import open_folder

    home = tmp_path_factory.mktemp("safe")
    for path, text in NOTES.items():
        (home / "notes" / path).parent.mkdir(parents=True, exist_ok=True)
        (home / "notes" / path).write_text(text, encoding="utf-8")
    with open_folder(home / "notes", home / "work") as vault:
        vault.index.sync()
        yield lambda text: vault.recall(vault.query(text))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters() | st.sampled_from("\"-:()*'\0\ud800🙂\u202e重queue postgres"), max_size=80))
def test_any_text_gets_an_answer_or_a_reason(safe: Callable[[str], Recall], text: str) -> None:
    try:
        answer = safe(text)
    except UsageError as error:
        assert "is not a date" in str(error)
        return
    assert answer.confident != bool(answer.reason)
    assert answer.hits or answer.reason
    assert all(0 <= hit.score <= 1 for hit in answer.hits)


@pytest.mark.parametrize("limit", [0, -1, 101])
def test_a_limit_out_of_range_is_refused(asking: Asking, limit: int) -> None:
    with pytest.raises(UsageError, match="limit"):
        asking("x", limit=limit)


def test_an_unknown_recipe_is_refused_by_name(asking: Asking) -> None:
    with pytest.raises(UsageError, match="unknown recipe 'magic'"):
        asking("x", recipe="magic")


# -- what answers -----------------------------------------------------------------------------------------------------


ASKED = (
    ("why did we choose PostgreSQL", "db.md"),
    ("src/store.ts", "api.md"),
    ("store.ts", "api.md"),
    ("user@example.com", "mail.md"),
    ("@scope/pkg", "api.md"),
    ("v0.8.2", "api.md"),
    ("0.8.2", "api.md"),
    ("C++", "mail.md"),
    ("getUserById", "api.md"),
    ("getuserbyid", "api.md"),
    ("user by id", "api.md"),
    ("重跑gen-itgc后", "zh.md"),
    ("gen-itgc", "zh.md"),
    ("数据库", "zh.md"),
    ("to be or not to be", "stop.md"),
    ("据库", "zh.md"),
    ("库", "zh.md"),
)


def test_what_people_ask_for_is_found_first(asking: Asking) -> None:
    asking.fill(NOTES)
    for recipe in ("keyword", "hybrid"):
        for text, path in ASKED:
            assert asking.paths(text, recipe=recipe)[:1] == [path], (text, recipe)


def test_what_is_weak_beside_the_best_is_left_out_unless_it_is_asked_for(asking: Asking) -> None:
    asking.fill(
        NOTES
        | {
            "kettle.md": "Descale the kettle with vinegar every month, then boil it twice.\n",
            "choir.md": "Twice the choir met in the small hall last autumn and then walked home along the river.\n",
        }
    )
    question = "how often do we descale the kettle, every month or twice a year?"
    everything = asking(question, min_score=0.0).hits
    best = everything[0].score
    strong = [hit.path for hit in everything if hit.score >= max(0.25 * best, 0.1)]
    assert everything[0].path == "kettle.md" and len(strong) < len(everything)
    assert asking.paths(question) == strong
    assert asking.paths(question, limit=20) == [hit.path for hit in everything]
    assert asking.paths(question, min_score=0.01) == [hit.path for hit in everything if hit.score >= 0.01]


def test_the_best_is_shown_however_weak_it_is(asking: Asking) -> None:
    asking.fill(NOTES)
    found = asking("is the merge of two rivers in the north navigable for large barges in a dry summer?")
    assert found.hits and not found.confident


def test_the_settings_name_a_least_score_for_questions_that_name_none(asking: Asking) -> None:
    asking.fill(NOTES)
    asking.recaller = Recaller(asking.box.store, None, RankingSettings(min_score=0.0))
    every = asking.paths("merge queue deploys")
    assert set(every) >= {"deep/ops.md", "queue.md"}
    assert asking.paths("merge queue deploys", min_score=1.0) == []


def test_a_phrase_must_stand_as_written(asking: Asking) -> None:
    asking.fill(NOTES)
    assert set(asking.paths("merge queue", min_score=0.0)) >= {"deep/ops.md", "queue.md"}
    assert asking.paths('"merge queue"', min_score=0.0, syntax=True) == ["deep/ops.md"]
    assert asking.paths('"MERGE   queue"', min_score=0.0, syntax=True) == ["deep/ops.md"]


def test_a_word_left_out_keeps_its_passages_out(asking: Asking) -> None:
    asking.fill(NOTES)
    found = asking.paths("merge -deploys", min_score=0.0, syntax=True)
    assert found[0] == "queue.md"
    assert "deep/ops.md" not in found


def test_operators_keep_the_rest_out(asking: Asking) -> None:
    asking.fill(NOTES)
    for filters in (
        "path:deep/",
        "path:OPS",
        "tag:größe",
        "tag:OPS",
        "type:decision",
        "after:2024-01-15 before:2024-01-16",
    ):
        assert asking.paths(f"merge queue {filters}", min_score=0.0, syntax=True) == ["deep/ops.md"], filters
    assert asking.paths("merge queue tag:ops tag:other", min_score=0.0, syntax=True) == []


def test_an_empty_question_and_an_empty_vault_say_why(asking: Asking) -> None:
    assert "empty" in (asking("queue").reason or "")
    asking.fill(NOTES)
    assert "nothing to search for" in (asking("  ").reason or "")
    assert asking("xylophone", recipe="keyword").hits == ()
    assert asking("xylophone", recipe="keyword").reason


def test_a_rare_collection_is_found_among_many(asking: Asking) -> None:
    rare = asking.box.home / "rare"
    rare.mkdir()
    (rare / "one.md").write_text("An amber note, hardly like the others.\n", encoding="utf-8")
    for number in range(400):
        asking.box.write(f"{number}.md", f"Amber amber amber. Amber note {number}.\n")
    asking.box.collections.append(Collection("rare", str(rare)))
    asking.fill({})
    assert asking.paths("amber note", collections=("rare",), min_score=0.0) == ["one.md"]
    assert asking.paths("amber note path:one.md", min_score=0.0, syntax=True) == ["one.md"]


@pytest.mark.parametrize("kind", ["forget", "archive"])
def test_forgotten_and_archived_documents_do_not_answer(asking: Asking, kind: str) -> None:
    asking.fill(NOTES)
    asking.box.journalled(kind, "db.md")
    for recipe in ("keyword", "hybrid"):
        assert "db.md" not in asking.paths("PostgreSQL billing", recipe=recipe, min_score=0.0)
        assert "db.md" in asking.paths("PostgreSQL billing", recipe=recipe, include_hidden=True)
    asking.box.journalled("unforget" if kind == "forget" else "restore", "db.md")
    assert asking.paths("PostgreSQL billing")[0] == "db.md"


def test_a_living_document_is_found_among_many_forgotten_ones(asking: Asking) -> None:
    for number in range(300):
        asking.box.write(f"{number}.md", f"Amber amber amber {number}.\n")
    asking.fill({"alive.md": "One amber stone and much else beside it.\n"})
    drafts = [Draft("forget", docid("notes", f"{number}.md")) for number in range(300)]
    asking.box.history.record(drafts)
    assert asking.paths("amber", min_score=0.0) == ["alive.md"]


def test_the_same_question_gives_the_same_list(asking: Asking) -> None:
    asking.fill({f"{number}.md": f"Amber and number {number % 3}.\n" for number in range(60)})
    first = asking("amber number", limit=30).hits
    for _ in range(3):
        assert asking("amber number", limit=30).hits == first
    assert [hit.docid for hit in asking("amber number", limit=5).hits]


def test_equal_texts_answer_once_and_name_the_others(asking: Asking) -> None:
    asking.fill({"a.md": "The same amber text.\n", "b.md": "The same amber text.\n", "c.md": "Basalt.\n"})
    hits = asking("amber text", min_score=0.0).hits
    same = [hit for hit in hits if hit.path in ("a.md", "b.md")]
    assert len(same) == 1
    assert same[0].also_in


# -- packing and snippets ---------------------------------------------------------------------------------------------

LONG = "".join(f"## Part {n}\n\n" + f"Amber fact {n} stands on its own line here.\n" * 12 + "\n" for n in range(12))


def test_overlapping_windows_that_would_show_the_same_lines_answer_once(asking: Asking) -> None:
    paragraphs = [
        f"Paragraph {number} tells of ordinary things, one like the other, for a while." for number in range(40)
    ]
    paragraphs[20] = "The pangolin sleeps in the third drawer."
    asking.fill({"long.md": "# Zoo\n\n" + "\n\n".join(paragraphs) + "\n", "else.md": "A pangolin eats ants.\n"})
    hits = asking("where does the pangolin sleep?").hits
    with asking.box.store.read() as reader:
        windows = [f for f in reader.fragments_after(0, 100) if "pangolin sleeps" in f.text]
    assert len(windows) == 2, "the line stands in two windows"
    assert [hit.path for hit in hits if "pangolin" in hit.snippet] == ["long.md", "else.md"]


@pytest.mark.parametrize("budget", [0, 20, 60, 150, 400, 1_000, 4_000])
def test_a_pack_never_exceeds_its_budget_nor_repeats_a_line(asking: Asking, budget: int) -> None:
    asking.fill({"long.md": LONG, "one-line.md": "Amber fact. " * 900 + "\n", **NOTES})
    answer = asking("amber fact", budget_tokens=budget, limit=20, min_score=0.0)
    assert sum(estimate_tokens(hit.text) for hit in answer.hits) <= budget
    assert answer.tokens == sum(estimate_tokens(hit.text) for hit in answer.hits)
    lines = [
        (hit.path, n) for hit in answer.hits if hit.path == "long.md" for n in range(hit.start_line, hit.end_line + 1)
    ]
    assert len(lines) == len(set(lines))
    source = (asking.box.root / "long.md").read_text(encoding="utf-8").split("\n")
    for hit in answer.hits:
        if hit.path == "long.md":
            assert hit.text.split("\n") == source[hit.start_line - 1 : hit.end_line]


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_a_budget_brings_no_more_passages_than_were_asked_for(asking: Asking, limit: int) -> None:
    notes = {f"{number}.md": f"Amber fact {number} stands alone in a note of its own.\n" for number in range(12)}
    asking.fill(notes)
    assert len(asking("amber fact", budget_tokens=4_000, limit=20).hits) > 5
    assert len(asking("amber fact", budget_tokens=4_000, limit=limit).hits) == limit


def test_hits_and_snippets_are_lines_of_the_file(asking: Asking) -> None:
    asking.fill({"long.md": LONG, **NOTES})
    for question in ("amber fact 7", "merge queue", "PostgreSQL"):
        for hit in asking(question, min_score=0.0, limit=20).hits:
            source = (asking.box.root / hit.path).read_text(encoding="utf-8").split("\n")
            span = source[hit.start_line - 1 : hit.end_line]
            assert hit.text.rstrip("\n").split("\n") == span[: hit.text.rstrip("\n").count("\n") + 1]
            assert all(any(line.strip() in row for row in span) for line in hit.snippet.strip("…").split("\n"))


def test_a_line_of_key_and_value_is_shown_and_not_the_prose_that_repeats_the_title(asking: Asking) -> None:
    prose = "\n\n".join(f"The lathe was moved on day {day} and nobody complained." for day in range(6))
    rows = "\n".join(f"{key}:: {value}" for key, value in {"weight": "two tons", "price": "Harlow 556"}.items())
    asking.fill({"lathe.md": f"# Lathe\n\n{prose}\n\n{rows}\n\n{prose}\n", **NOTES})
    hit = asking("what is the price of the lathe?").hits[0]
    assert (hit.path, hit.briefly()[1].startswith("price:: Harlow 556")) == ("lathe.md", True)
    assert "price:: Harlow 556" in hit.snippet


def test_an_explained_answer_names_lanes_and_stages(asking: Asking) -> None:
    asking.fill(NOTES)
    answer = asking("PostgreSQL", explain=True)
    lanes = {lane.lane for lane in answer.hits[0].explain.lanes}
    assert "keyword" in lanes
    assert ("vector" in lanes) == (asking.space is not None)
    assert answer.trace["candidates"] >= 1
    assert answer.to_dict(full=True)["results"][0]["explain"]["lanes"]


@pytest.mark.parametrize("error", [Unavailable("the model is away"), BadReply("NaN")])
def test_a_model_that_fails_is_named_and_the_words_answer(asking: Asking, error: Exception) -> None:
    class Failing(HashEmbedder):
        def embed(self, texts: Any, role: Any) -> Any:
            raise error

    asking.fill(NOTES)
    asking.space = Space(Failing)
    answer = asking("PostgreSQL billing")
    assert answer.hits[0].path == "db.md"
    assert any(str(error) in lane for lane in answer.missing)


def test_a_hit_carries_what_the_settings_say_of_its_folder() -> None:
    settings = RankingSettings(contexts={"notes": {"/": "all my notes", "/adr": "architecture decisions"}})
    assert settings.folder_context("notes", "adr/0001.md") == "architecture decisions"
    assert settings.folder_context("notes", "adrift.md") == "all my notes"
    assert settings.folder_context("other", "adr/0001.md") is None


def test_a_budget_that_nothing_fits_is_named(asking: Asking) -> None:
    asking.fill({"long.md": "# Billing\n\n" + "The billing service writes an invoice for each customer. " * 12})
    found = asking("billing invoice for each customer", budget_tokens=20)
    assert not found.hits
    assert found.reason == "no fragment fits in 20 tokens; allow more"


def test_a_row_of_a_long_table_is_shown_with_the_header_that_stands_in_an_earlier_passage(box: Any) -> None:
    rows = [f"| host{number} | 10.0.0.{number} | keeps the copies of room {number} |" for number in range(120)]
    box.write("hosts.md", "\n".join(["# Machines", "", "| Name | Address | Role |", "|---|---|---|", *rows]))
    box.sync()
    [hit, *_] = Recaller(box.store, None, RankingSettings())(Query("host97", at=1, recipe="keyword")).hits
    assert hit.snippet.split("\n")[:2] == ["| Name | Address | Role |", rows[97]]
    assert hit.shown[0] == 5 + 97


def test_an_answer_without_the_name_that_was_asked_for_is_less_sure(box: Any) -> None:
    box.write("visit.md", "In May Maria came to visit the harbour with her sister.\n")
    box.write("other.md", "Pedro repairs bicycles.\n")
    box.sync()
    ask = Recaller(box.store, None, RankingSettings())
    sure, strange, plain = (
        ask(Query(f"when did {who} visit the harbour?", at=1, recipe="keyword")).confidence
        for who in ("Maria", "Ximena", "someone")
    )
    assert strange < min(sure, plain)
    assert sure > plain


def test_the_minute_and_day_of_a_turn_are_no_words_of_it(asking: Asking) -> None:
    head = "---\ncontent_type: conversation\ntitle: Bread\n---\n"
    other = f"{head}\n## User · 12:12\n\nLoaf number 7 rises for an hour.\n"
    own = f"{head}\n## User · 09:31\n\nLoaf number 12 rises for an hour.\n"
    asking.fill({"2023-12-12-loaf.md": other, "2023-11-05-loaf.md": own})
    assert [hit.path for hit in asking("loaf 12").hits][:1] == ["2023-11-05-loaf.md"]
    assert {hit.path for hit in asking("12", recipe="keyword").hits} == {"2023-11-05-loaf.md"}
