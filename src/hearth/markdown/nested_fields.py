"""Frontmatter beyond flat keys, as flat fields."""

from __future__ import annotations

from hearth.core import yaml_tree
from hearth.core.yaml_tree import Item, YamlRefused
from hearth.markdown.blocks import Value


def read(block: str, max_depth: int) -> tuple[dict[str, Value], str | None]:
    """Fields of one mapping, and a key that is given twice, of which the last counts.

    Maps in lists give ``list.key``. Raises ``yaml_tree.YamlRefused``, with lines of the block.
    """
    root = yaml_tree.read(block, max_depth)
    if root is None:
        return {}, None
    if root.pairs is None:
        raise YamlRefused("it has no keys")
    fields = _Fields()
    fields.table(root, "", in_list=False)
    return {key: tuple(v) if isinstance(v, list) else v for key, v in fields.held.items()}, fields.twice


class _Fields:
    def __init__(self) -> None:
        self.held: dict[str, str | list[str]] = {}
        self.twice: str | None = None

    def table(self, item: Item, prefix: str, *, in_list: bool) -> None:
        for key, value in item.pairs or ():
            if key.text == "<<" and not key.style:
                raise YamlRefused("merge keys are not allowed", key.line)
            name = f"{prefix}.{key.text}" if prefix else str(key.text)
            if name in self.held and not in_list:
                self.twice = name
                del self.held[name]
            self._value(name, value, in_list=in_list)

    def _value(self, name: str, item: Item, *, in_list: bool) -> None:
        if item.text is not None:
            self._put(name, item.text, in_list=in_list)
        elif item.pairs is not None:
            self.table(item, name, in_list=in_list)
        else:
            self._list(name, item)

    def _list(self, name: str, item: Item) -> None:
        values = self.held.setdefault(name, [])
        for inner in item.items or ():
            self._value(name, inner, in_list=True)
        if values == [] and any(other.startswith(f"{name}.") for other in self.held):
            self.held.pop(name, None)

    def _put(self, name: str, value: str, *, in_list: bool) -> None:
        present = self.held.get(name)
        if not in_list:
            self.held[name] = value
        elif isinstance(present, list):
            present.append(value)
        else:
            self.held[name] = [value] if present is None else [present, value]
