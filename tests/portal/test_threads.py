"""The web process works in a few threads that live on, each with one connection."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from django.db import connection, transaction

from portal import services
from portal.accounts.models import Team
from portal.asgi import WAITING_PER_THREAD
from tests import factories
from tests.conftest import APPLICATION_ROLE, Stores, wait_until

pytestmark = pytest.mark.django_db(transaction=True)

N_THREADS = 3
N_IMAGES = 3000  # questions enough for several pieces


def n_connections() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE usename = %s", [APPLICATION_ROLE]
        )
        return int((cursor.fetchone() or (0,))[0])


def test_many_requests_share_few_connections(
    tmp_path: Path, stores: Stores, start_web: Callable[..., str]
) -> None:
    factories.version(tmp_path, stores)
    address = start_web({"PLUMBLINE_WEB_THREADS": str(N_THREADS)})

    def get(_: int) -> int:
        return httpx.get(f"{address}/api/v1/benchmarks", trust_env=False, timeout=30).status_code

    with ThreadPoolExecutor(30) as pool:
        assert set(pool.map(get, range(90))) == {200}
    assert 1 <= n_connections() <= N_THREADS


def test_a_crowd_beyond_what_can_be_answered_soon_is_asked_to_come_again(
    tmp_path: Path, stores: Stores, start_web: Callable[..., str]
) -> None:
    factories.version(tmp_path, stores)
    person = factories.user()
    factories.submit(person)
    token = services.issue_token(user=person, name="crowd")
    address = start_web({"PLUMBLINE_WEB_THREADS": "1"})
    n_waiting = WAITING_PER_THREAD

    def post() -> int:
        return httpx.post(
            f"{address}/api/v1/submissions",
            data={"benchmark": "tiny-hoi", "track": factories.TRACKS[0], "system": "S"},
            files={"file": ("p.json", factories.predictions(lambda _: ["A"]))},
            headers={"Authorization": f"Bearer {token}"},
            trust_env=False,
            timeout=30,
        ).status_code

    def get(_: int) -> httpx.Response:
        return httpx.get(f"{address}/api/v1/benchmarks", trust_env=False, timeout=30)

    with ThreadPoolExecutor(1 + 3 * n_waiting) as pool:
        with transaction.atomic():
            Team.objects.select_for_update().get(members=person)
            held = pool.submit(post)  # the only thread, until this transaction ends
            wait_until(has_someone_waiting)
            crowd = [pool.submit(get, number) for number in range(3 * n_waiting)]
            wait_until(lambda: sum(one.done() for one in crowd) == 2 * n_waiting)
        answers = [one.result() for one in crowd]
        assert held.result() == 202
    refused = [answer for answer in answers if answer.status_code == 503]
    assert len(refused) == 2 * n_waiting
    assert {answer.json()["code"] for answer in refused} == {"infra.busy"}
    assert all(int(answer.headers["Retry-After"]) > 0 for answer in refused)
    assert {answer.status_code for answer in answers} == {200, 503}
    assert get(0).status_code == 200


def has_someone_waiting() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE usename = %s AND wait_event_type = 'Lock'",
            [APPLICATION_ROLE],
        )
        return bool((cursor.fetchone() or (0,))[0])


def test_a_long_answer_comes_whole_and_stops_with_its_reader(
    tmp_path: Path, stores: Stores, start_web: Callable[..., str]
) -> None:
    bundle = factories.bundle(n_images=N_IMAGES)
    factories.version(tmp_path, stores, bundle)
    address = start_web({"PLUMBLINE_WEB_THREADS": "1"})
    url = f"{address}/api/v1/benchmarks/tiny-hoi/versions/1/questions"
    with httpx.Client(trust_env=False, timeout=30) as reader:
        assert reader.get(url).content == bundle.questions
        for _ in range(5):
            with reader.stream("GET", url) as leaving:
                next(leaving.iter_raw())
        # The only thread is free again for others.
        assert reader.get(f"{address}/api/v1/health").status_code == 200


def test_connections_that_the_database_closed_are_opened_anew(
    tmp_path: Path, stores: Stores, start_web: Callable[..., str]
) -> None:
    factories.version(tmp_path, stores)
    address = start_web({"PLUMBLINE_WEB_THREADS": str(N_THREADS)})
    with httpx.Client(base_url=address, trust_env=False, timeout=30) as reader:
        assert reader.get("/api/v1/benchmarks").status_code == 200
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s",
                [APPLICATION_ROLE],
            )
        wait_until(lambda: n_connections() == 0)
        for _ in range(2 * N_THREADS):
            assert reader.get("/api/v1/benchmarks").status_code == 200
