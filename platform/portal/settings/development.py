"""One machine, one developer: `make demo` and `manage.py runserver`."""

from __future__ import annotations

from portal import environment
from portal.settings.base import *

DEBUG = environment.flag("PLUMBLINE_DEBUG")
STORAGES = {
    **STORAGES,
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True
