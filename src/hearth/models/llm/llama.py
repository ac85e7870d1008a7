"""A model in this process: a GGUF file, read by llama.cpp, which holds it to the schema by a grammar."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hearth.core.errors import BadReply, Unavailable
from hearth.models.llm.served import MAX_REPLY_CHARS, Completion, CompletionRequest

_CONTEXT = 12_288
"""Tokens: a piece as it is prepared, its prompt, and the reply; less where the model was made for less."""
_SMALLEST = 512
_MOST_TOKENS = 3_072


class LlamaProvider:
    """The file is loaded by the first question and stays; one question at a time."""

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
            max_tokens=_MOST_TOKENS,
            stream=True,
        )
        parts: list[str] = []
        size = 0
        for chunk in stream:
            said = chunk["choices"][0]["delta"].get("content") or ""
            parts.append(said)
            size += len(said)
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
                # A first look at what the file says of itself: more context than a model was made for spoils it.
                look = Llama(str(self._file), n_ctx=_SMALLEST, vocab_only=True, verbose=False)
                window = _window(look.metadata)
                look.close()
                self._model = Llama(str(self._file), n_ctx=window, verbose=False)
                # Between two pieces of its answer a model may compute for longer than it has.
                self._aborts = ggml_abort_callback(lambda _: time.monotonic() > self._until)
                llama_set_abort_callback(self._model.ctx, self._aborts, None)
            except (ValueError, RuntimeError, OSError) as error:
                raise Unavailable(f"{self._file} can't be loaded: {' '.join(str(error).split())[:200]}") from error
        return self._model


def _window(metadata: Mapping[str, str]) -> int:
    """Tokens to be read at once, by the file's own words."""
    trained = next((value for name, value in metadata.items() if name.endswith(".context_length")), "")
    return min(_CONTEXT, max(_SMALLEST, int(trained))) if trained.isdigit() else _CONTEXT
