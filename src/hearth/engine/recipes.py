"""Recipes: the only place that orders lanes and stages."""

from __future__ import annotations

from dataclasses import dataclass

from hearth.errors import UsageError


@dataclass(frozen=True, slots=True)
class Recipe:
    """``lanes`` find and judge; ``stages`` then reorder, thin out and pack, in this order."""

    name: str
    lanes: tuple[str, ...]
    stages: tuple[str, ...] = ("prior", "diversify", "cut", "pack")


RECIPES = {
    recipe.name: recipe
    for recipe in (
        Recipe("keyword", ("keyword", "substring")),
        Recipe("semantic", ("vector",)),
        Recipe("hybrid", ("keyword", "substring", "vector", "time")),
        Recipe("surface", ("keyword", "substring", "vector", "time")),
    )
}


def recipe(name: str) -> Recipe:
    if name not in RECIPES:
        raise UsageError(f"unknown recipe {name!r}; choose one of {', '.join(RECIPES)}")
    return RECIPES[name]
