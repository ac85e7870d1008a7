"""Kinds of settings, and what a setting looks like before it has one: text, a list or a table, with its place."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from hearth.core import paths
from hearth.core.errors import ConfigError
from hearth.core.lazy import dataclass, regex

if TYPE_CHECKING:
    from hearth.core.yaml_tree import Item

# Far above any real file (the whole tree needs 1.5 KiB and six levels), low enough that parsing stays under a second.
MAX_CHARS = 256 * 1024
MAX_DEPTH = 8


@dataclass(frozen=True)
class Node:
    """Exactly one of ``text``, ``items`` and ``pairs`` is set.

    ``place`` is ``<file>:<line>``, a variable or a flag. ``start`` and ``end`` are the half-open range of the value in
    its file, ``flow`` whether it is written in brackets; they serve edits only.
    """

    place: str
    text: str | None = None
    quoted: bool = False
    items: tuple[Node, ...] | None = None
    pairs: tuple[Pair, ...] | None = None
    start: int = 0
    end: int = 0
    flow: bool = False

    @property
    def is_null(self) -> bool:
        return self.text in ("", "~", "null", "Null", "NULL") and not self.quoted

    def child(self, key: str) -> Node | None:
        return next((pair.node for pair in self.pairs or () if pair.key == key), None)


@dataclass(frozen=True)
class Pair:
    """An entry of a table; ``start`` and ``end`` are the range of its key in the file."""

    key: str
    place: str
    node: Node
    start: int = 0
    end: int = 0


def from_yaml(text: str, file: str) -> Node:
    """The tree of a YAML file, read without anchors, aliases, tags or repeated keys.

    Raises ``ConfigError`` naming ``file`` and the line for text that is not YAML, is longer than ``MAX_CHARS`` or is
    nested deeper than ``MAX_DEPTH``.
    """
    from hearth.core import yaml_tree  # most runs have no file to read

    if len(text) > MAX_CHARS:
        raise ConfigError(f"{file}: longer than {MAX_CHARS // 1024} KiB; this is not a configuration")
    try:
        root = yaml_tree.read(text, MAX_DEPTH - 1)  # a text is a level, too
    except yaml_tree.YamlRefused as error:
        problem = f"nested deeper than {MAX_DEPTH} levels" if isinstance(error, yaml_tree.TooDeep) else error.problem
        line = f":{error.line}" if error.line else ""
        what = "not valid YAML: " if isinstance(error, yaml_tree.MalformedYaml) else ""
        raise ConfigError(f"{file}{line}: {what}{problem}") from error
    return Node(f"{file}:1", pairs=(), start=len(text), end=len(text)) if root is None else _node(root, file)


def _node(item: Item, file: str) -> Node:
    place = f"{file}:{item.line}"
    if item.text is not None:
        text = item.text.rstrip("\n") if item.style in ("|", ">") else item.text
        return Node(place, text=text, quoted=bool(item.style), start=item.start, end=item.end)
    span: dict[str, Any] = {"start": item.start, "end": item.end, "flow": item.flow}
    if item.items is not None:
        return Node(place, items=tuple(_node(inner, file) for inner in item.items), **span)
    pairs: dict[str, Pair] = {}
    for key, value in item.pairs or ():
        name, where = str(key.text), f"{file}:{key.line}"
        if key.style in ("|", ">"):
            name = name.rstrip("\n")
        if name in pairs:
            raise ConfigError(f"{where}: the key {name!r} is given twice, first at {pairs[name].place}")
        pairs[name] = Pair(name, where, _node(value, file), key.start, key.end)
    return Node(place, pairs=tuple(pairs.values()), **span)


def from_value(value: object, place: str) -> Node:
    """The tree of a value that Python or JSON holds."""
    if isinstance(value, dict):
        return Node(place, pairs=tuple(Pair(str(key), place, from_value(item, place)) for key, item in value.items()))
    if isinstance(value, list | tuple):
        return Node(place, items=tuple(from_value(item, place) for item in value))
    if value is None or isinstance(value, bool):
        return Node(place, text="null" if value is None else str(value).lower())
    if isinstance(value, int | float):
        return Node(place, text=repr(value))
    return Node(place, text=str(value), quoted=True)


def from_json(text: str, place: str) -> Node:
    """The tree of a JSON text; raises ``ConfigError`` for bad JSON or a name that stands twice."""
    import json

    def table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) < len(pairs):
            raise ConfigError(f"{place}: a key is given twice in {', '.join(key for key, _ in pairs)}")
        return result

    if len(text) > MAX_CHARS:
        raise ConfigError(f"{place}: longer than {MAX_CHARS // 1024} KiB")
    try:
        return from_value(json.loads(text, object_pairs_hook=table), place)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{place}: not valid JSON: {error}") from error


# Beginnings of keys that well-known services hand out, and of authorization headers.
SECRET_START = regex(r"(sk|pk|rk)[-_]|gh[opsu]_|github_pat_|glpat-|xox[abprs]-|AKIA|AIza|hf_|Bearer |Basic |-----BEGIN")
BASE64 = regex(r"(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])[A-Za-z0-9+/]{41,}={0,2}")
INTEGER = regex(r"[-+]?[0-9]{1,18}")
DECIMAL = regex(r"[-+]?([0-9]{1,18}(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]{1,3})?")
TRUE, FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")
MAX_TEXT = 4_000


class Wrong(ValueError):
    """A value does not fit its key; ``place`` says where it stands."""

    def __init__(self, node: Node, message: str) -> None:
        super().__init__(message)
        self.place = node.place


def show_node(node: Node) -> str:
    """A value as an error may show it: short, and never a secret."""
    if node.text is None:
        return "a list" if node.items is not None else "a table"
    if looks_secret(node.text):
        return "a value that looks like a secret"
    text = node.text if len(node.text) <= 60 else node.text[:59] + "…"
    return repr(text)


def looks_secret(text: str) -> bool:
    return bool(SECRET_START.match(text) or BASE64.fullmatch(text))


class ValueKind:
    """``structured`` kinds are written as JSON (or words between commas) in one line; the others as bare text."""

    structured = False
    optional = False

    def read(self, node: Node, home: str) -> Any:
        """The typed value; ``home`` replaces a leading ``~`` (give ``"~"`` to keep it as written)."""
        raise NotImplementedError

    def plain(self, value: Any) -> Any:
        """The value as JSON can hold it."""
        return value

    def node(self, text: str, place: str) -> Node:
        """Untyped value of one line of text: a variable, a flag or an argument of ``config set``."""
        if not self.structured:
            return Node(place, text=text)
        return from_json(text, place)


class Flag(ValueKind):
    def read(self, node: Node, home: str) -> bool:
        word = (node.text or "").lower()
        if node.quoted or word not in TRUE + FALSE:
            raise Wrong(node, f"must be true or false, not {show_node(node)}")
        return word in TRUE


class Number(ValueKind):
    """A number from ``low`` to ``high``, both included."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high

    def read(self, node: Node, home: str) -> float:
        if not node.quoted and DECIMAL.fullmatch(node.text or ""):
            value = float(node.text or "")
            if self.low <= value <= self.high:
                return value
        raise Wrong(node, f"must be a number from {self.low:g} to {self.high:g}, not {show_node(node)}")


class Whole(ValueKind):
    """A whole number from ``low`` to ``high``, both included."""

    def __init__(self, low: int, high: int) -> None:
        self.low, self.high = low, high

    def read(self, node: Node, home: str) -> int:
        if not node.quoted and INTEGER.fullmatch(node.text or ""):
            value = int(node.text or "")
            if self.low <= value <= self.high:
                return value
        raise Wrong(node, f"must be a whole number from {self.low} to {self.high}, not {show_node(node)}")


class ChoiceKind(ValueKind):
    """One of ``options``; ``former`` maps names of before to those of now."""

    def __init__(self, *options: str, former: Mapping[str, str] = MappingProxyType({})) -> None:
        self.options, self.former = options, former

    def read(self, node: Node, home: str) -> str:
        text = self.former.get(node.text or "", node.text)
        if text in self.options:
            return text
        hint = near(node.text or "", self.options)
        raise Wrong(node, f"must be one of {', '.join(self.options)}, not {show_node(node)}{hint}")


class Text(ValueKind):
    """One line of printable text, not empty; ``form`` (with ``what`` for people) narrows it."""

    def __init__(self, form: str = ".+", what: str = "one line of text") -> None:
        self.form, self.what = regex(form), what

    def read(self, node: Node, home: str) -> str:
        text = node.text
        if text is None or node.is_null or not text.isprintable() or not 0 < len(text) <= MAX_TEXT:
            raise Wrong(node, f"must be {self.what}, not {show_node(node)}")
        if looks_secret(text):
            raise Wrong(node, "looks like a secret; keep it in a variable and name that variable in api_key_env")
        if not self.form.fullmatch(text):
            raise Wrong(node, f"must be {self.what}, not {show_node(node)}")
        return text


class Variable(Text):
    """The name of a variable; what does not fit is never shown, since it may be the secret itself."""

    def __init__(self) -> None:
        super().__init__("[A-Za-z_][A-Za-z0-9_]{0,63}", "the name of an environment variable")

    def read(self, node: Node, home: str) -> str:
        if node.text is None or looks_secret(node.text) or not self.form.fullmatch(node.text):
            raise Wrong(node, "must be the name of an environment variable that holds the key, never the key itself")
        return node.text


class Folder(ValueKind):
    def read(self, node: Node, home: str) -> Path:
        text = node.text or ""
        found = paths.expand(text, home) if text.isprintable() else None
        if found is None or (node.text == "~" and not node.quoted):
            raise Wrong(node, f"must be an absolute folder or start with ~/, not {show_node(node)}")
        return Path(found)

    def plain(self, value: Path) -> str:
        return str(value)


class Words(ValueKind):
    """A list whose items are of one kind; one line of text may give them between commas."""

    structured = True

    def __init__(self, item: ValueKind) -> None:
        self.item = item

    def read(self, node: Node, home: str) -> tuple[Any, ...]:
        if node.items is None:
            raise Wrong(node, f"must be a list, not {show_node(node)}")
        return tuple(self.item.read(item, home) for item in node.items)

    def plain(self, value: tuple[Any, ...]) -> list[Any]:
        return [self.item.plain(item) for item in value]

    def node(self, text: str, place: str) -> Node:
        if text.lstrip().startswith("["):
            return from_json(text, place)
        return from_value([word.strip() for word in text.split(",") if word.strip()], place)


class Command(ValueKind):
    """A program and its arguments: one line split as a shell would, or a list; kept as the array that is run."""

    def read(self, node: Node, home: str) -> tuple[str, ...]:
        import shlex

        if node.items is not None:
            words = tuple(Text().read(item, home) for item in node.items)
        else:
            try:
                words = tuple(shlex.split(Text().read(node, home)))
            except ValueError as error:
                raise Wrong(node, f"must be a command: {error}") from None
        if not words or not words[0]:
            raise Wrong(node, "must name a program")
        return words

    def plain(self, value: tuple[str, ...]) -> str:
        import shlex

        return shlex.join(value)


class Table(ValueKind):
    """A table of names to values of one kind; ``names`` limits the names where given, and each of them is a key of its
    own. ``rest`` is what names hold that are not given."""

    structured = True

    def __init__(
        self, item: ValueKind, names: Collection[str] | None = None, rest: Mapping[str, Any] | None = None
    ) -> None:
        self.item, self.names, self.rest = item, names, rest or {}

    def read(self, node: Node, home: str) -> Mapping[str, Any]:
        if node.pairs is None:
            raise Wrong(node, f"must be a table of names and values, not {show_node(node)}")
        given = {self.name(pair): self.entry(pair, home) for pair in node.pairs}
        return MappingProxyType({**self.rest, **given})

    def name(self, pair: Pair) -> str:
        if self.names is not None and pair.key not in self.names:
            raise Wrong(Node(pair.place), f"does not know {pair.key!r}{near(pair.key, self.names)}")
        if not pair.key or len(pair.key) > 200 or not pair.key.isprintable():
            raise Wrong(Node(pair.place), "must have names of 1 to 200 printable characters")
        return pair.key

    def entry(self, pair: Pair, home: str) -> Any:
        try:
            return self.item.read(pair.node, home)
        except Wrong as error:
            raise Wrong(Node(error.place), f"[{pair.key!r}] {error}") from None

    def plain(self, value: Mapping[str, Any]) -> dict[str, Any]:
        return {name: self.item.plain(item) for name, item in value.items()}


class Optional(ValueKind):
    """A value or nothing; ``null`` and empty text are nothing, quoted or not."""

    optional = True

    def __init__(self, kind: ValueKind) -> None:
        self.kind = kind
        self.structured = kind.structured

    def read(self, node: Node, home: str) -> Any:
        return None if node.text in ("", "~", "null") else self.kind.read(node, home)

    def plain(self, value: Any) -> Any:
        return None if value is None else self.kind.plain(value)

    def node(self, text: str, place: str) -> Node:
        return Node(place, text="null") if text in ("", "~", "null") else self.kind.node(text, place)


def near(word: str, options: Collection[str], cutoff: float = 0.6) -> str:
    """``"; did you mean …?"`` for the option that resembles ``word``, else nothing.

    ``cutoff`` is difflib's ratio in [0, 1]; its own default is 0.6.
    """
    import difflib

    found = difflib.get_close_matches(word, list(options), n=1, cutoff=cutoff)
    return f"; did you mean {found[0]}?" if found else ""
