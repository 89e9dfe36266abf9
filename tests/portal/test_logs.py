"""A line of the log: its form, the ids that it carries, and what never stands in it."""

from __future__ import annotations

import io
import json
import logging
import logging.config
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import structlog
from django.test import Client

from portal import environment, logs
from portal.logs import Form
from tests import factories
from tests.conftest import Stores

HOSTILE = "a\nb\x1b[31m\r\x85"


@pytest.fixture
def written() -> Iterator[Any]:
    """(form) -> a logger and the stream that it writes to in that form."""
    logger = logging.getLogger("plumbline.test")
    logger.propagate, logger.level = False, logging.INFO
    structlog.contextvars.clear_contextvars()

    def start(form: Form) -> tuple[logging.Logger, io.StringIO]:
        made = logs.configuration(form)["formatters"]["house"]
        handler = logging.StreamHandler(stream := io.StringIO())
        handler.setFormatter(logging.config.DictConfigurator({}).configure_custom(dict(made)))
        logger.handlers = [handler]
        return logger, stream

    yield start
    logger.handlers = []


def test_a_line_of_json_carries_the_ids_that_are_bound(written: Any) -> None:
    logger, stream = written("json")
    submission = uuid4()
    with logs.about(submission=submission, attempt=2, evaluation=None):
        logger.info("scored in %.1f s", 1.25)
    logger.warning("something else")
    first, second = (json.loads(line) for line in stream.getvalue().splitlines())
    assert list(first)[:6] == ["at", "level", "logger", "event", "submission", "attempt"]
    assert (first["event"], first["submission"]) == ("scored in 1.2 s", str(submission))
    assert (first["level"], first["logger"]) == ("info", "plumbline.test")
    assert "evaluation" not in first and "submission" not in second


def test_a_traceback_is_part_of_its_line(written: Any) -> None:
    logger, stream = written("json")
    try:
        raise ValueError("no such thing")
    except ValueError:
        logger.exception("failed")
    [line] = stream.getvalue().splitlines()
    assert json.loads(line)["exception"].endswith("ValueError: no such thing")


@pytest.mark.parametrize("form", logs.FORMS)
def test_words_of_strangers_end_no_line_and_paint_nothing(written: Any, form: Form) -> None:
    logger, stream = written(form)
    logger.info("it said %s", HOSTILE)
    text = stream.getvalue()
    assert text.count("\n") == 1 and text.isprintable() is False
    assert not set(text[:-1]) & set("\n\r\x1b\x85")


def test_plain_lines_name_the_ids_at_their_end(written: Any) -> None:
    logger, stream = written("lines")
    with logs.about(evaluation="e", submission="s", attempt=1, request="r"):
        logger.error("went wrong")
    said = "ERROR plumbline.test: went wrong [submission=s evaluation=e attempt=1 request=r]\n"
    assert stream.getvalue().endswith(said)


def test_production_writes_json_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "portal.settings.production")
    assert logs.chosen_form() == "json"
    monkeypatch.setenv("PLUMBLINE_LOG_FORMAT", "lines")
    assert logs.chosen_form() == "lines"
    monkeypatch.setenv("PLUMBLINE_LOG_FORMAT", "xml")
    with pytest.raises(environment.EnvironmentIncomplete, match="json, lines"):
        logs.chosen_form()


def test_a_request_keeps_a_harmless_name_and_gets_one_otherwise(db: None, client: Client) -> None:
    given = client.get("/api/v1/problems", headers={"X-Request-ID": "proxy-0123456789"})
    assert given["X-Request-ID"] == "proxy-0123456789"
    for harmful in ("", "short", "a b c d e f g h", "x" * 65, "<script>alert(1)</script>"):
        made = client.get("/api/v1/problems", headers={"X-Request-ID": harmful})
        assert len(made["X-Request-ID"]) == 32 and made["X-Request-ID"].isalnum()


def test_a_refused_request_is_named_too(db: None, client: Client) -> None:
    assert client.get("/api/v1/submissions")["X-Request-ID"]
    assert client.get("/nothing/")["X-Request-ID"]


@pytest.mark.django_db(transaction=True)
def test_all_lines_of_an_upload_carry_its_id_and_the_requests_name(
    client: Client,
    tmp_path: Path,
    stores: Stores,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    factories.version(tmp_path, stores)
    client.force_login(factories.user("no-name-of-mine"))
    lines: list[dict[str, Any]] = []
    formatter = logging.config.DictConfigurator({}).configure_custom(
        dict(logs.configuration("json")["formatters"]["house"])
    )
    monkeypatch.setattr(
        caplog.handler, "emit", lambda record: lines.append(json.loads(formatter.format(record)))
    )
    with caplog.at_level(logging.INFO):
        answer = client.post(
            "/api/v1/submissions",
            {
                "benchmark": "tiny-hoi",
                "track": "all-people",
                "system": "no-system-of-mine",
                "file": io.BytesIO(factories.predictions()),
            },
            headers={"X-Request-ID": "request-0001"},
        )
    assert answer.status_code == 202
    said = [line["event"] for line in lines]
    # The broker is away in this test, and that is said as well.
    assert any(text.startswith("no bell") for text in said)
    assert "submission.accepted" in said and "evaluation.queued nothing -> QUEUED" in said
    assert any(text.startswith("POST api/v1/submissions: 202 in ") for text in said)
    assert {line.get("submission") for line in lines} == {answer.json()["id"]}
    assert {line.get("request") for line in lines} == {"request-0001"}
    whole = json.dumps(lines)
    assert "of-mine" not in whole
