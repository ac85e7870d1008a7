"""No network: nothing that Hearth does for a folder of notes opens a connection."""

from __future__ import annotations

from typing import Any

FORBID = """
import socket

_real = socket.socket


class Socket(_real):
    def __init__(self, family=-1, *rest, **named):
        if family not in (socket.AF_UNIX, getattr(socket, "AF_NETLINK", None)):
            raise SystemExit("a connection was opened")
        super().__init__(family, *rest, **named)


def forbidden(*given, **named):
    raise SystemExit("a name was looked up")


socket.socket = Socket
socket.getaddrinfo = socket.gethostbyname = socket.create_connection = forbidden
"""


def test_everything_works_without_a_network(site: Any) -> None:
    place = site.home / "forbid"
    place.mkdir()
    (place / "sitecustomize.py").write_text(FORBID, encoding="utf-8")
    site.environ["PYTHONPATH"] = str(place)
    site.plant(5)
    path, word = next(iter(site.markers.items()))
    site.run("bootstrap", str(site.notes)).ok()
    for command in (["query", word], ["get", f"notes/{path}"], ["reindex", "--force"]):
        result = site.run(*command).ok()
        assert "a connection was opened" not in result.err
    site.doctor()
