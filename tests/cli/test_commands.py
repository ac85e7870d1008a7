from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hearth.cli import options, output
from hearth.cli.commands import COMMANDS, EVERYDAY
from hearth.cli.index import Trust, execute
from hearth.config.edit import name_of
from hearth.core import instants
from hearth.core.errors import UsageError
from hearth.core.paths import Folders

Run = Callable[..., object]
NOON = 1_772_712_000_000  # 2026-03-05T12:00Z


# -- setting up -----------------------------------------------------------------------------------------------------


def test_init_creates_folders_and_settings_and_leaves_both_alone_the_second_time(hearth: Run, tmp_path: Path) -> None:
    places = json.loads(hearth("init", "--json").out)
    config = Path(places["config"])
    assert Path(places["data"]).is_dir()
    assert Path(places["cache"]).is_dir()
    config.write_text("search: {mmr: false}\n", encoding="utf-8")
    assert hearth("init").code == 0
    assert config.read_text(encoding="utf-8") == "search: {mmr: false}\n"


def test_bootstrap_indexes_a_folder_and_says_what_to_do_next(hearth: Run, notes: Path) -> None:
    result = hearth("bootstrap", str(notes))
    assert result.code == 0
    assert result.out.startswith("collection my-notes: 3 added")
    assert "hearth query" in result.out


def test_bootstrap_says_for_which_prompts_hooks_bring_a_folder_up(hearth: Run, notes: Path) -> None:
    told = hearth("bootstrap", str(notes)).out
    assert "hooks bring its notes for any prompt in its folder" in told and "(surface: project)" in told
    assert json.loads(hearth("bootstrap", str(notes), "--json").out)["surface"] == "project"
    assert hearth("collection", "surface", "my-notes", "asked").out == "collection my-notes: surface asked\n"
    assert "surface asked" in hearth("collection", "list").out
    assert "surface asked" in hearth("status").out
    assert json.loads(hearth("collection", "show", "my-notes", "--json").out)["surface"] == "asked"
    assert hearth("collection", "surface", "my-notes", "sometimes").code == 2
    hearth("config", "set", "collections.my-notes.surface", "false")
    assert json.loads(hearth("collection", "show", "my-notes", "--json").out)["surface"] == "never"


def test_bootstrap_twice_reuses_the_collection(hearth: Run, vault: Path) -> None:
    again = json.loads(hearth("bootstrap", f"{vault}/", "--json").out)
    assert (again["collection"], again["new"], again["documents"]) == ("my-notes", False, 3)
    assert len(json.loads(hearth("collection", "list", "--json").out)["collections"]) == 1


def test_bootstrap_with_a_name_that_another_folder_has_is_a_conflict(hearth: Run, vault: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / "my notes"
    other.mkdir(parents=True)
    result = hearth("bootstrap", str(other))
    assert result.code == 4
    assert "choose another name: --name NAME" in result.err
    assert hearth("bootstrap", str(other), "--name", "others").code == 0


def test_bootstrap_with_another_pattern_is_a_conflict(hearth: Run, vault: Path) -> None:
    result = hearth("bootstrap", str(vault), "--pattern", "*.txt")
    assert result.code == 4
    assert "hearth config set collections.my-notes.pattern" in result.err


@pytest.mark.parametrize("path", ["/no/such/folder", "/etc/hostname"])
def test_bootstrap_of_what_is_no_folder_is_not_found(hearth: Run, path: str) -> None:
    result = hearth("bootstrap", path)
    assert result.code == 3
    assert path in result.err


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("My Nötes", "my-notes"),
        ("笔记", "notes"),
        ("--x__", "x"),
        ("a" * 99, "a" * 64),
        ("Wiki (old)", "wiki-old"),
    ],
)
def test_a_collection_is_named_like_its_folder(folder: str, name: str) -> None:
    assert name_of(Path("/home/me", folder)) == name


def test_collections_are_added_listed_shown_and_removed(hearth: Run, vault: Path, tmp_path: Path) -> None:
    wiki = tmp_path / "wiki"
    wiki.mkdir()
    (wiki / "a.md").write_text("# Narwhal\n\nA narwhal.\n", encoding="utf-8")
    assert hearth("collection", "add", str(wiki), "--exclude", "drafts/", "--trust", "external").code == 0
    row = json.loads(hearth("collection", "show", "wiki", "--json").out)
    assert (row["exclude"], row["trust"], row["update_trusted"]) == (["drafts/"], "external", False)
    assert hearth("collection", "list").out.splitlines()[1].startswith("wiki\t")
    assert "wiki/a.md" in hearth("search", "narwhal").out
    assert "1 document retired" in hearth("collection", "remove", "wiki").out
    assert "wiki/a.md" not in hearth("search", "narwhal").out
    assert (wiki / "a.md").exists()
    assert hearth("collection", "show", "wiki").code == 3


def test_a_setting_of_a_collection_is_true_at_once(hearth: Run, vault: Path) -> None:
    assert hearth("collection", "list").out.split("\t")[1].strip() == "mine"
    changed = hearth("collection", "set", "my-notes", "trust=team", "lifecycle=true")
    assert changed.out.startswith("collection my-notes: trust team, lifecycle true; ")
    assert hearth("collection", "list").out.split("\t")[1].strip() == "team"
    hits = json.loads(hearth("search", "postgresql", "--json", "--full").out)["results"]
    assert {hit["trust"] for hit in hits} == {"team"}
    assert hearth("collection", "set", "my-notes", "trust=human").code == 0  # its name of before
    assert json.loads(hearth("collection", "show", "my-notes", "--json").out)["trust"] == "mine"
    assert "mine, team, agent, external" in hearth("collection", "set", "my-notes", "trust=all").err
    assert hearth("collection", "set", "my-notes", "path=/elsewhere").code == 2
    assert hearth("collection", "set", "no-notes", "trust=team").code == 3


def test_removing_the_last_collection_retires_its_documents(hearth: Run, vault: Path) -> None:
    assert hearth("collection", "remove", "my-notes").code == 0
    assert json.loads(hearth("status", "--json").out)["documents"] == 0


# -- update commands ------------------------------------------------------------------------------------------------


def test_an_update_command_runs_only_once_trusted_and_any_change_takes_trust_away(hearth: Run, vault: Path) -> None:
    script = "import pathlib; pathlib.Path('pulled.md').write_text('# Pulled')"
    key = "collections.my-notes.update"
    hearth("config", "set", key, shlex.join([sys.executable, "-c", script]))
    refused = hearth("update", "--pull")
    assert refused.code == 5
    assert "hearth collection trust my-notes" in refused.err
    assert not (vault / "pulled.md").exists()
    assert hearth("collection", "trust", "my-notes").code == 0
    assert hearth("update", "--pull").code == 0
    assert (vault / "pulled.md").read_text() == "# Pulled"
    hearth("config", "set", key, shlex.join([sys.executable, "-c", script + " "]))
    assert hearth("update", "--pull").code == 5


def test_revoked_trust_is_gone(hearth: Run, vault: Path) -> None:
    hearth("config", "set", "collections.my-notes.update", "true")
    assert "trusted in" in hearth("collection", "trust", "my-notes").out
    hearth("collection", "trust", "my-notes", "--revoke")
    assert hearth("update", "--pull").code == 5


def test_trust_without_a_command_says_how_to_set_one(hearth: Run, vault: Path) -> None:
    result = hearth("collection", "trust", "my-notes")
    assert result.code == 2
    assert "hearth config set collections.my-notes.update" in result.err


def test_an_update_command_sees_no_shell(tmp_path: Path) -> None:
    assert execute(tmp_path, ["touch", "a; touch b", "$HOME"]) is None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["$HOME", "a; touch b"]


def test_an_update_command_that_hangs_is_ended_with_what_it_started(tmp_path: Path) -> None:
    # It returns when nobody holds the pipe any more: neither of the two sleeps is waited for.
    problem = execute(tmp_path, ["sh", "-c", "sleep 3600 & sleep 3600"], timeout=0.2)
    assert problem == "sh was stopped after 0.2 s"


def test_an_update_command_that_fails_is_quoted(tmp_path: Path) -> None:
    assert execute(tmp_path, ["sh", "-c", "echo no route >&2; exit 3"]) == "sh failed with exit code 3 (no route)"
    assert "can't be started" in (execute(tmp_path, ["no-such-program-here"]) or "")


def test_a_damaged_file_of_trust_trusts_nothing(tmp_path: Path) -> None:
    trust = Trust(Folders(*(str(tmp_path),) * 5))
    trust.grant(tmp_path, ["true"])
    assert trust.holds(tmp_path, ["true"])
    assert not trust.holds(tmp_path, ["true", ""])
    (tmp_path / "trusted-commands.json").write_text('{"a": 1')
    assert not trust.holds(tmp_path, ["true"])


# -- index ----------------------------------------------------------------------------------------------------------


def test_update_tells_what_changed_and_what_was_left_out(hearth: Run, vault: Path) -> None:
    (vault / "new.md").write_text("# New\n", encoding="utf-8")
    (vault / "bad.md").write_bytes(b"\x00\x01\x02" * 100)
    report = json.loads(hearth("update", "--json").out)
    assert report["added"] == 1
    assert [file["path"] for file in report["skipped"]] == ["bad.md"]
    assert "skipped my-notes/bad.md" in hearth("update").err


def test_update_holds_what_vanished_until_forced(hearth: Run, vault: Path) -> None:
    for number in range(30):
        (vault / f"{number}.md").write_text(f"# {number}\n\ntext {number}\n", encoding="utf-8")
    hearth("update")
    for number in range(30):
        (vault / f"{number}.md").unlink()
    held = hearth("update")
    assert "hearth update --force" in held.err
    assert "held:" in hearth("status").out
    assert json.loads(hearth("update", "--force", "--json").out)["retired"] == 30
    assert "held:" not in hearth("status").out


def test_a_folder_that_is_missing_is_held_without_an_offer_to_force_it(hearth: Run, vault: Path) -> None:
    hearth("update")
    vault.rename(vault.with_name("unmounted"))
    for said in (hearth("update").err, hearth("status").out, hearth("doctor").out):
        assert "hearth collection move my-notes PATH" in said and "--force" not in said
    assert json.loads(hearth("update", "--force", "--json").out)["retired"] == 0
    vault.with_name("unmounted").rename(vault)
    hearth("update")
    assert "held:" not in hearth("status").out


def test_embed_and_reindex_leave_the_answers_as_they_were(hearth: Run, vault: Path) -> None:
    before = hearth("query", "restore", "--files").out
    assert json.loads(hearth("embed", "-f", "--json").out)["embedded"] > 0
    assert json.loads(hearth("embed", "--json").out)["embedded"] == 0
    assert json.loads(hearth("reindex", "--json").out)["added"] == 3
    assert hearth("query", "restore", "--files").out == before


def test_reindex_of_a_missing_folder_needs_force(hearth: Run, vault: Path) -> None:
    vault.rename(vault.with_name("away"))
    assert hearth("reindex").code == 5
    assert hearth("reindex", "--force").code == 0
    assert json.loads(hearth("status", "--json").out)["documents"] == 0


def test_watch_follows_the_folder_and_ends_quietly(vault: Path, environ: dict[str, str]) -> None:
    environ = environ | {"HEARTH_DAEMON_DEBOUNCE_SECONDS": "0.05"}
    command = [sys.executable, "-m", "hearth", "watch"]
    with subprocess.Popen(
        command,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell starts what it puts in the background with Ctrl-C ignored, and children inherit that.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert "3 unchanged" in process.stdout.readline()
        assert "watching 1 folder" in process.stderr.readline()
        (vault / "deep" / "er").mkdir(parents=True)
        (vault / "deep" / "er" / "x.md").write_text("# Axolotl\n", encoding="utf-8")
        assert "1 added" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=100)
    assert process.returncode == 0
    assert said.strip().endswith("stopped")


def test_watch_without_collections_says_how_to_add_one(hearth: Run) -> None:
    assert hearth("watch").code == 3


# -- reading --------------------------------------------------------------------------------------------------------


def test_get_prints_the_document_or_some_lines(hearth: Run, vault: Path) -> None:
    whole = (vault / "runbooks" / "restore.md").read_text(encoding="utf-8")
    assert hearth("get", "my-notes/runbooks/restore.md").out == whole
    assert hearth("get", "restore.md:3:1").out == "Fetch the dump with restic.\n"
    row = json.loads(hearth("get", "restore.md:3:1", "--json").out)
    assert (row["start_line"], row["end_line"], row["total_lines"]) == (3, 3, 5)


def test_get_by_docid_prefix(hearth: Run, vault: Path) -> None:
    docid = json.loads(hearth("search", "postgresql", "--json").out)["results"][0]["docid"]
    assert hearth("get", f"#{docid[:6]}").out.startswith("# PostgreSQL")


def test_get_of_nothing_and_of_several_have_their_exit_codes(hearth: Run, vault: Path) -> None:
    missing = hearth("get", "restor.md")
    assert missing.code == 3
    assert "did you mean my-notes/runbooks/restore.md?" in missing.err
    (vault / "x" / "runbooks").mkdir(parents=True)
    (vault / "x" / "runbooks" / "again.md").write_text("# B\n", encoding="utf-8")
    (vault / "y" / "runbooks").mkdir(parents=True)
    (vault / "y" / "runbooks" / "again.md").write_text("# C\n", encoding="utf-8")
    hearth("update")
    ambiguous = hearth("get", "again.md")
    assert ambiguous.code == 4
    assert "fits 2 documents" in ambiguous.err


def test_get_hides_secrets_and_shows_them_on_a_terminal_only(hearth: Run, vault: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    (vault / "secret.md").write_text(f"# Token\n\ntoken: {secret}\n", encoding="utf-8")
    hearth("update")
    assert secret not in hearth("get", "secret.md").out
    raw = hearth("get", "secret.md", "--raw")
    assert raw.code == 2
    assert secret not in raw.out + raw.err


def test_multi_get_by_glob_and_by_list(hearth: Run, vault: Path) -> None:
    both = json.loads(hearth("multi-get", "my-notes/[dr]*/*.md", "--json").out)
    assert len(both["documents"]) == 3
    out = hearth("multi-get", "restore.md,0001-postgres.md").out
    assert out.startswith("==> my-notes/runbooks/restore.md <==\n# Restore")
    small = hearth("multi-get", "**/*.md", "--max-bytes", "80")
    assert "is over --max-bytes 80" in small.err
    assert hearth("multi-get", "nothing/*").code == 3


def test_similar_names_other_documents(hearth: Run, vault: Path) -> None:
    (vault / "other.md").write_text("# Databases\n\nWhy PostgreSQL and joins won over MongoDB.\n", encoding="utf-8")
    hearth("update")
    answer = json.loads(hearth("similar", "0001-postgres.md", "--json").out)
    assert answer["recipe"] == "similar"
    assert answer["results"][0]["path"] == "other.md"
    assert "explain" not in answer["results"][0]


def test_timeline_shows_the_neighbours_and_marks_the_document(hearth: Run, vault: Path) -> None:
    rows = json.loads(hearth("timeline", "2026-03-05.md", "--json").out)["documents"]
    assert [row["path"] for row in rows if row["focus"]] == ["daily/2026-03-05.md"]
    assert "> 2026-03-05  my-notes/daily/2026-03-05.md" in hearth("timeline", "2026-03-05.md", "--before", "0").out


def test_list_is_tab_separated_and_filtered(hearth: Run, vault: Path) -> None:
    rows = [line.split("\t") for line in hearth("list").out.splitlines()]
    assert [row[3] for row in rows] == [
        "my-notes/daily/2026-03-05.md",
        "my-notes/decisions/0001-postgres.md",
        "my-notes/runbooks/restore.md",
    ]
    assert len(json.loads(hearth("list", "--type", "decision", "--json").out)["documents"]) == 1
    assert len(hearth("list", "-n", "2").out.splitlines()) == 2
    assert hearth("list", "-c", "nope").code == 3


def test_a_list_of_nothing_says_why(hearth: Run, vault: Path) -> None:
    assert "no document matches" in hearth("list", "--type", "research").err
    files = sorted(vault.rglob("*.md"))
    for file in files:
        file.write_bytes(b"\0\1\2")
    assert "3 files are left out (binary, not text)" in hearth("list").err
    for file in files:
        file.unlink()
    assert hearth("update", "--force").code == 0
    assert "the vault is empty" in hearth("list").err


# -- looking at the vault -------------------------------------------------------------------------------------------


def test_status_counts_and_names_what_is_wrong(hearth: Run, vault: Path) -> None:
    for number in range(7):
        (vault / f"bad{number}.md").write_bytes(b"\x00" * 50)
    (vault / "front.md").write_text("---\ntitle: [unclosed\n---\n# Front\n", encoding="utf-8")
    hearth("update")
    row = json.loads(hearth("status", "--json").out)
    assert (row["documents"], row["missing_vectors"], len(row["skipped"])) == (4, 0, 7)
    assert row["problems"][0]["document"] == "hearth://my-notes/front.md"
    assert row["index_bytes"] > 10_000
    text = hearth("status").out
    assert "hearth status --all lists 2 more" in text
    assert "bad6.md" in hearth("status", "--all").out


def test_a_note_with_broken_frontmatter_is_named_with_its_line_and_stays_searchable(hearth: Run, vault: Path) -> None:
    broken = vault / "dough.md"
    broken.write_text("---\ntitle: Dough\nby: @me\n---\n# Dough\n\nFold it thrice.\n", encoding="utf-8")
    warned = hearth("update").err
    assert "my-notes/dough.md: frontmatter: line 3 is not valid YAML" in warned
    assert "correct what is named, then run: hearth update" in warned
    assert "fault" not in hearth("update").err  # told once; what lists faults tells it again
    (fault,) = json.loads(hearth("update", "--json").out)["faults"]
    assert (fault["collection"], fault["path"]) == ("my-notes", "dough.md") and "line 3" in fault["reason"]
    assert "my-notes/dough.md: frontmatter: line 3" in hearth("status").out
    finding = next(line for line in hearth("doctor").out.splitlines() if "dough.md" in line)
    assert finding.startswith("warn") and "line 3" in finding
    assert "my-notes/dough.md:5" in hearth("query", "fold it thrice").out
    broken.write_text("---\ntitle: Dough, sour\n---\n# Dough\n\nFold it thrice.\n", encoding="utf-8")
    again = json.loads(hearth("update", "--json").out)
    assert (again["changed"], again["faults"]) == (1, [])
    assert "dough.md" not in hearth("doctor").out + hearth("status").out


def test_path_names_one_place_alone(hearth: Run, tmp_path: Path) -> None:
    assert hearth("path", "data").out == f"{tmp_path}/data/default\n"
    assert json.loads(hearth("path", "--json").out)["index"] == f"{tmp_path}/cache/default/index.sqlite"


def test_config_is_shown_read_and_changed(hearth: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert hearth("config", "path").out == f"{tmp_path}/config/config.yaml\n"
    assert hearth("config", "set", "search.mmr_lambda", "0.5").code == 0
    assert hearth("config", "get", "search.mmr_lambda").out == "0.5\n"
    rows = {row["key"]: row for row in json.loads(hearth("config", "show", "--json").out)}
    assert rows["search.mmr_lambda"]["origin"].startswith("config.yaml:")
    assert hearth("config", "set", "search.mmr_lamda", "0.5").code == 2
    refused = hearth("config", "set", "oracle.provider", "openai")
    assert (refused.code, "oracle is not a setting" in refused.err) == (2, True)
    assert hearth("config", "get", "vaults.nope").code in (2, 3)
    monkeypatch.setenv("HEARTH_SEARCH_MMR_LAMBDA", "0.9")
    assert "has no effect now" in hearth("config", "set", "search.mmr_lambda", "0.6").err


def test_config_path_works_whatever_the_file_holds(hearth: Run, tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.yaml").write_text("nonsense: [", encoding="utf-8")
    assert hearth("config", "path").code == 0
    assert hearth("status").code == 2


def test_an_empty_journal_is_whole_and_a_damaged_one_is_not(hearth: Run, vault: Path) -> None:
    assert hearth("journal", "verify").code == 0
    folder = Path(hearth("path", "journal").out.strip())
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "abcdefghjk.jsonl").write_text("not json\n", encoding="utf-8")
    result = hearth("journal", "verify", "--json")
    assert result.code == 1
    assert len(json.loads(result.out)["problems"]) == 1
    assert json.loads(hearth("journal", "show", "--json").out) == {"events": []}


def test_version_as_json(hearth: Run) -> None:
    assert set(json.loads(hearth("version", "--json").out)) == {"hearth", "python", "platform"}


# -- words and dates ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-03-05", NOON - 12 * 3_600_000),
        ("7d", NOON - 7 * 86_400_000),
        ("2w", NOON - 14 * 86_400_000),
        ("36h", NOON - 36 * 3_600_000),
        ("2026-03-05T13:00", NOON),
        ("2026-03-05T12:00:00Z", NOON),
        ("2026-03-05T14:00+02:00", NOON),
    ],
)
def test_instants_as_people_write_them(text: str, instant: int) -> None:
    assert options.parse_instant(text, "--since", NOON, "Europe/Berlin") == instant


def test_an_end_includes_its_day() -> None:
    day = options.parse_instant("2026-03-05", "--since", NOON, "UTC")
    assert options.parse_instant("2026-03-05", "--until", NOON, "UTC", end=True) - day == instants.DAY_MS


@pytest.mark.parametrize("text", ["", "someday", "2026-02-30", "999999d999", "7 d", "0000-00-00", "9999-12-31T99:00"])
def test_what_is_no_date_is_wrong_use(text: str) -> None:
    with pytest.raises(UsageError, match="--since"):
        options.parse_instant(text, "--since", NOON, "UTC")


def test_instants_out_of_the_calendar_are_shown_all_the_same() -> None:
    assert instants.show_date(10**18) == "9999-12-31"
    assert instants.show(NOON) == "2026-03-05T12:00:00Z"


def test_sizes_are_readable() -> None:
    assert [output.size(n) for n in (0, 1023, 1024, 5 * 2**20, 3 * 2**40)] == [
        "0 B",
        "1023 B",
        "1.0 KB",
        "5.0 MB",
        "3.0 TB",
    ]


def test_a_folder_that_can_not_be_written_is_unavailable(
    hearth: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("")
    monkeypatch.setenv("HEARTH_CACHE_DIR", str(blocker / "below"))
    result = hearth("update")
    assert result.code == 5
    assert result.err.count("\n") == 1


def test_the_overview_shows_twenty_everyday_commands_by_purpose_and_help_all_shows_every_one(hearth: Any) -> None:
    short, everything = hearth("--help").out, hearth("help", "--all").out
    shown = [name for name in COMMANDS if re.search(rf"^  {name}  ", short, re.MULTILINE)]
    assert sorted(shown) == sorted(name for names in EVERYDAY.values() for name in names) and len(shown) == 20
    assert all(f"\n{title}:\n" in short for title in EVERYDAY)
    assert all(re.search(rf"^  {name}\s", everything, re.MULTILINE) for name in COMMANDS)
    assert hearth("help", "config", "set").out == hearth("config", "set", "--help").out
    assert hearth("help", "nope").code == 2
