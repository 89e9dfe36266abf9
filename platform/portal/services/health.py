"""Whether the house stands."""

from __future__ import annotations

from django.db import Error, connection
from django.db.models import Max

from portal.evaluations.models import Evaluation
from portal.exchange.queue import is_broker_up
from portal.services.values import HealthDocument


def health() -> HealthDocument:
    """Database, broker, what waits, and when the last score was recorded. Never raises for them."""
    broker = is_broker_up()
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        n_waiting = Evaluation.objects.filter(status=Evaluation.Status.QUEUED).count()
        scored = Evaluation.objects.filter(
            status=Evaluation.Status.SCORED, started_at__isnull=False
        )
        latest = scored.aggregate(latest=Max("finished_at"))["latest"]
    except Error:
        return {
            "status": "degraded",
            "database": False,
            "broker": broker,
            "n_waiting": None,
            "last_scored_at": None,
        }
    return {
        "status": "ok" if broker else "degraded",
        "database": True,
        "broker": broker,
        "n_waiting": n_waiting,
        "last_scored_at": latest,
    }
