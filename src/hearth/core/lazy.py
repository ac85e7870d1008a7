"""Dataclasses and patterns that are made when they are first used, and modules that are loaded then.

A process that answers one hook loads hundreds of both and uses a fifth of them, and making them took it most of its
time: a dataclass compiles the source of six methods, a pattern is parsed and compiled by Python code.
"""

from __future__ import annotations

import dataclasses
import re
import sys
from dataclasses import MISSING, Field, FrozenInstanceError
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, AnyStr, TypeVar, cast

from hearth.core.patterns import CACHE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from dataclasses import dataclass
    from types import ModuleType
else:

    def dataclass(cls=None, /, **options):
        """As ``dataclasses.dataclass``, but each method is written when it is first called. Knows the options
        ``frozen``, ``slots``, ``eq``, ``order`` and ``kw_only``, and no ``InitVar``."""
        return (lambda cls: _Unfinished(cls, **options).cls) if cls is None else _Unfinished(cls, **options).cls


__all__ = ["dataclass", "later", "library", "modules", "regex"]

T = TypeVar("T")

_READ = ("__dataclass_fields__", "__dataclass_params__", "__match_args__")
_COMPARISONS = ("__lt__", "__le__", "__gt__", "__ge__")


class _Unfinished:
    """A dataclass whose methods are not written yet. It stands for them in the class ``cls``."""

    def __init__(
        self,
        cls: type,
        *,
        frozen: bool = False,
        slots: bool = False,
        eq: bool = True,
        order: bool = False,
        kw_only: bool = False,
    ) -> None:
        self._frozen, self._slots, self._eq, self._order, self._kw_only = frozen, slots, eq, order, kw_only
        hashed = eq and not _hashes(cls)
        self._hashed = hashed and frozen
        names = ["__repr__", *(["__eq__"] if eq else []), *(_COMPARISONS if order else ())]
        self._names = [name for name in names if name not in cls.__dict__] + ["__hash__"] * self._hashed
        methods: dict[str, Any] = {"__hash__": None} if hashed else {}
        methods |= {name: self._stub(name, self._finish) for name in self._names}
        if "__init__" not in cls.__dict__:
            methods["__init__"] = self._stub("__init__", self._write_init)
            methods["__signature__"] = _Fields(self._write_signature, "__signature__")
        if frozen:
            methods |= {"__setattr__": _refuse_value, "__delattr__": _refuse_deletion}
        if frozen and slots:
            methods |= {"__getstate__": _state, "__setstate__": _set_state}
        self._given = _find_plain_fields(cls)
        self.cls: Any = self._process(cls, methods) if self._given is None else self._make(cls, methods, self._given)

    def _process(self, cls: type, methods: dict[str, Any]) -> type:
        """Lets the library read the fields."""
        # Without a text of its own the library would write one with the signature, which takes longer than the rest.
        text, cls.__doc__ = cls.__doc__, "-"
        made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=self._slots, kw_only=self._kw_only)(
            cls
        )
        made.__doc__ = text
        for name, method in methods.items():
            setattr(made, name, method)
        return cast("type", made)

    def _make(self, cls: type, methods: dict[str, Any], given: Mapping[str, Any]) -> type:
        """The same class, whose fields the library reads when somebody asks for them: that takes a third of the time,
        and most classes of a short process are never asked."""
        later: dict[str, Any] = {name: _Fields(self._read_fields, name) for name in _READ if name not in cls.__dict__}
        if self._slots:
            left_out = {*given, "__dict__", "__weakref__"}
            space = {name: value for name, value in cls.__dict__.items() if name not in left_out}
            made = type(cls.__name__, cls.__bases__, space | later | methods | {"__slots__": tuple(given)})
            made.__qualname__ = cls.__qualname__
            return made
        for name, value in given.items():
            if isinstance(value, Field):
                delattr(cls, name)
                later |= {} if value.default is MISSING else {name: value.default}
        for name, method in (later | methods).items():
            setattr(cls, name, method)
        return cls

    def _read_fields(self) -> None:
        fields = {field.name: field for field in self._fields()}
        types = {name: field.type for name, field in fields.items()}
        bare = type(self.cls.__name__, (), {"__module__": self.cls.__module__, "__annotations__": types, **fields})
        bare.__doc__ = "-"
        made: type = dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=self._kw_only)(bare)
        for name in _READ:
            if isinstance(self.cls.__dict__[name], _Fields):
                setattr(self.cls, name, made.__dict__[name])

    def _fields(self) -> Sequence[Field[Any]]:
        if self._given is None:
            return dataclasses.fields(self.cls)
        found = []
        for name, value in self._given.items():
            field: Field[Any] = value if isinstance(value, Field) else dataclasses.field(default=value)
            field.name, field.type = name, self.cls.__annotations__[name]
            field.kw_only = self._kw_only if field.kw_only is MISSING else field.kw_only
            found.append(field)
        return found

    def _stub(self, name: str, write: Callable[[], None]) -> Callable[..., Any]:
        def method(this: object, /, *given: object, **named: object) -> Any:
            write()
            return getattr(self.cls, name)(this, *given, **named)

        method.__name__ = name
        return method

    def _finish(self) -> None:
        """Lets the library write all but ``__init__``, into a class that is thrown away."""
        fields = self._fields()
        types = {field.name: field.type for field in fields}
        space = {"__module__": self.cls.__module__, "__doc__": "-", "__annotations__": types}
        bare = type(self.cls.__name__, (), {**space, **{field.name: field for field in fields}})
        made: type = dataclasses.dataclass(init=False, eq=self._eq, order=self._order, unsafe_hash=self._hashed)(bare)
        for name in self._names:
            setattr(self.cls, name, made.__dict__[name])

    def _write_init(self) -> None:
        """Alone, since most classes of a short process are only filled, and the library would write others with it.
        Its code is kept for later processes: compiling takes most of the time that one spends on its classes."""
        fields = self._fields()
        name = f"{self.cls.__module__}.{self.cls.__qualname__}"
        source = self._init_source(fields)
        code = CACHE.keep(name, source, lambda: compile(source, name, "exec"))
        space: dict[str, Any] = {"_set": object.__setattr__, "_missing": MISSING}
        for one in fields:
            space[f"_default_{one.name}"] = _default(one)
            if self._frozen and self._slots:
                space[f"_set_{one.name}"] = getattr(self.cls, one.name).__set__
        exec(code, space)  # noqa: S102 (of the names of fields alone)
        init = space["__init__"]
        init.__module__, init.__qualname__ = self.cls.__module__, f"{self.cls.__qualname__}.__init__"
        init.__annotations__ = {field.name: field.type for field in fields if field.init} | {"return": None}
        self.cls.__init__ = init

    def _write_signature(self) -> None:
        """It is that of ``__init__``."""
        self._write_init()
        del self.cls.__signature__

    def _init_source(self, fields: Sequence[Field[Any]]) -> str:
        given = [field for field in fields if field.init and not field.kw_only]
        named = [field for field in fields if field.init and field.kw_only]
        head = ["self", *map(_parameter, given), *(["*"] if named else []), *map(_parameter, named)]
        form = "_set(self, {0!r}, {1})" if self._frozen else "self.{0} = {1}"
        if self._frozen and self._slots:
            # Setting a slot directly takes two thirds of the time.
            form = "_set_{0}(self, {1})"
        body = [form.format(field.name, value) for field in fields if (value := _value(field))]
        body += ["self.__post_init__()"] if hasattr(self.cls, "__post_init__") else []
        return f"def __init__({', '.join(head)}):\n    " + ("\n    ".join(body) or "pass")


def _find_plain_fields(cls: type) -> dict[str, Any] | None:
    """The names of the fields with what is assigned to each; ``None`` where the library has to look: the class has
    bases, slots, types that are no texts, or something that the library refuses."""
    space = cls.__dict__
    types = space.get("__annotations__")
    if cls.__bases__ != (object,) or type(cls) is not type or types is None or "__slots__" in space:
        return None
    found = {}
    for name, kind in types.items():
        if not isinstance(kind, str) or "InitVar" in kind or "KW_ONLY" in kind:
            return None
        if not kind.startswith(("ClassVar", "typing.ClassVar")):
            value = space.get(name, MISSING)
            if type(value).__hash__ is None:  # refused
                return None
            found[name] = value
    loose = any(isinstance(value, Field) and name not in found for name, value in space.items())
    return None if loose else found


def _hashes(cls: type) -> bool:
    """Whether it says itself how; Python puts ``None`` where it only says what equals it."""
    return "__hash__" in cls.__dict__ and not (cls.__hash__ is None and "__eq__" in cls.__dict__)


def _default(field: Field[Any]) -> object:
    return field.default if field.default_factory is MISSING else field.default_factory


def _parameter(field: Field[Any]) -> str:
    if field.default_factory is not MISSING:
        return f"{field.name}=_missing"
    return field.name if field.default is MISSING else f"{field.name}=_default_{field.name}"


def _value(field: Field[Any]) -> str:
    """What is assigned to it; empty where it is left alone."""
    made = f"_default_{field.name}()"
    if field.default_factory is not MISSING:
        return f"{made} if {field.name} is _missing else {field.name}" if field.init else made
    if field.init:
        return field.name
    return "" if field.default is MISSING else f"_default_{field.name}"


class _Fields:
    """An attribute of a dataclass that is set, or taken away, when it is first read."""

    def __init__(self, read: Callable[[], None], name: str) -> None:
        self._read, self._name = read, name

    def __get__(self, instance: object, owner: type) -> Any:
        self._read()
        return getattr(owner, self._name)


def _refuse_value(this: Any, name: str, value: object) -> None:
    if _is_fixed(this, name):
        raise FrozenInstanceError(f"cannot assign to field {name!r}")
    object.__setattr__(this, name, value)


def _refuse_deletion(this: Any, name: str) -> None:
    if _is_fixed(this, name):
        raise FrozenInstanceError(f"cannot delete field {name!r}")
    object.__delattr__(this, name)


def _is_fixed(this: Any, name: str) -> bool:
    """Subclasses that are no dataclasses may have attributes of their own."""
    return "__dataclass_fields__" in type(this).__dict__ or name in this.__dataclass_fields__


def _state(this: Any) -> list[object]:
    return [getattr(this, field.name) for field in dataclasses.fields(this)]


def _set_state(this: Any, state: list[object]) -> None:
    for field, value in zip(dataclasses.fields(this), state, strict=True):
        object.__setattr__(this, field.name, value)


class _Pattern:
    """Each attribute of the pattern stays here once it was asked for, so that later calls cost what they would."""

    def __init__(self, source: str | bytes, flags: int) -> None:
        self.pattern, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(CACHE.compile(self.pattern, self._flags), name)
        setattr(self, name, found)
        return found

    def __reduce__(self) -> Any:
        return regex, (self.pattern, self._flags)

    def __repr__(self) -> str:
        return f"regex({self.pattern!r}, {self._flags!r})"


def regex(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As ``re.compile``, but it is compiled when it is first used. For methods and attributes: the functions of ``re``
    do not take it."""
    return cast("re.Pattern[AnyStr]", _Pattern(source, flags))


def loaded(name: str) -> Any:
    """A library that something has loaded already; ``None`` where loading it would cost more than it saves. Waits where
    another thread is loading it: until then half of it is there."""
    return import_module(name) if name in sys.modules else None


class _Later:
    """Keeps each attribute once it was asked for, as ``_Pattern`` does."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._find(), name)
        setattr(self, name, found)
        return found

    def _find(self) -> Any:
        """Threads that are the first at once all get the same object."""
        space = self.__dict__
        return space["_made"] if "_made" in space else space.setdefault("_made", self._make())

    def __reduce__(self) -> Any:
        """Another process gets the object itself."""
        return _give_back, (self._find(),)


def _give_back(value: T) -> T:
    return value


def later(make: Callable[[], T]) -> T:
    """An object that is made when its first method is called: for one that most runs are given and few use."""
    return cast("T", _Later(make))


def library(name: str) -> Any:
    """A module that is imported when it is first used."""
    return _Later(partial(import_module, name))


def modules(package: str, *names: str) -> Callable[[str], ModuleType]:
    """The ``__getattr__`` of a package, which loads these of its modules when they are first asked for."""

    def load(name: str) -> ModuleType:
        if name in names:
            return import_module(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return load
