"""Flag > environment > .env > file > default, each typed by its key and named as origin."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.config import Loaded, changed, get, load, restart_needed, rows
from hearth.config.load import OTHER_VARIABLES, from_dotenv, variables
from hearth.config.schema import leaf_keys
from hearth.config.tree import Config
from hearth.core.errors import ConfigError, NotFound
from hearth.core.paths import Folders

Load = Callable[..., Loaded]
Write = Callable[..., Path]

LAYERS = [
    ("--search-mmr-lambda", 0.1),
    ("HEARTH_SEARCH_MMR_LAMBDA", 0.2),
    (".env:2", 0.3),
    ("config.yaml:3", 0.4),
]


@pytest.mark.parametrize("present", list(itertools.product([True, False], repeat=4)))
def test_the_strongest_source_that_gives_a_key_wins(write: Write, loaded: Load, present: tuple[bool, ...]) -> None:
    flag, environment, dotenv, file = present
    if file:
        write("# x\nsearch:\n  mmr_lambda: 0.4\n")
    if dotenv:
        write("# x\nHEARTH_SEARCH_MMR_LAMBDA=0.3\n", ".env")
    environ = {"HEARTH_SEARCH_MMR_LAMBDA": "0.2"} if environment else {}
    result = loaded(environ, search__mmr_lambda="0.1" if flag else None)
    given = [layer for layer, here in zip(LAYERS, present, strict=True) if here]
    origin, value = given[0] if given else ("default", Config().search.mmr_lambda)
    assert result.config.search.mmr_lambda == value
    assert {key: where for key, _, where in rows(result)}["search.mmr_lambda"] == origin


def test_flags_may_be_text_or_typed(loaded: Load) -> None:
    result = loaded(profile="deep", search__mmr=False, search__stop_words=["a"], server__port="8000")
    assert result.config.profile == "deep"
    assert (result.config.search.mmr, result.config.search.stop_words, result.config.server.port) == (
        False,
        ("a",),
        8000,
    )
    assert result.origins["profile"] == "--profile"
    with pytest.raises(ConfigError, match=r"--profile: profile must be one of"):
        loaded(profile="fast")
    with pytest.raises(ConfigError, match=r"--search-nmr: search.nmr is not a setting; did you mean search.mmr"):
        loaded(search__nmr=True)


@pytest.mark.parametrize(
    ("name", "text", "key", "value"),
    [
        ("HEARTH_PROFILE", "deep", "profile", "deep"),
        ("HEARTH_SEARCH_MMR", "0", "search.mmr", False),
        ("HEARTH_SEARCH_MMR", "YES", "search.mmr", True),
        ("HEARTH_SEARCH_STOP_WORDS", "a, b,,c ", "search.stop_words", ["a", "b", "c"]),
        ("HEARTH_SEARCH_STOP_WORDS", '["a, b"]', "search.stop_words", ["a, b"]),
        ("HEARTH_SEARCH_SYNONYMS", '{"k8s": ["kubernetes"]}', "search.synonyms", {"k8s": ["kubernetes"]}),
        ("HEARTH_SEARCH_HALF_LIFE_DAYS", '{"note": null}', "search.half_life_days", {"note": None}),
        ("HEARTH_FRAGMENTS_WORDS", "200", "fragments.words", 200),
        ("HEARTH_FRAGMENTS_WORDS", "null", "fragments.words", None),
        ("HEARTH_EMBEDDING_MODEL", "", "embedding.model", None),
        ("HEARTH_PROFILE", "", "profile", "balanced"),
        ("HEARTH_SEARCH_STOP_WORDS", " ", "search.stop_words", []),
        ("HEARTH_DAEMON_DEBOUNCE_SECONDS", "2", "daemon.debounce_seconds", 2.0),
    ],
)
def test_a_variable_is_typed_by_its_key(loaded: Load, name: str, text: str, key: str, value: object) -> None:
    assert get(loaded({name: text}), key) == value


def test_an_empty_variable_sets_an_optional_key_to_null_over_the_file(write: Write, loaded: Load) -> None:
    write("embedding: {model: big}\nprofile: deep\n")
    config = loaded({"HEARTH_EMBEDDING_MODEL": "", "HEARTH_PROFILE": ""}).config
    assert (config.embedding.model, config.profile) == (None, "deep")


def test_vaults_and_collections_as_json_replace_those_of_the_file(write: Write, loaded: Load) -> None:
    write("vaults: {old: /old}\ncollections: {a: {path: /a, trust: agent}}\n")
    result = loaded(
        {"HEARTH_VAULTS": '{"work": "~/w", "home": {"roots": ["/r"]}}', "HEARTH_COLLECTIONS": '{"b": {"path": "/b"}}'}
    )
    assert set(result.config.vaults) == {"default", "work", "home"}
    assert result.config.vaults["work"].data == Path("/home/me/w")
    assert list(result.config.collections) == ["b"]
    assert result.origins["vaults.work.data"] == "HEARTH_VAULTS"


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        (
            {"HEARTH_SEARCH_MMR_LAMDA": "1"},
            "HEARTH_SEARCH_MMR_LAMDA is not a setting; did you mean HEARTH_SEARCH_MMR_LAMBDA?",
        ),
        ({"HEARTH_PROFIL": "deep"}, "HEARTH_PROFIL is not a setting; did you mean HEARTH_PROFILE?"),
        ({"HEARTH_DATA_DIRS": "/x"}, "did you mean HEARTH_DATA_DIR?"),
        ({"HEARTH_SERVER_XYZZY_PLUGH": "1"}, "HEARTH_SERVER_XYZZY_PLUGH is not a setting"),
        ({"HEARTH_PROFILE": "fast"}, "HEARTH_PROFILE: profile must be one of"),
        ({"HEARTH_VAULTS": "{"}, "HEARTH_VAULTS: not valid JSON"),
        ({"HEARTH_VAULTS": '{"a": "/a", "a": "/b"}'}, "HEARTH_VAULTS: a key is given twice"),
        (
            {"HEARTH_VAULTS": '{"a": {"rots": []}}'},
            "HEARTH_VAULTS: vaults.a.rots is not a setting; did you mean vaults.a.roots",
        ),
        ({"HEARTH_VAULTS": "[" * 100_000}, "HEARTH_VAULTS: not valid JSON"),
        ({"HEARTH_COLLECTIONS": "[]"}, "HEARTH_COLLECTIONS: collections must be a table"),
    ],
)
def test_a_wrong_variable_is_an_error_that_names_it(loaded: Load, environ: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError) as error:
        loaded(environ)
    assert message in str(error.value)


def test_variables_of_other_programs_and_those_that_are_no_keys_are_let_through(loaded: Load) -> None:
    loaded(dict.fromkeys(OTHER_VARIABLES, "x") | {"HEARTH_BENCH_DIR": "x", "HEARTHSTONE": "1", "PROFILE": "x"})


def test_each_key_has_one_variable_of_its_own() -> None:
    plain = [key for key in leaf_keys() if "<" not in key]
    assert len(variables()) == len(plain) + 2
    assert not OTHER_VARIABLES & set(variables())


def test_dotenv_lines_are_read_with_quotes_and_comments() -> None:
    text = (
        "# comment\n\nHEARTH_PROFILE=deep # why\nexport HEARTH_SEARCH_MMR = off\r\nOPENAI_API_KEY=sk-1\nrubbish\n"
        'HEARTH_SEARCH_SYNONYMS=\'{"a": ["#b"]}\'  # x\nHEARTH_RERANK_MODEL="a \\"b\\" # c"\nHEARTH_RERANK_URL=\n'
        "HEARTH_RERANK_PROVIDER=a#b\n"
    )
    found = {name: (value, place) for name, value, place in from_dotenv(text, Path("/c/.env"))}
    assert found == {
        "HEARTH_PROFILE": ("deep", "/c/.env:3"),
        "HEARTH_SEARCH_MMR": ("off", "/c/.env:4"),
        "HEARTH_SEARCH_SYNONYMS": ('{"a": ["#b"]}', "/c/.env:7"),
        "HEARTH_RERANK_MODEL": ('a "b" # c', "/c/.env:8"),
        "HEARTH_RERANK_URL": ("", "/c/.env:9"),
        "HEARTH_RERANK_PROVIDER": ("a#b", "/c/.env:10"),
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("HEARTH_PROFILE deep\n", ".env:1: not a line NAME=VALUE"),
        ("\nHEARTH_PROFILE='deep\n", ".env:2: a quote is not closed"),
        ("HEARTH_PROFILE=deep\nHEARTH_PROFILE=deep\n", ".env:2: HEARTH_PROFILE is given twice"),
        ("HEARTH_PROFIL=deep\n", ".env:1: HEARTH_PROFIL is not a setting; did you mean HEARTH_PROFILE?"),
        ("HEARTH_DATA_DIR=/x\n", ".env:1: HEARTH_DATA_DIR has no effect in .env"),
        ("HEARTH_SERVER_PORT=x\n", ".env:1: server.port must be a whole number"),
        ("#" * 70_000, ".env: longer than 64 KiB"),
    ],
)
def test_a_wrong_dotenv_is_an_error_that_names_its_line(write: Write, loaded: Load, text: str, message: str) -> None:
    write(text, ".env")
    with pytest.raises(ConfigError) as error:
        loaded()
    assert message in str(error.value)


@given(st.text(max_size=200))
def test_any_dotenv_text_is_read_or_refused(text: str) -> None:
    try:
        from_dotenv(text, Path("/c/.env"))
    except ConfigError as error:
        assert "/c/.env" in str(error)


def test_get_gives_values_sections_and_names(write: Write, loaded: Load) -> None:
    write("collections: {notes: {path: /n}}\nvaults: {work: {data: /w, collections: {a: {path: /a}}}}\n")
    result = loaded()
    assert get(result, "collections.notes.path") == "/n"
    assert get(result, "collections.notes")["trust"] == "mine"
    assert get(result, "vaults.work")["collections"]["a"]["path"] == "/a"
    assert get(result, "daemon") == {"mode": "auto", "idle_minutes": 30, "debounce_seconds": 1.5}
    with pytest.raises(ConfigError, match=r"daemon.mod is not a setting; did you mean daemon.mode"):
        get(result, "daemon.mod")
    with pytest.raises(NotFound, match=r"collections.note is not configured; did you mean collections.notes"):
        get(result, "collections.note")
    with pytest.raises(NotFound, match=r"vaults.wrk.data is not configured"):
        get(result, "vaults.wrk.data")
    with pytest.raises(ConfigError, match=r"search.synonyms is set only as a whole"):
        get(result, "search.synonyms.k8s")


def test_get_of_no_collections_is_an_empty_table(loaded: Load) -> None:
    assert get(loaded(), "collections") == {}


def test_what_show_prints_reads_back_as_the_same(write: Write, loaded: Load, folders: Folders) -> None:
    write(
        "collections: {n: {path: /n, update: \"git -C 'a b' pull\", exclude: ['a, b'], context: {/: x}}}\n"
        "search: {synonyms: {é: [ü]}, half_life_days: {note: null}}\nrerank: {model: m}\n"
    )
    result = loaded()
    flags = {key: value for key, value, _ in rows(result)}
    write("collections: {n: {path: /other}}\n")
    assert load(folders, {"HOME": "/home/me"}, flags).config == result.config


def test_a_change_of_either_file_is_noticed(write: Write, loaded: Load) -> None:
    result = loaded()
    assert not changed(result)
    file = write("profile: deep\n")
    assert changed(result)
    result = loaded()
    assert not changed(result)
    write("HEARTH_PROFILE=deep\n", ".env")
    assert changed(result)
    result = loaded()
    file.unlink()
    assert changed(result)


def test_only_what_can_not_be_reloaded_needs_a_restart(write: Write, loaded: Load) -> None:
    old = loaded().config
    write("search: {mmr: false}\nprofile: deep\nsurface: {other_projects: true}\nlifecycle: {dry_run: false}\n")
    assert restart_needed(old, loaded().config) == ()
    write("server: {port: 1}\ncollections: {a: {path: /a}}\nprofile: deep\n")
    keys = restart_needed(old, loaded().config)
    assert "server.port" in keys
    assert "collections.a.path" in keys
    assert "profile" not in keys
    assert set(restart_needed(loaded().config, old)) == set(keys)
