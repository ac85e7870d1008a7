"""An operation: what it is called, what it takes and gives, the function behind it, and how each surface offers it.

One description serves MCP, REST, the daemon's socket and the command line; ``hearth.operations.catalog`` finds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, BinaryIO, Generic, Protocol, TypeVar

from hearth.core.errors import HearthError, Stopped
from hearth.core.lazy import dataclass
from hearth.core.session import MAIN_AGENT
from hearth.operations.arguments import Arguments, Schema, View
from hearth.operations.problems import MCP, logger
from hearth.operations.shapes import valid

if TYPE_CHECKING:
    from hearth.app.opened import OpenVault
    from hearth.app.pool import VaultPool
    from hearth.vault.vault import Vault

A = TypeVar("A", bound=Arguments)

# Why a search was not asked, as its reason.
REBUILDING = "rebuilding"
HINDRANCES = (REBUILDING, "the index can't be rebuilt")

JSON = "application/json"
LINES = "application/x-ndjson"
PLAIN = "text/plain; version=0.0.4; charset=utf-8"


class Result(Protocol):
    """``to_dict`` is what every surface gives, each without what it has no use for."""

    def to_dict(self) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Row:
    """A result that is nothing but its JSON."""

    data: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        return self.data


@dataclass
class Request:
    """One call of an operation, in a thread of its own. ``actor`` is who changes something, in the journal;
    ``describes`` whether a document may be named by a description; ``session`` is the client's, where known, ``agent``
    whose call it is, where the host says that; ``source`` the body of a request that brings a file. What an answer
    does not depend on is written down ``behind`` it, or before it goes out, where the client may end the process with
    it."""

    vaults: VaultPool
    opened: OpenVault
    actor: str
    describes: bool = False
    behind: bool = False
    session: str | None = None
    agent: str | None = None
    stopped: Callable[[], bool] = lambda: False
    seen: Callable[[int, int], None] = lambda done, total: None
    source: BinaryIO | None = None

    @property
    def vault(self) -> Vault:
        return self.opened.vault if self.agent is None else self.opened.vault.as_agent(self.agent)

    @property
    def is_of_agent(self) -> bool:
        """Whether an agent asks that the host names."""
        return self.agent is not None or self.opened.vault.agent != MAIN_AGENT

    def afterwards(self, work: Callable[[Vault], object]) -> None:
        """Writes something down that the answer does not depend on; failing at it fails nothing else."""
        if self.behind:
            self._behind(work)
            return
        try:
            work(self.vault)
        except (HearthError, OSError) as error:
            logger.warning("something was not written down after an answer: %s", error)

    def _behind(self, work: Callable[[Vault], object]) -> None:
        vaults, name = self.vaults, self.opened.name

        def done() -> None:
            with vaults.use(name) as opened:
                work(opened.vault)
                if vaults.background.due(name):
                    opened.vault.usage.settle()

        vaults.background.do(name, done)

    def progress(self, done: int, total: int) -> None:
        """For the engine's long calls, which end here when nobody waits for them. Raises ``Stopped``."""
        if self.stopped() or self.vaults.stopping.is_set():
            raise Stopped
        self.seen(done, total)


def plain(result: Any, given: Any) -> str:
    """For results that nothing else words."""
    return "\n".join(f"{name}: {value}" for name, value in valid(result.to_dict(), surface=MCP).items())


@dataclass(frozen=True)
class Tool:
    """How a model calls an operation: ``names`` are the arguments as ``View`` reads them, of ``takes`` where it is
    narrower than the operation's, ``fixed`` those that the tool sets itself. ``described`` is for what a model has to
    know beyond the summary. ``keeps`` names what goes into the data though it stands in the text; ``lead`` is a shorter
    text beside data that says all. ``former`` names are answered, too. A short list names the arguments ``in_brief``
    alone, all where that is empty; the others are taken as well."""

    name: str
    names: str | None = None
    takes: type[Arguments] | None = None
    title: str = ""
    described: str = ""
    lead: Callable[[Any, Any], str | None] = lambda result, given: None
    fixed: Mapping[str, Any] = field(default_factory=dict)
    keeps: frozenset[str] = frozenset()
    always_load: bool = False
    former: tuple[str, ...] = ()
    in_brief: str = ""

    def view(self, operation: Operation[Any]) -> View[Any]:
        """Lenient: a model writes what it means in more ways than one."""
        return View(self.takes or operation.takes, self.names, vault=True, lenient=True)

    def describe(self, operation: Operation[Any]) -> str:
        return self.described or operation.summary


@dataclass(frozen=True)
class Route:
    """Where an operation is in REST: ``path`` is as in OpenAPI; ``names`` are the arguments as ``View`` reads them,
    all where it is ``None``; ``vault`` says whether one can be named. ``source`` takes an NDJSON body of any size; a
    ``former`` name of another route is answered and not told of."""

    method: str
    path: str
    names: str | None = None
    media: str = JSON
    source: bool = False
    vault: bool = True
    former: bool = False


@dataclass(frozen=True)
class Operation(Generic[A]):
    """``summary`` is one sentence for whoever reads a list of them, ``words`` the result as text. What ``reads`` comes
    after a look at the folders, and like what ``writes`` not while the index is being rebuilt; ``empty`` is its answer
    then, by the reason, else it fails. What works ``apart`` needs no index. What is ``of_window`` works on what was
    said in a session, and so serves an agent without memory, too. ``long`` calls report progress and can be cancelled.
    ``tools`` are listed for models and ``routes`` are in REST; an operation without any is reached by its name.
    ``command`` is the command that covers it; one of its own, by its name, where that is empty."""

    name: str
    title: str
    summary: str
    takes: type[A]
    gives: Schema
    run: Callable[[Request, A], Result | str | Iterator[bytes]]
    words: Callable[[Any, Any], str] = plain
    tools: tuple[Tool, ...] = ()
    routes: tuple[Route, ...] = ()
    command: str = ""
    reads: bool = True
    writes: bool = False
    of_window: bool = False
    destructive: bool = False
    idempotent: bool = True
    long: bool = False
    apart: bool = False
    empty: Callable[[A, str], Result] | None = None
