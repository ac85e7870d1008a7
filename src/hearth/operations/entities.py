"""Entities and facts: who or what a name means, what is known of it, since when and until when."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from hearth.core.errors import UsageError
from hearth.core.graph import ENTITY_TYPES, PREDICATES
from hearth.core.instants import show_date_or_none
from hearth.graph import entities, facts, naming
from hearth.graph.entities import EntityListing, EntityView, list_entities
from hearth.graph.facts import MOST_OF_ONE, FactsView
from hearth.graph.names import MAX_NAME_CHARS
from hearth.graph.naming import NamesChanged
from hearth.operations import render, state
from hearth.operations.arguments import Arguments, OneOf, Place, text, texts, whole
from hearth.operations.operation import Operation, Request, Route, Tool
from hearth.operations.shapes import DATE, FLAG, INSTANT, NUMBER, TEXT, TEXTS, WHOLE, instant, listed, maybe, obj
from hearth.vault.changes import Remarks

if TYPE_CHECKING:
    from hearth.graph.entities import EntityListing, EntityView
    from hearth.graph.facts import FactsView
    from hearth.graph.naming import NamesChanged

_ACTIONS = ("merge", "alias", "split")


class EntityName(Arguments):
    name: Annotated[
        str | None,
        text("The name of a person, organization, project, place or tool; without it, who there is.", MAX_NAME_CHARS),
    ] = None
    type: Annotated[
        Annotated[str, OneOf(*ENTITY_TYPES)] | None, text("Without a name: only entities of this type.", 20)
    ] = None
    query: Annotated[str | None, text("Without a name: only entities whose names contain it.", MAX_NAME_CHARS)] = None
    limit: Annotated[int, whole("At most this many mentions, or entities (default 10).", 1, 100)] = 10


class NameStatement(state.Reasoned):
    action: Annotated[
        Annotated[str, OneOf(*_ACTIONS)],
        text(
            "merge: name, which is known, is of from now on. alias: of also goes by name. split: name means itself "
            "alone; with references, in those documents it is a namesake, of.",
            10,
        ),
    ]
    name: Annotated[str, text("The name.", MAX_NAME_CHARS)]
    of: Annotated[str | None, text("The namesake's own name.", MAX_NAME_CHARS)] = None
    references: Annotated[
        tuple[Place, ...], texts("For split: the documents of the namesake.", naming.MOST_DOCUMENTS)
    ] = ()


def _say(call: Request, given: NameStatement) -> NamesChanged:
    remarks = Remarks(given.reason, call.actor)
    if given.action == "split":
        return naming.split(call.vault, given.name, remarks, of=given.of, references=given.references)
    if given.of is None:
        raise UsageError(f"{given.action} needs of: whom or what the name means")
    act = naming.merge if given.action == "merge" else naming.alias
    return act(call.vault, given.name, given.of, remarks)


def _describe(call: Request, given: EntityName) -> EntityView | EntityListing:
    if given.name is None:
        return list_entities(call.vault, given.type, given.query or "", given.limit)
    if given.type is not None or given.query is not None:
        raise UsageError("type and query choose among all entities; leave the name out")
    return entities.describe(call.vault, given.name, given.limit)


_MENTION = obj(
    {"docid": TEXT, "collection": TEXT, "path": TEXT, "line": WHOLE, "snippet": TEXT}, {"date": maybe(INSTANT)}
)
_FACT = obj(
    {"date": TEXT, "text": TEXT, "source": TEXT, "docid": TEXT, "path": TEXT, "line": WHOLE}, {"until": maybe(TEXT)}
)
_SUMMED = obj({"section": TEXT, "text": TEXT, "sources": TEXTS, "own": FLAG}, {"date": TEXT})
_LISTED = obj({"id": TEXT, "name": TEXT, "type": TEXT, "aliases": TEXTS, "documents": WHOLE})
_COMPANION = obj({"name": TEXT, "type": TEXT, "together": WHOLE, "lift": NUMBER})


def render_entity(result: EntityView | EntityListing, given: Arguments) -> str:
    if isinstance(result, EntityListing):
        return _render_listing(result)
    asked = render.line(result.asked)
    if result.name is None:
        if result.candidates:
            return f"{asked} may be {', '.join(map(render.line, result.candidates))}; ask for one of them."
        return f"Nothing found: no fragment mentions {asked}.{_list_alike(result.alike)}"
    also = f", also {', '.join(map(render.line, result.aliases))}" if result.aliases else ""
    lines = [f"{render.line(result.name)} ({result.type}{also}), on {render.plural(result.total, 'line')}."]
    lines += [f"> {render.line(statement.text)}{_name_sources(statement.sources)}" for statement in result.synthesis]
    for fact in result.facts:
        ended = "" if fact.until is None else f" until {fact.until}"
        lines.append(f"Since {fact.date}{ended}: {render.line(fact.text)} (#{fact.docid}:{fact.line})")
    for one in result.mentions:
        where = f"{render.place(one.collection, one.path)}:{one.line}"
        lines += [f"{show_date_or_none(one.date)} {where} #{one.docid}", f"> {render.line(one.words)}"]
    if result.company:
        beside = (f"{render.line(one.name)} ({one.together}, {one.lift:.1f} times)" for one in result.company)
        lines.append(f"In the company of (fragments, how much more often than anywhere): {', '.join(beside)}.")
    return "\n".join(lines)


def _name_sources(docids: Sequence[str]) -> str:
    return f" ({', '.join(f'#{docid}' for docid in docids)})" if docids else ""


def _list_alike(names: Sequence[str]) -> str:
    return f" Like it are: {', '.join(map(render.line, names))}." if names else ""


def _render_listing(result: EntityListing) -> str:
    lines = []
    for one in result.entities:
        also = f", also {', '.join(map(render.line, one.aliases))}" if one.aliases else ""
        name = f"{render.line(one.entity.name)} ({one.entity.type}{also})"
        lines.append(f"{name}: {render.plural(one.documents, 'document')}")
    if result.unread:
        lines.append(f"{render.plural(result.unread, 'document')} still to be read for names; ask again.")
    return "\n".join(lines) or "Nothing found: no document names such an entity."


def render_facts(result: FactsView, given: Arguments) -> str:
    asked = render.line(result.asked)
    beyond = f"{render.plural(result.left_out, 'fact')} beyond the newest {MOST_OF_ONE} of one document"
    left = [f"Not counted: {beyond}."] if result.left_out else []
    left += ["More fragments of notes hold it than were read."] if result.truncated else []
    if not result.facts:
        if result.known:
            text = f"Nothing found: of {render.plural(result.known, 'fact')} of {asked} none is as asked for."
            return " ".join((text, *left))
        others = f" Found in the index: {', '.join(map(render.line, result.candidates))}." if result.candidates else ""
        text = f"Nothing found: no fragment states a fact of {asked}.{others}{_list_alike(result.alike)}"
        return " ".join((text, *left))
    lines = [f"{render.plural(result.total, 'fact')} of {asked}."]
    for fact in result.facts:
        lines.append(f"{render.line(fact.words)} (confidence {fact.confidence:.2f})")
        lines.append(
            f"> {render.line(fact.quote)} ({render.place(fact.collection, fact.path)}:{fact.line} #{fact.docid})"
        )
    return "\n".join((*lines, *left))


def render_names(result: NamesChanged, given: Arguments) -> str:
    means = "itself alone" if result.of == result.name else render.line(result.of)
    where = f" in {render.plural(len(result.documents), 'document')}" if result.documents else ""
    text = f"{result.action}: {render.line(result.name)} means {means}{where}"
    return f"{text}\nTo take it back: memory_undo with event {result.events[-1]}" if result.events else text


ENTITIES = Operation(
    "entities",
    "Who or what is it",
    "Show an entity: its other names, mentions and related entities; without a name, list the entities.",
    EntityName,
    obj(
        {},
        {
            "asked": TEXT,
            "aliases": TEXTS,
            "mentions": listed(_MENTION, "Newest first."),
            "total": WHOLE | {"description": "Lines that hold the name, of the 100 best fragments."},
            "company": listed(_COMPANION, "Names in the same fragments, by how much more often than anywhere."),
            "facts": listed(_FACT, "What its own files say of it, by date."),
            "synthesis": listed(_SUMMED, "What these sum up, each sentence with its sources (docids)."),
            "candidates": TEXTS | {"description": "Whom a name may mean that several go by."},
            "alike": TEXTS | {"description": "Names much like one that no fragment holds."},
            "id": maybe(TEXT),
            "name": maybe(TEXT),
            "type": maybe(TEXT),
            "entities": listed(_LISTED, "Those in most documents first."),
            "unread": WHOLE | {"description": "Documents still to be read for names; ask again."},
        },
    ),
    _describe,
    words=render_entity,
    tools=(Tool("memory_entities"),),
    routes=(Route("GET", "/graph/entities"),),
)
NAMES = Operation(
    "names",
    "Say whom a name means",
    "Merge, alias or split entities' names. Undone by its event.",
    NameStatement,
    obj({"action": TEXT, "name": TEXT, "of": TEXT, "documents": TEXTS, "events": TEXTS}),
    _say,
    writes=True,
    words=render_names,
    tools=(Tool("memory_names"),),
    routes=(Route("POST", "/graph/entities"),),
    command="entities",
)


class FactsOf(Arguments):
    name: Annotated[str, text("Of whom or what: a person, service, tool, place.", MAX_NAME_CHARS)]
    predicate: Annotated[Annotated[str, OneOf(*PREDICATES)] | None, text("Only facts with this predicate.", 20)] = None
    direction: Annotated[
        Annotated[str, OneOf(*facts.DIRECTIONS)], text("outgoing: the name is the subject; incoming: the object.", 10)
    ] = "both"
    as_of: Annotated[str | None, text(f"Only what held then: {DATE}.", 40, format="date-time")] = None
    limit: Annotated[int, whole("At most this many facts (default 50).", 1, 100)] = 50


def _find(call: Request, given: FactsOf) -> FactsView:
    end = instant(given.as_of, "as_of", call.vault.zone, end=True)
    return facts.find_facts(
        call.vault,
        given.name,
        predicate=given.predicate,
        direction=given.direction,
        as_of=None if end is None else end - 1,
        limit=given.limit,
    )


_STATED_FACT = obj(
    {
        "subject": TEXT,
        "predicate": TEXT,
        "object": TEXT,
        "confidence": NUMBER,
        "quote": TEXT,
        "docid": TEXT,
        "collection": TEXT,
        "path": TEXT,
        "line": WHOLE,
    },
    {"valid_from": maybe(INSTANT), "valid_to": maybe(INSTANT)},
)

FACTS = Operation(
    "facts",
    "What is known of it",
    "List facts about a name: who uses, owns, replaced or depends on what, since and until when, with sources.",
    FactsOf,
    obj(
        {
            "asked": TEXT,
            "facts": listed(_STATED_FACT, "What holds first, the newest of it first."),
            "total": WHOLE,
            "known": WHOLE | {"description": "With those of other times, and those that were not asked for."},
            "left_out": WHOLE
            | {"description": f"Beyond {facts.MOST_OF_ONE} facts of one document, the newest of which count."},
            "candidates": TEXTS
            | {"description": "Where nothing is known: much like it, or in the same fragments, of what something is."},
            "alike": TEXTS | {"description": "Names much like one that no fragment holds."},
            "truncated": FLAG | {"description": "More fragments of notes hold it than were read."},
        }
    ),
    _find,
    words=render_facts,
    tools=(Tool("kg_query"),),
    routes=(Route("GET", "/graph/facts"),),
)
