"""Recipes: the only place that orders lanes and stages."""

from __future__ import annotations

from dataclasses import dataclass

from hearth.errors import UsageError
from hearth.ranking.weights import CUT


@dataclass(frozen=True, slots=True)
class Recipe:
    """``lanes`` find and judge; ``stages`` then reorder, thin out and pack, in this order. Below ``floor`` the best
    passage is no answer: higher where nobody asked, which is also where what was put off or belongs to other projects
    stays out (``unasked``), and where it must tell ``nats`` times the least information."""

    name: str
    lanes: tuple[str, ...]
    stages: tuple[str, ...] = ("prior", "diversify", "cut", "pack")
    floor: float = CUT.floor
    unasked: bool = False
    nats: float = 1.0


RECIPES = {
    recipe.name: recipe
    for recipe in (
        Recipe("keyword", ("keyword", "substring")),
        Recipe("semantic", ("vector",)),
        Recipe(
            "hybrid",
            ("keyword", "substring", "vector", "time"),
            ("rerank", "prior", "diversify", "cut", "pack"),
        ),
        Recipe(
            "surface",
            ("keyword", "substring", "vector", "time"),
            floor=CUT.surface_floor,
            unasked=True,
        ),
        Recipe(
            "surface-speed",
            ("keyword", "substring", "time"),
            floor=CUT.words_floor,
            unasked=True,
            nats=CUT.words_nats,
        ),
        Recipe(
            "surface-deep",
            ("keyword", "substring", "vector", "time"),
            ("rerank", "prior", "diversify", "cut", "pack"),
            floor=CUT.surface_floor,
            unasked=True,
        ),
    )
}


def recipe(name: str) -> Recipe:
    if name not in RECIPES:
        raise UsageError(f"unknown recipe {name!r}; choose one of {', '.join(RECIPES)}")
    return RECIPES[name]
