"""The command against the real API: what they say to each other, from sign-in to sign-out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_django.live_server_helper import LiveServer

from tests import factories
from tests.conftest import Process, Stores, wait_until
from tests.plumbline.command import Command

TRACK = factories.TRACKS[0]


@pytest.mark.usefixtures("transactional_db", "broker")
def test_an_entrants_first_hour(
    live_server: LiveServer, plumbline: Command, stores: Stores, tmp_path: Path
) -> None:
    factories.user("ada")
    factories.version(tmp_path, stores)
    site = ("--server", live_server.url)

    wrong = plumbline("login", *site, "--user", "ada", "--password-stdin", stdin="no\n")
    assert (wrong.code, "do not belong together" in wrong.err) == (1, True)
    signed_in = plumbline("login", *site, "--user", "ada", "--password-stdin", stdin="secret\n")
    assert signed_in.code == 0, signed_in.err
    assert plumbline("whoami", "--json").document["username"] == "ada"

    listed = plumbline("board")
    assert (listed.code, f"tiny-hoi@1  {TRACK}" in listed.out) == (0, True)
    questions = tmp_path / "questions"
    assert plumbline("questions", "tiny-hoi", "--out", questions).code == 0
    file = tmp_path / "predictions.json"
    file.write_bytes(factories.predictions(track=TRACK))
    valid = plumbline("validate", questions, file, "--track", TRACK)
    assert valid.code == 0, valid.out

    where = ("--benchmark", "tiny-hoi", "--track", TRACK, "--system", "First try")
    facet = ("--facet", "kind=fine-tuned")
    sent = plumbline("submit", file, *where, *facet, "--json")
    assert sent.code == 0, sent.err
    assert (sent.document["state"], sent.document["system"]["name"]) == ("waiting", "First try")
    id_ = sent.document["id"]
    again = plumbline("submit", file, *where, "--json")
    assert (again.code, again.document["id"]) == (0, id_)
    assert "handed in before" in again.err
    status = plumbline("status", id_).out
    assert "waiting: Next in line." in status
    assert "quota  99 of 100 left today, 1,999 of 2,000 left in all" in status
    refused = plumbline("submit", file, *where[:3], "no-such-track", *where[4:])
    assert (refused.code, "Traceback" in refused.err) == (1, False)
    assert plumbline("withdraw", id_).code == 0
    assert plumbline("status", id_).code == 1

    assert plumbline("logout", "--json").document["revoked"] is True
    out = plumbline("whoami", *site)
    assert (out.code, "Log in" in out.err) == (3, True)


@pytest.mark.journey
def test_submit_and_wait_sees_a_real_worker_through(
    live_server: LiveServer,
    start_worker: Callable[..., Process],
    plumbline: Command,
    stores: Stores,
    tmp_path: Path,
) -> None:
    factories.user("ada")
    factories.version(tmp_path, stores)
    start_worker()
    plumbline(
        *("login", "--server", live_server.url, "--user", "ada", "--password-stdin"),
        stdin="secret\n",
    )
    file = tmp_path / "predictions.json"
    file.write_bytes(factories.predictions(track=TRACK))
    where = ("--benchmark", "tiny-hoi", "--track", TRACK, "--system", "Seer", "--publish", "--wait")
    run = plumbline("submit", file, *where)
    assert run.code == 0, run.err
    assert "scored, published" in run.out
    assert "macro_f1" in run.out
    assert "100.00" in run.out
    wait_until(lambda: "Seer" in plumbline("board", "tiny-hoi", "--track", TRACK).out)

    file.write_bytes(factories.predictions(lambda _: ["Z"], track=TRACK, n_images=1))
    run = plumbline("submit", file, *where, "--json")
    assert run.code == 1
    assert run.document["state"] == "rejected"
    assert {problem["code"] for problem in run.document["problems"]} == {"VALUE", "INCOMPLETE"}


@pytest.mark.usefixtures("transactional_db")
def test_a_revoked_token_says_how_to_log_in_again(
    live_server: LiveServer, plumbline: Command
) -> None:
    old = {"PLUMBLINE_TOKEN": "plb_long-forgotten"}
    run = plumbline("whoami", "--server", live_server.url, environment=old)
    assert run.code == 3
    assert f"plumbline login --server {live_server.url}" in run.err


@pytest.mark.usefixtures("transactional_db")
def test_what_is_not_there_is_said_in_the_sites_words(
    live_server: LiveServer, plumbline: Command
) -> None:
    run = plumbline("board", "no-such-thing", "--server", live_server.url)
    assert run.code == 1
    assert "There is no such benchmark" in run.err
