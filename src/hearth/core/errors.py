"""Every error that Hearth raises on purpose.

- ``HearthError``: a model's or a program's fault, exit code 1

  - ``UsageError``: the request is wrong, exit code 2

    - ``ConfigError``: a setting is
    - ``UnsupportedPlatform``

  - ``NotFound``: what is named is not there, exit code 3
  - ``Ambiguous``: what is named is there several times, exit code 4
  - ``Conflict``: the present state is in the way, exit code 4
  - ``Unavailable``: something outside is in the way, now, exit code 5

    - ``IndexNewer``: a newer Hearth wrote the index

  - ``BadReply``: a model or service answered nonsense, exit code 6

Each class carries a stable ``code`` for machines and the ``exit_code`` of the command line. A message says
what failed, where, and what to do about it, in one line. What to do is a ``Remedy`` where it is a command: each
surface words that itself, since who asks over a protocol has no shell. ``str(error)`` says it as the command line.
"""

from __future__ import annotations

# The stub of hooks comes by here: what typing and dataclasses load would double its start.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, TypeAlias

    Kind: TypeAlias = Literal["run", "fill", "list", "sessions", "events", "restore", "again", "status"]


class Remedy:
    """A command that helps. ``kind`` says what it does where other surfaces have a way of their own: ``list`` documents
    or ``sessions`` or ``events`` of the journal, ``restore`` a document, look ``again`` at a changed file, show the
    ``status``, ``fill`` an empty vault; ``run`` is for a person anywhere.

    ``command`` is what is typed after ``hearth``. At the command line ``joint`` and ``lead`` stand before it, and
    ``more`` behind."""

    __slots__ = ("command", "joint", "kind", "lead", "more")

    def __init__(
        self, command: str, kind: Kind = "run", lead: str = "run: ", more: str = "", joint: str = "; "
    ) -> None:
        self.command = command
        self.kind = kind
        self.lead = lead
        self.more = more
        self.joint = joint

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Remedy) and (self.kind, str(self)) == (other.kind, str(other))

    def __hash__(self) -> int:
        return hash((self.kind, str(self)))

    def joined(self, joint: str) -> Remedy:
        """The same behind other words."""
        return Remedy(self.command, self.kind, self.lead, self.more, joint)

    def __str__(self) -> str:
        return f"{self.joint}{self.lead}hearth {self.command}{self.more}"


class Guidance(str):
    """A message with a remedy: as text, what the command line says; ``fact`` is what is wrong."""

    fact: str
    remedy: Remedy

    def __new__(cls, fact: str, remedy: Remedy) -> Guidance:
        made = super().__new__(cls, f"{fact}{remedy}")
        made.fact, made.remedy = fact, remedy
        return made

    def __getnewargs__(self) -> tuple[str, Remedy]:  # type: ignore[override]
        return self.fact, self.remedy

    @staticmethod
    def behind(start: str, message: str) -> str:
        """A message after other words, with its remedy where it has one."""
        return Guidance(start + message.fact, message.remedy) if isinstance(message, Guidance) else start + message

    @staticmethod
    def pack(message: str) -> str | list[str]:
        """A message as JSON holds it, with its remedy where it has one."""
        if not isinstance(message, Guidance):
            return message
        remedy = message.remedy
        return [message.fact, remedy.command, remedy.kind, remedy.lead, remedy.more, remedy.joint]

    @staticmethod
    def unpack(packed: str | list[Any]) -> str:
        return packed if isinstance(packed, str) else Guidance(packed[0], Remedy(*packed[1:]))


class HearthError(Exception):
    """Base of all deliberate errors. ``said`` is the message, an ``Guidance`` where there is a remedy."""

    code = "error"
    exit_code = 1

    def __init__(self, message: str = "", remedy: Remedy | None = None) -> None:
        self.said = message if remedy is None else Guidance(message, remedy)
        super().__init__(self.said)


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

    def __init__(self, message: str, candidates: tuple[str, ...] = (), remedy: Remedy | None = None) -> None:
        super().__init__(message, remedy)
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


class Stopped(Exception):
    """Raised inside work that nobody waits for any more."""
