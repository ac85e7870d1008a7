"""The documents say what is there: links resolve, commands exist, the map and the constants are those of the source."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import click
import pytest
from tests.torture import OTHERS, SUITES

from hearth.cli.commands import cli
from hearth.recall.ranking import weights

ROOT = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
ARCHITECTURE = ROOT / "docs" / "ARCHITECTURE.md"
SOURCE = ROOT / "src" / "hearth"
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
# Where a command of ours ends and the shell's part begins.
SHELL = frozenset({"|", ">", "&&", ";", "#"})


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#{1,6} (.+)$", FENCE.sub("", text(page)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(page: Path) -> Iterator[str]:
    for target in LINK.findall(FENCE.sub("", text(page))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = unquote(target).partition("#")
        place = page if not path else page.parent / path
        if not place.exists() or (anchor and anchor not in anchors(place)):
            yield target


def command_lines(page: Path) -> Iterator[list[str]]:
    """What follows ``hearth`` on each line of a fenced block that runs it, also inside ``$(...)``."""
    for language, block in FENCE.findall(text(page)):
        if language not in ("sh", "console", ""):
            continue
        lines = [line[2:] for line in block.splitlines() if line.startswith("$ ")] if language == "console" else []
        for line in lines or ([] if language == "console" else block.splitlines()):
            yield from _inner(line)
            words = _words(line)
            for at, word in enumerate(words):
                if word == "hearth" and (at == 0 or words[at - 1] in SHELL):
                    yield words[at + 1 :]


def _inner(line: str) -> Iterator[list[str]]:
    for inside in re.findall(r"\$\(hearth ([^)]*)\)", line):
        yield _words(inside)


def _words(line: str) -> list[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|>;&")
    lexer.whitespace_split = True
    return list(lexer)


def complaint(words: list[str]) -> str | None:
    """Why a command line can't be run; synopses with ``[--option]`` and ``…`` are read as what they offer."""
    ours: list[str] = []
    for word in words:
        if word in SHELL:
            break
        ours.append(word)
    command: click.Command = cli
    context = click.Context(cli)
    while isinstance(command, click.Group) and ours and not ours[0].startswith("-"):
        found = command.get_command(context, ours[0])
        if found is None:
            return f"no command {ours[0]!r}"
        command, ours = found, ours[1:]
    known = {flag for option in (*cli.params, *command.params) for flag in (*option.opts, *option.secondary_opts)}
    for word in ours:
        if word == "--":
            return None
        flags = re.match(r"\[?(--?[a-zA-Z][\w-]*)", word)
        if flags and flags[1] not in known | {"--help", "-h"}:
            return f"{command.name} has no option {flags[1]}"
    return None


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    assert list(broken_links(page)) == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_page_says_nothing_twice(page: Path) -> None:
    prose = re.split(r"\n\s*\n|\n(?=- )", FENCE.sub("", text(page)))
    counted = Counter(" ".join(part.split()) for part in prose if len(part) > 60 and not part.lstrip().startswith("|"))
    counted.update(re.findall(r"^## .+$", FENCE.sub("", text(page)), re.MULTILINE))
    assert [said for said, count in counted.items() if count > 1] == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_command_named_in_prose_exists(page: Path) -> None:
    named = re.findall(r"`hearth ((?:[a-z][a-z-]+ ?)+)", FENCE.sub("", text(page)))
    found = {words: complaint(words.split()) for words in named}
    assert {words: why for words, why in found.items() if why} == {}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_command_line_names_a_command_and_its_options(page: Path) -> None:
    found = {" ".join(words): complaint(words) for words in command_lines(page)}
    assert {line: why for line, why in found.items() if why} == {}


def test_wrong_command_lines_are_noticed() -> None:
    assert complaint(_words("qery x")) == "no command 'qery'"
    assert complaint(_words("query x --explian")) == "query has no option --explian"
    assert complaint(_words("journal verify --yes")) == "verify has no option --yes"
    assert complaint(_words("query x --explain | head -z")) is None


def test_a_broken_link_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Here\n[a](#here) [b](#there) [c](gone.md) [d](https://example.org/x)\n", encoding="utf-8")
    assert list(broken_links(page)) == ["#there", "gone.md"]


def test_the_pages_hold_command_lines() -> None:
    assert len(list(command_lines(ROOT / "README.md"))) >= 5
    assert len(list(command_lines(ROOT / "docs" / "vault.md"))) >= 5


def test_the_layers_are_those_that_the_linter_checks() -> None:
    contracts: list[dict[str, Any]] = tomllib.loads(text(ROOT / "pyproject.toml"))["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    checked = [layer.replace("(", "").replace(")", "") for layer in layers]
    listed = next(block for _, block in FENCE.findall(text(ARCHITECTURE)) if block.startswith("cli\n"))
    assert listed.splitlines() == checked


def test_the_map_names_every_top_level_module_and_nothing_else() -> None:
    section = text(ARCHITECTURE).split("## The map")[1].split("\n## ")[0]
    named = set(re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE))
    there = {entry.name for entry in SOURCE.glob("*.py")}
    there |= {f"{entry.parent.name}/" for entry in SOURCE.glob("*/__init__.py")}
    assert named == there


def test_every_source_file_that_the_architecture_names_exists() -> None:
    named = set(re.findall(r"`((?:[a-z_]+/)+[a-z_]*(?:\.py)?|[a-z_]+\.py)`", text(ARCHITECTURE)))
    parts = [
        SOURCE,
        ROOT,
        SOURCE / "cli",
        SOURCE / "store",
        SOURCE / "models",
        ROOT / "tests",
    ]
    missing = {name for name in named if not any((part / name).exists() for part in parts)}
    assert missing <= {"src/hearth/"} and len(named) > 40


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_every_table_and_module_that_a_page_names_exists(page: Path) -> None:
    rooms = "|".join(sorted(entry.parent.name for entry in SOURCE.glob("*/__init__.py")))
    named = re.findall(rf"`(?:src/hearth/)?((?:{rooms})/[\w./-]+\.(?:py|tsv|toml|txt|bin))`", text(page))
    assert [name for name in named if not (SOURCE / name).exists()] == []


def test_the_scoring_page_states_every_constant() -> None:
    rows = re.findall(r"^\| `([\w.]+)` \| ([\d.]+) \|", text(ROOT / "docs" / "scoring.md"), re.MULTILINE)
    groups = (
        weights.KEYWORD,
        weights.BRIDGE,
        weights.FUSION,
        weights.PRIOR,
        weights.CONFIDENCE,
        weights.CUT,
        weights.DIVERSITY,
        weights.PACK,
        weights.RERANK,
        weights.NEWEST,
    )
    constants = {
        f"{type(group).__name__}.{field.name}": getattr(group, field.name)
        for group in groups
        for field in fields(group)
    }
    others = {"VOICE": weights.VOICE, "REFERENCE": weights.REFERENCE, "SPOKEN": weights.SPOKEN}
    assert {key: float(value) for key, value in rows} == constants | others


def test_the_page_on_security_quotes_the_table_of_torture() -> None:
    rows = re.findall(
        r"^\| ([a-z ,]+) \| ([\d,]+) \| [\d,]+ \| \d+ \|", text(ROOT / "docs" / "security.md"), re.MULTILINE
    )
    asked = {name: int(count.replace(",", "")) for name, count in rows}
    assert list(asked) == [*SUITES, OTHERS]
    assert {name: asked[name] for name in SUITES} == SUITES


def test_the_notice_names_files_that_are_there() -> None:
    named = re.findall(r"src/hearth/[\w./]+\w", (ROOT / "NOTICE").read_text(encoding="utf-8"))
    assert len(named) >= 4
    assert [path for path in named if not (ROOT / path).exists()] == []
