"""Sets of others, a prompt or a change of mind in each row: how much of what was pasted is taken for the person's,
whether what lasts is kept, and whether a change of mind is noticed and answered.

A row of ``pasted`` has ``prompt``, ``own``, ``foreign`` and ``pasted``; one of ``lasting`` has ``prompt`` and ``keep``;
one of ``reversals`` has ``earlier`` and ``later`` statements, ``expect``, ``question``, ``current`` and ``outdated``.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trust_checks.table import Options, Row, groups, is_in, read_lines
from trust_checks.text import is_near, plain
from trust_checks.transcripts import Turn
from trust_checks.vault import Memory, Vault, decisions, is_memory

SETS = ("pasted", "lasting", "reversals")
_EACH = 20


def measure(options: Options) -> Iterator[Row]:
    named = {"pasted": _pasted, "lasting": _lasting, "reversals": _reversals}
    for name, file in options.sets.items():
        yield from named[name](options, file)


def _rows(options: Options, name: str, file: Path) -> list[dict[str, Any]]:
    return [row for row in read_lines(file) if is_in(options.part, name, row["id"])][: options.most]


def _captured(rows: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], list[Memory], list[str]]]:
    """Each row with what its prompt left, and with the profile of its vault."""
    for group in groups(rows, _EACH):
        with Vault() as vault:
            asked = [
                vault.tell(str(row["id"]), [Turn(row["prompt"])], project=f"p{at}") for at, row in enumerate(group)
            ]
            vault.capture()
            documents, page = vault.documents(), vault.profile()
        left = [*filter(is_memory, documents), *decisions(documents)]
        for session, row in zip(asked, group, strict=True):
            yield row, [one for one in left if one.session == session], page


def _pasted(options: Options, file: Path) -> Iterator[Row]:
    leaving = wanted = kept = prompts = 0
    for row, left, page in _captured(_rows(options, "pasted", file)):
        own = [one for one in left if one.kind != "hand-off decision" and _is_any(one, row["own"])]
        foreign = [one for one in left if one not in own and _is_any(one, [*row["foreign"], row.get("pasted") or ""])]
        on_page = any(is_near(sentence, line) for sentence in row["foreign"] for line in page)
        prompts += 1
        leaving += bool(foreign) or on_page
        wanted += bool(row["own"])
        kept += bool(own)
    yield Row("pasted: prompts that leave something foreign", leaving, prompts, "<= 0.03")
    yield Row("pasted: own statements beside them kept", kept, wanted, ">= 0.55")


def _is_any(one: Memory, sentences: list[str]) -> bool:
    text = one.text if one.kind == "hand-off decision" else one.said
    return any(is_near(sentence, text) or is_near(one.title, sentence) for sentence in sentences if sentence)


def _lasting(options: Options, file: Path) -> Iterator[Row]:
    lasting = right = kept = 0
    for row, left, _ in _captured(_rows(options, "lasting", file)):
        is_kept = any(is_memory(one) and one.kind != "hand-off decision" for one in left)
        lasting += bool(row["keep"])
        kept += is_kept
        right += bool(row["keep"]) and is_kept
    yield Row("lasting: precision", right, kept, ">= 0.92")
    yield Row("lasting: recall", right, lasting, ">= 0.45")


def _reversals(options: Options, file: Path) -> Iterator[Row]:
    vaults: dict[object, list[dict[str, Any]]] = defaultdict(list)
    for row in read_lines(file):
        vaults[row["vault"]].append(row)
    counted: dict[str, list[bool]] = defaultdict(list)
    for cases in list(vaults.values())[: options.most]:
        with Vault() as vault:
            _tell(vault, cases)
            noticed = _noticed(vault)
            for case in cases:
                if is_in(options.part, "reversals", case["id"]):
                    _judge(vault, case, noticed, counted)
    for name, goal in _REVERSALS.items():
        yield Row(f"reversals: {name}", sum(counted[name]), len(counted[name]), goal)


_REVERSALS = {
    "changes noticed": ">= 0.5",
    "what coexists superseded": "<= 0.02",
    "the current one first": ">= 0.85",
    "of what coexists the right one first": ">= 0.85",
    "the block holds the outdated one alone": "<= 0.03",
}


def _tell(vault: Vault, cases: list[dict[str, Any]]) -> None:
    """In the order of time; what was said later is captured after what was said earlier."""
    earlier = [(one, f"{case['id']}.{at}") for case in cases for at, one in enumerate(case["earlier"])]
    later = [(case["later"], f"{case['id']}.later") for case in cases]
    for said in (earlier, later):
        for one, key in sorted(said, key=lambda pair: str(pair[0]["date"])):
            turn = Turn(one.get("ask") or one["text"], "OK.", tuple(one.get("options", ())), one.get("chosen", ""))
            vault.tell(key, [turn], project=one.get("project"), date=str(one["date"]).removesuffix("Z"))
        vault.capture()


def _noticed(vault: Vault) -> list[tuple[str, str]]:
    """Pairs of texts of which one supersedes the other, or that the person is asked about."""
    text = {one.docid: one.said for one in vault.documents()}
    events = [json.loads(line).get("event") for line in vault.run("export", "--no-files").splitlines() if line.strip()]
    pairs = [(event["doc"], event["data"].get("by")) for event in events if _is_supersession(event)]
    waiting = json.dumps(vault.ask("review", "list").get("waiting", []))
    asked = [name for name in text if name in waiting]
    found = [("superseded", f"{text.get(old, '')}\n{text.get(new, '')}") for old, new in pairs]
    return found + [("asked", text[name]) for name in asked]


def _is_supersession(event: object) -> bool:
    return isinstance(event, dict) and event.get("kind") == "supersede"


def _judge(vault: Vault, case: dict[str, Any], noticed: list[tuple[str, str]], counted: dict[str, list[bool]]) -> None:
    project = case["earlier"][0].get("project")
    hits = vault.ask("query", case["question"], "-n", "5", "--full", project=project).get("results", [])
    first = f"{hits[0].get('title')}\n{hits[0].get('text') or ''}" if hits else ""
    block = str(vault.ask("surface", case["question"], project=project).get("context") or "")
    of_case = {kind for kind, text in noticed if _has(text, case["current"])}
    changes = case["expect"] != "coexists"
    if changes:
        counted["changes noticed"].append(bool(of_case))
        counted["the current one first"].append(_has(first, case["current"]))
    else:
        counted["what coexists superseded"].append("superseded" in of_case)
        counted["of what coexists the right one first"].append(_has(first, case["current"]))
    if case["outdated"]:
        alone = _has(block, case["outdated"]) and not _has(block, case["current"])
        counted["the block holds the outdated one alone"].append(alone)


def _has(text: str, keys: list[str]) -> bool:
    return any(plain(key) in plain(text) for key in keys)
