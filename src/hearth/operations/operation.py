"""An operation: what it is called, what it takes and gives, and the function behind it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, ClassVar, Generic, Protocol, TypeVar

from hearth.core.lazy import dataclass
from hearth.operations.arguments import Arguments, Schema
from hearth.pool.opened import OpenVault, Stopped
from hearth.pool.pool import VaultPool
from hearth.vault.vault import Vault

A = TypeVar("A", bound=Arguments)

# Why a search was not asked, as its reason.
REBUILDING = "rebuilding"
HINDRANCES = (REBUILDING, "the index can't be rebuilt")


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
    ``describes`` whether a document may be named by a description; ``session`` is the client's, where known; ``source``
    the body of a request that brings a file."""

    actor: ClassVar[str]
    describes: ClassVar[bool]

    vaults: VaultPool
    opened: OpenVault
    session: str | None = None
    stopped: Callable[[], bool] = lambda: False
    seen: Callable[[int, int], None] = lambda done, total: None
    source: BinaryIO | None = None

    @property
    def vault(self) -> Vault:
        return self.opened.vault

    @abstractmethod
    def afterwards(self, work: Callable[[Vault], object]) -> None:
        """Writes something down that the answer does not depend on; failing at it fails nothing else."""

    def progress(self, done: int, total: int) -> None:
        """For the engine's long calls, which end here when nobody waits for them. Raises ``Stopped``."""
        if self.stopped() or self.vaults.stopping.is_set():
            raise Stopped
        self.seen(done, total)


@dataclass(frozen=True)
class Operation(Generic[A]):
    """``summary`` is one sentence for whoever reads a list of them. What ``reads`` comes after a look at the folders,
    and like what ``writes`` not while the index is being rebuilt; ``empty`` is its answer then, by the reason, else it
    fails. ``long`` calls report progress and can be cancelled. ``core`` are the few that most sessions need."""

    name: str
    title: str
    summary: str
    takes: type[A]
    gives: Schema
    run: Callable[[Request, A], Result | str | Iterator[bytes]]
    reads: bool = True
    writes: bool = False
    destructive: bool = False
    idempotent: bool = True
    long: bool = False
    core: bool = False
    empty: Callable[[A, str], Result] | None = None
