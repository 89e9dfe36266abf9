"""How an upload comes in: into a temporary file, and no further than the limit."""

from __future__ import annotations

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import TemporaryFileUploadHandler


class CappedUpload(TemporaryFileUploadHandler):
    """Stops reading at MAX_UPLOAD_BYTES, whatever Content-Length said."""

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes | None:
        if start + len(raw_data) > settings.MAX_UPLOAD_BYTES:
            raise RequestDataTooBig(f"a file may have {settings.MAX_UPLOAD_BYTES} bytes at most")
        return super().receive_data_chunk(raw_data, start)
