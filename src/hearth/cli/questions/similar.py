"""``hearth similar``: documents like a document."""

from __future__ import annotations

import time
from dataclasses import replace

import click

from hearth.cli import options
from hearth.cli.questions.search import show
from hearth.cli.session import CommandSession, pass_session
from hearth.model.query import Recall


@click.command()
@click.argument("reference", metavar="REF")
@options.limit
@click.option("--full", is_flag=True, help="Print whole passages instead of their beginnings.")
@options.formats
@pass_session
def similar(session: CommandSession, reference: str, limit: int, full: bool) -> None:
    """Find documents with passages like those of a document."""
    with session.fresh_vault() as vault:
        started = time.perf_counter()
        found = tuple(replace(hit, explain=None) for hit in vault.similar(reference, limit))
        took = (time.perf_counter() - started) * 1000
        reason = None if found else "no other document is like it"
        show(Recall(reference, "similar", found, took, reason=reason, confident=bool(found)), vault, full=full)
