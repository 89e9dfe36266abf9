"""How a line of the log looks, and which submission it concerns.

Modules log through the standard library. Here each line gets the ids that were bound
around it, and its form: JSON for machines, or plain lines for people. It must not know
what the ids stand for.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any, Literal

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from portal import environment

Form = Literal["json", "lines"]

FORMS: tuple[Form, ...] = ("json", "lines")
# Ids in the order in which they stand in a line.
IDS = ("submission", "evaluation", "attempt", "request")

# What would end a line, or paint on a terminal.
_UNSEEN = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160))}


def about(**ids: object) -> AbstractContextManager[None]:
    """While the block runs, every line of this context carries these ids."""
    return structlog.contextvars.bound_contextvars(**_texts(ids))


def begin_request(name: str) -> None:
    """From now on, every line of this thread carries this name, until the next request begins.

    Django still writes about a request when all middleware is done with it.
    """
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(request=name)


def concern(**ids: object) -> None:
    """From now on, every line of this request carries these ids; outside of one, none does."""
    if "request" in structlog.contextvars.get_contextvars():
        structlog.contextvars.bind_contextvars(**_texts(ids))


def chosen_form() -> Form:
    """PLUMBLINE_LOG_FORMAT; by default JSON in production, plain lines elsewhere."""
    module = environment.text("DJANGO_SETTINGS_MODULE", "portal.settings.production")
    default = "json" if module.endswith(".production") else "lines"
    found = environment.text("PLUMBLINE_LOG_FORMAT", default)
    if found not in FORMS:
        raise environment.EnvironmentIncomplete(
            f"PLUMBLINE_LOG_FORMAT is {found!r}: not one of {', '.join(FORMS)}"
        )
    return found


def configuration(form: Form) -> dict[str, Any]:
    """The settings of `logging` for a process of the house: one handler, on standard error."""
    ours: dict[str, Any] = {"handlers": [], "propagate": True}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "house": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": _prepared(),
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    _json_line() if form == "json" else _plain_line,
                ],
            }
        },
        "handlers": {
            "stderr": {"class": "logging.StreamHandler", "formatter": "house", "stream": sys.stderr}
        },
        "root": {"handlers": ["stderr"], "level": "INFO"},
        "loggers": {
            # These would write in forms of their own.
            **dict.fromkeys(("django", "django.server", "py.warnings"), ours),
            **dict.fromkeys(("uvicorn", "uvicorn.error", "uvicorn.access"), ours),
            "multiprocessing": {"handlers": ["stderr"], "propagate": False},
            # A letter that arrived or was done with: the scoring says more, with its ids.
            "celery.worker.strategy": {"level": "WARNING"},
            "celery.app.trace": {"level": "WARNING"},
        },
    }


def _prepared() -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.CallsiteParameterAdder(
            [structlog.processors.CallsiteParameter.PROCESS]
        ),
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
        structlog.processors.format_exc_info,
        _in_order,
    ]


def _in_order(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """The same words in the same place of every line."""
    first = ("at", "level", "logger", "event", *IDS)
    ordered = {name: event[name] for name in first if name in event}
    return {**ordered, **event}


def _json_line() -> Processor:
    return structlog.processors.JSONRenderer()


def _plain_line(logger: WrappedLogger, method: str, event: EventDict) -> str:
    ids = " ".join(f"{name}={event[name]}" for name in IDS if name in event)
    at, said = event["at"][:23].replace("T", " "), str(event["event"]).translate(_UNSEEN)
    line = f"{at} {event['level'].upper()} {event['logger']}: {said}" + (f" [{ids}]" if ids else "")
    return f"{line}\n{event['exception']}" if "exception" in event else line


def _texts(ids: Mapping[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in ids.items() if value is not None}
