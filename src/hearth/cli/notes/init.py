"""``hearth init``: folders and an empty configuration."""

from __future__ import annotations

import click

from hearth.app import Settings
from hearth.cli import options, output
from hearth.cli.installation.path import places
from hearth.cli.session import CommandSession, pass_session
from hearth.config import config_file
from hearth.errors import Unavailable
from hearth.files import make_folder, write_atomically

_CONFIG = """\
# Hearth's settings; every key is optional. See them all with: hearth config show
# Add a folder of notes with: hearth bootstrap PATH
"""


@click.command()
@options.json_flag
@pass_session
def init(session: CommandSession, as_json: bool) -> None:
    """Create the folders and an empty configuration; what is there stays."""
    chosen = session.settings()
    prepare(chosen)
    found = places(chosen)
    if as_json:
        output.say_json({name: str(place) for name, place in found.items()})
    else:
        output.say_rows((name, str(found[name])) for name in ("config", "data", "cache"))
        output.say("next: hearth bootstrap PATH, with the folder of your notes")


def prepare(chosen: Settings) -> None:
    """Makes what is missing of the vault's folders and the configuration. Raises ``Unavailable``."""
    for folder in (chosen.vault.data, chosen.vault.cache):
        try:
            make_folder(folder)
        except OSError as error:
            raise Unavailable(f"can't create {folder}: {error.strerror}; check its permissions") from error
    file = config_file(chosen.folders)
    if not file.exists():
        write_atomically(file, _CONFIG.encode("utf-8"))
