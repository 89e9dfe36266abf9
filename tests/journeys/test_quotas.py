"""Quotas against running web processes: exact under races, and on the database's clock only."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import httpx
import pytest
from django.db import connection

from portal import services
from portal.submissions.models import Submission
from tests import factories
from tests.conftest import Stores

pytestmark = [pytest.mark.journey, pytest.mark.django_db(transaction=True)]

N_POSTS = 50
N_LEFT = 3
# A library that shifts the clock of one process, where the system has it.
FAKETIME = os.environ.get("FAKETIME_LIBRARY") or next(
    (
        str(file)
        for folder in ("/usr/lib", "/usr/lib64", "/usr/local/lib")
        for file in Path(folder).glob("**/faketime/libfaketimeMT.so.1")
    ),
    "",
)


@pytest.fixture(autouse=True)
def version(broker: str, tmp_path: Path, stores: Stores) -> object:
    return factories.version(tmp_path, stores)


@pytest.fixture
def token() -> str:
    return services.issue_token(user=factories.user("ada"), name="quota")


@pytest.fixture
def readers() -> Iterator[Callable[[str], httpx.Client]]:
    """(address) -> a client of that web process."""
    with ExitStack() as stack:
        yield lambda address: stack.enter_context(
            httpx.Client(base_url=address, trust_env=False, timeout=60)
        )


def post(reader: httpx.Client, token: str, number: int) -> httpx.Response:
    """A file unlike those of other numbers, under a key of its own."""
    letters = ["ABCD"[number // 4**place % 4] for place in range(factories.N_IMAGES)]
    return reader.post(
        "/api/v1/submissions",
        data={"benchmark": "tiny-hoi", "track": factories.TRACKS[0], "system": "S"},
        files={"file": ("p.json", factories.predictions(lambda image: [letters[image]]))},
        headers={"Authorization": f"Bearer {token}", "Idempotency-Key": f"key-{number}"},
    )


def test_fifty_parallel_posts_with_three_left_are_three_submissions(
    start_web: Callable[..., str], readers: Callable[[str], httpx.Client], token: str
) -> None:
    extra = {"PLUMBLINE_QUOTA_PER_DAY": str(N_LEFT)}
    webs = [readers(start_web(extra)) for _ in range(2)]
    with ThreadPoolExecutor(N_POSTS) as pool:
        answers = list(
            pool.map(lambda number: post(webs[number % 2], token, number), range(N_POSTS))
        )
    assert Counter(answer.status_code for answer in answers) == {
        202: N_LEFT,
        429: N_POSTS - N_LEFT,
    }
    refused = [answer for answer in answers if answer.status_code == 429]
    assert {answer.json()["code"] for answer in refused} == {"policy.quota"}
    assert all(0 < int(answer.headers["Retry-After"]) <= 86400 for answer in refused)
    assert Submission.objects.filter(source=Submission.Source.UPLOAD).count() == N_LEFT
    # Those that were taken may be asked for again.
    first = next(number for number, answer in enumerate(answers) if answer.status_code == 202)
    again = post(webs[0], token, first)
    assert (again.status_code, again.json()["id"]) == (200, answers[first].json()["id"])


@pytest.mark.skipif(not FAKETIME, reason="libfaketime is neither installed nor in FAKETIME_LIBRARY")
@pytest.mark.parametrize("shift", ["-1d", "+1d"])
def test_days_are_those_of_the_databases_clock_whatever_the_web_process_thinks(
    start_web: Callable[..., str], readers: Callable[[str], httpx.Client], token: str, shift: str
) -> None:
    web = readers(
        start_web(
            {
                "PLUMBLINE_QUOTA_PER_DAY": "1",
                "LD_PRELOAD": FAKETIME,
                "FAKETIME": shift,
                "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            }
        )
    )
    first = post(web, token, 1)
    assert first.status_code == 202
    refused = post(web, token, 2)
    assert refused.status_code == 429
    with connection.cursor() as cursor:
        cursor.execute("SELECT now()")
        (now,) = cursor.fetchone() or (None,)
    assert now is not None
    tomorrow = f"{now + timedelta(days=1):%Y-%m-%d} 00:00:00 UTC"
    assert tomorrow in refused.json()["detail"]
    believed = httpx.Response(200, headers=refused.headers).headers["Date"]
    assert f"{now:%d %b %Y}" not in believed  # its own clock is off indeed
    # Sent at 23:59:59.9 of yesterday, it leaves today alone; at 00:00:00.1 it does not.
    factories.moved(UUID(first.json()["id"]), f"{factories.MIDNIGHT} - interval '100 milliseconds'")
    second = post(web, token, 2)
    assert second.status_code == 202
    factories.moved(
        UUID(second.json()["id"]), f"{factories.MIDNIGHT} + interval '100 milliseconds'"
    )
    assert post(web, token, 3).status_code == 429
