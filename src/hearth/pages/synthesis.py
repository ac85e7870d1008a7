"""Syntheses: a few cited sentences above the facts in the file of an entity, by a language model; a person's words
there stay, and end it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING

from hearth.core import instants
from hearth.core.conflict import original_of
from hearth.core.errors import BadReply, HearthError, Unavailable
from hearth.core.lazy import dataclass
from hearth.core.memory import CONTENT_TYPES, DERIVED, ENTITY, Known
from hearth.graph.names import read_facts
from hearth.language.name_matching import key_of
from hearth.markdown import frontmatter
from hearth.markdown.owned_lines import Bullet, PageStatement, is_touched
from hearth.memory import files
from hearth.memory.writer import MemoryWriter
from hearth.pages.statements import Lookout, PageReport, StatementPage, leave_out
from hearth.ports import Filter, Reader
from hearth.text.lines import cut_line
from hearth.text.names import name_key
from hearth.vault.history import History

if TYPE_CHECKING:
    from hearth.llm.pages import CitedWriter

NAME = "synthesis"
SECTION, FACTS = "Synthesis", "Facts"
MOST_WORDS = 120
FOLDER = CONTENT_TYPES[ENTITY].folder or ""
_LEAST = 3
"""Statements that are worth a synthesis."""
_FACTS, _MENTIONS, _CHARS = 40, 20, 300
_MOST_CALLS = 4
"""Of the language model, in one run."""
_PAUSE_MS = 10 * 60_000
_ACCOUNT = "summed_up"
"""In the frontmatter: a hash of the statements that the model summed up last."""


@dataclass
class EntitySynthesis:
    """``model`` opens the language model, if there is one; ``prepare`` brings an index of another version up to date.
    Each machine writes into its own files."""

    history: History
    writer: MemoryWriter
    prepare: Callable[[], None]
    model: Callable[[], CitedWriter] | None = None
    _lookout: Lookout = field(default_factory=lambda: Lookout(_PAUSE_MS))

    def show(self, paths: Iterable[str]) -> list[Bullet]:
        """What stands in the syntheses of these files, of whatever machine, and rests on what is still there."""
        found: dict[str, Bullet] = {}
        for path in dict.fromkeys(paths):
            with suppress(HearthError):
                one = self._read(path)
                report = None if one is None else self._page(one).report(_bytes_of(one))
                for bullet in () if report is None else report.bullets:
                    if bullet.section == SECTION:
                        found.setdefault(bullet.text, bullet)
        return list(found.values())

    def rebuild(self) -> list[PageReport]:
        """Has the files summed up of which more is known than when they were last; gives those that were written. A
        second call changes no byte, and one that is in the way is passed over."""
        self.prepare()
        calls, done = _MOST_CALLS, []
        for one in self._files() if self.model is not None else ():
            if calls < 1:
                break
            with suppress(HearthError):  # the others are still to come
                report, asked = self._sum_up(one)
                calls -= asked
                done += [report] if report is not None and report.changed else []
        return done

    def refresh(self) -> None:
        """After something was hidden or erased: what rests on it leaves at once where this machine writes it."""
        for one in self._files():
            if f"## {SECTION}" in one.source:
                self._page(one).refresh(_bytes_of(one))

    def due(self) -> bool:
        """Whether something happened since the last rebuild of this process, ten minutes ago at least."""
        return self.model is not None and self._lookout.is_due(self.writer)

    def catch_up(self) -> list[PageReport]:
        """``rebuild`` by the background."""
        found = self.rebuild()
        self._lookout.note(self.writer)
        return found

    # -- the files -------------------------------------------------------------------------------------------------

    def _files(self) -> Iterator[Known]:
        """Those of this machine, without copies that conflicts left of them."""
        for name in self.writer.memories.names(FOLDER):
            path = f"{FOLDER}/{name}"
            with suppress(HearthError):
                if name.endswith(".md") and original_of(path, ours=True) is None:
                    one = self._read(path)
                    if one is not None and one.memory.machine == self.writer.machine:
                        yield one

    def _read(self, path: str) -> Known | None:
        data = self.writer.memories.read(path)
        one = None if data is None else files.read(path, data, self.writer.redact)
        return one if one is not None and one.memory.content_type == ENTITY else None

    def _page(self, one: Known) -> StatementPage:
        title = one.memory.title or one.memory.subject or ""
        return StatementPage(
            self.history, self.writer, NAME, one.path, title, {}, joint=True, identity=one.memory.id, frame=_make_room
        )

    # -- the model -------------------------------------------------------------------------------------------------

    def _sum_up(self, one: Known) -> tuple[PageReport | None, int]:
        """What was written, and how often the model was asked: once for the same statements. Where it can't be asked,
        what it said before stays."""
        with self.writer.store.read() as reader:
            statements = list(self._statements(reader, one))
        account = hashlib.sha256("\n".join(sorted(s.key for s in statements)).encode()).hexdigest()[:12]
        former = one.fields.get(_ACCOUNT)
        enough = len(statements) >= _LEAST
        if former == account or not (enough or former) or is_touched(frontmatter.body_of(one.source), SECTION):
            return None, 0
        try:
            statements_kept = _fit(self.model().tell(NAME, statements)) if enough and self.model is not None else []
        except BadReply:
            statements_kept = []
        except Unavailable:
            return None, _MOST_CALLS
        with self.writer.exclusive():
            return self._page(one).rebuild(partial(leave_out, {SECTION: statements_kept}), {_ACCOUNT: account}), 1

    def _statements(self, reader: Reader, one: Known) -> Iterator[PageStatement]:
        """What files say of it, the latest facts, and the lines that name it, of what is no page and came from nowhere
        else."""
        names = [one.memory.title or "", one.memory.subject or ""]
        now = self.writer.clock()
        for fact in read_facts(reader, names, now)[-_FACTS:]:
            ended = f" (until {fact.until})" if fact.until else ""
            yield PageStatement(f"{cut_line(fact.text, _CHARS)}{ended}", (fact.docid,), fact.date)
        keys = tuple(dict.fromkeys(filter(None, (key for name in names for key in (key_of(name), name_key(name))))))
        rows = reader.naming(keys, Filter(at=now), _MENTIONS)
        documents, parts = reader.documents([row for row, _ in rows]), reader.fragments([part for _, part in rows])
        for row, part in rows:
            document = documents[row].document
            if document.trust == "external" or document.content_type in (*DERIVED, ENTITY):
                continue
            line = next((text for text in parts[part].text.split("\n") if _names(text, names)), None)
            if line is not None and document.dated_at is not None:
                day = instants.show_date(document.dated_at, instants.zone_of(self.writer.zone))
                yield PageStatement(cut_line(" ".join(line.split()), _CHARS), (document.docid,), day)


def _bytes_of(one: Known) -> bytes:
    return one.source.encode("utf-8", "replace")


def _names(text: str, names: Iterable[str]) -> bool:
    return any(name and name.casefold() in text.casefold() for name in names)


def _fit(statements: Sequence[PageStatement]) -> list[PageStatement]:
    """Of at most 120 words in all."""
    kept: list[PageStatement] = []
    for one in statements:
        if sum(len(other.text.split()) for other in (*kept, one)) <= MOST_WORDS:
            kept.append(one)
    return kept


def _make_room(body: str) -> str:
    """A body with a place above the facts, where new ones are added at the end."""
    lines = body.split("\n")
    if f"## {SECTION}" in lines:
        return body
    return f"## {SECTION}\n\n{body}" if f"## {FACTS}" in lines else f"## {SECTION}\n\n## {FACTS}\n\n{body}"
