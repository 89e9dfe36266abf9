"""Multipart uploads to a bucket, by addresses that are signed here and used elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from portal.exchange.direct import ADDRESS_SECONDS, Part, checked_key
from portal.exchange.s3_faults import faults_named
from portal.exchange.storage import StoreMissing

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class S3DirectUploads:
    """Objects `prefix/direct/<id>` of one bucket.

    Args:
        client: asks the store.
        signer: signs addresses for others, who may know the store by another name.
    """

    def __init__(self, client: S3Client, signer: S3Client, bucket: str, prefix: str) -> None:
        self._client = client
        self._signer = signer
        self._bucket = bucket
        self._prefix = prefix

    def begin(self, key: str) -> str:
        with faults_named("begin", key):
            begun = self._client.create_multipart_upload(
                Bucket=self._bucket, Key=self._place(key), ContentType="application/octet-stream"
            )
        return begun["UploadId"]

    def addresses(self, key: str, upload: str, numbers: Sequence[int]) -> list[str]:
        named = {"Bucket": self._bucket, "Key": self._place(key), "UploadId": upload}
        return [
            self._signer.generate_presigned_url(
                "upload_part", Params={**named, "PartNumber": number}, ExpiresIn=ADDRESS_SECONDS
            )
            for number in numbers
        ]

    def parts(self, key: str, upload: str) -> list[Part]:
        pages = self._client.get_paginator("list_parts").paginate(
            Bucket=self._bucket, Key=self._place(key), UploadId=upload
        )
        with faults_named("look", key):
            return [
                Part(number=part["PartNumber"], n_bytes=part["Size"], tag=part["ETag"])
                for page in pages
                for part in page.get("Parts", [])
            ]

    def complete(self, key: str, upload: str, parts: Sequence[Part]) -> None:
        listed = [{"PartNumber": part.number, "ETag": part.tag} for part in parts]
        with faults_named("complete", key):
            self._client.complete_multipart_upload(
                Bucket=self._bucket,
                Key=self._place(key),
                UploadId=upload,
                MultipartUpload={"Parts": listed},  # type: ignore[typeddict-item]  # a TypedDict of the stubs
            )

    def abort(self, key: str, upload: str) -> None:
        try:
            with faults_named("end", key):
                self._client.abort_multipart_upload(
                    Bucket=self._bucket, Key=self._place(key), UploadId=upload
                )
        except StoreMissing:
            pass

    def n_bytes(self, key: str) -> int:
        with faults_named("look", key):
            return self._client.head_object(Bucket=self._bucket, Key=self._place(key))[
                "ContentLength"
            ]

    def head(self, key: str, n_bytes: int) -> bytes:
        with faults_named("read", key):
            answer = self._client.get_object(
                Bucket=self._bucket, Key=self._place(key), Range=f"bytes=0-{n_bytes - 1}"
            )
            return answer["Body"].read()

    def _place(self, key: str) -> str:
        return f"{self._prefix}{checked_key(key)}"
