"""One S3 server in a folder, on the loopback interface, that checks every signature.

For tests and trials: it comes from the development group, and no site depends on it.
"""

from __future__ import annotations

import importlib.util
import os
import secrets
import sys
from pathlib import Path
from urllib.parse import quote

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from infra import processes
from infra.processes import Child, StartFailed

REGION = "us-east-1"
BUCKET = "plumbline"


class EmbeddedObjectStore:
    """A nanio server that lives in `folder` and ends with this process.

    Objects, parts of uploads, address and keys stay the same when it is stopped or
    killed and started again.

    Attributes:
        endpoint: where it listens.
        environment: the keys of its only user, as processes want them.
    """

    def __init__(self, folder: Path, *, log: Path) -> None:
        if importlib.util.find_spec("nanio") is None:
            raise StartFailed("no S3 server found: install the development group")
        self.folder = folder.resolve()
        self.log = log
        self.child: Child | None = None
        self._port = processes.free_port()
        self.endpoint = f"http://127.0.0.1:{self._port}"
        self.environment = {
            "AWS_ACCESS_KEY_ID": f"plumbline{secrets.token_hex(6)}",
            "AWS_SECRET_ACCESS_KEY": secrets.token_urlsafe(30),
        }

    def store_url(self, prefix: str, *, endpoint: str = "") -> str:
        """The address of a store under `prefix`, as PLUMBLINE_STORE_… wants it.

        Args:
            endpoint: another way to the server, such as a proxy before it.
        """
        where = quote(endpoint or self.endpoint, safe=":/")
        return f"s3://{BUCKET}/{prefix}?endpoint={where}&region={REGION}"

    def start(self) -> Child:
        """Start the server and wait until it answers with its bucket.

        Raises:
            StartFailed: with the reason and the end of the log.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        where = ("--data-dir", self.folder, "--host", "127.0.0.1", "--port", str(self._port))
        manners = ("--region", REGION, "--no-access-log", "--log-level", "warning")
        self.child = processes.start(
            "object-store",
            [sys.executable, "-m", "nanio", "serve", *where, *manners],
            log=self.log,
            environment={
                "PATH": os.environ.get("PATH", os.defpath),
                "NANIO_ACCESS_KEY": self.environment["AWS_ACCESS_KEY_ID"],
                "NANIO_SECRET_KEY": self.environment["AWS_SECRET_ACCESS_KEY"],
            },
            folder=self.folder,
        )
        processes.wait_until(self._answers, child=self.child, within=30, what="the object store")
        return self.child

    def stop(self, *, within: float = 3.0) -> None:
        """End the server; with 0 seconds, as kill -9 does."""
        if self.child is not None:
            processes.stop([self.child], within=within)
            self.child = None

    def _answers(self) -> bool:
        client = boto3.Session().client(
            "s3",
            endpoint_url=self.endpoint,
            region_name=REGION,
            aws_access_key_id=self.environment["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=self.environment["AWS_SECRET_ACCESS_KEY"],
            config=Config(connect_timeout=1, read_timeout=3, retries={"total_max_attempts": 1}),
        )
        try:
            client.create_bucket(Bucket=BUCKET)
        except ClientError as error:
            return error.response["Error"]["Code"] == "BucketAlreadyOwnedByYou"
        except BotoCoreError:
            return False
        return True
