"""What can be said of a detection benchmark before anybody answers."""

from __future__ import annotations

import numpy as np

from evaluator.audit import AuditTable, Fact, TrackAudit, class_tables, training_facts
from evaluator.bundle import Bundle
from evaluator.families.hoi_detection.schema import classes_of, images_of, truth_pairs

GROUPS = ("rare", "non-rare", "object-rare", "object-non-rare")


def audit_track(bundle: Bundle, track: str) -> TrackAudit:
    """Sizes, class groups and distance from training; needs truth."""
    del track  # there is one
    images = images_of(bundle)
    entries = bundle.benchmark.classes
    classes = classes_of(entries)
    pairs, _ = truth_pairs(bundle)
    per_image = np.bincount(pairs.image, minlength=len(images))
    counts = np.bincount(pairs.label, minlength=len(classes))
    groups = {"all": np.ones(len(classes), dtype=bool)}
    groups |= {slug: classes.groups[slug] for slug in GROUPS if slug in classes.groups}
    slices = []
    for slug, members in groups.items():
        kept = members[pairs.label]
        n_objects = np.unique(classes.object[members & (counts > 0)]).size
        n_images = np.unique(pairs.image[kept]).size
        n_found = int((members & (counts > 0)).sum())
        slices.append((slug, int(members.sum()), n_found, n_objects, int(kept.sum()), n_images))
    return TrackAudit(
        facts=(
            Fact("n_images", "Images", len(images)),
            Fact("n_images_without_pairs", "Images without pairs", int((per_image == 0).sum())),
            Fact("n_pairs", "Pairs", len(pairs)),
            Fact("max_pairs_per_image", "Pairs of one image, at most", int(per_image.max())),
            Fact("n_classes", "Classes", len(classes)),
            Fact("n_classes_without_pairs", "Classes without pairs", int((counts == 0).sum())),
            *training_facts(entries, counts),
        ),
        tables=(
            AuditTable(
                "slices",
                "Class groups",
                ("group", "classes", "with pairs", "objects", "pairs", "images"),
                tuple(slices),
            ),
            *class_tables(entries, counts),
        ),
    )
