"""docs/config.md names every key, with its true default, and its examples load."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from hearth.config import Config, Loaded
from hearth.config.load import OTHER_VARIABLES, show_value
from hearth.config.schema import NAMED, find, flatten, leaf, leaf_keys
from hearth.config.tree import AgentSettings, CollectionSettings, VaultSettings

ROOT = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())
PAGE = (ROOT / "docs" / "config.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `([a-z_.<>]+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", PAGE, re.MULTILINE)

# The complete tree as the design states it, with one example of each named entry.
WHOLE = """
collections:
  notes: {path: ~/notes, pattern: "**/*.md", exclude: [], update: "git pull",
          context: {"/adr": "architecture decisions"}, lifecycle: false, dream: false, trust: mine,
          surface: project, projects: [shop], memories: vault, shared: false}
vaults: {work: ~/work-memory, other: {data: null, roots: [], collections: {a: {path: ~/a}}}}
profile: balanced
directory_context: false
daemon: {mode: auto, idle_minutes: 30, debounce_seconds: 1.5}
sync: {watch: true}
fragments: {words: null, overlap: null}
search:
  scoring: relevance
  min_score: null
  weights: {}
  temporal_decay: true
  half_life_days: {daily: 30}
  mmr: true
  mmr_lambda: 0.8
  expand_dates: true
  expand_synonyms: true
  expand_by_model: false
  synonyms: {}
  stop_words: []
  citations: auto
embedding: {provider: static, model: null, url: null, api_key_env: null, headers: {}, dimensions: null, dialect: null,
            tokens_per_minute: 100000, batch_api: false,
            batch: {wait: true, poll_seconds: 30, timeout_minutes: 1500}, fallback: static, cache_entries: 1000000}
rerank: {provider: none, model: null, url: null, api_key_env: null, headers: {}, dialect: null, windows: 1,
         protect: 0}
llm: {provider: none, model: null, url: null, api_key_env: null, headers: {}, command: null, no_think: false,
      timeout_seconds: 120, tokens_per_day: 500000}
surface: {bootstrap: true, other_projects: false, heartbeats: []}
lifecycle: {archive_after_days: 90, type_overrides: {}, purge_after_days: null, exempt_collections: [], dry_run: true}
capture: {mode: smart, turns: 5, minutes: 15, approve: inferred, conversations: true, keep_days: null,
          exclude: [], patterns: []}
commitments: {decay_days: 90}
truth: {notes: false}
graph: {enrich: auto, semantic_threshold: 0.5}
knowledge: {questions: true, identity: false, summaries: true}
dream: {enabled: true, record: true, at: "03:00", min_score: 0.6, min_signals: 3, min_questions: 2,
        min_confirmations: 2, per_night: 10, max_tokens: 2000}
context:
  window: 200000
  reserve: 20000
  keep_recent: 20000
  summary: 2000
  flush: {enabled: true, soft: 4000, bytes: 2097152, prompt: null, system_prompt: null}
  pruning: {mode: cache-ttl, ttl: 300, keep_last_assistants: 3, allow: [], deny: []}
  reset: {mode: daily, at_hour: 4, idle_minutes: null, by_type: {}, by_channel: {}}
  note_messages: 15
  index_transcripts: false
server: {host: 127.0.0.1, port: 7438, mcp_profile: core}
"""


def test_the_page_and_the_schema_name_the_same_keys_in_the_same_order() -> None:
    assert [row[0] for row in ROWS] == list(leaf_keys())


def test_the_page_states_each_default() -> None:
    defaults = flatten(Config())
    trees = {
        "collections.": CollectionSettings(Path("/x")),
        "vaults.": VaultSettings(),
        "agents.": AgentSettings(),
    }
    for prefix, tree in trees.items():
        defaults |= flatten(tree, f"{prefix}{NAMED}.")
    for key, _, default, _ in ROWS:
        if key == f"vaults.{NAMED}.collections":
            expected = "`{}`"
        elif key == f"collections.{NAMED}.path":
            expected = "required"
        else:
            expected = f"`{show_value(key.replace(NAMED, 'x'), defaults[key])}`"
        assert default == expected, key


def test_the_page_states_each_type() -> None:
    for key, kind, _, _ in ROWS:
        slot = find(key.replace(NAMED, "x"), key)
        if "kind" not in slot:
            continue
        inner = getattr(slot["kind"], "kind", slot["kind"])
        assert kind.endswith("or null") == slot["kind"].optional or "table" in kind, key
        if hasattr(inner, "options"):
            assert kind.removesuffix(" or null").split(", ") == list(inner.options), key
        if hasattr(inner, "low"):
            low, high = kind.removesuffix(" or null").split(" to ")
            assert (float(low), float(high)) == (inner.low, inner.high), key


def test_every_key_mentioned_in_running_text_exists() -> None:
    for key in re.findall(r"(?<=config (?:get|set) )[a-z_.]+", PAGE):
        leaf(key, "docs")
    assert set(re.findall(r"`(HEARTH_[A-Z_]+)`", PAGE)) >= OTHER_VARIABLES


@pytest.mark.parametrize("text", [*re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL), WHOLE])
def test_the_examples_load(write: Callable[..., Path], loaded: Callable[..., Loaded], text: str) -> None:
    write(text)
    assert loaded().config.collections["notes"].update == ("git", "pull")


def test_the_dotenv_example_loads(write: Callable[..., Path], loaded: Callable[..., Loaded]) -> None:
    (text,) = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    write(text, ".env")
    assert loaded().config.search.stop_words == ("foo", "bar")


def test_the_whole_tree_names_every_key_at_its_default(
    write: Callable[..., Path], loaded: Callable[..., Loaded]
) -> None:
    write(WHOLE)
    result = loaded()
    top = [key for key in leaf_keys() if NAMED not in key]
    assert {key for key in result.origins if not key.startswith(("collections.", "vaults."))} == set(top)
    found, defaults = flatten(result.config), flatten(Config())
    assert {key: found[key] for key in top} == {key: defaults[key] for key in top}
