"""A file on its way straight to the store, as its sender sees it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from ninja import Schema
from pydantic import Field


class UploadIn(Schema):
    benchmark: str = Field(max_length=200, description="A name, or `name@version`.")
    track: str = Field(max_length=100)
    file_digest: str = Field(
        pattern=r"^[0-9a-f]{64}$", description="SHA-256 of the file; checked when it is scored."
    )
    file_bytes: int = Field(gt=0, le=2**53)
    file_name: str = Field(default="", max_length=1000, description="A label, never a path.")


class PartOut(Schema):
    number: int = Field(description="From 1.")
    n_bytes: int


class MissingPartOut(PartOut):
    url: str = Field(
        description="Takes the bytes by PUT within an hour. Send no token or cookie there."
    )


class UploadOut(Schema):
    id: UUID
    state: Literal["open", "used", "ended"]
    benchmark: str = Field(description="`name@version`.")
    track: str
    file_name: str
    file_digest: str
    file_bytes: int
    part_bytes: int = Field(description="Of each part but the last.")
    n_parts: int
    parts: list[PartOut] = Field(description="Those that the store has in full.")
    missing: list[MissingPartOut] = Field(description="The first that it has not.")
    n_missing: int
    is_known: bool = Field(
        description="The same answers were submitted before: submit without sending a part."
    )
    submission: UUID | None = Field(description="That has used the upload.")
    created_at: datetime
    expires_at: datetime = Field(description="What is still open then is ended.")
