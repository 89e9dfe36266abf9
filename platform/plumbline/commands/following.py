"""Follows a submission to its result, and shows how it stands."""

from __future__ import annotations

import time
from urllib.parse import urljoin

from plumbline.answers import Json, problem_of
from plumbline.client import Client, ServerUnreachable
from plumbline.console import Console, problems_document, problems_text
from plumbline.errors import AnswerNotUnderstood, ApiError, PlumblineError
from plumbline.faults import Exit
from plumbline.tables import percent, span, table

SHORTEST_PAUSE = 0.2  # seconds between two looks, at first
LONGEST_PAUSE = 3.0
INTERVALS_SECONDS = 120.0  # wait for intervals after the values at most this long
ABSENCE_SECONDS = 180.0  # a site that restarts is waited for at most this long

UNDER_WAY = frozenset({"waiting", "running"})
EXITS = {"rejected": Exit.NOT_FINE, "withdrawn": Exit.NOT_FINE, "failed": Exit.SERVER}


def submission_in(answer: Json) -> Json:
    """The submission within an answer.

    Raises:
        AnswerNotUnderstood: it has no id or no state.
    """
    inner = answer.get("submission")
    found = {**answer, **inner} if isinstance(inner, dict) else dict(answer)
    found.pop("submission", None)
    if "id" not in found or "state" not in found:
        raise AnswerNotUnderstood("The site's answer names no submission; is it a Plumbline site?")
    return found


def follow(client: Client, submission: Json, console: Console) -> Json:
    """Stay until the submission has a result with its intervals; the submission then.

    Raises:
        PlumblineError: the site stays away.
    """
    pause = SHORTEST_PAUSE
    id_ = str(submission["id"])
    values_since: float | None = None
    while True:
        console.live(state_sentence(submission))
        if submission["state"] not in UNDER_WAY:
            values_since = values_since or time.monotonic()
            is_late = time.monotonic() - values_since > INTERVALS_SECONDS
            if submission.get("intervals") != "pending" or is_late:
                return submission
        time.sleep(pause)
        pause = min(LONGEST_PAUSE, pause * 1.3)
        submission = _patient_look(client, id_, console)


def show(client: Client, submission: Json, console: Console) -> Exit:
    """Print how a submission stands; the exit code that says the same."""
    state = str(submission["state"])
    console.document(submission)
    console.result(f"{submission['id']}  {state_sentence(submission)}")
    if state == "rejected":
        problems = [problem_of(item) for item in submission.get("problems") or []]
        found = problems_document(problems, int(submission.get("n_problems") or len(problems)))
        console.result(problems_text(problems, int(str(found["n_problems"]))))
    if state == "scored":
        console.result(scores_text(submission.get("scores") or []))
    if state in UNDER_WAY and submission.get("board_last_scored_at"):
        at = str(submission["board_last_scored_at"])[:19].replace("T", " ")
        console.result(f"last score on this track  {at} UTC")
    for title, key in (("board", "board_url"), ("page", "page_url")):
        if submission.get(key) and (key == "page_url" or state == "scored"):
            console.result(f"{title}  {urljoin(client.base_url + '/', str(submission[key]))}")
    if not console.as_json and (left := quota_text(client, submission)):
        console.result(f"quota  {left}")
    return EXITS.get(state, Exit.OK)


def quota_text(client: Client, submission: Json) -> str:
    """How many more files its version takes; empty where there is no limit or no answer."""
    address = f"{submission.get('benchmark')}@{submission.get('version')}"
    try:
        quota = client.quota(address)
    except PlumblineError:
        return ""  # a remark beside the result, and older sites know no quotas
    limits = (
        (quota.get("left_today"), quota.get("per_day"), "today"),
        (quota.get("left_in_all"), quota.get("in_all"), "in all"),
    )
    said = [f"{left:,} of {most:,} left {when}" for left, most, when in limits if most]
    return ", ".join(said)


def state_sentence(submission: Json) -> str:
    """The state of a submission in a few words."""
    state = str(submission["state"])
    if state == "waiting":
        return _with(submission, "waiting", str(submission.get("wait_text") or ""))
    if state == "running":
        progress = submission.get("progress") or {}
        total = progress.get("total")
        share = f", {progress.get('done', 0)} of {total}" if total else ""
        return _with(submission, f"running{share}")
    if state == "failed":
        failure = submission.get("failure") or {}
        said = f"failed ({failure.get('code')}): {failure.get('sentence')}"
        return f"{said} {failure['remedy']}" if failure.get("remedy") else said
    if state == "rejected":
        n_problems = submission.get("n_problems") or len(submission.get("problems") or [])
        code = (submission.get("failure") or {}).get("code")
        said = f"rejected: {n_problems} problem{'' if n_problems == 1 else 's'}"
        return f"{said} [{code}]" if code else said
    if state == "scored":
        visibility = str(submission.get("visibility") or "").lower()
        pending = ", intervals follow" if submission.get("intervals") == "pending" else ""
        return f"scored{', ' + visibility if visibility else ''}{pending}"
    return state


def _with(submission: Json, state: str, more: str = "") -> str:
    """The state with what the site says about it, and why it is tried again."""
    again = str((submission.get("retry") or {}).get("sentence") or "")
    said = " ".join(filter(None, (more, again)))
    return f"{state}: {said}" if said else state


def scores_text(scores: list[Json]) -> str:
    """The scores of the widest slice, as the site shows them."""
    if not scores:
        return "No scores are shown."
    widest = str(scores[0]["slice"])
    rows = [
        (
            str(score["metric"]),
            str(score.get("text") or percent(score.get("value"))),
            str(score.get("interval_text") or span(score.get("low"), score.get("high"))),
        )
        for score in scores
        if score["slice"] == widest
    ]
    n_others = len({str(score["slice"]) for score in scores}) - 1
    tail = f"\n{n_others} more slices: --json, or the page." if n_others else ""
    return table((widest, "percent", "interval"), rows, "lrl") + tail


def _patient_look(client: Client, id_: str, console: Console) -> Json:
    """The submission now; a site that is away for a while is waited for."""
    deadline = time.monotonic() + ABSENCE_SECONDS
    while True:
        try:
            return submission_in(client.submission(id_))
        except (ServerUnreachable, ApiError) as error:
            passing = isinstance(error, ServerUnreachable) or error.status >= 500
            if not passing or time.monotonic() > deadline:
                raise
            console.live(f"{error.sentence} Waiting for it to come back.")
            time.sleep(LONGEST_PAUSE)
