"""What maintainers read of events that want their eyes: one line each, or one for many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from portal.benchmarks.models import BenchmarkVersion
from portal.evaluations import events
from portal.evaluations.models import Event
from portal.submissions.models import Submission

N_NAMED = 5  # submissions in a line; the others are counted
OURS = ("infra.", "scorer.")  # codes of failures that the house has to answer for

_WHY_CANARY = {
    "late": "it was not scored in time",
    "rejected": "its file was rejected, which was accepted before",
    "values": "it was scored with other values than before",
}
_WHY_QUEUE = {
    "no-worker": "no worker is present",
    "nothing-claimed": "no worker takes any",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One thing to know; `benchmark` is the id of the one it concerns, None for the house."""

    benchmark: int | None
    text: str


def lines_of(happened: Sequence[Event]) -> list[Line]:
    """The events in words, in their order; those of a kind that belong together as one line."""
    version_ids = {event.version_id for event in happened if event.version_id}
    rows = BenchmarkVersion.objects.select_related("benchmark").filter(id__in=version_ids)
    versions = {row.id: row for row in rows}
    told = [event for event in happened if event.version_id in versions or not event.version_id]
    lines = [
        Line(None if event.version_id is None else versions[event.version_id].benchmark_id, text)
        for event in told
        if (text := _alone(event, versions))
    ]
    by_version: dict[UUID, list[Event]] = {}
    for event in told:
        if event.version_id is not None:
            by_version.setdefault(event.version_id, []).append(event)
    for version_id, of_version in by_version.items():
        version = versions[version_id]
        for text in (*_failures(of_version), *_groups(of_version)):
            lines.append(Line(version.benchmark_id, f"{version.address}: {text}"))
    return lines


def _alone(event: Event, versions: Mapping[UUID, BenchmarkVersion]) -> str:
    """An event that has a line of its own; empty for others."""
    data = event.data
    where = ""
    if event.version_id is not None:
        where = f"{versions[event.version_id].address}, track {data.get('track')}"
    match event.kind:
        case events.CANARY_LATE | events.CANARY_FAILED:
            why = _WHY_CANARY.get(data["why"], f"it failed with {data['why']}")
            return f"{where}: the canary did not come through: {why}"
        case events.CANARY_RECOVERED:
            return f"{where}: the canary came through again, in {data['seconds']:.1f} s"
        case events.QUEUE_STALLED:
            why = _WHY_QUEUE[data["why"]]
            return f"queue {data['queue']}: {data['n_waiting']:,} submissions wait and {why}"
        case events.QUEUE_MOVING:
            return f"queue {data['queue']}: moves again"
    return ""


def _failures(happened: Sequence[Event]) -> Iterator[str]:
    """Submissions that failed by our doing, by code."""
    failed = [
        event
        for event in happened
        if event.kind == events.EVALUATION_FAILED and str(event.data.get("code")).startswith(OURS)
    ]
    # Not canaries, of which there is a line already.
    rows = Submission.objects.filter(id__in=[event.submission_id for event in failed])
    known = set(rows.exclude(source=Submission.Source.CANARY).values_list("id", flat=True))
    by_code: dict[str, list[str]] = {}
    for event in failed:
        if event.submission_id in known:
            by_code.setdefault(event.data["code"], []).append(str(event.submission_id))
    for code, ids in sorted(by_code.items()):
        yield f"{_counted(len(ids), 'submission')} failed with {code}: {_some(ids)}"


def _groups(happened: Sequence[Event]) -> Iterator[str]:
    """Submissions of several teams with nearly the same answers, each group in one line."""
    pairs = [
        (event.submission_id, UUID(event.data["other"]))
        for event in happened
        if event.kind == events.SUBMISSION_ALIKE and event.submission_id is not None
    ]
    rows = Submission.objects.filter(id__in={id_ for pair in pairs for id_ in pair})
    names = {
        row.id: (row.track.slug, f"{row.system.name} of {row.team.name if row.team else 'nobody'}")
        for row in rows.select_related("track", "system", "team")
    }
    for group in _joined([pair for pair in pairs if names.keys() >= set(pair)]):
        track = names[group[0]][0]
        members = [f"{names[id_][1]} ({id_})" for id_ in group]
        yield (
            f"track {track}: {len(group)} submissions of different teams give the same answers or "
            f"hardly others: {_some(members)}"
        )


def _joined(pairs: Sequence[tuple[UUID, UUID]]) -> list[list[UUID]]:
    """Who belongs together by any chain of pairs."""
    groups: list[set[UUID]] = []
    for pair in pairs:
        touched = [group for group in groups if group & set(pair)]
        groups = [group for group in groups if group not in touched]
        groups.append(set(pair).union(*touched))
    return [sorted(group) for group in groups]


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - N_NAMED} more" if len(names) > N_NAMED else ""
    return ", ".join(names[:N_NAMED]) + more


def _counted(n: int, thing: str) -> str:
    return f"{n:,} {thing}" if n == 1 else f"{n:,} {thing}s"
