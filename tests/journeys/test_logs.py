"""What web, worker and housekeeping write: all about a submission by its id, no secret at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from portal import services
from portal.evaluations.models import Evaluation
from tests import factories
from tests.conftest import APPLICATION_PASSWORD, Process, Start, Stores, wait_until

pytestmark = [pytest.mark.journey, pytest.mark.django_db(transaction=True)]

Line = dict[str, Any]
CANARIES = {
    "file name": "canary-file-name",
    "system": "canary-system",
    "answer": "canary-answer",
    "person": "canary-person",
    "wrong token": "plb_canary-token",
    "metrics token": "canary-metrics-token",
    "query": "canary-query",
    "secret key": "canary-secret-key-0123456789-0123456789-0123456789",
}


@pytest.fixture
def lines(
    tmp_path: Path,
    stores: Stores,
    broker: str,
    start_web: Callable[..., str],
    start_worker: Callable[..., Process],
    start_process: Start,
) -> Callable[[], tuple[list[Line], list[str]]]:
    """() -> all lines of a site through which three submissions went, and their ids."""
    factories.version(tmp_path, stores)
    told = {
        "PLUMBLINE_LOG_FORMAT": "json",
        "PLUMBLINE_SECRET_KEY": CANARIES["secret key"],
        "PLUMBLINE_METRICS_TOKEN": CANARIES["metrics token"],
    }
    address = start_web(told)
    person = factories.user(CANARIES["person"])
    token = services.issue_token(user=person, name="laptop")
    CANARIES["token"] = token

    def send(data: bytes) -> str:
        answer = httpx.post(
            f"{address}/api/v1/submissions?q={CANARIES['query']}",
            data={"benchmark": "tiny-hoi", "track": "all-people", "system": CANARIES["system"]},
            files={"file": (f"{CANARIES['file name']}.json", data)},
            headers={"Authorization": f"Bearer {token}", "X-Request-ID": f"request-{uuid4()}"},
            trust_env=False,
        )
        assert answer.status_code == 202, answer.text
        return str(answer.json()["id"])

    good, bad, lost = (
        send(factories.predictions(pick))
        for pick in (factories.right, lambda _: [CANARIES["answer"]], lambda _: ["A"])
    )
    digest = Evaluation.objects.get(submission_id=lost).submission.file_digest
    (stores.folder / "uploads" / digest[:2] / digest).unlink()
    for headers, path in (
        ({"Authorization": f"Bearer {CANARIES['wrong token']}"}, "/api/v1/me"),
        ({"Authorization": f"Bearer {CANARIES['metrics token']}"}, "/metrics"),
        ({"Authorization": f"Bearer {token}"}, f"/api/v1/submissions/{good}"),
    ):
        httpx.get(address + path, headers=headers, trust_env=False)
    credentials = {"username": CANARIES["person"], "password": "canary-password", "name": "x"}
    httpx.post(f"{address}/api/v1/tokens", json=credentials, trust_env=False)

    worker = start_worker(told)
    start_process("housekeeping", "worker.housekeeping", extra=told)
    for submission_id, fields in (
        (good, {"status": "SCORED", "intervals": "READY"}),
        (bad, {"status": "REJECTED"}),
        (lost, {"attempt__gte": 1, "status": "QUEUED"}),
    ):
        wait_until(Evaluation.objects.filter(submission_id=submission_id, **fields).exists)

    def read() -> tuple[list[Line], list[str]]:
        texts = [log.read_text() for log in sorted(worker.log.parent.glob("*.log"))]
        assert len(texts) == 3
        return [json.loads(line) for text in texts for line in text.splitlines()], [good, bad, lost]

    return read


def test_all_about_a_submission_is_found_by_its_id_and_no_secret_is_told(
    lines: Callable[[], tuple[list[Line], list[str]]],
) -> None:
    found, ids = lines()
    rows = Evaluation.objects.filter(submission_id__in=ids)
    evaluations = {str(row.submission_id): str(row.id) for row in rows}
    requests = {
        line["submission"]: line["request"]
        for line in found
        if line["event"].startswith("POST api/v1/submissions: ")
    }
    # A refusal that concerns no submission has a name as well.
    refused = [line for line in found if line["event"] == "Unauthorized: /api/v1/me"]
    assert len(refused) == 1 and refused[0]["request"]
    moves = ("scored RUNNING -> SCORED", "rejected RUNNING -> REJECTED",
             "queued RUNNING -> QUEUED infra.file_damaged")  # fmt: skip
    for id_, move in zip(ids, moves, strict=True):
        mine = [line for line in found if line.get("submission") == id_]
        said = [line["event"] for line in mine]
        # The web process, the worker's own words, and each move of the evaluation.
        for text in (
            "submission.accepted",
            "evaluation.queued nothing -> QUEUED",
            "evaluation.started QUEUED -> RUNNING",
            f"evaluation.{move}",
            "POST api/v1/submissions: 202 in ",
            f"evaluation {evaluations[id_]} attempt 1: ",
        ):
            assert any(event.startswith(text) for event in said), (text, said)
        # Nothing that names one of its ids lacks the submission's.
        for line in found:
            names = json.dumps(line)
            if any(name in names for name in (id_, evaluations[id_], requests[id_])):
                assert line.get("submission") == id_, line
        assert "1" in {line.get("attempt") for line in mine}
    assert "intervals.ready" in [
        line["event"] for line in found if line.get("submission") == ids[0]
    ]
    everything = json.dumps(found)
    secrets = {**CANARIES, "password": "canary-password", "database": APPLICATION_PASSWORD}
    for name, secret in secrets.items():
        assert not secret or secret not in everything, name
