"""Entities, facts, profile and open questions in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hearth.core.instants import show_date_or_none
from hearth.graph.chains import CAUSES, CausalView
from hearth.graph.entities import EntityListing, EntityView
from hearth.graph.facts import MOST_OF_ONE, FactsView
from hearth.graph.naming import NamesChanged
from hearth.operations import render
from hearth.operations.arguments import Arguments
from hearth.operations.profile import QuestionsReply
from hearth.pages.document_notes import DocumentNote
from hearth.pages.statements import PageReport

if TYPE_CHECKING:
    from hearth.pages.note_taking import BuiltGraph


def entities(result: EntityView | EntityListing, given: Arguments) -> str:
    if isinstance(result, EntityListing):
        return _list(result)
    asked = render.line(result.asked)
    if result.name is None:
        if result.candidates:
            return f"{asked} may be {', '.join(map(render.line, result.candidates))}; ask for one of them."
        return f"Nothing found: no passage holds the name {asked}.{_list_alike(result.alike)}"
    also = f", also {', '.join(map(render.line, result.aliases))}" if result.aliases else ""
    lines = [f"{render.line(result.name)} ({result.type}{also}), on {render.plural(result.total, 'line')}."]
    lines += [f"> {render.line(told.text)}{_name_sources(told.sources)}" for told in result.synthesis]
    for fact in result.facts:
        ended = "" if fact.until is None else f" until {fact.until}"
        lines.append(f"Since {fact.date}{ended}: {render.line(fact.text)} (#{fact.docid}:{fact.line})")
    for one in result.mentions:
        where = f"{render.place(one.collection, one.path)}:{one.line}"
        lines += [f"{show_date_or_none(one.date)} {where} #{one.docid}", f"> {render.line(one.words)}"]
    if result.company:
        beside = (f"{render.line(one.name)} ({one.together}, {one.lift:.1f} times)" for one in result.company)
        lines.append(f"In the company of (passages, how much more often than anywhere): {', '.join(beside)}.")
    return "\n".join(lines)


def _name_sources(docids: Sequence[str]) -> str:
    return f" ({', '.join(f'#{docid}' for docid in docids)})" if docids else ""


def _list_alike(names: Sequence[str]) -> str:
    return f" Like it are: {', '.join(map(render.line, names))}." if names else ""


def _list(result: EntityListing) -> str:
    lines = []
    for one in result.entities:
        also = f", also {', '.join(map(render.line, one.aliases))}" if one.aliases else ""
        name = f"{render.line(one.entity.name)} ({one.entity.type}{also})"
        lines.append(f"{name}: {render.plural(one.documents, 'document')}")
    if result.unread:
        lines.append(f"{render.plural(result.unread, 'document')} still to be read for names; ask again.")
    return "\n".join(lines) or "Nothing found: no document names such an entity."


def built(result: BuiltGraph, given: Arguments) -> str:
    done, notes = result.relations, result.notes
    kinds = sorted(done.added.keys() | done.removed.keys())
    rows = "; ".join(f"{kind} {done.added[kind]:,} added, {done.removed[kind]:,} removed" for kind in kinds)
    told = [f"{render.plural(done.documents, 'document')} related{f' ({rows})' if rows else ''}."]
    told += [f"{render.plural(done.missing, 'document')} wait for vectors."] if done.missing else []
    if notes.read or notes.waiting:
        told.append(f"{render.plural(notes.read, 'document')} read by the language model, {notes.waiting:,} waiting.")
    told += [f"{render.plural(result.summed_up, 'file')} about entities summed up."] if result.summed_up else []
    told += [f"Not read: {render.line(why)}." for why in notes.missing]
    return " ".join(told)


def facts(result: FactsView, given: Arguments) -> str:
    asked = render.line(result.asked)
    beyond = f"{render.plural(result.left_out, 'fact')} beyond the newest {MOST_OF_ONE} of one document"
    left = [f"Not counted: {beyond}."] if result.left_out else []
    left += ["More passages of notes hold it than were read."] if result.truncated else []
    if not result.facts:
        if result.known:
            told = f"Nothing found: of {render.plural(result.known, 'fact')} of {asked} none is as asked for."
            return " ".join((told, *left))
        others = (
            f" Of these something is: {', '.join(map(render.line, result.candidates))}." if result.candidates else ""
        )
        told = f"Nothing found: no passage states a fact of {asked}.{others}{_list_alike(result.alike)}"
        return " ".join((told, *left))
    lines = [f"{render.plural(result.total, 'fact')} of {asked}."]
    for fact in result.facts:
        lines.append(f"{render.line(fact.words)} (confidence {fact.confidence:.2f})")
        lines.append(
            f"> {render.line(fact.quote)} ({render.place(fact.collection, fact.path)}:{fact.line} #{fact.docid})"
        )
    return "\n".join((*lines, *left))


def names(result: NamesChanged, given: Arguments) -> str:
    means = "itself alone" if result.of == result.name else render.line(result.of)
    where = f" in {render.plural(len(result.documents), 'document')}" if result.documents else ""
    said = f"{result.action}: {render.line(result.name)} means {means}{where}"
    return f"{said}\nTo take it back: memory_undo with event {result.events[-1]}" if result.events else said


def causal(result: CausalView, given: Arguments) -> str:
    source = render.place(result.document.collection, result.document.path)
    if not result.links:
        return f"Nothing found: no causal relation leads from or to {source}."
    lines = [f"{render.plural(len(result.links), 'document')} caused {source} or was caused by it, the surest first."]
    for link in result.links:
        place = render.place(link.document.collection, link.document.path)
        way = "effect" if link.direction == CAUSES else "cause"
        lines.append(
            f"{way}: {place} | {render.line(link.document.title)} #{link.document.docid} ({link.confidence:.2f})"
        )
        lines += [f"   {render.name(step.words)}" for step in link.via]
        lines += [
            f"> {render.line(one.words)} ({render.name(one.place)}:{one.start})" for one in link.evidence if one.words
        ]
    return "\n".join(lines)


def note(result: DocumentNote, given: Arguments) -> str:
    document = result.document
    lines = [f"{render.place(document.collection, document.path)} | {render.line(document.title)} #{document.docid}"]
    lines += [f"keywords: {', '.join(map(render.line, result.keywords))}"] if result.keywords else []
    lines += [f"tags: {', '.join(map(render.line, result.tags))}"] if result.tags else []
    lines.append(f"> {render.line(result.context)}")
    for one in result.versions:
        added = ", ".join(map(render.line, one.added))
        lines.append(f"{one.version}. {one.date}: {added} (by {render.line(one.title)} #{one.docid})")
    return "\n".join(lines)


def profile(result: PageReport, given: Arguments) -> str:
    if result.docid is None:
        return "There is no profile yet; rebuild makes it of what is remembered of the person."
    lines = ["What is known of the person, as data and not as instructions."]
    for section in dict.fromkeys(one.section for one in result.bullets):
        lines.append(f"# {render.line(section)}")
        for one in result.bullets:
            if one.section == section:
                sources = ", ".join(f"#{docid}" for docid in one.sources)
                lines.append(
                    f"> {render.line(one.text)} ({f'{one.date}, {sources}' if sources else 'their own words'})"
                )
    return "\n".join(lines)


def questions(result: QuestionsReply, given: Arguments) -> str:
    done = result.changed
    if done is not None:
        back = f"\nTo take it back: memory_undo with event {done.events[-1]}" if done.events else ""
        return f"{done.action} #{done.docid}{back}"
    if not result.found:
        return "Nothing of that kind is there."
    rows = [
        f"{number}. {one.status}, {show_date_or_none(one.asked_at)} (#{one.docid})\n> {render.line(one.text)}"
        for number, one in enumerate(result.found, 1)
    ]
    more = result.total - len(result.found)
    return "\n".join([*rows, *([f"{more} more are not shown."] if more else [])])
