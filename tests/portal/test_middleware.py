"""What every request meets first."""

from __future__ import annotations

import pytest
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from portal.exchange import queue
from portal.exchange.storage import StoreUnavailable
from portal.middleware import FaultsAnswered

pytestmark = pytest.mark.django_db


def test_pages_may_load_only_what_is_ours(client: Client) -> None:
    policy = client.get("/account/sign-in/").headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy and "frame-ancestors 'none'" in policy


def test_body_beyond_the_limit_is_refused_by_its_length(client: Client) -> None:
    answer = client.post(
        "/api/v1/submissions",
        data=b"x",
        content_type="application/octet-stream",
        headers={"Content-Length": str(10**10)},
    )
    assert answer.status_code == 413
    assert answer.json()["code"] == "policy.too_large"


def test_compressed_body_is_refused(client: Client) -> None:
    answer = client.post(
        "/api/v1/submissions",
        data=b"x",
        content_type="application/json",
        headers={"Content-Encoding": "gzip"},
    )
    assert answer.status_code == 415


@pytest.mark.parametrize("fault", [OperationalError("gone"), StoreUnavailable("gone")])
def test_service_that_is_away_is_503_with_retry_after(rf: RequestFactory, fault: Exception) -> None:
    def view(request: HttpRequest) -> HttpResponse:
        raise AssertionError("not called")

    answer = FaultsAnswered(view).process_exception(rf.get("/"), fault)
    assert answer is not None
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "5"
    assert FaultsAnswered(view).process_exception(rf.get("/"), ValueError()) is None


def test_letters_are_json_only_and_carry_ids() -> None:
    assert queue.app.conf.accept_content == ["json"]
    assert queue.app.conf.task_serializer == "json"
    assert queue.app.conf.result_backend is None
    assert queue.app.conf.worker_enable_remote_control is False
