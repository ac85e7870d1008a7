"""The person's own agent as a model: how its program is started, and ended."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.models.llm.conftest import Jar

from hearth.core.errors import BadReply, Unavailable
from hearth.models.structured import DayUsage, StructuredLlm, UsageLedger

Opened = Callable[..., StructuredLlm]
Program = Callable[..., Path]
BOTH = pytest.mark.parametrize("kind", ["claude", "codex"])
SECRET = "`touch /tmp/x`; $(touch /tmp/x) \"'\n--dangerous"


def started(tmp_path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (tmp_path / "log").read_text(encoding="utf-8").splitlines()]


@BOTH
def test_the_program_reads_the_prompt_from_its_input_and_runs_without_hooks_tools_or_a_project(
    kind: str, program: Program, opened: Opened, tmp_path: Path, ledger: UsageLedger
) -> None:
    environ = {"CLAUDECODE": "1", "OWN_KEY": "k"}
    llm = opened(provider="agent", command=str(program(kind)), model="small", environ=environ)
    assert llm.complete(SECRET, Jar) == Jar(name="honey", shelf=3)
    run = started(tmp_path)[-1]
    assert run["told"] == SECRET and not any("touch" in argument for argument in run["arguments"])
    assert run["environ"]["HEARTH_DISABLE"] == "1" and run["environ"]["OWN_KEY"] == "k"
    assert "CLAUDECODE" not in run["environ"]
    assert "hearth-agent-" in run["cwd"] and not Path(run["cwd"]).exists()
    given = " ".join(run["arguments"])
    assert "--model=small" in given and "schema" in given
    assert ("--tools= " in given and "disableAllHooks" in given) if kind == "claude" else "--sandbox=read-only" in given
    assert ledger.used() == DayUsage(1, 100) and llm.name == f"agent:{kind}:small"


def test_the_first_program_that_is_there_is_taken(program: Program, opened: Opened, tmp_path: Path) -> None:
    path = {"PATH": str(tmp_path / "bin")}
    with pytest.raises(Unavailable, match=r"claude and codex can't be found; set llm.command"):
        opened(provider="agent", environ=path)
    program("codex")
    assert opened(provider="agent", environ=path).name == "agent:codex"
    program("claude")
    assert opened(provider="agent", environ=path).name == "agent:claude"


def test_codex_starts_none_of_the_persons_servers(program: Program, opened: Opened, tmp_path: Path) -> None:
    llm = opened(provider="agent", command=str(program("codex", servers='[{"name": "mail"}]')))
    for _ in range(2):
        llm.complete("Which jar?", Jar)
    listing, *asked = started(tmp_path)
    assert listing["arguments"] == ["mcp", "list", "--json"] and len(asked) == 2
    assert all("--config=mcp_servers.mail.enabled=false" in run["arguments"] for run in asked)


@pytest.mark.parametrize("servers", ["No servers.", '[{"name": "a.b=c"}]', "{}"])
def test_a_codex_that_does_not_say_which_servers_it_has_is_not_asked(
    servers: str, program: Program, opened: Opened, tmp_path: Path
) -> None:
    llm = opened(provider="agent", command=str(program("codex", servers=servers)))
    with pytest.raises(Unavailable, match="which MCP servers"):
        llm.complete("Which jar?", Jar)
    assert len(started(tmp_path)) == 1


@BOTH
def test_a_program_that_fails_is_unavailable_in_its_own_words(kind: str, program: Program, opened: Opened) -> None:
    file = program(kind, more="print('please sign in \\x1b[1m', file=sys.stderr); sys.exit(3)")
    with pytest.raises(Unavailable, match=r"failed: please sign in \[1m"):
        opened(provider="agent", command=str(file)).complete("Which jar?", Jar)


def test_an_error_that_claude_reports_is_one(program: Program, opened: Opened) -> None:
    file = program("claude", more="print(json.dumps({'is_error': True, 'result': 'no credit'})); sys.exit()")
    with pytest.raises(Unavailable, match="no credit"):
        opened(provider="agent", command=str(file)).complete("Which jar?", Jar)


def test_structured_output_of_claude_is_taken(program: Program, opened: Opened) -> None:
    given = "{'structured_output': {'name': 'salt', 'shelf': 1}, 'result': 'Done.'}"
    file = program("claude", more=f"print(json.dumps({given})); sys.exit()")
    assert opened(provider="agent", command=str(file)).complete("Which jar?", Jar).name == "salt"


@BOTH
@pytest.mark.parametrize("more", ["print('hello'); sys.exit()", "said = ''", "said = 'x' * 1_000_000"])
def test_a_program_that_answers_nonsense_gives_a_bad_reply(
    kind: str, more: str, program: Program, opened: Opened
) -> None:
    with pytest.raises(BadReply):
        opened(provider="agent", command=str(program(kind, more=more))).complete("Which jar?", Jar)


def test_a_program_that_never_stops_printing_is_ended(program: Program, opened: Opened) -> None:
    file = program("claude", more="while True: print('x' * 100_000)")
    with pytest.raises(BadReply, match="more than 4 MiB"):
        opened(provider="agent", command=str(file)).complete("Which jar?", Jar)


def test_a_program_that_never_answers_is_ended_with_all_that_it_started(
    program: Program, opened: Opened, tmp_path: Path, until: Callable[..., None]
) -> None:
    more = f"child = os.fork(); open({str(tmp_path)!r} + '/child', 'a').write(str(os.getpid()) + ' '); time.sleep(600)"
    with pytest.raises(Unavailable, match="did not answer in time"):
        opened(provider="agent", command=str(program("claude", more=more)), timeout_seconds=1).complete("?", Jar)
    for process in (tmp_path / "child").read_text(encoding="utf-8").split():
        until(lambda process=process: is_gone(int(process)))


def is_gone(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").split()[2] == "Z"
    except OSError:
        return True


def test_a_program_that_went_away_is_unavailable(program: Program, opened: Opened) -> None:
    file = program("claude")
    llm = opened(provider="agent", command=str(file))
    file.unlink()
    with pytest.raises(Unavailable, match="can't be started"):
        llm.complete("Which jar?", Jar)
