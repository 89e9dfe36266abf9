"""One trial: a quiet measure, kills under load, the quiet measure again, and the sums."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from evaluator.bundle import write_bundle
from infra import processes
from infra.chaos.ledger import Ledger, claims_of
from infra.chaos.load import Entrants, Paper
from infra.chaos.papers import TRACK, light_bundle, papers
from infra.chaos.sums import faults_of, lost, n_wrong
from infra.chaos.targets import Postmaster, Service, Target, WorkerChild, WorkerParent
from infra.object_store import EmbeddedObjectStore
from infra.processes import free_port
from infra.samples import files
from infra.seed import ACCOUNT
from infra.site import ROOT, STORES_OF, Site, kept_secret, running_site
from plumbline.client import Client

N_FLOWING, FLOWS_WITHIN = 4, 1.0  # submissions that a kill wants to meet, within seconds
IN_FLIGHT = 16  # unfinished submissions beyond which entrants wait
QUIET_SHARE, LEAST_QUIET = 10, 12  # a tenth of the papers, before and after; not fewer than these
GAP_SECONDS = (0.5, 3.5)  # between a recovery and the next kill
MOMENT_SECONDS = (0.0, 1.0)  # from the first submissions that a kill may meet to the kill
OUTAGE_SECONDS = (0.1, 3.0)  # until a service is started again
TWO_AT_ONCE = 0.2  # share of kills that take a second target along
ENDS_WITHIN = 240.0  # seconds after the last recovery
# Nothing that would refuse or add submissions.
UNLIMITED = ("PER_DAY", "IN_ALL", "INVALID_PER_DAY", "WAITING")


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is handed in and killed, and what must have been broken to prove anything."""

    n_kills: int
    n_submissions: int
    seed: int
    least_kills: int = 5
    least_interrupted: int = 20


@dataclass(slots=True)
class Report:
    """What came of it.

    Attributes:
        document: the figures, as JSON has them.
        faults: sentences on what should not be; empty if all is well.
    """

    document: dict[str, Any]
    faults: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Stage:
    """A running site with all that the trial touches."""

    site: Site
    ledger: Ledger
    entrants: Entrants
    targets: tuple[Target, ...]


def run(plan: Plan, folder: Path) -> Report:
    """Carry out the plan in `folder`.

    Raises:
        StartFailed: a part did not start, or was not there to be killed.
        PlumblineError: a paper was refused.
    """
    began = time.monotonic()
    chance = Random(plan.seed)
    written = list(papers(plan.n_submissions, plan.seed))
    n_quiet = min(max(LEAST_QUIET, plan.n_submissions // QUIET_SHARE), plan.n_submissions // 3)
    first, middle, last = written[:n_quiet], written[n_quiet:-n_quiet], written[-n_quiet:]
    with _stage(folder, chance) as stage:
        _say("the site stands; measuring without faults")
        rate_before = _drain(stage, first)
        kills, returns = _storm(stage, plan, middle, chance)
        claimed_after = _seconds_until(lambda: not stage.ledger.n_unclaimed(), ENDS_WITHIN)
        _seconds_until(lambda: not stage.ledger.n_unfinished(), ENDS_WITHIN)
        _say("the storm is over; measuring again")
        rate_after = _drain(stage, last)
        _seconds_until(lambda: not stage.ledger.n_without_intervals(), ENDS_WITHIN)
        rows, steps, values = stage.ledger.rows(), stage.ledger.steps(), stage.ledger.values()
        accepted = dict(stage.entrants.accepted)
    uploads = {row.evaluation for row in rows}
    claims = claims_of({id_: steps[id_] for id_ in uploads if id_ in steps}, returns)
    n_lost = len(lost(accepted, rows, written))
    n_double = claims.n_double + len(rows) - len({row.submission for row in rows})
    report = Report(
        {
            "seed": plan.seed,
            "submitted": len(accepted),
            "final": dict(sorted(Counter(row.status.lower() for row in rows).items())),
            "intervals": dict(sorted(Counter(row.intervals.lower() for row in rows).items())),
            "kills": dict(sorted(kills.items())),
            "claims_interrupted": claims.n_interrupted,
            "lost": n_lost,
            "double": n_double,
            "wrong": n_wrong(rows, values, written, chance),
            "slowest_claim_after_recovery_seconds": round(
                max(claims.slowest_claim, claimed_after), 2
            ),
            "longest_wait_seconds": round(claims.longest_wait, 2),
            "rate_before": round(rate_before, 2),
            "rate_after": round(rate_after, 2),
            "seconds": round(time.monotonic() - began, 1),
        }
    )
    report.faults.extend(
        faults_of(
            report.document,
            [target.name for target in stage.targets],
            n_submissions=plan.n_submissions,
            least_kills=plan.least_kills,
            least_interrupted=plan.least_interrupted,
        )
    )
    return report


@contextmanager
def _stage(folder: Path, chance: Random) -> Iterator[Stage]:
    logs = folder / "logs"
    store = EmbeddedObjectStore(folder / "objects", log=logs / "objects.log")
    addresses = {
        f"PLUMBLINE_STORE_{name}": store.store_url(name.lower()) for name in STORES_OF["scoring"]
    }
    limits = {f"PLUMBLINE_QUOTA_{name}": "0" for name in UNLIMITED}
    given = {
        **dict.fromkeys(("DATABASE_URL", "BROKER_URL", "PLUMBLINE_OWNER_DATABASE_URL"), ""),
        **store.environment,
        **addresses,
        **limits,
        "PLUMBLINE_CANARY_SECONDS": "0",
        "PLUMBLINE_WORKERS": "1",
    }
    with ExitStack() as stack:
        stack.enter_context(_environment(given))
        stack.callback(store.stop, within=0)
        store.start()
        site = stack.enter_context(
            running_site(folder, host="127.0.0.1", port=free_port(), with_board=False)
        )
        second = processes.start(
            "worker-2",
            [sys.executable, "-m", "worker", "-c", "1"],
            log=logs / "worker-2.log",
            environment=site.environment("scoring"),
            folder=ROOT,
        )
        stack.callback(lambda: processes.stop([second], within=1))
        supervisors = [child for child in site.children if child.name == "worker"] + [second]
        write_bundle(light_bundle(), folder / files.NAME)
        password_file = folder / "password"
        password = kept_secret(password_file, n_bytes=9)
        site.run(
            "seed", "-m", "infra.seed", "--password-file", str(password_file),
            str(folder / files.NAME),
        )  # fmt: skip
        client = stack.enter_context(Client(site.address))
        token = client.login(ACCOUNT, password, "chaos")
        signed_in = stack.enter_context(Client(site.address, token))
        entrants = Entrants(signed_in, benchmark=files.NAME, track=TRACK)
        stack.callback(entrants.close)
        ledger = Ledger(site.services.owner_database_url)
        _seconds_until(lambda: not ledger.n_in_the_way(), ENDS_WITHIN)
        postgres, broker = site.services.postgres, site.services.broker
        assert postgres is not None and broker is not None  # no others were named
        targets = (
            WorkerParent(supervisors, ledger, chance),
            WorkerChild(supervisors, ledger, chance),
            Service("broker", broker),
            Postmaster(postgres, chance),
            Service("object_store", store),
        )
        yield Stage(site, ledger, entrants, targets)


@contextmanager
def _environment(given: Mapping[str, str]) -> Iterator[None]:
    """The environment that the site's processes are told from, for as long as the block runs."""
    before = dict(os.environ)
    os.environ.update(given)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _drain(stage: Stage, some: Sequence[Paper]) -> float:
    """Submissions per second from the first post to the last end, with nothing in the way."""
    began = time.monotonic()
    for paper in some:
        stage.entrants.post(paper)
    stage.entrants.wait()
    _seconds_until(lambda: not stage.ledger.n_unfinished(), ENDS_WITHIN)
    return len(some) / (time.monotonic() - began)


def _storm(
    stage: Stage, plan: Plan, some: Sequence[Paper], chance: Random
) -> tuple[Counter[str], list[float]]:
    """Kills by target, and when things returned; load and kills keep step."""
    order = _order(stage.targets, plan.n_kills, chance)
    tap = Tap(stage.ledger)
    for place, paper in enumerate(some):
        stage.entrants.post(paper, when=partial(tap.is_open_for, place))
    kills: Counter[str] = Counter()
    returns: list[float] = []
    n_done = 0
    while n_done < len(order):
        time.sleep(chance.uniform(*GAP_SECONDS))
        together = order[n_done : n_done + 1 + (chance.random() < TWO_AT_ONCE)]
        # The share (k + 1) / n of the papers before the k-th kill, and then a moment: it meets
        # one of many, and not always the oldest, which the last kill has left.
        tap.let_out(len(some) * (n_done + 1) // len(order))
        tap.keep_flowing()
        time.sleep(chance.uniform(*MOMENT_SECONDS))
        for target in together:
            target.strike()
            kills[target.name] += 1
        time.sleep(chance.uniform(*OUTAGE_SECONDS))
        for target in together:
            target.mend()
        returns.append(time.time())
        n_done += len(together)
        _say(f"{n_done} of {len(order)} kills, {stage.ledger.n_unfinished()} unfinished")
    tap.let_out(len(some))
    stage.entrants.wait()
    return kills, returns


class Tap:
    """Lets papers out in their order, and not too many at once."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._n_out = 0

    def let_out(self, n_papers: int) -> None:
        """So many in all, from the first on."""
        self._n_out = max(self._n_out, n_papers)

    def keep_flowing(self) -> None:
        """Wait until a few are under way; where everything is done already, a few more."""
        if not processes.poll(self._is_flowing, within=FLOWS_WITHIN):
            self._n_out += N_FLOWING
            processes.poll(self._is_flowing, within=FLOWS_WITHIN)

    def _is_flowing(self) -> bool:
        return self._ledger.n_unfinished() >= N_FLOWING

    def is_open_for(self, place: int) -> bool:
        return place < self._n_out and self._ledger.n_unfinished() < IN_FLIGHT


def _order(targets: Sequence[Target], n_kills: int, chance: Random) -> list[Target]:
    """Each target as often as the floor wants, the rest at random, shuffled."""
    floor = min(5, n_kills // len(targets))
    order = [target for target in targets for _ in range(floor)]
    order += chance.choices(targets, k=n_kills - len(order))
    chance.shuffle(order)
    return order


def _seconds_until(is_so: Callable[[], bool], within: float) -> float:
    """How long it took; not longer than `within`, after which the sums will tell."""
    began = time.monotonic()
    processes.poll(is_so, within=within, pause_seconds=0.1)
    return time.monotonic() - began


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
