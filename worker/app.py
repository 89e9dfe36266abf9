"""The Celery application of the worker, which `python -m worker` starts and keeps alive."""

from __future__ import annotations

import logging
import os
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings.production")
django.setup()
logging.captureWarnings(True)

from celery.signals import (  # noqa: E402  # Django first
    celeryd_after_setup,
    setup_logging,
    task_received,
    worker_shutting_down,
)

from portal.exchange import jobs, storage  # noqa: E402
from portal.exchange.queue import app  # noqa: E402
from worker import boards, likeness, scoring  # noqa: E402
from worker.polling import Poller  # noqa: E402
from worker.watchdog import Watchdog  # noqa: E402

if storage.role() != "scoring":
    raise SystemExit(
        f"PLUMBLINE_ROLE is {storage.role()!r}: the scoring worker starts with 'scoring' only"
    )


@setup_logging.connect(weak=False)
def keep_logging(**signal: Any) -> None:
    """Celery's own lines go the way that Django's settings have laid for all."""


for name in jobs.QUEUE_OF:
    app.tasks[name].Request = "worker.letters:Letter"


# Not `worker_ready`: that waits for the broker, which may be what is away.
@celeryd_after_setup.connect(weak=False)
def watch(instance: Any, **signal: Any) -> None:  # Any: Celery's worker, which ships no types
    """Let a poller and a watchdog live as long as this worker."""
    instance.quiet = True  # Celery's banner is no line of a log
    queues = tuple(instance.app.amqp.queues.consume_from)
    poller = Poller(queues)
    watchdog = Watchdog(queues, instance.concurrency)

    # Celery keeps weak references to receivers unless told not to.
    @task_received.connect(weak=False)
    def heard(**signal: Any) -> None:
        watchdog.heard()

    @worker_shutting_down.connect(weak=False)
    def stop(**signal: Any) -> None:
        poller.stop()
        watchdog.stop()

    poller.start()
    watchdog.start()


__all__ = ["app", "boards", "likeness", "scoring"]
