"""``hearth doctor``: tries everything that Hearth needs, and says what to do where it fails."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from hearth.app import Settings, remnant_folders
from hearth.app.folders import prepare_vault
from hearth.cli import options, output
from hearth.cli.health import agents, index, machine, models
from hearth.cli.health.machine import FAIL, OK, WARN, Finding, try_check
from hearth.cli.index import fill_gently, sync
from hearth.cli.session import CommandSession, Progress
from hearth.core.errors import HearthError, UsageError
from hearth.core.files import make_folder
from hearth.disk import state_files

_COLOURS = {OK: "green", WARN: "yellow", FAIL: "red"}


@click.command()
@click.argument("host", required=False, type=click.Choice(["openclaw"]))
@click.option("--turn", is_flag=True, help="With openclaw: run one real turn and report what reached the model.")
@click.option("--openclaw", "program", metavar="PROGRAM", help="How to start OpenClaw [default: openclaw].")
@click.option("--fix", is_flag=True, help="Apply safe fixes: create folders, update, embed, rebuild a damaged index.")
@click.option("--deep", is_flag=True, help="Compare the whole index with the files, not a sample.")
@options.json_flag
@click.pass_context
def doctor(ctx: click.Context, /, host: str | None, fix: bool, deep: bool, as_json: bool, **trial: Any) -> None:
    """Check that everything works, by trying it; exits with 1 if something fails. With openclaw, check only that."""
    session = ctx.ensure_object(CommandSession)
    if trial["turn"] and host is None:
        raise UsageError("--turn needs a host: hearth doctor openclaw --turn")
    findings = list(
        _examine(session, deep) if host is None else _examine_openclaw(session, trial["turn"], trial["program"])
    )
    fixed = _treat(session, findings) if fix and host is None else []
    if fixed:
        findings = list(_examine(session, deep))
    if as_json:
        output.say_json({"findings": [finding.to_dict() for finding in findings], "fixed": fixed})
    else:
        for what in fixed:
            output.say(f"fixed: {what}")
        _say(findings)
    if any(finding.level == FAIL for finding in findings):
        ctx.exit(1)


def _examine_openclaw(session: CommandSession, turn: bool, program: str | None) -> Iterator[Finding]:
    from hearth.cli.health import openclaw

    chosen = session.settings()
    yield from try_check("openclaw", lambda: openclaw.installed(chosen))
    if turn:
        yield from try_check("turn", lambda: openclaw.try_turn(chosen, program))


def _examine(session: CommandSession, deep: bool) -> Iterator[Finding]:
    """Settings first, then folders, then the vault: what builds on something broken is not tried."""
    yield from try_check("python", machine.python)
    yield from try_check("sqlite", machine.sqlite)
    try:
        chosen = session.settings()
    except HearthError as error:
        yield Finding("config", FAIL, str(error), "see: hearth config path")
        return
    yield Finding("config", OK, f"{output.plural(len(chosen.loaded.origins), 'setting')} not at the default")
    folders = list(try_check("folders", lambda: machine.folders(chosen)))
    yield from folders
    if any(finding.level == FAIL for finding in folders):
        return
    yield from try_check("permissions", lambda: machine.permissions(chosen))
    yield from try_check("remnants", lambda: machine.leftovers(chosen))
    yield from try_check("file system", lambda: machine.file_systems(chosen))
    yield from try_check("disk space", lambda: machine.space(chosen))
    yield from try_check("machine id", lambda: machine.identity(chosen))
    yield from try_check("journal", lambda: index.check_journals(chosen))
    yield from try_check("index", lambda: _vault(session, deep))
    yield from try_check("llm", lambda: models.answers(chosen))
    yield from try_check("daemon", lambda: agents.daemon(chosen))
    yield from try_check("hooks", agents.lately)
    yield from try_check("hook", agents.round_trip)
    yield from try_check("incognito", lambda: agents.incognito(chosen))
    yield from try_check("agents", lambda: agents.installed(chosen))
    yield from try_check("mcp", lambda: agents.registered(chosen))


def _vault(session: CommandSession, deep: bool) -> Iterator[Finding]:
    with session.vault() as vault:
        yield from try_check("collections", lambda: index.collections(vault))
        yield from try_check("noticing", lambda: agents.noticing(vault))
        yield from try_check("transcripts", lambda: index.transcripts(vault))
        yield from try_check("dreaming", lambda: agents.dreaming(vault))
        whole = list(try_check("index", lambda: index.integrity(vault, deep=deep)))
        whole += try_check("embedding cache", lambda: index.cached(vault, deep=deep))
        yield from whole
        if any(finding.level == FAIL for finding in whole):
            return
        yield from try_check("agreement", lambda: index.agreement(vault))
        yield from try_check("collections", lambda: index.check_collections(vault))
        yield from try_check("vectors", lambda: models.vectors(vault))
        yield from try_check("model", lambda: models.models(vault, session.settings()))
        yield from try_check("rerank", lambda: models.discrimination(vault))


def _treat(session: CommandSession, findings: Sequence[Finding]) -> list[str]:
    """Carries out the safe remedies, in an order in which each can build on the one before."""
    wanted = {finding.remedy for finding in findings}
    chosen = session.settings() if wanted - {None} else None
    damaged = any(finding.remedy == "reindex" and finding.level == FAIL for finding in findings)
    done: list[str] = []
    if chosen is not None and "folders" in wanted:
        _create(chosen)
        done.append("created the missing folders")
    if chosen is not None and "remnants" in wanted:
        count = len(state_files.sweep_left(remnant_folders(chosen)))
        done.append(f"removed {output.plural(count, 'half-written file')}")
    if not wanted & {"cache", "reindex", "update", "embed"}:
        return done
    with session.vault() as vault:
        cache = vault.index.upkeep.filler.cache
        if "cache" in wanted and cache is not None:
            cache.empty()
            done.append("emptied the embedding cache")
        if "reindex" in wanted:
            with Progress(session, "reindexing") as progress:
                vault.index.reindex(force=damaged, progress=progress)
            done.append("rebuilt the index")
        if "update" in wanted:
            sync(vault, session)
            done.append("updated the index")
        if "embed" in wanted:
            fill_gently(vault, session)
            done.append("filled in missing vectors")
    return done


def _create(chosen: Settings) -> None:
    prepare_vault(chosen)
    make_folder(Path(chosen.folders.state))


def _say(findings: Iterable[Finding]) -> None:
    for finding in findings:
        level = f"{finding.level:<4}"
        if sys.stdout.isatty():
            level = click.style(level, fg=_COLOURS[finding.level])
        click.echo(f"{level}  {finding.check}: {output.line(finding.message)}")
        if finding.fix is not None:
            click.echo(f"      {finding.fix}")
