"""The key, kept out of everything that can be read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NoReturn

from hearth.errors import ConfigError, Unavailable
from hearth.lazy import regex

_SENDABLE = regex(r"[\x21-\x7e]+")
_NAME = regex(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_VALUE = regex(r"[\x20-\x7e]*")
# What these say is decided by the body that is sent.
_OURS = frozenset({"content-length", "content-encoding", "transfer-encoding", "accept-encoding", "connection", "host"})
_SHORTEST_SECRET = 6
_HIDDEN = "[hidden]"


class Key:
    """A key and the variable it came from; only the variable is ever shown."""

    __slots__ = ("__value", "variable")

    def __init__(self, value: str | None, variable: str | None) -> None:
        self.__value = (value or "").strip()
        self.variable = variable

    def __repr__(self) -> str:
        return f"Key({self.variable})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a key is not written anywhere")

    def reveal(self) -> str:
        """The key for a header, empty where none is set. Raises ``Unavailable`` that names the variable."""
        if self.variable and not self.__value:
            raise Unavailable(f"{self.variable} is not set; put the key of the model server into that variable")
        if self.__value and not _SENDABLE.fullmatch(self.__value):
            raise Unavailable(f"{self.variable or 'the key'} holds blanks or signs that no key has; set it anew")
        return self.__value

    def hide(self, text: str) -> str:
        return _hide(text, self.__value)


class Headers(Mapping[str, str]):
    """Headers of the settings, whose values may be secrets too: shown are their names."""

    def __init__(self, given: Mapping[str, str], setting: str) -> None:
        """Raises ``ConfigError`` for a header that can't be sent or isn't the user's to set."""
        for name, value in given.items():
            if not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
                raise ConfigError(f"{setting}[{name!r}] can't be sent as a header; use printable ASCII")
            if name.lower() in _OURS:
                raise ConfigError(f"{setting}[{name!r}] is set by Hearth itself; remove it")
        self.__given = {name.lower(): value for name, value in given.items()}

    def __repr__(self) -> str:
        return f"Headers({', '.join(self.__given)})"

    def __getitem__(self, name: str) -> str:
        return self.__given[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.__given)

    def __len__(self) -> int:
        return len(self.__given)

    def hide(self, text: str) -> str:
        for value in self.__given.values():
            for part in {value, value.rpartition(" ")[2]}:
                text = _hide(text, part)
        return text


def _hide(text: str, secret: str) -> str:
    return text.replace(secret, _HIDDEN) if len(secret) >= _SHORTEST_SECRET else text
