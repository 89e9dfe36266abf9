"""What a bucket answers, in the words of `storage`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from boto3.exceptions import Boto3Error
from botocore.exceptions import BotoCoreError, ClientError

from portal.exchange.storage import (
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreMissing,
    StoreUnavailable,
    is_out_of_room,
)

MISSING = frozenset({"404", "NoSuchKey", "NotFound", "NoSuchUpload"})
CHANGED = frozenset({"InvalidPart", "InvalidPartOrder", "EntityTooSmall"})
FULL = frozenset({"507", "InsufficientStorage", "QuotaExceeded", "XMinioStorageFull"})


@contextmanager
def faults_named(step: str, name: str) -> Iterator[None]:
    """Raise what goes wrong in the block as an error of the store.

    Args:
        step: what is tried, as in "cannot write".
        name: the digest or key that it is about.
    """
    try:
        yield
    except ClientError as error:
        raise _answered(error.response.get("Error", {}).get("Code", ""), name) from error
    except (BotoCoreError, Boto3Error, OSError) as error:
        # The file passes this machine's own disk on its way.
        is_full = isinstance(error, OSError) and is_out_of_room(error)
        kind = StoreFull if is_full else StoreUnavailable
        raise kind(f"cannot {step}: {type(error).__name__}") from error


def _answered(code: str, name: str) -> StoreError:
    if code in MISSING:
        return StoreMissing(f"no file {name[:19]}…")
    if code in CHANGED:
        return StoreDamaged(f"a part of {name[:19]}… is not what it was")
    if code in FULL:
        return StoreFull(f"the store answers {code}")
    return StoreUnavailable(f"the store answers {code or 'an error'}")
