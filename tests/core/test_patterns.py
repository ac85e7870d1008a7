"""Patterns kept between processes are those that the library compiles."""

from __future__ import annotations

import marshal
import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from types import CodeType

import pytest

from hearth.core.patterns import PatternCache, _lay_out, _short

ODD = [
    (r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})(?:\.(\d{4}))?", 0),
    (r"(?<!\w)(?:straße|улица|通り)(?!\w)", re.IGNORECASE),
    (r"^\s*(?:[-*+]|\d+[.)])\s+(.*)$", re.MULTILINE | re.VERBOSE),
    (rb"[\x00-\x08\xff]+", 0),
    (r"(?i:a)b|(c)(?(1)d|e)", re.ASCII),
]
KEYS = [_short((source, int(flags))) for source, flags in ODD]
TEXTS = ["12.3.2024", "Straße УЛИЦА 通り", "- one\n2) two", "Ab cd e", ""]


@pytest.fixture(autouse=True)
def bytecode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)


def kept(file: Path) -> PatternCache:
    """A cache of a later process."""
    first = PatternCache(str(file), worth=0)
    for source, flags in ODD:
        first.compile(source, flags)
    first.save()
    return PatternCache(str(file))


@pytest.mark.parametrize(("source", "flags"), ODD)
def test_a_kept_pattern_finds_what_a_compiled_one_finds(source: str | bytes, flags: int, tmp_path: Path) -> None:
    found, expected = kept(tmp_path / "p.bin").compile(source, flags), re.compile(source, flags)
    assert (found.pattern, found.flags, found.groups, found.groupindex) == (
        expected.pattern, expected.flags, expected.groups, expected.groupindex,
    )  # fmt: skip
    for text in TEXTS:
        given = text.encode() if isinstance(source, bytes) else text
        assert [(m.span(), m.groups(), m.lastgroup) for m in found.finditer(given)] == [
            (m.span(), m.groups(), m.lastgroup) for m in expected.finditer(given)
        ]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no marshal",
        b"1234567",
        marshal.dumps(("another Python", {})) + bytes(8),
        b"".join(_lay_out({KEYS[0]: b"no entry", KEYS[1]: marshal.dumps(((ODD[1][0], 2), b"no code"))})),
        b"".join(_lay_out({KEYS[1]: marshal.dumps(((ODD[1][0], 2), (0, b"\xff\xff\xff\xff", 0, {})))})),
        b"".join(_lay_out({key: marshal.dumps(("another", 1)) for key in KEYS})),
        b"".join(_lay_out({key: bytes(100) for key in KEYS}))[100:],
    ],
)
def test_a_file_that_is_odd_means_that_patterns_are_compiled(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "p.bin").write_bytes(content)
    cache = PatternCache(str(tmp_path / "p.bin"))
    assert [cache.compile(*one).pattern for one in ODD] == [source for source, _ in ODD]
    assert cache.compile(*ODD[0]).match("12.3.2024")


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    cache = kept(tmp_path / "nowhere" / "p.bin")
    assert cache.compile(r"\d", 0).match("1")
    assert list(tmp_path.iterdir()) == []


def test_processes_add_to_what_others_kept(tmp_path: Path) -> None:
    file = tmp_path / "p.bin"
    kept(file)
    later = PatternCache(str(file), worth=0)
    later.compile("later", 0)
    later.save()
    last = PatternCache(str(file))
    assert [last._find(key) is not None for key in (*ODD, ("later", 0), ("never", 0))] == [True] * 6 + [False]
    assert [one.name for one in tmp_path.iterdir()] == ["p.bin"]


def test_python_that_writes_no_bytecode_keeps_no_patterns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    kept(tmp_path / "p.bin")
    assert list(tmp_path.iterdir()) == []


def test_patterns_lie_beside_the_bytecode(tmp_path: Path) -> None:
    code = "import hearth.core.patterns as p; print(p.CACHE.file)"
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environ["PYTHONPYCACHEPREFIX"] = str(tmp_path)
    done = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True)
    assert Path(done.stdout.strip()).is_relative_to(tmp_path)


def test_code_is_kept_until_what_it_is_made_of_changes(tmp_path: Path) -> None:
    def make(source: str) -> CodeType:
        return compile(source, "one", "eval")

    first = PatternCache(str(tmp_path / "p.bin"), worth=0)
    assert eval(first.keep("one", (1, ["a"]), partial(make, "20 + 1"))) == 21  # noqa: S307
    first.save()
    later = PatternCache(str(tmp_path / "p.bin"))
    assert eval(later.keep("one", (1, ["a"]), partial(make, "no code at all"))) == 21  # noqa: S307
    assert eval(later.keep("one", (1, ["b"]), partial(make, "20 + 2"))) == 22  # noqa: S307
