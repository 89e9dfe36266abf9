"""What anybody may read: catalogue, questions, boards, CSV; conditional, typed, without truth."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
from typing import Any

import pytest
from django.test import Client

from portal.api import schemas
from tests.published_site import CANARY, HIDDEN, NAME, PUBLIC, VERSION, Site, bundle

API = "/api/v1"
BOARD = f"{API}/boards/{NAME}/{VERSION}/{PUBLIC}"
EDITION = f"{API}/benchmarks/{NAME}/versions/{VERSION}"


def read(client: Client, path: str, **query: str) -> Any:
    response = client.get(path, query)
    assert response.status_code == 200, response.content
    assert response["Content-Type"].startswith("application/json")
    return response.json()


def test_the_catalogue_names_versions_and_tracks(site: Site, client: Client) -> None:
    (found,) = read(client, f"{API}/benchmarks")["benchmarks"]
    schemas.BenchmarkOut.model_validate(found)
    assert found == read(client, f"{API}/benchmarks/{NAME}")
    assert (found["name"], found["promoted"]) == (NAME, VERSION)
    tracks = found["versions"][0]["tracks"]
    assert [(t["slug"], t["answers"], t["n_questions"]) for t in tracks] == [
        (PUBLIC, "public", 260),
        (HIDDEN, "hidden", 260),
    ]
    assert tracks[0]["n_rows"] == len(read(client, BOARD)["rows"])


def test_a_version_shows_its_definition_but_not_the_digest_of_its_truth(
    site: Site, client: Client
) -> None:
    found = read(client, EDITION)
    definition = found["definition"]
    assert (
        definition["digests"]["questions.jsonl"] == hashlib.sha256(bundle().questions).hexdigest()
    )
    assert "truth.jsonl" not in json.dumps(found)
    assert len(definition["classes"]) == 16
    assert found["limits"]["max_upload_bytes"] > 0
    assert {m["slug"] for m in found["family"]["metrics"]} > {"macro_f1", "micro_f1"}
    assert {f["slug"] for f in found["family"]["facets"]} > {"kind", "boxes"}


def test_questions_are_the_bytes_that_the_digest_fixes(site: Site, client: Client) -> None:
    response = client.get(f"{EDITION}/questions")
    assert response["Content-Type"] == "application/jsonl"
    assert response["Content-Disposition"].startswith("attachment")
    assert b"".join(response) == bundle().questions  # type: ignore[attr-defined]
    of_track = b"".join(client.get(f"{EDITION}/questions", {"track": HIDDEN}))  # type: ignore[arg-type]
    items = [json.loads(line) for line in of_track.splitlines()]
    assert {item["track"] for item in items} == {HIDDEN} and len(items) == 260


def test_a_board_is_answered_304_while_it_stands(site: Site, client: Client) -> None:
    first = client.get(BOARD)
    etag = first["ETag"]
    again = client.get(BOARD, headers={"If-None-Match": etag})
    assert (again.status_code, again.content) == (304, b"")
    assert again["ETag"] == etag
    other = client.get(BOARD, headers={"If-None-Match": '"something-else"'})
    assert other.status_code == 200
    assert client.get(f"{BOARD}.csv", headers={"If-None-Match": etag}).status_code == 200


def test_a_board_travels_compressed_and_plain_alike(site: Site, client: Client) -> None:
    plain = client.get(BOARD)
    packed = client.get(BOARD, headers={"Accept-Encoding": "gzip, br"})
    assert packed["Content-Encoding"] == "gzip" and "Accept-Encoding" in packed["Vary"]
    assert gzip.decompress(packed.content) == plain.content
    assert packed["ETag"] == plain["ETag"]
    assert len(packed.content) < len(plain.content) / 3


def test_a_row_and_a_comparison(site: Site, client: Client) -> None:
    found = read(client, f"{BOARD}/systems/gamma")
    assert found["row"]["name"] == "Gamma"
    others = {entry["system"] for entry in found["differences"]}
    assert others == {
        "hyperlink-1",
        "beta-7b",
        "beta-7b-twin",
        "silent",
        "all-letters",
        "no-letter",
    }
    pair = read(
        client, f"{API}/comparisons/{NAME}/{VERSION}/{PUBLIC}", first="gamma", second="silent"
    )
    assert (pair["first"], pair["second"], pair["second_name"]) == ("gamma", "silent", "Silent")
    macro = next(d for d in pair["differences"] if d["metric"] == "macro_f1")
    assert macro["text"].startswith("+") and not macro["unresolved"]


def test_csv_holds_no_formula_and_its_numbers_stay_numbers(site: Site, client: Client) -> None:
    response = client.get(f"{BOARD}.csv")
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert [row["name"] for row in rows][:2] == ["People", "'=HYPERLINK(1)"]
    for row in rows:
        for column, cell in row.items():
            assert not cell.startswith(("=", "+", "-", "@", "|", "\t", "\r")), (column, cell)
    board = {row["system"]: row for row in read(client, BOARD)["rows"]}
    for row in rows:
        shown = board[row["system"]]["scores"]["all"]["macro_f1"]
        assert float(row["macro_f1_percent"]) == pytest.approx(shown["value"] * 100)
        assert row["rank"] == str(shown["rank"] or "")
    assert rows[-1]["precision_percent"] == ""
    sliced = client.get(f"{BOARD}.csv", {"slice": "rare"})
    assert b'"rare"' in sliced.content
    assert client.get(f"{BOARD}.csv", {"slice": "no-such"}).status_code == 404


def test_csv_of_hidden_answers_shows_no_more_than_the_board(site: Site, client: Client) -> None:
    path = BOARD.replace(PUBLIC, HIDDEN)
    rows = list(csv.DictReader(io.StringIO(client.get(f"{path}.csv").content.decode())))
    board = {row["system"]: row for row in read(client, path)["rows"]}
    for row in rows:
        for metric, shown in board[row["system"]]["scores"]["all"].items():
            cell = row[f"{metric}_percent"]
            assert cell == "" if shown["value"] is None else cell == f"{shown['value'] * 100:.2f}"
    withheld = client.get(f"{path}.csv", {"slice": "one-person"}).content.decode()
    for row in csv.DictReader(io.StringIO(withheld)):
        assert all(row[c] == "" for c in row if c.endswith("_percent"))


def test_reading_needs_nobody_and_leaves_no_cookie(site: Site, client: Client) -> None:
    for path in (f"{API}/benchmarks", BOARD, f"{BOARD}.csv", EDITION, f"{API}/health"):
        response = client.get(path)
        assert not response.cookies, path


def test_what_is_not_open_is_not_there(site: Site, client: Client) -> None:
    missing = client.get(f"{API}/boards/{NAME}/2/{PUBLIC}")
    for path in (
        f"{API}/boards/{NAME}/{VERSION}/no-such",
        f"{API}/boards/other/{VERSION}/{PUBLIC}",
    ):
        response = client.get(path)
        assert response.status_code == 404
        assert response.content == missing.content


def test_openapi_describes_every_operation_and_names_no_outside_host(
    site: Site, client: Client
) -> None:
    described = read(client, f"{API}/openapi.json")
    assert len(described["paths"]) >= 17
    for path, operations in described["paths"].items():
        for operation in operations.values():
            assert "application/problem+json" in operation["responses"]["default"]["content"], path
    names = {
        reference
        for reference in json.dumps(described).split('"')
        if reference.startswith("#/components/schemas/")
    }
    assert {n.rpartition("/")[2] for n in names} <= set(described["components"]["schemas"])
    assert "://" not in json.dumps(described)


def test_the_docs_page_loads_from_this_site_alone(site: Site, client: Client) -> None:
    page = client.get(f"{API}/docs").content.decode()
    assert "swagger-ui-bundle.js" in page
    assert "://" not in page and 'src="//' not in page


def test_health_says_what_stands(site: Site, client: Client) -> None:
    found = read(client, f"{API}/health")
    assert found["database"] is True and found["last_scored_at"]
    schemas.HealthOut.model_validate(found)


def test_problem_codes_are_listed(site: Site, client: Client) -> None:
    codes = {entry["code"]: entry for entry in read(client, f"{API}/problems")["problems"]}
    assert codes["policy.submission_not_found"]["status"] == 404
    assert codes["policy.too_large"]["status"] == 413
    assert {entry["status"] for entry in codes.values()} >= {
        401, 403, 404, 405, 409, 413, 415, 422, 429, 503,
    }  # fmt: skip


def test_no_answer_holds_truth(site: Site, client: Client) -> None:
    client.force_login(site.users["ann"])
    submission = site.submissions["Private"]
    for path in (
        f"{API}/benchmarks",
        f"{API}/benchmarks/{NAME}",
        EDITION,
        f"{EDITION}/questions",
        BOARD,
        BOARD.replace(PUBLIC, HIDDEN),
        f"{BOARD}.csv",
        f"{BOARD}/systems/gamma",
        f"{API}/comparisons/{NAME}/{VERSION}/{PUBLIC}?first=gamma&second=silent",
        f"{API}/submissions",
        f"{API}/submissions/{submission}",
        f"{API}/me",
        f"{API}/tokens",
        f"{API}/health",
        f"{API}/problems",
        f"{API}/openapi.json",
    ):
        response = client.get(path)
        assert response.status_code == 200, path
        body = b"".join(response) if response.streaming else response.content  # type: ignore[arg-type]
        assert CANARY.lower().encode() not in body.lower(), path
