"""Arguments of operations: a model says type, bounds and meaning once; a view of it is what a surface takes.

The JSON Schema of a view keeps to the subset that every provider's model reads: an object of strings, numbers, flags
and lists of strings, nothing nested, no references, no alternatives.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from functools import cached_property
from threading import Lock
from typing import Annotated, Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, ValidationError, field_validator
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, core_schema

from hearth.core.errors import UsageError

Schema = dict[str, Any]

_SHOWN = 60
_KINDS = {"string": "text", "integer": "a whole number", "number": "a number", "boolean": "true or false"}
# Beyond any bound, and still a number that every check takes.
_LARGEST = 2**63
# Models are made when first used, which threads must not do side by side.
_BUILDING = Lock()


class Arguments(BaseModel):
    """Base of all. Made when first used: a server that starts describes nothing yet."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)

    vault: Annotated[
        str | None, Field(min_length=1, max_length=64, description="Which vault; left out: the server's own.")
    ] = None

    @field_validator("*", mode="before")
    @classmethod
    def _number(cls, given: Any) -> Any:
        """JSON knows one kind of number, of any size, and of list."""
        if isinstance(given, list):
            return tuple(given)
        if isinstance(given, float) and given.is_integer():
            given = int(given)
        if isinstance(given, int) and not isinstance(given, bool):
            return max(-_LARGEST, min(_LARGEST, given))
        return given


A = TypeVar("A", bound=Arguments)


class OneOf:
    """A text that is one of these."""

    def __init__(self, *options: str) -> None:
        self._options = list(options)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.literal_schema(self._options)


def text(about: str, longest: int, **extra: str) -> Any:
    return Field(description=about, min_length=1, max_length=longest, json_schema_extra=dict(extra) or None)


def whole(about: str, least: int, most: int) -> Any:
    return Field(description=about, ge=least, le=most)


def texts(about: str, most: int) -> Any:
    return Field(description=about, max_length=most)


def about(description: str) -> Any:
    return Field(description=description)


def item(longest: int) -> FieldInfo:
    found: FieldInfo = Field(min_length=1, max_length=longest)
    return found


class Referring(Arguments):
    """Of what is about one document."""

    reference: Annotated[
        str, text("Which document: its docid (#… from any result), collection/path, or the end of its path.", 4_096)
    ]


Name = Annotated[str, item(64)]
Place = Annotated[str, item(4_096)]


class View(Generic[A]):
    """Arguments by the names of a surface: ``names`` are the model's, in order, with ``=`` before another, and ``|``
    before a former one, which is taken as well."""

    def __init__(self, model: type[A], names: str, *, formats: bool = True) -> None:
        self.model = model
        self._left_out = {"title", "anyOf"} if formats else {"title", "anyOf", "format"}
        self.names: dict[str, str] = {}
        self.former: dict[str, str] = {}
        for word in names.split():
            said, _, former = word.partition("|")
            name, _, given = said.partition("=")
            self.names[given or name] = name
            if former:
                self.former[former] = given or name

    @cached_property
    def _built(self) -> type[A]:
        with _BUILDING:
            self.model.model_rebuild()
        return self.model

    @cached_property
    def schema(self) -> Schema:
        described = self._built.model_json_schema()
        needed = set(described.get("required", ()))
        properties = {
            name: _plain(described["properties"][field], self._left_out) for name, field in self.names.items()
        }
        return {
            "type": "object",
            "properties": properties,
            "required": [name for name, field in self.names.items() if field in needed],
            "additionalProperties": False,
        }

    def read(self, given: Mapping[str, Any]) -> A:
        """``None`` counts as left out. Raises ``UsageError`` that names the argument and says what it takes."""
        if self.former:
            given = {
                self.former.get(name, name) if self.former.get(name) not in given else name: value
                for name, value in given.items()
            }
        for name in given:
            if name not in self.names:
                raise UsageError(f"unknown argument {_show(name)}; there are: {', '.join(self.names)}")
        known = {self.names[name]: value for name, value in given.items() if value is not None}
        try:
            return self._built.model_validate(known)
        except ValidationError as error:
            [first, *_] = error.errors(include_url=False, include_context=False)
            said = self._say(first["loc"], first["type"], first["input"])
        raise UsageError(said)

    def _say(self, place: tuple[int | str, ...], kind: str, given: Any) -> str:
        name = next(name for name, field in self.names.items() if field == place[0])
        wanted = self.schema["properties"][name]
        if kind == "missing":
            return f"{name} is missing: {wanted['description']}"
        if len(place) > 1:
            name, wanted = f"{name}[{place[1]}]", wanted["items"]
        match kind:
            case "less_than_equal" | "greater_than_equal":
                return f"{name} is {_show(given)}; it takes {wanted['minimum']} to {wanted['maximum']}"
            case "string_too_long" | "string_too_short":
                least, most = wanted.get("minLength", 0), wanted["maxLength"]
                return f"{name} has {len(given):,} characters; it takes {least} to {most:,}"
            case "too_long":
                return f"{name} holds {len(given):,} items; at most {wanted['maxItems']}"
            case "tuple_type":
                return f"{name} is to be a list of texts, not {_show(given)}"
            case "string_unicode":
                return f"{name} holds half a character (a lone surrogate)"
            case "literal_error" if isinstance(given, str):
                return f"{name} is {_show(given)}; choose one of {', '.join(wanted['enum'])}"
        return f"{name} is to be {_KINDS[wanted['type']]}, not {_show(given)}"


def _plain(described: Schema, left_out: Set[str]) -> Schema:
    """What pydantic says of a field, without its titles, ``null`` and defaults that say nothing."""
    found = {key: value for key, value in described.items() if key not in left_out}
    if "anyOf" in described:
        found = described["anyOf"][0] | found
    if found.get("default", found) in (None, [], ()):
        del found["default"]
    if "items" in found:
        found["items"] = _plain(found["items"], left_out)
    for bound in ("minimum", "maximum"):
        if bound in found and float(found[bound]).is_integer():
            found[bound] = int(found[bound])
    return found


def _show(given: Any) -> str:
    """So much of an argument as helps; what is nested or huge is only named."""
    if isinstance(given, str):
        return repr(given[:_SHOWN]) + ("…" if len(given) > _SHOWN else "")
    if isinstance(given, dict | list | tuple):
        return "an object" if isinstance(given, dict) else "a list"
    if isinstance(given, int) and not isinstance(given, bool) and abs(given) > 10**18:
        return "a number that large"
    return str(given)
