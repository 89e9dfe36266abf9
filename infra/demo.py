"""`make demo`: the whole site with sample benchmarks, thirty systems scored on it.

With `--check` the same in a throw-away folder: one more file is uploaded and scored,
the board is read, one JSON line says what came out, and everything is stopped.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx

import plumbline
from infra.processes import StartFailed
from infra.seed import ACCOUNT
from infra.site import ROOT, Site, kept_secret
from infra.up import Wishes, parser, reported, serve
from plumbline.client import Client
from plumbline.errors import PlumblineError

BENCHMARKS = ROOT / "infra" / "benchmarks"  # published results, one folder each
PATIENCE_SECONDS = 90.0  # between one sign of progress and the next
CHECK_SYSTEM = "Latest arrival"
# One account sends all samples at once, and shall have something left.
QUOTAS = {"PLUMBLINE_QUOTA_WAITING": "0", "PLUMBLINE_QUOTA_PER_DAY": "1000"}

Json = dict[str, Any]  # answers of the API


def say(sentence: str) -> None:
    """Progress, which must not mix with what is printed for programs."""
    print(sentence, file=sys.stderr, flush=True)


class Demo:
    """What is done on a fresh site, through the doors that strangers use."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.samples = site.folder / "samples"
        password_file = site.folder / "demo-password"
        self.password = kept_secret(password_file, n_bytes=9)
        self._password_file = password_file

    def fill(self, *, every_track: bool = True) -> None:
        """Benchmarks, the account, and the sample systems' submissions; nothing twice.

        Args:
            every_track: False for the samples of the first track only, which is quicker.
        """
        done = self.site.folder / "filled"
        edition = plumbline.version()
        if done.exists():
            if done.read_text() != edition:
                say(f"This data is of edition {done.read_text()}; `make clean` starts anew.")
            return
        say("Loading the sample and the published results")
        shutil.rmtree(self.samples, ignore_errors=True)
        self.site.run("samples", "-m", "infra.samples", "--out", str(self.samples))
        published = sorted(path.parent for path in BENCHMARKS.glob("*/benchmark.json"))
        made = [home / manifest["bundle"] for home, manifest in self.manifests()]
        bundles = [*made, *published]
        password = ("--password-file", str(self._password_file))
        self.site.run("seed", "-m", "infra.seed", *password, *map(str, bundles))
        with self.client() as client:
            self.submit_samples(client, every_track=every_track)
        done.write_text(edition)

    def manifest(self) -> Json:
        """Of the first sample benchmark, the one that `--check` adds to."""
        return self.manifests()[0][1]

    def manifests(self) -> list[tuple[Path, Json]]:
        """Every sample benchmark: its folder, and what stands in it."""
        files = sorted(self.samples.rglob("manifest.json"), key=lambda file: len(file.parts))
        return [(file.parent, json.loads(file.read_text())) for file in files]

    @contextmanager
    def client(self) -> Iterator[Client]:
        """A client with a token of the demo account."""
        with Client(self.site.address) as anonymous:
            token = anonymous.login(ACCOUNT, self.password, "demo")
        with Client(self.site.address, token) as client:
            yield client

    def submit_samples(self, client: Client, *, every_track: bool) -> None:
        """Hand in the sample files; wait until the first track's stand on its board.

        Args:
            every_track: other tracks and benchmarks as well, scored in the meantime.
        """
        first = self.manifest()["submissions"][0]
        wanted = [
            (home, manifest["benchmark"], entry)
            for home, manifest in (self.manifests() if every_track else self.manifests()[:1])
            for entry in manifest["submissions"]
            if every_track or entry["track"] == first["track"]
        ]
        # First what stands on the first board of each benchmark.
        fronts = {home: manifest["submissions"][0]["track"] for home, manifest in self.manifests()}
        wanted.sort(key=lambda one: one[2]["track"] != fronts[one[0]])
        say(f"Submitting {len(wanted)} files to {len({name for _, name, _ in wanted})} benchmarks")
        awaited = set()
        for home, benchmark, entry in wanted:
            accepted = client.submit(
                home / entry["file"],
                benchmark=benchmark,
                track=entry["track"],
                system=entry["system"],
                facets=entry["facets"],
                publish=True,
                idempotency_key=f"sample:{benchmark}:{entry['file']}",
            )
            if (home, entry["track"]) == (self.samples, first["track"]):
                awaited.add(accepted["id"])

        def one_less() -> bool:
            """Whether another one is complete since the last time."""
            before = len(awaited)
            for one in client.submissions():
                if one["id"] in awaited:
                    _refuse_unless_scored_or_waiting(one)
                    if _is_complete(one):
                        awaited.discard(one["id"])
            return len(awaited) < before

        while awaited:
            self.wait(
                one_less, within=PATIENCE_SECONDS, what="scoring the next sample", pause_seconds=0.5
            )

    def submit_one_more(self, client: Client) -> Json:
        """Upload a file, wait for score and intervals, read the board; what came out."""
        manifest = self.manifest()
        entry = next(e for e in manifest["submissions"] if e["file"].endswith(".json"))
        name, _, version = manifest["benchmark"].partition("@")
        began = time.monotonic()
        accepted = client.submit(
            _with_an_abstention(self.samples / entry["file"]),
            benchmark=manifest["benchmark"],
            track=entry["track"],
            system=CHECK_SYSTEM,
            facets=entry["facets"],
            publish=True,
        )
        latest: Json = {}

        def reached(state: Callable[[Json], bool]) -> float:
            def is_there() -> bool:
                latest.update(client.submission(accepted["id"]))
                _refuse_unless_scored_or_waiting(latest)
                return state(latest)

            self.wait(is_there, within=PATIENCE_SECONDS, what="scoring the upload")
            return round(time.monotonic() - began, 2)

        seconds_to_score = reached(lambda one: one["state"] == "scored")
        seconds_to_interval = reached(_is_complete)
        row = self._row(client, name, version, entry["track"])
        self._read_page(f"/board/?benchmark={name}&version={version}&track={entry['track']}")
        return {
            "benchmark": manifest["benchmark"],
            "track": entry["track"],
            "system": CHECK_SYSTEM,
            "seconds_to_score": seconds_to_score,
            "seconds_to_interval": seconds_to_interval,
            "rank": row["scores"]["all"]["macro_f1"]["rank_text"],
            "n_systems": row["n_rows"],
            "scores": [
                {key: score[key] for key in ("slice", "metric", "value", "low", "high")}
                for score in latest["scores"]
                if score["slice"] == "all"
            ],
        }

    def _row(self, client: Client, name: str, version: str, track: str) -> Json:
        """The row of the upload, once the worker has stored the new board."""
        found: Json = {}

        def stands() -> bool:
            board = client.board(name, version, track)
            rows = [row for row in board["rows"] if row["name"] == CHECK_SYSTEM]
            if rows and rows[0]["scores"]["all"]["macro_f1"]["interval"] == "ready":
                found.update(rows[0], n_rows=len(board["rows"]))
            return bool(found)

        self.wait(stands, within=PATIENCE_SECONDS, what="showing the new row")
        return found

    def _read_page(self, path: str) -> None:
        page = httpx.get(f"{self.site.address}{path}", timeout=20, trust_env=False)
        if page.status_code != 200 or "gradio" not in page.text.lower():
            raise StartFailed(f"{path} answered {page.status_code}, not the board's page")

    def wait(
        self, is_so: Callable[[], bool], *, within: float, what: str, pause_seconds: float = 0.05
    ) -> None:
        """Poll while the site lives.

        Raises:
            StartFailed: not within the time; the message holds the worker's last words.
        """
        deadline = time.monotonic() + within
        while not is_so():
            self.site.watch_once()
            if time.monotonic() > deadline:
                raise StartFailed(f"{what} took more than {within:g} s.\n{self.last_words()}")
            time.sleep(pause_seconds)

    def last_words(self) -> str:
        """The ends of the logs that matter when something is late."""
        told = [child for child in self.site.children if child.name in {"portal", "worker"}]
        return "\n".join(f"{child.log} ends with:\n{child.log_tail()}" for child in told)


def _refuse_unless_scored_or_waiting(submission: Json) -> None:
    if submission["state"] in {"rejected", "failed", "withdrawn"}:
        raise StartFailed(f"a sample was {submission['state']}: {json.dumps(submission)}")


def _is_complete(submission: Json) -> bool:
    return bool(submission["state"] == "scored" and submission["intervals"] != "pending")


def _with_an_abstention(file: Path) -> bytes:
    """The same predictions but for the last, which says nothing: a file not seen before."""
    document = json.loads(file.read_bytes())
    last = document["predictions"][-1]
    document["predictions"][-1] = {"question_id": last["question_id"], "answer": []}
    return json.dumps(document).encode()


def stay(site: Site) -> None:
    """Fill the site, say where it is, and watch over it."""
    demo = Demo(site)
    demo.fill()
    print(
        f"\n  Plumbline is at   {site.address}\n"
        f"  Sign in as        {ACCOUNT}, password {demo.password}\n"
        f"  Data and logs     {_shown(site.folder)}\n"
        "  Ctrl-C stops it.\n",
        flush=True,
    )
    site.watch()


def _shown(folder: Path) -> Path:
    here = Path.cwd()
    return folder.relative_to(here) if folder.is_relative_to(here) else folder


def check(wishes: Wishes) -> None:
    """Prove the whole road in a throw-away folder; one JSON line on standard output."""
    began = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="plumbline-check-"))
    # What is configured for a real site must not be touched by a check.
    for name in [name for name in os.environ if name.startswith("PLUMBLINE_STORE_")]:
        del os.environ[name]

    def prove(site: Site) -> None:
        up = time.monotonic() - began
        demo = Demo(site)
        demo.fill(every_track=False)
        filled = time.monotonic() - began
        with demo.client() as client:
            found = demo.submit_one_more(client)
        site.watch_once()
        timing = {"seconds_to_start": round(up, 2), "seconds_to_fill": round(filled - up, 2)}
        result = {"ok": True, "version": plumbline.version(), **timing, **found}
        print(json.dumps(result, ensure_ascii=False), flush=True)

    try:
        serve(replace(wishes, folder=folder), prove, is_durable=False)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser(__doc__, prog="python -m infra.demo")
    options.add_argument("--check", action="store_true", help="prove that it works, then stop")
    said = options.parse_args(arguments)
    wishes = Wishes(said.data, said.host, said.port)
    for name, number in QUOTAS.items():
        os.environ.setdefault(name, number)

    def run() -> None:
        try:
            check(wishes) if said.check else serve(wishes, stay)
        except PlumblineError as fault:
            raise StartFailed(f"the site refused: {fault}") from fault

    return reported(run)


if __name__ == "__main__":
    sys.exit(main())
