"""``hearth supersede``: a document that another one replaces."""

from __future__ import annotations

import click

from hearth.cli.change import changing

supersede = changing(
    "supersede",
    "Say that another document replaces a document, which leaves searches.",
    click.option("--by", metavar="REF", required=True, help="The document that replaces it."),
)
