"""What the person asked not to keep, in nine languages."""

from __future__ import annotations

import pytest

from hearth.core.transcript import Kind, TranscriptEntry
from hearth.transcripts.typed import is_withheld, withheld

NOT_THIS = (
    "Don't remember this.", "DO NOT SAVE THAT", "don’t store it", "Never keep any of this.", "Do not record it!",
    "don't memorize this", "Off the record: I am leaving.", "This stays between us.", "This is confidential.",
    "No recuerdes esto.", "No guardes eso.", "no memorices esto", "no registres eso", "No lo guardes.",
    "Merk dir das nicht.", "Speichere dir das nicht", "Das bitte nicht merken.", "Dies nicht speichern!",
    "Ne retiens pas ça.", "Ne garde pas cela.", "ne mémorise pas ceci", "ne memorise pas ça", "N'oublie rien, mais ne "
    "enregistre pas ça", "Não lembre isso.", "não guarde isto", "não memorize isso", "não registre isso",
    "Non ricordare questo.", "Non salvare ciò.", "non memorizzare questo", "non registrare questo",
    "НЕ ЗАПОМИНАЙ ЭТО", "не сохраняйте это", "не записывай этого", "不要记住这个", "别保存这个", "不要记录此事",
    "これは覚えないで", "これを記憶しないで", "これは保存しないで",
)  # fmt: skip
NOT_BEFORE = (
    "Forget what I just said.", "forget everything I told you", "Forget I said that, forget I just said it.",
    "Olvida lo que te acabo de decir", "olvida lo que dije", "Vergiss, was ich gerade gesagt habe.",
    "Oublie ce que j'ai dit.", "oublie ce que je viens de dire", "Esqueça o que eu disse",
    "esquece o que acabei de dizer",
    "Dimentica quello che ho appena detto", "Забудь, что я только что сказала", "忘掉我刚才说的", "忘记我说的",
    "さっき言ったことは忘れて",
)  # fmt: skip


@pytest.mark.parametrize("text", (*NOT_THIS, *NOT_BEFORE))
def test_what_is_not_to_be_remembered_is_withheld(text: str) -> None:
    assert is_withheld(f"We moved the larder. {text}")
    assert is_withheld(text.upper())


@pytest.mark.parametrize("text", NOT_BEFORE)
def test_what_was_just_said_is_withheld_with_it(text: str) -> None:
    said = [TranscriptEntry(Kind.USER, "The larder moves.", turn=1), TranscriptEntry(Kind.USER, text, turn=2)]
    assert withheld(said) == {1, 2}


@pytest.mark.parametrize(
    "text", ["Remember this.", "Keep the record short.", "Don't forget the larder.", "Speichere das.", "Guarda esto."]
)
def test_what_asks_for_nothing_of_the_kind_is_kept(text: str) -> None:
    assert not is_withheld(text)
