"""A store in an S3 bucket, or anything that speaks its protocol."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from datetime import timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, BinaryIO, cast
from urllib.parse import parse_qs, urlsplit

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from portal.exchange.direct import checked_key
from portal.exchange.s3_direct import S3DirectUploads
from portal.exchange.s3_faults import faults_named
from portal.exchange.storage import OldFile, Stored, StoreDamaged, StoreError, StoreMissing
from portal.exchange.streams import as_file, checked_digest, copy, verify

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

NOTHING = "no-such-file"  # asked for to learn whether the bucket answers
OURS = re.compile(r"[0-9a-f]{2}/([0-9a-f]{64})\Z|(direct/[0-9a-f-]{36})\Z")


class S3Store:
    """Objects `prefix/ab/abcd…` of one bucket. Credentials come the usual AWS ways."""

    def __init__(
        self,
        client: S3Client,
        bucket: str,
        prefix: str,
        *,
        signer: S3Client | None = None,
        probe: S3Client | None = None,
    ) -> None:
        self._client = client
        self._probe = probe or client
        self._bucket = bucket
        self._prefix = f"{prefix}/" if prefix else ""
        self.direct = S3DirectUploads(client, signer or client, bucket, self._prefix)

    @classmethod
    def at(cls, url: str) -> S3Store:
        """The store at `s3://bucket/prefix?endpoint=https://…&region=…`.

        `public_endpoint=` is the address under which the world knows the store, where
        this process knows it by another.
        """
        parts = urlsplit(url)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        # A session of its own: the one that boto3 shares keeps the first keys it saw.
        session = boto3.Session(region_name=query.get("region"))
        client = _client(session, query.get("endpoint"))
        signer = _client(session, public) if (public := query.get("public_endpoint")) else None
        probe = _client(session, query.get("endpoint"), is_quick=True)
        return cls(client, parts.netloc, parts.path.strip("/"), signer=signer, probe=probe)

    def put(self, source: bytes | BinaryIO, *, max_bytes: int | None = None) -> Stored:
        # The key is the digest, so the content passes a temporary file first.
        with faults_named("write", "that arrives"), tempfile.TemporaryFile() as arriving:
            stored = copy(as_file(source), cast(BinaryIO, arriving), max_bytes=max_bytes)
            arriving.seek(0)
            try:
                self._client.upload_fileobj(arriving, self._bucket, self._place(stored.digest))
            except ClientError:
                # A store may refuse to write again what it holds; its bytes are what counts.
                if not self._holds(stored):
                    raise
        return stored

    def get(self, digest: str) -> bytes:
        with self.open(digest) as file:
            return file.read()

    def open(self, digest: str, *, key: str = "", n_bytes: int | None = None) -> BinaryIO:
        place = f"{self._prefix}{checked_key(key)}" if key else self._place(digest)
        file = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115  # the caller closes it
        try:
            with faults_named("read", digest):
                if n_bytes is not None:
                    self._check_size(place, n_bytes)
                self._client.download_fileobj(self._bucket, place, file)
                verify(file, digest)
        except BaseException:
            file.close()
            raise
        return file

    def exists(self, digest: str) -> bool:
        try:
            with faults_named("look", digest):
                self._client.head_object(Bucket=self._bucket, Key=self._place(digest))
        except StoreMissing:
            return False
        return True

    def is_reachable(self) -> bool:
        try:
            # An answer with a body, which HEAD has not: no such bucket is not no such file.
            self._probe.get_object(Bucket=self._bucket, Key=f"{self._prefix}{NOTHING}")
        except ClientError as error:
            # Whoever may not list a bucket is denied what is not in it.
            return error.response.get("Error", {}).get("Code", "") in {"NoSuchKey", "AccessDenied"}
        except (BotoCoreError, OSError):
            return False
        return True

    def old_files(self, *, seconds: float) -> Iterator[OldFile]:
        pages = self._client.get_paginator("list_objects_v2").paginate(
            Bucket=self._bucket, Prefix=self._prefix
        )
        with faults_named("list", "at all"):
            for page in pages:
                now = parsedate_to_datetime(page["ResponseMetadata"]["HTTPHeaders"]["date"])
                for found in page.get("Contents", []):
                    # What else lies in the bucket is not ours to judge.
                    ours = OURS.match(found["Key"].removeprefix(self._prefix))
                    if ours and found["LastModified"] <= now - timedelta(seconds=seconds):
                        yield OldFile(key=ours[1] or ours[2], n_bytes=found["Size"])

    def delete(self, key: str) -> None:
        place = f"{self._prefix}{checked_key(key)}" if "/" in key else self._place(key)
        with faults_named("delete", key):
            self._client.delete_object(Bucket=self._bucket, Key=place)

    def _holds(self, stored: Stored) -> bool:
        """Whether the file lies there whole."""
        try:
            self.open(stored.digest, n_bytes=stored.n_bytes).close()
        except StoreError:
            return False
        return True

    def _check_size(self, place: str, n_bytes: int) -> None:
        found = self._client.head_object(Bucket=self._bucket, Key=place)["ContentLength"]
        if found != n_bytes:
            raise StoreDamaged(f"the stored file has {found} bytes, not {n_bytes}")

    def _place(self, digest: str) -> str:
        return f"{self._prefix}{checked_digest(digest)[:2]}/{digest}"


def _client(session: boto3.Session, endpoint: str | None, *, is_quick: bool = False) -> S3Client:
    return session.client(
        "s3",
        endpoint_url=endpoint,
        config=Config(
            signature_version="s3v4",
            connect_timeout=1 if is_quick else 3,
            read_timeout=1 if is_quick else 20,
            retries={"mode": "standard", "total_max_attempts": 1 if is_quick else 5},
            # Every file is checked by its SHA-256 here; not all stores know the newer sums.
            request_checksum_calculation="when_required",
        ),
    )
