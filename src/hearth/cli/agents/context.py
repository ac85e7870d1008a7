"""``hearth context``: what an agent's model is sent, and the transcripts behind it."""

from __future__ import annotations

import click

from hearth.cli.operation import command
from hearth.operations import context as operations

_OPERATIONS = (
    operations.PLAN, operations.ASSEMBLE, operations.COMMIT, operations.COMPACT, operations.FLUSH, operations.RESET,
    operations.FIT, operations.SUMMARIZE, operations.MESSAGES,
)  # fmt: skip


@click.group()
def context() -> None:
    """Manage sessions of agents: plan, assemble, commit, compact, flush, reset; fit or summarize a host's own."""


for _operation in _OPERATIONS:
    context.add_command(command(_operation), _operation.name.removeprefix("context_"))
