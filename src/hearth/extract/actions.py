"""What a host's record of a call says exactly: questions and answers, plans, lists of what is to do, commands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from hearth.extract.record import dict_of, name_of, text_of
from hearth.lazy import regex
from hearth.model.host.action import Act, Action, Choice, Outcome, Todo, TodoState

_MAX_TEXT = 8_000
_MAX_ITEMS = 100
_STATES: dict[str, TodoState] = {"completed": "done", "done": "done", "in_progress": "active", "pending": "open"}
_SHELLS = frozenset({"Bash", "shell", "exec_command", "local_shell", "shell_command", "unified_exec"})
_READERS = {"Read": "file_path", "NotebookRead": "notebook_path"}
_REFUSED = "The user doesn't want to proceed with this tool use."
_SAID = "the user said:\n"
# Stopped while it ran, which is no refusal.
_STOPPED = ("STOP what you are doing", "Correction to the text above")
_PLAN_HEAD = regex(r"## Approved Plan[^\n]*:\n(.*)\Z", re.DOTALL)
_ANSWERED = regex(r'"([^"\n]{1,500})"="([^"\n]{0,500})"')
_CREATED = regex(r"Task #(\w{1,20}) created")
_REJECTED = regex(r"rejected by user|denied by (?:the )?user|user (?:rejected|denied|declined)", re.IGNORECASE)
_ABORTED = "aborted by user"


def action_of(tool: str, given: object) -> Action | None:
    """What a call does, by the host's name of the tool and its arguments (an object, or JSON of one)."""
    values = _object(given)
    short = tool.rpartition("__")[2]
    if short in ("AskUserQuestion", "request_user_input"):
        return Action(Act.ASK, choices=_choices(values.get("questions")))
    if short == "ExitPlanMode":
        return Action(Act.PLAN, text_of(values.get("plan"))[:_MAX_TEXT])
    if short in ("TodoWrite", "update_plan"):
        return Action(Act.TODOS, todos=_todos(values.get("todos") or values.get("plan")))
    if short in ("TaskCreate", "TaskUpdate"):
        return Action(Act.TODOS, todos=(_task(values),), partial=True)
    if short in _SHELLS:
        return Action(Act.COMMAND, _command(values))
    if short == "merge_pull_request":
        return Action(Act.COMMAND, f"merge pull request {_number(values)}")
    if short in _READERS:
        return Action(Act.READ, text_of(values.get(_READERS[short]))[:1024])
    return None


def claude_outcome(record: Mapping[str, Any], text: str, failed: bool) -> Outcome | None:
    """What the person did about a call of Claude Code, by the line of its result; ``None`` for nothing.

    Trust in words goes to the host's own marks: the text of an ordinary result is a tool's.
    """
    result = dict_of(record.get("toolUseResult"))
    if "answers" in result and "questions" in result:
        pairs = dict_of(result["answers"]).items()
        return Outcome(answers=tuple((text_of(key), _answer(value)) for key, value in list(pairs)[:_MAX_ITEMS]))
    if failed:
        return _refusal(record, text)
    if text.startswith(("Your questions have been answered:", "User has answered your questions:")):
        return Outcome(answers=tuple(_ANSWERED.findall(text)))
    if text.startswith("User has approved"):
        told = _PLAN_HEAD.search(text)
        return Outcome(plan=(text_of(result.get("plan")) or (told[1] if told else ""))[:_MAX_TEXT].strip())
    key = name_of(dict_of(result.get("task")).get("id"))
    if key is None and (made := _CREATED.match(text)) is not None:
        key = made[1]
    return Outcome(key=key) if key is not None else None


def codex_outcome(text: str) -> Outcome | None:
    """The same for Codex, by the output of a call."""
    if text.startswith('{"answers":'):
        answers = dict_of(_object(text).get("answers"))
        pairs = tuple(
            (key, _answer(dict_of(value).get("answers"))) for key, value in list(answers.items())[:_MAX_ITEMS]
        )
        return Outcome(answers=pairs)
    head = text[:400]
    if head.rstrip().endswith(_ABORTED):
        return Outcome(interrupted=True)
    refused = head.startswith(
        ("exec_command failed", "exec command", "patch rejected", "apply_patch", "command rejected")
    )
    return Outcome(denied=True) if refused and _REJECTED.search(head) else None


def _refusal(record: Mapping[str, Any], text: str) -> Outcome | None:
    by_person = record.get("toolDenialKind") in ("user-rejected", "permission-rule", None)
    if not by_person or not text.startswith(_REFUSED):
        return None
    words = text.partition(_SAID)[2].strip()
    if not words and any(mark in text for mark in _STOPPED):
        return Outcome(interrupted="stopped while running" in text, denied="stopped while running" not in text)
    return Outcome(denied=True, words=words[:_MAX_TEXT])


def _object(given: object) -> dict[str, Any]:
    if isinstance(given, str) and given.startswith("{"):
        try:
            return dict_of(json.loads(given))
        except (ValueError, RecursionError):
            return {}
    return dict_of(given)


def _items(value: object) -> Iterable[dict[str, Any]]:
    return map(dict_of, value[:_MAX_ITEMS]) if isinstance(value, list) else ()


def _choices(value: object) -> tuple[Choice, ...]:
    found = []
    for item in _items(value):
        options = tuple(text_of(option.get("label"))[:500] for option in _items(item.get("options")))
        found.append(Choice(text_of(item.get("question"))[:1000], options, name_of(item.get("id"))))
    return tuple(found)


def _todos(value: object) -> tuple[Todo, ...]:
    texts = ((text_of(item.get("content") or item.get("step"))[:300], item.get("status")) for item in _items(value))
    return tuple(Todo(text, _STATES.get(str(state), "open")) for text, state in texts if text.strip())


def _task(values: Mapping[str, Any]) -> Todo:
    """A task as it is made or changed; a change of anything but its state leaves the state out."""
    key = values.get("taskId")
    state = _STATES.get(str(values.get("status"))) if key is not None else "open"
    return Todo(text_of(values.get("subject"))[:300], state, None if key is None else str(key)[:64])


def _command(values: Mapping[str, Any]) -> str:
    given = values.get("command", values.get("cmd"))
    if isinstance(given, list):
        words = [text_of(word) for word in given[:200]]
        given = words[-1] if len(words) == 3 and words[1] in ("-c", "-lc") else " ".join(words)
    return text_of(given)[:_MAX_TEXT]


def _number(values: Mapping[str, Any]) -> str:
    given = values.get("pullNumber", values.get("pull_number", ""))
    return str(given)[:12] if isinstance(given, int | str) else ""


def _answer(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(text_of(item) for item in value[:20])[:1000]
    return text_of(value)[:1000]
