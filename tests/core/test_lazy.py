"""Dataclasses and patterns made at their first use are those of the library; modules are loaded at theirs."""

from __future__ import annotations

import copy
import dataclasses
import gc
import importlib
import inspect
import os
import pickle
import pkgutil
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import pytest

import hearth
from hearth.core.lazy import dataclass, later, loaded, regex

T = TypeVar("T")
OPTIONS = [
    dict(zip(("frozen", "slots", "eq", "order", "kw_only"), chosen, strict=True))
    for chosen in product((False, True), repeat=5)
    if chosen[2] or not chosen[3]
]


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 2
    tags: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True, order=True)
class Named(Point, Generic[T]):
    """A point with a name."""

    kind: ClassVar[str] = "named"
    name: str = field(default="n", kw_only=True)
    parts: list[int] = field(default_factory=list, repr=False)
    computed: int = field(default=7, init=False)


@dataclass
class Counter:
    count: int = 0
    seen: set[str] = field(default_factory=set)
    total: int = field(init=False)

    def __post_init__(self) -> None:
        self.total = self.count * 2


def both(options: dict[str, bool], shape: Callable[[], type]) -> tuple[Any, Any]:
    """The class of ours and that of the library."""
    return dataclass(**options)(shape()), dataclasses.dataclass(**options)(shape())


def outcome(do: Callable[[], object]) -> object:
    try:
        return do()
    except (TypeError, ValueError, AttributeError) as error:
        return type(error), str(error).replace("shape.<locals>.", "")


def shape() -> type:
    class Shape:
        a: int
        b: str = "b"
        c: list[int] = field(default_factory=list, compare=False)
        d: int = field(default=4, init=False, repr=False)
        e: ClassVar[int] = 5

        def double(self) -> int:
            return self.a * 2

    return Shape


CALLS: list[Callable[[Any], object]] = [
    lambda of: repr(of(a=1)),
    lambda of: repr(of(1, "x", [3])),
    lambda of: of(a=1) == of(a=1),
    lambda of: of(a=1) == of(a=1, c=[9]),
    lambda of: of(a=1) == of(a=2),
    lambda of: of(a=1) == (1, "b"),
    lambda of: of(a=1) != of(a=2),
    lambda of: of(a=1) < of(a=2),
    lambda of: of(a=3) >= of(a=2),
    lambda of: of(a=1) < 3,
    lambda of: isinstance(hash(of(a=1)), int),
    lambda of: len({of(a=1), of(a=1)}),
    lambda of: of(),
    lambda of: of(a=1, z=2),
    lambda of: of(a=1, d=2),
    lambda of: setattr(of(a=1), "a", 2),
    lambda of: delattr(of(a=1), "b"),
    lambda of: repr(replace(of(a=1), b="y")),
    lambda of: replace(of(a=1), d=1),
    lambda of: dataclasses.asdict(of(a=1)),
    lambda of: dataclasses.astuple(of(a=1)),
    lambda of: of(a=1).c is of(a=1).c,
    lambda of: of(a=1).double(),
    lambda of: of(a=1).d + of.e,
    lambda of: hasattr(of(a=1), "__dict__"),
    lambda of: of.__match_args__,
    lambda of: [one.name for one in dataclasses.fields(of)],
    lambda of: [(one.name, one.kind, one.annotation) for one in inspect.signature(of).parameters.values()],
    lambda of: inspect.signature(of).return_annotation,
    lambda of: repr(copy.deepcopy(of(a=1, c=[1]))),
    lambda of: of.__hash__ is None,
    lambda of: (of.__name__, of.__module__, of.__init__.__name__),
]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda given: "-".join(key for key in given if given[key]) or "none")
def test_each_use_gives_what_the_library_gives(options: dict[str, bool]) -> None:
    # Each on a class of its own, so that each is the first that is asked of it.
    for call in CALLS:
        ours, theirs = both(options, shape)
        assert outcome(lambda: call(ours)) == outcome(lambda: call(theirs))  # noqa: B023 (called at once)


def test_methods_that_a_class_has_itself_stay() -> None:
    def shape() -> type:
        class Shape:
            a: int

            def __repr__(self) -> str:
                return "own"

            def __eq__(self, other: object) -> bool:
                return True

            def __hash__(self) -> int:
                return 5

        return Shape

    ours, theirs = both({"frozen": True, "slots": True}, shape)
    for of in (ours, theirs):
        assert (repr(of(1)), of(1) == of(2), hash(of(1))) == ("own", True, 5)


def test_a_class_with_an_equality_and_no_hash_of_its_own_is_hashed_as_in_the_library() -> None:
    def shape() -> type:
        class Shape:
            a: int

            def __eq__(self, other: object) -> bool:
                return True

        return Shape

    for frozen in (True, False):
        ours, theirs = both({"frozen": frozen}, shape)
        assert outcome(lambda: hash(ours(1))) == outcome(lambda: hash(theirs(1)))  # noqa: B023 (called at once)


def test_classes_inherit_fields_and_methods() -> None:
    one = Named[str](1, parts=[1])
    assert repr(one) == "Named(x=1, y=2, tags=(), name='n', computed=7)"
    assert (one.x, one.y, one.name, one.parts, one.computed, Named.kind) == (1, 2, "n", [1], 7, "named")
    assert Named(1) == Named(1) != Named(1, name="m") and Named(1) < Named(2)
    assert Point(1) == Point(1, tags=("a",)) and Point(1) != Named(1)
    assert Named.__doc__ == "A point with a name."
    with pytest.raises(FrozenInstanceError):
        one.name = "m"  # type: ignore[misc]


def test_a_plain_subclass_calls_what_it_inherits() -> None:
    class Wide(Point):
        def __init__(self, x: int) -> None:
            super().__init__(x, y=5)

        @cached_property
        def sum(self) -> int:
            return self.x + self.y

    assert (Wide(1).sum, repr(Wide(1)).endswith("Wide(x=1, y=5, tags=())")) == (6, True)
    assert Wide(1) == Wide(1) and hash(Wide(1)) == hash(Wide(1))


def test_after_filling_it_a_class_does_what_it_is_told() -> None:
    assert (Counter(2).total, Counter(2).seen) == (4, set())
    with pytest.raises(TypeError, match="unhashable"):
        hash(Counter())


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_values_are_pickled_and_copied(protocol: int) -> None:
    for value in (Point(1, 3, ("a",)), Named(1, name="m", parts=[2]), Counter(3)):
        assert pickle.loads(pickle.dumps(value, protocol)) == value == copy.copy(value)


def test_what_the_library_refuses_is_refused() -> None:
    def mutable() -> type:
        class Shape:
            a: list[int] = []  # noqa: RUF012 (what is tested)

        return Shape

    def loose() -> type:
        class Shape:
            a: int
            b = field(default=1)

        return Shape

    for given in (mutable, loose):
        assert outcome(lambda: dataclass(given())) == outcome(lambda: dataclasses.dataclass(given()))  # noqa: B023


def test_an_object_for_later_is_made_once_when_it_is_first_asked() -> None:
    made: list[list[int]] = []

    def make() -> list[int]:
        made.append([3, 1])
        return made[-1]

    numbers = later(make)
    assert made == []
    numbers.sort()
    numbers.append(4)
    assert made == [[1, 3, 4]] and numbers.index(4) == 2
    given = pickle.loads(pickle.dumps(numbers))
    assert type(given) is list and given == [1, 3, 4]


def test_a_pattern_does_what_a_compiled_one_does() -> None:
    ours, theirs = regex(r"(?P<a>\w)(\d)", re.IGNORECASE), re.compile(r"(?P<a>\w)(\d)", re.IGNORECASE)
    assert (ours.pattern, ours.flags, ours.groups, ours.groupindex) == (
        theirs.pattern, theirs.flags, theirs.groups, theirs.groupindex,
    )  # fmt: skip
    for name in ("search", "match", "fullmatch"):
        found, expected = getattr(ours, name)("A1"), getattr(theirs, name)("A1")
        assert (found.span(), found.groups(), found.re) == (expected.span(), expected.groups(), expected.re)
    assert ours.findall("a1 b2") == theirs.findall("a1 b2") and ours.sub("", "a1 b") == theirs.sub("", "a1 b")
    assert ours.split("xa1y") == theirs.split("xa1y") and [one.end() for one in ours.finditer("a1a2")] == [2, 4]
    assert regex(rb"\d").findall(b"1a2") == [b"1", b"2"]
    assert pickle.loads(pickle.dumps(ours)).findall("a1") == copy.deepcopy(ours).findall("a1") == [("a", "1")]


def test_a_pattern_that_is_none_is_refused_at_its_first_use() -> None:
    wrong = regex("(")
    with pytest.raises(re.error):
        wrong.search("a")


def test_every_pattern_of_the_package_compiles() -> None:
    for module in pkgutil.walk_packages(hearth.__path__, "hearth."):
        if not module.name.startswith(("hearth.__main__", "hearth.models.", "hearth.server.", "hearth.cli.")):
            importlib.import_module(module.name)
    gc.unfreeze()  # what was frozen is not told
    patterns = [one for one in gc.get_objects() if type(one) is type(regex(""))]
    assert len(patterns) > 500
    for one in patterns:
        assert one.flags >= 0, one


def test_loading_what_hooks_and_commands_load_compiles_no_pattern_that_it_does_not_use() -> None:
    code = """
import re, sys
real, found = re.compile, []
def compile(pattern, flags=0):
    caller = sys._getframe(1).f_globals["__name__"]
    found.append(caller) if caller.startswith("hearth.") and caller != "hearth.core.lazy" else None
    return real(pattern, flags)
re.compile = compile
import hearth.app, hearth.hook, hearth.hosts, hearth.cli.commands, hearth.context.surfacing
import hearth.context.briefing, hearth.memory.usage, hearth.guard.secrets.redaction
print(found)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("package", ["hearth.context", "hearth.models"])
def test_a_package_loads_the_modules_that_it_names_when_they_are_asked_for(package: str) -> None:
    code = f"""
import sys, {package} as asked
def loaded():
    return [name for name in asked.__all__ if f"{package}.{{name}}" in sys.modules]
before = loaded()
for name in asked.__all__:
    assert getattr(asked, name) is sys.modules[f"{package}.{{name}}"]
print(before, loaded() == asked.__all__)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] True"
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        importlib.import_module(package).nothing  # noqa: B018


def test_a_library_that_another_thread_is_loading_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, finish = threading.Event(), threading.Event()
    monkeypatch.setattr(sys, "half_loaded_events", (begun, finish), raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    text = "import sys\nbegun, finish = sys.half_loaded_events\nbegun.set()\nassert finish.wait(60)\nwhole = True\n"
    (tmp_path / "half_loaded.py").write_text(text, encoding="utf-8")
    assert loaded("half_loaded") is None
    found: list[bool] = []
    loading = threading.Thread(target=importlib.import_module, args=("half_loaded",))
    asking = threading.Thread(target=lambda: found.append(hasattr(loaded("half_loaded"), "whole")))
    loading.start()
    assert begun.wait(60)
    asking.start()
    asking.join(0.5)  # time to come back too early
    finish.set()
    loading.join(60)
    asking.join(60)
    assert found == [True]


def test_a_later_process_fills_values_without_compiling_anything(tmp_path: Path) -> None:
    code = (
        "import builtins\ncalls = []\ncompiled = builtins.compile\n"
        "def counted(*given, **named):\n    calls.append(given)\n    return compiled(*given, **named)\n"
        "from hearth.config.tree import Config\nfrom hearth.core.patterns import CACHE\n"
        "CACHE._worth = 0\nbuiltins.compile = counted\nConfig()\nprint(len(calls))\n"
    )
    environ = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path), "PYTHONDONTWRITEBYTECODE": ""}
    first, later = (
        int(subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, check=True).stdout)
        for _ in range(2)
    )
    assert first > 5
    assert later == 0
