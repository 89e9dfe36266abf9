"""Faults are pages in words for people and problem documents for scripts."""

from __future__ import annotations

import pytest
from django.core.exceptions import BadRequest, PermissionDenied
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import include, path

from portal.errors import StateConflict
from portal.site.views import faults

FAULTS = {
    "malformed": BadRequest("secret"),
    "forbidden": PermissionDenied("secret"),
    "conflict": StateConflict("It is <b>closed</b>."),
    "away": OperationalError("secret host"),
    "broken": RuntimeError("secret"),
}


def fail(request: HttpRequest, kind: str) -> HttpResponse:
    raise FAULTS[kind]


urlpatterns = [
    path("fail/<str:kind>/", fail),
    path("api/v1/fail/<str:kind>/", fail),
    path("", include("portal.site.urls")),
]
handler400, handler403 = faults.bad_request, faults.forbidden
handler404, handler500 = faults.not_found, faults.failed


@pytest.fixture
def browser() -> Client:
    return Client(raise_request_exception=False)


@pytest.mark.parametrize(
    ("kind", "status", "words"),
    [
        ("malformed", 400, "could not be read"),
        ("forbidden", 403, "not yours to open"),
        ("conflict", 409, "It is &lt;b&gt;closed&lt;/b&gt;."),
        ("away", 503, "database does not answer"),
        ("broken", 500, "The fault is ours"),
    ],
)
@override_settings(ROOT_URLCONF=__name__)
@pytest.mark.django_db
def test_a_fault_is_a_page_in_words(browser: Client, kind: str, status: int, words: str) -> None:
    response = browser.get(f"/fail/{kind}/")
    page = response.content.decode()
    assert response.status_code == status
    assert response["Content-Type"].startswith("text/html")
    assert response["Content-Security-Policy"].startswith("default-src 'self'")
    assert int(response["Content-Length"]) == len(response.content)
    assert words in page
    assert "secret" not in page
    if status == 503:
        assert int(response["Retry-After"]) > 0


@pytest.mark.parametrize(("kind", "status"), [("forbidden", 403), ("away", 503), ("broken", 500)])
@override_settings(ROOT_URLCONF=__name__)
@pytest.mark.django_db
def test_a_script_gets_a_problem_document(browser: Client, kind: str, status: int) -> None:
    response = browser.get(f"/api/v1/fail/{kind}/")
    assert response.status_code == status
    assert response["Content-Type"] == "application/problem+json"
    assert response.json()["status"] == status
    assert "secret" not in response.content.decode()


@pytest.mark.django_db
def test_a_missing_page_says_so(browser: Client) -> None:
    response = browser.get("/nothing/here/")
    assert response.status_code == 404
    assert "Nothing stands at this address" in response.content.decode()


def test_faults_of_ours_are_told_without_the_database(browser: Client) -> None:
    request = HttpRequest()
    request.path = "/submit/"
    response = faults.failed(request)  # the database is closed to this test
    assert response.status_code == 500


def test_a_body_that_is_too_large_is_refused_before_it_is_read(browser: Client) -> None:
    response = browser.post("/submit/", b"", content_type="text/plain", CONTENT_LENGTH=str(2**40))
    assert response.status_code == 413
    assert response["Content-Type"].startswith("text/html")
    assert "bytes at most" in response.content.decode()
