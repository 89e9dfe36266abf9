"""Weighted average precision against loops, and the field's workload."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.families.hoi_detection.average_precision import average_precision, compress
from evaluator.families.hoi_detection.matching import Pairs, rank_detections
from evaluator.families.hoi_detection.rules import RULES
from tests.evaluator.hoi_detection.slow_reference import class_ap

N_IMAGES, N_CLASSES = 4, 2
small = st.integers(1, 12)
boxes = st.tuples(small, small, small, small).map(
    lambda c: (float(c[0]), float(c[1]), float(c[0] + c[2]), float(c[1] + c[3]))
)
rows = st.tuples(
    st.integers(0, N_IMAGES - 1),
    st.integers(0, N_CLASSES - 1),
    boxes,
    boxes,
    st.sampled_from([0.1, 0.2, 0.5, 0.9]),
)


def columns(given_rows: list) -> Pairs:  # type: ignore[type-arg]  # rows of the strategy
    return Pairs(
        np.array([r[0] for r in given_rows], dtype=np.int32),
        np.array([r[1] for r in given_rows], dtype=np.int32),
        np.array([r[2] for r in given_rows], dtype=float).reshape(-1, 4),
        np.array([r[3] for r in given_rows], dtype=float).reshape(-1, 4),
    )


@settings(max_examples=300, deadline=None)
@given(
    truth=st.lists(rows, max_size=8),
    detections=st.lists(rows, max_size=14),
    copies=st.lists(st.integers(0, 3), min_size=N_IMAGES, max_size=N_IMAGES),
)
def test_any_weights_agree_with_loops(truth: list, detections: list, copies: list[int]) -> None:  # type: ignore[type-arg]
    rules = RULES["official"]
    pairs = columns(truth)
    ranked = rank_detections(
        pairs,
        columns(detections),
        np.array([d[4] for d in detections], dtype=float),
        n_images=N_IMAGES,
        n_classes=N_CLASSES,
        rules=rules,
    )
    weights = np.array([copies, [1] * N_IMAGES], dtype=np.int16)
    n_truth = np.array(
        [
            np.bincount(pairs.label, weights=row[pairs.image], minlength=N_CLASSES)
            for row in weights.astype(float)
        ]
    )
    values = average_precision(compress(ranked), weights, n_truth, rules.thresholds)
    for row, used in enumerate(weights.tolist()):
        for label in range(N_CLASSES):
            wanted = class_ap(truth, detections, label, used)
            if wanted is not None:
                assert abs(values[row, label] - wanted) < 1e-12


def test_images_of_weight_zero_change_nothing() -> None:
    truth = [(0, 0, (1, 1, 9, 9), (1, 1, 9, 9), 0)]
    detections = [
        (1, 0, (1, 1, 9, 9), (1, 1, 9, 9), 0.9),
        (0, 0, (1, 1, 9, 9), (1, 1, 9, 9), 0.5),
    ]
    ranked = rank_detections(
        columns(truth),
        columns(detections),
        np.array([0.9, 0.5]),
        n_images=2,
        n_classes=1,
        rules=RULES["official"],
    )
    weights = np.array([[1, 1], [1, 0]], dtype=np.int16)
    values = average_precision(
        compress(ranked), weights, np.ones((2, 1)), RULES["official"].thresholds
    )
    assert values[:, 0].tolist() == [0.5, 1.0]
