"""The complete tree of settings: every key with its default and its kind.

Each key is documented in ``docs/config.md``; a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from hearth.config.kinds import (
    ChoiceKind,
    Command,
    Flag,
    Folder,
    Number,
    Optional,
    Table,
    Text,
    ValueKind,
    Variable,
    Whole,
    Words,
)
from hearth.core.document import NAMES, SETTINGS
from hearth.core.lazy import dataclass
from hearth.core.memory import CONTENT_TYPES, SURFACES

DEFAULT_VAULT = "default"
NAME = r"[a-z0-9][a-z0-9_-]{0,63}"

_TEXT = Optional(Text())
_KEY = Optional(Variable())
# Credentials in a URL would be stored and shown; the key belongs in a variable.
_URL = Optional(Text(r"https?://[^\s/@]+(/[^\s]*)?", "an http or https address without credentials"))
_HEADERS = Table(Text())
_SURFACED = {"true": "project", "false": "never"}
_DAYS = Whole(1, 36_500)
_RESETS = ("daily", "idle", "daily+idle", "none")
KEPT = {"questions": True, "identity": False, "summaries": True}
"""What is kept beside the profile, each unless the settings say otherwise."""
WEIGHTS = ("keyword", "vector", "relevance", "recency", "confidence")
_HALF_LIVES = Table(Optional(Number(0.1, 36_500)), CONTENT_TYPES)


def _key(kind: ValueKind, default: Any = MISSING) -> Any:
    if isinstance(default, dict):
        return field(default_factory=lambda: MappingProxyType(default), metadata={"kind": kind})
    return field(default=default, metadata={"kind": kind})


def _section(cls: type) -> Any:
    return field(default_factory=cls, metadata={"section": cls})


def _build_named(cls: type, default: Mapping[str, Any]) -> Any:
    return field(default_factory=lambda: MappingProxyType(dict(default)), metadata={"named": cls})


@dataclass(frozen=True)
class CollectionSettings:
    """``context`` maps a path prefix inside the collection to what lies there; ``update`` is an argument array.
    ``surface`` says for which prompts hooks bring it up, ``projects`` whose sessions are at home there beside those in
    its folder. ``trust`` says whose words stand there, ``memories`` whether memories of its project lie in it,
    ``shared`` whether agents may use it in groups."""

    path: Path = _key(Folder())
    pattern: str = _key(Text(), "**/*.md")
    exclude: tuple[str, ...] = _key(Words(Text()), ())
    update: tuple[str, ...] | None = _key(Optional(Command()), None)
    context: Mapping[str, str] = _key(Table(Text()), {})
    lifecycle: bool = _key(Flag(), False)
    dream: bool = _key(Flag(), False)
    trust: str = _key(ChoiceKind(*SETTINGS, former=NAMES), "mine")
    surface: str = _key(ChoiceKind(*SURFACES, former=_SURFACED), "project")
    projects: tuple[str, ...] = _key(Words(Text()), ())
    memories: str = _key(ChoiceKind("vault", "project"), "vault")
    shared: bool = _key(Flag(), False)


@dataclass(frozen=True)
class VaultSettings:
    """``data`` is None for the standard folder; a project below one of ``roots`` uses this vault."""

    data: Path | None = _key(Optional(Folder()), None)
    roots: tuple[Path, ...] = _key(Words(Folder()), ())
    collections: Mapping[str, CollectionSettings] = _build_named(CollectionSettings, {})


@dataclass(frozen=True)
class AgentSettings:
    """``collections`` are the agent's alone, beside those in its folder; without one it uses the vault's own. Without
    ``memory`` nothing is brought to it, nothing of it is kept, and no tool answers it."""

    workspace: Path | None = _key(Optional(Folder()), None)
    collections: tuple[str, ...] = _key(Words(Text(NAME, "the name of a collection")), ())
    memory: bool = _key(Flag(), True)


@dataclass(frozen=True)
class Daemon:
    mode: str = _key(ChoiceKind("auto", "never", "external"), "auto")
    idle_minutes: int = _key(Whole(1, 10_080), 30)
    debounce_seconds: float = _key(Number(0.05, 60), 1.5)


@dataclass(frozen=True)
class SyncSettings:
    """``watch`` is whether the daemon follows the folders; searches look at them in any case."""

    watch: bool = _key(Flag(), True)


@dataclass(frozen=True)
class Fragments:
    """Window and overlap in words; None for the measured defaults."""

    words: int | None = _key(Optional(Whole(20, 2_000)), None)
    overlap: int | None = _key(Optional(Whole(0, 1_000)), None)


@dataclass(frozen=True)
class SearchSettings:
    """``half_life_days`` goes over the registry of content types; None means never. Without ``min_score`` what is weak
    beside the best is left out; lanes and factors without ``weights`` have the fitted ones."""

    scoring: str = _key(ChoiceKind("relevance", "composite"), "relevance")
    min_score: float | None = _key(Optional(Number(0, 1)), None)
    weights: Mapping[str, float] = _key(Table(Number(0.01, 100), WEIGHTS), {})
    temporal_decay: bool = _key(Flag(), True)
    half_life_days: Mapping[str, float | None] = _key(_HALF_LIVES, {"daily": 30.0})
    mmr: bool = _key(Flag(), True)
    mmr_lambda: float = _key(Number(0, 1), 0.8)
    expand_dates: bool = _key(Flag(), True)
    expand_synonyms: bool = _key(Flag(), True)
    expand_by_model: bool = _key(Flag(), False)
    synonyms: Mapping[str, tuple[str, ...]] = _key(Table(Words(Text())), {})
    stop_words: tuple[str, ...] = _key(Words(Text()), ())
    citations: str = _key(ChoiceKind("auto", "on", "off"), "auto")


@dataclass(frozen=True)
class ModelSettings:
    """Where a model is and how it is reached; the key itself stands in the variable that ``api_key_env`` names."""

    provider: str = _key(ChoiceKind("none"), "none")
    model: str | None = _key(_TEXT, None)
    url: str | None = _key(_URL, None)
    api_key_env: str | None = _key(_KEY, None)
    headers: Mapping[str, str] = _key(_HEADERS, {})


@dataclass(frozen=True)
class BatchSettings:
    """Of the provider's batch service: whether a run ``wait``s for its result, how often it looks, and after how many
    minutes it leaves the batch to a later run."""

    wait: bool = _key(Flag(), True)
    poll_seconds: int = _key(Whole(1, 3_600), 30)
    timeout_minutes: int = _key(Whole(1, 10_080), 1_500)


@dataclass(frozen=True)
class Embedding(ModelSettings):
    provider: str = _key(ChoiceKind("static", "onnx", "http"), "static")
    dimensions: int | None = _key(Optional(Whole(8, 8_192)), None)
    dialect: str | None = _key(Optional(ChoiceKind("openai", "jina", "voyage", "cohere", "gemini", "tei")), None)
    tokens_per_minute: int = _key(Whole(1, 10**9), 100_000)
    batch_api: bool = _key(Flag(), False)
    batch: BatchSettings = _section(BatchSettings)
    fallback: str = _key(ChoiceKind("static", "error"), "static")
    cache_entries: int = _key(Whole(0, 10**9), 1_000_000)


@dataclass(frozen=True)
class RerankSettings(ModelSettings):
    """Of each document at most ``windows`` parts are read; the first ``protect`` places stay as they are."""

    provider: str = _key(ChoiceKind("none", "onnx", "http"), "none")
    dialect: str | None = _key(Optional(ChoiceKind("llama", "jina", "cohere", "voyage", "tei", "completions")), None)
    windows: int = _key(Whole(1, 8), 1)
    protect: int = _key(Whole(0, 10), 0)


@dataclass(frozen=True)
class LlmSettings(ModelSettings):
    """``command`` is the agent's program, ``tokens_per_day`` the budget; None means no limit."""

    provider: str = _key(ChoiceKind("none", "openai", "anthropic", "agent", "llama"), "none")
    command: str | None = _key(_TEXT, None)
    no_think: bool = _key(Flag(), False)
    timeout_seconds: int = _key(Whole(1, 3_600), 120)
    tokens_per_day: int | None = _key(Optional(Whole(1, 10**9)), 500_000)


@dataclass(frozen=True)
class SurfaceSettings:
    bootstrap: bool = _key(Flag(), True)
    other_projects: bool = _key(Flag(), False)
    heartbeats: tuple[str, ...] = _key(Words(Text()), ())


@dataclass(frozen=True)
class CaptureSettings:
    """``approve`` says which captured memories wait for a person: none, those that were inferred, or all. ``exclude``
    are patterns of projects and folders, ``keep_days`` how long conversations are kept; None means for
    ever. ``patterns`` are regular expressions of prompts that are captured at once."""

    mode: str = _key(ChoiceKind("smart", "every_n", "time_based", "off"), "smart")
    turns: int = _key(Whole(1, 1_000), 5)
    minutes: int = _key(Whole(1, 10_080), 15)
    approve: str = _key(ChoiceKind("off", "inferred", "all"), "inferred")
    conversations: bool = _key(Flag(), True)
    keep_days: int | None = _key(Optional(_DAYS), None)
    exclude: tuple[str, ...] = _key(Words(Text()), ())
    patterns: tuple[str, ...] = _key(Words(Text()), ())


@dataclass(frozen=True)
class CommitmentSettings:
    """``decay_days`` is how long after it was made a commitment without a day lapses; None means never."""

    decay_days: int | None = _key(Optional(_DAYS), 90)


@dataclass(frozen=True)
class TruthSettings:
    notes: bool = _key(Flag(), False)


@dataclass(frozen=True)
class GraphSettings:
    """What the daemon derives by itself, with ``auto`` by a language model, too, and how alike two documents must be to
    be related by it."""

    enrich: str = _key(ChoiceKind("auto", "rules", "off"), "auto")
    semantic_threshold: float = _key(Number(0.2, 1), 0.5)


@dataclass(frozen=True)
class Lifecycle:
    """``type_overrides`` is the limit in days by content type; None means that the type is never archived."""

    archive_after_days: int = _key(_DAYS, 90)
    type_overrides: Mapping[str, int | None] = _key(Table(Optional(_DAYS), CONTENT_TYPES), {})
    purge_after_days: int | None = _key(Optional(_DAYS), None)
    exempt_collections: tuple[str, ...] = _key(Words(Text(NAME + "|_hearth", "the name of a collection")), ())
    dry_run: bool = _key(Flag(), True)


@dataclass(frozen=True)
class DreamSettings:
    """What a fragment must have before it is promoted, how many are in a night, and how much they may take in all
    (``max_tokens``); ``record`` is whether anything is written down of fragments, ``enabled`` whether anybody dreams.
    ``at`` is when the daemon does; None means never."""

    enabled: bool = _key(Flag(), True)
    record: bool = _key(Flag(), True)
    at: str | None = _key(Optional(Text(r"([01]\d|2[0-3]):[0-5]\d", "a time of day such as 03:00")), "03:00")
    min_score: float = _key(Number(0, 1), 0.6)
    min_signals: int = _key(Whole(1, 1_000), 3)
    min_questions: int = _key(Whole(0, 1_000), 2)
    min_confirmations: int = _key(Whole(0, 1_000), 2)
    per_night: int = _key(Whole(1, 100), 10)
    max_tokens: int = _key(Whole(100, 100_000), 2_000)


@dataclass(frozen=True)
class FlushSettings:
    """``soft`` are tokens before compaction, ``bytes`` the growth of a transcript that is flushed anyway."""

    enabled: bool = _key(Flag(), True)
    soft: int = _key(Whole(0, 100_000), 4_000)
    bytes: int = _key(Whole(65_536, 10**9), 2_097_152)
    prompt: str | None = _key(_TEXT, None)
    system_prompt: str | None = _key(_TEXT, None)


@dataclass(frozen=True)
class PruningSettings:
    """``ttl`` in seconds; ``allow`` and ``deny`` are globs of tools' names."""

    mode: str = _key(ChoiceKind("cache-ttl", "off"), "cache-ttl")
    ttl: int = _key(Whole(0, 86_400), 300)
    keep_last_assistants: int = _key(Whole(0, 100), 3)
    allow: tuple[str, ...] = _key(Words(Text()), ())
    deny: tuple[str, ...] = _key(Words(Text()), ())


@dataclass(frozen=True)
class ResetSettings:
    """``at_hour`` is local; ``by_type`` and ``by_channel`` are modes."""

    mode: str = _key(ChoiceKind(*_RESETS), "daily")
    at_hour: int = _key(Whole(0, 23), 4)
    idle_minutes: int | None = _key(Optional(Whole(1, 525_600)), None)
    by_type: Mapping[str, str] = _key(Table(ChoiceKind(*_RESETS)), {})
    by_channel: Mapping[str, str] = _key(Table(ChoiceKind(*_RESETS)), {})


@dataclass(frozen=True)
class ContextSettings:
    """Tokens: ``reserve`` is kept free for an answer, ``keep_recent`` stays when the rest is summarized.
    ``note_messages`` are those that the note of an ended session quotes."""

    window: int = _key(Whole(1_000, 10**7), 200_000)
    reserve: int = _key(Whole(0, 10**6), 20_000)
    keep_recent: int = _key(Whole(0, 10**6), 20_000)
    summary: int = _key(Whole(200, 20_000), 2_000)
    flush: FlushSettings = _section(FlushSettings)
    pruning: PruningSettings = _section(PruningSettings)
    reset: ResetSettings = _section(ResetSettings)
    note_messages: int = _key(Whole(1, 200), 15)
    index_transcripts: bool = _key(Flag(), False)


@dataclass(frozen=True)
class ServerSettings:
    host: str = _key(Text(r"[A-Za-z0-9.:_-]+", "a host name or address"), "127.0.0.1")
    port: int = _key(Whole(0, 65_535), 7_438)
    mcp_profile: str = _key(ChoiceKind("core", "full"), "core")


@dataclass(frozen=True)
class Config:
    """The settings of one user; the top-level ``collections`` belong to the vault ``default``."""

    collections: Mapping[str, CollectionSettings] = _build_named(CollectionSettings, {})
    vaults: Mapping[str, VaultSettings] = _build_named(VaultSettings, {DEFAULT_VAULT: VaultSettings()})
    agents: Mapping[str, AgentSettings] = _build_named(AgentSettings, {})
    profile: str = _key(ChoiceKind("speed", "balanced", "deep"), "balanced")
    directory_context: bool = _key(Flag(), False)
    daemon: Daemon = _section(Daemon)
    sync: SyncSettings = _section(SyncSettings)
    fragments: Fragments = _section(Fragments)
    search: SearchSettings = _section(SearchSettings)
    embedding: Embedding = _section(Embedding)
    rerank: RerankSettings = _section(RerankSettings)
    llm: LlmSettings = _section(LlmSettings)
    surface: SurfaceSettings = _section(SurfaceSettings)
    lifecycle: Lifecycle = _section(Lifecycle)
    capture: CaptureSettings = _section(CaptureSettings)
    commitments: CommitmentSettings = _section(CommitmentSettings)
    truth: TruthSettings = _section(TruthSettings)
    graph: GraphSettings = _section(GraphSettings)
    knowledge: Mapping[str, bool] = _key(Table(Flag(), KEPT, KEPT), KEPT)
    dream: DreamSettings = _section(DreamSettings)
    context: ContextSettings = _section(ContextSettings)
    server: ServerSettings = _section(ServerSettings)

    @property
    def agents_without_memory(self) -> list[str]:
        return [name for name, one in self.agents.items() if not one.memory]
