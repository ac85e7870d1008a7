"""config.yaml is read strictly: an error names file, line and key."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import hearth.config
from hearth.config import Config, Loaded
from hearth.core.errors import ConfigError

Load = Callable[..., Loaded]
Write = Callable[..., Path]


def test_without_a_file_everything_is_at_its_default_and_yaml_is_not_imported(tmp_path: Path) -> None:
    code = (
        "import sys; from hearth.config import *; from hearth.core.paths import Folders\n"
        "loaded = load(Folders(*sys.argv[1:]*5), {'HOME': '/h'})\n"
        "slow = {'yaml', 'pydantic', 'numpy'} & set(sys.modules)\n"
        "print(loaded.config == Config(), dict(loaded.origins), sorted(slow))"
    )
    source = Path(hearth.config.__file__).parents[2]
    environ = {"PYTHONPATH": str(source)}
    command = [sys.executable, "-c", code, str(tmp_path)]
    run = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "True {} []"


ERRORS = [
    ("search:\n  mmr_lamda: 0.5\n", ":2: search.mmr_lamda is not a setting; did you mean search.mmr_lambda?"),
    ("profile: deep\nserch: {}\n", ":2: serch is not a setting; did you mean search?"),
    ("mmr: false\n", ":1: mmr is not a setting; did you mean search.mmr?"),
    ("zzz: 1\n", ":1: zzz is not a setting"),
    ("collections:\n  a:\n    path: /a\n    patern: x\n", ":4: collections.a.patern is not a setting"),
    ("search:\n  mmr: true\n  mmr: false\n", ":3: the key 'mmr' is given twice"),
    ("profile: deep\nsearch: {}\nprofile: deep\n", ":3: the key 'profile' is given twice"),
    ("profile: dep\n", ":1: profile must be one of speed, balanced, deep, not 'dep'; did you mean deep?"),
    ("profile: [deep]\n", ":1: profile must be one of speed, balanced, deep, not a list"),
    ("search: {mmr: 'true'}\n", ":1: search.mmr must be true or false, not 'true'"),
    ("search: {mmr: 2}\n", ":1: search.mmr must be true or false, not '2'"),
    ("search: {mmr_lambda: 1.01}\n", ":1: search.mmr_lambda must be a number from 0 to 1"),
    ("search: {mmr_lambda: .nan}\n", ":1: search.mmr_lambda must be a number from 0 to 1"),
    ("search: {mmr_lambda: '0.5'}\n", ":1: search.mmr_lambda must be a number"),
    ("server:\n  port: 70000\n", ":2: server.port must be a whole number from 0 to 65535, not '70000'"),
    ("server:\n  port: 1.5\n", ":2: server.port must be a whole number"),
    ("search: {stop_words: the}\n", ":1: search.stop_words must be a list, not 'the'"),
    ("search:\n  stop_words:\n    - a\n    - [b]\n", ":4: search.stop_words must be one line of text, not a list"),
    ("search: {synonyms: [a]}\n", ":1: search.synonyms must be a table of names and values, not a list"),
    ("search:\n  synonyms:\n    a: [b]\n    c: d\n", ":4: search.synonyms ['c'] must be a list"),
    ("search:\n  half_life_days:\n    decison: 3\n", ":3: search.half_life_days does not know 'decison'"),
    ("search: 3\n", ":1: search must be a table of keys, not '3'"),
    ("collections: {a: {pattern: x}}\n", ":1: collections.a needs path"),
    ("collections: {a: }\n", ":1: collections.a needs path"),
    ("collections: {a: {path: notes}}\n", ":1: collections.a.path must be an absolute folder or start with ~/"),
    ("collections: {a: {path: ~}}\n", ":1: collections.a.path must be an absolute folder"),
    ("collections: {_hearth: {path: /a}}\n", ":1: collections can't have the name '_hearth'"),
    ("collections: {A.b: {path: /a}}\n", ":1: collections can't have the name 'A.b'"),
    ("collections: [a]\n", ":1: collections must be a table of names, not a list"),
    ("vaults: {Work: /w}\n", ":1: vaults can't have the name 'Work'"),
    ("vaults: {work: w}\n", ":1: vaults.work.data must be an absolute folder"),
    ("vaults:\n  a: /x\n  b: /x/\n", ":3: vaults.b.data is also the folder of vaults.a.data"),
    ("vaults:\n  a: {roots: [/x]}\n  b: {roots: [/x]}\n", ":3: vaults.b.roots is also the folder of vaults.a.roots"),
    (
        "collections: {a: {path: /a}}\nvaults: {default: {collections: {a: {path: /b}}}}\n",
        ":2: collections.a is already a collection of the default vault",
    ),
    ("fragments: {words: 100, overlap: 100}\n", ":1: fragments.overlap must be less than fragments.words"),
    ("embedding: {url: 'http://me:pw@host/v1'}\n", ":1: embedding.url must be an http or https address"),
    ("embedding: {url: 'file:///etc'}\n", ":1: embedding.url must be an http or https address"),
    ("embedding: {headers: {X-Key: 'a\\nb', b: \"a\\nb\"}}\n", ":1: embedding.headers ['b'] must be one line of text"),
    ('collections: {a: {path: /a, update: "git \'pull"}}\n', ":1: collections.a.update must be a command"),
    ("a: &x [1]\nb: *x\n", ":1: anchors and aliases"),
    ("search:\n  <<: {mmr: true}\n", ":2: search.<< is not a setting"),
    ("profile: !!python/object/apply:os.system [ls]\n", ":1: tags (!) are not accepted"),
    ("profile: deep\n---\nprofile: speed\n", ":2: a second document"),
    ("profile: [\n", "not valid YAML"),
    ("profile: 'deep\n", "not valid YAML"),
    ("profile: \x07\n", "not valid YAML"),
    ("? [a]\n: b\n", ":1: a key must be a word"),
    ("- a\n", ":1: the file must be a table of sections, not a list"),
    ("deep\n", ":1: the file must be a table of sections, not 'deep'"),
    ("{a: {b: {c: {d: {e: {f: {g: {h: 1}}}}}}}}\n", ":1: nested deeper than 8 levels"),
]


@pytest.mark.parametrize(("text", "message"), ERRORS)
def test_a_wrong_file_is_an_error_that_says_what_and_where(write: Write, loaded: Load, text: str, message: str) -> None:
    file = write(text)
    with pytest.raises(ConfigError) as error:
        loaded()
    assert str(error.value).startswith(str(file))
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    assert error.value.exit_code == 2


@pytest.mark.timeout(60)  # written out it has more entries than there is memory for
def test_an_alias_bomb_is_refused(write: Write, loaded: Load) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30)]
    write("\n".join(lines))
    with pytest.raises(ConfigError, match="anchors and aliases"):
        loaded()


@pytest.mark.parametrize("text", ["[" * 100_000, "{a: " * 50_000, "- " * 100_000, "a:\n" + " " * 200_000 + "b: c"])
def test_deep_or_odd_nesting_is_an_error_and_not_a_crash(write: Write, loaded: Load, text: str) -> None:
    write(text)
    with pytest.raises(ConfigError):
        loaded()


def test_a_huge_file_is_refused(write: Write, loaded: Load) -> None:
    write("# " + "x" * 262_144)
    with pytest.raises(ConfigError, match="longer than 256 KiB"):
        loaded()


def test_a_file_that_is_not_utf8_or_not_a_file_is_an_error(write: Write, loaded: Load) -> None:
    file = write("")
    file.write_bytes(b"profile: \xff\xfe")
    with pytest.raises(ConfigError, match="not UTF-8 at byte 9"):
        loaded()
    file.unlink()
    file.mkdir()
    with pytest.raises(ConfigError, match="can't be read: Is a directory"):
        loaded()


@pytest.mark.parametrize(
    "text", ["", "# only a comment\n", "---\n", "null\n", "search:\nvaults:\ncollections: {}\n", "\ufeff"]
)
def test_an_empty_file_or_section_means_the_defaults(write: Write, loaded: Load, text: str) -> None:
    write(text)
    assert loaded().config == Config()


def test_the_key_decides_the_type_of_a_value(write: Write, loaded: Load) -> None:
    write("search: {citations: on, mmr: no, stop_words: [no, 1, on], half_life_days: {decision: null, daily: 7}}")
    search = loaded().config.search
    assert (search.citations, search.mmr, search.stop_words) == ("on", False, ("no", "1", "on"))
    assert search.half_life_days == {"decision": None, "daily": 7.0}


def test_folders_are_expanded_and_commands_split(write: Write, loaded: Load) -> None:
    write(
        "collections: {a: {path: ~/n/, update: \"git pull 'a b'\"}, b: {path: /b, update: [git, pull]}}\n"
        "vaults: {work: {data: ~/c}, other: {data: null}}"
    )
    config = loaded().config
    collections = config.collections
    assert collections["a"].path == Path("/home/me/n")
    assert collections["a"].update == ("git", "pull", "a b")
    assert collections["b"].update == ("git", "pull")
    assert config.vaults["work"].data == Path("/home/me/c")
    assert config.vaults["other"].data is None


@pytest.mark.parametrize(
    "text",
    [
        "embedding: {api_key_env: sk-abcdefgh}",
        "embedding: {api_key_env: 'not a name'}",
        "embedding: {headers: {Authorization: Bearer abcdefgh}}",
        "rerank: {model: Zm9vYmFyYmF6Zm9vYmFyYmF6Zm9vYmFyYmF6Zm9vYmFy1Q==}",
        "search: {mmr: sk-abcdefgh}",
    ],
)
def test_a_secret_is_refused_and_never_shown(write: Write, loaded: Load, text: str) -> None:
    write(text)
    with pytest.raises(ConfigError) as error:
        loaded()
    assert not any(secret in str(error.value) for secret in ("abcdefgh", "Zm9v", "not a name"))


def test_the_tree_is_frozen(write: Write, loaded: Load) -> None:
    write("search: {synonyms: {a: [b]}}")
    config = loaded().config
    with pytest.raises(AttributeError):
        config.profile = "deep"  # type: ignore[misc]
    with pytest.raises(TypeError):
        config.search.synonyms["c"] = ("d",)  # type: ignore[index]
    with pytest.raises(TypeError):
        config.vaults["c"] = config.vaults["default"]  # type: ignore[index]


def test_what_a_file_costs_grows_no_faster_than_the_file(write: Write, loaded: Load, steps: Callable[..., int]) -> None:
    def cost(count: int) -> int:
        write("".join(f"search:\n  synonyms: {{{', '.join(f'w{n}: [a, b]' for n in range(count))}}}\n"))
        loaded()
        return steps(loaded)

    few, many = cost(100), cost(400)
    assert many < 4.2 * few
    assert few < 40_000
