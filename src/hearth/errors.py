"""Every error that Hearth raises on purpose.

Each class carries a stable ``code`` for machines and the ``exit_code`` of the command line. A message says
what failed, where, and what to do about it, in one line.
"""

from __future__ import annotations


class HearthError(Exception):
    """Base of all deliberate errors."""

    code = "error"
    exit_code = 1


class UsageError(HearthError):
    """The request itself is wrong: a bad argument, reference or query option."""

    code = "usage"
    exit_code = 2


class ConfigError(UsageError):
    """A setting is unknown, of the wrong type, or given twice."""

    code = "config"


class UnsupportedPlatform(UsageError):
    """Native Windows; WSL2 works."""

    code = "platform"


class NotFound(HearthError):
    """A vault, collection or document does not exist; the message suggests near names."""

    code = "not_found"
    exit_code = 3


class Ambiguous(HearthError):
    """A reference fits several documents; ``candidates`` lists them."""

    code = "ambiguous"
    exit_code = 4

    def __init__(self, message: str, candidates: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.candidates = candidates


class Conflict(HearthError):
    """The change collides with the present state: a name taken, a field changed since."""

    code = "conflict"
    exit_code = 4


class Unavailable(HearthError):
    """Something needed can't be reached or written now; trying later may work."""

    code = "unavailable"
    exit_code = 5


class IndexNewer(Unavailable):
    """The index was written by a newer Hearth and is left alone."""

    code = "index_newer"


class BadReply(HearthError):
    """A model or a remote service answered nonsense."""

    code = "bad_reply"
    exit_code = 6
