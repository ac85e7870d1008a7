"""Names that a sign marks, and names in scripts without capitals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.language.marked_names import find_signed


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Ask @ines-a or @rurik, not mail@example.org.", {"@ines-a", "@rurik", "mail@example.org"}),
        ("Tagged #kiln and #work/glaze (#ofen-größe).", {"#kiln", "#work/glaze", "#ofen-größe"}),
        ("#привет и #窯", {"#привет", "#窯"}),
        ("See OPS-12 and KILN-3: UTF-8, SHA-256, x-OPS-13, OPS-1-2.", {"OPS-12", "KILN-3"}),
        ("# Heading\n`@decorator` #fff #a1b2c3 a#b #0vpr8g5k354p959m @types/node https://x.org/#part", set()),
        ("```\n@dataclass\n#define X\n```", set()),
        ("昨天王老师和李小明先生来了。", {"王", "李小明"}),
        ("他读了《红楼梦》。", {"红楼梦"}),
        ("田中さんと『東京本社』の鈴木様。皆さん、「はい」と言った。", {"田中", "東京本社", "鈴木"}),
        ("어제 김민수 씨가 왔다. 날씨가 좋다.", {"김민수"}),
        ("التقينا السيد أحمد والدكتور سعيد.", {"أحمد"}),
        ("คุณสมชาย มาแล้ว คุณภาพดี", {"สมชาย"}),
    ],
)
def test_what_a_sign_marks_is_a_name(text: str, names: set[str]) -> None:
    assert {one.name for one in find_signed(text)} == names


@given(st.text(max_size=300))
def test_any_text_is_read_and_no_name_is_blank(text: str) -> None:
    assert all(one.name.strip() for one in find_signed(text))


def test_what_decorates_code_is_no_handle() -> None:
    text = "Like this:\n@cached\n    @app.route('/x')\ndef f(): pass\nAsk @ines."
    assert [one.name for one in find_signed(text)] == ["@ines"]
