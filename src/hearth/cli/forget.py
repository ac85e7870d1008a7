"""``hearth forget``."""

from __future__ import annotations

from hearth.cli.change import changing

forget = changing("forget", "Hide a document from every search; its file stays.")
