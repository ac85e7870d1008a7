"""One event answered: the right vault, the host's own form, and nothing but a log line when it goes wrong."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hearth.config import Config, VaultSettings
from hearth.core.errors import NotFound, Unavailable
from hearth.core.files import MAX_BYTES, MAX_LINE, Log
from hearth.core.hook import Handled, HookEvent, HookReply
from hearth.hook import Answered, Fallback, answer, log_of, vault_name


class Recorder:
    """Hooks that note what they are asked."""

    def __init__(self, reply: HookReply | Exception, after: Callable[[], None] = lambda: None) -> None:
        self.reply = reply
        self.after = after
        self.asked: list[tuple[str, HookEvent, int, str]] = []

    def answer(self, name: str, event: HookEvent, deadline_ms: int, profile: str) -> Handled:
        self.asked.append((name, event, deadline_ms, profile))
        if isinstance(self.reply, Exception):
            raise self.reply
        return Handled(self.reply, self.after)


class Pool:
    """Vaults by name."""

    def __init__(self, environ: dict[str, str], config: Config | None = None, **vaults: Recorder) -> None:
        self._config = config or Config()
        self.failures = log_of(environ)
        self.vaults = vaults
        self.using = 0

    def config(self, environ: Mapping[str, str]) -> Config:
        return self._config

    def profile(self, environ: Mapping[str, str]) -> str:
        return "deep"

    @contextmanager
    def use(self, name: str, deadline: float) -> Iterator[Recorder]:
        if name not in self.vaults:
            raise NotFound(f"there is no vault {name!r}")
        self.using += 1
        yield self.vaults[name]
        self.using -= 1


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    folders = {f"HEARTH_{name.upper()}_DIR": str(tmp_path / name) for name in ("config", "data", "cache", "state")}
    return folders | {"HOME": str(tmp_path)}


def raw(prompt: str = "what did we decide?", **more: Any) -> str:
    event = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "cwd": "/work/app/src", "prompt": prompt}
    return json.dumps(event | more)


def ask(pool: Pool, environ: dict[str, str], text: str, host: str = "claude-code", left: float = 5) -> Answered:
    return answer("context-surfacing", host, text, environ, time.monotonic() + left, pool)


def test_a_reply_is_rendered_in_the_dialect_of_the_host(environ: dict[str, str]) -> None:
    vault = Recorder(HookReply("<vault-context>x</vault-context>"))
    found = ask(Pool(environ, default=vault), environ, raw())
    assert json.loads(found.output)["hookSpecificOutput"] == {
        "hookEventName": "UserPromptSubmit",
        "additionalContext": "<vault-context>x</vault-context>",
    }
    name, event, deadline_ms, profile = vault.asked[0]
    assert (name, event.session, event.cwd, profile) == ("context-surfacing", "s", "/work/app/src", "deep")
    assert 4_000 < deadline_ms <= 5_000


def test_the_host_is_found_out_where_none_is_named(environ: dict[str, str]) -> None:
    vault = Recorder(HookReply())
    found = answer("feedback-loop", "auto", raw(turn_id="t", hook_event_name="Stop"), environ, time.monotonic() + 100,
                   Pool(environ, default=vault))  # fmt: skip
    assert found.output == "{}"
    assert vault.asked[0][1].host == "codex"


@pytest.mark.parametrize(
    ("cwd", "named", "vault"),
    [
        ("{root}/work/app", "", "work"),
        ("{root}/work/app/secret/x", "", "secret"),
        ("{root}/workshop", "", "default"),
        ("{root}/link/app", "", "work"),
        (None, "", "default"),
        ("{root}/work", "secret", "secret"),
    ],
)
def test_the_vault_is_that_with_the_longest_root_above_the_project(
    tmp_path: Path, cwd: str | None, named: str, vault: str
) -> None:
    (tmp_path / "work" / "app").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "work")
    roots = {
        "work": VaultSettings(roots=(tmp_path / "work",)),
        "secret": VaultSettings(roots=(tmp_path / "work" / "app" / "secret",)),
    }
    config = Config(vaults={"default": VaultSettings(), **roots})
    place = cwd and cwd.format(root=tmp_path)
    assert vault_name(place, {"HEARTH_VAULT": named}, config) == vault


def test_an_event_that_names_no_folder_is_of_the_one_where_the_hook_runs(
    environ: dict[str, str], tmp_path: Path
) -> None:
    config = Config(vaults={"default": VaultSettings(), "work": VaultSettings(roots=(tmp_path,))})
    work = Recorder(HookReply("from work"))
    pool = Pool(environ, config, default=Recorder(HookReply("other")), work=work)
    found = ask(pool, environ | {"PWD": str(tmp_path / "app")}, raw(cwd=None))
    assert "from work" in found.output


def test_roots_in_the_settings_file_steer_a_real_hook(indexed_home: Any) -> None:
    """Two vaults hold different notes; the project decides which of them answers."""
    work = indexed_home.folder / "worknotes"
    work.mkdir()
    text = "# Larder\n\nAt work the larder runs on CockroachDB, chosen over PostgreSQL because of the regions.\n"
    (work / "larder.md").write_text(text, encoding="utf-8")
    root = indexed_home.folder / "projects" / "work"
    root.mkdir(parents=True)
    indexed_home.configure(f"vaults: {{work: {{roots: [{root}], collections: {{w: {{path: {work}}}}}}}}}\n")
    assert indexed_home.hearth("--vault", "work", "update").code == 0
    question = "Why was PostgreSQL chosen or not chosen for the larder?"
    never = {"HEARTH_DAEMON_MODE": "never"}
    inside = indexed_home.patient_stub(indexed_home.prompt(question, cwd=str(root)), never)
    outside = indexed_home.patient_stub(indexed_home.prompt(question, cwd="/"), never)
    assert "CockroachDB" in inside.context and "joins matter" not in inside.context
    assert "joins matter" in outside.context and "CockroachDB" not in outside.context


@pytest.mark.parametrize(
    "text", ["", "nonsense", "[]", "{}", json.dumps({"session_id": "s", "hook_event_name": "Stop"})]
)
def test_what_is_no_event_of_the_hook_is_logged_and_answered_with_nothing(environ: dict[str, str], text: str) -> None:
    vault = Recorder(HookReply("never"))
    found = ask(Pool(environ, default=vault), environ, text)
    assert found.output == "" and found.reason
    assert vault.asked == []
    assert "context-surfacing" in log_of(environ).last(1)[0]


def test_an_unknown_host_hook_or_vault_is_answered_with_nothing(environ: dict[str, str]) -> None:
    pool = Pool(environ, default=Recorder(HookReply("x")))
    assert ask(pool, environ, raw(), host="emacs").output == ""
    assert answer("no-such", "codex", raw(), environ, time.monotonic() + 100, pool).output == ""
    assert ask(pool, environ | {"HEARTH_VAULT": "gone"}, raw()).reason == "there is no vault 'gone'"


@pytest.mark.parametrize(
    "error", [Unavailable("the index is away"), RuntimeError("bug"), RecursionError(), KeyError("x")]
)
def test_a_failing_vault_is_logged_and_answered_with_nothing(environ: dict[str, str], error: Exception) -> None:
    found = ask(Pool(environ, default=Recorder(error)), environ, raw())
    assert found.output == ""
    line = log_of(environ).last(1)[0]
    assert type(error).__name__ in line and "test_hook.py:" in line


def test_a_prompt_never_gets_into_the_log_by_way_of_an_unexpected_error(environ: dict[str, str]) -> None:
    ask(Pool(environ, default=Recorder(ValueError("my secret prompt"))), environ, raw("my secret prompt"))
    assert "secret prompt" not in log_of(environ).file.read_text(encoding="utf-8")


def test_secrets_never_get_into_the_log(environ: dict[str, str]) -> None:
    key = "ghp_" + "x7Kq2LmZ9RtB4vNc8WdY1pHs6JfG3aUe5TiO"
    ask(Pool(environ, default=Recorder(Unavailable(f"can't use {key}"))), environ, raw())
    assert key not in log_of(environ).file.read_text(encoding="utf-8")


def test_what_follows_the_reply_is_logged_where_it_fails(environ: dict[str, str]) -> None:
    def fail() -> None:
        raise Unavailable("the journal is full")

    found = ask(Pool(environ, default=Recorder(HookReply("x"), fail)), environ, raw())
    assert log_of(environ).last(1) == []
    found.after()
    assert "the journal is full" in log_of(environ).last(1)[0]


def test_without_time_the_vault_is_not_asked(environ: dict[str, str]) -> None:
    vault = Recorder(HookReply("x"))
    assert ask(Pool(environ, default=vault), environ, raw(), left=0).output == ""
    assert vault.asked == [] and "no time was left" in log_of(environ).last(1)[0]


def test_a_lone_hook_takes_the_cheapest_profile(environ: dict[str, str]) -> None:
    assert Fallback(environ).profile(environ) == "speed"


def test_a_log_is_bounded_and_keeps_the_newest(tmp_path: Path) -> None:
    log = Log(tmp_path / "deep" / "x.log", lambda text: text)
    for number in range(3_000):
        log.write(f"{number} " + "y\n" * 400)
    assert log.file.stat().st_size <= MAX_BYTES + MAX_LINE + 100
    assert sum(file.stat().st_size for file in log.file.parent.iterdir()) <= 2 * (MAX_BYTES + MAX_LINE + 100)
    assert " 2999 " in log.last(1)[0]


def test_a_log_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    log = Log(tmp_path / "file" / "x.log", lambda text: text)
    log.write("lost")
    assert log.last(5) == []
