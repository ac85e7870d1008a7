"""Words of which requests are made, whatever they are about: "list, in order, what I mentioned across our sessions".

Long questions are mostly such words, which no answer holds; Huston & Croft, "Evaluating Verbose Query Processing
Techniques" (2010), call them stop structure.
"""

from __future__ import annotations

_WORDS = {
    "en": """aspect aspects bring bringing brought chat chats clear complete comprehensive conversation conversations
        describe detail detailed details different explain give item items key list listed lists mention mentioned
        mentioning mentions order overall overview provide question questions say says session sessions show
        summaries summarise summarize summary tell throughout told total walk""",
    "es": """aspecto aspectos cuenta cuéntame da dame describe detalle detalles di dice dije dijo dime distintas
        distintos diferentes enumera explica explícame lista listado menciona mencionado mencionaste mencioné muestra
        muéstrame orden pregunta preguntas proporciona resume resumen resúmenes sesión sesiones chat chats
        conversación conversaciones completa completo general total""",
    "fr": """aspect aspects conversation conversations décris détail détails différents différentes dis dit donne
        énumère explique liste mentionné mentionner montre ordre question questions raconte résume résumé session
        sessions total""",
    "de": """aspekt aspekte auflisten beschreibe chat details einzelheiten erkläre erwähnt erwähnte erzähl erzähle
        frage fragen gespräch gespräche gesagt gib liste nenne reihenfolge sitzung sitzungen überblick verschiedene
        verschiedenen zeig zeige zusammenfassung""",
    "it": """aspetti aspetto conversazione conversazioni dammi descrivi dettagli dimmi diversi domanda domande elenca
        elenco lista menzionato mostra ordine racconta riassumi riassunto sessione sessioni spiega""",
    "pt": """aspecto aspectos conversa conversas descreva detalhes diferentes diga disse dê explique lista liste
        mencionado mencionei mostre ordem pergunta perguntas resuma resumo sessão sessões""",
    "ru": """беседа беседах вопрос вопросы опиши объясни перечисли подробно покажи порядке расскажи разные резюме сводка
        сессия сессиях скажи список упомянул упоминал чат""",
}
REQUEST_WORDS: dict[str, frozenset[str]] = {language: frozenset(words.split()) for language, words in _WORDS.items()}


def is_request_word(word: str, languages: tuple[str, ...]) -> bool:
    """``word`` in lower case; true when it is one in any of the languages."""
    return any(word in REQUEST_WORDS.get(language, ()) for language in languages)
