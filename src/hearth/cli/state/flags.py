"""``hearth pin``, ``unpin``, ``forget``, ``restore``, ``supersede``, ``invalidate`` and ``unsnooze``."""

from __future__ import annotations

import click

from hearth.cli.state.change import changing

pin = changing("pin", "Put a document at the top of what is as relevant, and keep it from being archived.")
unpin = changing("unpin", "Take a pin back.")
unsnooze = changing("unsnooze", "End a snooze.")
forget = changing("forget", "Hide a document from every search; its file stays.")
restore = changing("restore", "Bring back what is forgotten, archived, superseded or invalidated.")
supersede = changing(
    "supersede",
    "Say that another document replaces a document, which leaves searches.",
    click.option("--by", metavar="REF", required=True, help="The document that replaces it."),
)
invalidate = changing("invalidate", "Say that a document is not true any more; it leaves searches.")
