"""A wish to submit, once checked, becomes a row that waits, or finds the row that is there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db.models.functions import Now

from portal import logs
from portal.accounts.models import Team, User
from portal.accounts.teams import team_of
from portal.benchmarks.models import Benchmark, Track
from portal.evaluations.models import Evaluation
from portal.services.earlier import is_unheard_of, submission_of_answers, submission_of_key
from portal.services.queueing import queue_evaluation
from portal.services.quotas import refuse_if_spent
from portal.services.states import state_of, state_of_new, with_states
from portal.services.submissions import publish_submission
from portal.services.values import Accepted
from portal.submissions import policy
from portal.submissions.models import Submission, System
from portal.submissions.slugs import free_slug


@dataclass(frozen=True, slots=True)
class Wish:
    """A submission as somebody asks for it, but for its file; the rules allow it.

    Attributes:
        name: of the system, or the slug of one of the team's.
        known: the team's system of that name.
        facets: what is said of the system now.
        key: names the request, so that it may be repeated.
    """

    user: User
    team: Team
    track: Track
    name: str
    known: System | None
    facets: Mapping[str, str]
    link: str
    key: str | None
    publish: bool


@dataclass(frozen=True, slots=True)
class Content:
    """The file of a submission.

    Attributes:
        file_name: what the sender called it.
        key: where it lies, if not under its digest.
    """

    digest: str
    n_bytes: int
    file_name: str
    key: str = ""


def checked_wish(
    *,
    user: User,
    benchmark: str,
    track: str,
    system: str,
    publish: bool,
    facets: Mapping[str, str] | None,
    url: str,
    idempotency_key: str | None,
) -> Wish:
    """The wish, if every rule that needs no file allows it.

    Raises:
        BenchmarkNotFound, PolicyRefused: nothing was stored.
    """
    wanted = policy.open_track(benchmark, track)
    name = policy.system_name(system)
    family = wanted.version.benchmark.family
    checked_facets = policy.facets(family, facets or {})
    link = policy.link(url)
    key = policy.idempotency_key(idempotency_key)
    team = team_of(user)
    known = _system_named(team, wanted.version.benchmark, name)
    policy.required_facets(family, {**(known.facets if known else {}), **checked_facets})
    return Wish(
        user=user,
        team=team,
        track=wanted,
        name=name,
        known=known,
        facets=checked_facets,
        link=link,
        key=key,
        publish=publish,
    )


def accepted_before(wish: Wish, content: Content) -> Accepted | None:
    """The earlier submission of the key or the answers, published if that was wished.

    Call it first in a transaction: until its end nothing else is accepted for the team.

    Raises:
        IdempotencyMismatch: the key was used for other answers.
        QuotaSpent: there is none, and the team may send no more.
    """
    # The team's row is the lock: fifty posts with one key make one submission.
    Team.objects.select_for_update().get(pk=wish.team.pk)
    if is_unheard_of(team=wish.team, key=wish.key, track=wish.track, digest=content.digest):
        refuse_if_spent(wish.team, wish.track.version)
        return None
    earlier = submission_of_key(
        team=wish.team, key=wish.key, track=wish.track, digest=content.digest
    )
    if earlier is not None:
        return _found(earlier)
    earlier = submission_of_answers(team=wish.team, track=wish.track, digest=content.digest)
    if earlier is None:
        refuse_if_spent(wish.team, wish.track.version)
        return None
    is_wanted = wish.publish and wish.known is not None and _may_be_published(earlier, wish.known)
    if is_wanted:
        publish_submission(user=wish.user, submission_id=earlier.id)
    return _found(earlier, duplicate_of=earlier.id, is_published_now=is_wanted)


def accepted_now(wish: Wish, content: Content) -> Accepted:
    """A new submission that waits; in the transaction in which `accepted_before` found none."""
    published = Submission.Visibility.PUBLISHED
    submission = Submission.objects.create(
        system=_system(wish),
        track=wish.track,
        team=wish.team,
        source=Submission.Source.UPLOAD,
        file_digest=content.digest,
        file_bytes=content.n_bytes,
        file_key=content.key,
        file_name=policy.file_label(content.file_name),
        idempotency_key=wish.key,
        created_by=wish.user,
        visibility=published if wish.publish else Submission.Visibility.PRIVATE,
        published_at=Now() if wish.publish else None,
    )
    evaluation = queue_evaluation(submission, actor=wish.user.username)
    logs.concern(submission=submission.id)
    return Accepted(
        id=submission.id,
        is_new=True,
        duplicate_of=None,
        is_published_now=False,
        submission=state_of_new(submission, evaluation),
    )


def _found(
    submission: Submission, *, duplicate_of: UUID | None = None, is_published_now: bool = False
) -> Accepted:
    logs.concern(submission=submission.id)
    row = with_states(Submission.objects.filter(pk=submission.pk)).get()
    return Accepted(
        id=submission.id,
        is_new=False,
        duplicate_of=duplicate_of,
        is_published_now=is_published_now,
        submission=state_of(row),
    )


def _may_be_published(earlier: Submission, system: System) -> bool:
    """Whether a wish to publish these answers of the system can mean the earlier submission.

    Not under another name than the one it was asked for, nor where nothing would stand.
    """
    return (
        earlier.visibility == Submission.Visibility.PRIVATE
        and earlier.system_id == system.id
        and earlier.evaluations.exclude(status=Evaluation.Status.REJECTED).exists()
    )


def _system(wish: Wish) -> System:
    """The team's system of that name; what the team says about it now replaces what it said."""
    benchmark = wish.track.version.benchmark
    says_more = wish.facets or wish.link
    # One that was there before stays; only what is said of it may have changed meanwhile.
    system = wish.known
    if system is None or says_more:
        system = _system_named(wish.team, benchmark, wish.name)
    if system is None:
        # The benchmark's row is the lock on its slugs.
        Benchmark.objects.select_for_update().get(pk=benchmark.pk)
        return System.objects.create(
            benchmark=benchmark,
            team=wish.team,
            name=wish.name,
            slug=free_slug(benchmark, wish.name),
            facets=dict(wish.facets),
            url=wish.link,
        )
    if says_more:
        system.facets = {**system.facets, **wish.facets}
        system.url = wish.link or system.url
        system.save(update_fields=["facets", "url"])
    return system


def _system_named(team: Team, benchmark: Benchmark, name: str) -> System | None:
    mine = System.objects.filter(benchmark=benchmark, team=team)
    return mine.filter(name=name).first() or mine.filter(slug=name).first()
