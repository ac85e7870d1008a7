"""Other languages of Latin letters, without accents: French, German, Portuguese, Italian, and a little of five more."""

from __future__ import annotations

Row = tuple[str, float, str, str]

_FR = (
    r"(?<!\bn.)(?<!\bne.)(?:ignore[zr]?|oublie[zr]?|neglige[zr]?|ecarte[zr]?|(?:ne )?(?:tiens|tenez) (?:pas|aucun) "
    r"compte|(?:fais|faites) abstraction|(?:ne )?(?:suis|suivez|respecte|respectez) (?:pas|plus)|contourne[zr]?|"
    r"annule[zr]?)"
)
_FR_ORDERS = r"(?:instructions?|consignes?|directives?|regles|ordres|messages?|indications)"
_DE = (
    r"(?:ignorier(?:e|en sie|t)?|vergiss(?! nicht)|vergessen sie(?! nicht)|missachte[nt]?|verwirf|verwerfen sie|"
    r"uberschreib(?:e|en sie)|umgeh(?:e|en sie))"
)
_DE_ORDERS = (
    r"(?:anweisung(?:en)?|instruktion(?:en)?|befehle?n?|regeln?|vorgaben?|richtlinien?|anordnung(?:en)?|"
    r"aufforderung(?:en)?|prompts?)"
)
_PT = (
    r"(?<!\bnao.)(?:ignor[ea]m?|ignorar|esqueca|esquece|esquecer|desconsider[ea]|desconsiderar|descarte|descarta|"
    r"nao (?:siga|sigas|obedeca)|pare de seguir|desobedeca)"
)
_PT_ORDERS = r"(?:instruc(?:oes|ao)|regras|diretrizes|ordens|comandos|orientacoes|mensagens|diretivas)"
_IT = (
    r"(?<!\bnon.)(?:ignora(?:te|re)?|ignori|dimentica(?:te|re)?|dimentichi|trascura(?:te)?|tralascia(?:te)?|"
    r"scarta(?:te)?|non (?:seguire|seguite|rispettare))"
)
_IT_ORDERS = r"(?:istruzion[ei]|regole|direttive|indicazioni|ordini|comandi|linee guida|messaggi)"
ROWS: tuple[Row, ...] = (
    (
        "override",
        0.8,
        "ignor|oubli|neglig|ecarte|compte|abstraction|suis|suivez|respecte|contourne|annule&instruction|consigne|"
        "directive|regles|ordres|message|indications",
        rf"{_FR} ~5 {_FR_ORDERS} ~2 (?:precedent[es]{{0,2}}|anterieur[es]{{0,2}}|ci dessus|initiales?|recues|du "
        rf"systeme|systeme|donnees|d origine)|{_FR} ~2 (?:tes|vos|toutes (?:les|tes|vos)) ~1 {_FR_ORDERS}",
    ),
    (
        "conceal",
        0.4,
        "utilisateur|personne",
        r"(?:ne |n |sans )~2 (?:dis|dites|dire|informe[zr]?|mentionne[zr]?|revele[zr]?|previens|prevenez|prevenir|"
        r"parle[zr]?|avertis\w*|en informer) ~5 (?:utilisateur|personne)",
    ),
    (
        "reveal",
        0.55,
        "prompt|instructions|consignes",
        r"(?:revele|affiche|montre|repete|imprime|donne|ecris|envoie|divulgue)[zr]? ~4 (?:prompt systeme|"
        r"instructions (?:systeme|initiales|cachees|secretes)|(?:tes|vos) (?:instructions|consignes)|(?:ton|votre) "
        r"prompt|message systeme)",
    ),
    (
        "exfiltrate",
        0.45,
        "envoie|transmet|publie|televers",
        r"(?:envoie[zr]?|transmet\w*|publie[zr]?|televerse[zr]?) ~7 (?:conversation|cles?|mots? de passe|"
        r"identifiants|jetons?|secrets|fichiers?|donnees|historique|contenu|variables) ~7 (?:a|au|vers|sur) ~2 "
        r"(?:https?|serveur|adresse|url|attaquant|webhook|[^ \"]{1,60} (?:com|net|org|example|fr))",
    ),
    (
        "role",
        0.5,
        "desormais|maintenant|partir",
        r"(?:desormais|a partir de maintenant|tu es maintenant|vous etes maintenant) ~5 (?:sans (?:restrictions?|"
        r"limites?|filtres?|regles)|dan|administrateur|tu (?:dois|es|obeis)|vous (?:devez|etes))",
    ),
    (
        "override",
        0.8,
        "anweisung|instruktion|befehl|regel|vorgabe|richtlini|anordnung|aufforderung|prompt",
        rf"{_DE} ~3 (?:vorherig\w*|bisherig\w*|vorig\w*|obig\w*|fruher\w*|ursprunglich\w*|alle|dein\w*|ihre\w*|"
        rf"vorangegangen\w*|vorangehend\w*|vorhergehend\w*|samtlich\w*) ~2 {_DE_ORDERS}",
    ),
    (
        "conceal",
        0.4,
        "benutzer|nutzer|anwender|niemand",
        r"(?:sag|sage|sagen sie|erzahl|erzahle|verrate|informiere|erwahne|melde|teile|benachrichtige)n? ~4 "
        r"(?:benutzer\w*|nutzer\w*|anwender\w*|niemand\w*) ~4 (?:nicht|nichts|niemals|davon|mit)|niemand\w* ~3 "
        r"(?:davon|erzahl\w*)|ohne ~2 (?:benutzer|nutzer|anwender) ~3 (?:informieren|fragen|benachrichtigen)",
    ),
    (
        "reveal",
        0.55,
        "prompt|anweisung",
        r"(?:zeig|zeige|gib|verrate|wiederhole|drucke|nenne|sende|offenbare) ~4 (?:system ?prompts?|"
        r"systemanweisung\w*|systemnachricht|(?:deine|ihre) ~1 anweisungen|(?:deinen|ihren) ~1 prompt)",
    ),
    (
        "exfiltrate",
        0.45,
        "sende|schick|ubertrag|lade|leite",
        r"(?:sende[nt]?|schicke?[nt]?|ubertrage[nt]?|lade[nt]?|leite[nt]?) ~7 (?:gesprach\w*|unterhaltung|schlussel|"
        r"passwort\w*|zugangsdaten|tokens?|geheimnisse|datei\w*|daten|verlauf|inhalt\w*|umgebungsvariablen) ~7 "
        r"(?:an|nach|zu|auf|hoch) ~2 (?:https?|server|adresse|url|angreifer|webhook|[^ \"]{1,60} (?:com|net|org|"
        r"example|de))",
    ),
    (
        "role",
        0.5,
        "ab jetzt|von nun an|du bist|ab sofort",
        r"(?:ab jetzt|von nun an|ab sofort|du bist (?:jetzt|nun)) ~5 (?:ohne (?:einschrankungen|regeln|filter|"
        r"grenzen)|dan|administrator|musst du|bist du|wirst du)",
    ),
    (
        "override",
        0.8,
        "instruc|regras|diretri|ordens|comandos|orientacoes|mensagens|diretivas",
        rf"{_PT} ~5 {_PT_ORDERS} ~2 (?:anteriores|previas|acima|originais|iniciais|do sistema|recebidas)|{_PT} ~2 "
        rf"(?:suas|tuas|todas as|todas as suas) ~1 {_PT_ORDERS}",
    ),
    (
        "conceal",
        0.4,
        "usuario|utilizador|ninguem",
        r"(?:nao|nunca|sem) ~2 (?:diga|digas|informe\w*|mencione\w*|revele\w*|avise\w*|avisar|conte|contar|informar|"
        r"notifique) ~5 (?:usuario|utilizador|ninguem)",
    ),
    (
        "reveal",
        0.55,
        "prompt|instrucoes",
        r"(?:mostre|revele|imprima|repita|exiba|diga|envie|escreva) ~4 (?:prompt (?:do|de) sistema|instrucoes (?:do "
        r"sistema|iniciais|ocultas|internas)|suas instrucoes|seu prompt)",
    ),
    (
        "exfiltrate",
        0.45,
        "envie|mande|transmita|publique|encaminhe",
        r"(?:envie|mande|transmita|publique|encaminhe) ~7 (?:conversa|chaves?|senhas?|credenciais|tokens?|segredos|"
        r"arquivos?|dados|historico|conteudo|variaveis) ~7 (?:para|ao|a|em) ~2 (?:https?|servidor|endereco|url|"
        r"atacante|webhook|[^ \"]{1,60} (?:com|net|org|example|br))",
    ),
    (
        "override",
        0.8,
        "istruzion|regole|direttive|indicazioni|ordini|comandi|linee guida|messaggi",
        rf"{_IT} ~5 {_IT_ORDERS} ~2 (?:precedenti|anteriori|sopra|originali|iniziali|ricevute|di sistema|del "
        rf"sistema)|{_IT} ~2 (?:tue|tutte le|vostre|sue) ~1 {_IT_ORDERS}",
    ),
    (
        "conceal",
        0.4,
        "utente|nessuno",
        r"(?:non|senza|mai) ~2 (?:dire|dirlo|dica|informare|informi|menzionare|rivelare|avvisare|avvertire|"
        r"raccontare) ~5 (?:utente|nessuno)",
    ),
    (
        "reveal",
        0.55,
        "prompt|istruzioni",
        r"(?:mostra|rivela|stampa|ripeti|scrivi|dimmi|invia)(?:mi)? ~4 (?:prompt di sistema|istruzioni (?:di "
        r"sistema|iniziali|nascoste|interne)|tue istruzioni|tuo prompt)",
    ),
    (
        "override",
        0.75,
        "instructies|regels|opdrachten|aanwijzingen",
        r"(?:negeer|vergeet) ~3 (?:vorige|eerdere|alle|bovenstaande|voorgaande|je) ~2 (?:instructies|regels|"
        r"opdrachten|aanwijzingen)",
    ),
    (
        "override",
        0.75,
        "instrukcj|polecen|zasady|wytyczn",
        r"(?:zignoruj|ignoruj|zapomnij|pomin) ~5 (?:instrukcj\w+|polecen\w+|zasad\w*|wytyczn\w+)",
    ),
    (
        "override",
        0.75,
        "talimat|komut|kural",
        r"(?:onceki|yukaridaki|tum|butun) ~3 (?:talimat\w*|komut\w*|kural\w*) ~2 (?:yok ?say\w*|gormezden gel\w*|"
        r"unut\w*|dikkate alma\w*|yoksay\w*)",
    ),
    (
        "override",
        0.75,
        "instruksi|perintah|aturan",
        r"(?:abaikan|lupakan) ~4 (?:instruksi|perintah|aturan|petunjuk)",
    ),
    (
        "override",
        0.75,
        "huong dan|chi thi|lenh|quy tac|chi dan",
        r"(?:bo qua|quen) ~4 (?:huong dan|chi thi|lenh|quy tac|chi dan)",
    ),
)
