"""Rows of SQL: what is written into a column of passwords goes, the other columns stay."""

from __future__ import annotations

import pytest

from hearth.guard.secrets.redaction import redact


def test_each_row_loses_what_its_column_of_passwords_gets() -> None:
    text = (
        "INSERT INTO users (name, email, `password`, age) VALUES\n"
        "  ('kim', 'kim@h.test', 'velvet7', 31),\n"
        "  (NULL, 'it''s, (me)', N'copper', 40);\n"
    )
    shown = redact(text).text
    assert "velvet7" not in shown and "copper" not in shown
    assert shown.count("[redacted:password]") == 2
    assert "'it''s, (me)'" in shown and "kim@h.test" in shown


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO forms (label, password_hint) VALUES ('Login', 'velvet7 or so');",
        "INSERT INTO users (name, password) VALUES (?, ?);",
        "INSERT INTO users (name, password) VALUES ('kim', '${PASSWORD}');",
        "insert into the form values (name, password)",
    ],
)
def test_statements_without_a_value_stay(text: str) -> None:
    assert redact(text).text == text
