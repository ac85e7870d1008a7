"""Language models behind a server: Anthropic's, OpenAI's and compatible ones; and llama.cpp in this process."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Protocol

from hearth.core.errors import BadReply, Unavailable
from hearth.core.lazy import dataclass
from hearth.models.http.client import ModelClient
from hearth.models.http.protocol import CallTimeout, RefusedInput, part
from hearth.models.http.transport import HttpRequest, ModelAddress

MAX_REPLY_CHARS = 256 * 1024
"""A useful reply takes a few thousand characters; a longer one is no answer."""


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """``schema`` is the JSON Schema of the reply, ``seconds`` the time it may take. ``repr`` leaves out the prompt,
    which may quote the person."""

    prompt: str = field(repr=False)
    schema: Mapping[str, Any]
    seconds: float

    @property
    def explained(self) -> str:
        """The prompt with the schema in words, for models that can't be held to one."""
        shape = json.dumps(self.schema, ensure_ascii=False, separators=(",", ":"))
        return f"{self.prompt}\n\nReply with one JSON object that fits this JSON Schema, and nothing else:\n{shape}"


@dataclass(frozen=True, slots=True)
class Completion:
    """``read`` and ``written`` are tokens, ``None`` where the provider does not say."""

    text: str = field(repr=False)
    read: int | None = None
    written: int | None = None


class CompletionProvider(Protocol):
    """Thread-safe; opening one does nothing that takes time."""

    name: str

    def ask(self, request: CompletionRequest) -> Completion:
        """Raises ``Unavailable`` (nothing to be had now) or ``BadReply`` (an answer that can't be read)."""

    def close(self) -> None: ...


Body = Callable[[CompletionRequest], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Dialect:
    """``bodies`` are ways to ask, the strictest about the schema first. If a server refuses one, it is asked in the
    next way from then on."""

    name: str
    route: str
    base: str
    bodies: Sequence[Body]
    read: Callable[[Any], Completion]
    key_header: str = "authorization"
    headers: Mapping[str, str] = field(default_factory=dict)
    version: str = "v1"


class ServedProvider:
    """Opening sends nothing. Thread-safe."""

    def __init__(self, dialect: Dialect, model: str | None, place: ModelAddress, client: ModelClient) -> None:
        self.name = f"{dialect.name}:{model or place.shown}"
        self.client = client
        self._dialect = dialect
        self._model = {} if model is None else {"model": model}
        self._url = place.url
        self._way = 0

    def __repr__(self) -> str:
        return f"ServedProvider({self.name})"

    def ask(self, request: CompletionRequest) -> Completion:
        """Raises ``Unavailable`` or ``BadReply``; the latter's ``RefusedInput`` means that asking again is useless."""
        until = self.client.now() + request.seconds
        patience = CallTimeout("completion", connect=5.0, read=request.seconds, total=request.seconds, retries=2)
        ways = self._dialect.bodies
        for way in range(self._way, len(ways)):
            sent = HttpRequest.of(self._url, self._model | ways[way](request))
            try:
                done = self.client.ask(sent, self._dialect.read, patience, until=until)
            except RefusedInput as error:
                if error.kind != "input" or way == len(ways) - 1:
                    raise
            else:
                self._way = way
                return done
        raise AssertionError("the last way returns or raises")

    def close(self) -> None:
        self.client.close()


def _write_chat(prompt: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": prompt}]}


def ask_by_schema(request: CompletionRequest) -> dict[str, Any]:
    shape = {"name": "reply", "strict": True, "schema": request.schema}
    return {**_write_chat(request.prompt), "response_format": {"type": "json_schema", "json_schema": shape}}


def ask_by_schema_steadily(request: CompletionRequest) -> dict[str, Any]:
    """Some hosted models refuse a temperature."""
    return {**ask_by_schema(request), "temperature": 0}


def ask_for_json(request: CompletionRequest) -> dict[str, Any]:
    return {**_write_chat(request.explained), "response_format": {"type": "json_object"}}


def ask_plainly(request: CompletionRequest) -> dict[str, Any]:
    return _write_chat(request.explained)


def read_completion(reply: Any) -> Completion:
    choices = part(reply, "choices", list)
    if not choices:
        raise BadReply("the reply holds no choice")
    message = part(choices[0], "message", dict)
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(
            block["text"] for block in content if isinstance(block, dict) and isinstance(block.get("text"), str)
        )
    usage = reply.get("usage")
    # A model that refuses or only thinks aloud sends no content; whoever reads the text handles that.
    return Completion(
        content if isinstance(content, str) else "",
        count_tokens(usage, "prompt_tokens"),
        count_tokens(usage, "completion_tokens"),
    )


def count_tokens(usage: Any, *names: str) -> int | None:
    """The sum of the counts under these names; ``None`` if the first is missing."""
    found = [usage.get(name) for name in names] if isinstance(usage, dict) else [None]
    if type(found[0]) is not int:
        return None
    return sum(number for number in found if type(number) is int)


OPENAI = Dialect(
    "openai",
    "chat/completions",
    "https://api.openai.com/v1",
    (ask_by_schema_steadily, ask_by_schema, ask_for_json, ask_plainly),
    read_completion,
)


CLAUDE_INPUT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
"""The counts in a usage report by Claude that add up to the tokens it read."""
_MOST_TOKENS = 8_192
_TOOL = "reply"


def _ask_by_tool(request: CompletionRequest) -> dict[str, Any]:
    tool = {"name": _TOOL, "description": "Takes the reply.", "input_schema": request.schema}
    return {**_write_messages(request.prompt), "tools": [tool], "tool_choice": {"type": "tool", "name": _TOOL}}


def _ask_plainly(request: CompletionRequest) -> dict[str, Any]:
    return _write_messages(request.explained)


def _read_message(reply: Any) -> Completion:
    blocks = [block for block in part(reply, "content", list) if isinstance(block, dict)]
    given = next((block.get("input") for block in blocks if block.get("type") == "tool_use"), None)
    texts = [block["text"] for block in blocks if isinstance(block.get("text"), str)]
    text = json.dumps(given, ensure_ascii=False) if isinstance(given, dict) else "".join(texts)
    usage = reply.get("usage")
    return Completion(text, count_tokens(usage, *CLAUDE_INPUT), count_tokens(usage, "output_tokens"))


def _write_messages(prompt: str) -> dict[str, Any]:
    return {"max_tokens": _MOST_TOKENS, "messages": [{"role": "user", "content": prompt}]}


ANTHROPIC = Dialect(
    "anthropic",
    "messages",
    "https://api.anthropic.com/v1",
    (_ask_by_tool, _ask_plainly),
    _read_message,
    key_header="x-api-key",
    headers={"anthropic-version": "2023-06-01"},
)


_CONTEXT = 12_288
"""Tokens for a prepared piece, its prompt and the reply; fewer if the model was made for fewer."""
_SMALLEST = 512
_LLAMA_MOST_TOKENS = 3_072


class LlamaProvider:
    """The first question loads the file, which stays loaded; questions are answered one at a time."""

    def __init__(self, file: Path) -> None:
        self.name = f"llama:{file.name}"
        self._file = file
        self._lock = threading.Lock()
        self._model: Any = None
        self._until = 0.0
        # Kept as long as llama.cpp may call it.
        self._aborts: Any = None

    def __repr__(self) -> str:
        return f"LlamaProvider({self._file})"

    def ask(self, request: CompletionRequest) -> Completion:
        until = time.monotonic() + request.seconds
        with self._lock:
            model = self._open()
            self._until = until
            try:
                return self._generate(model, request, until)
            except (ValueError, RuntimeError) as error:  # what llama.cpp raises, a full context among it
                if time.monotonic() > until:
                    raise Unavailable(f"{self.name} did not answer in time") from error
                raise BadReply(f"llama.cpp refused: {' '.join(str(error).split())[:200]}") from error

    def close(self) -> None:
        with self._lock:
            if self._model is not None:
                self._model.close()
                self._model = None

    def _generate(self, model: Any, request: CompletionRequest, until: float) -> Completion:
        stream = model.create_chat_completion(
            messages=[{"role": "user", "content": request.explained}],
            response_format={"type": "json_object", "schema": dict(request.schema)},
            temperature=0.0,
            max_tokens=_LLAMA_MOST_TOKENS,
            stream=True,
        )
        parts: list[str] = []
        size = 0
        for chunk in stream:
            part = chunk["choices"][0]["delta"].get("content") or ""
            parts.append(part)
            size += len(part)
            if time.monotonic() > until:
                raise Unavailable(f"{self.name} did not answer in time")
            if size > MAX_REPLY_CHARS:
                raise BadReply(f"the reply has more than {MAX_REPLY_CHARS:,} characters")
        return Completion("".join(parts))

    def _open(self) -> Any:
        if self._model is None:
            try:
                from llama_cpp import Llama, ggml_abort_callback, llama_set_abort_callback
            except ImportError:
                raise Unavailable(
                    "llm.provider is llama, and llama-cpp-python is not installed; install the extra llama, or choose "
                    "another provider"
                ) from None
            if not self._file.is_file():
                raise Unavailable(f"there is no model {self._file}; set llm.model to a GGUF file")
            try:
                # Reads the file's metadata first: more context than a model was made for spoils it.
                look = Llama(str(self._file), n_ctx=_SMALLEST, vocab_only=True, verbose=False)
                window = _read_window(look.metadata)
                look.close()
                self._model = Llama(str(self._file), n_ctx=window, verbose=False)
                # A model may compute past its deadline between two pieces of its answer.
                self._aborts = ggml_abort_callback(lambda _: time.monotonic() > self._until)
                llama_set_abort_callback(self._model.ctx, self._aborts, None)
            except (ValueError, RuntimeError, OSError) as error:
                raise Unavailable(f"{self._file} can't be loaded: {' '.join(str(error).split())[:200]}") from error
        return self._model


def _read_window(metadata: Mapping[str, str]) -> int:
    """How many tokens the model reads at once, by its metadata."""
    trained = next((value for name, value in metadata.items() if name.endswith(".context_length")), "")
    return min(_CONTEXT, max(_SMALLEST, int(trained))) if trained.isdigit() else _CONTEXT
