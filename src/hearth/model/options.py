"""The options of calls that take a question or a memory, apart from its text."""

from __future__ import annotations

from typing import TypedDict

from hearth.model.graph.question import ClassChoice
from hearth.model.memory import Origin
from hearth.model.query import Conversation


class QueryOptions(TypedDict, total=False):
    """As the fields of ``Query``."""

    at: int
    zone: str
    collections: tuple[str, ...]
    types: tuple[str, ...]
    since: int | None
    until: int | None
    limit: int
    budget_tokens: int | None
    intent: str | None
    recipe: str
    sources: tuple[str, ...]
    include_hidden: bool
    include: tuple[str, ...]
    as_of: int | None
    paths: tuple[str, ...]
    tags: tuple[str, ...]
    syntax: bool
    min_score: float | None
    diverse: bool
    candidates: int
    explain: bool
    deadline_ms: int | None
    conversation: Conversation | None
    asked: ClassChoice | None
    project: str | None


class MemoryOptions(TypedDict, total=False):
    """As the fields of ``NewMemory``."""

    title: str | None
    tags: tuple[str, ...]
    project: str | None
    subject: str | None
    session: str | None
    scope: str | None
    trust: str
    created_by: str
    confidence: float | None
    supersedes: tuple[str, ...]
    origin: Origin | None
    said_at: int | None
    due_at: int | None
    owner: str | None
    valid_from: int | None
    key: str | None
    pending: bool


class RemarkOptions(TypedDict, total=False):
    """Why something is changed, and by whom: ``human`` for a person at a terminal, else a program's name."""

    reason: str | None
    actor: str
