"""Whether nights can write their pages."""

from __future__ import annotations

from collections.abc import Iterator

from hearth.cli.health.checks.finding import WARN, Finding
from hearth.engine.vault import Vault


def dreaming(vault: Vault) -> Iterator[Finding]:
    """Nothing is said of what is as it should be."""
    for dreamer in vault.dream.every():
        problem = dreamer.pages.read().problem
        if problem is not None:
            yield Finding("dreaming", WARN, problem, f"edit {dreamer.pages.path}")
