"""Spanish and English words for the same thing, in the vocabulary of people who write software and notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

# One line a meaning: English words, then Spanish ones.
_PAIRS = """
error bug failure | fallo
meeting | reunión
decision | decisión
backup | respaldo
password | contraseña
deploy deployment | despliegue
file | archivo fichero
folder directory | carpeta directorio
user | usuario
server | servidor
network | red
search | búsqueda buscar
memory | memoria
task | tarea
project | proyecto
setting configuration | configuración ajuste
update upgrade | actualización
test | prueba
release version | versión lanzamiento
code | código
key | clave llave
link | enlace
query | consulta
note | nota
reminder | recordatorio
deadline | plazo
budget | presupuesto
invoice | factura
customer client | cliente
team | equipo
issue problem | problema
solution | solución
change | cambio
rule | regla
preference | preferencia
summary | resumen
session | sesión
tool | herramienta
performance | rendimiento
security | seguridad
draft | borrador
chapter | capítulo
review | revisión
trip | viaje
"""


@cache
def _table() -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for line in _PAIRS.strip().splitlines():
        english, spanish = (side.split() for side in line.split("|"))
        table |= dict.fromkeys(english, tuple(spanish)) | dict.fromkeys(spanish, tuple(english))
    return table


def synonyms_of(word: str, extra: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The user's own synonyms (``extra``, from the settings) first, then ours; lower case, no repeats, never ``word``.

    ``word`` in any case, in its dictionary form: the analyzer stems what comes back as it stems the query.
    """
    word = word.lower()
    own = (synonym.lower() for key, values in extra.items() if key.lower() == word for synonym in values)
    return tuple(dict.fromkeys(synonym for synonym in (*own, *_table().get(word, ())) if synonym != word))
