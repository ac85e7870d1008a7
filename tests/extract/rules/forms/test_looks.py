"""Which sentences take up a tool for one look, and which settle what is used."""

from __future__ import annotations

import pytest

from hearth.extract.rules.extract import extract
from hearth.extract.rules.forms.looks import is_look
from hearth.extract.rules.spoken import spoken
from hearth.extract.session.handoff import text_of
from hearth.extract.signals import decisions
from hearth.model.capture.extraction import Category
from hearth.model.host.transcript import Kind, TranscriptEntry, Turn
from hearth.models.static import StaticEmbedder

EMBEDDER = StaticEmbedder()
LOOKS = """\
Let's use grep to find it in the sources.
Let's use the debugger to see why it hangs.
let's use jq to look at the output
Ok, so let's use git bisect to find the commit that broke it.
We'll use strace to check what it opens.
Let's use curl to see whether the server answers.
Let's go with the profiler to find out where the time goes.
To find it, let's use ripgrep.
Let's use Wireshark to see what the client sends.
Let's use `git log -S` to locate the change.
Let us use sqlite3 to inspect the rows.
Usemos grep para encontrarlo.
Usemos jq para mirar la salida.
Vamos a usar el depurador para ver por qué se cuelga.
Para encontrarlo, usemos ripgrep.
Usemos git bisect para localizar el commit que lo rompió.
Utilicemos curl para comprobar si responde.
Lass uns grep nehmen, um es zu finden.
Lass uns den Debugger nehmen, um zu sehen, warum es hängt.
Wir nehmen jq, um die Ausgabe anzusehen.
Lasst uns git bisect verwenden, um den Commit zu finden, der es kaputt gemacht hat.
Wir nehmen strace, um herauszufinden, was es öffnet.
Um die Stelle zu finden, nehmen wir grep.
Utilisons grep pour le trouver.
Utilisons jq pour regarder la sortie.
On prend le débogueur pour voir pourquoi ça bloque.
Prenons git bisect pour trouver le commit fautif.
Utilisons curl pour vérifier si le serveur répond.
Pour le trouver, utilisons ripgrep.
Usiamo grep per trovarlo.
Usiamo jq per guardare l'output.
Usiamo il debugger per vedere perché si blocca.
Usiamo git bisect per trovare il commit che lo ha rotto.
Usiamo curl per controllare se il server risponde.
Vamos usar grep para encontrá-lo.
Vamos usar o jq para ver a saída.
Vamos usar o depurador para descobrir por que trava.
Vamos usar curl para verificar se o servidor responde.
Давай используем grep, чтобы найти это место.
Давайте возьмём отладчик, чтобы посмотреть, почему он висит.
Давай использовать grep, чтобы найти это место.
我们用 grep 来找一下它在哪里。
我们用 jq 看看输出。
見るために jq を使いましょう。
どこにあるか調べるために grep を使いましょう。
Let's just use ps to see which process holds the port.
Alright, let's run tcpdump and look at the packets.
We can use the browser console to check if the request is sent.
Let's use the logs to figure out what happened last night.
Let's use a spreadsheet to count how many invoices are open.
Let's use the thermometer to check the oven.
Vamos a usar los registros para averiguar qué pasó anoche.
Usemos el buscador para localizar la cita.
Usemos sqlite3 para revisar las filas.
Nehmen wir die Logs, um zu verstehen, was passiert ist.
Wir benutzen curl, um zu prüfen, ob der Server antwortet.
Lass uns mal die Konsole benutzen, um nachzusehen, was los ist.
On utilise la console pour comprendre ce qui se passe.
Prenons les journaux pour savoir ce qui s'est passé.
Usiamo i log per capire cosa è successo.
Utilizziamo sqlite3 per controllare le righe.
Vamos usar os logs para entender o que aconteceu.
Vamos utilizar o console para achar o erro.
Let's use find to list the files it left behind.
Let's use the index to look up where he says that.
"""
CHOICES = """\
Let's use PostgreSQL to store the sessions.
We'll use Redis for the queue.
We'll use Elasticsearch to search the archive.
Let's use Sentry to find crashes in production.
Let's use mypy to check types in CI.
Let's use ruff to check the code on every commit.
Let's go with SQLite to keep the archive.
Let's use uv to install packages from now on.
We will use Prometheus to watch the services.
Let's use feature flags to roll out the new checkout.
Let's not use grep to find symbols, the index is faster.
We'll use ripgrep instead of grep to search the sources.
Usemos PostgreSQL para guardar las sesiones.
Usemos Redis para la cola.
Vamos a usar ruff para comprobar el código en cada commit.
Usemos Elasticsearch para buscar en el archivo.
A partir de ahora usemos rg para buscar.
Lass uns PostgreSQL nehmen, um die Sitzungen zu speichern.
Wir nehmen Redis für die Warteschlange.
Lass uns ruff verwenden, um bei jedem Commit den Code zu prüfen.
Wir nehmen Elasticsearch, um das Archiv zu durchsuchen.
Utilisons PostgreSQL pour stocker les sessions.
On prend Redis pour la file.
Utilisons ruff pour vérifier le code à chaque commit.
Utilisons Elasticsearch pour chercher dans les archives.
Usiamo PostgreSQL per salvare le sessioni.
Usiamo Redis per la coda.
Usiamo ruff per controllare il codice a ogni commit.
Usiamo Elasticsearch per cercare negli archivi.
Vamos usar PostgreSQL para guardar as sessões.
Vamos usar Redis para a fila.
Vamos usar ruff para verificar o código a cada commit.
Vamos usar Elasticsearch para buscar no arquivo.
Давай использовать PostgreSQL, чтобы хранить сессии.
Давайте возьмём Redis для очереди.
我们用 PostgreSQL 存会话。
セッションの保存に PostgreSQL を使いましょう。
Let's use Grafana to watch the latency.
We'll use SQLite to count visits.
We'll use a message queue to decouple the services.
Let's use TypeScript to catch mistakes early.
Let's use Zotero to manage the references.
We'll use pandoc to build the thesis.
Let's use a linter to check commits.
Let's use embeddings to find similar notes.
Usemos Zotero para gestionar las referencias.
Vamos a usar un índice para buscar notas parecidas.
Utilicemos TypeScript para evitar errores.
Wir nehmen pandoc, um die Arbeit zu setzen.
Lass uns Embeddings nehmen, um ähnliche Notizen zu finden.
Wir verwenden Zotero, um Quellen zu verwalten.
Utilisons TypeScript pour éviter des erreurs.
On utilise pandoc pour produire le mémoire.
Usiamo pandoc per comporre la tesi.
Usiamo Zotero per gestire le fonti.
Vamos usar pandoc para compor a tese.
Vamos usar embeddings para encontrar notas parecidas.
"""


def turn(ordinal: int, text: str, reply: str = "Sure.") -> Turn:
    return Turn(ordinal, prompts=(TranscriptEntry(Kind.USER, text),), replies=(reply,))


@pytest.mark.parametrize("text", LOOKS.splitlines())
def test_a_tool_taken_up_for_one_look_is_no_memory(text: str) -> None:
    assert is_look(text)
    assert spoken([turn(1, text)], lambda texts: EMBEDDER.embed(texts, "document")) == []
    assert decisions([text]) == []


@pytest.mark.parametrize("text", CHOICES.splitlines())
def test_a_tool_chosen_for_what_lasts_is_none_of_a_look(text: str) -> None:
    assert not is_look(text)


@pytest.mark.parametrize(
    "text",
    [
        "Let's use PostgreSQL to store the sessions.",
        "We'll use Elasticsearch to search the archive.",
        "We'll use embeddings to find similar notes.",
        "Usemos PostgreSQL para guardar las sesiones.",
        "Vamos a usar ruff para comprobar el código en cada commit.",
        "Lass uns PostgreSQL nehmen, um die Sitzungen zu speichern.",
        "Utilisons PostgreSQL pour stocker les sessions.",
        "Usiamo ruff per controllare il codice a ogni commit.",
        "Vamos usar PostgreSQL para guardar as sessões.",
        "Давай использовать PostgreSQL, чтобы хранить сессии.",
        "セッションの保存に PostgreSQL を使いましょう。",
    ],
)
def test_a_tool_chosen_for_what_lasts_is_a_decision(text: str) -> None:
    found = spoken([turn(1, text)], lambda texts: EMBEDDER.embed(texts, "document"))
    assert [memory.category for memory in found] == [Category.DECISION]


def test_neither_a_session_nor_its_hand_off_keeps_a_look_as_a_decision() -> None:
    found = extract([turn(1, "Let's use grep to find it in the sources.", "We'll use grep to find the place then.")])
    assert found.memories == () and found.handoff.decisions == ()
    assert "Decisions" not in text_of(found.handoff)


def test_a_look_that_the_assistant_proposes_is_no_decision_when_it_is_taken_up() -> None:
    said = [turn(1, "It is gone.", "I suggest we use the debugger to see why it hangs."), turn(2, "Yes, do that.")]
    assert spoken(said, None) == []


def test_a_long_text_is_judged_at_once() -> None:
    for text in ("let's use " + "to find " * 50_000, "um " * 200_000, " " * 500_000, "w" * 500_000):
        assert not is_look(text)
