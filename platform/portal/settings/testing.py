"""Tests: they start their own PostgreSQL and broker and set the addresses themselves.

Type checkers and pytest import this module before anything runs, so what the
environment lacks gets a value here that leads nowhere.
"""

from __future__ import annotations

import os

os.environ.setdefault("PLUMBLINE_SECRET_KEY", "for-tests-only-and-nothing-else-0123456789")
os.environ.setdefault("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/nowhere")
os.environ.setdefault("BROKER_URL", "redis://127.0.0.1:1/0")
os.environ.setdefault("PLUMBLINE_ROLE", "web")
os.environ.setdefault("PLUMBLINE_CANARY_SECONDS", "0")
os.environ.setdefault("PLUMBLINE_STORE_UPLOADS", "folder:/nowhere/uploads")
os.environ.setdefault("PLUMBLINE_STORE_QUESTIONS", "folder:/nowhere/questions")

from portal.settings.base import *  # after the defaults above

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    **STORAGES,
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True
STATUS_SECONDS = 0.0
WHITENOISE_AUTOREFRESH = True
