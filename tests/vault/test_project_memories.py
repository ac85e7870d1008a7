"""Memories of a project in its own folder, carried by git; what others committed there is the team's."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.house import House

from hearth.context.folder_memory import read_project, render
from hearth.context.notes import Notes
from hearth.core.memory import Remembered
from hearth.ports import Filter, StoredDocument


def git(folder: Path, *words: str) -> str:
    environ = {"HOME": str(folder), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(["git", *words], cwd=folder, env=environ, capture_output=True, text=True, check=True)
    return done.stdout


def make_repository(folder: Path, name: str) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    identify(folder, name)
    return folder


def identify(folder: Path, name: str) -> None:
    git(folder, "config", "user.name", name)
    git(folder, "config", "user.email", f"{name.lower()}@example.org")


def commit(folder: Path) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "notes")


class Person(House):
    """Somebody's machine, with a collection over a repository that holds the project's memories."""

    def __init__(self, home: Path, name: str, repository: Path) -> None:
        super().__init__(home, repository, "shop")
        self.name = name
        identify(repository, name)
        self.configure("", "    memories: project\n")

    @property
    def project(self) -> str:
        found = self.vault.sessions.project_of(str(self.notes))
        assert found is not None
        return found

    def remember(self, text: str, kind: str = "decision", **given: object) -> Remembered:
        return self.vault.memories.remember(text, kind, **{"project": self.project, **given})

    def find(self, text: str) -> StoredDocument:
        [found] = [one for one in self.vault.documents() if text in self.vault.read(one).text]
        return found


@pytest.fixture
def ana(tmp_path: Path) -> Iterator[Person]:
    made = Person(tmp_path / "ana", "Ana", make_repository(tmp_path / "ana" / "shop", "Ana"))
    yield made
    made.close()


@pytest.fixture
def ben(tmp_path: Path, ana: Person) -> Iterator[Person]:
    """Whose clone is made when he is first asked for."""
    (tmp_path / "ben").mkdir()
    git(ana.notes, "config", "receive.denyCurrentBranch", "updateInstead")
    (ana.notes / "readme.md").write_text("# Shop\n")
    commit(ana.notes)
    git(tmp_path, "clone", "-q", str(ana.notes), "ben/shop")
    made = Person(tmp_path / "ben", "Ben", tmp_path / "ben" / "shop")
    yield made
    made.close()


def test_what_belongs_to_the_project_lies_in_it_and_what_is_the_persons_does_not(ana: Person) -> None:
    done = ana.remember("Amounts are kept in cents.")
    assert Path(done.file).is_relative_to(ana.notes / ".hearth" / "agent" / "decisions")
    assert done.path.startswith("projects/shop/agent/decisions/") and Path(done.file).exists()
    for kind, given in (("preference", {}), ("handoff", {}), ("decision", {"project": "github.com/acme/other"})):
        other = ana.remember(f"Something else about {kind} and walrus {given}.", kind, **given)
        assert Path(other.file).is_relative_to(ana.data), kind
    assert {file.suffix for file in (ana.notes / ".hearth").rglob("*") if file.is_file()} == {".md"}
    assert ana.vault.recall("in which unit are amounts kept?").hits[0].path == done.path


def test_it_is_read_like_any_memory_revised_forgotten_rebuilt_and_erased(ana: Person) -> None:
    first = ana.remember("The walrus pond is cleaned on Mondays.")
    again = ana.remember("The walrus pond is cleaned on Mondays.")
    assert (again.action, again.docid) == ("duplicate", first.docid)
    ana.vault.index.sync()
    ana.close()
    shutil.rmtree(ana.cache)
    assert ana.find("cleaned on Mondays").document.docid == first.docid
    assert ana.vault.get(f"#{first.docid}").text.strip().endswith("Mondays.")
    ana.vault.state.forget(first.docid)
    assert ana.vault.recall("when is the walrus pond cleaned?").hits == ()
    ana.vault.state.purge(first.docid, yes=True)
    assert not Path(first.file).exists()


def test_a_teammates_name_includes_no_file_in_a_context_file(ana: Person, ben: Person) -> None:
    git(ana.notes, "config", "user.name", "Ana @/etc/passwd")
    ana.remember("Amounts are kept in cents.")
    commit(ana.notes)
    git(ben.notes, "pull", "-q", "origin", "main")
    ben.vault.index.sync()
    notes = Notes(ben.vault, lambda cwd: ana.project)
    text = render(read_project(ben.vault, notes, str(ben.notes)), "", ben.vault.core.redact)
    assert "kept in cents. (Ana @ /etc/passwd)" in text


def test_a_teammate_reads_it_as_the_teams_and_not_as_their_own_rule(ana: Person, ben: Person) -> None:
    done = ana.remember("Never compare amounts as floats.", "antipattern")
    assert ana.find("as floats").document.trust == "agent"
    commit(ana.notes)
    assert ana.find("as floats").document.trust == "agent"
    git(ben.notes, "pull", "-q", "origin", "main")
    ben.vault.index.sync()
    found = ben.find("as floats").document
    assert (found.docid, found.trust, found.author) == (done.docid, "team", "Ana")
    ben.remember("Amounts are rounded half to even.")
    commit(ben.notes)
    git(ben.notes, "push", "-q", "origin", "main")
    ana.vault.index.sync()
    assert ana.find("half to even").document.trust == "team"
    assert ana.find("as floats").document.trust == "agent"


def test_a_teammates_file_is_never_rewritten_and_supersedes_nothing_of_mine(ana: Person, ben: Person) -> None:
    mine = ana.remember("Deploys of the shop happen on Tuesdays.")
    commit(ana.notes)
    git(ben.notes, "pull", "-q", "origin", "main")
    ben.vault.index.sync()
    before = (ben.notes / ".hearth" / Path(mine.path).relative_to("projects/shop")).read_bytes()
    ben.remember("Deploys of the shop happen on Fridays.", supersedes=(mine.docid,))
    assert (ben.notes / ".hearth" / Path(mine.path).relative_to("projects/shop")).read_bytes() == before
    commit(ben.notes)
    git(ben.notes, "push", "-q", "origin", "main")
    ana.vault.index.sync()
    assert not ana.find("on Tuesdays").state.superseded_by


def test_a_project_that_is_gone_for_a_while_loses_no_memory(ana: Person, tmp_path: Path) -> None:
    done = ana.remember("The walrus pond is cleaned on Mondays.")
    ana.close()
    ana.notes.rename(tmp_path / "away")
    ana.vault.index.sync()
    ana.close()
    (tmp_path / "away").rename(ana.notes)
    ana.vault.index.sync()
    assert ana.find("on Mondays").document.docid == done.docid


def test_a_link_that_leads_out_of_the_project_is_not_followed(ana: Person, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (ana.notes / ".hearth").symlink_to(tmp_path / "elsewhere")
    ana.configure("", "    memories: project\n")
    done = ana.remember("Amounts are kept in cents.")
    assert Path(done.file).is_relative_to(ana.data) and not any((tmp_path / "elsewhere").iterdir())


def test_an_export_holds_them_and_switching_back_leaves_the_files(ana: Person) -> None:
    done = ana.remember("Amounts are kept in cents.")
    exported = b"".join(ana.vault.exchange.export()).decode()
    assert done.path in exported
    ana.configure("", "    memories: vault\n")
    assert Path(done.file).exists()
    assert not [one for one in ana.vault.documents(Filter(include_hidden=True)) if one.document.docid == done.docid]
    assert Path(ana.remember("Pages are rendered on the server.").file).is_relative_to(ana.data)
