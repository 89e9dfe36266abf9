"""A store in an S3 bucket, or anything that speaks its protocol."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, BinaryIO, cast
from urllib.parse import parse_qs, urlsplit

import boto3
from boto3.exceptions import Boto3Error
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from portal.exchange.storage import Stored, StoreMissing, StoreUnavailable
from portal.exchange.streams import as_file, checked_digest, copy, verify

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_FAULTS = (BotoCoreError, Boto3Error, ClientError, OSError)
_MISSING = {"404", "NoSuchKey", "NotFound"}


class S3Store:
    """Objects `prefix/ab/abcd…` of one bucket. Credentials come the usual AWS ways."""

    def __init__(self, client: S3Client, bucket: str, prefix: str) -> None:
        self._client = client
        self._bucket = bucket
        self._prefix = f"{prefix}/" if prefix else ""

    @classmethod
    def at(cls, url: str) -> S3Store:
        """The store at `s3://bucket/prefix?endpoint=https://…&region=…`."""
        parts = urlsplit(url)
        query = parse_qs(parts.query)
        # A session of its own: the one that boto3 shares keeps the first keys it saw.
        client = boto3.Session().client(
            "s3",
            endpoint_url=query.get("endpoint", [None])[0],
            region_name=query.get("region", [None])[0],
            config=Config(
                connect_timeout=3,
                read_timeout=20,
                retries={"mode": "standard", "total_max_attempts": 5},
            ),
        )
        return cls(client, parts.netloc, parts.path.strip("/"))

    def put(self, source: bytes | BinaryIO, *, max_bytes: int | None = None) -> Stored:
        # The key is the digest, so the content passes a temporary file first.
        with tempfile.TemporaryFile() as arriving:
            stored = copy(as_file(source), cast(BinaryIO, arriving), max_bytes=max_bytes)
            arriving.seek(0)
            try:
                self._client.upload_fileobj(arriving, self._bucket, self._key(stored.digest))
            except _FAULTS as error:
                raise StoreUnavailable(f"cannot write: {type(error).__name__}") from error
        return stored

    def get(self, digest: str) -> bytes:
        with self.open(digest) as file:
            return file.read()

    def open(self, digest: str) -> BinaryIO:
        file = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115  # the caller closes it
        try:
            self._client.download_fileobj(self._bucket, self._key(digest), file)
            verify(file, digest)
        except ClientError as error:
            file.close()
            raise _fault(error, digest) from error
        except _FAULTS as error:
            file.close()
            raise StoreUnavailable(f"cannot read: {type(error).__name__}") from error
        except BaseException:
            file.close()
            raise
        return file

    def exists(self, digest: str) -> bool:
        try:
            self._client.head_object(Bucket=self._bucket, Key=self._key(digest))
        except ClientError as error:
            fault = _fault(error, digest)
            if isinstance(fault, StoreMissing):
                return False
            raise fault from error
        except _FAULTS as error:
            raise StoreUnavailable(f"cannot look: {type(error).__name__}") from error
        return True

    def _key(self, digest: str) -> str:
        return f"{self._prefix}{checked_digest(digest)[:2]}/{digest}"


def _fault(error: ClientError, digest: str) -> StoreMissing | StoreUnavailable:
    code = error.response.get("Error", {}).get("Code", "")
    if code in _MISSING:
        return StoreMissing(f"no file {digest[:12]}…")
    return StoreUnavailable(f"the store answers {code or 'an error'}")
