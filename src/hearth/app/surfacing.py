"""What answers the events of hosts over a vault."""

from __future__ import annotations

import os

from hearth.config import Config
from hearth.context.hook_context import HookContext, Hooks, TranscriptReader
from hearth.context.notes import Notes
from hearth.core.judgement import may_cite
from hearth.core.lazy import later
from hearth.core.paths import home
from hearth.disk.commits import check_citations
from hearth.disk.incognito import OpenTranscripts
from hearth.disk.project import project_of
from hearth.ports import Transcripts
from hearth.vault.vault import Vault


def build_hooks(vault: Vault, config: Config) -> Hooks:
    surface = config.surface
    project = lambda cwd: None if cwd is None else vault.sessions.project_of(cwd)  # noqa: E731

    def find_root(folder: str) -> str | None:
        """The folder of the project that another folder belongs to."""
        found = project_of(folder, home(os.environ))
        return None if found is None else found.root

    context = HookContext(
        vault=vault,
        notes=Notes(vault, project, surface.other_projects, find_root),
        transcripts=TranscriptReader(OpenTranscripts(later(_open_transcripts), vault.privacy), vault.clock),
        profile=config.profile,
        heartbeats=surface.heartbeats,
        sweeps=not config.lifecycle.dry_run,
        briefs=surface.bootstrap,
        capture_patterns=config.capture.patterns,
        privacy=vault.privacy,
        update_folders=_update_folders if config.directory_context else None,
        check_citations=_check_citations,
    )
    return Hooks(context)


def _open_transcripts() -> Transcripts:
    from hearth.disk.transcripts import DiskTranscripts

    return DiskTranscripts()


def _check_citations(text: str, at: int, root: str, seconds: float) -> str | None:
    if not may_cite(text):
        return None
    return check_citations(text, at, root, seconds)


def _update_folders(vault: Vault, folder: str, *, session: str) -> None:
    from hearth.app.folder_blocks import update_folders

    update_folders(vault, folder, session=session)
