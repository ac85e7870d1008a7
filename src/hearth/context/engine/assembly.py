"""What a model is sent: files, notes, the summary, the newest messages, and what the notes know about the prompt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import date, tzinfo
from typing import Any

from hearth.capture.compaction import Summary
from hearth.config.tree import ContextSettings
from hearth.context.engine.messages import MESSAGE_TOKENS, Outline, Role, measure, trim, with_results, without_images
from hearth.context.engine.plan import Part, Plan, Skeleton, factor_of, plan
from hearth.context.engine.pruning import CLEARED, PLACE_CHARS, Action
from hearth.context.engine.sessions import LiveSession, SessionId, render_summary
from hearth.context.engine.workspace import FileText, render_files
from hearth.core.errors import HearthError
from hearth.core.instants import show_date
from hearth.core.lazy import dataclass
from hearth.ports import Clock
from hearth.text.lines import estimate_tokens

RECALL_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class EngineServices:
    """What the engine needs of the rest of the vault.

    ``recall`` gives a block of so many tokens for a prompt, and what to call once sent; ``files`` the agent's files,
    ``day_notes`` the notes of the last days. ``summarize`` makes a summary of lines of a transcript (compacted, and the
    beginning of a turn whose end is kept), given the former summary, a focus, and whether the rules shall do it alone.
    ``committed`` hears how many bytes of a transcript are complete; ``ended`` keeps what a session leaves behind, given
    why it ended, its messages (role and text) and its host. ``unflushed`` says why nothing could be written down for a
    session that began in a folder, ``has_memory`` whether the settings give the agent one.
    """

    recall: Callable[[SessionId, str, int], tuple[str, Callable[[], object]]]
    files: Callable[[str, int, bool], list[FileText]]
    day_notes: Callable[[str, date], list[FileText]]
    summarize: Callable[[Sequence[bytes], Sequence[bytes], str, str, bool], Summary]
    committed: Callable[[SessionId, int], None]
    ended: Callable[[SessionId, str, Sequence[tuple[str, str]], str], str | None]
    unflushed: Callable[[SessionId, str | None], str]
    has_memory: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class AssembleRequest:
    """``messages`` are the host's own; without them the transcript's are taken. A group or a host that doesn't say
    is not ``private``: no notes about the person then. ``trigger`` is ``user`` for a person's turn."""

    budget: int
    prompt: str | None = None
    messages: Sequence[Mapping[str, Any]] | None = None
    files: bool = True
    private: bool = False
    trigger: str = "user"
    window: int | None = None
    chat_type: str | None = None
    channel: str | None = None


@dataclass(frozen=True, slots=True)
class Assembly:
    """``messages`` are the host's where they stay as they are, else copies; those of a transcript are kept for the next
    request, so copy one before you change it. ``parts`` are tokens, ``cut`` says how many messages got which
    treatment. ``reset`` names why the session began anew before this turn."""

    system: str
    messages: tuple[Mapping[str, Any], ...]
    tokens: int
    parts: Mapping[str, int]
    cut: Mapping[str, int]
    overflow: int = 0
    reset: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "system": self.system, "messages": list(self.messages), "tokens": self.tokens, "parts": dict(self.parts),
            "cut": dict(self.cut), "overflow": self.overflow, "reset": self.reset,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Material:
    """All that may be sent, before it is cut to the budget. ``send`` gives the messages at some places after their
    actions, ``recalled`` is to be called once recall is sent."""

    summary: str
    outline: Outline
    send: Callable[[Sequence[int], Sequence[Action]], Sequence[Mapping[str, Any]]]
    files: Sequence[FileText]
    notes: Sequence[FileText]
    recall: str
    recalled: Callable[[], object]

    def skeleton(self, request: AssembleRequest, settings: ContextSettings, live: LiveSession, now: int) -> Skeleton:
        prompt, summary = estimate_tokens(request.prompt or ""), estimate_tokens(render_summary(self.summary))
        return Skeleton(
            self.outline,
            prompt + MESSAGE_TOKENS if prompt else 0,
            tuple(Part(file.name, file.tokens, file.least) for file in self.files),
            tuple(Part(note.name, note.tokens) for note in self.notes),
            summary + MESSAGE_TOKENS if summary else 0,
            estimate_tokens(self.recall),
            request.window or settings.window,
            now,
            self.outline.last_call(),
            live.pruned,
            factor_of(live.transcript.usages),
        )


@dataclass(frozen=True, slots=True)
class Assembler:
    """Nothing here changes a transcript."""

    services: EngineServices
    settings: ContextSettings
    clock: Clock
    zone: tzinfo

    def assemble(self, live: LiveSession, request: AssembleRequest, reset: str | None = None) -> Assembly:
        """``reset`` says why the session just began anew."""
        given = self._gather(live, request)
        made = self._plan(live, request, given)
        live.pruned |= {name: one for name, one in made.actions.items() if one is not Action.DROP}
        live.estimated = made.tokens
        return self._apply(live, request, given, made, reset)

    def plan(self, live: LiveSession, request: AssembleRequest) -> Plan:
        return self._plan(live, request, self._gather(live, request))

    def _plan(self, live: LiveSession, request: AssembleRequest, given: _Material) -> Plan:
        skeleton = given.skeleton(request, self.settings, live, self.clock())
        return plan(skeleton, request.budget, self.settings.pruning)

    def _gather(self, live: LiveSession, request: AssembleRequest) -> _Material:
        """All that there is to send."""
        summary, outline, send = _conversation(live, request.messages)
        by_person = request.trigger == "user"
        is_first = not outline.has_role(Role.ASSISTANT).any()
        files = self.services.files(live.id.agent, request.budget, request.private) if request.files else []
        notes: list[FileText] = []
        if request.files and request.private and is_first and by_person:
            today = date.fromisoformat(show_date(self.clock(), self.zone))
            notes = self.services.day_notes(live.id.agent, today)
        recall, recalled = "", _do_nothing
        most = int(request.budget * RECALL_SHARE)
        if request.prompt and request.private and by_person:
            if live.recalled is not None and live.recalled[0] == request.prompt:
                recall = live.recalled[1]
            else:
                with suppress(HearthError):
                    recall, recalled = self.services.recall(live.id, request.prompt, most)
        if estimate_tokens(recall) > most:
            recall = ""
        return _Material(summary, outline, send, files, notes, recall, recalled)

    def _apply(
        self, live: LiveSession, request: AssembleRequest, given: _Material, made: Plan, reset: str | None
    ) -> Assembly:
        shown = [*given.files, *given.notes]
        system = render_files(shown, [made.parts[file.name] for file in shown])
        sent: list[Mapping[str, Any]] = []
        if given.summary:
            sent.append({"role": "user", "content": render_summary(given.summary)})
        actions = [made.actions.get(name, Action.KEEP) for name in given.outline.ids]
        kept = [at for at, action in enumerate(actions) if action is not Action.DROP]
        sent.extend(given.send(kept, [actions[at] for at in kept]))
        if request.prompt is not None:
            brought = given.recall if made.parts["recall"] >= estimate_tokens(given.recall) else ""
            sent.append({"role": "user", "content": f"{brought}\n\n{request.prompt}" if brought else request.prompt})
            if brought:
                live.recalled = request.prompt, brought
                given.recalled()
        counted = list(made.actions.values())
        cut = {str(action): counted.count(action) for action in dict.fromkeys(counted)}
        return Assembly(system, tuple(sent), made.tokens, made.parts, cut, made.overflow, reset)


def _do_nothing() -> object:
    return None


def _conversation(
    live: LiveSession, given: Sequence[Mapping[str, Any]] | None
) -> tuple[str, Outline, Callable[[Sequence[int], Sequence[Action]], Sequence[Mapping[str, Any]]]]:
    """The summary, and the messages: the host's, or the transcript's, whose texts are read when they are sent."""

    def change(name: str, action: Action, message: Mapping[str, Any]) -> Mapping[str, Any]:
        return _change(message, action, "" if given is not None else f" hearth get session:{live.id.session}#{name}")

    if given is None:
        summary, records, outline = live.transcript.view()
        return summary, outline, lambda places, actions: live.send([records[at] for at in places], actions, change)
    outline = Outline(measure(message, name) for message, name in zip(given, _name_all(given), strict=True))
    return (
        "",
        outline,
        lambda places, actions: [change("", action, given[at]) for at, action in zip(places, actions, strict=True)],
    )


def _name_all(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """The host's name of each message; its place where there is none, or an earlier one has it."""
    found: dict[str, None] = {}
    for at, message in enumerate(messages):
        name = str(message.get("id") or "")
        found[name if name and name not in found else f"#{at}"] = None
    return list(found)


def _change(message: Mapping[str, Any], action: Action, place: str) -> Mapping[str, Any]:
    """The message after its action; ``place`` says where a cleared text stands."""
    if action is Action.TRIM:
        return with_results(message, trim)
    if action is Action.CLEAR:
        shown = place if len(place) <= PLACE_CHARS else ""
        return with_results(message, lambda _: f"{CLEARED}{shown}")
    return without_images(message) if action is Action.UNILLUSTRATE else message
