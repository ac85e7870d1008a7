"""What is to be remembered stands in the day's file of an agent's workspace, too, where other programs read it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from hearth.app import compose, settings
from hearth.app.pool import VaultPool
from hearth.context.engine.assembly import AssembleRequest
from hearth.context.engine.sessions import SessionId
from hearth.core import instants
from hearth.core.errors import UsageError
from hearth.operations.memories import REMEMBER, Remember
from hearth.operations.operation import Request
from hearth.operations.runner import carry_out
from hearth.vault.vault import Vault

NOON = 1_790_000_000_000
FILE = "memory/2026-09-21.md"
Store = Callable[..., dict[str, Any]]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for agent in ("main", "work"):
        (tmp_path / agent).mkdir()
    return tmp_path


@pytest.fixture
def environ(root: Path) -> dict[str, str]:
    (root / "config").mkdir()
    pairs = [(agent, root / agent) for agent in ("main", "work")]
    collections = "".join(f"  {agent}:\n    path: {place}\n" for agent, place in pairs)
    agents = "".join(f"  {agent}:\n    workspace: {place}\n" for agent, place in pairs)
    text = f"collections:\n{collections}agents:\n{agents}daemon:\n  mode: never\n"
    (root / "config" / "config.yaml").write_text(text)
    names = ("config", "data", "cache", "state", "run")
    return {f"HEARTH_{name.upper()}_DIR": str(root / name) for name in names} | {"HOME": str(root), "TZ": "UTC"}


@pytest.fixture
def vault(environ: dict[str, str]) -> Iterator[Vault]:
    with compose(settings(environ=environ), lambda: NOON) as vault:
        vault.index.freshen()
        yield vault


@pytest.fixture
def store(environ: dict[str, str]) -> Iterator[Store]:
    with VaultPool(environ=environ).use("default") as opened:

        def call(agent: str | None = None, **given: Any) -> dict[str, Any]:
            request = Request(cast(Any, None), opened, "agent", agent=agent)
            result, _ = carry_out(REMEMBER, request, Remember(**given))
            return cast(Any, result).to_dict()

        yield call


@pytest.mark.parametrize("agent", ["main", "work"])
def test_what_a_person_asks_to_remember_is_kept_and_noted_in_the_workspace(
    vault: Vault, root: Path, agent: str
) -> None:
    said = "Remember that the pump of the greenhouse is painted blue."
    turn = [{"role": "user", "content": said}, {"role": "assistant", "content": "Noted."}]
    session = SessionId("agent:main:main" if agent == "main" else "agent:work:main", agent)
    vault.context.commit(session, "t1", turn)
    vault.context.commit(session, "t2", turn)
    vault.capture.run(everything=True)
    text = (root / agent / FILE).read_text()
    assert text.startswith("# 2026-09-21\n\n## ") and text.count("painted blue") == 1
    assert not (root / ("work" if agent == "main" else "main") / FILE).exists()
    vault.index.freshen()
    hits = vault.as_agent(agent).recall("What colour is the pump of the greenhouse?").hits
    assert "painted blue" in hits[0].text


@pytest.mark.parametrize("erase", [False, True])
def test_forgetting_a_memory_takes_its_unchanged_line_out(vault: Vault, root: Path, erase: bool) -> None:
    vault.memories.note("The valve was replaced.")
    said = ("Remember that the pump of the greenhouse is blue.", "Remember that the gate of the orchard squeaks.")
    for number, text in enumerate(said):
        vault.context.commit(SessionId("agent:main:main"), f"t{number}", [{"role": "user", "content": text}])
    vault.capture.run(everything=True)
    (root / "main" / FILE).write_text((root / "main" / FILE).read_text().replace("squeaks", "squeaks badly"))
    facts = {
        one.document.title.split()[1]: one.document.docid
        for one in vault.documents()
        if one.document.content_type == "fact"
    }

    def drop(name: str) -> str:
        if erase:
            return str(vault.state.purge(facts[name], yes=True).left)
        return str(vault.state.forget(facts[name]).note)

    assert FILE not in drop("pump") and "pump" not in (root / "main" / FILE).read_text()
    assert f"{FILE} holds a changed line" in drop("gate")
    text = (root / "main" / FILE).read_text()
    assert "squeaks badly" in text and "The valve was replaced." in text


def test_a_time_under_which_nothing_is_left_goes_with_the_line(vault: Vault, root: Path) -> None:
    vault.context.commit(
        SessionId("agent:main:main"), "t1", [{"role": "user", "content": "Remember that the pump is painted blue."}]
    )
    vault.capture.run(everything=True)
    [docid] = [one.document.docid for one in vault.documents() if one.document.content_type == "fact"]
    vault.state.forget(docid)
    assert (root / "main" / FILE).read_text() == "# 2026-09-21\n"


def test_agents_in_one_repository_each_note_in_their_own_workspace(environ: dict[str, str], root: Path) -> None:
    (root / ".git").mkdir()
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    with compose(settings(environ={**environ, "HOME": str(root / "home")}), lambda: NOON) as vault:
        for agent in ("main", "work"):
            turn = [{"role": "user", "content": f"Remember that the {agent} pump is painted blue."}]
            vault.context.commit(SessionId(f"agent:{agent}:main", agent), "t1", turn)
        vault.capture.run(everything=True)
    for agent in ("main", "work"):
        assert f"the {agent} pump" in (root / agent / FILE).read_text().lower()


def test_what_the_rules_infer_is_not_noted(vault: Vault, root: Path) -> None:
    turn = [{"role": "user", "content": "We decided to use PostgreSQL for the orders."}]
    vault.context.commit(SessionId("agent:main:main"), "t1", turn)
    vault.capture.run(everything=True)
    assert not (root / "main" / FILE).exists()


def test_a_note_of_the_day_goes_once_into_the_file_that_others_write(vault: Vault, root: Path) -> None:
    (root / "main" / "memory").mkdir()
    (root / "main" / FILE).write_text("# Monday\r\n\r\n- watered the tomatoes\r\n")
    done = [vault.memories.note("The valve was replaced.") for _ in range(2)]
    text = (root / "main" / FILE).read_text()
    assert text.startswith("# Monday\n\n- watered the tomatoes\n\n## ") and text.count("The valve was replaced.") == 1
    assert {(one.collection, one.path) for one in done} == {("main", FILE)}


def test_an_agent_stores_a_note_of_the_day_in_its_own_workspace(store: Store, root: Path) -> None:
    done = store("work", text="The queue was drained.", type="daily", title="Queue")
    assert done["collection"] == "work"
    assert "\nQueue: The queue was drained.\n" in (root / "work" / done["path"]).read_text()


def test_a_note_of_the_day_replaces_nothing(store: Store) -> None:
    with pytest.raises(UsageError, match="supersedes nothing"):
        store(text="A note.", type="daily", subject="valve")


def test_secrets_are_taken_out_of_the_workspaces_file(store: Store, root: Path) -> None:
    done = store(text="The token is ghp_0123456789abcdefghijABCDEFGHIJ012345.", type="daily")
    assert "ghp_0123" not in (root / "main" / done["path"]).read_text()


def test_without_a_workspace_the_vaults_own_file_is_used(environ: dict[str, str], root: Path, store: Store) -> None:
    config = root / "config" / "config.yaml"
    config.write_text("daemon:\n  mode: never\n")
    with compose(settings(environ=environ), lambda: NOON) as vault:
        assert vault.memories.note("The hens are fed.").path == "daily/2026-09-21.md"


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf", b"\xff\xfe"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_day_file_keeps_its_encoding_and_line_ends(vault: Vault, root: Path, mark: bytes, line_end: str) -> None:
    encoding = "utf-16-le" if mark == b"\xff\xfe" else "utf-8"
    own = mark + f"# Day{line_end}{line_end}Soup für alle.  {line_end}".encode(encoding)
    file = root / "main" / FILE
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(own)
    vault.memories.note("The pump is painted blue.")
    data = file.read_bytes()
    assert data.startswith(own)
    added = data[len(own) :].decode(encoding)
    assert "The pump is painted blue." in added and added.endswith(line_end)
    assert ("\r" in added) == (line_end == "\r\n")
    assert added.count("\n") == added.count(line_end)


@pytest.mark.parametrize("own", [b"", b"- \xfcber alles\r\n", b"Bad \xff byte.\n"])
def test_other_lines_keep_their_bytes_when_one_is_taken_out(vault: Vault, root: Path, own: bytes) -> None:
    mixed = b"# Day  \r\n\r\nSoup \t\nfor all.\r\n" + own + b"\n\n\n- eggs   \r\n"
    file = root / "main" / FILE
    file.parent.mkdir()
    file.write_bytes(mixed)
    turn = [{"role": "user", "content": "Remember that the pump of the greenhouse is blue."}]
    vault.context.commit(SessionId("agent:main:main"), "t1", turn)
    vault.capture.run(everything=True)
    written = file.read_bytes()
    file.write_bytes(written + b"\r\n## 23:59 \r\n\r\nOthers wrote this.  \n\n")
    [docid] = [one.document.docid for one in vault.documents() if one.document.content_type == "fact"]
    assert vault.state.forget(docid).note is None
    assert file.read_bytes() == mixed + b"\r\n## 23:59 \r\n\r\nOthers wrote this.  \n\n"


def test_forgetting_what_others_were_merged_into_takes_their_lines_out(vault: Vault, root: Path) -> None:
    said = "The importer fails when the network is slow.", "When the network is slow, the importer fails."
    for text in (*said, "The valve was replaced."):
        vault.memories.note(text)
        vault.memories.remember(text, "problem", session="agent:main:main")
    [change] = vault.truth.consolidator.run().changes
    docid = change.keep.docid
    assert vault.state.forget(docid).note is None
    text = (root / "main" / FILE).read_text()
    assert "importer" not in text and "The valve was replaced." in text


def test_a_note_stands_in_the_file_of_the_day_on_which_it_is_written(environ: dict[str, str], root: Path) -> None:
    midnight = NOON - NOON % 86_400_000 + 86_400_000
    at = [midnight - 60_000]
    with compose(settings(environ=environ), lambda: at[0]) as vault:
        vault.index.freshen()
        session = SessionId("agent:main:main")
        turn = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "x" * 120_000}]
        vault.context.commit(session, "t1", turn)
        asked = vault.context.flush(session, window=32_768)
        assert (asked.due, asked.path) == (True, FILE)
        vault.memories.note("The valve was replaced.")
        at[0] = midnight + 60_000
        assert vault.memories.note("The hens are fed.").path == "memory/2026-09-22.md"
        vault.context.flushed(session)
        assert vault.context.flush(session, window=32_768).reason == "this cycle was flushed"
    days = {path.name: path.read_text() for path in (root / "main" / "memory").iterdir()}
    assert set(days) == {"2026-09-21.md", "2026-09-22.md"}
    assert "## 23:59\n\nThe valve" in days["2026-09-21.md"] and "## 00:01\n\nThe hens" in days["2026-09-22.md"]


def say(vault: Vault, *texts: str, session: str = "agent:main:main") -> None:
    for number, text in enumerate(texts):
        vault.context.commit(SessionId(session), f"{text[:40]} {number}", [{"role": "user", "content": text}])
        vault.capture.run(everything=True)


OLD, NEW = "Remember that I live in Porto.", "Remember that I live in Bergen."


def find_line(root: Path, words: str) -> str:
    return next(line for line in (root / "main" / FILE).read_text().splitlines() if words in line)


def test_the_line_of_what_was_corrected_says_since_when_it_is_outdated(vault: Vault, root: Path) -> None:
    say(vault, OLD, NEW)
    assert find_line(root, "Porto").startswith("Outdated since 2026-09-21 ")
    assert not find_line(root, "Bergen").startswith("Outdated")


def test_what_the_next_session_is_told_of_the_day_never_states_the_outdated(vault: Vault, root: Path) -> None:
    say(vault, OLD, NEW)
    vault.index.freshen()
    told = vault.context.assemble(SessionId("agent:main:other"), AssembleRequest(50_000, "Hello", private=True)).system
    assert "Outdated since" in next(line for line in told.splitlines() if "Porto" in line)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_line_is_marked_and_unmarked_as_its_memory_goes_and_comes_back(
    vault: Vault, root: Path, encoding: str
) -> None:
    file = root / "main" / FILE
    file.parent.mkdir()
    file.write_bytes("# Day  \r\n\r\nSoup für alle.\r\n- The pump is blue.  \r\n".encode(encoding))
    texts = (
        "The pump is blue.\n\n- Paint it again in May.\n- Its sign: “Outdated since 2020-05-01 10:00: red.”",
        "The gate squeaks.",
    )
    docids = []
    for text in texts:
        vault.memories.note(text)
        docids.append(vault.memories.remember(text, "fact", session="agent:main:main").docid)
    before = file.read_bytes()
    vault.state.supersede(docids[0], docids[1])
    marked = file.read_bytes()
    assert marked.decode(encoding).count("Outdated since 2026-09-21 ") == 2
    assert len(marked.splitlines()) == len(before.splitlines())
    vault.state.restore(docids[0])
    assert file.read_bytes() == before
    vault.state.invalidate(docids[0])
    assert file.read_bytes() == marked
    assert vault.state.forget(docids[0]).note is None
    text = file.read_bytes().decode(encoding)
    assert "Paint it" not in text and "- The pump is blue.  \r\n" in text and "The gate squeaks." in text


def test_a_line_is_true_again_when_what_replaced_it_is_forgotten(vault: Vault, root: Path) -> None:
    say(vault, OLD)
    before = (root / "main" / FILE).read_bytes()
    say(vault, NEW)
    [new] = [one.document.docid for one in vault.documents() if "Bergen" in one.document.title]
    assert vault.state.forget(new).note is None
    assert (root / "main" / FILE).read_bytes() == before


def test_a_line_that_somebody_changed_is_not_marked(vault: Vault, root: Path) -> None:
    say(vault, OLD)
    file = root / "main" / FILE
    file.write_text(file.read_text().replace("Porto.", "Porto, near the river."))
    say(vault, NEW)
    assert not find_line(root, "Porto").startswith("Outdated")


def test_what_is_captured_once_more_stays_outdated(vault: Vault, root: Path) -> None:
    say(vault, OLD, NEW)
    vault.memories.days.add(find_line(root, "Porto").partition(": ")[2], instants.moment(NOON, instants.zone_of("UTC")))
    assert (root / "main" / FILE).read_text().count("Porto") == 1


def test_a_decision_in_the_review_marks_the_line_of_what_gave_way(vault: Vault, root: Path) -> None:
    texts = "The invoices are sent on Mondays.", "The invoices are sent on Fridays."
    for text in texts:
        vault.memories.note(text)
        vault.memories.remember(text, "fact", session="agent:main:main")
    [case] = vault.truth.reviews()
    vault.truth.decide(case.entry.id, "keep-old")
    assert not find_line(root, "Mondays").startswith("Outdated")
    assert find_line(root, "Fridays").startswith("Outdated since ")


def test_the_line_of_a_text_that_was_rewritten_is_outdated_and_goes_with_it(vault: Vault, root: Path) -> None:
    texts = "The orders are stored in MySQL.", "The orders are stored in PostgreSQL."
    for text in texts:
        vault.memories.note(text)
        done = vault.memories.remember(text, "preference", subject="store of orders", session="agent:main:main")
    assert done.action == "revised"
    assert find_line(root, "MySQL").startswith("Outdated since ")
    assert vault.state.forget(done.docid).note is None
    assert "stored in" not in (root / "main" / FILE).read_text()


def test_lines_that_were_joined_into_one_memory_stay_true_and_go_with_it(vault: Vault, root: Path) -> None:
    texts = "Don't push to main on Fridays.", "Don't push to main on Fridays, since nobody is on call."
    texts = (*texts, "Don't push to main on Fridays before a holiday of the team.")
    for text in texts:
        vault.memories.note(text)
        done = vault.memories.remember(text, "antipattern", subject="pushes", session="agent:main:main")
    assert done.action == "merged"
    assert "Outdated" not in (root / "main" / FILE).read_text()
    assert vault.state.forget(done.docid).note is None
    assert "Fridays" not in (root / "main" / FILE).read_text()
