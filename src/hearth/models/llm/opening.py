"""From settings to a language model; nothing is called yet."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hearth.config.tree import LlmSettings
from hearth.core import paths
from hearth.core.errors import ConfigError
from hearth.models.http import transport
from hearth.models.http.client import ModelClient
from hearth.models.http.retry import Pace, Timing
from hearth.models.http.transport import Headers, Key, RemoteServer
from hearth.models.llm import agent, served
from hearth.models.llm.agent import AgentProvider
from hearth.models.llm.served import CompletionProvider, Dialect, LlamaProvider, ServedProvider
from hearth.models.llm.structured import StructuredLlm, UsageLedger

_DIALECTS = {dialect.name: dialect for dialect in (served.OPENAI, served.ANTHROPIC)}


def open_llm(
    config: LlmSettings,
    key: str | None,
    usage: UsageLedger,
    environ: Mapping[str, str],
    *,
    timing: Timing | None = None,
) -> StructuredLlm:
    """The model of the settings; ``key`` is what ``config.api_key_env`` holds, ``environ`` what an agent runs in.

    Raises ``ConfigError`` for settings that can't work, ``Unavailable`` for an agent that is not there."""
    timing = timing or Timing()
    provider = _provider(config, key, environ, timing)
    return StructuredLlm(provider, usage, seconds=config.timeout_seconds, no_think=config.no_think, now=timing.now)


def _provider(config: LlmSettings, key: str | None, environ: Mapping[str, str], timing: Timing) -> CompletionProvider:
    if config.provider == "agent":
        return AgentProvider(agent.find(config.command, environ), config.model, environ)
    if config.provider == "llama":
        file = paths.expand(config.model or "", paths.home(environ))
        if file is None:
            raise ConfigError("llm.model must name a GGUF file for llm.provider llama: absolute, or from ~/ on")
        return LlamaProvider(Path(file))
    return _open_served(config, _DIALECTS[config.provider], key, timing)


def _open_served(config: LlmSettings, dialect: Dialect, key: str | None, timing: Timing) -> ServedProvider:
    if config.model is None and (config.url is None or dialect is served.ANTHROPIC):
        raise ConfigError(f"llm.model is not set, and {dialect.name} needs one")
    place = transport.resolve(config.url or dialect.base, dialect.version, dialect.route)
    server = RemoteServer(
        "llm",
        place.shown,
        Key(key, config.api_key_env),
        Headers({**dialect.headers, **config.headers}, "llm.headers"),
        dialect.key_header,
        place.loopback,
    )
    return ServedProvider(dialect, config.model, place, ModelClient(server, Pace(None, timing), timing))
