"""Names are told from ordinary words by rules, in four languages, and typed by what stands beside them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.language.entities import MOST_ENTITIES, find_entities

TEXTS = (
    ("en", "Yesterday Nadia Rahimi showed Tobias the kiln of Harbour Pottery Studio.",
     {"Nadia Rahimi": "person", "Harbour Pottery Studio": "organization", "Tobias": None}),
    ("en", "Their treasurer moved to Lindqvist & Partners in Gdańsk. Odile's bike stayed.",
     {"Odile": "person", "Gdańsk": "place"}),
    ("en", "We moved the Night Ferry project to OpenTofu on Tuesday.", {"Night Ferry": "project", "OpenTofu": "tool"}),
    ("es", "El director Iñaki Zubiri habló con Maite en Getaria.",
     {"Iñaki Zubiri": "person", "Maite": "person", "Getaria": "place"}),
    ("fr", "L'autrice Solveig Quémener a rejoint l'Institut Kerlouan à Quimperlé.",
     {"Solveig Quémener": "person", "Institut Kerlouan": None, "Quimperlé": "place"}),
    ("de", "Die Leiterin Wiebke Harms traf Onno in Husum. Der Vorstand war mit dem Ergebnis zufrieden.",
     {"Wiebke Harms": "person", "Onno": None, "Husum": "place"}),
)  # fmt: skip


@pytest.mark.parametrize(("language", "text", "names"), TEXTS)
def test_names_are_found_and_typed(language: str, text: str, names: dict[str, str | None]) -> None:
    found = {entity.name: entity.type for entity in find_entities(text, language)}
    for name, kind in names.items():
        assert name in found, found
        assert kind in (None, found[name]), found


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Today we met. Cleaning the oven took long. IFRS 16 applies from Monday. Nobody came."),
        ("en", "## Big Title Of Mine\n\n- **Owner:** none\n\n```\nclass Foo(Bar): pass\n```\n`Some Code` in https://Example.org/Page."),
        ("es", "Ayer limpiamos la casa. Después fuimos al mar. El lunes descansamos."),
        ("fr", "Hier nous avons nettoyé la maison. Ensuite la mer. Le lundi on se repose."),
        ("de", "Gestern haben wir die Wohnung geputzt. Das Wetter war gut, und der Ofen brannte. Am Montag ist Ruhe."),
    ],
)  # fmt: skip
def test_ordinary_words_headings_and_code_are_no_names(language: str, text: str) -> None:
    assert find_entities(text, language) == []


@pytest.mark.parametrize("text", ["[[Tom Ashworth]] does the statistics.", "Ask [[people/Tom Ashworth|Tom]] first."])
def test_a_linked_page_is_called_as_it_is_whatever_folder_it_lies_in(text: str) -> None:
    assert "Tom Ashworth" in [entity.name for entity in find_entities(text)]
    assert not {"Ashworth", "Protocolos"} & {entity.name for entity in find_entities(f"{text} [[Protocolos/Anillas]]")}


@pytest.mark.parametrize(
    ("language", "text", "name"),
    [
        ("es", "Trabajo para la Fundación Biodiversidad.", "Fundación Biodiversidad"),
        ("fr", "Elle travaille avec la Fondation Kerlouan.", "Fondation Kerlouan"),
    ],
)
def test_an_organization_that_says_first_what_it_is_is_no_person(language: str, text: str, name: str) -> None:
    assert {entity.name: entity.type for entity in find_entities(text, language)}[name] == "organization"


def test_a_part_of_a_persons_name_is_the_person_unless_two_have_it() -> None:
    text = "Ines Aldana met Rurik. Later Ines left with Rurik. "
    assert [entity.name for entity in find_entities(text)] == ["Ines Aldana", "Rurik"]
    two = {entity.name for entity in find_entities(text + "Then Ines Bordel came. And Ines left.")}
    assert "Ines" in two


def test_a_german_genitive_gives_the_name_and_a_compound_its_part() -> None:
    text = "Aldanas Garten blüht. Ich rief Aldana an. Wir planen das Night Ferry-Projekt."
    names = {entity.name for entity in find_entities(text, "de")}
    assert {"Aldana", "Night Ferry"} <= names
    assert not {"Aldanas", "Night Ferry-Projekt"} & names


@given(st.text(max_size=400), st.sampled_from(["en", "es", "fr", "de", "zh"]))
def test_a_name_stands_where_it_is_said_to_stand(text: str, language: str) -> None:
    for entity in find_entities(f"{text} Ines Aldana wrote. {text}", language):
        assert 0 <= entity.start < entity.end
        assert entity.name.strip()


@pytest.mark.timeout(20)
def test_ten_thousand_names_are_cut_to_the_most_and_cost_little() -> None:
    text = " ".join(f"then Name{n:05}x Surn{n}ame wrote," for n in range(10_000))
    assert len(find_entities(text[:100_000])) == MOST_ENTITIES
    for odd in ("A " * 5_000, "'" * 20_000, "A-" * 10_000, "# " * 10_000, "```\n" * 5_000, "**" * 10_000):
        find_entities(odd)


def test_a_german_noun_that_an_article_stands_before_and_a_courtesy_are_no_names() -> None:
    text = "Die Lieferung wurde verschoben. Lieferung und Rechnung kommen von Jonas Falk. Bitte antworte auf Deutsch."
    assert [entity.name for entity in find_entities(text, "de")] == ["Jonas Falk"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("The proxy is `kestrel`. Kestrel did not start, and Kestrel answered late.", "Kestrel"),
        ("We upgraded Kestrel and left. Kestrel worked.", "Kestrel"),
        ("Kestrel 2.4 answered late, and Kestrel worked.", "Kestrel"),
        ("We tried SvelteKit, Kestrel and FastAPI.", "Kestrel"),
        ("It stopped twice for Kestrel on Android.", "Kestrel"),
        ("See [Kestrel](https://example.org) and try it with Kestrel.", "Kestrel"),
        ("We hash it with Kestrel2 and Kestrel2 worked.", "Kestrel2"),
        ("The Kestrel plugin failed and Kestrel recovered.", "Kestrel"),
        ("Import it from Osprey OneWrite.", "Osprey OneWrite"),
    ],
)
def test_what_runs_has_versions_or_stands_among_tools_is_no_person(text: str, name: str) -> None:
    found = {entity.name: entity.type for entity in find_entities(text)}
    assert found.get(name) == "tool", found


def test_what_has_an_article_or_stands_beside_code_is_taken_for_no_person() -> None:
    found = {
        entity.name: entity.type for entity in find_entities("We saw the Perrin Vale shower. `make` is in Kestrel.")
    }
    assert found == {"Perrin Vale": "other", "Kestrel": "other"}


def test_kin_are_no_names_and_whoever_is_thanked_or_speaks_is_a_person() -> None:
    assert find_entities("Grandmother's cards are in a box. Grandmother wrote them.") == []
    text = "**Odile**: Thanks, Tove!\n\n**Tove**: Hi, good to see you.\n\n**Odile**: I know."
    assert {entity.name: entity.type for entity in find_entities(text)} == {"Odile": "person", "Tove": "person"}


def test_a_person_in_one_place_is_no_tool_for_acting_beside_one() -> None:
    text = "Odile McBride said that Kestrel 3.1 is out. Odile McBride and Tove Lind wrote to Rurik's sister."
    found = {entity.name: entity.type for entity in find_entities(text)}
    assert found == {"Odile McBride": "person", "Kestrel": "tool", "Tove Lind": "person", "Rurik": "person"}


@pytest.mark.parametrize(
    ("language", "text", "names"),
    [
        ("ru", "Вчера Анна Иванова ушла. Потом Мария Петрова ушла.", ["Анна Иванова", "Мария Петрова"]),
        ("el", "Χθες η Ελένη Δήμου είπε. Μετά Νίκος Δήμου ήρθε.", ["Ελένη Δήμου", "Νίκος Δήμου"]),
        ("it", "Ieri Chiara Bellini ha parlato. Dopo Chiara Bellini era a casa.", ["Chiara Bellini"]),
        ("pt", "Ontem Beatriz Couto falou. Depois Beatriz Couto saiu.", ["Beatriz Couto"]),
    ],
)  # fmt: skip
def test_what_opens_a_sentence_is_no_part_of_a_name_in_other_languages_either(
    language: str, text: str, names: list[str]
) -> None:
    assert [entity.name for entity in find_entities(text, language)] == names


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Manage Docker images.\n- Filter HTML by docker and html element.", {}),
        ("Summer House was approved.", {"Summer House": "project"}),
        ("Summer House meets weekly. In May we named Summer House after a song.", {"Summer House": "project"}),
        ("We install Summer House 2.1 first.", {"Summer House": "tool"}),
    ],
)
def test_two_ordinary_words_are_a_name_where_they_act_or_are_said_inside_a_sentence(
    text: str, wanted: dict[str, str]
) -> None:
    assert {one.name: one.type for one in find_entities(text, "en")} == wanted


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Tom Beck agrees.", "Tom Beck"),
        ("Max Weber wrote to us.", "Max Weber"),
        ("We left. Mark Stone called yesterday.", "Mark Stone"),
        ("Sue Ward came late.", "Sue Ward"),
        ("Grace Hall left.", "Grace Hall"),
        ("Will Barnes agreed.", "Will Barnes"),
        ("Hope Lindgren's boat sank.", "Hope Lindgren"),
    ],
)
def test_a_first_name_that_is_an_ordinary_word_begins_a_persons_name(text: str, name: str) -> None:
    assert [(one.name, one.type) for one in find_entities(text)] == [(name, "person")]


@pytest.mark.parametrize(
    "text",
    ["Will Amazon deliver today?", "Mark Tuesday in the calendar.", "Can Python do that?", "Bill Amazon for it."],
)
def test_an_ordinary_word_before_what_does_nothing_is_no_first_name(text: str) -> None:
    assert not {one.name for one in find_entities(text)} - {"Amazon", "Python"}


@pytest.mark.parametrize(
    "text",
    [
        "Then Redis crashed.",
        "Grafana showed a spike, and Terraform wanted a state file.",
        "Kafka dropped messages. Kubernetes met the need.",
        "Redis called the hook and left the queue.",
    ],
)
def test_what_does_what_software_does_is_taken_for_no_person(text: str) -> None:
    assert {one.type for one in find_entities(text)} == {"other"}


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("It is written in Zig.", "Zig", "other"),
        ("We convert it from Netpbm to PNG.", "Netpbm", "other"),
        ("We built the image in Nix.", "Nix", "other"),
        ("She moved from Leeds to York.", "Leeds", "place"),
        ("We drove to Getaria.", "Getaria", "place"),
        ("He lives in Getaria.", "Getaria", "place"),
        ("We had three questions from Rurik.", "Rurik", "person"),
    ],
)
def test_a_source_or_a_goal_is_a_place_where_somebody_moves_and_what_things_are_made_in_is_none(
    text: str, name: str, kind: str
) -> None:
    assert {one.name: one.type for one in find_entities(text)} == {name: kind}


@pytest.mark.parametrize(
    ("text", "no_name", "no_tool"),
    [
        ("I would like to switch to NixOS But if I go back, tell me.", "NixOS But", ""),
        ("It lies in /home/ana/work/CloudStorage/notes and nowhere else.", "CloudStorage", ""),
        ("Then a TimeoutError came up, and TimeoutError again.", "", "TimeoutError"),
        ("She works at a Fortune 500 company.", "", "Fortune"),
        ("We met on Nov 6 in Leeds.", "Nov", ""),
    ],
)
def test_paths_failures_months_and_words_that_join_name_nothing(text: str, no_name: str, no_tool: str) -> None:
    found = {entity.name: entity.type for entity in find_entities(text)}
    assert no_name not in found and found.get(no_tool) != "tool"


def test_an_institution_that_is_called_so_in_another_language_is_an_organization() -> None:
    found = {entity.name: entity.type for entity in find_entities("A tutor for Universidad Cruzeiro was built.")}
    assert found["Universidad Cruzeiro"] == "organization"
