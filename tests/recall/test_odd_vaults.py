"""Vaults out of the ordinary: one name for all, every language at once, a note for every day, dates to come."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest

from hearth.core import instants
from hearth.core.query import Hit, Query
from hearth.recall.interfaces import RankingSettings
from hearth.recall.recall import Recaller
from hearth.store.sqlite import read_search

TODAY = date(2026, 11, 22)
AT = instants.noon(TODAY)
DAY = timedelta(days=1)

# A sentence each, with the words of a question about it.
LANGUAGES = {
    "ar": ("اشترى الجار حصانا أبيض", "حصانا أبيض"),
    "bg": ("Съседът купи бял кон", "бял кон"),
    "bn": ("প্রতিবেশী একটি সাদা ঘোড়া কিনেছে", "সাদা ঘোড়া"),
    "cs": ("Soused koupil bílého koně", "bílého koně"),
    "da": ("Naboen købte en hvid hest", "hvid hest naboen"),
    "de": ("Der Nachbar kaufte ein weißes Pferd", "weißes Pferd"),
    "el": ("Ο γείτονας αγόρασε ένα λευκό άλογο", "λευκό άλογο"),
    "en": ("The neighbour bought a white horse", "white horse"),
    "es": ("El vecino compró un caballo blanco", "caballo blanco"),
    "et": ("Naaber ostis valge hobuse", "valge hobuse"),
    "fa": ("همسایه یک اسب سفید خرید", "اسب سفید"),
    "fi": ("Naapuri osti valkoisen hevosen", "valkoisen hevosen"),
    "fr": ("Le voisin a acheté un cheval blanc", "cheval blanc"),
    "he": ("השכן קנה סוס לבן", "סוס לבן"),
    "hi": ("पड़ोसी ने सफेद घोड़ा खरीदा", "सफेद घोड़ा"),
    "hu": ("A szomszéd vett egy fehér lovat", "fehér lovat"),
    "id": ("Tetangga membeli kuda putih", "kuda putih"),
    "it": ("Il vicino ha comprato un cavallo bianco", "cavallo bianco"),
    "ja": ("隣人は白い馬を買った", "白い馬"),
    "ko": ("이웃이 흰 말을 샀다", "흰 말을"),
    "lt": ("Kaimynas nusipirko baltą arklį", "baltą arklį"),
    "nl": ("De buurman kocht een wit paard", "wit paard"),
    "pl": ("Sąsiad kupił białego konia", "białego konia"),
    "pt": ("O vizinho comprou um cavalo branco", "cavalo branco"),
    "ro": ("Vecinul a cumpărat un cal alb", "cal alb"),
    "ru": ("Сосед купил белую лошадь", "белую лошадь"),
    "ta": ("அயலவர் வெள்ளைக் குதிரை வாங்கினார்", "வெள்ளைக் குதிரை"),
    "th": ("เพื่อนบ้านซื้อม้าขาว", "ม้าขาว"),
    "tr": ("Komşu beyaz bir at aldı", "beyaz at komşu"),
    "uk": ("Сусід купив білого коня", "білого коня"),
    "vi": ("Người hàng xóm mua một con ngựa trắng", "ngựa trắng"),
    "zh": ("邻居买了一匹白马", "白马"),
}


def ask(box: Any, text: str, **given: Any) -> list[Hit]:
    recaller = Recaller(box.store, None, RankingSettings())
    return list(recaller(Query(text, at=AT, recipe="keyword", **given)).hits)


def filled_with_one_name(box: Any, count: int) -> None:
    for number in range(count):
        box.write(f"{number % 97}/{number}/Note.md", f"Box {number} holds parcel p{number}.\n")
    box.sync()


def many_of_one_name(make_box: Callable[[], Any], steps: Callable[..., int], few: int, many: int) -> None:
    costs = []
    for count in (few, many):
        box = make_box()
        filled_with_one_name(box, count)
        found = ask(box, "note", limit=20)
        assert len(found) == 20
        assert {hit.title for hit in found} == {"Note"}
        assert ask(box, f"which box holds parcel p{count - 1}")[0].path.endswith(f"/{count - 1}/Note.md")
        costs.append(steps(lambda box=box: ask(box, "note", limit=20)))
        box.store.close()
    assert costs[1] < 1.5 * costs[0]


def test_a_thousand_notes_of_one_name_are_told_apart_at_the_cost_of_some_hundreds(
    make_box: Callable[[], Any], steps: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_search, "MOST_ROWS", 300)
    many_of_one_name(make_box, steps, 300, 1_200)


@pytest.mark.torture
@pytest.mark.timeout(3_600)
def test_a_hundred_thousand_notes_of_one_name_are_told_apart(
    make_box: Callable[[], Any], steps: Callable[..., int]
) -> None:
    many_of_one_name(make_box, steps, read_search.MOST_ROWS, 100_000)


@pytest.mark.parametrize("alias", ["the", "and", "was", "el", "der", "what is it"])
def test_an_alias_of_stop_words_names_its_note_and_no_other_question(box: Any, alias: str) -> None:
    box.write("band.md", f"---\naliases: [{alias}]\n---\nPlayed in the cellar on Friday.\n")
    box.write("garden.md", "What is it that grows best there? The beans, and the peas was el der.\n")
    box.sync()
    assert ask(box, alias)[0].path == "band.md"
    assert ask(box, "what is it that grows in the garden, the beans and peas?")[0].path == "garden.md"


def test_thirty_languages_in_one_vault_are_each_found_by_their_own_words(box: Any) -> None:
    assert len(LANGUAGES) >= 30
    for code, (sentence, _) in LANGUAGES.items():
        box.write(f"{code}.md", f"{sentence}.\n")
    box.sync()
    missed = [code for code, (_, question) in LANGUAGES.items() if ask(box, question)[0].path != f"{code}.md"]
    assert not missed


def a_note_for_every_day(box: Any, days: int) -> None:
    for back in range(days):
        day = TODAY - back * DAY
        box.write(f"daily/{day}.md", f"Walked to the harbour, number {back}, and did the dishes.\n")
    box.sync()
    assert ask(box, "what did I do yesterday?")[0].path == f"daily/{TODAY - DAY}.md"
    assert ask(box, "¿qué hice ayer?")[0].path == f"daily/{TODAY - DAY}.md"
    far = TODAY - (days - 1) * DAY
    assert ask(box, f"{far}")[0].path == f"daily/{far}.md"
    week = {hit.path for hit in ask(box, "harbour", since=AT - 7 * instants.DAY_MS, limit=20)}
    assert week <= {f"daily/{TODAY - back * DAY}.md" for back in range(8)}
    assert week


def test_yesterday_is_one_of_a_thousand_daily_notes(make_box: Callable[[], Any]) -> None:
    a_note_for_every_day(make_box(), 1_000)


@pytest.mark.torture
@pytest.mark.timeout(3_600)
def test_yesterday_is_one_of_ten_thousand_daily_notes(make_box: Callable[[], Any]) -> None:
    a_note_for_every_day(make_box(), 10_000)


def test_what_is_dated_in_the_future_is_found_and_is_no_past(box: Any) -> None:
    box.write("plan.md", "---\ndate: 2099-01-01\n---\nThe harbour festival is planned.\n")
    box.write("far.md", "---\ndate: 9999-12-31\n---\nThe harbour is full.\n")
    box.write("daily/2026-11-21.md", "Went to the harbour.\n")
    future = box.write("touched.md", "The harbour was closed.\n")
    os.utime(future, (4_102_444_800, 4_102_444_800))
    box.sync()
    found = ask(box, "harbour")
    assert {hit.path for hit in found} == {"plan.md", "far.md", "daily/2026-11-21.md", "touched.md"}
    assert all(0 <= hit.score <= 1 for hit in found)
    assert ask(box, "what happened at the harbour yesterday?")[0].path == "daily/2026-11-21.md"
    assert {hit.path for hit in ask(box, "harbour", until=AT)} == {"daily/2026-11-21.md"}
    assert ask(box, "harbour festival")[0].path == "plan.md"
    assert box.sync().unchanged == 4, "a file from the future is not read at every scan"


def test_code_in_a_note_is_in_no_language(box: Any) -> None:
    """Of Italian, though, some words look like bytes: "da", "di"."""
    dump = "\n".join("000000  ca fe da 00 di 00 la il  per la da in" for _ in range(20))
    box.write("dump.md", f"# Dump a file\n\nThe tool shows what bytes a program wrote.\n\n```\n{dump}\n```\n")
    box.sync()
    with box.store.read() as reader:
        assert reader.statistics().languages == ("en",)
