"""config.yaml is edited one key at a time; everything else in it stays."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.conftest import HANGS, children

import hearth.config
from hearth.config import Loaded, get, load
from hearth.config.edit import add_collection, remove_collection, set_value
from hearth.config.schema import leaf_keys
from hearth.core.errors import ConfigError, Conflict, HearthError, NotFound, Unavailable
from hearth.core.paths import Folders

Load = Callable[..., Loaded]
Write = Callable[..., Path]
SOURCE = Path(hearth.config.__file__).parents[2]

COMMENTED = """\
# my settings
profile: deep   # more

search:   # how it finds
  # variety
  mmr: true

  mmr_lambda:   0.7   # measured
  stop_words:   # mine
    - foo
    - bar   # last
  synonyms: {k8s: [kubernetes],
             é: ["ü # no comment"]}   # names
  # end of search
vaults: {work: ~/w}
# the end
"""


@pytest.mark.parametrize(
    ("key", "value", "before", "after"),
    [
        ("profile", "speed", "profile: deep   # more", "profile: speed   # more"),
        ("search.mmr_lambda", "0.5", "mmr_lambda:   0.7   # measured", "mmr_lambda:   0.5   # measured"),
        (
            "search.stop_words",
            "a,b",
            "stop_words:   # mine\n    - foo\n    - bar   # last",
            "stop_words: [a, b]   # mine   # last",
        ),
        ("search.synonyms", "{}", '{k8s: [kubernetes],\n             é: ["ü # no comment"]}   # names', "{}   # names"),
        ("search.citations", "on", "]}   # names\n", "]}   # names\n  citations: 'on'\n"),
        ("vaults.work.data", "~/x", "{work: ~/w}", "{work: ~/x}"),
        ("vaults.work.roots", "/r", "{work: ~/w}", "{work: {data: ~/w, roots: [/r]}}"),
        ("vaults.home.data", "/h", "{work: ~/w}", "{work: ~/w, home: {data: /h}}"),
        ("server.port", "80", "{work: ~/w}\n", "{work: ~/w}\nserver:\n  port: 80\n"),
        ("rerank.model", "a: b, c", "{work: ~/w}\n", "{work: ~/w}\nrerank:\n  model: 'a: b, c'\n"),
    ],
)
def test_an_edit_changes_one_place_alone(
    write: Write, folders: Folders, loaded: Load, key: str, value: str, before: str, after: str
) -> None:
    file = write(COMMENTED)
    old = dict(loaded().origins)
    set_value(folders, key, value)
    assert file.read_text() == COMMENTED.replace(before, after)
    assert COMMENTED.count(before) == 1
    assert set(old) <= set(loaded().origins)
    inode = file.stat().st_ino
    set_value(folders, key, value)
    assert file.stat().st_ino == inode


@pytest.mark.parametrize(
    ("text", "key", "value", "after"),
    [
        ("", "profile", "deep", "profile: deep\n"),
        ("# c", "search.mmr", "off", "# c\nsearch:\n  mmr: false\n"),
        ("---\n# c\n", "profile", "deep", "---\n# c\nprofile: deep\n"),
        ("search:\n", "search.mmr", "no", "search: {mmr: false}\n"),
        ("search:   # c\nprofile: deep\n", "search.mmr", "no", "search: {mmr: false}   # c\nprofile: deep\n"),
        ("search: null\n", "search.mmr", "no", "search: {mmr: false}\n"),
        ("search: {}", "search.mmr", "no", "search: {mmr: false}"),
        ("search: {mmr: true, }", "search.mmr_lambda", "0", "search: {mmr: true, mmr_lambda: 0.0, }"),
        ("search:\n      mmr: true", "search.mmr_lambda", "1", "search:\n      mmr: true\n      mmr_lambda: 1.0\n"),
        (
            "search:\n  stop_words:\n  - a\n  mmr: on\n",
            "search.stop_words",
            "[]",
            "search:\n  stop_words: []\n  mmr: on\n",
        ),
        ("{profile: deep}\n", "search.mmr", "no", "{profile: deep, search: {mmr: false}}\n"),
        (
            "search:\r\n  mmr: on\r\n# c\r\n",
            "server.port",
            "1",
            "search:\r\n  mmr: on\r\nserver:\r\n  port: 1\r\n# c\r\n",
        ),
        ("rerank:\n  model: >-\n    a\n    b\n\n# c\n", "rerank.model", "d", "rerank:\n  model: d\n\n# c\n"),
        ("rerank:\n  model: 'ünï 😀'   # 😀\n", "rerank.model", "é", "rerank:\n  model: é   # 😀\n"),
        ("rerank:\n  model: m\n", "rerank.model", "null", "rerank:\n  model: null\n"),
        ("profile: deep\n...\n", "server.port", "1", "profile: deep\nserver:\n  port: 1\n...\n"),
        ('"profile" : deep\n', "profile", "speed", '"profile" : speed\n'),
    ],
)
def test_every_usual_layout_is_edited_in_place(
    write: Write, folders: Folders, text: str, key: str, value: str, after: str
) -> None:
    file = write(text)
    set_value(folders, key, value)
    assert file.read_bytes().decode() == after


@pytest.mark.parametrize("text", ["? profile\n: deep\n", "search:\n  ? mmr\n  : true\n", "~\n"])
def test_an_odd_layout_is_edited_rightly_or_refused(write: Write, folders: Folders, loaded: Load, text: str) -> None:
    file = write(text)
    try:
        set_value(folders, "search.mmr", "off")
    except ConfigError as error:
        assert "by hand" in str(error)
        assert file.read_text() == text
    else:
        assert loaded().config.search.mmr is False


def test_a_byte_order_mark_stays(write: Write, folders: Folders) -> None:
    file = write("\ufeffprofile: deep\n")
    set_value(folders, "profile", "speed")
    assert file.read_text() == "\ufeffprofile: speed\n"


@pytest.mark.parametrize(
    ("key", "value", "error", "message"),
    [
        ("profile", "fast", ConfigError, "config set: profile must be one of"),
        ("serch.mmr", "on", ConfigError, "serch is not a setting; did you mean search"),
        ("search", "{}", ConfigError, "search is not one setting; name one of search.scoring"),
        ("collections", "{}", ConfigError, "name one of collections.<name>.path"),
        ("collections.notes", "/n", ConfigError, "name one of collections.notes.path"),
        ("collections.notes.trust", "agent", NotFound, "collections.notes is not configured"),
        ("vaults.work.collections.a.trust", "agent", NotFound, "vaults.work.collections.a is not configured"),
        ("collections.No.path", "/n", ConfigError, "collections can't have the name 'No'"),
        ("embedding.api_key_env", "sk-abcdefghijkl", ConfigError, "never the key itself"),
        ("rerank.model", "sk-abcdefghijkl", ConfigError, "looks like a secret"),
        ("fragments.overlap", "1000", ConfigError, "fragments.overlap must be less"),
        ("rerank.model", "a\nb", ConfigError, "one line of text"),
    ],
)
def test_what_does_not_fit_is_refused_and_the_file_stays(
    write: Write, folders: Folders, key: str, value: str, error: type[HearthError], message: str
) -> None:
    file = write("fragments: {words: 100}\n")
    status = file.stat()
    with pytest.raises(error) as raised:
        set_value(folders, key, value)
    assert message in str(raised.value)
    assert "abcdefgh" not in str(raised.value)
    assert file.stat() == status
    assert [path.name for path in Path(folders.config).iterdir()] == ["config.yaml"]


def test_a_broken_file_is_not_edited(write: Write, folders: Folders) -> None:
    file = write("profile: deep\nserch: {}\n")
    with pytest.raises(ConfigError, match="serch is not a setting"):
        set_value(folders, "profile", "speed")
    assert file.read_text() == "profile: deep\nserch: {}\n"


def test_folder_and_file_are_made_as_needed_and_private(folders: Folders, loaded: Load) -> None:
    for name in (folders.config, folders.state):
        Path(name).rmdir()
    set_value(folders, "profile", "deep")
    assert loaded().config.profile == "deep"
    assert Path(folders.config, "config.yaml").stat().st_mode & 0o777 == 0o600


def test_the_mode_of_the_file_stays(write: Write, folders: Folders) -> None:
    file = write("profile: deep\n")
    file.chmod(0o640)
    set_value(folders, "profile", "speed")
    assert file.stat().st_mode & 0o777 == 0o640


def test_a_symlinked_file_stays_a_link_and_its_target_is_edited(write: Write, folders: Folders, tmp_path: Path) -> None:
    dotfiles = tmp_path / "dotfiles"
    dotfiles.mkdir()
    (dotfiles / "hearth.yaml").write_text("profile: deep # x\n")
    link = Path(folders.config, "config.yaml")
    link.symlink_to("../dotfiles/hearth.yaml")
    set_value(folders, "profile", "speed")
    assert link.is_symlink()
    assert (dotfiles / "hearth.yaml").read_text() == "profile: speed # x\n"
    assert [path.name for path in dotfiles.iterdir()] == ["hearth.yaml"]


@contextmanager
def unprivileged() -> Iterator[None]:
    """Runs as nobody where the tests run as root, to whom permissions mean nothing."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_folder_that_can_not_be_written_is_a_clear_error(folders: Folders, write: Write, loaded: Load) -> None:
    write("profile: deep\n")
    set_value(folders, "profile", "speed")
    base = Path(tempfile.mkdtemp())
    try:
        here = Folders(*(str(base / name) for name in ("config", "data", "cache", "state", "cache")))
        for name, mode in (("config", 0o555), ("state", 0o777)):
            (base / name).mkdir()
            (base / name / "config.yaml").write_text("profile: deep\n")
            (base / name).chmod(mode)
        base.chmod(0o755)
        with unprivileged(), pytest.raises(Unavailable, match=r"can't write .*config\.yaml: Permission denied"):
            set_value(here, "profile", "speed")
        assert (base / "config" / "config.yaml").read_text() == "profile: deep\n"
    finally:
        (base / "config").chmod(0o755)
        shutil.rmtree(base)


def test_two_processes_that_edit_at_once_lose_nothing(folders: Folders, write: Write, loaded: Load) -> None:
    write("# kept\ncollections:\n  first: {path: /first} # kept too\n")
    code = (
        "import sys; from hearth.config.edit import *\n"
        "here = Folders(*sys.argv[2:])\n"
        "for n in range(12): add_collection(here, 'default', f'{sys.argv[1]}{n}', {'path': f'/{n}'})"
    )
    paths = (folders.config, folders.data, folders.cache, folders.state, folders.runtime)
    with children() as start:
        environ = {"PYTHONPATH": str(SOURCE)}
        runs = [
            start([sys.executable, "-c", code, name, *paths], env=environ, stderr=subprocess.PIPE)
            for name in ("a", "b")
        ]
        for run in runs:
            _, errors = run.communicate(timeout=HANGS)
            assert (run.returncode, errors) == (0, b"")
    assert set(loaded().config.collections) == {"first", *(f"{name}{n}" for name in "ab" for n in range(12))}
    assert "# kept too" in Path(folders.config, "config.yaml").read_text()


def test_a_collection_is_added_and_removed_where_it_belongs(folders: Folders, write: Write, loaded: Load) -> None:
    file = write("# c\ncollections:\n  # mine\n  a: {path: /a}   # x\nvaults: {work: /w}\n")
    add_collection(
        folders, "default", "notes", {"path": "~/notes", "pattern": "*.md", "update": "git pull", "trust": "agent"}
    )
    add_collection(folders, "work", "plans", {"path": Path("/p"), "exclude": ["x, y"]})
    assert file.read_text() == (
        "# c\ncollections:\n  # mine\n  a: {path: /a}   # x\n"
        "  notes: {path: ~/notes, pattern: '*.md', update: git pull, trust: agent}\n"
        "vaults: {work: {data: /w, collections: {plans: {path: /p, exclude: ['x, y']}}}}\n"
    )
    assert loaded().config.collections["notes"].path == Path("/home/me/notes")
    remove_collection(folders, "default", "a")
    remove_collection(folders, "work", "plans")
    remove_collection(folders, "default", "notes")
    assert file.read_text() == "# c\ncollections:\n  # mine\nvaults: {work: {data: /w, collections: {}}}\n"
    assert dict(loaded().config.collections) == {}


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("collections: {a: {path: /a}, b: {path: /b}}", "collections: {b: {path: /b}}"),
        ("collections: {b: {path: /b}, a: {path: /a}}", "collections: {b: {path: /b}}"),
        (
            "collections:\n  a:\n    path: /a\n    exclude:\n      - x\n  # c\n  b: {path: /b}",
            "collections:\n  # c\n  b: {path: /b}",
        ),
        ("vaults: {default: {collections: {a: {path: /a}}}}", "vaults: {default: {collections: {}}}"),
        ("collections:\n  a: {path: /a}", "collections:\n"),
    ],
)
def test_a_collection_is_removed_from_every_usual_layout(write: Write, folders: Folders, text: str, after: str) -> None:
    file = write(text)
    remove_collection(folders, "default", "a")
    assert file.read_text() == after


def test_adding_and_removing_refuse_what_does_not_fit(write: Write, folders: Folders) -> None:
    file = write("collections: {notes: {path: /n}}\nvaults: {default: {collections: {b: {path: /b}}}}\n")
    text = file.read_text()
    for name in ("notes", "b"):
        with pytest.raises(Conflict, match="already has a collection") as error:
            add_collection(folders, "default", name, {"path": "/m"})
        assert error.value.exit_code == 4
    with pytest.raises(NotFound, match="no vault 'wok'"):
        add_collection(folders, "wok", "x", {"path": "/m"})
    with pytest.raises(ConfigError, match=r"collections.x needs path"):
        add_collection(folders, "default", "x", {"pattern": "*"})
    with pytest.raises(ConfigError, match=r"collections.x.patern is not a setting; did you mean collections.x.pattern"):
        add_collection(folders, "default", "x", {"path": "/m", "patern": "*"})
    with pytest.raises(ConfigError, match="can't have the name '_hearth'"):
        add_collection(folders, "default", "_hearth", {"path": "/m"})
    with pytest.raises(NotFound, match=r"no collection 'note'; did you mean notes.; collections are notes, b"):
        remove_collection(folders, "default", "note")
    assert file.read_text() == text


WORD = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=12).filter(
    lambda word: word not in ("~", "null")
)
LINE = st.lists(WORD, min_size=1, max_size=3).map(" ".join)
DAYS = st.none() | st.integers(1, 36_500)
VALUES = st.one_of(
    st.tuples(st.just("profile"), st.sampled_from(["speed", "balanced", "deep"])),
    st.tuples(st.just("search.mmr"), st.booleans()),
    st.tuples(st.just("search.mmr_lambda"), st.floats(0, 1)),
    st.tuples(st.just("search.stop_words"), st.lists(LINE, max_size=4)),
    st.tuples(st.just("search.synonyms"), st.dictionaries(LINE, st.lists(LINE, max_size=2), max_size=3)),
    st.tuples(st.just("search.half_life_days"), st.dictionaries(st.sampled_from(["note", "daily", "hub"]), DAYS)),
    st.tuples(st.just("rerank.model"), st.none() | LINE),
    st.tuples(st.just("fragments.words"), st.none() | st.integers(20, 2_000)),
    st.tuples(st.just("collections.notes.context"), st.dictionaries(LINE, LINE, max_size=3)),
    st.tuples(st.just("vaults.work.roots"), st.lists(WORD.map(lambda word: f"/r/{word}".rstrip("/")), max_size=2)),
    st.tuples(st.just("server.port"), st.integers(0, 65_535)),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(VALUES, min_size=1, max_size=6))
def test_what_is_set_is_what_get_returns(folders: Folders, edits: list[tuple[str, object]]) -> None:
    file = Path(folders.config, "config.yaml")
    file.write_text(COMMENTED + "collections:\n  notes:\n    path: ~/n # here\n")
    comments = [line for line in file.read_text().splitlines() if line.lstrip().startswith("#")]
    wanted: dict[str, object] = {}
    for key, value in edits:
        set_value(folders, key, value)
        wanted[key] = value
    result = load(folders, {"HOME": "/home/me"})
    for key, value in wanted.items():
        assert get(result, key) == value
    assert [line for line in file.read_text().splitlines() if line.lstrip().startswith("#")] == comments
    assert "path: ~/n # here" in file.read_text()


def test_every_plain_key_can_be_set_to_its_own_default_as_shown(folders: Folders, loaded: Load) -> None:
    before = loaded().config
    plain = [key for key in leaf_keys() if "<" not in key]
    rows = {key: value for key, value, _ in hearth.config.rows(loaded())}
    for key in plain:
        set_value(folders, key, rows[key])
    assert loaded().config == before
    assert set(loaded().origins) == set(plain)


@pytest.mark.parametrize(("name", "default"), [("questions", True), ("identity", False), ("summaries", True)])
def test_what_is_kept_beside_the_profile_is_set_one_by_one(
    folders: Folders, loaded: Load, name: str, default: bool
) -> None:
    assert get(loaded(), f"knowledge.{name}") is default
    set_value(folders, f"knowledge.{name}", str(not default).lower())
    result = loaded()
    assert get(result, f"knowledge.{name}") is not default
    others = {"questions": True, "identity": False, "summaries": True} | {name: not default}
    assert get(result, "knowledge") == others


def test_an_entry_of_a_table_of_known_names_is_a_key_that_leaves_the_others(
    write: Write, folders: Folders, loaded: Load
) -> None:
    file = write("search:\n  half_life_days: {note: 5, daily: 30}   # mine\n")
    set_value(folders, "search.half_life_days.note", "null")
    set_value(folders, "lifecycle.type_overrides.decision", "400")
    set_value(folders, "search.half_life_days.note", "null")
    assert "# mine" in file.read_text()
    assert get(loaded(), "search.half_life_days") == {"note": None, "daily": 30.0}
    assert get(loaded(), "search.half_life_days.note") is None
    assert get(loaded(), "lifecycle.type_overrides.decision") == 400
    with pytest.raises(ConfigError, match=r"search.half_life_days.nota is not a setting; did you mean search.half_"):
        set_value(folders, "search.half_life_days.nota", "1")
    with pytest.raises(ConfigError, match=r"config set: knowledge.identity must be true or false"):
        set_value(folders, "knowledge.identity", "perhaps")
    with pytest.raises(NotFound, match=r"lifecycle.type_overrides.note is not configured"):
        get(loaded(), "lifecycle.type_overrides.note")
