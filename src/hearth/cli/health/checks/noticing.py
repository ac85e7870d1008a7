"""Whether so many memories were superseded by themselves that a person is asked about all others."""

from __future__ import annotations

from collections.abc import Iterator

from hearth.cli.health.checks.finding import WARN, Finding
from hearth.engine.truth.acts import PER_DAY
from hearth.engine.truth.noticing import superseded_since
from hearth.engine.vault import Vault
from hearth.model.instants import DAY_MS


def noticing(vault: Vault) -> Iterator[Finding]:
    """Nothing is said of what is as it should be."""
    with vault.store.read() as reader:
        count = len(superseded_since(reader, vault.clock() - DAY_MS))
    if count >= PER_DAY:
        message = f"{count} memories were superseded by themselves within a day; a person is asked about all others"
        yield Finding("noticing", WARN, message, "see what waits with: hearth review")
