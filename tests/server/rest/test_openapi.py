"""What the server says of itself is what it does."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable

from .conftest import Live, serving

PAGE = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists()) / "docs" / "rest.md"


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A server of its own, since what is tried at it leaves traces."""
    with serving(tmp_path_factory.mktemp("fuzzed")) as live:
        yield live


@pytest.mark.parametrize("fits", [True, False], ids=["fitting", "not fitting"])
def test_whatever_is_asked_the_answer_fits_the_schema(fuzzed: Live, fits: bool) -> None:
    """A few of the cases of ``schemathesis run``, for each route."""
    # Each worker would spend a second on it before its first test.
    import schemathesis

    @schemathesis.serializer("application/x-ndjson")
    def as_lines(ctx: Any, value: Any) -> bytes:
        return value.encode("utf-8", "replace") if isinstance(value, str) else json.dumps(value).encode()

    mode = schemathesis.GenerationMode.POSITIVE if fits else schemathesis.GenerationMode.NEGATIVE
    # A valid cursor, date or export says more than a schema can.
    unsaid = [schemathesis.checks.positive_data_acceptance]
    # A text of too many characters may make a body of too many bytes.
    refused = {"expected-statuses": [400, 404, 413, 415, 422]}
    config = schemathesis.Config.from_dict({"checks": {"negative_data_rejection": refused}})
    described = schemathesis.openapi.from_url(f"{fuzzed.url}/openapi.json", config=config)
    asked: Counter[str] = Counter()
    for found in described.get_all_operations():
        operation = found.ok()

        @settings(
            max_examples=3,
            deadline=None,
            derandomize=True,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
            database=None,
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def ask(case: Any) -> None:
            asked[case.operation.label] += 1
            case.call_and_validate(excluded_checks=unsaid)

        try:
            ask()
        except Unsatisfiable:  # no request to this route can fail to fit
            assert not fits
    assert len(asked) >= 20 and asked.total() >= 120


def operations(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        f"{method.upper()} {path}": operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }


def test_the_document_is_openapi_3_1_and_lists_what_there_is(rest: httpx.Client) -> None:
    document = rest.get("/openapi.json").json()
    assert document["openapi"].startswith("3.1") and document["servers"] == [{"url": "/v1"}]
    found = operations(document)
    assert len(found) >= 30
    assert len({operation["operationId"] for operation in found.values()}) == len(found)
    for name, operation in found.items():
        status = rest.request(name.split()[0], re.sub(r"\{\w+\}", "nothing-of-that-name", name.split()[1])).status_code
        assert status in (200, 400, 404, 415), f"{name}: {status}"
        assert operation["summary"]


def test_a_token_is_asked_for_in_the_document_where_one_is_needed(secret: Live) -> None:
    with secret.client(headers={"authorization": "Bearer s3cret"}) as client:
        document = client.get("/openapi.json").json()
    assert document["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    free = {name for name, operation in operations(document).items() if "security" not in operation}
    assert free == {"GET /health"}


# -- the page ---------------------------------------------------------------------------------------------------------


def documented() -> dict[str, set[str]]:
    """Route -> what it takes, from the tables of the page."""
    rows = re.findall(r"^\| `(GET|POST) (/[^`]*)` \|([^|]*)\|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return {f"{method} {path}": set(re.findall(r"`(\w+)`", takes)) for method, path, takes in rows}


def takes(operation: dict[str, Any]) -> set[str]:
    names = {p["name"] for p in operation["parameters"] if p["in"] == "query"} - {"vault"}
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    return names | set(body.get("schema", {}).get("properties", {}))


def test_the_page_has_every_route_with_every_argument_and_no_other(rest: httpx.Client) -> None:
    there = {name: takes(operation) for name, operation in operations(rest.get("/openapi.json").json()).items()}
    page = documented()
    page.pop("GET /openapi.json")
    assert page == there


def test_the_examples_of_the_page_work(rest: httpx.Client) -> None:
    text = PAGE.read_text(encoding="utf-8")
    calls = re.findall(r"curl (?:-s )?(?:-X (\w+) )?'?http://localhost:7438(/[^\s']*)'?((?:[^\n]*\\\n)*[^\n]*)", text)
    assert len(calls) >= 5
    for method, path, more in calls:
        body = re.search(r"-d '([^']*)'", more)
        url = str(rest.base_url).removesuffix("/v1/") + path
        answer = rest.request(
            method or ("POST" if body else "GET"),
            url,
            content=body[1] if body else None,
            headers={"content-type": "application/json"} if body else {},
        )
        assert answer.status_code == 200, f"{path}: {answer.text[:300]}"
