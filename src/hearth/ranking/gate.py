"""The gate: how likely a passage is wanted by a prompt that asked for nothing, by structural features of both.

A logistic curve over a few features; its weights stand in ``gate.toml``, fitted by ``bench/fit_gate.py`` on questions
with and without an answer and on prompts of coding sessions, never by hand.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

_WEIGHTS = Path(__file__).with_name("gate.toml")


class Features(NamedTuple):
    """What is known of a prompt and a passage; each about in [0, 1].

    ``share`` of what the prompt's words tell is held by the passage, and ``nats`` is how much that is; ``reverse`` is
    the share of what the passage's words tell that the prompt holds, ``called`` that of the title, by how much it is: a
    title of one common word says little. ``near`` is the probability by meaning, ``ahead`` how much better it matches
    than the best passage of any other document. ``told`` is how much the prompt's words tell in all: a long one shares
    some of them with anything. ``nameless``: the prompt names somebody or something, and the passage holds none of it.
    ``question`` says that the prompt asks."""

    share: float
    nats: float
    reverse: float
    called: float
    near: float
    ahead: float
    told: float
    nameless: float
    question: float


RISING = ("share", "nats", "reverse", "called", "near", "ahead", "question")
"""Features of which more never lowers the score."""
FALLING = ("told", "nameless")
"""Features of which more never raises it."""


@cache
def read_weights(lane: str) -> Mapping[str, float]:
    """The weights by feature with the ``intercept``; ``lane`` is ``meaning`` where vectors answered, else ``words``.
    One half is the least at which a passage is brought."""
    with _WEIGHTS.open("rb") as file:
        found: Mapping[str, float] = tomllib.load(file)[lane]
    return found


def estimate(features: Features, *, by_meaning: bool) -> float:
    """How likely it is wanted, in [0, 1]."""
    weights = read_weights("meaning" if by_meaning else "words")
    pairs = zip(Features._fields, features, strict=True)
    total = weights["intercept"] + sum(weights.get(name, 0.0) * value for name, value in pairs)
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))
