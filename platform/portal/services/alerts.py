"""Word to maintainers of what is amiss: mail, made from the event log.

An event that was told stands in the list of a later one, so nothing is lost while the mail
server is away and nothing is told twice. What happens at once goes into one message.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import timedelta
from email.utils import formataddr
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db.models.functions import Now

from portal import locks
from portal.accounts.models import User
from portal.evaluations import events
from portal.evaluations.models import Event
from portal.services.alert_lines import Line, lines_of

logger = logging.getLogger(__name__)

KINDS = (
    events.CANARY_LATE,
    events.CANARY_FAILED,
    events.CANARY_RECOVERED,
    events.QUEUE_STALLED,
    events.QUEUE_MOVING,
    events.EVALUATION_FAILED,
    events.SUBMISSION_ALIKE,
)
KEPT = timedelta(days=1)  # what could not be told for longer is old news
SETTLED = timedelta(seconds=5)  # what happens together is committed by then
# After so many messages within the hour the next one waits so long: seldom, the more there are.
PAUSES = (0, 20, 80, 320, 900)  # seconds
MAX_LINES = 50
MAX_SUBJECT = 100
NOWHERE = "django.core.mail.backends.dummy.EmailBackend"


def mail_alerts() -> int:
    """Tell maintainers what they were not told yet; returns how many messages went out.

    Raises:
        OSError, SMTPException: no message could be sent; the next call tries again.
    """
    if settings.EMAIL_BACKEND == NOWHERE:
        return 0
    with locks.sole("mail alerts") as is_ours:
        happened = _untold() if is_ours and _may_send() else []
        messages = _messages(lines_of(happened)) if happened else []
        if not messages:
            return 0
        n_sent = _send(messages)
        # After sending: a message may come twice, and none is lost.
        events.record(
            events.ALERTS_SENT,
            actor=events.HOUSE,
            events=[event.id for event in happened],
            n_messages=n_sent,
        )
    return n_sent


def _untold() -> list[Event]:
    """What happened lately and stands in no message."""
    told = Event.objects.filter(kind=events.ALERTS_SENT, at__gt=Now() - KEPT)
    ids = {id_ for data in told.values_list("data", flat=True) for id_ in data["events"]}
    rows = Event.objects.filter(kind__in=KINDS, at__gt=Now() - KEPT, at__lt=Now() - SETTLED)
    return [event for event in rows.order_by("id") if event.id not in ids]


def _may_send() -> bool:
    """Whether the last message is long enough ago, for as many as there were."""
    lately = Event.objects.filter(kind=events.ALERTS_SENT, at__gt=Now() - timedelta(hours=1))
    pause = timedelta(seconds=PAUSES[min(lately.count(), len(PAUSES) - 1)])
    return not lately.filter(at__gt=Now() - pause).exists()


def _messages(lines: Sequence[Line]) -> list[EmailMessage]:
    """One message for all administrators, one for each maintainer with what concerns them."""
    if not lines:
        return []
    admins = [formataddr(person) for person in settings.ADMINS]
    messages = [_message(admins, lines)] if admins else []
    known = {address.casefold() for _, address in settings.ADMINS}
    maintainers = User.objects.filter(is_active=True, maintained_benchmarks__isnull=False)
    maintainers = maintainers.exclude(email="").distinct().order_by("id")
    for person in maintainers.prefetch_related("maintained_benchmarks"):
        if person.email.casefold() in known:
            continue
        known.add(person.email.casefold())
        theirs = {benchmark.id for benchmark in person.maintained_benchmarks.all()}
        # What concerns the whole house is everybody's where there is no administrator.
        concerned = [
            line
            for line in lines
            if line.benchmark in theirs or (line.benchmark is None and not admins)
        ]
        if concerned:
            messages.append(_message([person.email], concerned))
    return messages


def _message(to: list[str], lines: Sequence[Line]) -> EmailMessage:
    texts = [" ".join(line.text.split()) for line in lines]
    subject = texts[0] if len(texts) == 1 else f"{len(texts)} alerts: {texts[0]}"
    if len(subject) > MAX_SUBJECT:
        subject = subject[: MAX_SUBJECT - 1] + "…"
    more = [f"… and {len(texts) - MAX_LINES} more"] if len(texts) > MAX_LINES else []
    body = [
        *(f"- {text}" for text in (*texts[:MAX_LINES], *more)),
        "",
        f"Events: {settings.BASE_URL}/admin/evaluations/event/",
        f"Flags: {settings.BASE_URL}/admin/evaluations/flag/",
    ]
    return EmailMessage(f"{settings.EMAIL_SUBJECT_PREFIX}{subject}", "\n".join(body) + "\n", to=to)


def _send(messages: Sequence[EmailMessage]) -> int:
    """How many went out; an address that is refused keeps nobody else from reading."""
    n_sent, refused = 0, None
    with get_connection() as way:
        for message in messages:
            try:
                n_sent += way.send_messages([message]) or 0
            except (OSError, SMTPException) as error:
                logger.error("no alert to %s: %s", ", ".join(message.to), error)
                refused = error
    if refused is not None and not n_sent:
        raise refused
    return n_sent
