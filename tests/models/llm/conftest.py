from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from tests.models.llm.chat import ChatServer

from hearth.config.tree import LlmSettings
from hearth.models.llm import open_llm
from hearth.models.structured import StructuredLlm, UsageLedger


class Jar(BaseModel):
    name: str
    shelf: int


GOOD = '{"name": "honey", "shelf": 3}'


@pytest.fixture
def chat() -> Iterator[ChatServer]:
    made = ChatServer(always=GOOD)
    yield made
    made.stop()


@pytest.fixture
def ledger(tmp_path: Path) -> UsageLedger:
    return UsageLedger(tmp_path / "usage.json", None, lambda: "2026-11-22")


@pytest.fixture
def opened(tmp_path: Path, ledger: UsageLedger) -> Iterator[Callable[..., StructuredLlm]]:
    """A model of these settings; ``key`` is its key, ``environ`` what an agent runs in, ``usage`` its ledger."""
    made: list[StructuredLlm] = []

    def make(key: str | None = None, environ: dict[str, str] | None = None, **given: Any) -> StructuredLlm:
        usage = given.pop("usage", ledger)
        inherited = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
        made.append(open_llm(LlmSettings(**given), key, usage, inherited | (environ or {})))
        return made[-1]

    yield make
    for one in made:
        one.close()


PROGRAM = """#!{python} -IS
import json, os, sys, time
arguments = sys.argv[1:]
told = sys.stdin.read()
def option(name):
    return next((a.partition("=")[2] for a in arguments if a.startswith(name + "=")), None)
with open({log!r}, "a") as log:
    seen = {{"arguments": arguments, "told": told, "environ": dict(os.environ), "cwd": os.getcwd()}}
    log.write(json.dumps(seen) + "\\n")
if arguments[:2] == ["mcp", "list"]:
    print({servers!r})
    sys.exit()
said = {said!r}
{more}
if {kind!r} == "codex":
    with open(option("--output-last-message"), "w") as file:
        file.write(said)
    print(json.dumps({{"type": "turn.completed", "usage": {{"input_tokens": 90, "output_tokens": 10}}}}))
else:
    usage = {{"input_tokens": 60, "cache_read_input_tokens": 30, "output_tokens": 10}}
    print(json.dumps({{"type": "result", "is_error": False, "result": said, "usage": usage}}))
"""


@pytest.fixture
def program(tmp_path: Path) -> Callable[..., Path]:
    """A stand-in for an agent's program, which says something and logs what it was started with; ``more`` is code."""

    def make(kind: str, said: str = GOOD, more: str = "", servers: str = "[]") -> Path:
        file = tmp_path / "bin" / kind
        file.parent.mkdir(exist_ok=True)
        values = {"python": sys.executable, "log": str(tmp_path / "log"), "said": said, "kind": kind}
        file.write_text(PROGRAM.format(**values, more=more, servers=servers), encoding="utf-8")
        file.chmod(0o755)
        return file

    return make
