"""What is left out of the search for secrets could never be one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hearth.core.journal import Draft
from hearth.guard.secrets.redaction import redact
from hearth.journal.line import PLAIN, clean


@given(st.from_regex(PLAIN.pattern, fullmatch=True))
def test_no_rule_finds_a_secret_in_a_plain_name(name: str) -> None:
    assert redact(name).text == name


def test_docids_and_digests_are_not_looked_at_and_all_else_is() -> None:
    looked: list[str] = []

    def look(text: str) -> str:
        looked.append(text)
        return "x"

    data = {"docs": ["4k2jzzq0m1n5c7v9"], "day": "2026-11-22", "reason": "Said so.", "key": "AKIA0"}
    assert clean(Draft("recalled", data=data), look).data == {**data, "reason": "x", "key": "x"}
    assert looked == ["Said so.", "AKIA0"]
