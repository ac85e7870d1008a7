"""The adapters of one vault, chosen by its settings."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext, suppress
from copy import copy
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from hearth import guard, markdown, models
from hearth.app.models import VaultModels
from hearth.app.settings import Settings, VaultLocks, os_machine_id, private_places, redact, scrub
from hearth.core.document import INTERNAL, SETTINGS
from hearth.core.errors import HearthError
from hearth.core.files import Log, make_folder
from hearth.core.hook import NOTHING_OFF, SwitchedOff
from hearth.core.lazy import later
from hearth.core.memory import MAKER
from hearth.core.paths import HOOKS_LOG, home
from hearth.core.session import GROUP, MAIN_AGENT, agent_of_session
from hearth.disk.commits import GitCommits, find_own_names
from hearth.disk.incognito import DiskIncognito
from hearth.disk.state_files import DiskAnswers, digest, local_key
from hearth.journal import Clock as HybridClock
from hearth.journal import Journal, NoteJournal, machine_id
from hearth.ports import Clock, Collection, Files, Mount, Store
from hearth.ports.files import Item, Result, Workspace
from hearth.store.sqlite.store import Realm, SeenStore, SqliteStore
from hearth.text import terms
from hearth.vault.history import History
from hearth.vault.validity import UNDATED_DAYS

if TYPE_CHECKING:
    from hearth.config.tree import AgentSettings
    from hearth.pages.dream.scores import SignalRecorder
    from hearth.vault.indexing.sync import Syncer


def fingerprint(words: int, overlap: int, undated_days: int | None = UNDATED_DAYS) -> str:
    """What the content of an index depends on; a different one means rebuild."""
    table = json.loads(
        Path(models.__file__).with_name("static_table").joinpath("model.json").read_text(encoding="utf-8")
    )["revision"]
    versions = (terms.VERSION, markdown.FRAGMENTS, markdown.DESCRIPTION, guard.VERSION, table)
    chosen = () if undated_days == UNDATED_DAYS else (f"decay-{undated_days}",)
    return ".".join(map(str, (*versions, words, overlap, *chosen)))


RESULTS = "session-results"


def name_transcripts(agent: str) -> str:
    """The collection of what tools answered in an agent's sessions. No setting can have such a name."""
    return "_sessions" if agent == MAIN_AGENT else f"_sessions-{agent}"


class Adapters:
    """``clock`` tells the present moment, ms UTC; ``warn`` hears which folders others could read, else the log of hooks
    does. Vectors and models are loaded when first used. ``without_memory`` are names of agents in small letters."""

    def __init__(self, chosen: Settings, clock: Clock, warn: Callable[[str], object] | None = None) -> None:
        self.chosen, self.clock, self.files, self.commits = chosen, clock, later(_open_files), GitCommits()
        self.data, self.cache = chosen.vault.data, chosen.vault.cache
        self.without_memory = frozenset(map(str.casefold, chosen.loaded.config.agents_without_memory))
        self.privacy = DiskIncognito(Path(chosen.folders.state), clock, partial(self.find_agent_off, MAIN_AGENT))
        sizes = chosen.loaded.config.fragments
        self._words = sizes.words or markdown.DEFAULT_WORDS
        self._overlap = markdown.DEFAULT_OVERLAP if sizes.overlap is None else sizes.overlap
        for folder in (self.cache, self.data):
            with suppress(OSError):  # whoever needs it says so
                make_folder(folder)
        for line in private_places(chosen).close().lines():
            (warn or Log(Path(chosen.folders.state, HOOKS_LOG), scrub).write)(line)
        self.locks = VaultLocks(self.cache, self.data)
        # Less trust counts at once, before anything is read again.
        self._ceilings = {name: SETTINGS[item.trust] for name, item in chosen.vault.collections.items()}
        index = self.cache / "index.sqlite"
        depends_on = fingerprint(self._words, self._overlap, chosen.loaded.config.commitments.decay_days)
        self.store = SqliteStore(index, depends_on, ceilings=self._ceilings)
        self.models = VaultModels(chosen, self.store, self.locks, clock)

    def as_agent(self, agent: str) -> Adapters:
        """The same with the index as an agent sees it, in a group where its name ends so; itself for the only one."""
        given, agents = self.chosen.vault.collections, self.chosen.loaded.config.agents
        if agent == MAIN_AGENT and not set(agents) - {MAIN_AGENT}:
            return self
        owned = {
            name: {*item.collections, *self.folders(name)} & set(given) | {name_transcripts(name)}
            for name, item in agents.items()
            if name != MAIN_AGENT
        }
        others = frozenset[str]().union(*owned.values())
        owner = agent.removesuffix(GROUP)
        if owner.casefold() in self.without_memory:
            realm = Realm(agent, frozenset(), has_memories=False)
        elif agent.endswith(GROUP):
            own = set(given) - others if owner == MAIN_AGENT else owned.get(owner, set())
            realm = Realm(
                agent, frozenset(name for name in own if name in given and given[name].shared), has_memories=False
            )
        elif agent == MAIN_AGENT:
            realm = Realm(agent, None, others)
        else:
            realm = Realm(agent, frozenset(owned.get(agent, ())))
        found = copy(self)
        found.privacy = replace(self.privacy, of_agent=partial(self.find_agent_off, owner))
        found.store = SeenStore(self.store, realm, self._ceilings)
        found.models = VaultModels(self.chosen, found.store, self.locks, self.clock)
        return found

    def find_agent_off(self, agent: str, session: str | None, cwd: str | None) -> SwitchedOff:
        """What the settings switch off for an agent; for ``main`` for the one that the session's name says, else for
        the one in whose workspace the folder lies."""
        if not self.without_memory:
            return NOTHING_OFF
        if agent == MAIN_AGENT:
            agent = agent_of_session(session or "")
        if agent == MAIN_AGENT and cwd is not None:
            place = _find_real_workspace(self.chosen.loaded.config.agents, Path(cwd))
            agent = agent if place is None else place.agent
        agent = agent.removesuffix(GROUP)
        if agent.casefold() not in self.without_memory:
            return NOTHING_OFF
        why = f"agents.{agent}.memory is false in Hearth's settings"
        return SwitchedOff(capture=True, surface=True, why=why, agent=agent)

    @property
    def memory(self) -> Path:
        """The folder of memories."""
        return self.data / "memory"

    def internal(self) -> Collection:
        """The collection that the engine writes."""
        return Collection(
            INTERNAL, str(self.memory), origin="engine", trust="agent", surface="always", mounts=self.mounts
        )

    @cached_property
    def mounts(self) -> tuple[Mount, ...]:
        """Where collections hold the memories of their project. A link that leads elsewhere is none."""
        given = self.chosen.vault.collections.items()
        return tuple(
            Mount(f"projects/{name}/", folder, self.project(str(item.path)) or str(item.path), names, self.machine())
            for name, item in given
            if item.memories == "project"
            and os.path.realpath(folder := f"{item.path}/.hearth") == f"{os.path.realpath(item.path)}/.hearth"
            for names in (find_own_names(item.path),)
        )

    def collections(self) -> tuple[Collection, ...]:
        given, agents = self.chosen.vault.collections, self.chosen.loaded.config.agents
        roots = {name: str(item.path) for name, item in given.items()}
        found = [
            Collection(
                name=name,
                root=str(item.path),
                is_workspace=any(item.path == one.workspace for one in agents.values()),
                pattern=item.pattern,
                exclude=item.exclude,
                trust=SETTINGS[item.trust],
                inner_roots=tuple(r for n, r in roots.items() if n != name and Path(r).is_relative_to(item.path)),
                context=item.context,
                surface=item.surface,
                projects=item.projects,
                workspace=find_workspace(agents, item.path),
                agent=_find_agent(agents, name, find_workspace(agents, item.path)),
                shared=item.shared,
            )
            for name, item in given.items()
        ]
        # Always one of them where it can be made: a process that did not know it would drop what others remember.
        with suppress(OSError):
            make_folder(self.memory)
        if self.memory.is_dir():
            self._claim()
            found.append(self.internal())
        if self.chosen.loaded.config.context.index_transcripts:
            with_results = (
                agent for agent in {MAIN_AGENT: None, **agents} if agent.casefold() not in self.without_memory
            )
            found += [_results_of(agent, self.data) for agent in with_results]
        return tuple(found)

    def folders(self, agent: str) -> dict[str, str]:
        """The collections in the folder of an agent, each with where it lies below it."""
        given, agents = self.chosen.vault.collections, self.chosen.loaded.config.agents
        found = ((name, find_workspace(agents, item.path)) for name, item in given.items())
        return {name: one.below for name, one in found if one is not None and one.agent == agent}

    def _claim(self) -> None:
        """Says who made the vault before anybody else can have written in it."""
        if (self.memory / MAKER).exists():
            return
        from hearth.disk.memories import DiskMemories
        from hearth.memory.files import maker

        with suppress(HearthError, OSError):
            maker(DiskMemories(self.memory), self.machine())

    # -- journal ---------------------------------------------------------------------------------------------------

    def machine(self) -> str:
        return machine_id(Path(self.chosen.folders.state), self.data, os_machine_id())

    def journal(self) -> Journal:
        return Journal(self.data / "journal", self.machine(), HybridClock(self.clock), scrub)

    def notes(self) -> NoteJournal:
        """What a language model said of documents."""
        return NoteJournal(self.memory / ".notes", self.machine(), HybridClock(self.clock), scrub)

    def history(self, store: Store | None = None) -> History:
        return History(self.journal(), store or self.store, self.chosen.loaded.config.commitments.decay_days)

    # -- sync ------------------------------------------------------------------------------------------------------

    def syncer(self, store: Store | None = None, *, nested: bool = False) -> Syncer:
        """``nested`` where the caller holds the lock of scans."""
        from hearth.vault.indexing.analysis import Analyzer
        from hearth.vault.indexing.sync import Syncer

        store = store or self.store
        analyzer = Analyzer(redact, self._words, self._overlap)
        history, exclusive = self.history(store), nullcontext if nested else self.locks.scan
        return Syncer(store, self.files, analyzer, history, self.clock, exclusive, spread, commits=self.commits)

    def answers(self, purpose: str = "") -> DiskAnswers:
        """What a language model said last, as long as not all of it is written down."""
        return DiskAnswers(Path(self.chosen.folders.state), self.chosen.vault.name + purpose)

    # -- projects --------------------------------------------------------------------------------------------------

    def project(self, folder: str) -> str | None:
        """The identity of the project that a folder belongs to."""
        from hearth.disk.project import project_of

        found = project_of(folder, home(self.chosen.environ))
        return None if found is None else found.key

    def hash_prompt(self, text: str) -> str:
        """By a key of this machine."""
        return digest(self._key, text)

    @cached_property
    def _key(self) -> bytes:
        return local_key(Path(self.chosen.folders.state))


def _open_files() -> Files:
    from hearth.disk.collections import DiskFiles

    return DiskFiles()


def find_workspace(agents: Mapping[str, AgentSettings], path: Path) -> Workspace | None:
    """The innermost folder of an agent in which a folder lies."""
    # What the main agent has belongs to everybody without a name.
    found = [
        (name, item.workspace)
        for name, item in agents.items()
        if name != MAIN_AGENT and item.workspace is not None and path.is_relative_to(item.workspace)
    ]
    if not found:
        return None
    name, folder = max(found, key=lambda one: len(one[1].parts))
    below = path.relative_to(folder).as_posix()
    return Workspace(name, "" if below == "." else f"{below}/", str(folder))


def _find_real_workspace(agents: Mapping[str, AgentSettings], path: Path) -> Workspace | None:
    """As ``find_workspace``, whichever links lead to either folder."""
    real = {
        name: one if one.workspace is None else replace(one, workspace=one.workspace.resolve())
        for name, one in agents.items()
    }
    return find_workspace(real, path.resolve())


def _find_agent(agents: Mapping[str, AgentSettings], name: str, place: Workspace | None) -> str:
    """The agent whose alone a collection is: by its settings, else by the folder."""
    named = (agent for agent, item in agents.items() if agent != MAIN_AGENT and name in item.collections)
    return next(named, "" if place is None else place.agent)


def _results_of(agent: str, data: Path) -> Collection:
    """What tools answered in an agent's sessions that are held here: nobody's words, never brought."""
    folder = data / RESULTS / agent
    with suppress(OSError):
        make_folder(folder)
    owner = "" if agent == MAIN_AGENT else agent
    return Collection(name_transcripts(agent), str(folder), trust="external", surface="never", agent=owner)


def build_signals(adapters: Adapters, zone: str) -> SignalRecorder:
    """What tells the fragments that events of usage are about."""
    from hearth.memory.session_record import is_unattended
    from hearth.pages.dream.scores import SignalRecorder

    record = adapters.chosen.loaded.config.dream.record
    return SignalRecorder(record, adapters.clock, zone, lambda session: is_unattended(adapters.store, session))


def spread(work: Callable[[Item], Result], items: Iterable[Item], /) -> Iterator[Result]:
    # Imported only when there is much to read.
    from hearth.workers import spread as share_out

    return share_out(work, items)
