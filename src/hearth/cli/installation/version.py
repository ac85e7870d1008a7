"""``hearth version``."""

from __future__ import annotations

import platform
import sys

import click

from hearth import __version__
from hearth.cli import options, output


@click.command()
@options.json_flag
def version(as_json: bool) -> None:
    """Print the versions of Hearth and Python."""
    python = platform.python_version()
    if as_json:
        output.say_json({"hearth": __version__, "python": python, "platform": sys.platform})
    else:
        output.say(f"hearth {__version__} (Python {python}, {sys.platform})")
