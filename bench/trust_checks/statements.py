"""What a language model says of a session, checked like a stranger's word: a statement that the person's own words
carry is kept, one that they don't is not."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from trust_checks.model_server import ModelServer
from trust_checks.table import SAMPLES, Options, Row, read_lines, spread
from trust_checks.text import plain
from trust_checks.transcripts import Turn
from trust_checks.vault import Memory, Vault


def measure(options: Options) -> Iterator[Row]:
    cases = spread("statements", list(read_lines(SAMPLES / "statements.jsonl")), options.most)
    true, false = _kept(cases, "true"), _kept(cases, "false")
    lost = tuple(f"{case['kind']}: {case['true']['text']}" for case in cases if case["id"] not in true)
    invented = tuple(f"{case['kind']}: {case['false']['text']}" for case in cases if case["id"] in false)
    certain = tuple(f"{case['kind']}: {case['false']['text']}" for case in cases if false.get(case["id"]) == "explicit")
    yield Row("a model's statements: invented, and kept", len(invented), len(cases), "<= 0", invented)
    yield Row("a model's statements: invented, and kept as explicit", len(certain), len(cases), "<= 0", certain)
    yield Row("a model's statements: true, and kept", len(cases) - len(lost), len(cases), ">= 0.9", lost)


def _kept(cases: list[dict[str, Any]], which: str) -> dict[str, str]:
    """The tier of each whose true or false statement, said by a model, is a memory afterwards."""
    said = {case["turns"][case[which]["turn"]][0]: _statement(case[which]) for case in cases}
    sessions: dict[str, dict[str, Any]] = {}
    with ModelServer(said) as server, Vault(server.settings) as vault:
        for case in cases:
            turns = [Turn(prompt, answer) for prompt, answer in case["turns"]]
            sessions[vault.tell(case["id"], turns, project=case["id"])] = case
        vault.capture()
        found = vault.memories()
        if server.given < len(cases):
            print(f"only {server.given} of {len(cases)} statements were asked of the model", file=sys.stderr)
    is_it = _is_true if which == "true" else _is_false
    kept: dict[str, str] = {}
    for memory in found:
        case = sessions.get(memory.session, {})
        if case and is_it(case[which], memory) and kept.get(case["id"]) != "explicit":
            kept[case["id"]] = memory.tier
    return kept


def _statement(given: dict[str, Any]) -> dict[str, Any]:
    return {name: given[name] for name in ("category", "text", "quote")}


def _is_true(given: dict[str, Any], one: Memory) -> bool:
    text = plain(one.said)
    return all(any(plain(form) in text for form in key.split("|")) for key in given["sure"])


def _is_false(given: dict[str, Any], one: Memory) -> bool:
    text = plain(one.said)
    words = {word.strip(".,;:!?()") for word in text.split()}
    return all(plain(key) in text for key in given["tell"]) and not any(
        plain(key) in (words if plain(key).isalnum() else text) for key in given["without"]
    )
