"""My submissions, and the page of one with its live state."""

from __future__ import annotations

from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from portal import services
from portal.site.addresses import system_address
from portal.site.requests import live_page, person
from portal.site.scores import score_tables
from portal.site.states import announcement, is_settled, record

HERE = {"here": "submissions"}


@login_required
@require_GET
def mine(request: HttpRequest) -> HttpResponse:
    """All submissions of one's team, the latest first."""
    submissions = services.my_submissions(user=person(request))
    return live_page(
        request,
        "site/submissions/list.html",
        "site/submissions/_rows.html",
        {**HERE, "submissions": submissions},
        is_settled=all(is_settled(submission) for submission in submissions),
    )


@login_required
@require_GET
def detail(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    """One submission: its state, then its scores or its problems."""
    submission = services.submission_state(user=person(request), submission_id=submission_id)
    name, version, track = submission["benchmark"], submission["version"], submission["track"]
    edition = services.version_detail(name=name, version=version)
    again = urlencode({"benchmark": f"{name}@{version}", "track": track})
    return live_page(
        request,
        "site/submissions/detail.html",
        "site/submissions/_detail.html",
        {
            **HERE,
            "submission": submission,
            "tables": score_tables(submission["scores"], family=edition["family"]),
            "n_questions": next(t["n_questions"] for t in edition["tracks"] if t["slug"] == track),
            "level": edition["bootstrap"]["level"],
            "record": record(submission),
            "announcement": announcement(submission),
            "board_url": system_address(name, version, track, submission["system"]["slug"]),
            "submit_again_url": f"{reverse('site:submit')}?{again}",
            "was_sent_before": "again" in request.GET,
            "was_published_now": request.GET.get("again") == "published",
        },
        is_settled=is_settled(submission),
    )


@login_required
@require_POST
def publish(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    services.publish_submission(user=person(request), submission_id=submission_id)
    messages.success(request, "Published. The board shows the row within seconds.")
    return redirect("site:submission", submission_id)


@login_required
@require_POST
def withdraw(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    services.withdraw_submission(user=person(request), submission_id=submission_id)
    messages.success(request, "Withdrawn. The row leaves the board within seconds.")
    return redirect("site:submission", submission_id)
