"""How an upload comes in: whole, into a temporary file, and no further than the limit."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, BinaryIO

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.http import HttpRequest
from django.http.multipartparser import MultiPartParserError
from django.utils.http import parse_header_parameters

MAX_BOUNDARY = 70  # characters, RFC 2046
EPILOGUE_BYTES = 1024  # what may stand behind the end of a form


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


class WholeForms(HttpRequest):
    """A request whose form with a file is whole, or is refused.

    Django reads a form that was cut off as far as it goes. Forms without a file, such
    as those of the admin, come another way and may have more fields.
    """

    # Any: Django's own signature, and the type of what it returns.
    def parse_file_upload(self, META: Any, post_data: Any) -> Any:  # noqa: N803
        _, named = parse_header_parameters(META.get("CONTENT_TYPE", ""))
        boundary = named.get("boundary", "")
        if not 0 < len(boundary) <= MAX_BOUNDARY:
            raise MultiPartParserError("the boundary of the form is missing or too long")
        body = _Tail(post_data, EPILOGUE_BYTES + len(boundary))
        fields, files = super().parse_file_upload(META, body)  # type: ignore[arg-type]  # readable
        fault: Exception | None = None
        if f"--{boundary}--".encode("latin-1") not in body.tail:
            fault = MultiPartParserError("the form was cut off")
        elif sum(len(values) for _, values in fields.lists()) > settings.MAX_UPLOAD_FIELDS:
            fault = TooManyFieldsSent(f"at most {settings.MAX_UPLOAD_FIELDS} fields go with a file")
        if fault is None:
            return fields, files
        for _, opened in files.lists():
            for file in opened:
                file.close()
        raise fault


class _Tail:
    """A file to read, which remembers the last bytes that were read."""

    def __init__(self, file: BinaryIO, n_bytes: int) -> None:
        self._file = file
        self._n_bytes = n_bytes
        self.tail = b""

    def read(self, n_bytes: int = -1) -> bytes:
        data = self._file.read(n_bytes)
        self.tail = (self.tail + data[-self._n_bytes :])[-self._n_bytes :]
        return data
