"""Small mistakes that a module could hold: each mutant is its source with one of them.

Comparisons flipped or moved by one, ``and`` and ``or`` exchanged, ``not`` dropped, numbers one greater, truth values
and strings changed, sums and products the other way round, slices longer by one, ``return None``, statements left out.
Left alone is what no test can tell apart: docstrings, annotations, decorators, what stands in an error's text or under
``TYPE_CHECKING``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise

_COMPARED: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.In: ("in", "not in"),
    ast.NotIn: (r"not\s+in", "in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: (r"is\s+not", "is"),
}
_REVERSED: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """``source`` is the whole module; ``line`` and ``what`` say where and what was changed."""

    line: int
    what: str
    source: str


@dataclass(frozen=True, slots=True)
class _Edit:
    """Bytes from ``start`` to ``end`` become ``text``."""

    start: int
    end: int
    text: str


def mutants(source: str, lines: Collection[int] | None = None) -> list[Mutant]:
    """All of a module in the order of its lines; with ``lines``, those that change one of them."""
    data = source.encode()
    starts = [0]
    for row in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(row))
    found = {}
    for edit in _Edits(data, starts).of(ast.parse(source)):
        line = data.count(b"\n", 0, edit.start) + 1
        if lines is None or line in lines:
            changed = (data[: edit.start] + edit.text.encode() + data[edit.end :]).decode()
            before = data[edit.start : edit.end].decode()
            found[changed] = Mutant(line, f"{_short(before)} -> {_short(edit.text)}", changed)
    return sorted((mutant for mutant in found.values() if _compiles(mutant.source)), key=lambda mutant: mutant.line)


class _Edits:
    """Finds the edits of a tree over the bytes that it was parsed from."""

    def __init__(self, data: bytes, starts: list[int]) -> None:
        self._data, self._starts = data, starts

    def of(self, node: ast.AST) -> Iterator[_Edit]:
        """Those of the node itself, then of what is in it."""
        yield from self._here(node)
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "type_params"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and not _is_left_alone(child):
                    yield from self.of(child)

    def _here(self, node: ast.AST) -> Iterator[_Edit]:
        match node:
            case ast.Compare():
                yield from self._compared(node)
            case ast.BoolOp(values=values):
                old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
                for left, right in pairwise(values):
                    yield from self._between(left, right, old, new)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _REVERSED:
                old, new = _REVERSED[type(op)]
                yield from self._between(left, right, re.escape(old), new)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield _Edit(self._start(node), self._start(operand), "")
            case ast.Constant():
                yield from self._constant(node)
            case ast.Slice():
                yield from self._slice(node)
            case ast.Return(value=ast.expr() as value) if not (isinstance(value, ast.Constant) and value.value is None):
                yield self._instead(value, "None")
            case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Delete():
                yield self._instead(node, "pass")
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
                yield self._instead(node, "pass")
            case ast.Continue() | ast.Break():
                yield self._instead(node, "pass")

    def _compared(self, node: ast.Compare) -> Iterator[_Edit]:
        parts = [node.left, *node.comparators]
        for op, left, right in zip(node.ops, parts, parts[1:], strict=False):
            old, new = _COMPARED[type(op)]
            yield from self._between(left, right, old, new)

    def _constant(self, node: ast.Constant) -> Iterator[_Edit]:
        value = node.value
        if isinstance(value, bool):
            yield self._instead(node, str(not value))
        elif isinstance(value, int | float):
            yield self._instead(node, repr(value + 1))
        elif isinstance(value, str) and self._data[self._start(node) : self._start(node) + 1] in (b'"', b"'"):
            yield self._instead(node, repr(value + "~") if value else "'~'")

    def _slice(self, node: ast.Slice) -> Iterator[_Edit]:
        for bound in (node.lower, node.upper):
            if bound is not None and not isinstance(bound, ast.Constant):
                text = self._data[self._start(bound) : self._end(bound)].decode()
                yield self._instead(bound, f"({text}) + 1")

    def _between(self, left: ast.expr, right: ast.expr, pattern: str, new: str) -> Iterator[_Edit]:
        start, end = self._end(left), self._start(right)
        if found := re.search(pattern.encode(), self._data[start:end]):
            yield _Edit(start + found.start(), start + found.end(), new)

    def _instead(self, node: ast.expr | ast.stmt, text: str) -> _Edit:
        return _Edit(self._start(node), self._end(node), text)

    def _start(self, node: ast.expr | ast.stmt) -> int:
        return self._starts[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr | ast.stmt) -> int:
        return self._starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or node.col_offset)


def _is_left_alone(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Constant()) | ast.JoinedStr() | ast.Raise() | ast.Import() | ast.ImportFrom():
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name == "__all__"
    return False


def _compiles(source: str) -> bool:
    try:
        compile(source, "mutant", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


def _short(text: str) -> str:
    return " ".join(text.split())[:40] or "(nothing)"
