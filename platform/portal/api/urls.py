"""The API under /api/v1: HTTP in, HTTP out. Everything else is `portal.services`."""

from __future__ import annotations

from portal.api import account, benchmarks, boards, site, submissions, uploads
from portal.api.openapi import DescribedAPI
from portal.api.problems import answer_in_problems, refusing_methods

api = DescribedAPI(
    title="Plumbline",
    version="1",
    description=(
        "Boards with honest error bars, and the road of a predictions file to its score. "
        "Refusals are application/problem+json with a stable `code`."
    ),
    urls_namespace="api",
)
answer_in_problems(api)
for part in (benchmarks, boards, submissions, uploads, account, site):
    api.add_router("", part.router)

urlpatterns = api.urls[0]
for pattern in urlpatterns:
    if pattern.callback is not None:
        pattern.callback = refusing_methods(pattern.callback)
app_name = "api"
