"""Addresses of the pages for people."""

from __future__ import annotations

from django.urls import path
from django.views.generic import RedirectView

from portal.site.views import account, benchmarks, help, status, submissions, submit

app_name = "site"

urlpatterns = [
    path("", RedirectView.as_view(url="/board/"), name="home"),
    path("submit/", submit.SubmitPage.as_view(), name="submit"),
    path("submissions/", submissions.mine, name="submissions"),
    path("submissions/<uuid:submission_id>/", submissions.detail, name="submission"),
    path(
        "submissions/<uuid:submission_id>/publish/",
        submissions.publish,
        name="submission-publish",
    ),
    path(
        "submissions/<uuid:submission_id>/withdraw/",
        submissions.withdraw,
        name="submission-withdraw",
    ),
    path("status/", status.status, name="status"),
    path("help/codes/", help.codes, name="codes"),
    path("account/", account.account, name="account"),
    path("account/sign-in/", account.SignIn.as_view(), name="sign-in"),
    path("account/sign-up/", account.sign_up, name="sign-up"),
    path("account/sign-out/", account.SignOut.as_view(), name="sign-out"),
    path("account/tokens/", account.make_token, name="tokens"),
    path("account/tokens/<str:prefix>/revoke/", account.revoke_token, name="token-revoke"),
    path("benchmarks/", benchmarks.index, name="benchmarks"),
    path("benchmarks/<slug:name>/", benchmarks.detail, name="benchmark"),
    path("benchmarks/<slug:name>/<str:version>/", benchmarks.detail, name="benchmark-version"),
]
