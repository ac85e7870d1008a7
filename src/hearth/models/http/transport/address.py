"""From the address in the settings to the one that is called."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import SplitResult, urlsplit

from hearth.errors import ConfigError
from hearth.lazy import dataclass, regex

_VERSION = regex(r"/v[0-9]+(?:(?:alpha|beta)[0-9]*)?(?=/|$)")
_PORTS = {"http": ":80", "https": ":443"}


@dataclass(frozen=True, slots=True)
class ModelAddress:
    """``url`` is called, ``root`` is what it shares with its neighbours (files and batches of the same service),
    ``query`` goes with each. ``shown`` is host and path: what messages and fingerprints hold."""

    root: str
    url: str
    query: str
    shown: str
    loopback: bool

    def beside(self, route: str) -> str:
        """Another route of the same service."""
        return f"{self.root}/{route}" + (f"?{self.query}" if self.query else "")


def resolve(base: str, version: str, route: str) -> ModelAddress:
    """The address of ``route`` below ``base``, however much of it the base holds already.

    A base that names a version anywhere (``/api/v1``, ``/v1/openai``) or the whole route is taken as it is; any other
    gets ``version`` first. An empty ``version`` means a route beside the versions, so one at the base's end goes.
    Raises ``ConfigError``.
    """
    parts = _split(base)
    path = parts.path.rstrip("/")
    if path.endswith(f"/{route}"):
        path = path.removesuffix(f"/{route}")
    elif not version:
        path = re.sub(_VERSION.pattern + "$", "", path)
    elif not _VERSION.search(path) and not path.endswith(f"/{version}"):
        path = f"{path}/{version}"
    host = parts.netloc.lower().removesuffix(_PORTS[parts.scheme])
    root = f"{parts.scheme}://{host}{path}"
    query = f"?{parts.query}" if parts.query else ""
    loopback = _loopback(parts.hostname or "")
    return ModelAddress(root, f"{root}/{route}{query}", parts.query, f"{host}{path}/{route}", loopback)


def host(base: str) -> str:
    return (_split(base).hostname or "").lower()


def port(base: str) -> int | None:
    return _split(base).port


def path(base: str) -> str:
    return _split(base).path.rstrip("/")


def _split(base: str) -> SplitResult:
    try:
        parts = urlsplit(base)
        valid = parts.scheme in _PORTS and parts.hostname and "@" not in parts.netloc and parts.port != 0
    except ValueError:
        valid = False
    if not valid:
        raise ConfigError("the address of a model server must be http:// or https:// and a host, without credentials")
    return parts


def _loopback(name: str) -> bool:
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")
