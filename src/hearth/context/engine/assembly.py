"""What a model is sent: files, notes, the summary, the newest messages, and what the notes know about the prompt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import date, tzinfo
from typing import Any

from hearth.config.tree import ContextSettings
from hearth.context.engine.messages import MESSAGE_TOKENS, Message, Role, measure, trim, with_results, without_images
from hearth.context.engine.plan import Part, Plan, Skeleton, factor_of, last_call, plan
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

    ``recall`` gives the block for a prompt, and what to call once it is sent; ``files`` the agent's files,
    ``day_notes`` the notes of the last days. ``summarize`` makes a summary of lines of a transcript (compacted, and the
    beginning of a turn whose end is kept), given the former summary and a focus. ``committed`` hears how many bytes of
    a transcript are complete; ``ended`` keeps what a session leaves behind, given its messages (role and text).
    """

    recall: Callable[[SessionId, str], tuple[str, Callable[[], object]]]
    files: Callable[[str, int, bool], list[FileText]]
    day_notes: Callable[[str, date], list[FileText]]
    summarize: Callable[[Sequence[bytes], Sequence[bytes], str, str], str]
    committed: Callable[[SessionId, int], None]
    ended: Callable[[SessionId, str, Sequence[tuple[str, str]]], str | None]


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
    """``messages`` are the host's where they stay as they are, else copies; ``parts`` are tokens, ``cut`` says how many
    messages got which treatment. ``reset`` names why the session began anew before this turn."""

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
    """All that may be sent, before it is cut to the budget. ``read`` gives the messages at some places, ``recalled``
    is to be called once recall is sent."""

    summary: str
    measured: Sequence[Message]
    read: Callable[[Sequence[int]], Sequence[Mapping[str, Any]]]
    files: Sequence[FileText]
    notes: Sequence[FileText]
    recall: str
    recalled: Callable[[], object]

    def skeleton(self, request: AssembleRequest, settings: ContextSettings, live: LiveSession, now: int) -> Skeleton:
        prompt, summary = estimate_tokens(request.prompt or ""), estimate_tokens(render_summary(self.summary))
        return Skeleton(
            tuple(self.measured),
            prompt + MESSAGE_TOKENS if prompt else 0,
            tuple(Part(file.name, file.tokens, file.least) for file in self.files),
            tuple(Part(note.name, note.tokens) for note in self.notes),
            summary + MESSAGE_TOKENS if summary else 0,
            estimate_tokens(self.recall),
            request.window or settings.window,
            now,
            last_call(self.measured),
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
        return self._apply(live.id, request, given, made, reset)

    def plan(self, live: LiveSession, request: AssembleRequest) -> Plan:
        return self._plan(live, request, self._gather(live, request))

    def _plan(self, live: LiveSession, request: AssembleRequest, given: _Material) -> Plan:
        skeleton = given.skeleton(request, self.settings, live, self.clock())
        return plan(skeleton, request.budget, self.settings.pruning)

    def _gather(self, live: LiveSession, request: AssembleRequest) -> _Material:
        """All that there is to send."""
        summary, measured, read = _conversation(live, request.messages)
        by_person = request.trigger == "user"
        is_first = not any(one.role is Role.ASSISTANT for one in measured)
        files = self.services.files(live.id.agent, request.budget, request.private) if request.files else []
        notes: list[FileText] = []
        if request.files and request.private and is_first and by_person:
            today = date.fromisoformat(show_date(self.clock(), self.zone))
            notes = self.services.day_notes(live.id.agent, today)
        recall, recalled = "", _do_nothing
        if request.prompt and request.private and by_person:
            with suppress(HearthError):
                recall, recalled = self.services.recall(live.id, request.prompt)
        if estimate_tokens(recall) > request.budget * RECALL_SHARE:
            recall = ""
        return _Material(summary, measured, read, files, notes, recall, recalled)

    def _apply(
        self, session: SessionId, request: AssembleRequest, given: _Material, made: Plan, reset: str | None
    ) -> Assembly:
        shown = [*given.files, *given.notes]
        system = render_files(shown, [made.parts[file.name] for file in shown])
        sent: list[Mapping[str, Any]] = []
        if given.summary:
            sent.append({"role": "user", "content": render_summary(given.summary)})
        kept = [at for at, one in enumerate(given.measured) if made.actions.get(one.id) is not Action.DROP]
        for at, message in zip(kept, given.read(kept), strict=True):
            name = given.measured[at].id
            sent.append(self._changed(session, name, message, made.actions.get(name, Action.KEEP)))
        if request.prompt is not None:
            brought = given.recall if made.parts["recall"] >= estimate_tokens(given.recall) else ""
            sent.append({"role": "user", "content": f"{brought}\n\n{request.prompt}" if brought else request.prompt})
            if brought:
                given.recalled()
        counted = list(made.actions.values())
        cut = {str(action): counted.count(action) for action in dict.fromkeys(counted)}
        return Assembly(system, tuple(sent), made.tokens, made.parts, cut, made.overflow, reset)

    def _changed(self, session: SessionId, name: str, message: Mapping[str, Any], action: Action) -> Mapping[str, Any]:
        if action is Action.TRIM:
            return with_results(message, trim)
        if action is Action.CLEAR:
            place = f" hearth get session:{session.session}#{name}"
            shown = place if len(place) <= PLACE_CHARS and not name.startswith("#") else ""
            return with_results(message, lambda _: f"{CLEARED}{shown}")
        return without_images(message) if action is Action.UNILLUSTRATE else message


def _do_nothing() -> object:
    return None


def _conversation(
    live: LiveSession, given: Sequence[Mapping[str, Any]] | None
) -> tuple[str, Sequence[Message], Callable[[Sequence[int]], Sequence[Mapping[str, Any]]]]:
    """The summary, and the messages: the host's, or the transcript's, whose texts are read when they are sent."""
    if given is not None:
        measured = [measure(message, str(message.get("id") or f"#{at}")) for at, message in enumerate(given)]
        return "", measured, lambda places: [given[at] for at in places]
    summary, records = live.transcript.view()
    measured = [one.message for one in records if one.message is not None]
    return summary, measured, lambda places: live.messages([records[at] for at in places])
