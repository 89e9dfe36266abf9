"""What all sites share. The environment fills in the rest, by name."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from portal import environment, logs, mail

PORTAL = Path(__file__).resolve().parent.parent

SECRET_KEY = environment.text("PLUMBLINE_SECRET_KEY")
DEBUG = False
BASE_URL = environment.text("PLUMBLINE_BASE_URL", "http://localhost:8000").rstrip("/")
ALLOWED_HOSTS = environment.words("PLUMBLINE_ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
CSRF_TRUSTED_ORIGINS = [BASE_URL]

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "ninja",  # its docs page is served from our own files
    "portal.accounts",
    "portal.benchmarks",
    "portal.submissions",
    "portal.evaluations",
    "portal.leaderboard",
    "portal.site",
]

MIDDLEWARE = [
    "portal.tracing.NamedRequests",
    "portal.site.middleware.FaultPages",  # what the middleware below refuses
    "portal.middleware.FaultsAnswered",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "portal.middleware.ContentPolicy",
    "portal.middleware.UploadLimit",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    # What views raise: a page before the lengths and cookies of the answer are settled above.
    "portal.site.middleware.FaultPages",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

ROOT_URLCONF = "portal.urls"
WSGI_APPLICATION = "portal.wsgi.application"
ASGI_APPLICATION = "portal.asgi.application"

# A transaction that waits or idles this long is a fault; leases last 8 seconds.
SESSION_OPTIONS = "-c lock_timeout=5s -c idle_in_transaction_session_timeout=30s"
DATABASES = {
    "default": environment.postgresql(
        environment.text("DATABASE_URL"), session_options=SESSION_OPTIONS
    )
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "accounts.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "/account/sign-in/"
LOGIN_REDIRECT_URL = "/submissions/"
LOGOUT_REDIRECT_URL = "/board/"

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "portal.site.views.faults.form_expired"
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

LANGUAGE_CODE = "en-gb"
USE_I18N = False
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "/static/"
STATIC_ROOT = environment.text("PLUMBLINE_STATIC_ROOT", str(PORTAL.parent.parent / "build/static"))
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

# Requests that are worked on at once, each with a connection to the database.
WEB_THREADS = environment.number("PLUMBLINE_WEB_THREADS", 16, least=1)

# Uploads: one file, few fields, streamed to a temporary file, capped while it streams.
MAX_UPLOAD_BYTES = environment.number("PLUMBLINE_MAX_UPLOAD_BYTES", 256 * 1024 * 1024)
# Beyond that limit files go straight to the store, where it is a bucket, in parts like these.
MAX_DIRECT_BYTES = environment.number("PLUMBLINE_MAX_DIRECT_BYTES", 2 * 1024**3)
PART_BYTES = environment.number("PLUMBLINE_PART_BYTES", 16 * 1024**2, least=5 * 1024**2)
FILE_UPLOAD_HANDLERS = ["portal.submissions.uploads.CappedUpload"]
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 100  # the admin's form of a team has three for each member
MAX_UPLOAD_FIELDS = 20  # beside a file
DATA_UPLOAD_MAX_NUMBER_FILES = 1

# Files from this size on wait in a queue of their own, so that they hold up no others.
LARGE_FILE_BYTES = environment.number("PLUMBLINE_LARGE_FILE_BYTES", 32 * 1024 * 1024)

# What a team may send; 0 is no limit. A version may say otherwise of the first two.
QUOTA_PER_DAY = environment.number("PLUMBLINE_QUOTA_PER_DAY", 100)
QUOTA_IN_ALL = environment.number("PLUMBLINE_QUOTA_IN_ALL", 2000)
QUOTA_WAITING = environment.number("PLUMBLINE_QUOTA_WAITING", 50)
QUOTA_INVALID_PER_DAY = environment.number("PLUMBLINE_QUOTA_INVALID_PER_DAY", 500)

# What a scoring child may use, and how long the row is ours between heartbeats.
SCORING_MEMORY_BYTES = environment.number("PLUMBLINE_SCORING_MEMORY_BYTES", 1536 * 1024 * 1024)
SCORING_CPU_SECONDS = environment.number("PLUMBLINE_SCORING_CPU_SECONDS", 120)
SCORING_WALL_SECONDS = environment.number("PLUMBLINE_SCORING_WALL_SECONDS", 300)
LEASE_SECONDS = environment.number("PLUMBLINE_LEASE_SECONDS", 8)

# How often the house sends a file of its own to each open version, and when it misses it.
CANARY_SECONDS = environment.number("PLUMBLINE_CANARY_SECONDS", 900)
CANARY_LATE_SECONDS = environment.number("PLUMBLINE_CANARY_LATE_SECONDS", 60)

# Who is told when something is amiss, and how.
_MAIL = mail.mail_at(environment.text("PLUMBLINE_EMAIL_URL", "none:"))
EMAIL_BACKEND = _MAIL.backend
EMAIL_HOST, EMAIL_PORT = _MAIL.host, _MAIL.port
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = _MAIL.user, _MAIL.password
EMAIL_USE_TLS, EMAIL_USE_SSL = _MAIL.has_starttls, _MAIL.has_tls
EMAIL_TIMEOUT = 10
EMAIL_SUBJECT_PREFIX = "[Plumbline] "
ADMINS = mail.people(environment.text("PLUMBLINE_ADMINS", ""))
DEFAULT_FROM_EMAIL = SERVER_EMAIL = environment.text(
    "PLUMBLINE_EMAIL_FROM", f"plumbline@{urlsplit(BASE_URL).hostname}"
)

# The status page is made anew no more often, however many people look.
STATUS_SECONDS = 2.0

# Who may read /metrics; nobody may where it is empty.
METRICS_TOKEN = environment.text("PLUMBLINE_METRICS_TOKEN", "")

LOGGING = logs.configuration(logs.chosen_form())
