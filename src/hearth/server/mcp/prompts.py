"""Prompts that a person picks: recall, remember, handoff."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from hearth.errors import NotFound, UsageError
from hearth.lazy import regex

_PLACEHOLDER = regex(r"\{(\w+)\}")
_MOST_CHARS = 4_000
_VAULT = {"name": "vault", "description": "Which vault; else the default one.", "required": False}

LISTED = (
    {
        "name": "recall",
        "title": "Recall",
        "description": "Answer from memory, with sources.",
        "arguments": [{"name": "topic", "description": "What to recall.", "required": True}, _VAULT],
    },
    {
        "name": "remember",
        "title": "Remember",
        "description": "Keep something for other sessions.",
        "arguments": [
            {"name": "what", "description": "What to keep; else what this conversation decided.", "required": False},
            _VAULT,
        ],
    },
    {
        "name": "handoff",
        "title": "Hand-off",
        "description": "Write down where this session stands, for the next one.",
        "arguments": [_VAULT],
    },
)
_TEXTS = {
    "recall": (
        "Answer from memory: {topic}\n\n"
        "Call memory_retrieve{vault} with that, read the documents that matter with get, and answer with the "
        "place of each statement (collection/path:lines). Where memory does not say, say so."
    ),
    "remember": (
        "Keep for other sessions: {what}\n\n"
        "First call memory_retrieve{vault} to see what is known. Then call memory_store{vault} once for each decision, "
        "preference, fact or problem, in full sentences with the reason, with the fitting type, and with supersedes "
        "where it replaces what is there. Tell what you kept."
    ),
    "handoff": (
        "Write a hand-off for the next session.\n\n"
        "Call memory_store{vault} once with type handoff: the goal, what is done and how it was checked, what was "
        "decided and why, what is open and the next step, the files that matter. Full sentences, no secrets. Keep "
        "each lasting decision as a memory of type decision, too."
    ),
}
_ELSE = {"what": "what this conversation decided or found out that will matter again"}


def prompt(name: str, given: Mapping[str, str], vaults: Collection[str]) -> str:
    """The text of the prompt. Raises ``NotFound`` for its name and for a vault that there is not, ``UsageError`` for
    its other arguments."""
    listed = next((one for one in LISTED if one["name"] == name), None)
    if listed is None:
        raise NotFound(f"no prompt {name[:60]!r}; there are: {', '.join(_TEXTS)}")
    arguments = {str(one["name"]): one["required"] for one in listed["arguments"]}  # type: ignore[index]
    if unknown := [one for one in given if one not in arguments]:
        raise UsageError(f"{name} takes no {unknown[0][:60]!r}; it takes: {', '.join(arguments)}")
    for argument, required in arguments.items():
        if required and not given.get(argument, "").strip():
            raise UsageError(f"{name} needs {argument}")
        if len(given.get(argument, "")) > _MOST_CHARS:
            raise UsageError(f"{argument} takes at most {_MOST_CHARS:,} characters")
    if given.get("vault") and given["vault"] not in vaults:
        raise NotFound(f"no vault {given['vault'][:60]!r}; there are: {', '.join(vaults)}")
    vault = f" (vault: {given['vault']!r})" if given.get("vault") else ""
    values = _ELSE | {key: text for key, text in given.items() if text.strip()} | {"vault": vault}
    # In one pass: what a value holds is no placeholder.
    return _PLACEHOLDER.sub(lambda found: values[found[1]], _TEXTS[name])
