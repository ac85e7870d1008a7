"""What an agent did in its host's own terms, as far as a host records it exactly."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from hearth.lazy import dataclass

TodoState = Literal["open", "active", "done"]


class Act(StrEnum):
    """``ASK`` puts a multiple-choice question, ``PLAN`` asks for a plan's approval, ``TODOS`` writes the list of what
    is to do, ``COMMAND`` runs a shell command."""

    ASK = "ask"
    PLAN = "plan"
    TODOS = "todos"
    COMMAND = "command"
    EDIT = "edit"
    READ = "read"


@dataclass(frozen=True, slots=True)
class Choice:
    """``key`` is the host's id of the question, where it is not known by its words."""

    question: str
    options: tuple[str, ...] = ()
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Todo:
    """``key`` is the host's id, where it keeps its list item by item; a text may then be missing."""

    text: str
    state: TodoState | None = "open"
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Action:
    """``text`` is the plan, the command, or the file that is read. ``partial`` marks todos that change some items of
    the list; otherwise they are the whole list."""

    act: Act
    text: str = ""
    choices: tuple[Choice, ...] = ()
    todos: tuple[Todo, ...] = ()
    partial: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a person did about a call. ``answers`` are pairs of a question (or its key) and what was chosen, ``plan``
    the text that was approved, ``denied`` that the call was refused, ``words`` what the person said to that.
    ``interrupted`` stands for a person who stopped the agent. ``key`` is the id that the host gave what it made.
    ``plan`` is an outline; ``approved`` says that there was an approval, with or without the text. ``marked`` says
    that the host itself marked the refusal, beside what the result says."""

    answers: tuple[tuple[str, str], ...] = ()
    plan: str = ""
    denied: bool = False
    words: str = ""
    interrupted: bool = False
    key: str | None = None
    approved: bool = False
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """A call and what came of it. ``output`` is cut in the middle after 4,000 characters, ``at`` ms UTC; ``done`` is
    false where no result was recorded."""

    tool: str
    action: Action | None = None
    output: str = ""
    failed: bool = False
    done: bool = True
    outcome: Outcome | None = None
    files: tuple[str, ...] = ()
    at: int | None = None
