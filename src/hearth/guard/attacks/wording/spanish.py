"""Spanish, without accents."""

from __future__ import annotations

Row = tuple[str, float, str, str]

_ES_DROP = (
    r"(?<!\bno.)(?<!\bnunca.)"
    r"(?:ignora(?:d|r|ndo)?|ignore[ns]?|olvida(?:d|te de)?|olvide[ns]?|descarta|descarte|desestima|desestime|omite|"
    r"omita|anula|anule|haz caso omiso (?:de|a)|haga caso omiso (?:de|a)|no (?:hagas caso (?:de|a)|sigas|siga|"
    r"obedezcas|tengas en cuenta|tenga en cuenta)|pasa por alto|pase por alto|saltate|deja de (?:seguir|obedecer)|"
    r"prescinde de|desobedece|invalida|cancela)"
)
_ES_DROPS = (
    "ignor|olvid|descart|desestim|omit|anul|caso omiso|no |pas|saltate|deja|prescinde|desobedece|invalida|cancela"
)
_ES_ORDERS = (
    r"(?:instruccion(?:es)?|indicacion(?:es)?|directric(?:es)|directivas?|reglas|ordenes|normas|mensajes?|prompts?|"
    r"restricciones|pautas|consignas|limitaciones)"
)
_ES_ORDER = "instrucc|indicac|directri|directiva|reglas|ordenes|normas|mensaje|prompt|restricc|pautas|consigna|limitac"
_ES_EARLIER = (
    r"(?:anteriores|anterior|previas?|previos?|precedentes|de arriba|originales|iniciales|recibidas?|del sistema|"
    r"que (?:te|le|has|hayas|recibiste|tenias)|existentes)"
)
ROWS: tuple[Row, ...] = (
    (
        "override",
        0.8,
        f"{_ES_DROPS}&{_ES_ORDER}",
        rf"{_ES_DROP} ~5 {_ES_ORDERS} ~2 {_ES_EARLIER}",
    ),
    (
        "override",
        0.7,
        f"{_ES_DROPS}&{_ES_ORDER}",
        rf"{_ES_DROP} ~2 (?:tus?|sus|vuestras|cualquier|todas (?:las|tus|sus)|todos (?:los|tus)|anteriores|previas) "
        rf"~2 {_ES_ORDERS}",
    ),
    (
        "override",
        0.7,
        "todo lo|cualquier cosa|lo anterior|lo que",
        r"(?:ignora|ignore|olvida|olvide|descarta|haz caso omiso de) (?:todo )?(?:lo anterior|lo dicho|lo que (?:te|"
        r"le|se te) ~3 (?:dij\w+|dicho|pid\w+|indic\w+|orden\w+|ensen\w+))",
    ),
    (
        "override",
        0.45,
        "nueva|verdader|unica|real",
        r"(?:tus?|estas son tus|esta es tu|su) (?:nuevas?|verdader[ao]s?|unicas?|reales|real) (?:tareas?|"
        r"instruccion(?:es)?|mision|objetivo|ordenes)|nuevas (?:instrucciones|ordenes)(?: del sistema)?",
    ),
    (
        "override",
        0.7,
        _ES_ORDER,
        rf"{_ES_ORDERS} ~1 (?:anteriores|previas|originales) ~2 (?:quedan|han quedado|estan|son|ya no|fueron) ~1 "
        rf"(?:anulad\w+|cancelad\w+|sin efecto|obsolet\w+|invalid\w+|reemplazad\w+|aplican|valen|sirven)",
    ),
    (
        "role",
        0.45,
        "ahora|adelante|partir",
        r"(?:a partir de ahora|desde ahora|de ahora en adelante|desde este momento|a partir de este momento) ~1 "
        r"(?:eres|seras|actua\w*|responde\w*|debes|tienes que|vas a|obedece\w*)",
    ),
    (
        "role",
        0.6,
        "eres|actua|finge|comportate|haz de cuenta|simula",
        r"(?:ahora eres|eres ahora|actua como|finge (?:ser|que eres)|comportate como|haz de cuenta que|simula ser) "
        r"~6 (?:sin (?:restricciones|limites|filtros|reglas|censura)|dan|administrador|malvad\w+|libre de|hacker|no "
        r"tiene (?:restricciones|reglas|limites)|jailbreak)",
    ),
    (
        "role",
        0.5,
        "modo",
        r"(?:estas en|activa|entra en|pasa a|habilita) ~1 modo (?:desarrollador|dios|administrador|sin "
        r"restricciones|jailbreak|dan|root)",
    ),
    (
        "reveal",
        0.55,
        "prompt|instrucciones|mensaje",
        r"(?:muestra\w*|revela\w*|imprime|repite|di|dime|escribe|envia\w*|devuelve|ensena\w*|comparte|copia|"
        r"divulga) ~4 (?:prompt (?:del|de) sistema|instrucciones (?:del sistema|iniciales|ocultas|internas|"
        r"originales|secretas)|mensaje (?:del|de) sistema|tus instrucciones|tu prompt)",
    ),
    (
        "exfiltrate",
        0.45,
        "envia|manda|sube|publica|reenvi|transmit|filtra|remite|enviar",
        r"(?:envia\w*|manda\w*|sube|publica|reenvi\w+|transmit\w+|filtra|remite) ~7 (?:conversacion|claves?|"
        r"contrasenas?|credenciales|tokens?|secretos|historial|archivos?|ficheros?|datos|contenido|variables de "
        r"entorno|notas|informacion) ~7 (?:a|al|hacia|en) ~2 (?:https?|correo|servidor|direccion|url|atacante|"
        r"webhook|siguiente|externo|[^ \"]{1,60} (?:com|net|org|example|es))",
    ),
    (
        "conceal",
        0.45,
        "usuario|nadie|humano",
        r"(?:no|nunca|jamas|sin) ~2 (?:digas|diga|informes|informe|informar\w*|menciones|mencion\w+|reveles|"
        r"revelar\w*|avises|avisar\w*|decir\w*|cuentes|notifiques|notificar\w*|preguntar\w*|adviertas|consultar\w*) "
        r"~5 (?:usuario|nadie|humano|persona)|(?:oculta\w*|esconde\w*) ~4 (?:usuario|humano)|sin que (?:el usuario|"
        r"nadie) ~1 (?:sepa|entere|note|vea)|no se lo (?:digas|cuentes|menciones) ~2 usuario",
    ),
    (
        "run",
        0.35,
        "permiso|confirmacion|autorizacion|comando|orden",
        r"sin (?:pedir|preguntar|solicitar|esperar) ~2 (?:permiso|confirmacion|autorizacion)|(?:ejecuta|corre|"
        r"lanza) ~3 (?:comandos?|ordenes|script|codigo) ~9 (?:sin|inmediatamente|ahora|y (?:envia|manda|sube))",
    ),
    (
        "addressed",
        0.4,
        " ia |asistente|agente|modelo|inteligencia&atencion|instrucc|mensaje|nota |estimad|aviso|si eres|cuando",
        r"(?:atencion|instruccion(?:es)? para|mensaje (?:para|a)|nota (?:para|a)|estimad[oa]|aviso a) ~2 (?:ia|"
        r"asistente|agente|modelo|inteligencia artificial)|si eres ~1 (?:ia|asistente|modelo|agente|inteligencia)|"
        r"cuando ~3 (?:leas|lea|proceses|resumas|procese) est[eao]s?",
    ),
)
