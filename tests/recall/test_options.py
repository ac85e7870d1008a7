"""What can't be meant by a question's options is said."""

from __future__ import annotations

from typing import Any

import pytest

from hearth.core.errors import NotFound, UsageError
from hearth.core.query import Query
from hearth.recall.question import check_options

WRONG = {
    "types": ("decison",),
    "include": ("bogus",),
    "collections": "notes",
    "min_score": 2,
}


@pytest.mark.parametrize(("name", "value"), WRONG.items())
def test_an_option_out_of_range_is_refused(name: str, value: Any) -> None:
    with pytest.raises(UsageError, match=name.rstrip("s")):
        check_options(Query("x", at=0, **{name: value}), ["notes"])


def test_a_span_without_an_inside_is_refused() -> None:
    with pytest.raises(UsageError, match="since must be before until"):
        check_options(Query("x", at=0, since=5, until=5), [])


def test_a_question_that_is_no_text_is_refused() -> None:
    with pytest.raises(UsageError, match="not NoneType"):
        check_options(Query(None, at=0), [])  # type: ignore[arg-type]


def test_an_unknown_collection_is_not_found_and_the_others_are_named() -> None:
    with pytest.raises(NotFound, match="'nope'; there are: boat, notes"):
        check_options(Query("x", at=0, collections=("nope",)), ["notes", "boat"])


def test_what_is_known_passes() -> None:
    check_options(
        Query("x", at=0, collections=("notes",), types=("decision",), include=("archived",), min_score=1), ["notes"]
    )
