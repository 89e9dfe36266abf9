"""Files beyond the form's limit, and a store that goes wrong: site, client, worker, S3 server.

The S3 server checks signatures; a proxy before it makes the faults.
"""

from __future__ import annotations

import hashlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import httpx
import pytest
from django.db.models.functions import Now

from infra.object_store import EmbeddedObjectStore
from infra.processes import free_port
from portal import services
from portal.evaluations.models import Evaluation, Event
from portal.exchange.direct import LEAST_PART_BYTES, key_of
from portal.exchange.storage import open_store
from portal.submissions.models import Submission, Upload
from tests import factories
from tests.conftest import ROOT, Process, Start, Stores, wait_until
from tests.fault_proxy import FaultProxy
from worker import scoring

pytestmark = [pytest.mark.journey, pytest.mark.django_db(transaction=True)]

FORM_BYTES = 2 * 1024 * 1024  # the limit of the form
N_PARTS = 6
# Lawful answers: JSON may end in blanks.
FILE = factories.predictions().ljust((N_PARTS - 1) * LEAST_PART_BYTES + 77)
TRACK = factories.TRACKS[0]


@pytest.fixture
def stores(stores_in_a_bucket: Stores) -> Stores:
    return stores_in_a_bucket


class Portal:
    """A running portal, and an entrant of it."""

    def __init__(self, address: str, token: str) -> None:
        self.address = address
        self.http = httpx.Client(
            base_url=f"{address}/api/v1",
            headers={"Authorization": f"Bearer {token}"},
            timeout=60,
            trust_env=False,
        )
        self._environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "platform"))),
            "PLUMBLINE_SERVER": address,
            "PLUMBLINE_TOKEN": token,
        }

    def submit(self, data: bytes, key: str) -> httpx.Response:
        """A submission by form."""
        return self.http.post(
            "/submissions",
            data={"benchmark": "tiny-hoi", "track": TRACK, "system": "By form"},
            files={"file": ("predictions.json", data)},
            headers={"Idempotency-Key": key},
        )

    def plumbline(self, *arguments: str | Path) -> subprocess.Popen[str]:
        """`plumbline` as a process of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "plumbline", *map(str, arguments)],
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


@pytest.fixture
def portal(broker: str, tmp_path: Path, stores: Stores, start_process: Start) -> Iterator[Portal]:
    factories.version(tmp_path, stores)
    port = free_port()
    start_process(
        "web",
        *("uvicorn", "infra.gateway:application", "--http", "h11", "--port", str(port)),
        extra={
            "PLUMBLINE_MAX_UPLOAD_BYTES": str(FORM_BYTES),
            "PLUMBLINE_PART_BYTES": str(LEAST_PART_BYTES),
            "PLUMBLINE_MAX_DIRECT_BYTES": str(len(FILE)),
        },
    )
    token = services.issue_token(user=factories.user(), name="test")
    portal = Portal(f"http://127.0.0.1:{port}", token)

    def answers() -> bool:
        try:
            return portal.http.get("/health").is_success
        except httpx.TransportError:
            return False

    wait_until(answers)
    yield portal
    portal.http.close()


def submit_command(file: Path, *more: str) -> tuple[str | Path, ...]:
    return (
        *("submit", file, "--benchmark", "tiny-hoi", "--track", TRACK, "--system", "Large"),
        *("--facet", "kind=fine-tuned", *more),
    )


def parts_sent(proxy: FaultProxy) -> list[int]:
    """Numbers of the parts that the store has taken, in order."""
    return [
        int(parse_qs(one.query)["partNumber"][0])
        for one in proxy.requests("PUT", "partNumber=")
        if one.status == 200
    ]


def submitted() -> list[Submission]:
    return list(Submission.objects.filter(source="UPLOAD"))


def objects() -> list[str]:
    return [file.key for file in open_store("uploads")._store("w").old_files(seconds=-1)]


def is_final(evaluation: Evaluation) -> bool:
    evaluation.refresh_from_db()
    return evaluation.status in ("SCORED", "REJECTED", "FAILED")


def test_a_killed_upload_goes_on_where_it_stopped_and_is_scored(
    portal: Portal, proxy: FaultProxy, tmp_path: Path, start_worker: Callable[..., Process]
) -> None:
    file = tmp_path / "large.json"
    file.write_bytes(FILE)
    proxy.fail("well", "well", "well", "stuck", "stuck", "stuck", method="PUT")
    first = portal.plumbline(*submit_command(file))
    wait_until(lambda: len(parts_sent(proxy)) == 3)
    first.send_signal(signal.SIGKILL)
    first.communicate()
    proxy.mend()
    wait_until(lambda: proxy.is_quiet)
    there = set(parts_sent(proxy))
    (upload,) = Upload.objects.all()
    assert (len(there), upload.state, submitted()) == (3, "OPEN", [])

    # One address is refused as too old, one connection ends.
    proxy.fail("403", "reset", method="PUT")
    second = portal.plumbline(*submit_command(file))
    _, err = second.communicate(timeout=120)
    assert second.returncode == 0, err
    assert sorted(parts_sent(proxy)[3:]) == sorted(set(range(1, N_PARTS + 1)) - there)
    (submission,) = submitted()
    assert submission.file_key == key_of(upload.id)
    assert objects() == [submission.file_key]
    for one in proxy.requests("PUT", "partNumber="):
        assert not {"authorization", "cookie"} & {name.lower() for name in one.headers}
    # What the worker reads first is cut at 90 %.
    proxy.fail("short", method="GET")
    start_worker()
    (evaluation,) = submission.evaluations.all()
    wait_until(lambda: is_final(evaluation))
    assert (evaluation.status, evaluation.attempt) == ("SCORED", 2)
    assert Event.objects.filter(evaluation_id=evaluation.id, kind="evaluation.scored").count() == 1

    again = portal.plumbline(*submit_command(file))
    _, err = again.communicate(timeout=120)
    assert (again.returncode, "handed in before" in err) == (0, True)
    assert len(parts_sent(proxy)) == N_PARTS

    with file.open("ab") as grown:
        grown.write(b" ")
    refused = portal.plumbline(*submit_command(file))
    _, err = refused.communicate(timeout=120)
    assert refused.returncode == 1
    assert f"{len(FILE):,} bytes at most" in err
    assert Upload.objects.filter(file_bytes__gt=len(FILE)).count() == 0


def test_faults_of_the_store_at_submit_cost_nothing(
    portal: Portal, proxy: FaultProxy, object_store: EmbeddedObjectStore
) -> None:
    data = factories.predictions()
    proxy.fail("500", "500", method="PUT")
    accepted = portal.submit(data, "first")
    assert accepted.status_code == 202
    assert portal.submit(data, "first").json()["id"] == accepted.json()["id"]
    assert len(objects()) == 1

    other = factories.predictions(lambda _: ["B"])
    object_store.stop(within=0)
    try:
        away = portal.submit(other, "second")
    finally:
        object_store.start()
    assert (away.status_code, away.json()["code"]) == (503, "infra.store")
    assert int(away.headers["Retry-After"]) > 0
    assert len(submitted()) == 1
    later = [portal.submit(other, "second") for _ in range(2)]
    assert [answer.status_code for answer in later] == [202, 200]
    assert len({answer.json()["id"] for answer in later}) == 1
    assert (len(submitted()), len(objects())) == (2, 2)


def test_wrong_bytes_in_a_part_are_never_scored(
    broker: str, tmp_path: Path, stores: Stores, settings: Any
) -> None:
    factories.version(tmp_path, stores)
    settings.PART_BYTES = LEAST_PART_BYTES
    person = factories.user()
    data = FILE[: LEAST_PART_BYTES + 1]
    upload = services.begin_upload(
        user=person,
        benchmark="tiny-hoi",
        track=TRACK,
        file_digest=hashlib.sha256(data).hexdigest(),
        file_bytes=len(data),
    )
    wrong = re.sub(rb'"A"', b'"B"', data)
    for part in upload["missing"]:
        start = (part["number"] - 1) * upload["part_bytes"]
        httpx.put(part["url"], content=wrong[start : start + part["n_bytes"]])
    services.submit_upload(
        user=person, upload_id=upload["id"], benchmark="tiny-hoi", track=TRACK, system="S"
    )
    (submission,) = submitted()
    (evaluation,) = submission.evaluations.all()
    with stores.acting_as("scoring"):
        while not is_final(evaluation):
            Evaluation.objects.filter(status="QUEUED").update(due_at=Now())
            brief = services.begin_scoring(worker="test")
            assert brief is not None
            scoring.score_claimed(brief)
    assert (evaluation.status, evaluation.failure_code) == ("FAILED", "infra.file_damaged")
    assert evaluation.attempt == 3
    assert not evaluation.scores.exists()
