"""Any bytes are a question: an answer or one line of error, never a traceback."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearth.app import open_folder
from hearth.cli import main
from hearth.core.errors import UsageError
from hearth.recall.recall import RECIPES
from hearth.vault.vault import Vault

NASTY = [
    "", " ", "\t\n\r", "\x00", "a\x00b", "\x1b[2J\x1b]0;title\x07", "\x7f", "\ufeff", "\u200b\u200d",
    "\u202eevil\u202c", "AND", "OR", "NOT", "NEAR", "a AND", "NOT NOT a", "a NEAR/5 b", "NEAR(a b, 5)",
    "title:x", "^a", "a*", "*", "**", "(", ")", "(()", "((((((((((a))))))))))", "{a b}: c", "-", "--",
    "---", "- -", "-river", "-river -index", "+river", '"', '""', '"""', '"unclosed', 'a"b"c', '" "', "'",
    "''; DROP TABLE documents; --", "' OR 1=1 --", "%", "_", "\\", "\\x00", "${HOME}", "$(id)", "`id`",
    "{{7*7}}", "%s%n%x", "path:", "path:../../etc/passwd", 'path:"', "tag:", "tag::", "type:",
    "type:nothing", "before:", "before:never", "after:2026-13-45", "before:9999999999-01-01", "after:-1",
    "before:2026-01-01 after:2027-01-01", "before:0000-00-00", "since yesterday until tomorrow",
    "in 99999999999 days", "\U0001f600" * 50, "e\u0301" * 200, "a" + "\u0301" * 500, "مرحبا بالعالم",
    "שלום", "你好世界", "สวัสดีชาวโลก", "नमस्ते", "\U0001d573\U0001d58a", "ﷺ", "ß ẞ İ ı ſ", "\ud800",
    "a\udcffb", "\udc80\udcfe", "\U0010ffff", "\ufffe", "a" * 9_999, "a " * 5_000, "a" * 10_001,
    "word " * 20_000, "x" * 1_000_000, '"' * 5_000, "(" * 5_000, "-a " * 3_000, "../" * 500,
    "https://user:pass@host/?q=%00", "0", "1e309", "NaN", "-0", "None", "null", "[]", "٣٤٥",
    "v1.2.3-rc.1+b",
]  # fmt: skip


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    home = tmp_path_factory.mktemp("queries")
    notes = home / "notes"
    notes.mkdir()
    for number, text in enumerate(
        ("The river runs past the house.", "An index of all memory.", "你好世界", "`getUserById`")
    ):
        (notes / f"n{number}.md").write_text(f"# Note {number}\n\n{text}\n", encoding="utf-8")
    with open_folder(notes, home / "work") as opened:
        opened.index.sync()
        yield opened


def answered(vault: Vault, text: str, recipe: str) -> None:
    try:
        answer = vault.recall(text, recipe=recipe)
    except UsageError as error:
        assert str(error) and "\n" not in str(error)
        return
    assert answer.hits or answer.reason
    assert all(0 <= hit.score <= 1 for hit in answer.hits)


@pytest.mark.parametrize("recipe", sorted(RECIPES))
def test_recall_takes_every_odd_text(vault: Vault, recipe: str) -> None:
    for text in NASTY:
        answered(vault, text, recipe)


@settings(max_examples=80, deadline=None)
@given(st.text(alphabet=st.characters(), max_size=60), st.sampled_from(sorted(RECIPES)))
def test_recall_takes_any_text(vault: Vault, text: str, recipe: str) -> None:
    answered(vault, text, recipe)


PIECES = [
    '"',
    "-",
    "path:",
    "tag:",
    "type:",
    "before:",
    "after:",
    "2026-01-01",
    "river",
    "\ud800",
    "*",
    "(",
    ")",
    " ",
    "OR",
]


@settings(max_examples=80, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_recall_takes_any_mixture_of_operators(vault: Vault, text: str) -> None:
    answered(vault, text, "hybrid")


@pytest.mark.torture
@pytest.mark.timeout(1800)
@settings(max_examples=20_000, deadline=None)
@given(st.one_of(st.text(alphabet=st.characters(), max_size=200), st.lists(st.sampled_from(PIECES)).map("".join)))
def test_recall_takes_very_many_texts(vault: Vault, text: str) -> None:
    answered(vault, text, "hybrid")


@pytest.fixture
def hearth(
    indexed: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    """Runs a command in this process; gives its exit code and what it wrote to stderr."""
    for name, value in indexed.environ.items():
        monkeypatch.setenv(name, value)

    def run(*arguments: str) -> tuple[int, str]:
        code = main(list(arguments))
        return code, capfd.readouterr().err

    return run


def test_the_command_line_takes_every_odd_text(hearth: Callable[..., tuple[int, str]]) -> None:
    formats = itertools.cycle([[], ["--json"], ["--md"], ["--csv"], ["--files"], ["--explain"]])
    commands = itertools.cycle(["search", "query", "vsearch"])
    for text in NASTY:
        if len(text) > 100_000 or text == "-":  # a system has a limit for arguments; a dash means standard input
            continue
        code, err = hearth(next(commands), *next(formats), "--", text)
        assert code in (0, 2), (text, code, err)
        assert "unexpected" not in err and "Traceback" not in err, (text, err)
        assert code == 0 or len(err.splitlines()) == 1, (text, err)
        assert "\x1b" not in err


def test_standard_input_may_hold_anything(indexed: Any) -> None:
    for source in (b"x" * 1_000_000, b"word " * 300_000, bytes(range(256)) * 4, b""):
        result = indexed.run("query", "--json", "-", stdin=source).plain()
        assert result.code in (0, 2), result.err


def test_arguments_may_be_any_bytes(indexed: Any) -> None:
    for argument in (b"caf\xe9 \x80\xff", "\u202e\U0001f600".encode() + b"\x1b[31m" * 100):
        result = indexed.run(b"query", argument, environ={"LC_ALL": "C"}).plain()
        assert result.code in (0, 2), result.err
        assert "\x1b" not in result.out + result.err


@pytest.mark.torture
@pytest.mark.timeout(1800)
def test_processes_of_their_own_take_every_odd_text(indexed: Any) -> None:
    for text in NASTY:
        if "\x00" in text or len(text) > 100_000:
            continue
        result = indexed.run("query", "--", text.encode("utf-8", "surrogatepass")).plain()
        assert result.code in (0, 2), (text, result.err)


def test_other_commands_take_odd_references(hearth: Callable[..., tuple[int, str]]) -> None:
    for text in [text for text in NASTY if len(text) < 100_000]:
        for command in ("get", "similar", "multi-get"):
            code, err = hearth(command, "--", text)
            assert code in (0, 2, 3, 4), (command, text, code, err)
            assert "unexpected" not in err and len(err.splitlines()) <= 1, (command, text, err)
