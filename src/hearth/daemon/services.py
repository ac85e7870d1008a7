"""The files by which systemd and launchd start the daemon and look at the folders once a day. Pure."""

from __future__ import annotations

import plistlib
from collections.abc import Mapping, Sequence

DAEMON = "hearth.service"
EMBED = "hearth-embed.service"
TIMER = "hearth-embed.timer"
AGENT = "io.hearth.daemon"
EMBED_AGENT = "io.hearth.embed"
# Without -P, files of the working folder would stand in for the library's modules.
_MODULE = ("-P", "-m", "hearth")
# When the machine is likely on and not at work.
_HOUR = 13


def systemd(python: str, environ: Mapping[str, str], vaults: Sequence[str]) -> dict[str, str]:
    """Unit file -> text, per systemd.service(5), systemd.timer(5) and systemd.exec(5)."""
    settings = "".join(f"Environment={_quote(f'{name}={value}')}\n" for name, value in sorted(environ.items()))
    serve = _command([python, *_MODULE, "daemon", "run", "--stay"])
    embeds = "".join(f"ExecStart={_command([python, *_MODULE, '--vault', v, 'update', '--embed'])}\n" for v in vaults)
    return {
        DAEMON: (
            "[Unit]\nDescription=Hearth, memory for AI agents\n\n"
            f"[Service]\nExecStart={serve}\n{settings}Restart=on-failure\nRestartSec=5\nTimeoutStopSec=20\n\n"
            "[Install]\nWantedBy=default.target\n"
        ),
        EMBED: (
            "[Unit]\nDescription=Hearth, notes and vectors that are new\n\n"
            f"[Service]\nType=oneshot\n{embeds}{settings}Nice=15\n"
        ),
        TIMER: (
            "[Unit]\nDescription=Hearth, notes and vectors that are new, once a day\n\n"
            "[Timer]\nOnCalendar=daily\nRandomizedDelaySec=1h\nPersistent=true\n\n"
            "[Install]\nWantedBy=timers.target\n"
        ),
    }


def _command(words: Sequence[str]) -> str:
    return " ".join(_quote(word).replace("$", "$$") for word in words)


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("\n", "\\n")
    return f'"{escaped}"'


def launchd(python: str, environ: Mapping[str, str], vaults: Sequence[str]) -> dict[str, str]:
    """Property list file -> text, per launchd.plist(5). One job runs one command, so each vault has its own."""
    shared = {"EnvironmentVariables": dict(environ), "ProcessType": "Background"}
    agents = {
        AGENT: {
            "ProgramArguments": [python, *_MODULE, "daemon", "run", "--stay"],
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
        }
    }
    for vault in vaults:
        agents[f"{EMBED_AGENT}.{vault}"] = {
            "ProgramArguments": [python, *_MODULE, "--vault", vault, "update", "--embed"],
            "StartCalendarInterval": {"Hour": _HOUR, "Minute": 0},
            "Nice": 15,
        }
    return {
        f"{label}.plist": plistlib.dumps({"Label": label, **agent, **shared}).decode("utf-8")
        for label, agent in agents.items()
    }
