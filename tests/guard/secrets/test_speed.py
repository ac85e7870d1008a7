"""No text holds the guard up. What it takes is measured by ``bench/growth.py``; here every text is read to its end in
two seconds of processor time, in which quadratic work would not get far."""

from __future__ import annotations

import re
import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.spending import at_most

from hearth.guard.secrets.redaction import redact
from hearth.guard.secrets.rules import Rule, token_rules

ROOT = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())
RUNS = runpy.run_path(str(ROOT / "bench" / "samples" / "runs.py"))
LONG = 25_000
ENOUGH = 2
MAKERS = RUNS["secret_makers"]()
RULES = list(token_rules())


def read(number: int, length: int) -> None:
    piece, make = MAKERS[number]
    text = make(piece, length)
    assert redact(text).text.count("\n") == text.count("\n"), piece


@pytest.mark.parametrize("number", range(len(MAKERS)))
def test_long_runs_of_anything_are_read(number: int) -> None:
    with at_most(ENOUGH):
        read(number, LONG)


@pytest.mark.torture
@pytest.mark.timeout(120)
@pytest.mark.parametrize("number", range(len(MAKERS)))
def test_megabytes_of_anything_are_read(number: int) -> None:
    read(number, 2_000_000)


def test_pairs_with_no_blank_between_them_are_read_in_time_that_grows_with_the_text() -> None:
    # Where a value ends must not be looked for up to the end of the text, once a pair.
    text = RUNS["run"]("password:lantern:", 400_000)
    with at_most(10):
        assert redact(text).text.count("password") == text.count("password")


def scan(rule: Rule, length: int) -> None:
    for text in RUNS["of_rule"](rule, length):
        for found in rule.pattern.finditer(text):
            rule.accepts(text[found.start() - rule.lead : found.end()])


def repeats(parsed: Iterator[tuple[object, object]]) -> Iterator[object]:
    """What a pattern repeats more than once, by the parser of regular expressions."""
    for operation, argument in parsed:
        if str(operation).endswith("_REPEAT") and argument[1] > 1:  # type: ignore[index]
            yield argument[2]  # type: ignore[index]
        parts = argument if isinstance(argument, (tuple, list)) else (argument,)
        for part in parts:
            branches = part if isinstance(part, list) else [part]
            for branch in branches:
                if isinstance(branch, re._parser.SubPattern):  # type: ignore[attr-defined]
                    yield from repeats(iter(branch))


def test_every_rule_repeats_only_single_characters_after_a_literal() -> None:
    single = ("IN", "LITERAL", "NOT_LITERAL", "ANY")
    for rule in RULES:
        parsed = re._parser.parse(rule.pattern.pattern, rule.pattern.flags)  # type: ignore[attr-defined]
        assert rule.anchor
        assert [str(operation) for operation, _ in parsed[: len(rule.anchor)]] == ["LITERAL"] * len(rule.anchor), (
            rule.name
        )
        for repeated in repeats(iter(parsed)):
            [(operation, _)] = repeated  # type: ignore[misc,attr-defined]
            assert str(operation) in single, (rule.name, rule.pattern.pattern)


def test_every_rule_scans_runs_that_look_like_its_matches() -> None:
    with at_most(10):
        for rule in RULES:
            scan(rule, 5_000)


@pytest.mark.torture
@pytest.mark.timeout(120)
@pytest.mark.parametrize("number", range(len(RULES)))
def test_every_rule_scans_long_runs_that_look_like_its_matches(number: int) -> None:
    scan(RULES[number], 200_000)


def test_a_chain_in_which_each_secret_bares_the_next_ends_and_stays_as_it_is() -> None:
    # Each begins only where a boundary stands before it, and the one before leaves none until it is hidden.
    link = "key" + "-" + "0f9a7c3e" * 4 + "AP" + "I-" + "7QZ4XK2VB9" * 3
    once = redact(link * 400).text
    assert "9a7c3e" not in once
    assert redact(once).text == once
