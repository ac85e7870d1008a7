"""The machine's time zone, by its IANA name."""

from __future__ import annotations

import os
from collections.abc import Mapping

LOCALTIME = "/etc/localtime"
UTC = "UTC"


def local_zone(environ: Mapping[str, str], localtime: str = LOCALTIME) -> str:
    """``TZ`` if it names a zone, else the zone that ``localtime`` links to, else ``UTC``.

    A ``TZ`` that is a rule (``CET-1CEST``) has no name that a query could carry and is passed over.
    """
    for candidate in (environ.get("TZ", "").removeprefix(":"), _link(localtime)):
        name = candidate.rpartition("zoneinfo/")[2].removeprefix("posix/").removeprefix("right/")
        if name and _exists(name):
            return name
    return UTC


def _link(localtime: str) -> str:
    try:
        target = os.readlink(localtime)  # noqa: PTH115 (pathlib would normalise a relative target)
    except OSError:
        return ""
    return target if "zoneinfo/" in target else ""


def _exists(name: str) -> bool:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True
