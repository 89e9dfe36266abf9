"""Write the digests of a bundle's files into its `benchmark.json`.

For a draft whose files were edited by hand: `python -m infra.benchmarks.seal DIR`.
An opened version never changes; a correction is a new version.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import msgspec

from evaluator.bundle import format_benchmark, parse_benchmark, read_bundle, sha256
from evaluator.errors import BundleInvalid

FILES = ("questions.jsonl", "truth.jsonl", "references.csv", "differences.csv")


def seal(folder: Path) -> dict[str, str]:
    """Digests by file name, now in `folder/benchmark.json`; the bundle is read back once.

    Raises:
        BundleInvalid: a file is malformed.
    """
    head = folder / "benchmark.json"
    digests = {
        name: sha256((folder / name).read_bytes()) for name in FILES if (folder / name).exists()
    }
    benchmark = msgspec.structs.replace(parse_benchmark(head.read_bytes()), digests=digests)
    head.write_bytes(format_benchmark(benchmark))
    read_bundle(folder)
    return digests


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m infra.benchmarks.seal", description=__doc__)
    parser.add_argument("folder", type=Path, help="a bundle that is not open yet")
    folder: Path = parser.parse_args(arguments).folder
    try:
        digests = seal(folder)
    except (BundleInvalid, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    for name, digest in digests.items():
        print(f"{digest}  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
