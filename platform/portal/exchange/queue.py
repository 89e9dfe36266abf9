"""The Celery application, and `post`: ring the bell for a row that waits in the database.

A letter carries ids only; losing one delays work by seconds and loses nothing.
"""

from __future__ import annotations

import functools
import logging
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from celery import Celery
from kombu import Exchange, Queue
from kombu.exceptions import KombuError
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeout

from portal import environment
from portal.exchange.jobs import PRIORITY_OF, QUEUE_OF, QUEUES

logger = logging.getLogger(__name__)

BROKER_URL = environment.text("BROKER_URL")
KEY_PREFIX = environment.text("PLUMBLINE_BROKER_PREFIX", "plumbline:")
BELL_SECONDS = 0.2  # per step of reaching the broker; a web request waits for no bell

app = Celery("plumbline", broker=BROKER_URL)
app.conf.update(
    task_serializer="json",
    accept_content=["json"],
    result_backend=None,
    task_ignore_result=True,
    task_store_errors_even_if_ignored=False,
    # A row comes back by its lease, not by its letter. Late acknowledgement would gain
    # nothing and make workers mute: see docs/decisions/0018-mute-workers.md.
    task_acks_late=False,
    worker_prefetch_multiplier=1,
    worker_enable_remote_control=False,
    worker_send_task_events=False,
    worker_hijack_root_logger=False,
    worker_cancel_long_running_tasks_on_connection_loss=False,
    worker_soft_shutdown_timeout=5.0,
    worker_proc_alive_timeout=30.0,
    broker_connection_retry=True,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    broker_transport_options={
        "global_keyprefix": KEY_PREFIX,
        "visibility_timeout": 600,
        "socket_connect_timeout": 2,
        "health_check_interval": 10,
        "queue_order_strategy": "priority",
        "max_retries": 1,
    },
    task_queues=[Queue(name, Exchange(name), routing_key=name) for name in QUEUES],
    task_default_queue="maintenance",
    task_create_missing_queues=False,
    task_routes={name: {"queue": queue} for name, queue in QUEUE_OF.items()},
    timezone="UTC",
    enable_utc=True,
)

# What a dead, restarting or refusing broker raises on the way.
_FAULTS = (OSError, KombuError, RedisError)


def _quick_connection() -> Any:  # kombu.Connection, which ships no types
    """A connection that gives up after BELL_SECONDS instead of waiting for the broker."""
    options = {
        **app.conf.broker_transport_options,
        "socket_connect_timeout": BELL_SECONDS,
        "socket_timeout": BELL_SECONDS,
        "max_retries": 0,
        "retry_on_timeout": False,
    }
    return app.connection_for_write(transport_options=options, connect_timeout=BELL_SECONDS)


def post(name: str, *ids: object, queue: str | None = None, priority: int | None = None) -> bool:
    """Ring for a task; False if the broker could not be reached in time. Never raises for that.

    Args:
        name: a task of `portal.exchange.jobs`.
        ids: what the letter carries; written as text.
        queue: another than the one of such letters.
        priority: another than that of such letters; 0 is taken first.
    """
    letter = functools.partial(
        app.send_task,
        name,
        args=[str(value) for value in ids],
        queue=queue or QUEUE_OF[name],
        priority=PRIORITY_OF[name] if priority is None else priority,
        retry=False,
        ignore_result=True,
    )
    try:
        _line.carry(letter)
    except _FAULTS as error:
        logger.warning("no bell for %s %s: %s", name, ids, error)
        return False
    return True


class _Line(threading.local):
    """This thread's own connection for letters, kept from one to the next.

    A connection for each letter costs as much as the rest of accepting a submission.
    """

    def __init__(self) -> None:
        self._made_for: tuple[int, str] | None = None
        self._producer: Any = None  # kombu.Producer, which ships no types

    def carry(self, letter: Callable[..., object]) -> None:
        """Send a letter; once more, where the line was an old one that the broker had closed."""
        wanted = (os.getpid(), app.conf.broker_url)
        is_old = self._made_for == wanted
        if not is_old:
            self._made_for, self._producer = wanted, app.amqp.Producer(_quick_connection())
        try:
            letter(producer=self._producer)
        except _FAULTS as error:
            self._hang_up()
            # A broker that is slow to answer will not be quicker over another line.
            is_slow = isinstance(error.__cause__ or error, RedisTimeout)
            if not is_old or is_slow:
                raise
            self.carry(letter)

    def _hang_up(self) -> None:
        with suppress(*_FAULTS):
            self._producer.connection.release()
        self._made_for = self._producer = None


_line = _Line()


def n_waiting_letters(queue: str) -> int | None:
    """Letters that lie in a queue; None if the broker does not answer."""
    try:
        with _quick_connection() as connection:
            # Not passive: kombu then asks EXISTS without the prefix and finds no queue.
            declared = connection.default_channel.queue_declare(queue=queue)
            return int(declared.message_count)
    except _FAULTS:
        return None


def is_broker_up() -> bool:
    """Whether the broker answers within BELL_SECONDS."""
    return n_waiting_letters(QUEUES[0]) is not None
