"""The sweeper: `python -m worker.housekeeping` rings for what waits and ends what cannot go on.

It deletes uploads that nobody needs, too. Two of them do no harm: every step is a conditional
update, a bell, or taken under a lock.
"""

from __future__ import annotations

import logging
import os
import signal
import threading

import django

PAUSE_SECONDS = 1.0
BOARDS_EVERY = 10  # rounds
PRESENCE_EVERY = 4
WATCH_EVERY = 2
PRUNE_EVERY = 600

logger = logging.getLogger("worker.housekeeping")


def main() -> None:
    """Sweep every second until told to stop."""
    from portal import services
    from portal.exchange import storage
    from worker import presence
    from worker.alerting import Alerter
    from worker.tidying import start_tidying

    if storage.role() != "housekeeping":
        raise SystemExit(
            f"PLUMBLINE_ROLE is {storage.role()!r}: housekeeping starts with 'housekeeping' only"
        )
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    start_tidying(stop)
    alerter = Alerter()
    alerter.start()
    n_rounds, suspected = 0, frozenset[str]()
    while not stop.wait(PAUSE_SECONDS):
        if n_rounds % PRESENCE_EVERY == 0:
            presence.announce((services.HOUSEKEEPING,), n_slots=0)
        sweep_once(with_boards=n_rounds % BOARDS_EVERY == 0)
        if n_rounds % WATCH_EVERY == 0:
            suspected = watch_once(suspected, with_pruning=n_rounds % PRUNE_EVERY == 0)
        n_rounds += 1
    alerter.stop()
    presence.withdraw()


def sweep_once(*, with_boards: bool) -> None:
    """One round; a database that is away is waited for."""
    from django.db import Error, close_old_connections

    from portal import services

    close_old_connections()
    try:
        swept = services.sweep()
        n_boards = services.ring_for_boards() if with_boards else 0
        if with_boards:
            services.ring_for_comparisons()
    except Error as error:
        logger.warning("the database is away: %s", error)
        return
    if swept.n_failed or swept.n_given_up or swept.n_bells or n_boards:
        logger.info("swept: %s, %d boards", swept, n_boards)


def watch_once(suspected: frozenset[str], *, with_pruning: bool) -> frozenset[str]:
    """Send canaries that are due, and note what is amiss; `alerting` sends word of it.

    Args:
        suspected: what the last look gave: queues that stood still.
    """
    from django.db import Error

    from portal import services

    try:
        services.send_canaries()
        services.watch_canaries()
        if with_pruning:
            services.prune_canaries()
        return services.watch_queues(suspected=suspected)
    except Error as error:
        logger.warning("the road was not watched: %s", error)
    except Exception:
        # The rim: whatever it was, sweeping goes on and the next look may succeed.
        logger.exception("the road was not watched")
    return frozenset()


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings.production")
    django.setup()
    main()
