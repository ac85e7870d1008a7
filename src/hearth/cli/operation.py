"""Commands made from operations: their options are the operation's arguments, said there once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from hearth.cli import options, output
from hearth.cli.session import CommandSession, pass_session
from hearth.core.lazy import regex
from hearth.operations.arguments import Arguments, Field, View
from hearth.operations.operation import Operation
from hearth.operations.runner import carried_out
from hearth.operations.state import Reasoned

if TYPE_CHECKING:
    from hearth.vault.vault import Vault

_FEW = 12
# Help says it by itself.
_DEFAULT = regex(r" \(default [^)]*\)")


def find_actor() -> str:
    """A person is whoever sits at a terminal."""
    return "human" if sys.stdin is not None and sys.stdin.isatty() else "program"


def parameters(takes: type[Arguments], names: str | None = None) -> list[click.Parameter]:
    """``names`` are arguments in order, all where it is ``None``: ``*`` before the one that takes all words, ``.``
    before one that is a word of its own, ``=`` before another name of the option, ``@`` before the one that the
    function has, ``/`` before its letter. Texts that have to be given are words where nothing else is said."""
    fields = takes.fields()
    if names is None:
        needed = [name for name, field in fields.items() if field.required and field.kind == "string"]
        marks = {name: "*" if name == needed[-1] else "." for name in needed}
        rest = [name for name in fields if name != "vault" and name not in marks]
        names = " ".join([*(marks[name] + name for name in needed), *rest])
    return [_parameter(fields, word) for word in names.split()]


def _parameter(fields: Any, word: str) -> click.Parameter:
    spelled, _, letter = word.partition("/")
    spelled, _, passed = spelled.partition("@")
    spelled, _, called = spelled.partition("=")
    name = spelled.lstrip("*.")
    field: Field = fields[name]
    if spelled != name:
        metavar = (called or name).upper()
        return click.Argument(
            [passed or name],
            nargs=-1 if spelled[0] == "*" else 1,
            required=field.required,
            default=None if spelled[0] == "*" else field.default,
            metavar=metavar if field.required else f"[{metavar}]",
            type=_type(field.schema),
        )
    option = f"--{(called or name).replace('_', '-')}"
    ago = ", or 7d, 2w ago." if "format" in field.schema else ""
    more: dict[str, Any] = {"help": _DEFAULT.sub("", field.description).rstrip("." if ago else "") + ago}
    if field.kind == "boolean":
        more |= {"is_flag": True, "default": bool(field.default)}
        option += f"/--no-{option[2:]}" if field.default else ""
    elif field.kind == "array":
        more |= {"multiple": True, "metavar": (called or name).upper()}
    else:
        more |= {"default": field.default, "show_default": True}
        # click names the options of a short list by itself.
        if field.kind == "string" and len(field.schema.get("enum", ())) not in range(1, _FEW + 1):
            more["metavar"] = "WHEN" if "format" in field.schema else (called or name).upper()
    return click.Option(
        [passed or name, *([f"-{letter}"] if letter else []), option],
        type=_type(field.schema),
        required=field.required,
        **more,
    )


def _type(schema: dict[str, Any]) -> click.ParamType[Any] | None:
    """Of many options the engine's error names the nearest, which is more help."""
    if "enum" in schema:
        return click.Choice(schema["enum"]) if len(schema["enum"]) <= _FEW else None
    match schema["type"]:
        case "integer":
            return click.IntRange(schema.get("minimum"), schema.get("maximum"))
        case "number":
            return click.FloatRange(schema.get("minimum"), schema.get("maximum"))
    return None


def taking(takes: type[Arguments], names: str | None = None) -> Callable[[Any], Any]:
    """Decorates a command with the options of these arguments."""

    def decorate(command: Any) -> Any:
        made = getattr(command, "__click_params__", [])
        command.__click_params__ = [*made, *reversed(parameters(takes, names))]
        return command

    return decorate


def read(takes: type[Arguments], given: dict[str, Any]) -> Any:
    """The arguments among what a command was given, which is taken out of it. Raises ``UsageError``."""
    fields = takes.fields()
    found: dict[str, Any] = {}
    for name in [name for name in given if name in fields]:
        value = given.pop(name)
        if isinstance(value, tuple) and fields[name].kind == "string":
            value = options.text_or_stdin(value)
        if value is not None and value != ():
            found[name] = value
    return View(takes, " ".join(fields)).read(found)


def command(operation: Operation[Any]) -> click.Command:
    """An operation that has no command of its own in this package, as one."""

    def run(session: CommandSession, /, as_json: bool, **given: Any) -> None:
        asked = read(operation.takes, given)

        def wait_for_rebuild(vault: Vault) -> None:
            if not operation.apart and vault.index.is_stale():
                session.freshen(vault)

        done = carried_out(operation, asked, session.vault_name, actor=find_actor(), prepare=wait_for_rebuild)
        with done as (result, remarks):
            show(operation, result, asked, as_json=as_json)
        for remark in remarks:
            output.warn(remark)

    run.__doc__ = operation.summary
    made = taking(operation.takes)(options.json_flag(pass_session(run)))
    return click.command(operation.name.replace("_", "-"))(made)


def show(operation: Operation[Any], result: Any, given: Arguments, *, as_json: bool) -> None:
    """A result as JSON, else in the operation's own words."""
    if isinstance(result, Iterator):
        for piece in result:
            output.say(piece.decode("utf-8").rstrip("\n"))
    elif isinstance(result, str):
        output.say(result)
    elif as_json:
        output.say_json(result.to_dict())
    else:
        output.say(output.clean(operation.words(result, given)))


_REMARKS: list[Callable[[Any], Any]] = [
    taking(Reasoned, "reason"),
    click.option("--actor", metavar="NAME", help="Who does it [default: human on a terminal, else program]."),
    options.json_flag,
]


def remarks(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options for reason, actor and JSON."""
    for option in reversed(_REMARKS):
        command = option(command)
    return command


def signed(given: dict[str, Any]) -> dict[str, Any]:
    return given | {"actor": given["actor"] or find_actor()}
