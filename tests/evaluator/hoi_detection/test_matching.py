"""Where public evaluators differ: cases that can be checked by hand, one class each."""

from __future__ import annotations

import numpy as np
import pytest

from evaluator.families.hoi_detection.average_precision import average_precision, compress
from evaluator.families.hoi_detection.matching import Pairs, pixel_overlap, rank_detections
from evaluator.families.hoi_detection.rules import RULES, to_truth_frame

Box = tuple[float, float, float, float]
Row = tuple[int, Box]  # image, box (human and object alike)

FAR = (500.0, 500.0, 520.0, 520.0)


def pairs(rows: list[Row]) -> Pairs:
    boxes = np.array([box for _, box in rows], dtype=float).reshape(-1, 4)
    image = np.array([image for image, _ in rows], dtype=np.int32)
    return Pairs(image, np.zeros_like(image), boxes, boxes)


def ap(
    truth: list[Row],
    detections: list[Row],
    scores: list[float] | None = None,
    *,
    rules: str = "official",
    base: int = 1,
    n_images: int = 20,
) -> float:
    named = RULES[rules]
    if scores is None:
        scores = list(np.linspace(0.9, 0.1, len(detections)))
    found = pairs(detections)
    framed = to_truth_frame(found.human, base, named)
    ranked = rank_detections(
        pairs(truth),
        Pairs(found.image, found.label, framed, framed),
        np.array(scores),
        n_images=n_images,
        n_classes=1,
        rules=named,
    )
    n_truth = np.array([[float(len(truth))]])
    ones = np.ones((1, n_images))
    return float(average_precision(compress(ranked), ones, n_truth, named.thresholds)[0, 0])


def box(number: int) -> Box:
    return (number * 30.0 + 1, 1.0, number * 30.0 + 20, 20.0)


def test_perfect_detections_score_one() -> None:
    rows = [(0, box(0)), (0, box(1)), (1, box(2))]
    assert ap(rows, rows) == 1.0


def test_overlap_of_exactly_one_half_counts_but_for_strict() -> None:
    truth, half = [(0, (1.0, 1.0, 100.0, 100.0))], [(0, (1.0, 1.0, 100.0, 50.0))]
    assert ap(truth, half) == 1.0
    assert ap(truth, half, rules="strict") == 0.0
    assert ap(truth, half, rules="pocket") == 0.0


def test_a_side_counts_its_last_pixel() -> None:
    first, second = np.array([[0.0, 0, 8, 8]]), np.array([[0.0, 0, 8, 4]])
    assert pixel_overlap(first, second)[0] == pytest.approx(45 / 81)


def test_a_duplicate_between_two_hits_is_a_false_positive() -> None:
    truth = [(0, box(0)), (0, box(1))]
    # Precision 1 up to recall 1/2 (6 points), then 2/3 (5 points).
    assert ap(truth, [(0, box(0)), (0, box(0)), (0, box(1))]) == pytest.approx((6 + 5 * 2 / 3) / 11)


def test_a_detection_whose_best_pair_is_taken_does_not_take_another() -> None:
    truth = [(0, (1.0, 1.0, 100.0, 100.0)), (0, (1.0, 31.0, 100.0, 130.0))]
    detections = [(0, (1.0, 1.0, 100.0, 100.0)), (0, (1.0, 11.0, 100.0, 110.0))]
    assert ap(truth, detections) == pytest.approx(6 / 11)


def test_a_false_positive_on_an_empty_image_counts_but_for_qpic() -> None:
    truth, detections = [(0, box(0))], [(1, FAR), (0, box(0))]
    assert ap(truth, detections) == pytest.approx(0.5)
    assert ap(truth, detections, rules="qpic") == 1.0
    assert ap(truth, detections, rules="pocket") == 1.0
    assert ap(truth, detections, rules="ppdm") == pytest.approx(0.5)


def test_recall_of_exactly_three_tenths_misses_its_point() -> None:
    truth = [(n, box(0)) for n in range(10)]
    for rules in ("official", "qpic", "ppdm", "pocket"):
        assert ap(truth, truth[:3], rules=rules) == pytest.approx(3 / 11)


def test_recall_of_exactly_six_tenths_depends_on_how_points_are_counted() -> None:
    truth = [(n, box(0)) for n in range(10)]
    assert ap(truth, truth[:6]) == pytest.approx(7 / 11)
    assert ap(truth, truth[:6], rules="ppdm") == pytest.approx(6 / 11)


def test_the_hundred_and_first_detection_of_an_image_counts_but_for_qpic() -> None:
    truth = [(0, box(0))]
    detections = [(0, FAR)] * 100 + [(0, box(0))]
    assert ap(truth, detections) == pytest.approx(1 / 101)
    assert ap(truth, detections, rules="qpic") == 0.0


def test_equal_scores_stand_in_file_order() -> None:
    truth = [(0, box(0))]
    assert ap(truth, [(0, FAR), (0, box(0))], [0.5, 0.5]) == pytest.approx(0.5)
    assert ap(truth, [(0, box(0)), (0, FAR)], [0.5, 0.5]) == 1.0


def test_boxes_of_the_wrong_base_miss_small_pairs() -> None:
    truth, zero_based = [(0, (11.0, 11.0, 14.0, 14.0))], [(0, (10.0, 10.0, 13.0, 13.0))]
    first, second = np.array([truth[0][1]]), np.array([zero_based[0][1]])
    assert pixel_overlap(first, second)[0] == pytest.approx(9 / 23)
    assert ap(truth, zero_based, base=1) == 0.0
    assert ap(truth, zero_based, base=0) == 1.0


def test_pocket_takes_zero_based_corners() -> None:
    truth, corners = [(0, (11.0, 11.0, 14.0, 14.0))], [(0, (10.0, 10.0, 14.0, 14.0))]
    assert ap(truth, corners, rules="pocket", base=0) == 1.0


def test_a_box_without_area_overlaps_nothing_and_is_no_fault() -> None:
    tiny = np.array([[5.0, 5.0, 4.0, 4.0]])
    assert pixel_overlap(tiny, tiny)[0] == 0.0


def test_no_detections_score_zero() -> None:
    assert ap([(0, box(0))], []) == 0.0
