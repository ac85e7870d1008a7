"""Our plugins for OpenCode and Hermes, with a script in place of the hook."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hearth.core.errors import UsageError
from hearth.core.hook import HookReply, PromptSubmitted, ToolFailed, TurnEnded
from hearth.hosts import dialect

ROOT = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())
HOOK = """\
import json, pathlib, sys
event = json.load(sys.stdin)
with open(pathlib.Path(__file__).with_name("asked.jsonl"), "a") as log:
    log.write(json.dumps([sys.argv[1], event]) + "\\n")
if sys.argv[1] in ("context-surfacing", "session-bootstrap", "postcompact-inject", "failure-inject"):
    print(f"<vault-context>\\n{sys.argv[1]}\\n</vault-context>")
"""
SAID = [{"role": "user", "content": "Label the jars"}, {"role": "assistant", "content": "Labelled."}]


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "stub.py").write_text(HOOK, encoding="utf-8")
    return {"python": sys.executable, "stub": str(tmp_path / "stub.py"), "env": {}}


@pytest.fixture
def asked(tmp_path: Path) -> Callable[[], list[tuple[str, dict[str, Any]]]]:
    """What reached the hook so far."""

    def read() -> list[tuple[str, dict[str, Any]]]:
        log = tmp_path / "asked.jsonl"
        return [tuple(json.loads(line)) for line in log.read_text("utf-8").splitlines()] if log.exists() else []

    return read


Asked = Callable[[], list[tuple[str, dict[str, Any]]]]


@pytest.fixture
def hermes(settings: dict[str, Any]) -> Any:
    """The provider in a session of the main agent at a terminal."""
    file = ROOT / "integrations" / "hermes" / "provider.py"
    spec = importlib.util.spec_from_file_location("hearth_provider", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = module.Hearth(settings)
    found.initialize("s1", platform="cli", agent_context="primary", hermes_home="/h")
    return found


def turns(asked: Asked) -> list[list[str]]:
    return [[one["text"] for one in event["turns"]] for hook, event in asked() if hook == "feedback-loop"]


def test_hermes_recalls_for_this_turn_and_asks_once_in_it(hermes: Any, asked: Asked) -> None:
    assert hermes.is_available() and hermes.name == "hearth" and hermes.get_tool_schemas() == []
    assert "session-bootstrap" in hermes.system_prompt_block() == hermes.system_prompt_block()
    assert "context-surfacing" in hermes.prefetch("Which jars?") == hermes.prefetch("Which jars?")
    assert [hook for hook, _ in asked()] == ["session-bootstrap", "context-surfacing"]
    prompt = asked()[1][1]
    event = dialect("hermes").read("context-surfacing", prompt, {})
    assert isinstance(event, PromptSubmitted) and event.by_person and not event.shared
    assert (event.prompt, event.session, event.cwd) == ("Which jars?", "s1", str(Path.cwd()))


def test_a_turn_of_hermes_is_kept_once_whichever_comes_first(hermes: Any, asked: Asked) -> None:
    hermes.prefetch("Label the jars")
    hermes.on_session_end(SAID)
    hermes.sync_turn("Label the jars", "Labelled.", session_id="s1", messages=SAID)
    assert turns(asked) == [["Label the jars", "Labelled."]]
    event = dialect("hermes").read("feedback-loop", asked()[1][1], {})
    assert isinstance(event, TurnEnded) and event.turn and event.reply == "Labelled."


def test_hermes_keeps_the_same_words_twice_where_they_were_said_twice(hermes: Any, asked: Asked) -> None:
    for _ in range(2):
        hermes.prefetch("Label the jars")
        hermes.sync_turn("Label the jars", "Labelled.")
    hermes.on_session_end([*SAID, *SAID])
    assert turns(asked) == [["Label the jars", "Labelled."]] * 2
    assert len({event["turn_id"] for hook, event in asked() if hook == "feedback-loop"}) == 2


def test_a_version_of_hermes_that_never_syncs_is_captured_at_its_end(hermes: Any, asked: Asked) -> None:
    hermes.prefetch("Which jars?")
    wrapped = "Which jars?\n\n<memory-context>\nours\n</memory-context>"
    earlier = [{"role": "user", "content": "Of another day"}, {"role": "assistant", "content": "Yes."}]
    now = [{"role": "user", "content": [{"type": "text", "text": wrapped}]}, {"role": "assistant", "content": "Blue."}]
    hermes.on_session_end([*earlier, *now])
    assert turns(asked) == [["Which jars?", "Blue."]]


@pytest.mark.parametrize("context", ["subagent", "cron", "flush"])
def test_only_the_main_agent_of_hermes_recalls_and_writes(hermes: Any, asked: Asked, context: str) -> None:
    hermes.initialize("s2", platform="cli", agent_context=context)
    assert hermes.system_prompt_block() == hermes.prefetch("Which jars?") == ""
    hermes.sync_turn("Label the jars", "Labelled.")
    hermes.on_session_end(SAID)
    assert asked() == []


def test_a_chat_of_hermes_is_private_only_where_the_host_says_so(hermes: Any, asked: Asked) -> None:
    for given in ({"platform": "telegram"}, {"platform": "telegram", "chat_type": "group"}, {"chat_type": "dm"}):
        hermes.initialize("s2", **{"platform": "telegram", **given})
        hermes.prefetch("Which jars?")
    assert [event["private"] for _, event in asked()] == [False, False, True]


def test_hermes_goes_on_where_hearth_is_gone_or_fails(hermes: Any, settings: dict[str, Any]) -> None:
    Path(settings["stub"]).write_text("raise SystemExit(3)\n", encoding="utf-8")
    assert hermes.prefetch("Which jars?") == ""
    settings["python"] = "/nowhere/python"
    assert not hermes.is_available() and hermes.prefetch("What else?") == ""
    hermes.sync_turn("a", "b")


NODE = shutil.which("node")
DRIVE = """\
import { connect } from %s
const messages = JSON.parse(process.env.MESSAGES)
const get = async ({ path }) => ({ data: path.id === "ses_3" ? { id: path.id, parentID: "ses_1" } : { id: path.id } })
const client = { session: { messages: async () => ({ data: messages }), get } }
const hooks = await connect(JSON.parse(process.env.SETTINGS))({ client, directory: "/home/ana/larder" })
await hooks.event({ event: { type: "session.created", properties: { info: { id: "ses_2", parentID: "ses_1" } } } })
const seen = {}
// The third is of an earlier process.
for (const session of ["ses_1", "ses_2", "ses_3"]) {
  const message = { message: { id: "msg_1" }, parts: [{ type: "text", text: '"Which jars?"' }] }
  await hooks["chat.message"]({ sessionID: session }, message)
  const system = { system: ["base"] }
  await hooks["experimental.chat.system.transform"]({ sessionID: session }, system)
  const failed = { output: "No such file", metadata: { exit: 2 } }, fine = { output: "ok", metadata: { exit: 0 } }
  for (const output of [failed, fine])
    await hooks["tool.execute.after"]({ tool: "bash", sessionID: session, args: { command: "ls x" } }, output)
  await hooks.event({ event: { type: "session.idle", properties: { sessionID: session } } })
  seen[session] = { parts: message.parts, system: system.system, failed: failed.output, fine: fine.output }
}
await hooks.event({ event: { type: "session.compacted", properties: { sessionID: "ses_1" } } })
const again = { system: [] }
await hooks["experimental.chat.system.transform"]({ sessionID: "ses_1" }, again)
await hooks.dispose()
console.log(JSON.stringify({ ...seen, again: again.system }))
"""


@pytest.mark.skipif(NODE is None, reason="there is no Node")
def test_opencode_gets_each_block_where_the_model_reads_it(
    tmp_path: Path, settings: dict[str, Any], asked: Asked
) -> None:
    def message(number: int, role: str, *parts: str) -> dict[str, Any]:
        shown: list[dict[str, Any]] = [{"type": "text", "text": text, "synthetic": text == "ours"} for text in parts]
        return {"info": {"id": f"msg_{number}", "role": role, "time": {"created": number}}, "parts": shown}

    messages = [
        message(0, "user", "Earlier"),
        message(1, "user", "Which jars?", "ours"),
        message(2, "assistant", "Blue."),
    ]
    plugin = (ROOT / "integrations" / "opencode" / "hearth.js").as_uri()
    (tmp_path / "drive.mjs").write_text(DRIVE % json.dumps(plugin), encoding="utf-8")
    environ = {"SETTINGS": json.dumps(settings), "MESSAGES": json.dumps(messages), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [NODE or "node", tmp_path / "drive.mjs"], env=environ, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    block = "<vault-context>\n{}\n</vault-context>"
    main = seen["ses_1"]
    assert main["system"] == ["base", block.format("session-bootstrap")]
    assert main["parts"][1]["text"] == block.format("context-surfacing") and main["parts"][1]["synthetic"]
    assert main["failed"] == "No such file\n\n" + block.format("failure-inject") and main["fine"] == "ok"
    assert seen["again"] == [block.format("postcompact-inject")]
    for child in (seen["ses_2"], seen["ses_3"]):
        assert (child["system"], len(child["parts"]), child["failed"]) == (["base"], 1, "No such file")
    events = dict(asked())
    assert events["context-surfacing"]["prompt"] == "Which jars?"
    said = [(one["role"], one["text"]) for one in events["feedback-loop"]["turns"]]
    assert said == [("user", "Which jars?"), ("assistant", "Blue.")]
    assert set(events) == {
        "context-surfacing", "session-bootstrap", "failure-inject", "feedback-loop", "postcompact-inject", "session-end"
    }  # fmt: skip
    failure = dialect("opencode").read("failure-inject", events["failure-inject"], {})
    assert isinstance(failure, ToolFailed) and (failure.command, failure.error) == ("ls x", "No such file")


def test_a_plugin_gets_text_alone_and_nothing_where_nobody_reads() -> None:
    for name in ("opencode", "hermes"):
        said = dialect(name)
        assert said.render("context-surfacing", HookReply("block")) == "block"
        assert said.render("feedback-loop", HookReply("block")) == said.render("context-surfacing", HookReply()) == ""
        with pytest.raises(UsageError, match="no event for the hook pretool-inject"):
            said.read("pretool-inject", {"session_id": "s"}, {})
