"""Links: those that let their reader in lose what does so, those that people share stay."""

from __future__ import annotations

import pytest

from hearth.guard.secrets.redaction import redact

DRAWN = "q7Rt9Zx2LmP4Vb8KwE3yU6iO"


@pytest.mark.parametrize(
    "link",
    [
        "https://app.test/reset/{}",
        "https://app.test/verify-email/{}",
        "https://app.test/callback?code={}&state=x",
        "https://api.test/items?api_key={}",
        "[panel](https://panel.test/?access_token={})",
    ],
)
def test_a_link_that_lets_its_reader_in_loses_what_does(link: str) -> None:
    assert DRAWN not in redact(f"see {link.format(DRAWN)}").text


@pytest.mark.parametrize(
    "link",
    [
        "https://chatgpt.com/share/68e729ea-13f4-8006-8dd5-17b031ecf8eb",
        "https://claude.ai/share/881d85ae-0e15-43ca-b130-d70ff7c17955",
        "https://www.loom.com/share/26a31965cd6940f7a094d8210058b37f",
        "https://t.me/joinchat/BBKnQU4_rty6_942PFbPbw",
        "https://twitter.com/kim/status/1558861987374780416?s=20&t=D7T_aTBaF97AwOvUnz9Muw",
        "[a post](https://pages.test/s?biz=1&key=54a344d7200e25b224dfb50449a0a383)",
        "[a picture](https://media.test/get/269131?sid=3ec1163223d64a94af5508795a4450af.2)",
        "[docs](https://docs.test/secret-reference/#:~:text=To%20get%20a%20secret%20reference)",
        "https://shop.test/dp/B00FNKMVUO?dib=eyJ2IjoiMSJ9.TpEtiZrsdk2rWGlieYrH7aeDobuB.xk2rWGlieYrH7aeDobuBZ7se",
    ],
)
def test_a_link_that_people_share_survives(link: str) -> None:
    assert redact(f"see {link} for more").text == f"see {link} for more"
