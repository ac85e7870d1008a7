"""What a text says of when it was written."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core import instants
from hearth.markdown.description import describe
from hearth.markdown.frontmatter import split
from hearth.text.written_dates import date_of_name, read_date


def dated(text: str, path: str = "note.md") -> str | None:
    head = split(text)
    found = describe(head.fields, path, text[head.end_char :]).authored_at
    return None if found is None else datetime.fromtimestamp(found / 1000, UTC).strftime("%Y-%m-%dT%H:%M")


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("date: 2022-01-02", "2022-01-02T12:00"),
        ("Date: 2022-01-02T08:30:00Z", "2022-01-02T08:30"),
        ("created: 2022-01-02 08:30", "2022-01-02T08:30"),
        ("created-at: 2022-01-02T08:30:00+02:00", "2022-01-02T06:30"),
        ("published: 2022/01/02", "2022-01-02T12:00"),
        ("updated: January 2nd, 2022", "2022-01-02T12:00"),
        ("lastmod: 2. Januar 2022", "2022-01-02T12:00"),
        ("fecha: 2 de enero de 2022", "2022-01-02T12:00"),
        ('date: "[[2022-01-02]]"', "2022-01-02T12:00"),
        ("datum: Sonntag, 2.1.2022", "2022-01-02T12:00"),
        ("updated: 2023-05-05\ncreated: 2022-01-02", "2022-01-02T12:00"),
        ("authored_at: 2021-01-01\ndate: 2022-01-02", "2021-01-01T12:00"),
        ("created: '{{date}}'\nupdated: 2022-01-02", "2022-01-02T12:00"),
        ("created: {{date}}", None),
        ("created: <% tp.date.now() %>", None),
        ("date: 2022-13-02", None),
        ("date: 01/02/2022", None),
        ("date: soon", None),
        ("due: 2022-01-02", None),
        ("review_by: 2022-01-02", None),
    ],
)
def test_the_frontmatter_dates_a_note(head: str, expected: str | None) -> None:
    assert dated(f"---\n{head}\n---\n# Bread\n\nRye.\n") == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("2022-01-02.md", "2022-01-02T12:00"),
        ("log/2022-01-02 Meeting.md", "2022-01-02T12:00"),
        ("20220102-meeting.md", "2022-01-02T12:00"),
        ("Meeting 2022_01_02.md", "2022-01-02T12:00"),
        ("2022-01-02-after-2021-05-05.md", "2022-01-02T12:00"),
        ("from-2021-05-05-to-2022-01-02.md", None),
        ("2022-01-02/notes.md", None),
        ("1920x1080.md", None),
        ("v2022.01.02.3.md", None),
        ("invoice-20229902.md", None),
        ("2022-january.md", "2022-01-01T12:00"),
        ("2022 März.md", "2022-03-01T12:00"),
        ("march-2022.md", "2022-03-01T12:00"),
        ("log/2022/03-march.md", "2022-03-01T12:00"),
        ("log/2022/12-may.md", "2022-05-12T12:00"),
        ("log/2022/32-may.md", None),
        ("log/2022/may-flowers.md", None),
    ],
)
def test_the_name_of_a_file_dates_it(path: str, expected: str | None) -> None:
    assert dated("# Bread\n", path) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("# 5. Use PostgreSQL\n\nDate: 2022-01-02\n\n## Status\n", "2022-01-02T12:00"),
        ("# Use PostgreSQL\n\n* Status: accepted\n* Date: 2022-01-02\n", "2022-01-02T12:00"),
        ("# Bread\n\n**Date:** 2 January 2022\n", "2022-01-02T12:00"),
        ("# Brot\n\n**Datum**: 2. Januar 2022\n", "2022-01-02T12:00"),
        ("# Pan\n\n> Fecha: 2 de enero de 2022\n", "2022-01-02T12:00"),
        ("# 2022-01-02\n\nRye.\n", "2022-01-02T12:00"),
        ("# Meeting, 2 January 2022 #\n", "2022-01-02T12:00"),
        ("## [1.2.0] - 2022-01-02\n\n## [1.1.0] - 2021-12-01\n", "2022-01-02T12:00"),
        ("# From 2021-05-05 to 2022-01-02\n", None),
        ("# Bread\n\nOn 2022-01-02 we baked.\n", None),
        ("```\nDate: 2022-01-02\n```\n", None),
        ("Date: {{date}}\n", None),
        ("Update: 2022-01-02\n", None),
        ("Date format: 2022-01-02\n", None),
        ("line\n" * 20 + "Date: 2022-01-02\n", None),
    ],
)
def test_a_line_or_heading_at_the_beginning_dates_a_note(body: str, expected: str | None) -> None:
    assert dated(body) == expected


def test_what_says_more_clearly_when_it_was_written_wins() -> None:
    body = "# Bread\n\nDate: 2020-01-01\n"
    assert dated(body, "2021-01-01 bread.md") == "2021-01-01T12:00"
    assert dated("---\ndate: 2022-01-02\n---\n" + body, "2021-01-01 bread.md") == "2022-01-02T12:00"


@given(st.dates(min_value=datetime(1900, 1, 1).date(), max_value=datetime(2099, 12, 31).date()))
def test_a_date_is_read_in_every_form(day: object) -> None:
    noon = instants.parse_written(f"{day:%Y-%m-%d}")
    assert noon is not None
    for form in ("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%d.%m.%Y", "%d %B %Y", "%B %d, %Y", "%d. %b %Y"):
        assert read_date(f"{day:{form}}") == (noon, ""), form


@given(st.text(max_size=200))
def test_no_text_is_too_odd_to_be_looked_at_for_a_date(text: str) -> None:
    read_date(text)
    date_of_name(text)
    dated(text, "a.md")


@pytest.mark.parametrize(
    ("path", "heading", "expected"),
    [
        ("2024/ovens-08-06.md", "August 6 bakers' meeting", "2024-08-06T12:00"),
        ("minutes/2024/ovens.md", "Sitzung vom 6. August", "2024-08-06T12:00"),
        ("2024/ovens-08-25.md", "Bakers' meeting", "2024-08-25T12:00"),
        ("2024/ovens-25-08.md", "Bakers' meeting", "2024-08-25T12:00"),
        ("2024/ovens-08-06.md", "Bakers' meeting", None),
        ("2024/2024-08-25/README.md", "Bakers' meeting", "2024-08-25T12:00"),
        ("2024/2024-08-25/slides.md", "Bakers' meeting", None),
        ("2024/ovens.md", "From August 6 to August 9", None),
        ("ovens-08-06.md", "August 6 bakers' meeting", None),
        ("2024/ovens.md", "May 40 ovens be sold?", None),
    ],
)
def test_a_folder_that_is_a_year_completes_a_day(path: str, heading: str, expected: str | None) -> None:
    assert dated(f"# {heading}\n\nRye.\n", path) == expected


def test_a_note_about_a_day_is_dated_by_it_before_the_day_that_it_was_begun() -> None:
    head = "---\ncreated: 2024-05-01\nstart_time: 2022-01-02T08:30:00Z\n---\n"
    assert dated(f"{head}# Postmortem: cold oven\n") == "2022-01-02T08:30"
    assert dated(f"{head}# Bread\n") == "2024-05-01T12:00"
    assert dated("---\nstartDate: 2022-01-02\n---\n# Bread\n") == "2022-01-02T12:00"


def test_what_is_from_the_web_is_as_old_as_its_publication() -> None:
    head = "---\nsource: https://example.com/rye\ntags: [clippings]\n"
    assert dated(f"{head}published: 2022-01-02\ncreated: 2024-05-01\n---\n# Rye\n") == "2022-01-02T12:00"
    assert dated(f"{head}published:\ncreated: 2024-05-01\n---\n# Rye\n") == "2024-05-01T12:00"
    excerpt = "---\nsource: https://example.com/rye\ncreated: 2024-05-01\npublished: 2022-01-02\n---\n# Rye\n"
    assert dated(excerpt) == "2022-01-02T12:00"
    assert dated("---\ncreated: 2024-05-01\npublished: 2024-06-01\n---\n# Rye\n") == "2024-05-01T12:00"


def test_a_comma_may_stand_between_a_month_and_its_year() -> None:
    assert dated("# January, 2026\n\nRye.\n") == "2026-01-01T12:00"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Date: 5-Mar-24", "2024-03-05T12:00"),
        ("날짜: 2024. 3. 5.", "2024-03-05T12:00"),
        ("<2024-03-05 Tue 10:00>", "2024-03-05T12:00"),
        ("Week of 5 March 2024", "2024-03-05T12:00"),
        ("Date recorded: 2024-03-05", "2024-03-05T12:00"),
        ("5-7 March 2024", "2024-03-05T12:00"),
        ("March 5–7, 2024", "2024-03-05T12:00"),
        ("Version: 2024.3.5", None),
        ("Date: 24-Mar", None),
    ],
)
def test_more_forms_that_can_be_read_in_one_way_only(line: str, expected: str | None) -> None:
    assert dated(f"# Bread\n\n{line}\n\nRye.\n") == expected


def test_a_weekly_note_is_called_by_its_week() -> None:
    assert dated("What I did this week.\n", "weeknotes/2024-07.md") == "2024-02-12T12:00"
    assert dated("What I did.\n", "log/2024-07.md") == "2024-07-01T12:00"


def test_the_number_of_a_draft_is_no_month() -> None:
    assert dated("# Schemas (Draft 2020-12)\n\nRye.\n") is None
