"""``hearth status``: what a vault holds and how it is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from hearth.app import Settings
from hearth.cli import options, output
from hearth.cli.index import tell_other_notes
from hearth.cli.installation import places
from hearth.cli.session import CommandSession, Progress, pass_session
from hearth.core import instants
from hearth.core.document import AGENT, NAMES
from hearth.vault.indexing.plan import release
from hearth.vault.upkeep import SpaceStatus
from hearth.vault.vault import Status, Vault

_FIRST = 5


@click.command()
@click.option("--all", "everything", is_flag=True, help="List every skipped file and every problem.")
@options.json_flag
@pass_session
def status(session: CommandSession, everything: bool, as_json: bool) -> None:
    """Show what the vault holds, and its state, as of the last update."""
    chosen = session.settings()
    with session.vault() as vault:
        _fill_if_new(vault, session)
        embedder = vault.index.locks.embedder()
        agents = {one.name: one.agent for one in vault.collections if one.agent}
        found, used = vault.status(), {**vault.counts().to_dict(), "missing_notes": vault.knowledge.notes.waiting()}
    if as_json:
        output.say_json(_row(found, chosen) | used)
        return
    _say_counts(found, chosen, used)
    _say_spaces(found, embedder)
    _say_collections(found, chosen, agents)
    limit = None if everything else _FIRST
    skipped = [f"{f.collection}/{output.name(f.path)}: {f.reason}" for f in found.skipped]
    _say_some("skipped files", skipped, limit)
    _say_some("documents with problems", [f"{output.name(uri)}: {why}" for uri, why in found.problems], limit)
    output.say()
    output.say_rows((name, str(place)) for name, place in places(chosen).items())


def _fill_if_new(vault: Vault, session: CommandSession) -> None:
    """An index that was deleted, or never filled, says nothing of what the vault holds."""
    with vault.index.store.read() as reader:
        known = reader.collections()
    if any(one.name not in known for one in vault.core.collections):
        with Progress(session, "updating") as progress:
            vault.index.freshen(progress=progress)


def _say_counts(found: Status, chosen: Settings, used: dict[str, Any]) -> None:
    types = ", ".join(f"{name} {count:,}" for name, count in used["content_types"].items())
    rows = [
        ("vault", found.vault),
        ("documents", f"{found.documents:,}"),
        ("fragments", f"{found.fragments:,}"),
        ("types", types or "-"),
        ("languages", ", ".join(found.languages) or "-"),
        (
            "accesses",
            f"{output.plural(used['accessed'], 'document')} read or used, {used['accesses']:,} times in answers",
        ),
        ("sessions", f"{used['sessions']:,}"),
        ("index", output.size(index_bytes(chosen))),
    ]
    if found.missing_relations:
        left = output.plural(found.missing_relations, "document")
        by_itself = chosen.loaded.config.daemon.mode != "never"
        how = "the daemon derives them in the background" if by_itself else "run: hearth graph build"
        rows.append(("relations", f"{left} not read yet; {how}"))
    if used["missing_notes"]:
        left = output.plural(used["missing_notes"], "document")
        rows.append(("notes", f"{left} to be read by the language model today; run: hearth graph build"))
    rows += [(name, f"{count:,}") for name, count in found.states.items() if count]
    output.say_rows(rows)


def _say_spaces(found: Status, embedder: str | None) -> None:
    output.say()
    for space in found.spaces:
        text = f"{space.name}: {output.plural(space.vectors, 'vector')}, {_ROLES[space.role]}"
        if space.missing:
            how = "run: hearth embed" if embedder is None else f"being embedded by {embedder}"
            text += f", {space.missing:,} missing; {how}"
        output.say(text)
        if space.facts is not None and space.facts.doubt:
            output.say(f"  {output.line(space.facts.doubt)}")
        for reason, count in space.reasons:
            output.say(f"  {output.plural(count, 'fragment')} failed: {output.line(reason)}")


_ROLES = {
    "static": "built in",
    "model": "answers",
    "filling": "answers once complete",
    "doubted": "must not answer",
    "former": "of a model that is not configured",
}


def _say_collections(found: Status, chosen: Settings, agents: Mapping[str, str]) -> None:
    known = {state.name for state in found.collections}
    output.say()
    for state in found.collections:
        seen = instants.show(state.scanned_at)
        item = chosen.vault.collections.get(state.name)
        when = "" if item is None else f", trust {item.trust}, surface {item.surface}"
        output.say(
            f"{state.name}: {output.plural(state.documents, 'document')}, {output.name(state.root)}, {seen}{when}"
        )
        if item is not None:
            others = found.other_notes.get(state.name, {})
            tell_other_notes(found.vault, state.name, others, item.pattern)
        if state.held:
            kept = f"{state.vanished:,} vanished documents kept"
            output.say(f"  held: {state.held}; {kept}; {release(state.name, state.held)}")
    for name, item in chosen.vault.collections.items():
        if name not in known and (agent := agents.get(name)) is not None:
            has_memory = chosen.loaded.config.agents[agent].memory
            how = f"HEARTH_AGENT={agent} hearth status" if has_memory else f"agents.{agent}.memory is false"
            output.say(f"{name}: seen by the agent {agent} alone: {how}")
        elif name not in known:
            output.say(f"{name}: not indexed yet, {output.name(str(item.path))}; run: hearth update")
    if without := chosen.loaded.config.agents_without_memory:
        output.say(f"agents without memory: {', '.join(without)} (agents.<name>.memory is false)")
    if not found.collections and not chosen.vault.collections:
        output.say("no collections; add one with: hearth bootstrap PATH")


def _say_some(what: str, lines: list[str], limit: int | None) -> None:
    if not lines:
        return
    output.say(f"\n{what}: {len(lines):,}")
    for text in lines[:limit]:
        output.say(f"  {text}")
    if limit is not None and len(lines) > limit:
        output.say(f"  … hearth status --all lists {len(lines) - limit:,} more")


def index_bytes(chosen: Settings) -> int:
    """Bytes on disk of the index, its log and its vector files."""
    total = 0
    for file in Path(chosen.vault.cache).glob("**/*"):
        try:
            total += file.stat().st_size if file.is_file() else 0
        except FileNotFoundError:
            continue
    return total


def _row(found: Status, chosen: Settings) -> dict[str, Any]:
    return {
        "vault": found.vault,
        "documents": found.documents,
        "fragments": found.fragments,
        "vectors": dict(found.vectors),
        "missing_vectors": found.missing_vectors,
        "missing_relations": found.missing_relations,
        "spaces": [_space_row(space) for space in found.spaces],
        "languages": list(found.languages),
        "generation": found.generation,
        "index_bytes": index_bytes(chosen),
        "states": dict(found.states),
        "collections": [
            {
                "name": state.name,
                "root": state.root,
                "trust": _find_trust(chosen, state.name),
                "documents": state.documents,
                "scanned_at": state.scanned_at,
                "held": state.held,
                "vanished": state.vanished,
                "other_notes": dict(found.other_notes.get(state.name, {})),
                "surface": chosen.vault.collections[state.name].surface
                if state.name in chosen.vault.collections
                else None,
            }
            for state in found.collections
        ],
        "skipped": [{"collection": f.collection, "path": f.path, "reason": f.reason} for f in found.skipped],
        "problems": [{"document": uri, "problem": why} for uri, why in found.problems],
        "paths": {name: str(place) for name, place in places(chosen).items()},
    }


def _find_trust(chosen: Settings, name: str) -> str:
    item = chosen.vault.collections.get(name)
    return NAMES[AGENT] if item is None else item.trust


def _space_row(space: SpaceStatus) -> dict[str, Any]:
    facts = space.facts
    return {
        "name": space.name,
        "role": space.role,
        "serves": space.serves,
        "vectors": space.vectors,
        "missing": space.missing,
        "failed": space.failed,
        "reasons": [{"error": reason, "fragments": count} for reason, count in space.reasons],
        "complete_at": facts.complete if facts is not None else None,
        "doubt": facts.doubt if facts is not None else None,
        "margins": dict(facts.margins or {}) if facts is not None else None,
    }
