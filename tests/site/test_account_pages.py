"""Accounts, sessions and tokens on the pages."""

from __future__ import annotations

import re

import pytest
from django.core.cache import cache
from django.test import Client

from portal import services
from tests.published_site import Site

PASSWORD = "a-long-plumb-line"
NEWCOMER = {"username": "zoe", "email": "", "password1": PASSWORD, "password2": PASSWORD}


@pytest.fixture(autouse=True)
def _nobody_has_guessed_yet() -> None:
    cache.clear()


def test_signing_up_wants_no_address_and_signs_in(stranger: Client, site: Site) -> None:
    answer = stranger.post("/account/sign-up/?next=/submit/", {**NEWCOMER, "next": "/submit/"})
    assert answer["Location"] == "/submit/"
    assert "zoe" in stranger.get("/account/").content.decode()


def test_a_taken_name_or_a_weak_password_is_said_at_the_field(stranger: Client, site: Site) -> None:
    answer = stranger.post(
        "/account/sign-up/", {**NEWCOMER, "username": "ANN", "password1": "1", "password2": "1"}
    )
    page = answer.content.decode()
    assert answer.status_code == 400
    assert "already exists" in page
    assert "too short" in page


def test_signing_in_makes_a_new_session_and_goes_where_one_wanted(
    stranger: Client, site: Site
) -> None:
    stranger.get("/account/sign-in/?next=/submissions/")
    before = stranger.session.session_key
    answer = stranger.post(
        "/account/sign-in/",
        {"username": "ann", "password": "ann-secret", "next": "/submissions/"},
    )
    assert answer["Location"] == "/submissions/"
    assert stranger.session.session_key != before


@pytest.mark.parametrize(
    "target", ["https://elsewhere.example/", "//elsewhere.example", "javascript:1"]
)
def test_no_page_sends_people_to_another_host(stranger: Client, site: Site, target: str) -> None:
    signed_in = stranger.post(
        "/account/sign-in/", {"username": "ann", "password": "ann-secret", "next": target}
    )
    assert signed_in["Location"] == "/submissions/"
    signed_up = Client().post("/account/sign-up/", {**NEWCOMER, "next": target})
    assert signed_up["Location"] == "/submissions/"


def test_wrong_passwords_are_counted(stranger: Client, site: Site) -> None:
    for _ in range(10):
        page = stranger.post("/account/sign-in/", {"username": "ann", "password": "no"})
        assert "do not belong together" in page.content.decode()
    right = stranger.post("/account/sign-in/", {"username": "ann", "password": "ann-secret"})
    assert "wait a few minutes" in right.content.decode()


def test_signing_out_is_a_post(ann: Client) -> None:
    assert ann.get("/account/sign-out/").status_code == 405
    assert ann.post("/account/sign-out/")["Location"] == "/board/"
    assert ann.get("/account/").status_code == 302


def test_a_token_is_shown_once_works_and_can_be_revoked(ann: Client, site: Site) -> None:
    answer = ann.post("/account/tokens/", {"name": "laptop"})
    (token,) = re.findall(r"plb_[\w-]{20,}", answer.content.decode())
    assert "no-store" in answer["Cache-Control"]
    assert services.user_of_token(token=token) == site.users["ann"]
    page = ann.get("/account/").content.decode()
    assert token not in page
    prefix = services.my_tokens(user=site.users["ann"])[0]["prefix"]
    assert prefix in page
    ann.post(f"/account/tokens/{prefix}/revoke/")
    assert services.user_of_token(token=token) is None
    assert "Revoked" in ann.get("/account/").content.decode()


def test_a_token_wants_a_name(ann: Client) -> None:
    answer = ann.post("/account/tokens/", {"name": " "})
    assert answer.status_code == 400
    assert "Give the token a name" in answer.content.decode()


def test_anothers_token_is_as_missing_as_none(ann: Client, site: Site) -> None:
    services.issue_token(user=site.users["ben"], name="mine")
    prefix = services.my_tokens(user=site.users["ben"])[0]["prefix"]
    assert ann.post(f"/account/tokens/{prefix}/revoke/").status_code == 404
