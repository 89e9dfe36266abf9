"""Submitting, and what becomes of it: for the signed in, and only their own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, BinaryIO, TypedDict, cast
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from ninja import File, Form, Header, Router, Status
from ninja.files import UploadedFile

from portal import services
from portal.accounts.models import User
from portal.api.auth import SIGNED_IN, user_of
from portal.api.schemas import AcceptedOut, SubmissionOut, SubmissionsOut
from portal.api.uploads import upload_id
from portal.errors import PolicyRefused, SubmissionNotFound
from portal.services import SubmissionDocument

router = Router(tags=["submissions"], auth=SIGNED_IN)

MAX_FACETS = 2_000  # characters


class Asked(TypedDict):
    """What is asked for, but for the file."""

    user: User
    benchmark: str
    track: str
    system: str
    publish: bool
    facets: Mapping[str, str]
    url: str
    idempotency_key: str | None


@router.post("/submissions", response={200: AcceptedOut, 202: AcceptedOut})
def submit(
    request: HttpRequest,
    response: HttpResponse,
    benchmark: Form[str],
    track: Form[str],
    system: Form[str],
    file: File[UploadedFile | None] = None,
    upload: Form[str] = "",
    publish: Form[bool] = False,
    facets: Form[str] = "",
    url: Form[str] = "",
    idempotency_key: Annotated[str | None, Header(alias="Idempotency-Key")] = None,
) -> Status[dict[str, Any]]:
    """Hand in a predictions file: 202 and an id at once, the score or all faults soon after.

    The file comes in the form, or as the id of an `upload` that went straight to the store.
    `benchmark` is a name or `name@version`, `facets` a JSON object of texts.
    The same Idempotency-Key, or the same answers again, give the earlier submission (200);
    where `publish` asks for it, the same answers of the same system are published.
    """
    asked: Asked = {
        "user": user_of(request),
        "benchmark": benchmark,
        "track": track,
        "system": system,
        "publish": publish,
        "facets": _facets(facets),
        "url": url,
        "idempotency_key": idempotency_key,
    }
    if file is not None and not upload:
        accepted = services.submit_predictions(
            **asked, file=_binary(file), file_name=file.name or ""
        )
    elif upload and file is None:
        accepted = services.submit_upload(**asked, upload_id=upload_id(upload))
    else:
        raise PolicyRefused(
            "Send either a `file` or the id of an `upload`, and not both.", code="policy.no_file"
        )
    address = f"/api/v1/submissions/{accepted.id}"
    response["Location"] = address
    return Status(
        202 if accepted.is_new else 200,
        {
            "id": accepted.id,
            "state": accepted.submission["state"],
            "url": address,
            "is_new": accepted.is_new,
            "duplicate_of": accepted.duplicate_of,
            "is_published_now": accepted.is_published_now,
            "submission": accepted.submission,
        },
    )


@router.get("/submissions", response=SubmissionsOut)
def submissions(request: HttpRequest) -> dict[str, Any]:
    """The submissions of your teams, latest first, with their headline scores."""
    return {"submissions": services.my_submissions(user=user_of(request))}


@router.get("/submissions/{id}", response=SubmissionOut)
def submission(request: HttpRequest, id: str) -> SubmissionDocument:
    """One of your submissions: state, place in the queue, progress, problems or scores."""
    return services.submission_state(user=user_of(request), submission_id=_id(id))


@router.post("/submissions/{id}/publish", response=SubmissionOut)
def publish(request: HttpRequest, id: str) -> SubmissionDocument:
    """Let its row stand on the board."""
    return services.publish_submission(user=user_of(request), submission_id=_id(id))


@router.post("/submissions/{id}/withdraw", response=SubmissionOut)
def withdraw(request: HttpRequest, id: str) -> SubmissionDocument:
    """Take its row off the board, for good; the history stays."""
    return services.withdraw_submission(user=user_of(request), submission_id=_id(id))


def _binary(file: UploadedFile) -> BinaryIO:
    """The temporary file that the upload streamed into, at its start."""
    if file.file is None:
        raise PolicyRefused("The field `file` holds no file.", code="policy.no_file")
    file.file.seek(0)
    return cast(BinaryIO, file.file)


def _id(text: str) -> UUID:
    """The id; what is none of ours is missing, like any other."""
    try:
        return UUID(text)
    except ValueError:
        raise SubmissionNotFound("There is no such submission among yours.") from None


def _facets(text: str) -> dict[str, str]:
    """A JSON object of texts, as the form carries it."""
    if not text:
        return {}
    refused = PolicyRefused(
        'Facets are a JSON object of texts, such as {"kind": "vlm-zero-shot"}.',
        code="policy.facets",
    )
    if len(text) > MAX_FACETS:
        raise refused
    try:
        facets = json.loads(text)
    except (ValueError, RecursionError):
        raise refused from None
    is_plain = isinstance(facets, dict) and all(isinstance(v, str) for v in facets.values())
    if not is_plain:
        raise refused
    return dict(facets)
