"""The cache of reranked scores: keeps what was paid for, forgets the oldest, and never stands in the way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from hearth.core.document import Curve
from hearth.ports import RerankCheck
from hearth.store.sqlite.caches import SqliteReranks

CHECK = RerankCheck(7, 0.9, 0.5, Curve(1.5, -0.25), None, 9, "slow")


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[SqliteReranks]:
    built = SqliteReranks(tmp_path / "deep" / "r.sqlite", 5)
    yield built
    built.close()


def test_a_score_comes_back_for_its_model_question_and_text_only(cache: SqliteReranks) -> None:
    cache.put("m", "q", {"one": 0.25, "two": 0.5, "\ud800": 1.0})
    assert cache.get("m", "q", ["zero", "two", "one", "two", "\ud800"]) == {1: 0.5, 2: 0.25, 3: 0.5, 4: 1.0}
    assert cache.get("other", "q", ["one"]) == cache.get("m", "other", ["one"]) == cache.get("mq", "", ["one"]) == {}


def test_the_oldest_scores_make_room(cache: SqliteReranks) -> None:
    for number in range(9):
        cache.put("m", "q", {str(number): number / 10})
    assert cache.get("m", "q", [str(n) for n in range(9)]) == {n: n / 10 for n in range(4, 9)}


def test_another_process_finds_scores_and_check(cache: SqliteReranks, tmp_path: Path) -> None:
    cache.put("m", "q", {"one": 0.25})
    cache.note("m", CHECK)
    cache.note("n", RerankCheck(1))
    other = SqliteReranks(tmp_path / "deep" / "r.sqlite")
    assert other.get("m", "q", ["one"]) == {0: 0.25}
    assert (other.checked("m"), other.checked("n"), other.checked("x")) == (CHECK, RerankCheck(1), None)
    other.close()


def test_the_file_holds_neither_questions_nor_texts(cache: SqliteReranks, tmp_path: Path) -> None:
    cache.put("m", "a secret question", {"a secret text": 0.25})
    cache.close()
    stored = b"".join(file.read_bytes() for file in (tmp_path / "deep").iterdir())
    assert stored
    assert b"secret" not in stored


def test_checks_of_many_models_are_bounded(cache: SqliteReranks) -> None:
    for number in range(30):
        cache.note(f"m{number}", RerankCheck(number))
    assert cache.checked("m29") == RerankCheck(29)
    assert cache.checked("m0") is None


def test_a_check_that_another_version_wrote_is_unknown(cache: SqliteReranks, tmp_path: Path) -> None:
    cache.note("m", CHECK)
    db = apsw.Connection(str(tmp_path / "deep" / "r.sqlite"))
    for text in ("{}", "[]", "no json", '{"at": 1, "curve": null, "unheard": 2}'):
        db.execute("UPDATE checks SET found = ?", (text,))
        assert cache.checked("m") is None
    db.close()


def test_a_damaged_file_is_named_and_costs_no_answer(tmp_path: Path) -> None:
    (tmp_path / "r.sqlite").write_bytes(b"no database at all" * 100)
    cache = SqliteReranks(tmp_path / "r.sqlite")
    cache.put("m", "q", {"one": 0.5})
    cache.note("m", CHECK)
    assert cache.get("m", "q", ["one"]) == {}
    assert cache.checked("m") is None
    assert str(tmp_path / "r.sqlite") in (cache.problem or "")
    cache.close()


def test_a_busy_file_is_passed_over_this_time_only(cache: SqliteReranks, tmp_path: Path) -> None:
    cache.put("m", "q", {"one": 0.5})
    other = apsw.Connection(str(tmp_path / "deep" / "r.sqlite"))
    other.execute("BEGIN IMMEDIATE")
    cache.put("m", "q", {"two": 0.5})
    other.execute("ROLLBACK")
    other.close()
    assert cache.get("m", "q", ["one", "two"]) == {0: 0.5}
    cache.put("m", "q", {"two": 0.5})
    assert cache.get("m", "q", ["one", "two"]) == {0: 0.5, 1: 0.5}


def test_what_comes_after_closing_does_not_open_the_file_again(cache: SqliteReranks) -> None:
    cache.put("m", "q", {"one": 0.5})
    cache.close()
    cache.put("m", "q", {"two": 0.5})
    assert cache.get("m", "q", ["one"]) == {}
