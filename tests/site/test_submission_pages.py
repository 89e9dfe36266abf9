"""My submissions and the page of one: what it says in each state, and to whom."""

from __future__ import annotations

from io import BytesIO
from uuid import UUID, uuid4

import pytest
from django.test import Client

from evaluator.errors import PredictionsInvalid, Problem
from portal import services
from portal.evaluations.failures import SCORER_MEMORY
from tests.published_site import CANARY, NAME, PUBLIC, Site, predictions


def text_of(browser: Client, address: str, **headers: str) -> str:
    response = browser.get(address, headers=headers)
    assert response.status_code == 200
    return response.content.decode()


@pytest.fixture
def waiting(site: Site) -> UUID:
    """A submission that nobody has claimed yet."""
    accepted = services.submit_predictions(
        user=site.users["ann"],
        benchmark=NAME,
        track=PUBLIC,
        system="Newcomer",
        file=BytesIO(predictions(PUBLIC, 0.5, 99)),
        file_name="answers.json",
    )
    return accepted.id


def claim(site: Site) -> services.ScoringBrief:
    brief = services.begin_scoring(worker="test")
    assert brief is not None
    return brief


def test_a_scored_submission_shows_scores_with_intervals(ann: Client, site: Site) -> None:
    page = text_of(ann, f"/submissions/{site.submissions['Beta-7B']}/")
    state = services.submission_state(
        user=site.users["ann"], submission_id=site.submissions["Beta-7B"]
    )
    assert state["headline"] is not None
    assert state["headline"]["text"] in page
    assert state["headline"]["interval_text"] in page
    assert "One person" in page
    assert 'data-live="' not in page  # settled: nothing is asked again
    assert CANARY not in page


def test_waiting_says_who_is_before_and_keeps_asking(ann: Client, waiting: UUID) -> None:
    page = text_of(ann, f"/submissions/{waiting}/")
    assert "Waiting" in page
    assert "Next in line" in page
    assert f'data-live="/submissions/{waiting}/"' in page
    assert '<meta http-equiv="refresh"' in page  # for browsers without scripts


def test_the_live_part_is_the_part_alone_and_says_when_it_is_settled(
    ann: Client, site: Site, waiting: UUID
) -> None:
    address = f"/submissions/{waiting}/"
    part = ann.get(address, headers={"X-Requested-With": "live"})
    assert "<html" not in part.content.decode()
    assert "X-Settled" not in part
    assert "no-store" in part["Cache-Control"]
    brief = claim(site)
    services.report_progress(
        evaluation_id=brief.evaluation_id, attempt=brief.attempt, done=130, total=260
    )
    running = text_of(ann, address, **{"X-Requested-With": "live"})
    assert "130 of 260 answers" in running
    services.record_failure(
        evaluation_id=brief.evaluation_id, attempt=brief.attempt, code=SCORER_MEMORY
    )
    settled = ann.get(address, headers={"X-Requested-With": "live"})
    assert settled["X-Settled"] == "yes"
    assert SCORER_MEMORY in settled.content.decode()
    assert "no quota was used" in settled.content.decode()


def test_a_rejected_file_shows_all_its_problems_escaped(
    ann: Client, site: Site, waiting: UUID
) -> None:
    brief = claim(site)
    problems = [
        Problem("VALUE", f"/predictions/{n}/answer/0", '"<img src=x onerror=1>"', "A, B", "Mend.")
        for n in range(20)
    ]
    services.record_rejection(
        evaluation_id=brief.evaluation_id,
        attempt=brief.attempt,
        invalid=PredictionsInvalid(problems, 1204),
    )
    page = text_of(ann, f"/submissions/{waiting}/")
    assert "1,204 problems; the first 20 are shown" in page
    assert page.count('<tr role="row"><th scope="row"') == 20
    assert "<img src=x" not in page
    assert "&lt;img src=x onerror=1&gt;" in page


def test_hostile_names_neither_run_nor_reorder(ann: Client, site: Site) -> None:
    accepted = services.submit_predictions(
        user=site.users["ann"],
        benchmark=NAME,
        track=PUBLIC,
        system="<script>alert(1)</script> مدل",
        file=BytesIO(predictions(PUBLIC, 0.5, 98)),
        file_name="gpj.\u202eexe<b>.json",
    )
    for address in ("/submissions/", f"/submissions/{accepted.id}/", "/submit/"):
        page = text_of(ann, address)
        assert "<script>alert" not in page
        assert "\u202e" not in page
    assert "<bdi>&lt;script&gt;alert(1)&lt;/script&gt; مدل</bdi>" in text_of(ann, "/submissions/")


def test_anothers_submission_is_as_missing_as_one_that_never_was(
    ann: Client, stranger: Client, site: Site
) -> None:
    foreign = site.submissions["Gamma"]
    answers = [ann.get(f"/submissions/{id_}/") for id_ in (foreign, uuid4())]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].content == answers[1].content
    for step in ("publish", "withdraw"):
        assert ann.post(f"/submissions/{foreign}/{step}/").status_code == 404
    away = stranger.get(f"/submissions/{foreign}/")
    assert away.status_code == 302
    assert away["Location"].startswith("/account/sign-in/?next=/submissions/")


def test_publishing_and_withdrawing_are_posts_and_say_what_happened(
    ann: Client, site: Site
) -> None:
    address = f"/submissions/{site.submissions['Private']}/"
    assert "Only you can see this result" in text_of(ann, address)
    assert ann.get(f"{address}publish/").status_code == 405
    published = ann.post(f"{address}publish/", follow=True).content.decode()
    assert "The board shows the row within seconds" in published
    assert "/board/system?" in published
    withdrawn = ann.post(f"{address}withdraw/", follow=True).content.decode()
    assert "no longer stands on the board" in withdrawn
    again = ann.post(f"{address}publish/")
    assert again.status_code == 409
    assert "stays withdrawn" in again.content.decode()


def test_the_list_shows_each_with_its_state_and_its_score(ann: Client, site: Site) -> None:
    page = text_of(ann, "/submissions/")
    for name in ("Beta-7B", "Private", "=HYPERLINK(1)"):
        assert name in page
    assert "Gamma" not in page
    assert "Macro-F1" in page
