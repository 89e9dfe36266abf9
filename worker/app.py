"""The Celery application of the worker.

`celery -A worker.app worker -Q score,boards,maintenance`
"""

from __future__ import annotations

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings.production")
django.setup()

from portal.exchange import storage  # noqa: E402  # Django first
from portal.exchange.queue import app  # noqa: E402
from worker import boards, polling, scoring  # noqa: E402

if storage.role() != "scoring":
    raise SystemExit(
        f"PLUMBLINE_ROLE is {storage.role()!r}: the scoring worker starts with 'scoring' only"
    )

polling.start_with(app)

__all__ = ["app", "boards", "scoring"]
