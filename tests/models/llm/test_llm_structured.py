"""A value, or an error that says why there is none: whatever a model answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.models.llm.conftest import GOOD, Jar

from hearth.core.errors import BadReply, Unavailable
from hearth.models import structured
from hearth.models.http.protocol import RefusedInput
from hearth.models.served_llm import Completion, CompletionRequest
from hearth.models.structured import ATTEMPTS, DayUsage, OverBudget, StructuredLlm, UsageLedger, strict_schema


class Scripted:
    """Says one reply after the other, each of which takes a second of the clock ``seconds``."""

    name = "scripted"

    def __init__(self, *replies: str | Exception) -> None:
        self.replies = list(replies)
        self.asked: list[CompletionRequest] = []
        self.seconds = 0.0

    def ask(self, request: CompletionRequest) -> Completion:
        self.asked.append(request)
        self.seconds += 1
        said = self.replies.pop(0)
        if isinstance(said, Exception):
            raise said
        return Completion(said, 90, 10)

    def close(self) -> None:
        """Nothing to let go of."""


def model(provider: Scripted, usage: UsageLedger, seconds: float = 60, *, no_think: bool = False) -> StructuredLlm:
    return StructuredLlm(provider, usage, seconds=seconds, no_think=no_think, now=lambda: provider.seconds)


GOOD_REPLIES = (
    GOOD,
    f"```json\n{GOOD}\n```",
    f"<think>{{ the shelf, hm }}</think>Here it is: {GOOD} I hope that helps!",
    f'Of the shape {{"name": …}} I make {GOOD}',
    '{"name": "honey", "shelf": "3", "more": true}',
)


@pytest.mark.parametrize("said", GOOD_REPLIES)
def test_a_value_is_found_wherever_in_a_reply_it_stands(said: str, ledger: UsageLedger) -> None:
    assert model(Scripted(said), ledger).complete("Which jar?", Jar) == Jar(name="honey", shelf=3)


def test_what_was_wrong_with_a_reply_is_said_in_the_next_question(ledger: UsageLedger) -> None:
    provider = Scripted("honey, on the third", '{"name": "honey", "shelf": "top"}', GOOD)
    assert model(provider, ledger).complete("Which jar?", Jar).shelf == 3
    one, two, three = (request.prompt for request in provider.asked)
    assert one == "Which jar?"
    assert two.startswith("Which jar?\n\nYour previous reply could not be used: the reply has no JSON object")
    assert "shelf: Input should be a valid integer" in three and "top" not in three and "third" not in two


def test_after_three_replies_that_do_not_fit_the_error_says_why(ledger: UsageLedger) -> None:
    provider = Scripted(*["no"] * 5)
    with pytest.raises(BadReply, match="scripted gave no usable answer in 3 replies; the last: the reply has no JSON"):
        model(provider, ledger).complete("Which jar?", Jar)
    assert len(provider.asked) == ATTEMPTS == 3
    assert ledger.used() == DayUsage(3, 300)


def test_all_attempts_share_one_deadline(ledger: UsageLedger) -> None:
    provider = Scripted(*["no"] * 5)
    with pytest.raises(BadReply, match=r"in 2 replies within 2 s"):
        model(provider, ledger, seconds=2).complete("Which jar?", Jar)
    assert [request.seconds for request in provider.asked] == [2, 1]


def test_a_limited_model_is_asked_less_often_and_for_a_shorter_time(ledger: UsageLedger) -> None:
    provider = Scripted(*["no"] * 9)
    whole = model(provider, ledger, seconds=60)
    with pytest.raises(BadReply, match=r"in 2 replies; "):
        whole.limit(90, 2).complete("Which jar?", Jar)
    assert [request.seconds for request in provider.asked] == [60, 59]
    with pytest.raises(BadReply, match=r"in 1 reply within 1 s"):
        whole.limit(1, 5).complete("Which jar?", Jar)


def test_a_provider_that_is_away_is_not_asked_again(ledger: UsageLedger) -> None:
    provider = Scripted(Unavailable("away"), GOOD)
    with pytest.raises(Unavailable, match="away"):
        model(provider, ledger).complete("Which jar?", Jar)
    assert len(provider.asked) == 1 and ledger.used().calls == 1


def test_one_that_goes_away_after_a_bad_reply_gave_a_bad_reply(ledger: UsageLedger) -> None:
    with pytest.raises(BadReply, match="no JSON object"):
        model(Scripted("no", Unavailable("away")), ledger).complete("Which jar?", Jar)


def test_what_a_server_refuses_is_not_sent_again(ledger: UsageLedger) -> None:
    provider = Scripted(RefusedInput("too long", "length"), GOOD)
    with pytest.raises(RefusedInput, match="too long"):
        model(provider, ledger).complete("Which jar?", Jar)
    assert len(provider.asked) == 1


def test_not_to_think_is_asked_once_at_the_end(ledger: UsageLedger) -> None:
    provider = Scripted("no", GOOD)
    model(provider, ledger, no_think=True).complete("Which jar?", Jar)
    assert all(request.prompt.endswith("\n/no_think") for request in provider.asked)
    assert all(request.prompt.count("/no_think") == 1 for request in provider.asked)


def test_over_the_budget_nothing_is_asked(tmp_path: Path) -> None:
    day = ["2026-11-22"]
    usage = UsageLedger(tmp_path / "usage.json", 150, lambda: day[0])
    provider = Scripted(*[GOOD] * 5)
    llm = model(provider, usage)
    llm.complete("Which jar?", Jar)
    llm.complete("Which jar?", Jar)
    with pytest.raises(OverBudget, match=r"200 tokens today, and llm.tokens_per_day is 150"):
        llm.complete("Which jar?", Jar)
    assert len(provider.asked) == 2
    day[0] = "2026-11-23"
    llm.complete("Which jar?", Jar)
    assert usage.used() == DayUsage(1, 100)


def test_a_ledger_is_shared_survives_and_keeps_a_month(tmp_path: Path) -> None:
    days = [f"2026-{month:02}-{day:02}" for month in (9, 10, 11) for day in range(1, 29)]
    for day in days:
        UsageLedger(tmp_path / "state" / "usage.json", None, lambda day=day: day).begin()  # type: ignore[misc]
    one, other = (UsageLedger(tmp_path / "state" / "usage.json", None, lambda: days[-1]) for _ in range(2))
    one.add(5)
    other.add(7)
    assert one.used() == other.used() == DayUsage(1, 12)
    text = (tmp_path / "state" / "usage.json").read_text(encoding="utf-8")
    assert text.count("calls") == 31 and days[0] not in text


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{", b'{"version": 9, "days": {}}', b'{"version": 1, "days": [1]}', b"\xff"]
)
def test_a_damaged_ledger_counts_anew(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "usage.json"
    file.write_bytes(data)
    usage = UsageLedger(file, 10, lambda: "2026-11-22")
    assert usage.used() == DayUsage()
    usage.begin()
    assert usage.used() == DayUsage(1, 0)


def test_where_nothing_can_be_counted_nothing_is_asked(tmp_path: Path) -> None:
    (tmp_path / "usage.json").mkdir()
    provider = Scripted(GOOD)
    with pytest.raises(Unavailable):
        model(provider, UsageLedger(tmp_path / "usage.json", None, lambda: "2026-11-22")).complete("?", Jar)
    assert provider.asked == []


@given(st.text(max_size=300) | st.builds(lambda a, b: a + GOOD[:b], st.text(max_size=20), st.integers(0, 40)))
def test_any_text_gives_a_value_or_a_bad_reply(text: str) -> None:
    try:
        assert isinstance(structured.read(text, Jar), Jar)
    except BadReply as error:
        assert error.__cause__ is None and len(str(error)) < 600


@pytest.mark.parametrize("text", ["{" * 200_000, '{"a":' * 100_000, "[" * 100_000 + GOOD[:9], "x" * 10_000_000])
def test_a_reply_that_is_meant_to_hurt_is_only_bad(text: str) -> None:
    with pytest.raises(BadReply):
        structured.read(text, Jar)


def test_a_schema_names_every_field_and_allows_no_other() -> None:
    shape = strict_schema(Jar)
    assert (shape["required"], shape["additionalProperties"]) == (["name", "shelf"], False)
    assert _keys(shape) <= {"type", "properties", "required", "additionalProperties", "name", "shelf"}


def _keys(node: object) -> set[str]:
    inner: Sequence[object] = list(node.values()) if isinstance(node, dict) else []
    return (set(node) if isinstance(node, dict) else set()).union(*map(_keys, inner))
