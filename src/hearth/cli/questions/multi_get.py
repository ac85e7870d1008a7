"""``hearth multi-get``: the texts of several documents."""

from __future__ import annotations

import click

from hearth.cli import options, output
from hearth.cli.questions.get import row, say_text
from hearth.cli.session import CommandSession, pass_session


@click.command()
@click.argument("pattern")
@click.option(
    "--max-bytes",
    type=click.IntRange(min=1),
    default=65_536,
    show_default=True,
    metavar="BYTES",
    help="Leave out larger documents.",
)
@options.json_flag
@pass_session
def multi_get(session: CommandSession, pattern: str, max_bytes: int, as_json: bool) -> None:
    """Print several documents.

    PATTERN is a glob over collection/path, or references between commas."""
    with session.fresh_vault() as vault:
        passages, skipped = vault.multi_get(pattern, max_bytes=max_bytes)
    if as_json:
        left = [{"collection": s.collection, "path": s.path, "reason": _option(s.reason)} for s in skipped]
        output.say_json({"documents": [row(passage) for passage in passages], "skipped": left})
        return
    for passage in passages:
        output.say(f"==> {output.name(f'{passage.document.collection}/{passage.document.path}')} <==")
        say_text(passage.text)
        output.say()
    for file in skipped:
        output.warn(f"skipped {file.collection}/{output.name(file.path)}: {_option(file.reason)}")


def _option(reason: str) -> str:
    return reason.replace("max_bytes", "--max-bytes")
