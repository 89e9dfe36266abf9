"""The one door of the portal: whole use cases by name.

Keyword arguments in, domain values or documents of the API out. Views, API and
worker import from here and from nowhere deeper.
"""

from __future__ import annotations

from portal.evaluations import failures
from portal.evaluations.presence import HOUSEKEEPING, Present
from portal.leaderboard.documents import Document
from portal.leaderboard.material import Material, MaterialRow, Place, Standing
from portal.services.accounts import issue_token, my_tokens, revoke_token, team_names, user_of_token
from portal.services.alerts import mail_alerts
from portal.services.boards import (
    board_age,
    board_document,
    board_is_settled,
    board_material,
    board_stage,
    board_table,
    comparison,
    has_first_look,
    sole_builder,
    stale_boards,
    store_board,
    store_comparisons,
    stored_pairs,
    system_detail,
)
from portal.services.bundles import load_bundle
from portal.services.canaries import make_canaries, prune_canaries, send_canaries
from portal.services.catalogue import (
    benchmark_detail,
    example_predictions,
    list_benchmarks,
    questions_file,
    version_detail,
)
from portal.services.database_role import GrantedRole, RoleRefused, grant_application_role
from portal.services.health import health
from portal.services.intervals import (
    begin_intervals,
    extend_intervals_lease,
    record_intervals,
    release_intervals,
    renew_intervals,
    unheard_intervals,
)
from portal.services.likeness import (
    Alike,
    ComparisonBrief,
    begin_comparison,
    record_comparison,
)
from portal.services.metrics import metrics_text
from portal.services.orphans import sweep_uploads
from portal.services.presence import announce_presence, list_present, withdraw_presence
from portal.services.quotas import QuotaDocument, my_quota
from portal.services.ready import ReadyDocument, readiness
from portal.services.scoring import (
    begin_scoring,
    extend_lease,
    record_failure,
    record_rejection,
    record_scorecard,
    report_progress,
)
from portal.services.signing_in import sign_in
from portal.services.standstill import watch_queues
from portal.services.status import site_status
from portal.services.status_documents import StatusDocument
from portal.services.submissions import (
    my_submissions,
    my_systems,
    publish_submission,
    submission_state,
    withdraw_submission,
)
from portal.services.submitting import submit_predictions, submit_upload
from portal.services.sweeping import letters_lying, ring_for_boards, ring_for_comparisons, sweep
from portal.services.uploads import (
    UploadDocument,
    begin_upload,
    end_upload,
    upload_limits,
    upload_state,
)
from portal.services.values import (
    Accepted,
    BenchmarkDocument,
    HealthDocument,
    IntervalsBrief,
    LoadedVersion,
    ScoringBrief,
    SubmissionDocument,
    Swept,
    SweptUploads,
    VersionDetail,
)
from portal.services.versions import close_version, open_version, set_quota, version_id
from portal.services.watching import CanaryState, canaries, watch_canaries

__all__ = [
    "HOUSEKEEPING",
    "Accepted",
    "Alike",
    "BenchmarkDocument",
    "CanaryState",
    "ComparisonBrief",
    "Document",
    "GrantedRole",
    "HealthDocument",
    "IntervalsBrief",
    "LoadedVersion",
    "Material",
    "MaterialRow",
    "Place",
    "Present",
    "QuotaDocument",
    "ReadyDocument",
    "RoleRefused",
    "ScoringBrief",
    "Standing",
    "StatusDocument",
    "SubmissionDocument",
    "Swept",
    "SweptUploads",
    "UploadDocument",
    "VersionDetail",
    "announce_presence",
    "begin_comparison",
    "begin_intervals",
    "begin_scoring",
    "begin_upload",
    "benchmark_detail",
    "board_age",
    "board_document",
    "board_is_settled",
    "board_material",
    "board_stage",
    "board_table",
    "canaries",
    "close_version",
    "comparison",
    "end_upload",
    "example_predictions",
    "extend_intervals_lease",
    "extend_lease",
    "failures",
    "grant_application_role",
    "has_first_look",
    "health",
    "issue_token",
    "letters_lying",
    "list_benchmarks",
    "list_present",
    "load_bundle",
    "mail_alerts",
    "make_canaries",
    "metrics_text",
    "my_quota",
    "my_submissions",
    "my_systems",
    "my_tokens",
    "open_version",
    "prune_canaries",
    "publish_submission",
    "questions_file",
    "readiness",
    "record_comparison",
    "record_failure",
    "record_intervals",
    "record_rejection",
    "record_scorecard",
    "release_intervals",
    "renew_intervals",
    "report_progress",
    "revoke_token",
    "ring_for_boards",
    "ring_for_comparisons",
    "send_canaries",
    "set_quota",
    "sign_in",
    "site_status",
    "sole_builder",
    "stale_boards",
    "store_board",
    "store_comparisons",
    "stored_pairs",
    "submission_state",
    "submit_predictions",
    "submit_upload",
    "sweep",
    "sweep_uploads",
    "system_detail",
    "team_names",
    "unheard_intervals",
    "upload_limits",
    "upload_state",
    "user_of_token",
    "version_detail",
    "version_id",
    "watch_canaries",
    "watch_queues",
    "withdraw_presence",
    "withdraw_submission",
]
