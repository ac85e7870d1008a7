"""What of the notes a hook may show, and the decisions and rules that stand."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from pathlib import Path

from hearth.context.packing import ShownFragment
from hearth.core.document import AGENT, INTERNAL, TEAM, Document, find_speaker, is_foreign
from hearth.core.errors import HearthError
from hearth.core.lazy import dataclass, regex
from hearth.core.memory import RULES
from hearth.core.query import Conversation, Hit
from hearth.guard.attacks import Suspicion, suspicion
from hearth.guard.fence import TRUSTED
from hearth.language.signals import is_standing
from hearth.markdown.frontmatter import body_of
from hearth.ports import Collection, Filter, StoredDocument
from hearth.recall.ranking.gate import is_eligible
from hearth.text.similarity import near_identical, protected, similar
from hearth.vault.validity import may_rule
from hearth.vault.vault import Vault


def suspected(hit: Hit) -> Suspicion:
    """What the guard says of all that is shown of a hit."""
    return suspicion(f"{hit.title}\n{hit.text}")


def is_withheld(hit: Hit, found: Suspicion) -> bool:
    """Whether it is an attack and nothing else; what a person wrote is shown all the same."""
    return found.quarantine and hit.trust != TRUSTED


def examined(hits: Iterable[Hit]) -> list[ShownFragment]:
    """All but the withheld ones; those that look like an attack are marked and come last."""
    sound: list[ShownFragment] = []
    odd: list[ShownFragment] = []
    for hit in hits:
        found = suspected(hit)
        if not is_withheld(hit, found):
            (odd if found.labels else sound).append(ShownFragment(hit, tuple(found.labels)))
    return [*sound, *odd]


# Files that a host loads by itself, from the session's folder or one above it, and folders of rules there.
_LOADED: Mapping[str, tuple[str, ...]] = {
    "claude-code": ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", ".claude/rules/"),
    "codex": ("AGENTS.md", "AGENTS.override.md"),
    "cursor": (".cursorrules", ".cursor/rules/", "AGENTS.md"),
    "gemini": ("GEMINI.md",),
    "opencode": ("AGENTS.md",),
    "qwen": ("QWEN.md",),
}
# The page of a host's own memory that it reads at each start, wherever the session is.
_OWN_PAGES = {
    "claude-code": regex(r"/projects/[^/]+/memory/MEMORY\.md\Z"),
    "codex": regex(r"/memories/memory_summary\.md\Z"),
}


def is_loaded(host: str, place: str, cwd: str | None) -> bool:
    """Whether the host of a session in ``cwd`` reads the file at ``place`` into it by itself."""
    page = _OWN_PAGES.get(host)
    if page is not None and page.search(place):
        return True
    for name in _LOADED.get(host, ()):
        folder, found, rest = place.partition(f"/{name}")
        if found and (name.endswith("/") or not rest) and cwd is not None and f"{cwd}/".startswith(f"{folder}/"):
            return True
    return False


@dataclass(frozen=True, slots=True)
class Notes:
    """``project`` gives the key of the project that a folder belongs to, ``root`` its folder; ``other_projects`` lets
    memories of all projects in; where others listen (``shared``), what is private stays out."""

    vault: Vault
    project: Callable[[str | None], str | None]
    other_projects: bool = False
    root: Callable[[str], str | None] = lambda folder: None
    shared: bool = False

    def here(self, cwd: str | None) -> tuple[str, ...]:
        """The collections that may be brought up for any prompt of a session in this folder: those in its project,
        those that it lies in, and those that name the project."""
        root = None if cwd is None else self.root(cwd)
        key = self.project(cwd)
        return tuple(one.name for one in self.vault.collections if _is_at_home(one, root, cwd, key))

    def drop_loaded(self, hits: Sequence[Hit], host: str, cwd: str | None) -> list[Hit]:
        """The hits without files that the host loads by itself."""
        roots = self.vault.core.roots
        return [hit for hit in hits if not is_loaded(host, f"{roots.get(hit.collection, '')}/{hit.path}", cwd)]

    def elsewhere(self, here: Sequence[str]) -> tuple[str, ...]:
        """The others that may be brought up."""
        return tuple(c.name for c in self.vault.collections if c.surface != "never" and c.name not in here)

    def newest(
        self,
        types: Sequence[str],
        cwd: str | None,
        *,
        since: int | None = None,
        until: int | None = None,
        limit: int = 6,
        allowed: Callable[[Document], bool] = lambda document: True,
    ) -> list[Hit]:
        """Documents of these types dated in [since, until) that are ``allowed``, newest first, with their whole text;
        those of other projects, and what is put off, stay out."""
        eligible = [one for one in self.find(types, cwd, since=since, until=until) if allowed(one.document)]
        eligible.sort(key=lambda stored: stored.document.newest_first)
        return [hit for stored in eligible[:limit] if (hit := self.whole(stored)) is not None]

    def find(
        self, types: Sequence[str], cwd: str | None, *, since: int | None = None, until: int | None = None
    ) -> list[StoredDocument]:
        """Documents of these types dated in [since, until) that may be brought up here, in no order."""
        return self._eligible(self.vault.documents(Filter(types=tuple(types), since=since, until=until)), cwd)

    def whole(self, stored: StoredDocument) -> Hit | None:
        """A document as one fragment, without its frontmatter; ``None`` where its file can't be read."""
        try:
            fragment = self.vault.read(stored)
        except HearthError:
            return None
        return _as_hit(stored.document, body_of(fragment.text), fragment.total_lines)

    def own(self, name: str, cwd: str | None) -> list[Hit]:
        """Documents of that name at the root of a collection that the user wrote, or the agent in its workspace:
        nobody else's words are theirs."""
        there = self._collections(cwd)
        named = (s for s in self.vault.documents(Filter(paths=(name,))) if s.document.path == name)
        mine = self._eligible(
            (s for s in named if s.document.collection in there and _is_own(s.document, self.vault)), cwd
        )
        return [hit for stored in mine if (hit := self.whole(stored)) is not None]

    def workspace(self, cwd: str | None) -> Collection | None:
        """The collection of the workspace in which a session runs."""
        place = Path(cwd or "")
        found = (one for one in self.vault.collections if one.is_workspace and place.is_relative_to(one.root))
        return max(found, key=lambda one: len(one.root), default=None)

    def may_begin(self, document: Document) -> bool:
        """Whether a session may begin with it: what may rule, and what the agent wrote in its workspace."""
        return may_rule(document) or _is_own(document, self.vault)

    def by_docid(
        self, docid: str, cwd: str | None, allowed: Callable[[Document], bool] = lambda document: True
    ) -> Hit | None:
        with self.vault.store.read() as reader:
            stored = reader.document(docid)
        found = [] if stored is None or not allowed(stored.document) else self._eligible([stored], cwd)
        return self.whole(found[0]) if found else None

    def any_eligible(self, docids: Iterable[str], cwd: str | None) -> bool:
        """Whether one of the documents may be brought up here."""
        with self.vault.store.read() as reader:
            found = [stored for docid in docids if (stored := reader.document(docid)) is not None]
        return bool(self._eligible((one for one in found if not one.state.hidden), cwd))

    def agent(self, cwd: str | None) -> str:
        """The agent in whose workspace a session runs; empty for the main one."""
        spaces = [one.workspace for one in self.vault.collections if one.workspace is not None]
        inside = [one for one in spaces if cwd is not None and Path(cwd).is_relative_to(one.root)]
        return max(inside, key=lambda one: len(one.root)).agent if inside else ""

    def readable(self, cwd: str | None) -> frozenset[str] | None:
        """The collections that a session in this folder may see: an agent its own, everybody else what is no agent's,
        and all of them our memories. Where others listen, only shared ones. ``None`` where there are no agents."""
        if self.shared:
            seen = self._collections(cwd)
            return frozenset(one.name for one in self.vault.collections if one.shared and one.name in seen)
        if not any(one.agent for one in self.vault.collections):
            return None
        return frozenset({*self._collections(cwd), INTERNAL})

    def _collections(self, cwd: str | None) -> set[str]:
        """Those of the agent, or all that are no agent's."""
        agent = self.agent(cwd)
        return {one.name for one in self.vault.collections if one.agent == agent}

    def _eligible(self, found: Iterable[StoredDocument], cwd: str | None) -> list[StoredDocument]:
        readable = self.readable(cwd)
        where = Conversation(self.project(cwd), self.other_projects, shared=self.shared, readable=readable)
        at = self.vault.clock()
        return [stored for stored in found if is_eligible(stored, at, where)]


def _is_own(document: Document, vault: Vault) -> bool:
    if document.trust != AGENT:
        return document.trust == TRUSTED
    return any(one.name == document.collection and one.is_workspace for one in vault.collections)


def _is_at_home(collection: Collection, root: str | None, cwd: str | None, project: str | None) -> bool:
    if collection.surface in ("always", "never") or root is None or cwd is None:
        return collection.surface == "always"
    if collection.surface == "asked":
        return False
    own, place = Path(root), Path(collection.root)
    named = project is not None and any(_is_named(name, project, root) for name in collection.projects)
    return named or place.is_relative_to(own) or any(Path(one).is_relative_to(place) for one in (root, cwd))


def _is_named(name: str, project: str, root: str) -> bool:
    """By its key ("github.com/acme/shop"), the end of it, or its folder."""
    return name in (project, root) or f"/{project}".endswith(f"/{name.strip('/')}")


def _as_hit(document: Document, text: str, lines: int) -> Hit:
    return Hit(
        docid=document.docid,
        collection=document.collection,
        path=document.path,
        start_line=1,
        end_line=max(1, lines),
        title=document.title,
        score=1.0,
        content_type=document.content_type,
        modified_at=document.modified_at,
        authored_at=document.dated_at,
        fragment="section",
        snippet="",
        text=text,
        trust=document.trust,
        author=document.author if is_foreign(document.trust) else "",
        speaker=find_speaker(document),
    )


_TIERS = ("explicit", "implied", "inferred", "speculative")
_UNTOLD = "implied"
"""How sure a memory is that an agent kept without saying so."""
_BY_HAND = "cli"
# So many are read at most, since of those that say the same only one is shown.
_READ = 40


def may_decide(document: Document) -> bool:
    """Whether what it decided may be brought up by itself: the person's, our memories' and, as theirs, their team's."""
    return may_rule(document) or document.trust == TEAM


def find_rules(notes: Notes, cwd: str | None, most: int, shown: Container[str] = ()) -> list[Hit]:
    """At most so many rules, the firmest first, without those ``shown`` elsewhere (docids)."""
    found = [one for one in notes.find(RULES, cwd) if may_rule(one.document) and one.document.docid not in shown]
    chosen: list[Hit] = []
    for stored in sorted(found, key=_rank)[:_READ]:
        hit = notes.whole(stored)
        if hit is not None and not any(_say_the_same(hit.text, other.text) for other in chosen):
            chosen.append(hit)
        if len(chosen) == most:
            break
    return chosen


def _rank(stored: StoredDocument) -> tuple[object, ...]:
    """Pinned ones first, then what the person said in so many words, what was said more often, what was used more
    often; the date decides between equals."""
    document, state = stored.document, stored.state
    return (
        not state.pinned,
        _TIERS.index(_find_tier(document)),
        not is_standing(document.title),
        -(state.duplicate_count + state.revision_count),
        -state.access_count,
        document.newest_first,
    )


def _find_tier(document: Document) -> str:
    tier = document.facts.get("tier", "")
    if tier in _TIERS:
        return tier
    by_hand = document.trust == TRUSTED or document.facts.get("created_by") == _BY_HAND
    return _TIERS[0] if by_hand else _UNTOLD


def _say_the_same(one: str, other: str) -> bool:
    return near_identical(one, other) or (similar(one, other) and set(protected(one)) == set(protected(other)))
