"""Editing: what a language model may say shorter of a night that is planned, and call its themes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from hearth.engine.dream.plan import NightPlan
from hearth.engine.dream.report import RULES
from hearth.errors import HearthError

if TYPE_CHECKING:
    from hearth.extract.model.editor import NightEditor


def edited(found: NightPlan, editor: Callable[[], NightEditor] | None) -> tuple[NightPlan, str]:
    """With what holds of a model's words, and who worded it: the model by its name where some of it is its own, else
    the rules, and why. What is promoted, and in which order, stays."""
    passages = [*(one.passage for one in found.put), *found.successors]
    if editor is None or not (passages or found.night.themes):
        return found, RULES
    try:
        model = editor()
        told = model.edit([one.said for one in passages], [theme.examples for theme in found.night.themes])
    except HearthError as error:
        return found, f"{RULES}, since {error.said}"
    if not told.statements and not told.themes:
        return found, f"{RULES}, since nothing that {model.llm.name} said could be kept"
    short = [replace(one, short=told.statements.get(number, "")) for number, one in enumerate(passages)]
    themes = [
        replace(one, name=told.themes[number], named_by=model.llm.name) if number in told.themes else one
        for number, one in enumerate(found.night.themes)
    ]
    put = tuple(replace(one, passage=passage) for one, passage in zip(found.put, short, strict=False))
    night = replace(found.night, themes=tuple(themes), editor=model.llm.name)
    return replace(found, night=night, put=put, successors=tuple(short[len(put) :])), model.llm.name
