"""A model in this process: what llama.cpp is asked, and what becomes of its faults. The library itself compiles for
long and is an extra: what stands in for it here has the calls that it documents."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.models.llm.conftest import GOOD, Jar

from hearth.core.errors import BadReply, Unavailable
from hearth.models.structured import StructuredLlm, UsageLedger

Opened = Callable[..., StructuredLlm]


class Library(types.ModuleType):
    """``says`` is what the model says, a character at a time; ``trained`` how many tokens it reads."""

    def __init__(self) -> None:
        super().__init__("llama_cpp")
        self.says: Iterator[str] | str = GOOD
        self.trained = 4_096
        self.loaded: list[dict[str, Any]] = []
        self.asked: list[dict[str, Any]] = []
        self.closed = 0
        self.fault: Exception | None = None
        self.aborts: list[Callable[[None], bool]] = []
        self.ggml_abort_callback = lambda ask: ask
        self.llama_set_abort_callback = lambda context, ask, data: self.aborts.append(ask)
        library = self

        class Llama:
            def __init__(self, model_path: str, **given: Any) -> None:
                if library.fault is not None:
                    raise library.fault
                self.ctx = object()
                library.loaded.append({"path": model_path, **given})
                self.metadata = {"general.name": "small", "llama.context_length": str(library.trained)}

            def create_chat_completion(self, **given: Any) -> Iterator[dict[str, Any]]:
                library.asked.append(given)
                yield {"choices": [{"delta": {"role": "assistant"}}]}
                for part in library.says:
                    if part == "!":
                        raise ValueError("Requested tokens (9000) exceed context window of 4096")
                    yield {"choices": [{"delta": {"content": part}}]}

            def close(self) -> None:
                library.closed += 1

        self.Llama = Llama


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Library:
    made = Library()
    monkeypatch.setitem(sys.modules, "llama_cpp", made)
    return made


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "small.gguf"
    made.write_bytes(b"GGUF")
    return made


def test_the_model_is_held_to_the_schema_and_loaded_once(
    library: Library, file: Path, opened: Opened, ledger: UsageLedger
) -> None:
    llm = opened(provider="llama", model=str(file))
    assert library.loaded == [], "nothing is loaded before it is asked"
    for _ in range(2):
        assert llm.complete("Which jar?", Jar) == Jar(name="honey", shelf=3)
    look, used = library.loaded
    assert look["vocab_only"] and used["n_ctx"] == 4_096 and used["path"] == str(file)
    asked = library.asked[0]
    assert asked["response_format"]["schema"]["required"] == ["name", "shelf"] and asked["temperature"] == 0
    assert llm.name == "llama:small.gguf" and ledger.used().calls == 2 and ledger.used().tokens > 0
    llm.close()
    llm.close()
    assert library.closed == 2, "the look, and the model, once each"


def test_a_large_window_is_not_taken_whole(library: Library, file: Path, opened: Opened) -> None:
    library.trained = 131_072
    opened(provider="llama", model=str(file)).complete("Which jar?", Jar)
    assert library.loaded[-1]["n_ctx"] == 12_288


def test_a_model_below_the_home_folder_is_found(library: Library, file: Path, opened: Opened) -> None:
    assert opened(provider="llama", model="~/small.gguf").complete("Which jar?", Jar).shelf == 3


@pytest.mark.parametrize("says", ["!", "no", "x" * 300_000])
def test_nonsense_is_a_bad_reply(says: str, library: Library, file: Path, opened: Opened) -> None:
    library.says = says
    with pytest.raises(BadReply):
        opened(provider="llama", model=str(file)).complete("Which jar?", Jar)


def test_a_model_that_talks_for_ever_is_stopped_at_its_time(library: Library, file: Path, opened: Opened) -> None:
    library.says = iter(lambda: " ", "")
    with pytest.raises((Unavailable, BadReply), match=r"in time|characters"):
        opened(provider="llama", model=str(file), timeout_seconds=1).complete("Which jar?", Jar)


def test_what_can_not_be_loaded_is_unavailable_and_says_why(library: Library, file: Path, opened: Opened) -> None:
    library.fault = ValueError("Failed to load model from file")
    with pytest.raises(Unavailable, match=r"small.gguf can't be loaded: Failed to load"):
        opened(provider="llama", model=str(file)).complete("Which jar?", Jar)
    with pytest.raises(Unavailable, match="there is no model"):
        opened(provider="llama", model=str(file.with_name("other.gguf"))).complete("Which jar?", Jar)


def test_without_the_library_the_extra_is_named(file: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    with pytest.raises(Unavailable, match="install the extra llama"):
        opened(provider="llama", model=str(file)).complete("Which jar?", Jar)


def test_a_model_that_computes_for_too_long_between_two_words_is_stopped(
    library: Library, file: Path, opened: Opened
) -> None:
    def silent() -> Iterator[str]:
        while not library.aborts[0](None):
            pass
        raise RuntimeError("llama_decode returned 2")
        yield ""

    library.says = silent()
    with pytest.raises(Unavailable, match="did not answer in time"):
        opened(provider="llama", model=str(file), timeout_seconds=1).complete("Which jar?", Jar)
