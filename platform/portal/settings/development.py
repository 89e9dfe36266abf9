"""One machine, one developer: `make demo` and `manage.py runserver`."""

from __future__ import annotations

import os

os.environ.setdefault("PLUMBLINE_EMAIL_URL", "console:")  # a mailbox for one developer

from portal import environment
from portal.settings.base import *

DEBUG = environment.flag("PLUMBLINE_DEBUG")
STORAGES = {
    **STORAGES,
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True
