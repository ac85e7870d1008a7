"""``hearth embed``: vectors for the fragments that lack them."""

from __future__ import annotations

import click

from hearth.cli import options, output
from hearth.cli.progress import Progress
from hearth.cli.session import CommandSession, pass_session
from hearth.engine.spaces.embedding import EmbedReport
from hearth.engine.vault import Vault
from hearth.errors import HearthError, Unavailable


@click.command()
@click.option("-f", "--force", is_flag=True, help="Make all vectors anew; the present ones answer meanwhile.")
@options.json_flag
@pass_session
def embed(session: CommandSession, force: bool, as_json: bool) -> None:
    """Fill in missing vectors.

    What is embedded is kept whenever this ends, and running it again goes on from there. A model's space answers once
    it is complete; until then, and under -f, what answered before does."""
    with session.vault() as vault:
        report = fill(vault, session, force=force)
    if as_json:
        output.say_json(row(report))
    else:
        output.say(summary(report))
    if report.error is not None:
        raise Unavailable(f"embedding stopped: {report.error}; what was embedded is kept, run it again later")


def fill(vault: Vault, session: CommandSession, *, force: bool = False) -> EmbedReport:
    if (other := vault.index.locks.embedder()) is not None:
        output.warn(f"waiting for {other}, which is embedding this vault")
    status = vault.status()
    total = status.fragments * len(status.wanted) if force else status.missing_vectors
    with Progress(session, "embedding", "fragments") as progress:
        return vault.index.embed(force=force, progress=lambda done: progress(done, total))


def fill_gently(vault: Vault, session: CommandSession) -> EmbedReport:
    """Where embedding is only a part of what was asked: a model that fails is a warning, since the built-in table
    answers."""
    try:
        report = fill(vault, session)
    except HearthError as error:
        report = EmbedReport(error=str(error))
    if report.error is not None:
        output.warn(f"embedding stopped: {report.error}; what answered before still does; later run: hearth embed")
    return report


def summary(report: EmbedReport) -> str:
    text = f"{output.plural(report.embedded, 'fragment')} embedded in {report.seconds:.1f} s"
    text += f", {report.failed:,} failed; hearth status says why" if report.failed else ""
    return "\n".join([text, *report.news])


def row(report: EmbedReport) -> dict[str, object]:
    return {
        "embedded": report.embedded,
        "failed": report.failed,
        "seconds": round(report.seconds, 3),
        "error": report.error,
        "news": report.news,
    }
