"""Files beyond the form's limit: begin, send the parts to the store, submit by the id."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from ninja import Router, Status

from portal import services
from portal.api.auth import SIGNED_IN, user_of
from portal.api.schemas import UploadIn, UploadOut
from portal.errors import UploadNotFound
from portal.services import UploadDocument

router = Router(tags=["uploads"], auth=SIGNED_IN)


@router.post("/uploads", response=UploadOut)
def begin_upload(request: HttpRequest, response: HttpResponse, wanted: UploadIn) -> UploadDocument:
    """Begin to send a file straight to the store, or go on with one that was begun before.

    PUT the bytes of each part in `missing` to its address, ask again until none is
    missing, then post a submission that names this id as `upload`.
    """
    upload = services.begin_upload(
        user=user_of(request),
        benchmark=wanted.benchmark,
        track=wanted.track,
        file_digest=wanted.file_digest,
        file_bytes=wanted.file_bytes,
        file_name=wanted.file_name,
    )
    response["Location"] = f"/api/v1/uploads/{upload['id']}"
    return upload


@router.get("/uploads/{id}", response=UploadOut)
def upload(request: HttpRequest, id: str) -> UploadDocument:
    """One of your uploads: what has arrived, and fresh addresses for what has not."""
    return services.upload_state(user=user_of(request), upload_id=upload_id(id))


@router.delete("/uploads/{id}", response={204: None})
def end_upload(request: HttpRequest, id: str) -> Status[None]:
    """Forget an upload and what has arrived of it. Ending it twice does no harm."""
    services.end_upload(user=user_of(request), upload_id=upload_id(id))
    return Status(204, None)


def upload_id(text: str) -> UUID:
    """The id; what is none of ours is missing, like any other."""
    try:
        return UUID(text)
    except ValueError:
        raise UploadNotFound("There is no such upload among yours.") from None
