"""``hearth setup openclaw``: the plugin in OpenClaw's settings, and all as before without it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Hearth = Callable[..., Any]

GIVEN = {
    "plain": '{\n  "gateway": { "mode": "local" }\n}\n',
    "its own memory, other plugins, comments": """{
  // mine
  "plugins": {
    "allow": ["telegram"],
    "load": { "paths": ["/opt/plugins/weather"] },
    "slots": { "memory": "memory-core", "contextEngine": "lossless" },
    "entries": {
      "memory-core": { "enabled": true, "config": { "dreaming": { "enabled": true } } },
      "active-memory": { "enabled": true },
    },
  },
  "hooks": { "internal": { "entries": { "session-memory": { "enabled": true } } } },
}
""",
    "one line": '{"plugins":{"slots":{"memory":"none"}}}',
    "carriage returns": '{\r\n\t"plugins": {\r\n\t\t"entries": {}\r\n\t}\r\n}\r\n',
}


@pytest.fixture
def file(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("OPENCLAW_STATE_DIR", "OPENCLAW_CONFIG_PATH"):
        monkeypatch.delenv(name, raising=False)
    folder = home / ".openclaw"
    folder.mkdir()
    return folder / "openclaw.json"


def stripped(text: str) -> str:
    """Without comments and commas before an end."""
    lines = [line for line in text.splitlines() if not line.strip().startswith("//")]
    return re.sub(r",(\s*[}\]])", r"\1", "\n".join(lines))


def plugins(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(stripped(file.read_text("utf-8")))
    return {**found["plugins"], "hooks": found.get("hooks")}


@pytest.mark.parametrize("text", GIVEN.values(), ids=GIVEN)
def test_removing_the_plugin_leaves_the_settings_byte_for_byte_as_before(hearth: Hearth, file: Path, text: str) -> None:
    file.write_bytes(text.encode())
    assert hearth("setup", "openclaw").code == 0
    once = file.read_bytes()
    assert hearth("setup", "openclaw").code == 0 and file.read_bytes() == once
    assert hearth("setup", "openclaw", "--remove").code == 0
    assert file.read_bytes() == text.encode()
    assert [one.name for one in file.parent.iterdir()] == [file.name]


def test_the_plugin_gets_the_slot_and_the_own_memory_of_the_host_is_off(hearth: Hearth, file: Path) -> None:
    file.write_text(GIVEN["its own memory, other plugins, comments"], "utf-8")
    assert hearth("setup", "openclaw").code == 0
    found = plugins(file)
    assert found["slots"] == {"memory": "hearth", "contextEngine": "lossless"}
    assert found["allow"] == ["telegram", "hearth"]
    entries = found["entries"]
    assert entries["memory-core"] == {"enabled": False, "config": {"dreaming": {"enabled": True}}}
    assert entries["active-memory"] == {"enabled": False}
    assert entries["hearth"]["enabled"] is True
    assert entries["hearth"]["hooks"] == {"allowConversationAccess": True, "allowPromptInjection": True}
    assert Path(entries["hearth"]["config"]["command"][0]).is_absolute()
    assert found["hooks"]["internal"]["entries"]["session-memory"]["enabled"] is False
    ours = Path(found["load"]["paths"][-1])
    assert found["load"]["paths"][0] == "/opt/plugins/weather" and (ours / "openclaw.plugin.json").is_file()


def test_settings_that_the_host_wrote_again_get_slots_and_switches_back(hearth: Hearth, file: Path) -> None:
    given = json.loads(GIVEN["one line"]) | {"plugins": {"slots": {"memory": "memory-core"}, "allow": ["a"]}}
    file.write_text(json.dumps(given), "utf-8")
    assert hearth("setup", "openclaw").code == 0
    written = json.loads(file.read_text("utf-8")) | {"meta": {"version": 2}}
    file.write_text(json.dumps(written, indent=4), "utf-8")
    assert hearth("setup", "openclaw", "--remove").code == 0
    assert json.loads(file.read_text("utf-8")) == given | {"meta": {"version": 2}}


def test_a_slot_that_another_plugin_holds_is_left_to_it_unless_it_is_to_be_replaced(hearth: Hearth, file: Path) -> None:
    text = '{"plugins": {"slots": {"memory": "memory-lancedb"}, "entries": {"memory-lancedb": {"enabled": true}}}}'
    file.write_text(text, "utf-8")
    refused = hearth("setup", "openclaw")
    assert refused.code == 4 and "memory-lancedb" in refused.err and file.read_text("utf-8") == text
    assert hearth("setup", "openclaw", "--replace").code == 0
    assert plugins(file)["slots"] == {"memory": "hearth"}
    assert plugins(file)["entries"]["memory-lancedb"] == {"enabled": False}
    assert hearth("setup", "openclaw", "--remove").code == 0 and file.read_text("utf-8") == text


@pytest.mark.parametrize("text", GIVEN.values(), ids=GIVEN)
@pytest.mark.parametrize("first", ["--memory", "--engine", "--both"])
@pytest.mark.parametrize("then", ["--memory", "--engine", "--both"])
def test_every_mode_gives_back_what_it_took(hearth: Hearth, file: Path, text: str, first: str, then: str) -> None:
    text = text.replace(', "contextEngine": "lossless"', "")
    file.write_bytes(text.encode())
    assert hearth("setup", "openclaw", first).code == 0
    assert hearth("setup", "openclaw", then).code == 0
    found = plugins(file)
    assert found["entries"]["hearth"]["config"]["mode"] == then[2:]
    assert (found["slots"].get("contextEngine") == "hearth") == (then != "--memory")
    assert (found["slots"].get("memory") == "hearth") == (then != "--engine")
    switched_off = found["entries"].get("memory-core", {}).get("enabled") is False
    assert switched_off == (then != "--engine")
    once = file.read_bytes()
    assert hearth("setup", "openclaw").code == 0 and file.read_bytes() == once
    assert hearth("setup", "openclaw", "--remove").code == 0
    if first == then:
        assert file.read_bytes() == text.encode()
    else:
        assert json.loads(stripped(file.read_text("utf-8"))) == json.loads(stripped(text))


def test_another_plugins_engine_is_left_alone_by_memory_and_kept_from_the_others(hearth: Hearth, file: Path) -> None:
    text = GIVEN["its own memory, other plugins, comments"]
    file.write_text(text, "utf-8")
    refused = hearth("setup", "openclaw", "--both")
    assert refused.code == 4 and "lossless" in refused.err and file.read_text("utf-8") == text
    assert hearth("setup", "openclaw", "--both", "--replace").code == 0
    assert plugins(file)["slots"] == {"memory": "hearth", "contextEngine": "hearth"}
    assert hearth("setup", "openclaw", "--remove").code == 0 and file.read_text("utf-8") == text
    assert hearth("setup", "openclaw", "--both", "--remove").code == 2


def test_what_a_person_added_to_the_plugins_settings_stays(hearth: Hearth, file: Path) -> None:
    file.write_text(GIVEN["plain"], "utf-8")
    assert hearth("setup", "openclaw").code == 0
    written = json.loads(file.read_text("utf-8"))
    written["plugins"]["entries"]["hearth"]["config"]["agents"] = {"work": {"memory": False}}
    file.write_text(json.dumps(written), "utf-8")
    assert hearth("--vault", "default", "setup", "openclaw").code == 0
    config = plugins(file)["entries"]["hearth"]["config"]
    assert config["agents"] == {"work": {"memory": False}} and config["vault"] == "default"


def test_a_dry_run_shows_the_difference_and_changes_nothing(hearth: Hearth, file: Path) -> None:
    file.write_text(GIVEN["plain"], "utf-8")
    shown = hearth("setup", "openclaw", "--dry-run")
    assert '+      "memory": "hearth"' in shown.out and file.read_text("utf-8") == GIVEN["plain"]
    assert hearth("setup", "openclaw", "--remove", "--dry-run").out.strip().endswith("would stay as it is")


def test_a_file_made_for_the_plugin_goes_with_it(hearth: Hearth, file: Path) -> None:
    assert hearth("setup", "openclaw").code == 0 and file.exists()
    assert hearth("setup", "openclaw", "--remove").code == 0 and not file.exists()


def test_settings_that_are_looser_than_json_stay_and_the_way_by_hand_is_named(hearth: Hearth, file: Path) -> None:
    text = "{ plugins: { slots: { memory: 'memory-core' } } }"
    file.write_text(text, "utf-8")
    refused = hearth("setup", "openclaw")
    assert refused.code != 0 and "docs/openclaw.md" in refused.err and file.read_text("utf-8") == text


def test_something_else_in_the_place_of_a_table_is_named_and_stays(hearth: Hearth, file: Path) -> None:
    text = '{"plugins": {"slots": ["memory-core"]}}'
    file.write_text(text, "utf-8")
    refused = hearth("setup", "openclaw")
    assert refused.code != 0 and "plugins.slots" in refused.err and file.read_text("utf-8") == text


def test_uninstall_takes_the_plugin_out_with_everything_else(hearth: Hearth, file: Path) -> None:
    file.write_text(GIVEN["plain"], "utf-8")
    assert hearth("setup", "openclaw").code == 0
    assert hearth("uninstall", "--yes").code == 0
    assert file.read_text("utf-8") == GIVEN["plain"]


def test_a_backup_that_is_no_json_keeps_nothing_from_being_uninstalled(hearth: Hearth, file: Path) -> None:
    file.write_text(GIVEN["plain"], "utf-8")
    assert hearth("setup", "openclaw").code == 0
    file.with_name(f"{file.name}.before-hearth").write_text("{broken", "utf-8")
    done = hearth("uninstall", "--yes")
    assert done.code == 0 and "took the plugin of OpenClaw out of" in done.out
    assert "hearth" not in file.read_text("utf-8")


@pytest.mark.parametrize(
    "odd", [{"plugins": []}, {"plugins": {"entries": {"hearth": {"config": {"mode": []}}}, "deny": 1}}]
)
def test_doctor_reads_settings_of_an_odd_shape(hearth: Hearth, file: Path, odd: dict[str, Any]) -> None:
    file.write_text(json.dumps(odd), "utf-8")
    found = hearth("doctor", "openclaw")
    assert "openclaw: " in found.out and "unexpected" not in found.err


def test_doctor_says_what_stands_in_the_plugins_way(hearth: Hearth, file: Path) -> None:
    assert "no settings of OpenClaw" in hearth("doctor", "openclaw").out
    file.write_text(GIVEN["plain"], "utf-8")
    assert "the plugin is not in" in hearth("doctor", "openclaw").out
    assert hearth("setup", "openclaw").code == 0
    good = hearth("doctor", "openclaw")
    assert good.code == 0 and good.out.startswith("ok")
    written = json.loads(file.read_text("utf-8"))
    written["plugins"]["entries"]["memory-core"]["enabled"] = True
    written["plugins"]["slots"]["memory"] = "other"
    written["plugins"]["deny"] = ["hearth"]
    file.write_text(json.dumps(written), "utf-8")
    bad = hearth("doctor", "openclaw")
    assert bad.code == 1 and all(
        what in bad.out for what in ("memory-core is on", "plugins.slots.memory", "plugins.deny")
    )
    assert hearth("doctor", "--turn").code == 2
