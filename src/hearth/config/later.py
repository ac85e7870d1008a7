"""Settings whose feature is not there yet: refused, so that none is set in the belief that it acts."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

from hearth.config.load import Loaded
from hearth.config.schema import flatten
from hearth.config.tree import Collection, Config
from hearth.errors import ConfigError

# Patterns over dotted keys; ``docs/config.md`` lists the same.
LATER = (
    "llm.*",
    "*collections.*.directory_context",
    "*collections.*.capture",
    "*collections.*.auto_embed",
)


def refuse(loaded: Loaded) -> None:
    """Raises ``ConfigError`` naming the first setting that differs from its default and would have no effect."""
    values, defaults = flatten(loaded.config), flatten(Config())
    for key, place in loaded.origins.items():
        if any(fnmatchcase(key, pattern) for pattern in LATER) and values.get(key) != _default(key, defaults):
            raise ConfigError(f"{place}: {key} has no effect in this version of Hearth; remove it")


def refuse_value(key: str, value: object) -> None:
    """Raises ``ConfigError`` where setting ``key`` to ``value`` would have no effect."""
    if any(fnmatchcase(key, pattern) for pattern in LATER) and value != _default(key, flatten(Config())):
        raise ConfigError(f"{key} has no effect in this version of Hearth; it was left as it is")


def _default(key: str, defaults: dict[str, object]) -> object:
    if "collections." in key:
        return getattr(Collection(path=Path()), key.rsplit(".", 1)[-1], None)
    return defaults.get(key)
