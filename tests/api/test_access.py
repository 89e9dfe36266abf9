"""Who may do what: every URL for every role, foreign ids, tokens, sessions, refusals."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError
from django.db.models.functions import Now
from django.http import HttpResponse
from django.test import Client

from portal import services
from portal.api.urls import api
from portal.submissions.models import Submission, Upload
from tests.published_site import (
    CANARY,
    HIDDEN,
    NAME,
    PUBLIC,
    VERSION,
    Site,
    predictions,
    score_all,
)

API = "/api/v1"
ROLES = ("anonymous", "owner", "other", "staff")
USER_OF = {"owner": "ann", "other": "ben", "staff": "mia"}
PROBLEM = "application/problem+json"
JSON = "application/json"

# Method and path -> the status for anonymous, owner, other and staff. `own` is ann's.
OPEN = (200, 200, 200, 200)
PERSONAL = (401, 200, 200, 200)
OWN = (401, 200, 404, 200)
MATRIX: dict[tuple[str, str], tuple[int, int, int, int]] = {
    ("GET", "/benchmarks"): OPEN,
    ("GET", "/benchmarks/{name}"): OPEN,
    ("GET", "/benchmarks/{name}/versions/{version}"): OPEN,
    ("GET", "/benchmarks/{name}/versions/{version}/questions"): OPEN,
    ("GET", "/boards/{name}/{version}/{track}.csv"): OPEN,
    ("GET", "/boards/{name}/{version}/{track}"): OPEN,
    ("GET", "/boards/{name}/{version}/{track}/systems/{slug}"): OPEN,
    ("GET", "/comparisons/{name}/{version}/{track}"): OPEN,
    ("POST", "/submissions"): (401, 422, 422, 422),
    ("GET", "/submissions"): PERSONAL,
    ("GET", "/submissions/{id}"): OWN,
    ("POST", "/submissions/{id}/publish"): OWN,
    ("POST", "/submissions/{id}/withdraw"): OWN,
    ("POST", "/uploads"): (401, 422, 422, 422),
    ("GET", "/uploads/{id}"): (401, 404, 404, 404),  # its own tests have the rest
    ("DELETE", "/uploads/{id}"): (401, 404, 404, 404),
    ("GET", "/me"): PERSONAL,
    ("GET", "/me/quota"): (401, 422, 422, 422),  # it wants a benchmark; see below
    ("POST", "/tokens"): (422, 422, 422, 422),
    ("GET", "/tokens"): PERSONAL,
    ("DELETE", "/tokens/{prefix}"): (401, 204, 404, 404),
    ("GET", "/health"): OPEN,
    ("GET", "/ready"): OPEN,
    ("GET", "/status"): OPEN,
    ("GET", "/problems"): OPEN,
}


@pytest.fixture(autouse=True)
def no_earlier_tries() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


def token_of(site: Site, username: str) -> str:
    return services.issue_token(user=site.users[username], name="test")


def as_role(site: Site, role: str) -> Client:
    if role == "anonymous":
        return Client()
    return Client(headers={"Authorization": f"Bearer {token_of(site, USER_OF[role])}"})


def problem(response: Any, status: int, code: str | None = None) -> dict[str, Any]:
    """The problem document of a refusal, checked for its shape."""
    assert response.status_code == status, response.content
    assert response["Content-Type"] == PROBLEM
    found: dict[str, Any] = json.loads(response.content)
    assert {"type", "title", "status", "code", "detail"} <= set(found)
    assert found["status"] == status
    assert code is None or found["code"] == code
    return found


def operations() -> set[tuple[str, str]]:
    described = api.get_openapi_schema(path_prefix=f"{API}/")
    return {
        (method.upper(), path.removeprefix(API))
        for path, methods in described["paths"].items()
        for method in methods
    }


def test_every_operation_has_a_line_in_the_matrix() -> None:
    assert operations() == set(MATRIX)


@pytest.mark.parametrize(("method", "path"), MATRIX)
@pytest.mark.parametrize("role", ROLES)
def test_matrix(site: Site, role: str, method: str, path: str) -> None:
    prefix = token_of(site, "ann")[:12]
    place = {
        "name": NAME,
        "version": VERSION,
        "track": PUBLIC,
        "slug": "gamma",
        "id": str(site.submissions["Private"]),
        "prefix": prefix,
    }
    query = "?first=gamma&second=silent" if "comparisons" in path else ""
    client = as_role(site, role)
    response = client.generic(method, API + path.format(**place) + query)
    assert response.status_code == MATRIX[method, path][ROLES.index(role)], response.content
    if response.status_code >= 400:
        problem(response, response.status_code)


@pytest.mark.parametrize("method", ["GET", "POST publish", "POST withdraw"])
def test_foreign_missing_and_malformed_ids_are_answered_alike(site: Site, method: str) -> None:
    client = as_role(site, "other")
    verb, _, step = method.partition(" ")
    answers = [
        client.generic(verb, f"{API}/submissions/{id_}{'/' if step else ''}{step}")
        for id_ in (site.submissions["Private"], uuid.uuid4(), "no-id", "0")
    ]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.content for answer in answers}) == 1


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_foreign_missing_and_malformed_uploads_are_answered_alike(site: Site, method: str) -> None:
    submission = Submission.objects.get(id=site.submissions["Private"])
    assert submission.team is not None
    upload = Upload.objects.create(
        team=submission.team,
        created_by=site.users["ann"],
        track=submission.track,
        file_digest="0" * 64,
        file_bytes=1,
        part_bytes=1,
        store_upload="x",
        state="ENDED",
        expires_at=Now(),
    )
    answers = [
        as_role(site, role).generic(method, f"{API}/uploads/{id_}")
        for role in ("other", "staff")
        for id_ in (upload.id, uuid.uuid4(), "no-id", "0")
    ]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.content for answer in answers}) == 1
    own = as_role(site, "owner").generic(method, f"{API}/uploads/{upload.id}")
    assert own.status_code == (200 if method == "GET" else 204)


def test_an_upload_is_begun_by_its_digest_and_size(site: Site) -> None:
    client = as_role(site, "owner")
    wanted = {"benchmark": NAME, "track": PUBLIC, "file_digest": "0" * 64, "file_bytes": 1}
    for wrong in ({"file_digest": "../x"}, {"file_digest": "0" * 63}, {"file_bytes": 0}):
        answer = client.post(f"{API}/uploads", {**wanted, **wrong}, content_type=JSON)
        problem(answer, 422, "input.fields")
    answer = client.post(f"{API}/uploads", wanted, content_type=JSON)
    problem(answer, 422, "policy.no_direct_uploads")  # a folder takes no parts


def test_a_private_row_is_nowhere_for_others(site: Site) -> None:
    client = as_role(site, "other")
    bodies = [
        client.get(f"{API}/boards/{NAME}/{VERSION}/{track}{end}").content
        for track in (PUBLIC, HIDDEN)
        for end in ("", ".csv")
    ] + [client.get(f"{API}/submissions").content]
    assert not any(b"Private" in body for body in bodies)
    missing = client.get(f"{API}/boards/{NAME}/{VERSION}/{PUBLIC}/systems/nobody")
    hidden = client.get(f"{API}/boards/{NAME}/{VERSION}/{PUBLIC}/systems/private")
    assert hidden.status_code == 404 and hidden.content == missing.content


def test_everybody_reads_the_quota_of_their_own_team(site: Site) -> None:
    path = f"{API}/me/quota?benchmark={NAME}@1"
    assert as_role(site, "anonymous").get(path).status_code == 401
    own, other = (as_role(site, role).get(path).json() for role in ("owner", "staff"))
    assert (own["benchmark"], own["version"], own["per_day"]) == (NAME, "1", 100)
    assert own["left_today"] < other["left_today"] == 100
    assert as_role(site, "owner").get(f"{API}/me/quota?benchmark=none").status_code == 404


def test_the_owner_reads_scores_as_they_are_disclosed(site: Site) -> None:
    client = as_role(site, "owner")
    found = client.get(f"{API}/submissions/{site.submissions['Private']}").json()
    assert (found["state"], found["intervals"], found["visibility"]) == (
        "scored",
        "ready",
        "private",
    )
    macro = next(s for s in found["scores"] if (s["slice"], s["metric"]) == ("all", "macro_f1"))
    assert macro["text"] == f"{macro['value'] * 100:.2f}" and macro["low"] < macro["value"]
    hidden = Submission.objects.get(system__name="Private", track__slug=HIDDEN)
    found = client.get(f"{API}/submissions/{hidden.id}").json()
    for score in found["scores"]:
        if score["value"] is not None:
            assert len(score["text"].partition(".")[2]) == 1
            assert score["n"] in (None, 260)
        else:
            assert score["reason"]
    listed = client.get(f"{API}/submissions").json()["submissions"]
    assert {entry["system"]["name"] for entry in listed} == {
        "=HYPERLINK(1)",
        "Beta-7B",
        "Private",
    }
    assert all(entry["headline"]["metric"] == "macro_f1" for entry in listed)


# Signing in


def test_a_token_is_made_listed_and_revoked(site: Site) -> None:
    client = Client()
    made = client.post(
        f"{API}/tokens",
        {"username": "ann", "password": "ann-secret", "name": "laptop"},
        content_type="application/json",
    )
    assert made.status_code == 201
    token = made.json()["token"]
    client = Client(headers={"Authorization": f"Bearer {token}"})
    assert client.get(f"{API}/me").json()["username"] == "ann"
    listed = client.get(f"{API}/tokens").json()["tokens"]
    assert [entry["name"] for entry in listed] == ["laptop"]
    assert token not in json.dumps(listed)
    assert client.delete(f"{API}/tokens/{listed[0]['prefix']}").status_code == 204
    revoked = client.get(f"{API}/me")
    unknown = Client(headers={"Authorization": "Bearer plb_unknown"}).get(f"{API}/me")
    problem(revoked, 401, "policy.sign_in")
    assert revoked["WWW-Authenticate"].startswith("Bearer")
    assert revoked.content == unknown.content


def test_a_wrong_token_is_not_saved_by_a_session(site: Site) -> None:
    client = Client(headers={"Authorization": "Bearer plb_wrong"})
    client.force_login(site.users["ann"])
    problem(client.get(f"{API}/me"), 401)


def test_wrong_passwords_are_refused_alike_and_soon_not_tried_at_all(site: Site) -> None:
    client = Client()

    def try_it(username: str, password: str) -> HttpResponse:
        body = {"username": username, "password": password}
        return client.post(f"{API}/tokens", body, content_type="application/json")  # type: ignore[return-value]

    assert try_it("ann", "wrong").content == try_it("nobody", "wrong").content
    for _ in range(9):
        problem(try_it("ann", "wrong"), 401)
    refused = try_it("ann", "ann-secret")
    assert problem(refused, 429, "policy.too_many_tries")["retry_after"] > 0
    assert int(refused["Retry-After"]) > 0
    assert try_it("ben", "ben-secret").status_code == 201


def test_a_session_reads_but_changes_nothing_without_its_csrf_token(site: Site) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(site.users["ann"])
    assert client.get(f"{API}/me").status_code == 200
    path = f"{API}/submissions/{site.submissions['Private']}/publish"
    problem(client.post(path), 403, "policy.csrf")
    client.get("/account/sign-in/")
    client.get("/submit/")
    token = client.cookies["csrftoken"].value
    assert client.post(path, headers={"X-CSRFToken": token}).status_code == 200
    foreign = client.post(path, headers={"X-CSRFToken": token, "Origin": "https://evil.example"})
    problem(foreign, 403)


# Submitting


def send(client: Client, data: bytes, **fields: Any) -> Any:
    headers = fields.pop("headers", {})
    form = {"benchmark": NAME, "track": PUBLIC, "system": "New", **fields}
    form["file"] = SimpleUploadedFile("../../etc/x\n.json", data)
    return client.post(f"{API}/submissions", form, headers=headers)


def test_an_upload_is_accepted_and_waits(site: Site) -> None:
    client = as_role(site, "other")
    response = send(client, predictions(PUBLIC, 0.5, 77), facets='{"kind": "fine-tuned"}')
    assert response.status_code == 202
    found = response.json()
    assert response["Location"] == found["url"] == f"{API}/submissions/{found['id']}"
    assert (found["state"], found["is_new"], found["duplicate_of"]) == ("waiting", True, None)
    assert found["submission"]["position"] == 1
    assert "/" not in found["submission"]["file_name"]
    assert client.get(found["url"]).json()["system"] == {"slug": "new", "name": "New"}


def test_a_key_or_the_same_answers_give_the_earlier_submission(site: Site) -> None:
    client = as_role(site, "other")
    data, key = predictions(PUBLIC, 0.5, 78), {"Idempotency-Key": "key-1"}
    first = send(client, data, headers=key)
    again = send(client, data, headers=key)
    assert (first.status_code, again.status_code) == (202, 200)
    assert again.json()["id"] == first.json()["id"] and not again.json()["is_new"]
    same = send(client, data)
    assert same.status_code == 200 and same.json()["duplicate_of"] == first.json()["id"]
    assert not same.json()["is_published_now"]
    wished = send(client, data, publish="true").json()
    assert wished["is_published_now"] and wished["submission"]["visibility"] == "published"
    other = send(client, predictions(PUBLIC, 0.5, 79), headers=key)
    problem(other, 422, "policy.IDEMPOTENCY_MISMATCH")


def test_what_is_refused_at_once(site: Site) -> None:
    client = as_role(site, "other")
    data = predictions(PUBLIC, 0.5, 80)
    n_before = Submission.objects.count()
    problem(send(client, b"PK\x03\x04..."), 415, "input.CONTAINER")
    problem(send(client, b""), 422, "input.EMPTY")
    problem(send(client, data, benchmark="other"), 404, "policy.benchmark_not_found")
    problem(send(client, data, track="no-such"), 422, "policy.track")
    problem(send(client, data, system="a\u202eb"), 422, "policy.system_name")
    problem(send(client, data, facets="[1]"), 422, "policy.facets")
    problem(send(client, data, facets="[" * 1999), 422, "policy.facets")
    problem(send(client, data, facets='{"kind": "no-such"}'), 422, "policy.facets")
    problem(send(client, data, url="javascript:alert(1)"), 422, "policy.url")
    problem(send(client, data, publish="perhaps"), 422, "input.fields")
    problem(send(client, data, headers={"Idempotency-Key": "a b"}), 422)
    problem(send(client, data, headers={"Content-Encoding": "gzip"}), 415)
    assert Submission.objects.count() == n_before


def test_missing_fields_are_all_named(site: Site) -> None:
    found = problem(as_role(site, "other").post(f"{API}/submissions"), 422, "input.fields")
    assert {p["where"].rpartition("/")[2] for p in found["problems"]} == {
        "benchmark",
        "track",
        "system",
    }
    assert found["n_problems"] == 3


def test_a_submission_has_a_file_or_names_an_upload(site: Site) -> None:
    fields = {"benchmark": NAME, "track": PUBLIC, "system": "Nothing"}
    client = as_role(site, "other")
    problem(client.post(f"{API}/submissions", fields), 422, "policy.no_file")
    file = SimpleUploadedFile("answers.json", b"{}")
    both = {**fields, "file": file, "upload": str(uuid.uuid4())}
    problem(client.post(f"{API}/submissions", both), 422, "policy.no_file")
    for unknown in (str(uuid.uuid4()), "no-id"):
        answer = client.post(f"{API}/submissions", {**fields, "upload": unknown})
        problem(answer, 404, "policy.upload_not_found")


def test_a_password_is_never_repeated(site: Site) -> None:
    body = {"username": 7, "password": ["hunter2"]}
    response = Client().post(f"{API}/tokens", body, content_type="application/json")
    problem(response, 422)
    assert b"hunter2" not in response.content


def test_a_file_beyond_the_limit_is_refused(site: Site, settings: Any) -> None:
    settings.MAX_UPLOAD_BYTES = 1000
    client = as_role(site, "other")
    problem(send(client, b" " * 2000), 413, "policy.too_large")  # while it streams
    problem(send(client, b" " * 200_000), 413, "policy.too_large")  # by its stated length
    problem(send(client, predictions(PUBLIC, 0.5, 81)), 413, "policy.too_large")


def test_a_withdrawn_submission_cannot_be_published(site: Site) -> None:
    client = as_role(site, "owner")
    path = f"{API}/submissions/{site.submissions['Private']}"
    assert client.post(f"{path}/publish").json()["visibility"] == "published"
    assert client.post(f"{path}/withdraw").json()["state"] == "withdrawn"
    problem(client.post(f"{path}/publish"), 409, "policy.state")


def test_a_method_that_an_address_lacks_is_a_problem_too(site: Site) -> None:
    for path in ("/benchmarks", f"/boards/{NAME}/{VERSION}/{PUBLIC}"):
        response = Client().put(API + path)
        problem(response, 405, "input.method")
        assert "GET" in response["Allow"]


def test_an_address_that_is_none_is_a_problem_too(site: Site) -> None:
    client = Client(raise_request_exception=False)
    for path in ("/no-such", "/submissions/x/y/z", "/boards"):
        problem(client.get(API + path), 404)


def test_a_body_that_is_no_json_is_a_problem_too(site: Site) -> None:
    response = Client().post(f"{API}/tokens", b"{", content_type="application/json")
    problem(response, 400, "input.malformed")


def test_what_no_text_of_the_database_can_hold_is_a_400(site: Site) -> None:
    client = Client(raise_request_exception=False)
    problem(client.get(f"{API}/benchmarks/a%00b"), 400, "input.malformed")
    problem(client.get(f"{API}/boards/a%00b/1/x"), 400, "input.malformed")
    credentials = {"username": "a\0b", "password": "x", "name": "t"}
    response = client.post(f"{API}/tokens", credentials, content_type="application/json")
    assert response.status_code in {400, 401, 422}


def test_a_database_that_is_away_is_a_503(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(**_: Any) -> None:
        raise OperationalError("connection refused at 10.0.0.7")

    monkeypatch.setattr(services, "list_benchmarks", away)
    response = Client(raise_request_exception=False).get(f"{API}/benchmarks")
    assert problem(response, 503)["retry_after"] > 0
    assert b"10.0.0.7" not in response.content


def test_no_refusal_holds_truth(site: Site) -> None:
    """Problems are made from the file and the public questions alone."""
    client = as_role(site, "other")
    file = json.loads(predictions(PUBLIC, 0.1, 90))
    for answer in ("E", CANARY, f"{CANARY}_7", 3, None):
        file["predictions"][7]["answer"] = [answer]
        accepted = send(client, json.dumps(file).encode())
        assert accepted.status_code == 202
        with site.stores.acting_as("scoring"):
            score_all()
        found = client.get(accepted.json()["url"])
        assert found.json()["state"] == "rejected"
        assert found.json()["n_problems"] == len(found.json()["problems"]) == 1
        quoted = found.content.decode().lower().count(CANARY.lower())
        assert quoted == (1 if CANARY in str(answer) else 0)  # what the file itself says
