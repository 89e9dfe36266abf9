"""How many submissions a site takes, and who used the processors meanwhile.

`python -m benchmarks.submissions [--rate 50] [--seconds 20]`: starts a site in a temporary
folder (durable, as a real one), loads a small benchmark, and posts files of 10 KB at a fixed
rate while the workers score them. With `--address` it asks a running site instead, for its
benchmark `--benchmark NAME@VERSION` and `--track`; that site must give no quota.
Prints one JSON line.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from typing import Any

import httpx

from benchmarks.open_loop import Answer, Request, send_all
from benchmarks.processor_time import seconds_by_name, seconds_of_machine
from evaluator.bundle import (
    Benchmark,
    BootstrapPlan,
    Bundle,
    LabelClass,
    TrackPlan,
    json_lines,
    write_bundle,
)
from evaluator.statistics.bootstrap import weights_digest
from infra.processes import free_port
from infra.site import running_site
from plumbline.client import Client

NAME, TRACK = "load-hoi", "all-people"
N_CHOICES = 4
DRAWS = 200
N_PEOPLE = 8  # teams that send in turn
BYTES_OF_ITEM = 44  # of a predictions file
PASSWORD = "Load-of-submissions-7"


@dataclass(frozen=True, slots=True)
class Target:
    """A site that is up.

    Attributes:
        processes: ids by name, where it runs on this machine.
    """

    address: str
    benchmark: str
    track: str
    processes: dict[str, int] = field(default_factory=dict)


def bundle(n_questions: int) -> Bundle:
    """A sound benchmark of one track, one question per image."""
    verbs = ("ride", "hold", "walk", "repair", "feed", "wash")
    labels = [f"{verb} {thing}" for verb in verbs for thing in ("bicycle", "horse")]
    questions, truth = [], []
    for number in range(n_questions):
        head = {"track": TRACK, "id": f"q{number:04d}"}
        choices = [labels[(number + step) % len(labels)] for step in range(N_CHOICES)]
        questions.append({**head, "image": f"{number:04d}.jpg", "choices": choices})
        truth.append({**head, "right": ["ABCD"[number % N_CHOICES]], "scene": "one-person"})
    plan = Benchmark(
        name=NAME,
        title="Load",
        family="hoi_choice",
        version="1",
        tracks=(TrackPlan(slug=TRACK, title="All people", answers="public"),),
        rules="paper",
        cluster="image",
        bootstrap=BootstrapPlan(
            draws=DRAWS, seed=1, weights_sha256=weights_digest(n_questions, DRAWS, 1)
        ),
        classes=tuple(
            LabelClass(name=label, id=number, train_instances=20)
            for number, label in enumerate(labels, start=1)
        ),
        description="Questions that nobody asks.",
    )
    return Bundle(benchmark=plan, questions=json_lines(questions), truth=json_lines(truth))


@contextmanager
def own_site(n_questions: int) -> Iterator[Target]:
    """A site in a folder that is removed afterwards, without quotas."""
    for name in [name for name in os.environ if name.startswith("PLUMBLINE_STORE_")]:
        del os.environ[name]
    for name in ("PER_DAY", "IN_ALL", "WAITING", "INVALID_PER_DAY"):
        os.environ[f"PLUMBLINE_QUOTA_{name}"] = "0"
    folder = Path(tempfile.mkdtemp(prefix="plumbline-load-"))
    try:
        with running_site(folder, host="127.0.0.1", port=free_port()) as site:
            write_bundle(bundle(n_questions), folder / "bundle")
            site.run("load", "manage.py", "load_bundle", str(folder / "bundle"), "--open")
            processes = {child.name: child.process.pid for child in site.children}
            yield Target(site.address, f"{NAME}@1", TRACK, processes)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def sign_up(address: str, name: str) -> str:
    """A new account of that site; its token."""
    page = "/account/sign-up/"
    with httpx.Client(base_url=address, trust_env=False, timeout=30) as browser:
        browser.get(page)
        form = {
            "username": name,
            "password1": PASSWORD,
            "password2": PASSWORD,
            "csrfmiddlewaretoken": browser.cookies.get("csrftoken", ""),
        }
        browser.post(page, data=form, headers={"Referer": address + page})
    with Client(address) as anonymous:
        return anonymous.login(name, PASSWORD, "load")


def questions_of(target: Target) -> list[str]:
    """Ids of the track's questions."""
    name, _, version = target.benchmark.partition("@")
    with tempfile.TemporaryDirectory() as folder, Client(target.address) as reader:
        file = Path(folder) / "questions.jsonl"
        reader.questions(name, version, file, track=target.track)
        return [json.loads(line)["id"] for line in file.read_text().splitlines()]


def request(target: Target, asked: Sequence[str], token: str, number: int) -> Request:
    """A file that nobody sent before, in a form, under a key of its own."""
    letters, rest = [], number
    for _ in asked:
        letters.append("ABCD"[rest % N_CHOICES])
        rest //= N_CHOICES
    items = [
        {"question_id": question, "answer": [letter]}
        for question, letter in zip(asked, letters, strict=True)
    ]
    answers = {"benchmark": target.benchmark, "track": target.track, "predictions": items}
    fields = {"benchmark": target.benchmark, "track": target.track, "system": "Load"}
    form = httpx.Request(
        "POST",
        target.address,
        data=fields,
        files={"file": ("predictions.json", json.dumps(answers), "application/json")},
        headers={"Authorization": f"Bearer {token}", "Idempotency-Key": str(uuid.uuid4())},
    )
    return Request("/api/v1/submissions", dict(form.headers), form.read())


def told(answers: Sequence[Answer], took: float, rate: float) -> dict[str, Any]:
    """What the answers say."""
    outcomes = Counter(answer.outcome for answer in answers)
    accepted = [answer.seconds for answer in answers if answer.outcome == "202"]
    cuts = quantiles(accepted, n=100) if len(accepted) > 1 else [float("nan")] * 99
    return {
        "asked_per_second": rate,
        "held_per_second": round(len(accepted) / took, 1),
        "seconds": round(took, 2),
        "n_sent": len(answers),
        "n_accepted": outcomes.pop("202", 0),
        "others": dict(outcomes),
        **{f"p{share}_ms": round(1000 * cuts[share - 1], 1) for share in (50, 95, 99)},
        "max_ms": round(1000 * max(accepted, default=float("nan")), 1),
    }


def measure(target: Target, *, rate: float, seconds: float) -> dict[str, Any]:
    """The whole measurement, against a site that is up."""
    name = uuid.uuid4().hex[:8]
    tokens = [sign_up(target.address, f"load-{name}-{number}") for number in range(N_PEOPLE)]
    asked = questions_of(target)
    requests = [
        request(target, asked, tokens[number % N_PEOPLE], number)
        for number in range(round(rate * seconds))
    ]
    for number, token in enumerate(tokens):  # each team's first makes its system
        warm = request(target, asked, token, -1 - number)
        send_all(target.address, [warm], per_second=1)
    time.sleep(3)
    processes = {**target.processes, "client": os.getpid()} if target.processes else {}
    with httpx.Client(base_url=target.address, trust_env=False, timeout=30) as reader:
        n_before = _n_waiting(reader)
        before, machine = _seconds(processes), seconds_of_machine()
        load = os.getloadavg()[0]
        answers, took = send_all(target.address, requests, per_second=rate)
        after, machine = _seconds(processes), seconds_of_machine() - machine
        n_after = _n_waiting(reader)
    result = told(answers, took, rate)
    used = {part: after[part] - before[part] for part in before}
    others = {"others": machine - sum(used.values())} if used else {}
    result |= {
        "n_bytes": len(requests[0].body),
        "scored_per_second": round((result["n_accepted"] - n_after + n_before) / took, 1),
        "cores": os.cpu_count(),
        "cores_used": {part: round(s / took, 2) for part, s in {**used, **others}.items()},
        "load_before": round(load, 2),
    }
    return result


def _n_waiting(reader: httpx.Client) -> int:
    for _ in range(10):  # a site that is out of breath does not answer at once
        found = reader.get("/api/v1/health").json()["n_waiting"]
        if found is not None:
            return int(found)
        time.sleep(1)
    raise SystemExit("The site's database does not answer.")


def _seconds(processes: dict[str, int]) -> dict[str, float]:
    """As `seconds_by_name`; the servers descend from this process and are not counted twice."""
    sums = seconds_by_name(processes)
    if "client" in sums:
        sums["client"] -= sum(spent for part, spent in sums.items() if part != "client")
    return sums


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.submissions", description=__doc__)
    parser.add_argument("--rate", type=float, default=50.0, help="submissions per second (50)")
    parser.add_argument("--seconds", type=float, default=20.0, help="for how long (20)")
    parser.add_argument("--kilobytes", type=float, default=10.0, help="of a file, on a site of own")
    parser.add_argument("--address", help="a running site, instead of one that is started")
    parser.add_argument("--benchmark", default=f"{NAME}@1", help="of that site")
    parser.add_argument("--track", default=TRACK, help="of that benchmark")
    said = parser.parse_args(arguments)
    if said.address:
        target = Target(said.address.rstrip("/"), said.benchmark, said.track)
        result = measure(target, rate=said.rate, seconds=said.seconds)
    else:
        with own_site(round(said.kilobytes * 1000 / BYTES_OF_ITEM)) as target:
            result = measure(target, rate=said.rate, seconds=said.seconds)
    print(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
