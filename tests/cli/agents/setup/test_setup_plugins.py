"""``hearth setup opencode`` and ``hermes``: files of ours in, and out again byte for byte."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

Hearth = Callable[..., Any]

CONFIG = "# mine\nmodel:\n  default: m  # cheap\nmemory:\n    memory_enabled: true\n    provider: ''\n"


@pytest.fixture
def hermes(home: Path) -> Path:
    file = home / ".hermes" / "config.yaml"
    file.parent.mkdir()
    file.write_text(CONFIG, encoding="utf-8")
    return file


def everything(home: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in home.rglob("*") if file.is_file()}


def test_opencode_loads_one_file_that_names_this_hearth(hearth: Hearth, home: Path) -> None:
    file = home / ".config" / "opencode" / "plugin" / "hearth.js"
    shown = hearth("setup", "opencode", "--dry-run")
    assert "+export const Hearth = connect(" in shown.out and not file.exists()
    assert hearth("setup", "opencode").code == 0
    text = file.read_text("utf-8")
    assert "integrations/opencode/hearth.js" in text and "hearth/stub.py" in text and "HEARTH_DATA_DIR" in text
    assert "nothing to change" in hearth("setup", "opencode").out
    assert hearth("setup", "opencode", "--remove").code == 0
    assert not file.exists()


def test_hermes_gets_the_provider_and_remembers_nothing_of_it_afterwards(
    hearth: Hearth, home: Path, hermes: Path
) -> None:
    before = everything(home)
    assert hearth("setup", "hermes", "--dry-run").code == 0 and everything(home) == before
    assert hearth("setup", "hermes").code == 0
    assert hearth("setup", "mcp", "--client", "hermes").code == 0
    found = yaml.safe_load(hermes.read_text("utf-8"))
    assert found["memory"] == {"memory_enabled": True, "provider": "hearth"}
    assert found["mcp_servers"]["hearth"]["args"][-1] == "mcp" and found["model"] == {"default": "m"}
    plugin = hermes.parent / "plugins" / "hearth"
    assert "register_memory_provider" in (plugin / "__init__.py").read_text("utf-8")
    assert yaml.safe_load((plugin / "plugin.yaml").read_text("utf-8"))["name"] == "hearth"
    assert hearth("setup", "hermes", "--remove").code == 0
    assert everything(home) == before


def test_another_memory_of_hermes_keeps_its_place(hearth: Hearth, home: Path, hermes: Path) -> None:
    hermes.write_text(CONFIG.replace("''", "honcho"), encoding="utf-8")
    before = everything(home)
    result = hearth("setup", "hermes")
    assert result.code == 4 and "memory.provider belongs to another program" in result.err
    assert everything(home) == before
    assert hearth("setup", "hermes", "--remove").code == 0 and everything(home) == before


def test_uninstall_takes_the_plugins_out(hearth: Hearth, home: Path, hermes: Path) -> None:
    before = everything(home)
    for name in ("hermes", "opencode"):
        assert hearth("setup", name).code == 0
    assert "would take the plugin of OpenCode out of" in hearth("uninstall").out
    assert hearth("uninstall", "--yes").code == 0
    assert everything(home) == before
