"""What the state of a vault and its settings do to the order of results."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hearth.app import open_folder
from hearth.app.vault import ranking_settings
from hearth.config.tree import SearchSettings
from hearth.core.document import docid
from hearth.core.journal import Draft
from hearth.core.query import Query
from hearth.ports import Reader, Store
from hearth.recall.interfaces import RankingSettings
from hearth.recall.recall import Recaller

ROOT = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())
TEXT = "The kiosk boots from the amber image.\n"


def ask(
    box: Any, text: str = "kiosk amber image", chosen: RankingSettings | None = None, store: Any = None
) -> list[Any]:
    recaller = Recaller(store or box.store, None, chosen or RankingSettings())
    return list(recaller(Query(text, at=box.now, explain=True)).hits)


def paths(hits: list[Any]) -> list[str]:
    return [hit.path for hit in hits]


def fill(box: Any, *names: str) -> None:
    for name in names:
        box.write(name, TEXT.replace("boots", f"boots, says {name.split('.')[0]},"))
    box.sync()


def use_together(box: Any, *names: str, turn: str) -> None:
    one, *others = (docid("notes", name) for name in names)
    drafts = [Draft("referenced", docid("notes", name), name, None, {"session": "s", "turn": turn}) for name in names]
    drafts.append(Draft("coactive", one, names[0], None, {"session": "s", "turn": turn, "docs": others}))
    box.history.record(drafts)


class Counted:
    """A store that counts the reads of one subject's sets; everything else is the real one's."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.asked: list[str] = []

    @contextmanager
    def read(self) -> Iterator[Reader]:
        with self._store.read() as reader:
            whole = reader.subject
            reader.subject = lambda name: (self.asked.append(name), whole(name))[1]  # type: ignore[method-assign]
            try:
                yield reader
            finally:
                reader.subject = whole  # type: ignore[method-assign]


def test_a_pinned_document_leads_its_equals(box: Any) -> None:
    fill(box, "a.md", "b.md", "c.md")
    first = paths(ask(box))
    box.journalled("pin", first[-1])
    hits = ask(box)
    assert hits[0].path == first[-1]
    assert hits[0].explain.moves[-1].why == "prior 1.00: pinned"


def test_what_was_used_with_the_best_hit_rises_and_says_so(box: Any) -> None:
    fill(box, "b.md", "c.md", "d.md", "e.md")
    box.write("a.md", f"# Kiosk amber image\n\n{TEXT}")
    box.sync()
    assert ask(box)[0].path == "a.md"
    last = paths(ask(box))[-1]
    for turn in "12":
        use_together(box, "a.md", last, turn=turn)
    hits = ask(box)
    assert hits[1].path == last
    assert "company" in hits[1].explain.moves[-1].why


def test_members_are_read_only_for_the_best_few_that_were_used(box: Any) -> None:
    fill(box, *(f"{letter}.md" for letter in "abcdefgh"))
    counted = Counted(box.store)
    ask(box, store=counted)
    assert counted.asked == []
    use_together(box, *(f"{letter}.md" for letter in "abcdefgh"), turn="1")
    ask(box, store=counted)
    assert len(counted.asked) == 3


@pytest.mark.parametrize("scoring", ["relevance", "composite"])
def test_the_newest_of_several_decisions_answers_a_question_for_the_latest(box: Any, scoring: str) -> None:
    for month in ("01", "05", "03"):
        head = f"---\nauthored_at: 2024-{month}-15\ncontent_type: decision\n---\n"
        box.write(f"{month}.md", f"{head}# Kiosk\n\n{TEXT}")
        box.write(f"daily/2024-{month}-02.md", "Lunch.\n")
    box.write("01.md", f"---\nauthored_at: 2024-01-15\ncontent_type: decision\n---\n# Kiosk\n\nThe latest: {TEXT}")
    box.sync()
    assert ask(box, "what is the latest amber image of the kiosk", RankingSettings(scoring=scoring))[0].path == "05.md"


def test_composite_scoring_lets_a_decision_beat_a_better_matching_old_note(box: Any) -> None:
    box.write("note.md", f"---\nauthored_at: 2020-01-15\n---\n# Boot\n\n{TEXT}")
    box.write("decision.md", "---\ncontent_type: decision\n---\nThe kiosk boots from the image.\n")
    box.sync()
    assert ask(box)[0].path == "note.md"
    hits = ask(box, chosen=RankingSettings(scoring="composite"))
    assert hits[0].path == "decision.md"
    assert hits[0].explain.moves[-1].why.startswith("composite: recency 1.00, confidence 0.85")


def test_without_temporal_decay_an_old_note_is_not_held_back(box: Any) -> None:
    box.write("old.md", f"---\nauthored_at: 2020-01-15\n---\n{TEXT}")
    box.sync()
    [aged], [kept] = ask(box), ask(box, chosen=RankingSettings(temporal_decay=False))
    assert kept.score > aged.score


def test_a_person_may_weigh_the_factors_of_composite_scoring(box: Any) -> None:
    box.write("note.md", f"---\nauthored_at: 2020-01-15\n---\n# Boot\n\n{TEXT}")
    box.write("decision.md", "---\ncontent_type: decision\n---\nThe kiosk boots from the image.\n")
    box.sync()
    weighed = RankingSettings(scoring="composite", weights={"relevance": 50.0, "recency": 0.01, "confidence": 0.01})
    assert paths(ask(box, chosen=RankingSettings(scoring="composite")))[0] == "decision.md"
    assert paths(ask(box, chosen=weighed))[0] == "note.md"
    # What counts is how the weights stand to each other: the best score keeps its scale.
    small = RankingSettings(scoring="composite", weights={"relevance": 0.5, "recency": 0.0001, "confidence": 0.0001})
    large, little = (ask(box, chosen=one) for one in (weighed, small))
    assert [hit.score for hit in large] == pytest.approx([hit.score for hit in little], abs=1e-6)


def test_words_and_meaning_weigh_what_the_settings_say_beside_each_other(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "clinic.md").write_text("Physicians treat sick people in a clinic.\n", encoding="utf-8")
    (notes / "bread.md").write_text("Bread rises over night in the cellar.\n", encoding="utf-8")
    scores = {}
    for name, weights in {"words": {"keyword": 100}, "fitted": {}, "meaning": {"vector": 100}}.items():
        with open_folder(notes, tmp_path / name, {"HEARTH_SEARCH_WEIGHTS": json.dumps(weights)}) as vault:
            vault.index.sync()
            vault.index.embed()
            scores[name] = vault.recall("doctors and patients in a hospital", limit=1).hits[0].score
            alone = vault.recall("doctors and patients in a hospital", limit=1, recipe="semantic").hits[0].score
    assert scores["words"] < scores["fitted"] < scores["meaning"]
    assert scores["meaning"] == pytest.approx(alone, abs=0.03)


def test_the_settings_choose_the_scoring() -> None:
    assert ranking_settings(SearchSettings(), ()).scoring == "relevance"
    assert ranking_settings(SearchSettings(scoring="composite"), ()).scoring == "composite"


def test_a_pair_of_characters_across_two_words_is_missed_by_no_answer(box: Any) -> None:
    box.write("engine.md", "公司研发蒸汽机。这里讲现代材料。\n")
    box.write("bread.md", "面包在早上烤好。\n")
    box.sync()

    def confidence(text: str) -> float:
        return Recaller(box.store, None, RankingSettings())(Query(text, at=box.now, recipe="keyword")).confidence

    assert confidence("现代公司蒸汽机") == pytest.approx(confidence("现代 公司 蒸汽机"))
    assert confidence("现代火箭蒸汽机") < confidence("现代公司蒸汽机") - 0.05


def test_a_score_is_the_same_in_every_process(tmp_path: Path) -> None:
    with open_folder(ROOT / "examples" / "notes", tmp_path) as vault:
        vault.index.sync()
    program = """
import sys
from pathlib import Path
from hearth.app import open_folder
from hearth.core.query import Query
with open_folder(Path(sys.argv[1]), Path(sys.argv[2])) as vault:
    for text in ("Why not Meilisearch for ingredients?", "How do we round eggs when scaling a recipe?"):
        for recipe in ("surface", "surface-speed", "hybrid"):
            found = vault.recall(Query(text, at=1_790_000_000_000, recipe=recipe))
            print(recipe, [hit.score for hit in found.hits])
"""
    command = [sys.executable, "-c", program, str(ROOT / "examples" / "notes"), str(tmp_path)]
    told = {
        subprocess.run(
            command, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("0", "1", "2", "3")
    }
    assert len(told) == 1
