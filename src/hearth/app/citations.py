"""What became of the code that memories cite, beside answers that somebody asked for."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hearth.core.document import INTERNAL, Document
from hearth.core.query import Recall
from hearth.disk.commits import check_citations, find_repository
from hearth.vault.vault import Vault

# Of an answer at most so many memories are looked at, for so many seconds in all.
MOST, SECONDS = 3, 0.4


def cite_hits(vault: Vault, recall: Recall, places: Sequence[int]) -> Recall:
    """The memories at these places of an answer say what became of the code that they cite, as far as that is found
    out soon."""
    until, hits = time.monotonic() + SECONDS, list(recall.hits)
    with vault.store.read() as reader:
        stored = [reader.document(hits[at].docid) for at in places[:MOST]]
    for at, one in zip(places, stored, strict=False):
        left = until - time.monotonic()
        cited = find_cited(vault, one.document, hits[at].text, left) if one is not None and left > 0 else None
        if cited is not None:
            hits[at] = replace(hits[at], validity=replace(hits[at].validity, cited=cited))
    return replace(recall, hits=tuple(hits))


def find_cited(vault: Vault, document: Document, text: str, seconds: float | None = None) -> str | None:
    """As ``check_citations``, in the repository of the memory's project where a collection lies in one."""
    project = document.facts.get("project")
    root = _find_root(vault, project) if project else None
    written = document.authored_at or document.modified_at
    return None if root is None else check_citations(text, written, root, SECONDS if seconds is None else seconds)


def _find_root(vault: Vault, project: str) -> str | None:
    folders = [project] if project.startswith("/") else []
    folders += [one.root for one in vault.collections if one.name != INTERNAL]
    for folder in folders:
        if folder == project or vault.sessions.project_of(folder) == project:
            try:
                repository = find_repository(Path(folder))
            except (OSError, ValueError):
                continue
            if repository is not None:
                return str(repository.top)
    return None
