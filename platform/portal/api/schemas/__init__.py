"""What the API says, field by field. Nothing that is not named here leaves the house.

Additions are free; renaming or changing a meaning needs a new version of the API.
"""

from __future__ import annotations

from portal.api.schemas.boards import BoardOut, ComparisonOut, SystemOut
from portal.api.schemas.catalogue import BenchmarkOut, BenchmarksOut, VersionDetailOut
from portal.api.schemas.common import ProblemOut
from portal.api.schemas.site import (
    CredentialsIn,
    HealthOut,
    MeOut,
    ProblemDocument,
    ProblemKindsOut,
    QuotaOut,
    ReadyOut,
    TokenOut,
    TokensOut,
)
from portal.api.schemas.status import StatusOut
from portal.api.schemas.submissions import AcceptedOut, SubmissionOut, SubmissionsOut
from portal.api.schemas.uploads import UploadIn, UploadOut

__all__ = [
    "AcceptedOut",
    "BenchmarkOut",
    "BenchmarksOut",
    "BoardOut",
    "ComparisonOut",
    "CredentialsIn",
    "HealthOut",
    "MeOut",
    "ProblemDocument",
    "ProblemKindsOut",
    "ProblemOut",
    "QuotaOut",
    "ReadyOut",
    "StatusOut",
    "SubmissionOut",
    "SubmissionsOut",
    "SystemOut",
    "TokenOut",
    "TokensOut",
    "UploadIn",
    "UploadOut",
    "VersionDetailOut",
]
