"""Views of an operation's arguments, made from their declaration, and the folders that a client may name in them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from hearth.config.kinds import near
from hearth.core.errors import NotFound, UsageError
from hearth.core.files import inside, is_private
from hearth.core.lazy import dataclass
from hearth.ports import Collection
from hearth.vault.vault import Vault

# Below any root: where systems and programs keep what is theirs.
_SYSTEM = ("/etc", "/proc", "/sys", "/dev", "/boot", "/run", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/var")
_CREDENTIALS = frozenset({"credentials", "secrets", "private", "keychains", "keyrings", "passwords", "certs"})


def collection_of(folder: str, collections: Iterable[Collection]) -> Collection | None:
    """The collection whose root is ``folder`` or above it, symbolic links followed; ``None`` where it is in none.

    ``folder`` is absolute, or a path below a collection that starts with its name. Raises ``UsageError`` for anything
    else, and for system, credential and hidden folders below the root."""
    known = list(collections)
    for collection in sorted(known, key=lambda one: -len(one.root)):
        relative = _below(folder, collection)
        if relative is None:
            continue
        real = inside(collection.root, relative)
        _refuse_kept(Path(os.path.realpath(collection.root)), real)
        if not real.is_dir():
            raise UsageError(f"{folder[:200]!r} is no folder; name a collection's folder, or leave it out")
        return collection
    if Path(folder).is_absolute():
        return None
    names = ", ".join(f"{one.name} ({one.root})" for one in known if one.origin != "engine") or "none"
    raise UsageError(
        f"{folder[:200]!r} is in no collection; there are: {names}; name a new folder by its absolute path"
    )


def allowed(folder: str, roots: Iterable[Path]) -> Path:
    """A folder that may become a collection: it lies below one of the vault's ``roots``, symbolic links followed, and
    is neither hidden nor the system's nor a place of credentials. Raises ``UsageError``."""
    known = list(roots)
    for root in known:
        if os.path.realpath(folder) == os.path.realpath(root):
            relative = "."
        elif not os.path.realpath(folder).startswith(os.path.realpath(root).rstrip("/") + "/"):
            continue
        else:
            relative = os.path.relpath(os.path.realpath(folder), os.path.realpath(root))
        real = inside(str(root), relative)
        _refuse_kept(Path(os.path.realpath(root)), real)
        if not real.is_dir():
            raise UsageError(f"{folder[:200]!r} is no folder; name one that holds notes")
        return real
    names = ", ".join(map(str, known)) or "none"
    raise UsageError(
        f"{folder[:200]!r} is in no collection and below no root of this vault (roots: {names}); a person adds it: "
        "hearth collection add"
    )


def _below(folder: str, collection: Collection) -> str | None:
    """The path below the collection's root, ``.`` for the root itself; ``None`` where it is elsewhere."""
    for start in (collection.root.rstrip("/"), os.path.realpath(collection.root), collection.name):
        if folder.rstrip("/") == start:
            return "."
        if folder.startswith(start + "/"):
            return folder[len(start) + 1 :].rstrip("/") or "."
    return None


def _refuse_kept(base: Path, real: Path) -> None:
    parts = real.relative_to(base).parts
    hidden = any(part.startswith(".") for part in parts)
    kept = hidden or is_private(parts) or any(part.lower() in _CREDENTIALS for part in parts)
    system = any(real == Path(top) or real.is_relative_to(top) for top in _SYSTEM if not base.is_relative_to(top))
    if kept or system or real == Path("/"):
        raise UsageError(f"{str(real)[:200]!r} is hidden, private or the system's; name another folder")


def existing(vault: Vault, named: tuple[str, ...]) -> tuple[str, ...]:
    """These, each of which there is. Raises ``NotFound`` with a near name for one that there is not."""
    there = [collection.name for collection in vault.collections]
    for name in named:
        if name not in there:
            raise NotFound(f"no collection {name!r}{near(name, there)}; there are: {', '.join(there) or 'none'}")
    return named


Schema = dict[str, Any]

_SHOWN = 60
_KINDS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
}
_PYTHON: Mapping[str, type] = {"string": str, "boolean": bool, "object": dict}
# Beyond any bound, and still a number that every check takes.
_LARGEST = 2**63
_TYPES: Mapping[object, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}
_FLAGS = {"true": True, "false": False}


class Meaning:
    """Part of an argument's description, as JSON Schema."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema


def OneOf(*options: str) -> Meaning:
    """A text that is one of these."""
    return Meaning({"enum": list(options)})


def text(about: str, longest: int, **extra: str) -> Any:
    return Meaning({"minLength": 1, "maxLength": longest, "description": about, **extra})


def whole(about: str, least: int, most: int) -> Any:
    return Meaning({"minimum": least, "maximum": most, "description": about})


def texts(about: str, most: int) -> Any:
    return Meaning({"maxItems": most, "description": about})


def about(description: str) -> Any:
    return Meaning({"description": description})


def item(longest: int) -> Any:
    return Meaning({"minLength": 1, "maxLength": longest})


@dataclass(frozen=True, slots=True)
class Field:
    """An argument: its schema with its description, its default, and whether it has to be given."""

    name: str
    schema: Schema
    default: Any
    required: bool

    @property
    def kind(self) -> str:
        return str(self.schema["type"])

    @property
    def description(self) -> str:
        return str(self.schema.get("description", ""))


class Arguments:
    """Base of all. An argument that was not given has the default of its class."""

    _fields: ClassVar[Mapping[str, Field]]

    vault: Annotated[str | None, text("Which vault; left out: the server's own.", 64)] = None

    def __init__(self, **given: Any) -> None:
        if unknown := given.keys() - self.fields().keys():
            raise TypeError(f"{type(self).__name__} takes no {', '.join(sorted(unknown))}")
        vars(self).update(given)

    @classmethod
    def fields(cls) -> Mapping[str, Field]:
        """Read from the annotations when first asked for: a server that starts describes nothing yet."""
        if "_fields" not in cls.__dict__:
            hints = get_type_hints(cls, include_extras=True)
            cls._fields = {name: _field(cls, name, hint) for name, hint in hints.items() if not name.startswith("_")}
        return cls._fields

    def pick(self, *names: str) -> dict[str, Any]:
        """Those of ``names`` that were given and are not ``None``."""
        return {name: vars(self)[name] for name in names if vars(self).get(name) is not None}

    def updated(self, **more: Any) -> Any:
        return type(self)(**{**vars(self), **more})

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"


def _field(owner: type, name: str, hint: Any) -> Field:
    missing = object()
    default = getattr(owner, name, missing)
    schema = _schema(hint)
    if default not in (missing, None, ()):
        schema["default"] = default
    return Field(name, schema, None if default is missing else default, default is missing)


def _schema(hint: Any) -> Schema:
    """The JSON Schema of a type and its annotations; the outermost annotation wins."""
    origin = get_origin(hint)
    if origin is Annotated:
        inner, *more = get_args(hint)
        found = _schema(inner)
        for one in more:
            if isinstance(one, Meaning):
                found |= one.schema
        return found
    if origin in (Union, UnionType):
        [kind] = [part for part in get_args(hint) if part is not type(None)]
        return _schema(kind)
    if origin is Literal:
        return {"type": "string", "enum": list(get_args(hint))}
    if origin is dict:
        return {"type": "object"}
    if origin is tuple:
        return {"type": "array", "items": _schema(get_args(hint)[0])}
    return {"type": _TYPES[hint]}


A = TypeVar("A", bound=Arguments)


class Referring(Arguments):
    """Arguments that name one document."""

    reference: Annotated[
        str, text("Which document: its docid (#… from any result), collection/path, or the end of its path.", 4_096)
    ]


Name = Annotated[str, item(64)]
Place = Annotated[str, item(4_096)]


class View(Generic[A]):
    """Arguments by the names of a surface: ``names`` are the class's, in order, with ``=`` before another, and ``|``
    before a former one, which is taken as well; all where it is ``None``; ``vault`` goes with them. A ``lenient`` view
    also takes what can mean one thing only: numbers, flags and lists that came as text, and nothing as left out; its
    schema says no formats, which not every provider's model reads."""

    def __init__(self, model: type[A], names: str | None = None, *, vault: bool = False, lenient: bool = False) -> None:
        self.model = model
        self._lenient = lenient
        self._words = names
        self._vault = vault
        self.former: dict[str, str] = {}

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The surface's name -> the class's."""
        found: dict[str, str] = {}
        words = self._words
        if words is None:
            words = " ".join(name for name in self.model.fields() if name != "vault")
        for word in [*words.split(), *(["vault"] if self._vault else [])]:
            spelled, _, former = word.partition("|")
            name, _, given = spelled.partition("=")
            found[given or name] = name
            if former:
                self.former[former] = given or name
        return found

    @cached_property
    def fields(self) -> Mapping[str, Field]:
        """By the surface's names."""
        there = self.model.fields()
        return {name: there[field] for name, field in self.names.items()}

    @cached_property
    def schema(self) -> Schema:
        left_out = {"format"} if self._lenient else set()
        return {
            "type": "object",
            "properties": {
                name: {key: value for key, value in field.schema.items() if key not in left_out}
                for name, field in self.fields.items()
            },
            "required": [name for name, field in self.fields.items() if field.required],
            "additionalProperties": False,
        }

    def read(self, given: Mapping[str, Any]) -> A:
        """``None`` counts as left out. Raises ``UsageError`` that names the argument and says what it takes."""
        names, fields = self.names, self.fields
        if self.former:
            given = {
                self.former.get(name, name) if self.former.get(name) not in given else name: value
                for name, value in given.items()
            }
        for name in given:
            if name not in names:
                raise UsageError(f"unknown argument {_show(name)}; there are: {', '.join(names)}")
        known = {name: value for name, value in given.items() if value is not None}
        if self._lenient:
            known = {
                name: _loosen(value, fields[name].schema)
                for name, value in known.items()
                if fields[name].required or not _is_nothing(value)
            }
        found: dict[str, Any] = {}
        for name, field in fields.items():
            if name in known:
                found[field.name] = _check(name, known[name], field.schema)
            elif field.required:
                raise UsageError(f"{name} is missing: {field.description}")
        return self.model(**found)


def _is_nothing(given: Any) -> bool:
    return isinstance(given, str) and given.strip().lower() in ("", "null")


def _loosen(given: Any, schema: Schema) -> Any:
    """The same as the type that it can only mean; what can't be read stays, and is then refused."""
    kind = schema["type"]
    if kind == "string" and isinstance(given, int | float) and not isinstance(given, bool):
        return str(given)
    if kind == "array":
        if isinstance(given, str):
            read = _from_json(given)
            given = read if isinstance(read, list) else [given]
        return [_loosen(one, schema["items"]) for one in given] if isinstance(given, list | tuple) else given
    if not isinstance(given, str) or kind == "string":
        return given
    if kind == "boolean":
        return _FLAGS.get(given.strip().lower(), given)
    read = _from_json(given)
    if kind == "object":
        return read if isinstance(read, dict) else given
    return read if isinstance(read, int | float) and not isinstance(read, bool) else given


def _from_json(given: str) -> Any:
    try:
        return json.loads(given)
    except (ValueError, RecursionError):
        return None


def _check(name: str, given: Any, schema: Schema) -> Any:
    """The value as the operation takes it. JSON knows one kind of number, of any size, and of list."""
    kind = schema["type"]
    if kind == "array":
        return tuple(_items(name, given, schema))
    if kind in ("integer", "number"):
        return _number(name, given, schema)
    if not isinstance(given, _PYTHON[kind]):
        raise UsageError(f"{name} is to be {_KINDS[kind]}, not {_show(given)}")
    if isinstance(given, str):
        _check_text(name, given, schema)
    return given


def _items(name: str, given: Any, schema: Schema) -> Iterator[Any]:
    if not isinstance(given, list | tuple):
        raise UsageError(f"{name} is to be a list of texts, not {_show(given)}")
    if len(given) > schema["maxItems"]:
        raise UsageError(f"{name} holds {len(given):,} items; at most {schema['maxItems']}")
    for at, one in enumerate(given):
        yield _check(f"{name}[{at}]", one, schema["items"])


def _number(name: str, given: Any, schema: Schema) -> int | float:
    if isinstance(given, float) and given.is_integer():
        given = int(given)
    if isinstance(given, bool) or not isinstance(given, int if schema["type"] == "integer" else int | float):
        raise UsageError(f"{name} is to be {_KINDS[schema['type']]}, not {_show(given)}")
    bounded = max(-_LARGEST, min(_LARGEST, given))
    if not schema.get("minimum", bounded) <= bounded <= schema.get("maximum", bounded):
        raise UsageError(f"{name} is {_show(given)}; it takes {schema['minimum']} to {schema['maximum']}")
    return bounded


def _check_text(name: str, given: str, schema: Schema) -> None:
    if "enum" in schema:
        if given not in schema["enum"]:
            raise UsageError(f"{name} is {_show(given)}; choose one of {', '.join(schema['enum'])}")
        return
    least, most = schema.get("minLength", 0), schema["maxLength"]
    try:
        given.encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError(f"{name} holds half a character (a lone surrogate)") from None
    if not least <= len(given) <= most:
        raise UsageError(f"{name} has {len(given):,} characters; it takes {least} to {most:,}")


def _show(given: Any) -> str:
    """An argument as errors quote it: long text is cut, nested and huge values are only named."""
    if isinstance(given, str):
        return repr(given[:_SHOWN]) + ("…" if len(given) > _SHOWN else "")
    if isinstance(given, dict | list | tuple):
        return "an object" if isinstance(given, dict) else "a list"
    if isinstance(given, int) and not isinstance(given, bool) and abs(given) > 10**18:
        return "a number that large"
    return str(given)
