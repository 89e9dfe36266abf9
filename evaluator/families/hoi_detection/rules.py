"""How public evaluators of HICO-DET differ, as one table of named rule sets.

`official` is the benchmark: the MATLAB evaluator of Chao et al. (2018). The
others reproduce what papers used, so that their numbers can be compared.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluator.family import FloatArray

MIN_OVERLAP = 0.5  # of the human and of the object box
RECALL_POINTS = 11


def matlab_thresholds() -> FloatArray:
    """0 : 0.1 : 1 as MATLAB's colon operator counts it: from both ends to the middle.

    Only 0.3 comes out a hair high: a recall of exactly 3/10 misses that point.
    """
    return np.array([0.1 * k if k <= 5 else 1 - 0.1 * (10 - k) for k in range(RECALL_POINTS)])


def stepped_thresholds() -> FloatArray:
    """numpy's arange: 0.3, 0.6 and 0.7 come out a hair high."""
    return np.array([k * 0.1 for k in range(RECALL_POINTS)])


@dataclass(frozen=True, slots=True)
class Rules:
    """One evaluator's habits.

    Attributes:
        strictly_above: overlap must exceed one half, not reach it.
        takes_corners: 0-based predictions end where x2, y2 say, not one pixel later.
        thresholds: (11,) recall points.
        counts_empty_images: false positives on images without truth count.
        cap: detections of an image that count, best first; None for all.
        zero_objects: objects without object-non-rare classes count zero in ONR.
    """

    strictly_above: bool
    takes_corners: bool
    thresholds: FloatArray
    counts_empty_images: bool
    cap: int | None
    zero_objects: bool = False


RULES: dict[str, Rules] = {
    "official": Rules(False, False, matlab_thresholds(), True, None),
    "zero": Rules(False, False, matlab_thresholds(), True, None, zero_objects=True),
    "strict": Rules(True, False, matlab_thresholds(), True, None),
    "qpic": Rules(False, False, stepped_thresholds(), False, 100),
    "ppdm": Rules(False, False, stepped_thresholds(), True, None),
    "pocket": Rules(True, True, matlab_thresholds(), False, None),
}


def to_truth_frame(boxes: FloatArray, base: int, rules: Rules) -> FloatArray:
    """Declared boxes, (D, 4), in the truth's frame: pixels counted from 1, both ends included.

    Args:
        base: 0 or 1, the index of the first pixel in the file.
    """
    if base == 1:
        return boxes
    far = 0.0 if rules.takes_corners else 1.0
    shifted: FloatArray = boxes + np.array([1.0, 1.0, far, far])
    return shifted
