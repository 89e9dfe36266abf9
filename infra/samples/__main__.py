"""`python -m infra.samples --out DIR`: write the sample benchmarks and their predictions."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from evaluator.errors import BundleInvalid
from infra.samples.clip_files import NAME as CLIP_NAME
from infra.samples.clip_files import write_clip_samples
from infra.samples.detections import NAME as DETECTION_NAME
from infra.samples.detections import write_detection_samples
from infra.samples.files import NAME, write_samples


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m infra.samples", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="a new folder")
    folder: Path = parser.parse_args(arguments).out
    try:
        manifest = write_samples(folder)
        detection = write_detection_samples(folder / "detection")
        clips = write_clip_samples(folder / "clips")
    except BundleInvalid as error:
        print(error, file=sys.stderr)
        return 1
    for home, name, written in (
        (folder, NAME, manifest),
        (folder / "detection", DETECTION_NAME, detection),
        (folder / "clips", CLIP_NAME, clips),
    ):
        print(f"{home / name}: a bundle; {len(written['submissions'])} predictions files beside it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
