"""A detections file of 200 MB walks the road of an upload within its memory."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from evaluator.bundle import read_bundle
from evaluator.families.hoi_detection.schema import images_of
from tests.journeys.conftest import Journey

ANNOTATIONS = Path(__file__).resolve().parents[2] / "../shared/data/hicodet/instances_test2015.json"
MIB = 1024 * 1024
FILE_BYTES = 200 * MIB
WEB_GROWTH_BYTES = 64 * MIB
CHILD_BYTES = 512 * MIB + 8 * FILE_BYTES
LINES = 20_000  # written at once

pytestmark = [
    pytest.mark.journey,
    pytest.mark.slow,
    pytest.mark.skipif(not ANNOTATIONS.exists(), reason="../shared/data/hicodet is absent"),
]


@dataclass(slots=True)
class Peaks:
    """Largest resident memory seen, in bytes."""

    web_before: int = 0
    web: int = 0
    child: int = 0


def test_a_large_file_is_scored_within_its_memory(journey: Journey, tmp_path: Path) -> None:
    bundle = tmp_path / "hico-det"
    journey.plumbline("bundle", "hico-det", "--annotations", ANNOTATIONS, "--out", bundle)
    journey.load(bundle)
    file = tmp_path / "detections.jsonl"
    write_detections(file, [image.id for image in images_of(read_bundle(bundle))])
    assert file.stat().st_size >= FILE_BYTES
    web = next(child for child in journey.site.children if child.name == "portal")
    with watched(web.process.pid) as peaks:
        done = journey.plumbline(
            "submit", file, "--benchmark", "hico-det", "--track", "detect", "--system", "Large",
            "--facet", "detector=pre-trained", "--publish", "--wait",
        )  # fmt: skip
    assert done["state"] == "scored"
    assert peaks.child > 0
    assert peaks.child <= CHILD_BYTES
    assert peaks.web - peaks.web_before <= WEB_GROWTH_BYTES


def write_detections(file: Path, images: list[str]) -> None:
    """Random detections as JSON Lines until the file is large enough."""
    generator = np.random.default_rng(7)
    with file.open("w") as out:
        out.write('{"benchmark":"hico-det@1","track":"detect","box_base":1,"class_ids":"hoi0"}\n')
        while out.tell() < FILE_BYTES:
            corner = generator.integers(1, 300, (LINES, 4))
            side = generator.integers(20, 200, (LINES, 4))
            rows = zip(
                generator.choice(images, LINES),
                generator.integers(0, 600, LINES),
                corner[:, :2],
                corner[:, :2] + side[:, :2],
                corner[:, 2:],
                corner[:, 2:] + side[:, 2:],
                generator.random(LINES),
                strict=True,
            )
            for image, hoi, (x1, y1), (x2, y2), (x3, y3), (x4, y4), score in rows:
                out.write(
                    f'{{"image_id":"{image}","hoi_id":{hoi},"human_box":[{x1},{y1},{x2},{y2}],'
                    f'"object_box":[{x3},{y3},{x4},{y4}],"score":{score:.9f}}}\n'
                )


@contextmanager
def watched(web: int) -> Iterator[Peaks]:
    """Peaks of the web process and of any scoring child while the block runs."""
    peaks = Peaks(web_before=resident(web))
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.is_set():
            peaks.web = max(peaks.web, resident(web))
            for command in Path("/proc").glob("[0-9]*/cmdline"):
                pid = int(command.parent.name)
                if b"worker.child" in contents(command):
                    peaks.child = max(peaks.child, resident(pid))
            time.sleep(0.05)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield peaks
    finally:
        is_over.set()
        thread.join()


def resident(pid: int) -> int:
    """Resident memory of a process in bytes; 0 if it is gone."""
    for line in contents(Path(f"/proc/{pid}/status")).splitlines():
        if line.startswith(b"VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


def contents(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
