"""The submit page without its script: what it shows, and that the plain form works."""

from __future__ import annotations

import json
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from portal import services
from tests.published_site import CANARY, HIDDEN, NAME, PUBLIC, Site, predictions

ADDRESS = f"{NAME}@1"


def form(file: bytes, **other: str) -> dict[str, Any]:
    fields = {
        "benchmark": ADDRESS,
        "track": PUBLIC,
        "system_name": "Form-1B",
        "facet-kind": "vlm-zero-shot",
        "idempotency_key": "0123",
        "file": SimpleUploadedFile("answers.json", file),
    }
    return {**fields, **other}


def test_the_page_says_what_to_send_before_anything_is_chosen(stranger: Client, site: Site) -> None:
    page = stranger.get("/submit/").content.decode()
    assert "256 MiB" in page
    assert f"plumbline validate {NAME} predictions.json --track {PUBLIC}" in page
    assert f"/api/v1/benchmarks/{NAME}/versions/1/questions?track={HIDDEN}" in page
    assert "Sign in to submit" in page
    assert CANARY not in page


def test_the_quota_is_told_before_a_file_is_chosen(
    ann: Client, stranger: Client, site: Site, settings: Any
) -> None:
    n_before = len(services.my_submissions(user=site.users["ann"]))
    settings.QUOTA_PER_DAY, settings.QUOTA_IN_ALL = n_before, 1200
    page = ann.get("/submit/").content.decode()
    assert f"of {n_before} submissions left today" in page and "of 1,200 in all" in page
    assert "data-quota" not in stranger.get("/submit/").content.decode()
    settings.QUOTA_PER_DAY = settings.QUOTA_IN_ALL = 0
    assert "data-quota" not in ann.get("/submit/").content.decode()


def test_a_spent_quota_comes_back_to_the_form(ann: Client, site: Site, settings: Any) -> None:
    settings.QUOTA_PER_DAY = 1
    for number in (45, 46):
        answer = ann.post("/submit/", form(predictions(PUBLIC, 0.5, number)))
    assert answer.status_code == 429
    page = answer.content.decode()
    assert "had its 1 submissions of today" in page
    assert "The next is taken from" in page


def test_the_example_is_lawful_in_form_for_every_track(site: Site) -> None:
    for track in (PUBLIC, HIDDEN):
        text = services.example_predictions(benchmark=NAME, version="1", track=track)
        example = json.loads(text)
        assert example["benchmark"] == ADDRESS
        assert example["track"] == track
        assert len(example["predictions"]) == 3


def test_the_plain_form_makes_a_submission_and_leads_to_its_page(ann: Client, site: Site) -> None:
    answer = ann.post("/submit/", form(predictions(PUBLIC, 0.5, 41)))
    assert answer.status_code == 302
    page = ann.get(answer["Location"]).content.decode()
    assert "Form-1B" in page
    assert "Waiting" in page
    newest = services.my_submissions(user=site.users["ann"])[0]
    assert newest["visibility"] == "private"
    assert newest["file_name"] == "answers.json"


def test_the_switch_publishes_at_once(ann: Client, site: Site) -> None:
    ann.post("/submit/", form(predictions(PUBLIC, 0.5, 42), publish="true"))
    assert services.my_submissions(user=site.users["ann"])[0]["visibility"] == "published"


def test_the_same_answers_again_lead_to_the_first_and_say_so(ann: Client, site: Site) -> None:
    file = predictions(PUBLIC, 0.5, 43)
    first = ann.post("/submit/", form(file))
    second = ann.post("/submit/", form(file, idempotency_key="4567"))
    assert second["Location"] == first["Location"] + "?again"
    page = ann.get(second["Location"]).content.decode()
    assert "You sent the same answers before" in page and "published now" not in page
    third = ann.post("/submit/", form(file, publish="true", idempotency_key="5678"))
    assert third["Location"] == first["Location"] + "?again=published"
    assert "published now, as you asked" in ann.get(third["Location"]).content.decode()


def test_a_new_track_of_a_system_that_stands_is_chosen_by_name(ann: Client, site: Site) -> None:
    (beta,) = (
        system
        for system in services.my_systems(user=site.users["ann"], benchmark=NAME)
        if system["name"] == "Beta-7B"
    )
    sent = form(predictions(PUBLIC, 0.5, 44), system_choice=beta["slug"], system_name="")
    ann.post("/submit/", sent)
    assert services.my_submissions(user=site.users["ann"])[0]["system"] == beta


def test_what_is_missing_is_named_at_its_field(ann: Client, site: Site) -> None:
    answer = ann.post("/submit/", {"benchmark": ADDRESS})
    page = answer.content.decode()
    assert answer.status_code == 400
    for sentence in ("Choose a track.", "Give the system a name", "Choose the file to send."):
        assert sentence in page


def test_a_refusal_keeps_what_was_typed_and_says_what_to_do(ann: Client, site: Site) -> None:
    answer = ann.post("/submit/", form(b"PK\x03\x04" + b"0" * 100))
    page = answer.content.decode()
    assert answer.status_code == 415
    assert "zip archive or a spreadsheet" in page
    assert 'value="Form-1B"' in page


def test_a_form_without_its_token_is_refused_in_words(site: Site) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(site.users["ann"])
    answer = browser.post("/submit/", form(predictions(PUBLIC, 0.5, 45)))
    assert answer.status_code == 403
    assert "This form is no longer valid" in answer.content.decode()


def test_nobody_submits_without_signing_in(stranger: Client, site: Site) -> None:
    answer = stranger.post("/submit/", form(predictions(PUBLIC, 0.5, 46)))
    assert answer["Location"].startswith("/account/sign-in/?next=/submit/")
