"""When a session is flushed, compacted and reset."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from hearth.config.tree import FlushSettings, ResetSettings
from hearth.context.engine.cycle import (
    SessionSize,
    choose_mode,
    flush_threshold,
    freed_too_little,
    is_compaction_due,
    plan_flush,
    reset_reason,
    skip_reason,
)
from hearth.context.engine.transcript import FlushState
from hearth.core.instants import of

BERLIN = ZoneInfo("Europe/Berlin")
FULL = SessionSize(190_000, 0, 200_000)


def local(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN)


def at(text: str) -> int:
    return of(local(text))


def reason(mode: str, began: str, spoke: str | None, now: str, trigger: str = "user") -> str | None:
    span = at(began), None if spoke is None else at(spoke)
    return reset_reason(ResetSettings(idle_minutes=60), mode, span, local(now), trigger)


def test_the_flush_comes_a_step_before_compaction() -> None:
    assert flush_threshold(200_000) == 176_000
    assert flush_threshold(32_768) == 20_576
    assert flush_threshold(4_000) == 1_500
    assert flush_threshold(0) == 0


def test_a_flush_tells_the_agent_what_to_do() -> None:
    found = plan_flush(FlushSettings(), FlushState(), FULL, "2026-11-28")
    assert found.due
    assert found.path == "memory/2026-11-28.md"
    assert found.path in found.prompt
    own = plan_flush(FlushSettings(prompt="Write {day} down."), FlushState(), FULL, "2026-11-28")
    assert own.prompt.startswith("Write 2026-11-28 down. ")
    assert "NO_REPLY" in own.prompt


def test_a_transcript_that_grew_by_two_megabytes_is_flushed() -> None:
    grown = SessionSize(10, 2 * 1024 * 1024, 200_000)
    assert plan_flush(FlushSettings(), FlushState(), grown, "2026-11-28").due
    assert not plan_flush(FlushSettings(), FlushState(), SessionSize(10, 0, 200_000), "2026-11-28").due


@pytest.mark.parametrize(
    ("state", "settings", "skip", "reason"),
    [
        (FlushState(done=True), FlushSettings(), "", "this cycle was flushed"),
        (FlushState(asked=3, failed=3), FlushSettings(), "", "it failed 3 times in this cycle"),
        (FlushState(), FlushSettings(enabled=False), "", "the flush is switched off"),
        (FlushState(), FlushSettings(), skip_reason("cron"), "a cron turn"),
    ],
)
def test_a_flush_that_is_not_due_says_why(state: FlushState, settings: FlushSettings, skip: str, reason: str) -> None:
    found = plan_flush(settings, state, FULL, "2026-11-28", skip)
    assert (found.due, found.reason) == (False, reason)


@pytest.mark.parametrize(
    ("began", "now", "expected"),
    [
        ("2026-11-27 23:00", "2026-11-28 03:59", None),
        ("2026-11-27 23:00", "2026-11-28 04:01", "daily"),
        ("2026-11-28 04:01", "2026-11-28 23:59", None),
        ("2026-03-28 23:00", "2026-03-29 04:30", "daily"),
        ("2026-10-25 03:30", "2026-10-25 04:30", "daily"),
    ],
)
def test_the_day_begins_at_four_local_time(began: str, now: str, expected: str | None) -> None:
    assert reason("daily", began, None, now) == expected


def test_a_session_is_reset_when_nobody_spoke_for_long_enough() -> None:
    began, spoke = "2026-11-28 10:00", "2026-11-28 11:00"
    assert reason("idle", began, spoke, "2026-11-28 11:59") is None
    assert reason("idle", began, spoke, "2026-11-28 12:01") == "idle"
    assert reason("daily+idle", began, spoke, "2026-11-28 12:01") == "idle"
    assert reason("daily+idle", "2026-11-27 10:00", spoke, "2026-11-28 11:30") == "daily"
    assert reason("none", began, spoke, "2026-12-28 12:01") is None
    assert reason("idle", began, spoke, "2026-11-29 12:00", "cron") is None


def test_a_channel_s_mode_wins_over_that_of_its_type() -> None:
    settings = ResetSettings(by_type={"direct": "none"}, by_channel={"slack": "idle"})
    assert choose_mode(settings, "dm", "slack") == "idle"
    assert choose_mode(settings, "dm", "signal") == "none"
    assert choose_mode(settings) == "daily"


def test_compaction_waits_for_growth_where_it_freed_too_little() -> None:
    assert is_compaction_due(180_001, 200_000, 20_000)
    assert not is_compaction_due(180_000, 200_000, 20_000)
    assert not is_compaction_due(185_000, 200_000, 20_000, after=181_000)
    assert is_compaction_due(190_100, 200_000, 20_000, after=181_000)
    assert freed_too_little(100, 91)
    assert not freed_too_little(100, 90)
