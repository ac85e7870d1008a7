"""The gate skips what asks nothing, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.context.queries import judge

SKIPPED = {
    "": "empty prompt",
    " \n ": "empty prompt",
    "ok": "acknowledgement",
    "Yes please!": "acknowledgement",
    "sounds good, go ahead": "acknowledgement",
    "thank you so much": "acknowledgement",
    "hola, buenos días": "acknowledgement",
    "继续": "acknowledgement",
    "👍": "no words",
    "...": "no words",
    "/compact": "slash command",
    "/model opus": "slash command",
    "ping": "heartbeat",
    "Are you alive?": "heartbeat",
    "git commit -m 'fix the thing'": "shell command",
    "$ npm run build": "shell command",
    "make -j4": "shell command",
    "find . -name '*.py'": "shell command",
    "cat README.md": "shell command",
    "git push origin main": "shell command",
    "kubectl get pods": "shell command",
    "sudo apt update": "shell command",
    "ssh me@example.org": "shell command",
    "mypy src": "shell command",
    "./run.sh --fast": "shell command",
    "[Mon 2026-01-01 10:00] hi": "acknowledgement",
}
SEARCHED = (
    "build a login page using our conventions",
    "find where we store tokens",
    "make the header sticky",
    "test the login",
    "git rebase or merge: which do we use here",
    "git rebase?",
    "mapping of ports",
    "/etc/hosts is wrong",
    "why?",
    "the deploy",
    "数据库",
    "yes, and update the changelog",
    "go with the second database",
    "cat pictures for the landing page",
    "What's our code style?",
    "docker build fails with permission denied",
    "npm install keeps failing with ERESOLVE",
    "pytest fails on CI but passes locally",
    "ssh access to staging",
    "terraform module naming",
)
FORCED = (
    "remember?",
    "my name",
    "what did we decide",
    "as we did last time",
    "yesterday",
    "¿qué decidimos?",
    "mi nombre",
    "¿recuerdas la última vez?",
)


@pytest.mark.parametrize(("prompt", "why"), SKIPPED.items())
def test_a_prompt_that_asks_nothing_is_skipped(prompt: str, why: str) -> None:
    assert judge(prompt).skip == why


@pytest.mark.parametrize("prompt", SEARCHED)
def test_a_prompt_that_asks_something_is_searched(prompt: str) -> None:
    assert judge(prompt).skip is None


TOLD = (
    "remember that the staging server is restored every Sunday",
    "merk dir bitte, dass wir hier immer pnpm nehmen",
    "don't remember this, but I may leave the team in spring",
)


@pytest.mark.parametrize("prompt", TOLD)
def test_a_prompt_that_tells_what_to_remember_asks_for_nothing(prompt: str) -> None:
    assert not judge(prompt).forced
    assert not judge(prompt).asks
    assert judge(f"{prompt}. What did we decide about it?").forced


@pytest.mark.parametrize("prompt", FORCED)
def test_a_prompt_that_asks_for_memory_is_searched_however_short(prompt: str) -> None:
    assert judge(prompt).forced
    assert judge(prompt.upper()).forced


def test_the_owners_heartbeats_are_whole_prompts() -> None:
    assert judge("Check  the queue.", ("check the queue",)).skip == "heartbeat"
    assert judge("check the queue of the importer", ("check the queue",)).skip is None


def test_what_a_bridge_puts_before_a_prompt_is_no_part_of_it() -> None:
    assert judge("[cron:nightly] why did we choose PostgreSQL?").text == "why did we choose PostgreSQL?"


@given(st.text(max_size=300))
def test_any_text_gets_a_verdict(prompt: str) -> None:
    judge(prompt)
