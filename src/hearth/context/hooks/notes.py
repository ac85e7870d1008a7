"""Documents that a hook may bring up as fragments, and how far their folder is trusted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from hearth.context.block import ShownPassage
from hearth.core.document import INTERNAL, Document, is_foreign
from hearth.core.errors import HearthError
from hearth.core.lazy import dataclass
from hearth.core.query import Conversation, Hit
from hearth.guard.attacks.injection import Suspicion, suspicion
from hearth.guard.fence import TRUSTED
from hearth.markdown.render import body_of
from hearth.ports import Collection, Filter, StoredDocument
from hearth.recall.ranking.gate import is_eligible
from hearth.vault.vault import Vault


def suspected(hit: Hit) -> Suspicion:
    """What the guard says of all that is shown of a hit."""
    return suspicion(f"{hit.title}\n{hit.text}")


def is_withheld(hit: Hit, found: Suspicion) -> bool:
    """Whether it is an attack and nothing else; what a person wrote is shown all the same."""
    return found.quarantine and hit.trust != TRUSTED


def examined(hits: Iterable[Hit]) -> list[ShownPassage]:
    """Without what is withheld; what looks like an attack is marked and comes last."""
    sound: list[ShownPassage] = []
    odd: list[ShownPassage] = []
    for hit in hits:
        found = suspected(hit)
        if not is_withheld(hit, found):
            (odd if found.labels else sound).append(ShownPassage(hit, tuple(found.labels)))
    return [*sound, *odd]


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
        """A document as one passage, without its frontmatter; ``None`` where its file can't be read."""
        try:
            passage = self.vault.read(stored)
        except HearthError:
            return None
        return _as_hit(stored.document, body_of(passage.text), passage.total_lines)

    def own(self, name: str, cwd: str | None) -> list[Hit]:
        """Documents of that name at the root of a collection that the user wrote: nobody else's words are theirs."""
        there = self._collections(cwd)
        named = (s for s in self.vault.documents(Filter(paths=(name,))) if s.document.path == name)
        mine = self._eligible((s for s in named if s.document.trust == TRUSTED and s.document.collection in there), cwd)
        return [hit for stored in mine if (hit := self.whole(stored)) is not None]

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
        """The agent in whose folder a session runs; empty for everyone without a name."""
        spaces = [one.workspace for one in self.vault.collections if one.workspace is not None]
        inside = [one for one in spaces if cwd is not None and Path(cwd).is_relative_to(one.root)]
        return max(inside, key=lambda one: len(one.root)).agent if inside else ""

    def readable(self, cwd: str | None) -> frozenset[str] | None:
        """The collections that a session in this folder may see: an agent its own, everybody else what is no agent's,
        and all of them our memories. ``None`` where there are no agents."""
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
    )
