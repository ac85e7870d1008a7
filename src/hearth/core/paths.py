"""Where Hearth's folders are: configuration, data, cache, state and run time.

Standard library only, and neither ``pathlib``, ``typing`` nor ``dataclasses``: the hook stub imports this module and
each of those costs it milliseconds.
"""

from __future__ import annotations

import os
import sys

from hearth.core.errors import ConfigError, UnsupportedPlatform

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NAMES = ("config", "data", "cache", "state")
HOOKS_LOG = "hooks.log"
"""In ``state``: where hooks write what went wrong."""


class Folders:
    """Absolute folder names as text; none is created here.

    Each vault is a subfolder of ``data`` and of ``cache``. ``state`` holds what belongs to this machine alone;
    ``runtime`` holds sockets.
    """

    __slots__ = ("cache", "config", "data", "runtime", "state")

    def __init__(self, config: str, data: str, cache: str, state: str, runtime: str) -> None:
        self.config = config
        self.data = data
        self.cache = cache
        self.state = state
        self.runtime = runtime

    def _values(self) -> tuple[str, ...]:
        return (self.config, self.data, self.cache, self.state, self.runtime)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Folders) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        return "Folders(config={!r}, data={!r}, cache={!r}, state={!r}, runtime={!r})".format(*self._values())


def folders(environ: Mapping[str, str] | None = None, platform: str = sys.platform) -> Folders:
    """The folders for this environment; an empty variable counts as unset.

    ``HEARTH_CONFIG_DIR``, ``HEARTH_DATA_DIR``, ``HEARTH_CACHE_DIR`` and ``HEARTH_STATE_DIR`` win over the platform's
    standard. Raises ``UnsupportedPlatform`` on native Windows and ``ConfigError`` for a relative folder, or when a
    test run does not name all four.
    """
    environ = os.environ if environ is None else environ
    missing = [variable(name) for name in NAMES if not environ.get(variable(name))]
    if missing and (environ.get("PYTEST_CURRENT_TEST") or "pytest" in sys.modules):
        raise ConfigError(f"a test can't use the real folders: set {', '.join(missing)} to temporary folders")
    return resolve(environ, platform)


def resolve(environ: Mapping[str, str], platform: str) -> Folders:
    """As ``folders``, without the guard against test runs."""
    if platform == "win32":
        raise UnsupportedPlatform("Hearth does not run on native Windows: install and run it inside WSL2")
    standard = _macos(environ) if platform == "darwin" else _xdg(environ)
    found = {
        name: absolute(value, variable(name), environ) if (value := environ.get(variable(name))) else f"{base}/hearth"
        for name, base in zip(NAMES, standard, strict=True)
    }
    runtime = _xdg_value(environ, "XDG_RUNTIME_DIR") or f"/tmp/hearth-{os.getuid()}"
    return Folders(**found, runtime=runtime)


def variable(name: str) -> str:
    return f"HEARTH_{name.upper()}_DIR"


def home(environ: Mapping[str, str]) -> str:
    """The home folder: ``HOME``, else the account's; a relative ``HOME`` counts as unset."""
    value = environ.get("HOME", "")
    if not value.startswith("/"):
        import pwd

        try:
            value = pwd.getpwuid(os.getuid()).pw_dir
        except KeyError:
            raise ConfigError("this account has no home folder: set HOME") from None
    return value.rstrip("/") or "/"


def expand(value: str, home_folder: str) -> str | None:
    """``value`` with a leading ``~`` replaced, or None where that is not an absolute folder."""
    if value == "~" or value.startswith("~/"):
        value = home_folder.rstrip("/") + value[1:] or "/"
    elif not value.startswith("/"):
        return None
    return value.rstrip("/") or "/"


def absolute(value: str, name: str, environ: Mapping[str, str]) -> str:
    """``value`` as an absolute folder; ``name`` is the variable that the error mentions."""
    found = expand(value, home(environ))
    if found is None:
        raise ConfigError(f"{name} must be an absolute folder or start with ~/, not {value!r}")
    return found


def _xdg_value(environ: Mapping[str, str], name: str) -> str | None:
    """The XDG Base Directory Specification (0.8) has relative values ignored."""
    value = environ.get(name, "")
    return (value.rstrip("/") or "/") if value.startswith("/") else None


def _xdg(environ: Mapping[str, str]) -> tuple[str, str, str, str]:
    def base(name: str, default: str) -> str:
        return (_xdg_value(environ, name) or f"{home(environ)}/{default}").rstrip("/")

    return (
        base("XDG_CONFIG_HOME", ".config"),
        base("XDG_DATA_HOME", ".local/share"),
        base("XDG_CACHE_HOME", ".cache"),
        base("XDG_STATE_HOME", ".local/state"),
    )


def _macos(environ: Mapping[str, str]) -> tuple[str, str, str, str]:
    """XDG variables are not read: a program started from the Dock lacks the shell's, and would find other folders."""
    library = f"{home(environ).rstrip('/')}/Library"
    support = f"{library}/Application Support"
    return (support, support, f"{library}/Caches", support)


_PACKAGE = "hearth-memory"
_UV_SOURCES = ("directory", "editable", "path", "url", "git")
_RECEIPTS = {"uv": "uv-receipt.toml", "pipx": "pipx_metadata.json"}


def install_command(extra: str) -> str:
    """How to add an extra to this Hearth, by the program that installed it. uv and pipx install anew, so the extras
    that are there are named again, and the folder or address that it came from, without its credentials."""
    installer = _installer(sys.prefix)
    how = {"uv": "uv tool install", "pipx": "pipx install --force", "pip": "pip install"}[installer]
    source, extras = _read_receipt(sys.prefix, installer)
    named = f"[{','.join(dict.fromkeys((*extras, extra)))}]"
    what = f"{_PACKAGE}{named} @ {_hide(source)}" if "://" in source else f"{source or _PACKAGE}{named}"
    return f"{how} '{what}'"


def _hide(address: str) -> str:
    """The address with ``CREDENTIALS`` where they stand: as its user, but for that of ssh alone, or as its query."""
    scheme, _, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    user, at, name = host.rpartition("@")
    if at and (":" in user or not scheme.endswith("ssh")):
        host = f"CREDENTIALS@{name}"
    place, asked, query = path.partition("?")
    _, mark, fragment = query.partition("#")
    return f"{scheme}://{host}{slash}{place}" + (f"?CREDENTIALS{mark}{fragment}" if asked else "")


def _read_receipt(prefix: str, installer: str) -> tuple[str, list[str]]:
    """The folder, file or address that Hearth was installed from, empty for a package index, and with which extras, as
    uv or pipx noted it."""
    try:
        with open(os.path.join(prefix, _RECEIPTS.get(installer, "")), encoding="utf-8") as file:  # noqa: PTH118, PTH123
            text = file.read()
        return _read_pipx(text) if installer == "pipx" else _read_uv(text)
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return "", []


def _read_pipx(text: str) -> tuple[str, list[str]]:
    import json

    named = json.loads(text)["main_package"]["package_or_url"]
    # A name, perhaps with a version or an address behind it; else a folder or an address.
    head, _, source = named.partition("@") if named.startswith(_PACKAGE) else (named, "", named)
    extras = head.partition("[")[2].partition("]")[0].split(",")
    return source.strip().partition("[")[0], [name.strip() for name in extras if name.strip()]


def _read_uv(text: str) -> tuple[str, list[str]]:
    import tomllib

    there = tomllib.loads(text)["tool"]["requirements"]
    ours: dict[str, Any] = next((one for one in there if one["name"] == _PACKAGE), {})
    source = next((ours[key] for key in _UV_SOURCES if key in ours), "")
    if "git" in ours:
        address, _, query = source.partition("#")[0].partition("?")
        source = f"git+{address}" + (f"@{query.partition('=')[2]}" if query else "")
    return source, ours.get("extras", [])


def uninstall_command() -> str:
    """How to remove the program itself."""
    pip = os.path.join(os.path.dirname(sys.executable), "pip")  # noqa: PTH118, PTH120
    how = {"uv": "uv tool uninstall", "pipx": "pipx uninstall", "pip": f"{pip} uninstall"}[_installer(sys.prefix)]
    return f"{how} {_PACKAGE}"


def _installer(prefix: str) -> str:
    """By the file that uv and pipx leave in an environment of their own; neither has a pip for it."""
    for name, file in _RECEIPTS.items():
        if os.path.isfile(os.path.join(prefix, file)):  # noqa: PTH113, PTH118
            return name
    return "pip"
