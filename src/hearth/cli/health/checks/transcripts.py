"""Whether lines of the transcripts that were captured could not be read."""

from __future__ import annotations

from collections.abc import Iterator

from hearth.cli.health.checks.finding import WARN, Finding
from hearth.engine.vault import Vault


def transcripts(vault: Vault) -> Iterator[Finding]:
    """Nothing is said where all were read."""
    passed = vault.capture.status().passed_over
    if passed:
        lines, most = sum(one.lines for one in passed), passed[0]
        message = (
            f"{lines} damaged or overlong {'line' if lines == 1 else 'lines'} in {len(passed)} "
            f"{'transcript' if len(passed) == 1 else 'transcripts'} could not be read in full; "
            f"most in {most.transcript}, from byte {most.offset} on ({most.reason})"
        )
        yield Finding("transcripts", WARN, message, "see all with: hearth capture status")
