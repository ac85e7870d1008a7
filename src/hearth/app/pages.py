"""How the pages and nights of one vault are made."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from hearth import journal
from hearth.app.adapters import Adapters
from hearth.app.models import open_editor, open_note_reader, open_writer
from hearth.core.errors import HearthError, UsageError
from hearth.core.session import MAIN_AGENT
from hearth.disk.memories import DiskMemories
from hearth.pages.document_notes import NoteBook
from hearth.pages.dream.dreamer import Dreamer
from hearth.pages.dream.index_view import Realm
from hearth.pages.dream.pages import DreamPages, RecallTakeover
from hearth.pages.dream.plan import DreamRules
from hearth.pages.dream.reflector import Reflector
from hearth.pages.dream.scores import Gates
from hearth.pages.knowledge import Knowledge, KnowledgeChoices
from hearth.pages.note_taking import NoteTaker
from hearth.pages.threads import ThreadNamer
from hearth.vault.vault import Vault

if TYPE_CHECKING:
    from hearth.pages.curator import Curator


def build_dreamer(adapters: Adapters, vault: Vault) -> Dreamer:
    core, prepare = vault.core, vault.index.prepare

    config = adapters.chosen.loaded.config
    chosen = config.dream
    gates = Gates(chosen.min_score, chosen.min_signals, chosen.min_questions, chosen.min_confirmations)
    history = adapters.history()
    sources = core.collections if chosen.record else ()
    editor = None if config.llm.provider == "none" else lambda: open_editor(adapters.models.reader())
    main = Dreamer(
        history=history,
        pages=DreamPages(DiskMemories(adapters.memory)),
        rules=DreamRules(gates, chosen.per_night, chosen.max_tokens, _main_realm(adapters)),
        machine=adapters.machine(),
        clock=core.clock,
        zone=core.zone,
        roots=core.roots,
        at=chosen.at,
        lease=adapters.locks.jobs,
        exclusive=adapters.locks.write,
        prepare=prepare,
        reflector=Reflector(core.store, core.clock, core.zone, prepare),
        takeover=RecallTakeover(history, core.files, sources, core.clock, core.zone),
        diarist=editor,
        editor=editor,
        enabled=chosen.enabled,
    )
    return replace(
        main, agents={name: _of_agent(adapters, main, vault, name) for name in config.agents if name != MAIN_AGENT}
    )


def _main_realm(adapters: Adapters) -> Realm:
    """But for what is an agent's."""
    agents = {name: one for name, one in adapters.chosen.loaded.config.agents.items() if name != MAIN_AGENT}
    theirs = {name for agent in agents.values() for name in agent.collections}
    theirs |= {name for agent in agents for name in adapters.folders(agent)}
    mine = (name for name, item in adapters.chosen.vault.collections.items() if item.dream and name not in theirs)
    return Realm(tuple(mine), others=frozenset(theirs))


def _of_agent(adapters: Adapters, main: Dreamer, vault: Vault, name: str) -> Dreamer | HearthError:
    agent, known = adapters.chosen.loaded.config.agents[name], adapters.chosen.vault.collections
    folders = adapters.folders(name)
    if (off := adapters.find_agent_off(name, None, None)).everything:
        return UsageError(f"{name} has no memory: {off.why}")
    if agent.workspace is None:
        return UsageError(f"{name} has no folder of its own; give it one: hearth setup workspace PATH --agent {name}")
    if not folders:
        where = agent.workspace
        return UsageError(f"no collection holds {where}, the folder of {name}; add it: hearth collection add {where}")
    whole = tuple(one for one in known if known[one].dream and (one in agent.collections or one in folders))
    rules = replace(main.rules, realm=Realm(whole, name, folders))
    history = vault.as_agent(name).sessions.history
    return replace(main, history=history, pages=DreamPages(DiskMemories(agent.workspace)), rules=rules)


def _journal_problems(adapters: Adapters) -> list[str]:
    return list(map(str, journal.verify(adapters.data / "journal", adapters.clock()).problems))


def build_knowledge(adapters: Adapters, vault: Vault) -> Knowledge:
    core, prepare = vault.core, vault.index.prepare

    @cache
    def curator() -> Curator:
        from hearth.pages.curator import Curator, Survey

        survey = Survey(vault, core.store, core.clock, lambda: _journal_problems(adapters))
        return Curator(survey, vault.sessions.curations(), adapters.locks.jobs, prepare)

    config = adapters.chosen.loaded.config
    choices = KnowledgeChoices(**config.knowledge)
    model = None if config.llm.provider == "none" else lambda: open_writer(adapters.models.reader())
    takers = (lambda: build_taker(adapters)), (lambda: build_namer(adapters))
    return Knowledge(adapters.history(), vault.memories, adapters.clock, prepare, *takers, curator, choices, model)


def build_taker(adapters: Adapters) -> NoteTaker:
    loaded, locks = adapters.chosen.loaded, adapters.locks
    config = loaded.config
    asked = config.graph.enrich == "auto" and config.llm.provider != "none"
    return NoteTaker(
        adapters.history(),
        NoteBook(adapters.notes()),
        adapters.clock,
        loaded.zone,
        adapters.machine(),
        locks.jobs,
        locks.write,
        lambda: tuple(one.name for one in adapters.collections() if one.surface != "never"),
        (lambda: open_note_reader(adapters.models.reader())) if asked else None,
        told=config.graph.enrich == "auto",
    )


def build_namer(adapters: Adapters) -> ThreadNamer:
    loaded = adapters.chosen.loaded
    return ThreadNamer(
        adapters.history(),
        NoteBook(adapters.notes()),
        adapters.clock,
        loaded.zone,
        adapters.locks.write,
        None if loaded.config.llm.provider == "none" else lambda: open_editor(adapters.models.reader()),
    )
