"""`python -m infra.samples --out DIR`: write the sample benchmark and its predictions."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from evaluator.errors import BundleInvalid
from infra.samples.files import NAME, write_samples


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m infra.samples", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="a new folder")
    folder: Path = parser.parse_args(arguments).out
    try:
        manifest = write_samples(folder)
    except BundleInvalid as error:
        print(error, file=sys.stderr)
        return 1
    print(
        f"{folder / NAME}: the bundle; {len(manifest['submissions'])} predictions files beside it"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
