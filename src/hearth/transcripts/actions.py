"""What a host's record of a call says exactly: questions and answers, plans, commands, files changed."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from hearth.core import instants
from hearth.core.hook import Act, Action, Choice, Outcome, Todo, TodoState
from hearth.core.lazy import regex
from hearth.core.transcript import Kind, TranscriptEntry

MAX_ASIDE = 4_000
_LONE = regex("[\ud800-\udfff]")


def text_of(value: object) -> str:
    """The text itself, halves of surrogate pairs replaced; "" for anything else."""
    if not isinstance(value, str):
        return ""
    return value if value.isascii() else _LONE.sub("\ufffd", value)


def name_of(value: object) -> str | None:
    """An id or a name: a text that is not empty, at most 1,024 characters."""
    return text_of(value)[:1024] or None


def dict_of(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def blocks_of(content: object) -> Iterator[dict[str, Any]]:
    """A message's content as blocks: a plain text is one block of text."""
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    elif isinstance(content, list):
        for block in content:
            if isinstance(block, dict):
                yield block
            elif isinstance(block, str):
                yield {"type": "text", "text": block}


def joined(content: object) -> str:
    """The texts of all blocks, a line each."""
    return "\n".join(found for block in blocks_of(content) if (found := text_of(block.get("text"))))


def shortened(text: str) -> str:
    """At most ``MAX_ASIDE`` characters of a tool's output: its head, and its end, where programs sum up."""
    if len(text) <= MAX_ASIDE:
        return text
    return f"{text[: MAX_ASIDE * 3 // 4 - 3]}\n…\n{text[-MAX_ASIDE // 4 :]}"


def instant(value: object) -> int | None:
    """ISO 8601 as ms UTC; ``None`` where it is none. Without a zone it is taken for UTC."""
    return instants.parse(value) if isinstance(value, str) else None


def as_sidechain(entry: TranscriptEntry) -> TranscriptEntry:
    """The same, said or done by a subagent: no prompt of the session's."""
    return replace(entry, kind=Kind.SIDECHAIN, prompt=None, queued=False)


_MOST_STEPS, _STEP_CHARS = 12, 160
_FENCE = regex(r"\s{0,3}(?:```|~~~)")
_HEADING = regex(r"\s{0,3}#{1,6}\s+\S")
_ITEM = regex(r"(?P<indent>\s*)(?:[-*+]|\d{1,3}[.)])\s+\S")
_FOREIGN = regex(r"\s*(?:>|\||<)|\s*(?:[-*+]|\d{1,3}[.)])\s+>|.*(?:https?://|\bwww\.)")
# Longer than a name or a label: somebody else's words.
_QUOTED = regex(r"[“”„\"«»「」](?:[^“”„\"«»「」\s]+\s+){4,}[^“”„\"«»「」]*[“”\"«»「」]")
_DEEP = 2


def outline_plan(plan: str) -> str:
    """Headings and top-level steps, one a line; of a plan without any, its first line. What is quoted, fenced, in a
    table or has an address in it is left out."""
    lines = [line for line in _own_lines(plan) if line.strip()]
    marked = [line for line in lines if _HEADING.match(line) or _is_step(line)]
    return "\n".join(
        _QUOTED.sub("“…”", line.strip())[:_STEP_CHARS].rstrip() for line in (marked or lines[:1])[:_MOST_STEPS]
    )


def _own_lines(plan: str) -> Iterator[str]:
    is_fenced = is_quoted = False
    for line in plan.splitlines():
        if _FENCE.match(line):
            is_fenced = not is_fenced
        elif not line.strip():
            is_quoted = False
        elif not is_fenced:
            # The next lines of a quoted paragraph need no mark of their own.
            is_quoted = is_quoted or line.lstrip().startswith(">")
            if not is_quoted and not _FOREIGN.match(line):
                yield line


def _is_step(line: str) -> bool:
    found = _ITEM.match(line)
    return found is not None and len(found["indent"]) < _DEEP


_FILE_KEYS = {
    "Edit": "file_path",
    "Write": "file_path",
    "MultiEdit": "file_path",
    "NotebookEdit": "notebook_path",
}
_PATCHED = regex(r"^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+?)\s*$", re.MULTILINE)
_BEGIN = "*** Begin Patch"
_EXIT = regex(r'(?:exit[ _]code"?:|exited with code)\s*(-?\d+)', re.IGNORECASE)
_HEAD = 500
_MAX_FILES = 1_000


def edited(tool: str, given: dict[str, Any], cwd: str | None) -> tuple[str, ...]:
    """What a tool with named arguments changes."""
    key = _FILE_KEYS.get(tool)
    if key is not None:
        return absolute([text_of(given.get(key))], cwd)
    return patched(given, cwd) if "apply_patch" in tool else ()


def patched(given: object, cwd: str | None) -> tuple[str, ...]:
    """The files in every patch inside a tool's arguments, however they nest; relative names start at the folder that
    the arguments name, else at ``cwd``."""
    if isinstance(given, str) and given.startswith("{"):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            return ()
    place = dict_of(given).get("workdir") or dict_of(given).get("cwd")
    names = (name for text in _texts(given, 3) if _BEGIN in text for name in _PATCHED.findall(text))
    return absolute(names, name_of(place) or cwd)


def absolute(names: Iterable[str], cwd: str | None) -> tuple[str, ...]:
    """Each name once, joined to ``cwd`` where it is relative; names as of Windows stay as they are."""
    found: dict[str, None] = {}
    for name in names:
        if name and len(found) < _MAX_FILES:
            whole = posixpath.join(cwd, name) if cwd and ":\\" not in name else name
            found[posixpath.normpath(whole)] = None
    return tuple(found)


def exit_failed(output: str) -> bool:
    """Whether the head of a command's output tells of an exit code other than 0."""
    status = _EXIT.search(output, 0, _HEAD)
    return status is not None and int(status[1]) != 0


def _texts(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield text_of(value)
    elif depth and isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item, depth - 1)


_MAX_TEXT = 8_000
_MAX_ITEMS = 100
_STATES: dict[str, TodoState] = {"completed": "done", "done": "done", "in_progress": "active", "pending": "open"}
_SHELLS = frozenset({"Bash", "shell", "exec_command", "local_shell", "shell_command", "unified_exec"})
_ASKS = frozenset({"AskUserQuestion", "request_user_input"})
_LISTS = frozenset({"TodoWrite", "update_plan"})
_TASKS = frozenset({"TaskCreate", "TaskUpdate"})
# The one tool of a server that is read: it gives a number, no words.
_MERGES = frozenset({"mcp__github__merge_pull_request", "mcp__codex_apps__github_merge_pull_request"})
# Calls that no host's own tool makes: a name with a server's in it.
_ACTIONS_FOREIGN = regex(r"__|[.:/]")
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
    """What a call does, by the whole name of the tool and its arguments (an object, or JSON of one).

    Only a host's own tools record choices, plans and tasks: a server may call its tools as it likes.
    """
    values = _object(given)
    if tool in _ASKS:
        return Action(Act.ASK, choices=_choices(values.get("questions")))
    if tool == "ExitPlanMode":
        return Action(Act.PLAN, outline_plan(text_of(values.get("plan"))))
    if tool in _LISTS:
        return Action(Act.TODOS, todos=_todos(values.get("todos") or values.get("plan")))
    if tool in _TASKS:
        return Action(Act.TODOS, todos=(_task(values),), partial=True)
    if tool in _SHELLS:
        return Action(Act.COMMAND, _command(values))
    if tool in _MERGES:
        return Action(Act.COMMAND, f"merge pull request {_number(values)}")
    if tool in _READERS:
        return Action(Act.READ, text_of(values.get(_READERS[tool]))[:1024])
    return None


def match_outcome(tool: str, action: Action | None, outcome: Outcome | None) -> Outcome | None:
    """The outcome as far as the call can have it.

    An answer belongs to a question that this call put, an approval to a plan, an id to a task. A server writes its
    results itself, so its own account of a refusal counts only with the host's mark.
    """
    if outcome is None:
        return None
    act = action.act if action is not None else None
    asked = {name for choice in action.choices for name in (choice.question, choice.key)} if action is not None else ()
    answers = tuple((name, answer) for name, answer in outcome.answers if act is Act.ASK and name[:1000] in asked)
    refused = outcome.marked or not _ACTIONS_FOREIGN.search(tool)
    fitting = Outcome(
        answers=answers,
        plan=outcome.plan if act is Act.PLAN else "",
        denied=outcome.denied and refused,
        words=outcome.words if refused else "",
        interrupted=outcome.interrupted and refused,
        key=outcome.key if action is not None and action.partial else None,
        marked=outcome.marked,
    )
    if act is Act.PLAN and outcome.approved:
        return replace(fitting, approved=True)
    return fitting if fitting != Outcome(marked=outcome.marked) else None


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
        approved = _PLAN_HEAD.search(text)
        plan = outline_plan(text_of(result.get("plan")) or (approved[1] if approved else ""))
        return Outcome(plan=plan, approved=True)
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
    kind = record.get("toolDenialKind")
    if kind not in ("user-rejected", "permission-rule", None) or not text.startswith(_REFUSED):
        return None
    # A server's error comes as "Error: …", whatever it says.
    marked = kind is not None or record.get("toolUseResult") == "User rejected tool use"
    words = text.partition(_SAID)[2].strip()
    if not words and any(mark in text for mark in _STOPPED):
        running = "stopped while running" in text
        return Outcome(interrupted=running, denied=not running, marked=marked)
    return Outcome(denied=True, words=words[:_MAX_TEXT], marked=marked)


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
