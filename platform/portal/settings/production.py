"""A public site behind a proxy that ends TLS and sets X-Forwarded-Proto."""

from __future__ import annotations

from portal import environment
from portal.settings.base import *

# A page that needs this long is a fault; workers and commands may take their time.
if environment.text("PLUMBLINE_ROLE", "web") == "web":
    DATABASES["default"]["OPTIONS"]["options"] += " -c statement_timeout=15s"

# Without TLS (a demo on one machine) the cookies must travel over plain HTTP.
IS_TLS = BASE_URL.startswith("https://")
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_SSL_REDIRECT = False  # the proxy redirects; health checks come over plain HTTP
SECURE_HSTS_SECONDS = environment.number("PLUMBLINE_HSTS_SECONDS", 3600) if IS_TLS else 0
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = IS_TLS
SESSION_COOKIE_NAME = "__Host-sessionid" if IS_TLS else "sessionid"
CSRF_COOKIE_NAME = "__Host-csrftoken" if IS_TLS else "csrftoken"
