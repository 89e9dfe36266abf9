"""How an upload comes in: into a temporary file, and no further than the limit."""

from __future__ import annotations

from contextlib import suppress

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import TemporaryFileUploadHandler


class CappedUpload(TemporaryFileUploadHandler):
    """Stops reading at MAX_UPLOAD_BYTES, whatever Content-Length said.

    Where it stops, or the disk is full, the temporary file goes at once.
    """

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes | None:
        try:
            if start + len(raw_data) > settings.MAX_UPLOAD_BYTES:
                most = f"a file may have {settings.MAX_UPLOAD_BYTES} bytes at most"
                raise RequestDataTooBig(most)
            return super().receive_data_chunk(raw_data, start)
        except (RequestDataTooBig, OSError):
            with suppress(OSError):  # closing writes what was held back
                self.file.close()
            raise
