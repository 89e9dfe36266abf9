"""A bundle in a folder becomes a version: files stored, tracks made, published results as rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import msgspec
from django.db import transaction
from django.db.models.functions import Now

from evaluator.bundle import Benchmark as Definition
from evaluator.bundle import Bundle, Reference, read_bundle
from evaluator.errors import BundleInvalid
from evaluator.families import FAMILIES
from evaluator.family import Trivial
from portal.benchmarks.models import Benchmark, BenchmarkVersion, Track
from portal.errors import BundleRefused
from portal.evaluations import events
from portal.evaluations.models import Evaluation, Score
from portal.exchange.storage import open_store
from portal.services.canaries import make_canaries
from portal.services.queueing import queue_evaluation
from portal.services.values import LoadedVersion
from portal.services.versions import open_version
from portal.submissions.models import Submission, System
from portal.submissions.slugs import free_slug

REPORTED_BY = "reported"  # stands in place of an evaluator version
UNOPENED = (BenchmarkVersion.State.DRAFT, BenchmarkVersion.State.REHEARSED)
NOT_PRINTED = "the publication gives none"


def load_bundle(*, folder: Path, actor: str, open_now: bool = False) -> LoadedVersion:
    """Load a bundle as a draft version, or open it at once. The same bundle twice is one version.

    Raises:
        BundleRefused: unreadable, unsound, or another bundle has its name and version.
        StoreDenied, StoreUnavailable: this process cannot write the files.
    """
    try:
        bundle = read_bundle(folder)
    except BundleInvalid as error:
        raise BundleRefused(str(error)) from error
    _check(bundle)
    questions_digest = truth_digest = ""
    if bundle.truth is not None and not bundle.is_reference_only:
        questions_digest = open_store("questions").put(bundle.questions).digest
        truth_digest = open_store("truth").put(bundle.truth).digest
    with transaction.atomic():
        benchmark = _benchmark(bundle.benchmark)
        loaded = _existing(benchmark, bundle)
        if loaded is None:
            version = BenchmarkVersion.objects.create(
                benchmark=benchmark,
                version=bundle.benchmark.version,
                definition=msgspec.to_builtins(bundle.benchmark),
                questions_digest=questions_digest,
                truth_digest=truth_digest,
                n_questions=sum(1 for line in bundle.questions.splitlines() if line.strip()),
                is_reference_only=bundle.is_reference_only,
                reported_differences=[msgspec.to_builtins(row) for row in bundle.differences],
            )
            loaded = _fill(version, bundle, actor)
    if open_now and loaded.state in UNOPENED:
        open_version(version_id=loaded.version_id, actor=actor)
        return replace(loaded, state=BenchmarkVersion.State.OPEN)
    make_canaries(version_id=loaded.version_id)  # for one that was opened before there were any
    return loaded


def _check(bundle: Bundle) -> None:
    plan = bundle.benchmark
    family = FAMILIES.get(plan.family)
    if not bundle.is_reference_only:
        if family is None:
            known = ", ".join(sorted(FAMILIES))
            raise BundleRefused(f"Family {plan.family!r} is not one of {known}.")
        if bundle.truth is None:
            raise BundleRefused("The bundle has questions but no truth.jsonl.")
        problems = family.check(bundle)
        if problems:
            raise BundleRefused("The bundle is unsound: " + "; ".join(problems[:20]))
    elif not bundle.references:
        raise BundleRefused("The bundle holds neither questions nor references.")
    tracks = {track.slug for track in plan.tracks}
    addresses: Counter[tuple[str, ...]] = Counter()
    for row in bundle.references:
        if row.track not in tracks:
            raise BundleRefused(f"references.csv: benchmark.json has no track {row.track!r}.")
        addresses[row.track, row.system, row.slice, row.metric] += 1
    twice = [" / ".join(address) for address, count in addresses.items() if count > 1]
    if twice:
        raise BundleRefused(f"references.csv gives two values for {'; '.join(twice[:5])}.")


def _benchmark(plan: Definition) -> Benchmark:
    """The benchmark, with the row locked; its texts follow the latest bundle."""
    texts = {"title": plan.title, "description": plan.description}
    row, _ = Benchmark.objects.get_or_create(
        name=plan.name, defaults={"family": plan.family, **texts}
    )
    row = Benchmark.objects.select_for_update().get(pk=row.pk)
    if row.family != plan.family:
        raise BundleRefused(f"{plan.name} is of family {row.family}, the bundle of {plan.family}.")
    Benchmark.objects.filter(pk=row.pk).update(**texts)
    return row


def _existing(benchmark: Benchmark, bundle: Bundle) -> LoadedVersion | None:
    version = benchmark.versions.filter(version=bundle.benchmark.version).first()
    if version is None:
        return None
    if msgspec.convert(version.definition, type=Definition) != bundle.benchmark:
        raise BundleRefused(
            f"{bundle.benchmark.address} is here with other content. "
            "A version never changes: build the bundle under a new version."
        )
    return _loaded(version, is_new=False)


def _fill(version: BenchmarkVersion, bundle: Bundle, actor: str) -> LoadedVersion:
    """Tracks, reported rows and trivial rows of a new version, and the event."""
    tracks = {
        plan.slug: Track.objects.create(
            version=version,
            slug=plan.slug,
            title=plan.title,
            answers=plan.answers,
            partial=plan.partial,
            note=plan.note,
            position=position,
        )
        for position, plan in enumerate(bundle.benchmark.tracks)
    }
    events.record(
        events.VERSION_LOADED,
        actor=actor,
        version_id=version.id,
        address=bundle.benchmark.address,
        digests=bundle.benchmark.digests,
    )
    if not bundle.is_reference_only:
        for track in tracks.values():
            _trivial_rows(track, actor)
    by_row: dict[tuple[str, str], list[Reference]] = {}
    for reference in bundle.references:
        by_row.setdefault((reference.track, reference.system), []).append(reference)
    for (slug, _), references in by_row.items():
        _reported_row(tracks[slug], references, bundle.benchmark.bootstrap.level)
    return _loaded(version, is_new=True)


def _trivial_rows(track: Track, actor: str) -> None:
    """Rows that need no model, queued like any submission."""
    benchmark = track.version.benchmark
    for trivial in FAMILIES[benchmark.family].trivial:
        submission = _published(
            _trivial_system(benchmark, trivial), track, Submission.Source.TRIVIAL
        )
        queue_evaluation(submission, actor=actor)


def _trivial_system(benchmark: Benchmark, trivial: Trivial) -> System:
    """The system of a trivial row, the same on every track; never somebody else's of that slug."""
    system = System.objects.filter(
        benchmark=benchmark, name=trivial.title, kind=System.Kind.TRIVIAL
    ).first()
    if system is not None:
        return system
    return System.objects.create(
        benchmark=benchmark,
        name=trivial.title,
        slug=free_slug(benchmark, trivial.slug),
        kind=System.Kind.TRIVIAL,
        description=trivial.description,
    )


def _reported_row(track: Track, references: list[Reference], level: float) -> None:
    """One published system on one track, its values as printed."""
    submission = _published(
        _reported_system(track.version.benchmark, references), track, Submission.Source.REPORTED
    )
    has_intervals = any(row.low and row.high for row in references)
    evaluation = Evaluation.objects.create(
        submission=submission,
        version=track.version,
        evaluator_version=REPORTED_BY,
        status=Evaluation.Status.SCORED,
        intervals=Evaluation.Intervals.READY if has_intervals else Evaluation.Intervals.NONE,
        finished_at=Now(),
    )
    Score.objects.bulk_create(_printed(row, evaluation, level) for row in references)


def _reported_system(benchmark: Benchmark, references: list[Reference]) -> System:
    """The system of a published row; the same name on another track is the same system."""
    first = references[0]
    facets = {key: value for row in references for key, value in row.facets.items()}
    sources = list(dict.fromkeys(row.source for row in references if row.source))
    system = System.objects.filter(
        benchmark=benchmark, name=first.system, kind=first.kind, team=None
    ).first()
    if system is None:
        return System.objects.create(
            benchmark=benchmark,
            name=first.system,
            slug=free_slug(benchmark, first.system),
            kind=first.kind,
            facets=facets,
            description=_joined(sources),
        )
    system.facets = {**system.facets, **facets}
    system.description = _joined([*system.description.split("; "), *sources])
    system.save(update_fields=["facets", "description"])
    return system


def _printed(row: Reference, evaluation: Evaluation, level: float) -> Score:
    has_interval = bool(row.low and row.high)
    return Score(
        evaluation=evaluation,
        slice=row.slice,
        metric=row.metric,
        value=_fraction(row.value),
        low=_fraction(row.low) if has_interval else None,
        high=_fraction(row.high) if has_interval else None,
        level=level if has_interval else None,
        method="printed" if has_interval else "",
        interval_reason="" if has_interval else NOT_PRINTED,
        printed=row.value,
        printed_low=row.low if has_interval else "",
        printed_high=row.high if has_interval else "",
    )


def _published(system: System, track: Track, source: Submission.Source) -> Submission:
    return Submission.objects.create(
        system=system,
        track=track,
        source=source,
        visibility=Submission.Visibility.PUBLISHED,
        published_at=Now(),
    )


def _fraction(percent: str) -> float:
    return float(percent) / 100


def _joined(sources: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(source for source in sources if source))


def _loaded(version: BenchmarkVersion, *, is_new: bool) -> LoadedVersion:
    submissions = Submission.objects.filter(track__version=version)
    return LoadedVersion(
        version_id=version.id,
        address=version.address,
        state=version.state,
        is_new=is_new,
        n_questions=version.n_questions,
        n_reported=submissions.filter(source=Submission.Source.REPORTED).count(),
        n_trivial=submissions.filter(source=Submission.Source.TRIVIAL).count(),
    )
