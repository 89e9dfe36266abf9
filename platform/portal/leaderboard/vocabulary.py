"""The words of a board: its slices, metrics and facets, in display order.

They come from the family. A version that holds published results only may
belong to a family that this evaluator does not score; its words are then read
off its rows. Knows no models and no HTTP.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evaluator.families import FAMILIES
from evaluator.family import Family

Address = tuple[str, str]  # slice, metric


@dataclass(frozen=True, slots=True)
class SliceWords:
    slug: str
    title: str
    description: str


@dataclass(frozen=True, slots=True)
class MetricWords:
    """`averages_classes`: what it counts are classes, not questions or labels."""

    slug: str
    title: str
    short: str
    description: str
    higher_is_better: bool
    headline: bool
    averages_classes: bool


@dataclass(frozen=True, slots=True)
class FacetWords:
    slug: str
    title: str
    help: str
    values: tuple[tuple[str, str], ...]  # (slug, title)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What can stand on a board of one family and track."""

    family: str
    family_title: str
    track_description: str
    slices: tuple[SliceWords, ...]
    metrics: tuple[MetricWords, ...]
    facets: tuple[FacetWords, ...]
    primary_metric: str

    def metric(self, slug: str) -> MetricWords:
        return next(metric for metric in self.metrics if metric.slug == slug)


def vocabulary_of(
    family: str,
    track: str,
    addresses: Iterable[Address],
    facets: Iterable[Mapping[str, str]],
) -> Vocabulary:
    """The words of the family, and of what its rows hold beyond it.

    Args:
        addresses: (slice, metric) of all rows, in the order of the rows.
        facets: those of each row.
    """
    known = FAMILIES.get(family)
    slices = {words.slug: words for words in _slices(known)}
    metrics = {words.slug: words for words in _metrics(known)}
    for slice_, metric in addresses:
        slices.setdefault(slice_, SliceWords(slice_, _title(slice_), ""))
        metrics.setdefault(metric, _unknown_metric(metric))
    order = list(slices.values())
    if known is None:
        order.sort(key=lambda words: words.slug != "all")
    primary = known.primary_metric if known else next(iter(metrics), "")
    return Vocabulary(
        family=family,
        family_title=known.title if known else _title(family),
        track_description=_track_description(known, track),
        slices=tuple(order),
        metrics=tuple(metrics.values()),
        facets=_facets(known, facets),
        primary_metric=primary,
    )


def _slices(family: Family | None) -> list[SliceWords]:
    if family is None:
        return []
    return [SliceWords(s.slug, s.title, s.description) for s in family.slices]


def _metrics(family: Family | None) -> list[MetricWords]:
    if family is None:
        return []
    return [
        MetricWords(
            slug=metric.slug,
            title=metric.title,
            short=metric.short,
            description=metric.description,
            higher_is_better=metric.higher_is_better,
            headline=metric.headline,
            averages_classes=metric.interval == "recentred",
        )
        for metric in family.metrics
    ]


def _facets(family: Family | None, rows: Iterable[Mapping[str, str]]) -> tuple[FacetWords, ...]:
    """The family's facets that some row states, with the values that occur."""
    found: dict[str, dict[str, None]] = {}
    for row in rows:
        for slug, value in row.items():
            found.setdefault(slug, {}).setdefault(value)
    words = []
    known = {facet.slug: facet for facet in family.facets} if family else {}
    for slug in [*(slug for slug in known if slug in found), *(s for s in found if s not in known)]:
        titles = dict(known[slug].values) if slug in known else {}
        values = [
            *(v for v in titles if v in found[slug]),
            *(v for v in found[slug] if v not in titles),
        ]
        words.append(
            FacetWords(
                slug=slug,
                title=known[slug].title if slug in known else _title(slug),
                help=known[slug].help if slug in known else "",
                values=tuple((value, titles.get(value, _title(value))) for value in values),
            )
        )
    return tuple(words)


def _track_description(family: Family | None, track: str) -> str:
    tracks = family.tracks if family else ()
    return next((known.description for known in tracks if known.slug == track), "")


def _unknown_metric(slug: str) -> MetricWords:
    title = _title(slug)
    return MetricWords(slug, title, title, "", True, True, False)


def _title(slug: str) -> str:
    words = slug.replace("_", " ").replace("-", " ")
    return words[:1].upper() + words[1:]
