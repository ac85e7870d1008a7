from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from hearth import open_vault
from hearth.core.memory import NewMemory

from .conftest import NOTES, Live


def good(answer: httpx.Response) -> Any:
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_health_asks_the_index_and_says_the_version(rest: httpx.Client) -> None:
    said = good(rest.get("/health"))
    assert said["status"] == "ok" and said["documents"] >= len(NOTES) and said["version"]


def test_every_route_is_also_there_without_the_version(live: Live) -> None:
    with httpx.Client(base_url=live.url) as client:
        assert good(client.get("/health"))["status"] == "ok"
        assert good(client.get("/openapi.json")) == good(client.get("/v1/openapi.json"))


def test_search_answers_with_the_names_of_the_command_line(rest: httpx.Client, live: Live) -> None:
    said = good(rest.post("/search", json={"query": "why postgresql over mongodb?", "full": True}))
    with open_vault(environ=live.environ) as vault:
        own = vault.recall("why postgresql over mongodb?").to_dict(full=True)
    assert set(said) == set(own) and said["recipe"] == "hybrid"
    assert said["results"][0] == own["results"][0]
    assert said["results"][0]["path"] == "decisions/0001-postgres.md"


def test_a_session_is_kept_sent_compacted_and_reset(rest: httpx.Client) -> None:
    def ask(name: str, **given: Any) -> Any:
        return good(rest.post(f"/context/{name}", json={"session": "over-rest"} | given))

    said = [{"role": "user", "content": "Where is the cat?"}, {"role": "assistant", "content": "On the roof. " * 2_000}]
    turn = json.dumps(said)
    assert [ask("commit", key="t1", messages=turn)["status"] for _ in range(2)] == ["committed", "duplicate"]
    ask("commit", key="t2", messages=turn)
    sent = ask("assemble", budget=50_000, prompt="Get it.")
    assert [one["role"] for one in sent["messages"]] == ["user", "assistant"] * 2 + ["user"]
    assert ask("plan", budget=50_000, prompt="Get it.")["tokens"] == sent["tokens"]
    assert "leave room" in ask("compact", only_due=True)["reason"]
    assert ask("compact", window=16_000, only_due=True)["compacted"]
    assert "Where is the cat?" in ask("assemble", budget=50_000)["messages"][0]["content"]
    assert ask("flush", tokens=190_000)["reason"] == "the agent has no workspace"
    assert ask("reset")["note"] and ask("assemble", budget=50_000)["messages"] == []
    kept = good(rest.get("/context/messages", params={"session": "over-rest"}))["messages"]
    assert [one["content"] for one in kept] == [one["content"] for one in said] * 2
    sizes = json.dumps([{"id": "a", "role": "user", "tokens": 500}])
    assert good(rest.post("/context/fit", json={"budget": 100, "skeletons": sizes}))["overflow"] == 400
    assert "cat" in good(rest.post("/context/summarize", json={"messages": turn}))["summary"]
    assert rest.post("/context/commit", json={"session": "s", "key": "t", "messages": "no JSON"}).status_code == 400


@pytest.mark.parametrize("mode", ["keyword", "semantic", "hybrid", "auto"])
def test_search_takes_a_mode(rest: httpx.Client, mode: str) -> None:
    said = good(rest.post("/search", json={"query": "restic dump", "mode": mode, "limit": 1}))
    assert said["recipe"] == ("hybrid" if mode == "auto" else mode)
    assert said["results"][0]["path"] == "runbooks/restore.md"


def test_a_search_counts_as_a_use_of_what_it_found(
    rest: httpx.Client, remember: Callable[..., str], live: Live, until: Callable[..., None]
) -> None:
    docid = remember("The lapwing circles over the marsh.", type="fact")
    for number in range(3):
        asked = {"query": f"lapwing marsh {number}", "session": f"watching-{number}"}
        assert good(rest.post("/search", json=asked))["results"][0]["docid"] == docid
    with open_vault(environ=live.environ) as vault:
        until(lambda: vault.usage.statistics(docid).recalled >= 3)
        assert vault.usage.statistics(docid).recalled == 3


def test_search_narrows_by_collection_type_and_date(rest: httpx.Client) -> None:
    bread: dict[str, Any] = {"query": "rye bread"}
    assert good(rest.post("/search", json=bread | {"collections": ["notes"], "types": ["daily"]}))["results"]
    other = good(rest.post("/search", json=bread | {"types": ["decision"]}))
    assert not other["confident"] and {row["content_type"] for row in other["results"]} <= {"decision"}
    assert not good(rest.post("/search", json=bread | {"until": "2026-03-01"}))["results"]
    assert rest.post("/search", json=bread | {"collections": ["nope"]}).status_code == 404


def test_retrieve_routes_by_the_wording_and_adds_what_the_route_finds(rest: httpx.Client) -> None:
    said = good(rest.post("/retrieve", json={"query": "what did I write on 5 March 2026?"}))
    assert said["mode"] == "timeline" and said["why"]
    assert [row["path"] for row in said["timeline"]] == ["daily/2026-03-05.md"]
    plain = good(rest.post("/search", json={"query": "boat on the lake"}))
    routed = good(rest.post("/retrieve", json={"query": "boat on the lake", "mode": "discovery"}))
    assert routed["results"][: len(plain["results"])] == plain["results"]


@pytest.mark.parametrize("name", ["decisions/0001-postgres.md", "notes/decisions/0001-postgres.md", "{docid}"])
def test_a_document_is_read_by_docid_and_by_path(rest: httpx.Client, name: str) -> None:
    docid = good(rest.get("/documents/notes/decisions/0001-postgres.md"))["docid"]
    said = good(rest.get(f"/documents/{name.format(docid=docid)}"))
    assert said["docid"] == docid
    assert said["text"] == NOTES["decisions/0001-postgres.md"].rstrip("\n") and said["next_line"] is None


def test_a_document_is_read_on_from_where_the_last_part_ended(rest: httpx.Client) -> None:
    first = good(rest.get("/documents/runbooks/restore.md?max_lines=3"))
    rest_of = good(rest.get("/documents/runbooks/restore.md", params={"from_line": first["next_line"]}))
    assert first["text"] + "\n" + rest_of["text"] == NOTES["runbooks/restore.md"].rstrip("\n")
    assert rest.get("/documents/runbooks/restore.md?from_line=999").status_code == 400


def test_pages_of_documents_hold_each_of_them_once(rest: httpx.Client) -> None:
    whole = good(rest.get("/documents?limit=500&pattern=notes/*"))
    assert whole["next"] is None and len(whole["documents"]) == len(NOTES)
    pages, cursor = [], None
    while True:
        said = good(
            rest.get("/documents", params={"limit": 1, "pattern": "notes/*"} | ({"cursor": cursor} if cursor else {}))
        )
        pages += said["documents"]
        cursor = said["next"]
        if cursor is None:
            break
    assert pages == whole["documents"]


def test_documents_come_with_their_texts_where_these_are_small(rest: httpx.Client) -> None:
    said = good(rest.get("/documents", params={"full": "true", "max_bytes": 80, "pattern": "*.md"}))
    assert {row["path"] for row in said["documents"]} >= {"daily/2026-03-05.md", "ideas/boat.md"}
    assert all(row["text"] for row in said["documents"])
    assert {row["path"] for row in said["skipped"]} >= {"runbooks/restore.md"}


def test_what_is_forgotten_is_nowhere_until_it_is_restored(rest: httpx.Client, remember: Callable[..., str]) -> None:
    docid = remember("The walrus sings at dawn.", type="fact")
    done = good(rest.post(f"/documents/{docid}/forget", json={"reason": "a joke"}))
    assert done["action"] == "forgotten" and done["events"]
    assert rest.get(f"/documents/{docid}").status_code == 404
    assert docid not in rest.get("/documents?limit=500&full=true").text
    assert docid not in rest.post("/search", json={"query": "walrus sings at dawn"}).text
    assert good(rest.post(f"/documents/{docid}/restore"))["action"] == "restored"
    assert docid in rest.post("/search", json={"query": "walrus sings at dawn"}).text


def test_pins_and_snoozes_are_set_and_taken_back(rest: httpx.Client, remember: Callable[..., str]) -> None:
    docid = remember("The heron waits by the weir.", type="fact")
    assert good(rest.post(f"/documents/{docid}/pin"))["state"]["pinned"] is True
    assert good(rest.get(f"/documents/{docid}"))["pinned"] is True
    assert good(rest.post(f"/documents/{docid}/pin", json={"unpin": True}))["state"]["pinned"] is False
    assert good(rest.post(f"/documents/{docid}/snooze", json={"until": "2999-01-01T00:00:00Z"}))["action"] == "snoozed"
    assert good(rest.post(f"/documents/{docid}/snooze", json={"unsnooze": True}))["action"] == "woken"
    assert good(rest.post("/undo"))["action"] == "undone"


def test_a_document_is_superseded_and_invalidated(rest: httpx.Client, remember: Callable[..., str]) -> None:
    old, new = remember("The gate code is blue otter.", type="fact"), remember("A new lock has no code.", type="fact")
    assert good(rest.post(f"/documents/{old}/supersede", json={"by": f"#{new}"}))["state"]["superseded_by"] == new
    assert good(rest.post(f"/documents/{new}/invalidate"))["action"] == "invalidated"
    found = good(rest.post("/search", json={"query": "gate code blue otter", "include": ["superseded"]}))
    assert [row["hidden"] for row in found["results"] if row["docid"] == old] == [["superseded"]]


def test_what_a_person_is_asked_about_says_so_until_it_is_settled(
    rest: httpx.Client, remember: Callable[..., str]
) -> None:
    old = remember("The user sailed to Gotland in June 2023.", type="fact")
    new = remember("The user has never sailed to Gotland.", type="fact")

    def doubts() -> dict[str, list[str]]:
        found = good(rest.post("/search", json={"query": "sailed to Gotland"}))["results"]
        return {row["docid"]: row.get("doubts", []) for row in found if row["docid"] in (old, new)}

    assert doubts() == {old: [new], new: [old]}
    assert good(rest.get(f"/documents/{old}"))["doubts"] == [new]
    [case] = [one for one in good(rest.get("/review"))["entries"] if one["older"]["docid"] == old]
    assert good(rest.post("/review", json={"entry": case["id"], "decision": "both"}))["decision"] == "both"
    assert doubts() == {old: [], new: []}
    assert "doubts" not in good(rest.get(f"/documents/{old}"))


def test_a_captured_memory_is_approved_or_rejected(live: Live, rest: httpx.Client) -> None:
    said = ("The lighthouse blinks thrice.", "The lighthouse keeper is called Odo.")
    with open_vault(environ=live.environ) as vault:
        one, two = (vault.memories.keep(NewMemory(text, "fact", session="s1", pending=True)).docid for text in said)
    found = good(rest.post("/search", json={"query": "lighthouse blinks thrice"}))["results"]
    assert [row["hidden"] for row in found if row["docid"] == one] == [["pending"]]
    assert good(rest.get("/review"))["unapproved"] == 2
    assert {row["docid"] for row in good(rest.get("/review"))["pending"]} == {one, two}
    done = good(rest.post("/review", json={"entry": one, "decision": "accept"}))
    assert (done["decision"], done["unapproved"]) == ("accept", 1)
    assert good(rest.post("/review", json={"all": True, "decision": "reject"}))["unapproved"] == 0
    assert "hidden" not in next(
        row
        for row in good(rest.post("/search", json={"query": "lighthouse blinks thrice"}))["results"]
        if row["docid"] == one
    )
    assert two not in rest.post("/search", json={"query": "lighthouse keeper Odo"}).text
    assert rest.post("/review", json={"all": True}).status_code == 400


def test_a_folder_is_made_incognito(rest: httpx.Client) -> None:
    assert good(rest.post("/incognito", json={"action": "on", "folder": "/w/boat/"}))["folders"] == ["/w/boat"]
    assert good(rest.get("/incognito", params={"folder": "/w/boat/hull"}))["incognito"] is True
    assert good(rest.get("/incognito", params={"folder": "/w/boats"}))["incognito"] is False
    assert good(rest.post("/incognito", json={"action": "off", "folder": "/w/boat"}))["folders"] == []


def test_a_change_wants_a_name_and_not_a_description(rest: httpx.Client) -> None:
    said = rest.post("/documents/small%20wooden%20boat%20for%20the%20lake/forget")
    assert said.status_code == 404
    assert good(rest.get("/documents/ideas/boat.md"))["title"] == "A boat"


def test_what_is_written_is_found_at_once(rest: httpx.Client) -> None:
    assert (
        good(rest.post("/memories", json={"text": "Puffins nest in burrows.", "type": "fact"}))["action"] == "written"
    )
    assert good(rest.post("/notes", json={"text": "Saw a puffin."}))["action"] == "appended"
    assert good(rest.post("/diary", json={"text": "Learned about puffins.", "topic": "birds"}))["action"] == "written"
    assert good(rest.get("/diary?topic=birds"))["entries"][0]["text"] == "Learned about puffins."
    found = good(rest.post("/search", json={"query": "puffins nest burrows"}))
    assert found["results"][0]["content_type"] == "fact"


def test_a_turn_that_is_handed_over_waits_for_its_capture(rest: httpx.Client) -> None:
    body = {"session": "chat-7", "user": "Where do puffins nest?", "assistant": "In burrows.", "host": "my-chat"}
    first = good(rest.post("/capture", json=body))
    assert (first["session"], first["turns"]) == ("chat-7", 2)
    last = good(rest.post("/capture", json={"session": "chat-7", "user": "Thank you.", "end": True}))
    assert last["due_at"] < first["due_at"]
    assert rest.post("/capture", json={"session": "chat-7"}).status_code == 400


def test_secrets_are_taken_out_of_what_is_written(rest: httpx.Client) -> None:
    text = "The deploy key is ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8" + " and lives in CI."
    done = good(rest.post("/memories", json={"text": text, "type": "fact"}))
    assert done["redacted"] == 1
    assert "a1B2c3D4" not in rest.get(f"/documents/{done['docid']}").text


def test_the_calls_of_other_memory_systems_answer(rest: httpx.Client) -> None:
    found = good(rest.post("/memory/search", json={"query": "postgresql joins", "maxResults": 1}))
    assert found["results"][0]["path"] == "notes/decisions/0001-postgres.md"
    got = good(rest.post("/memory/get", json={"path": found["results"][0]["path"], "from": 3, "lines": 1}))
    assert got["text"] == "We chose PostgreSQL because joins matter more."
    assert (
        "PostgreSQL"
        in good(rest.post("/memory/context", json={"message": "Why PostgreSQL and not MongoDB?"}))["digest"]
    )


def test_the_neighbours_of_a_document_are_found(rest: httpx.Client) -> None:
    moments = good(rest.get("/timeline/ideas/boat.md?before=1&after=1"))["documents"]
    assert [row["path"] for row in moments if row["focus"]] == ["ideas/boat.md"]
    similar = good(rest.get("/graph/similar/ideas/boat.md?limit=2"))["results"]
    assert len(similar) == 2 and "ideas/boat.md" not in {row["path"] for row in similar}


def test_the_lifecycle_only_says_what_it_would_do_unless_told(rest: httpx.Client) -> None:
    assert good(rest.get("/lifecycle/status"))["active"] >= len(NOTES)
    assert good(rest.post("/lifecycle/sweep"))["dry_run"] is True
    assert good(rest.post("/lifecycle/restore", json={"all": True}))["dry_run"] is True
    assert rest.post("/lifecycle/restore").status_code == 400
    assert good(rest.post("/lifecycle/sweep", json={"dry_run": False}))["dry_run"] is False


def test_sessions_come_page_by_page(rest: httpx.Client, live: Live) -> None:
    from hearth.core.session import Sighting

    with open_vault(environ=live.environ) as vault:
        for number in range(5):
            vault.sessions.seen(Sighting(f"paged-{number}", host="claude-code"))
        for number in (0, 1, 2, 4):
            vault.sessions.turn_ended(
                f"paged-{number}", "/somewhere/transcript.jsonl", 100, "t-1", files=("src/boat.py",)
            )
    whole = [row["id"] for row in good(rest.get("/sessions?limit=200"))["sessions"]]
    first = good(rest.get("/sessions?limit=2"))
    second = good(rest.get("/sessions", params={"limit": 2, "cursor": first["next"]}))
    assert [row["id"] for row in first["sessions"] + second["sessions"]] == whole[:4]
    assert "paged-4" in whole and "paged-3" not in whole, "nothing happened there"
    assert good(rest.get("/sessions/paged-3"))["turns"] == []
    detail = good(rest.get("/sessions/paged-2"))
    assert [turn["turn"] for turn in detail["turns"]] == ["t-1"] and detail["files"] == ["src/boat.py"]
    assert "/somewhere" not in rest.get("/sessions/paged-2").text + rest.get("/sessions").text


def test_figures_and_collections_are_told_without_places_on_the_disk(rest: httpx.Client, live: Live) -> None:
    assert good(rest.get("/stats"))["documents"] >= len(NOTES)
    assert "notes" in {row["name"] for row in good(rest.get("/collections"))["collections"]}
    told = good(rest.get("/stats"))
    assert told["content_types"]["decision"] >= 1
    assert {type(told[name]) for name in ("accesses", "accessed", "sessions")} == {int}
    assert good(rest.get("/vaults"))["vaults"] == [
        {"name": "default", "default": True},
        {"name": "work", "default": False},
    ]
    for path in ("/stats", "/collections", "/documents", "/diary", "/sessions"):
        assert str(live.folder) not in rest.get(path).text


def test_metrics_count_requests_by_route(rest: httpx.Client) -> None:
    rest.get("/documents/of-no-such-name")
    said = rest.get("/metrics").text
    assert 'hearth_requests_total{route="/documents/{docid}",method="GET",status="404"}' in said
    assert 'hearth_documents{vault="default"}' in said and "of-no-such-name" not in said


def test_update_reads_what_changed(rest: httpx.Client, live: Live) -> None:
    (live.folder / "notes" / "new.md").write_text("# New\n\nA quokka appeared.\n", encoding="utf-8")
    try:
        assert good(rest.post("/update"))["added"] == 1
    finally:
        (live.folder / "notes" / "new.md").unlink()
    assert good(rest.post("/update", json={}))["retired"] == 1
    former = httpx.post(str(rest.base_url).rstrip("/") + "/reindex")
    assert (former.status_code, former.json()["added"]) == (200, 0), "its former name, which no page tells"


def test_an_export_is_lines_that_an_import_knows(rest: httpx.Client) -> None:
    answer = rest.get("/export")
    rows = [json.loads(line) for line in answer.text.splitlines()]
    assert answer.headers["content-type"] == "application/x-ndjson"
    assert rows[0]["kind"] == "hearth-export" and rows[-1]["kind"] == "end"
    assert {row["path"] for row in rows if row["kind"] == "file"} >= set(NOTES)
    done = good(rest.post("/import", content=answer.content, headers={"content-type": "application/x-ndjson"}))
    assert done["memories"] == done["events"] == 0 and done["left"] >= len(NOTES)
    without = rest.get("/export?files=false").text
    assert '"kind":"file"' not in without


def test_an_export_from_rest_makes_an_equal_vault(rest: httpx.Client, tmp_path: Any, live: Live) -> None:
    rest.post("/memories", json={"text": "Ospreys return in April.", "type": "fact"})
    whole = rest.get("/export").content
    environ = {key: str(tmp_path) if key.startswith("HEARTH_") else value for key, value in live.environ.items()}
    with open_vault(environ=environ) as other:
        other.exchange.import_(io.BytesIO(whole))
        kept = {line for line in whole.splitlines() if b'"kind":"memory"' in line or b'"kind":"event"' in line}
        there = {line.rstrip() for line in other.exchange.export()}
        assert kept and kept <= there


# -- vaults -----------------------------------------------------------------------------------------------------------

READS = [
    ("GET", "/stats", None),
    ("GET", "/documents?full=true", None),
    ("GET", "/collections", None),
    ("GET", "/sessions", None),
    ("GET", "/diary", None),
    ("GET", "/lifecycle/status", None),
    ("GET", "/export", None),
    ("GET", "/metrics", None),
    ("POST", "/search", {"query": "albatross merger closes in May", "full": True}),
    ("POST", "/retrieve", {"query": "albatross merger closes in May"}),
    ("POST", "/memory/search", {"query": "albatross merger"}),
    ("POST", "/memory/context", {"message": "What is the merger called that closes in May?"}),
    ("POST", "/memory/get", {"path": "files/merger.md"}),
    ("GET", "/documents/files/merger.md", None),
    ("GET", "/timeline/files/merger.md", None),
    ("GET", "/graph/similar/files/merger.md", None),
    ("POST", "/documents/files/merger.md/pin", {}),
]


@pytest.mark.parametrize(("method", "path", "body"), READS, ids=lambda value: str(value)[:30])
def test_no_route_of_one_vault_returns_another_s_text(
    rest: httpx.Client, method: str, path: str, body: dict[str, Any] | None
) -> None:
    answer = rest.request(method, path, json=body)
    assert answer.status_code in (200, 404)
    assert "Albatross" not in answer.text
    other = rest.request(method, path, json=body, params={"vault": "work"} | dict(httpx.URL(path).params))
    assert other.status_code == 200
    assert "PostgreSQL" not in other.text


def test_a_write_reaches_only_the_vault_that_is_named(rest: httpx.Client) -> None:
    docid = good(rest.post("/memories?vault=work", json={"text": "The kestrel hovers.", "type": "fact"}))["docid"]
    assert rest.get(f"/documents/{docid}").status_code == 404
    assert good(rest.get(f"/documents/{docid}?vault=work"))["docid"] == docid
    assert rest.get("/documents?vault=nope").status_code == 404


# -- what clients are told ---------------------------------------------------------------------------------------------


def test_problems_say_code_and_hint(rest: httpx.Client, live: Live, secret: Live) -> None:
    with secret.client() as stranger:
        answers = {
            401: stranger.get("/stats"),
            403: rest.get("/stats", headers={"origin": "https://evil.example"}),
            405: rest.request("DELETE", "/search"),
            413: rest.post("/memories", content=b" " * 2_200_000, headers={"content-type": "application/json"}),
            415: rest.post("/memories", content=b"{}", headers={"content-type": "text/plain"}),
            421: rest.get("/stats", headers={"host": "evil.example"}),
        }
    for status, answer in answers.items():
        assert answer.status_code == status
        assert answer.json()["code"] and answer.json()["hint"], status


def test_a_snooze_is_set_or_ended_and_not_both(rest: httpx.Client) -> None:
    both = rest.post("/documents/ideas/boat.md/snooze", json={"unsnooze": True, "until": "2999-01-01"})
    assert both.status_code == 400 and "unsnooze" in both.json()["detail"]


def test_a_path_outside_the_collections_is_a_problem(rest: httpx.Client) -> None:
    refused = rest.post("/memory/get", json={"path": "/etc/passwd"})
    assert (refused.status_code, refused.json()["code"]) == (404, "not_found")
    assert good(rest.post("/memory/get", json={"path": "notes/nowhere.md"}))["status"] == "not_found"


def test_passages_and_digests_have_their_places(rest: httpx.Client) -> None:
    asked = {"query": "postgresql joins"}
    assert "#L" in good(rest.post("/memory/search", json=asked))["results"][0]["citation"]
    assert "citation" not in good(rest.post("/memory/search", json=asked | {"citations": "off"}))["results"][0]
    message = {"message": "Why PostgreSQL and not MongoDB?"}
    assert "notes/decisions/0001-postgres.md#L" in good(rest.post("/memory/context", json=message))["digest"]
    assert "#L" not in good(rest.post("/memory/context", json=message | {"citations": "off"}))["digest"]
    assert rest.post("/memory/search", json=asked | {"citations": "maybe"}).status_code == 400


def test_no_problem_names_a_shell(rest: httpx.Client, remember: Callable[..., str]) -> None:
    docid = remember("The grebe dives in the reservoir.", type="fact")
    rest.post(f"/documents/{docid}/forget")
    pinned = rest.post(f"/documents/{docid}/pin")
    missing = rest.get("/documents/nowhere-at-all.md")
    session = rest.get("/sessions/no-such-session")
    for answer in (pinned, missing, session, rest.post("/lifecycle/restore", json={"query": "x", "all": True})):
        assert answer.status_code >= 400
        assert not {"run: hearth", "hearth list", "hearth restore", "hearth log"} & {
            part for part in ("run: hearth", "hearth list", "hearth restore", "hearth log") if part in answer.text
        }
    assert rest.post("/lifecycle/restore", json={"since": "2026-01-01"}).status_code == 200


def test_a_timeline_without_a_time_dates_what_was_found(rest: httpx.Client) -> None:
    said = good(rest.post("/retrieve", json={"query": "when did we choose PostgreSQL because joins matter more"}))
    assert said["mode"] == "timeline" and said["sessions"] == []
    assert {row["docid"] for row in said["timeline"]} == {row["docid"] for row in said["results"]}
    nothing = good(rest.post("/retrieve", json={"query": "when did xylophones zither?"}))
    assert nothing["reason"] and not nothing["confident"] and not nothing["timeline"]


def test_documents_are_related_and_unrelated(rest: httpx.Client, remember: Callable[..., str]) -> None:
    one, other = remember("The crane stood still."), remember("The quay was flooded by rain.")
    said = {"type": "causal", "target": f"#{one}"}
    done = good(rest.post(f"/documents/{other}/relate", json=said))
    assert (done["action"], done["state"]) == ("related", {"type": "causal", "target": one})
    assert good(rest.post(f"/documents/{other}/unrelate", json=said))["action"] == "unrelated"
    assert rest.post(f"/documents/{other}/relate", json=said | {"type": "usage"}).status_code == 400


def test_names_are_said_to_mean_others_and_undone(rest: httpx.Client) -> None:
    said = good(rest.post("/graph/entities", json={"action": "alias", "name": "the elephant", "of": "PostgreSQL"}))
    assert (said["action"], said["of"]) == ("aliased", "PostgreSQL")
    assert good(rest.get("/graph/entities?name=the%20elephant"))["name"] == "PostgreSQL"
    assert good(rest.post("/undo", json={"event": said["events"][-1]}))["action"] == "undone"
    assert good(rest.get("/graph/entities?name=the%20elephant"))["name"] is None
    assert (
        rest.post("/graph/entities", json={"action": "merge", "name": "Zebedee", "of": "PostgreSQL"}).status_code == 404
    )
    assert rest.post("/graph/entities", json={"action": "merge", "name": "PostgreSQL"}).status_code == 400


def test_relations_are_derived(rest: httpx.Client, remember: Callable[..., str]) -> None:
    remember("The crane stood still.")
    done = good(rest.post("/graph/build"))
    assert done["documents"] > 0
    notes = {"read": 0, "waiting": 0, "missing": []}
    none = {"documents": 0, "missing": 0, "added": {}, "removed": {}, "notes": notes, "summed_up": 0}
    assert good(rest.post("/graph/build")) == none
    assert good(rest.get("/stats"))["missing_relations"] == 0
