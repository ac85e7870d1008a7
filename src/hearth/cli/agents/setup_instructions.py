"""``hearth setup instructions``, ``setup curator`` and ``update-context``: what agents read in files."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import click

from hearth.app import Settings
from hearth.cli import options, output
from hearth.cli.agents import launcher
from hearth.cli.session import CommandSession, pass_session
from hearth.core.errors import Conflict, UsageError
from hearth.core.lazy import dataclass
from hearth.hosts import claude_code, codex
from hearth.markdown.marked_blocks import INSTRUCTIONS, FileEdit
from hearth.settings_files.file import FileChange
from hearth.settings_files.marked_files import (
    INSTRUCTION_FILES,
    edit_block,
    edit_own_file,
    find_instruction_file,
    remove_empty_folders,
)

_PLUGIN = "claude-code/hearth"


@dataclass(frozen=True, slots=True)
class Wish:
    project: bool
    remove: bool
    dry_run: bool


def read_skill() -> str:
    return _read("skills/hearth/SKILL.md", "the skill")


def read_instructions() -> str:
    return files("hearth.hosts").joinpath("instructions.md").read_text(encoding="utf-8")


def install_instructions(session: CommandSession, wish: Wish, *, as_json: bool) -> None:
    _report(edit_instructions(session.settings(), wish), "instructions", wish, as_json=as_json)


def install_curator(session: CommandSession, wish: Wish, *, as_json: bool) -> None:
    _report(edit_curator(session.settings(), wish), "the curator", wish, as_json=as_json)


def edit_instructions(settings: Settings, wish: Wish) -> list[FileEdit]:
    """Edits the block in the file that a host reads whole, and the skill in the folders where hosts look for skills."""
    lock = launcher.lock(settings)
    body, skill = (None, None) if wish.remove else (read_instructions(), read_skill())
    edits = [edit_block(file, INSTRUCTIONS, body, lock, dry_run=wish.dry_run) for file in _find_pages(settings, wish)]
    for base in _find_skill_folders(settings, wish):
        file = base / "skills" / "hearth" / "SKILL.md"
        edits.append(_edit_own(file, skill, base.parent, lock, wish))
    return edits


def edit_curator(settings: Settings, wish: Wish) -> list[FileEdit]:
    base = _base(settings, wish) / ".claude" if wish.project else _claude(settings)
    text = None if wish.remove else _read("agents/curator.md", "the curator")
    return [_edit_own(base / "agents" / "curator.md", text, base.parent, launcher.lock(settings), wish)]


def _edit_own(file: Path, text: str | None, keep: Path, lock: Path, wish: Wish) -> FileEdit:
    edit = edit_own_file(file, text, lock, dry_run=wish.dry_run)
    if edit.action == "removed" and not wish.dry_run:
        remove_empty_folders(file.parent, keep)
    return edit


def _find_pages(settings: Settings, wish: Wish) -> Iterator[Path]:
    """A project's CLAUDE.md, or AGENTS.md if only that exists; a person's, for each host installed here."""
    if wish.project:
        base = _base(settings, wish)
        if wish.remove:
            yield from (base / name for name in INSTRUCTION_FILES if (base / name).exists())
        else:
            yield find_instruction_file(base)
        return
    hosts = (
        (_claude(settings), "CLAUDE.md"),
        (Path(codex.folder(launcher.home(settings), settings.environ)), "AGENTS.md"),
    )
    found = [folder / name for folder, name in hosts if folder.is_dir()]
    if not (found or wish.remove):
        raise UsageError("neither Claude Code nor Codex is set up here; run this in a project, with --project")
    yield from found


def _find_skill_folders(settings: Settings, wish: Wish) -> Iterator[Path]:
    """Hosts share ``.agents``; Claude Code has its own."""
    base = _base(settings, wish)
    yield base / ".agents"
    claude = base / ".claude" if wish.project else _claude(settings)
    if wish.project or claude.is_dir():
        yield claude


def _base(settings: Settings, wish: Wish) -> Path:
    return Path(launcher.project(settings) if wish.project else launcher.home(settings))


def _claude(settings: Settings) -> Path:
    return Path(claude_code.folder(launcher.home(settings), settings.environ))


def _read(path: str, what: str) -> str:
    return launcher.integration(f"{_PLUGIN}/{path}", what).read_text(encoding="utf-8")


def _report(edits: list[FileEdit], what: str, wish: Wish, *, as_json: bool) -> None:
    report_edits(edits, what, dry_run=wish.dry_run, as_json=as_json)
    if not (edits or as_json):
        output.say("nothing to remove")


def report_edits(edits: list[FileEdit], what: str, *, dry_run: bool, as_json: bool) -> None:
    """Prints what was done to each file, or would be."""
    if as_json:
        output.say_json({"dry_run": dry_run, "files": [_to_dict(edit) for edit in edits]})
        return
    for edit in edits:
        if edit.action == "left":
            output.warn(f"{edit.file} stays as it is: {edit.reason}")
        elif edit.action == "unchanged":
            output.say(f"nothing to change in {edit.file}")
        elif dry_run:
            output.say(output.clean(_difference(edit)).rstrip("\n"))
        else:
            gone = "" if edit.after is not None else " (deleted)"
            output.say(f"{what} {'removed from' if edit.action == 'removed' else 'written to'} {edit.file}{gone}")


def _to_dict(edit: FileEdit) -> dict[str, Any]:
    found = {"file": str(edit.file), "action": edit.action, "reason": edit.reason or None}
    return found | {"diff": _difference(edit) if edit.action in ("written", "removed") else ""}


def _difference(edit: FileEdit) -> str:
    return launcher.difference(FileChange(edit.file, edit.before, edit.after))


@click.command("update-context")
@click.argument("folder", required=False, default=".", metavar="[DIR]")
@click.option("--dry-run", is_flag=True, help="Show what would change without changing it.")
@options.json_flag
@pass_session
def update_context(session: CommandSession, folder: str, dry_run: bool, as_json: bool) -> None:
    """Write what memory says of a folder, and of those below it that sessions changed, into its CLAUDE.md.

    A marked block of at most 300 tokens: decisions of the last 30 days, what to avoid, the last sessions. If only
    AGENTS.md exists, it goes there. Edited blocks are left alone; a folder with nothing to say has none."""
    from hearth.app.folder_blocks import update_folders

    with session.fresh_vault() as vault:
        edits = update_folders(vault, str(Path(folder).expanduser().absolute()), dry_run=dry_run)
    report_edits(edits, "memory", dry_run=dry_run, as_json=as_json)
    if not (as_json or any(edit.action in ("written", "removed", "left") for edit in edits)):
        output.note("nothing new to say of these folders")
    if any(edit.action == "left" for edit in edits):
        raise Conflict("some files were left as they are; see above")
