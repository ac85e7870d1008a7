"""``hearth handoff``: what the next session has to know."""

from __future__ import annotations

import click

from hearth.cli import options, output
from hearth.cli.session import CommandSession, pass_session
from hearth.engine.vault import Vault
from hearth.errors import NotFound, Remedy
from hearth.markdown.render import body_of

_LOOKED_AT = 200


@click.command()
@click.argument("name", required=False, metavar="[SESSION]")
@options.json_flag
@pass_session
def handoff(session: CommandSession, name: str | None, as_json: bool) -> None:
    """Print the hand-off of a session, else the latest of this folder's project, else the latest of all."""
    with session.fresh_vault() as vault:
        docid, other = (_of(vault, name), None) if name is not None else _latest(vault)
        if docid is None:
            lists = Remedy("log", "sessions", "", " lists the sessions")
            raise NotFound(
                "no session has handed its work on yet" if name is None else f"no hand-off of {name!r}", lists
            )
        passage = vault.get(f"#{docid}")
    text = body_of(passage.text)
    if as_json:
        output.say_json({"docid": docid, "path": passage.document.path, "text": text})
    else:
        output.say(text)
    if other is not None:
        output.note(f"of a session of {other}: none of this folder's project has handed its work on yet")


def _of(vault: Vault, name: str) -> str | None:
    return vault.sessions.get(name).session.handoff


def _latest(vault: Vault) -> tuple[str | None, str | None]:
    """With whose it is, where it is not this folder's project's."""
    project = options.project_here(vault)
    for within in dict.fromkeys((project, None)):
        for row in vault.sessions.recent(_LOOKED_AT, within):
            if row.handoff:
                return row.handoff, None if row.project in (None, project) else row.project
    return None, None
