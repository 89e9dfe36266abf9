"""The portal as a WSGI application."""

from __future__ import annotations

import os

import django
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest

from portal.submissions.uploads import WholeForms

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings.production")


class Request(WholeForms, WSGIRequest):
    """A request over WSGI that takes no half forms."""


class Application(WSGIHandler):
    """Django's own, with our requests."""

    request_class = Request


django.setup(set_prefix=False)
application = Application()
