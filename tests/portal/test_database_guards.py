"""What the database itself refuses, whoever asks."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, connection, transaction

from portal.evaluations.models import Event

pytestmark = pytest.mark.django_db


def test_events_are_never_changed_or_deleted() -> None:
    event = Event.objects.create(kind="test", actor="nobody")
    for statement in ("UPDATE evaluations_event SET kind = 'x'", "DELETE FROM evaluations_event"):
        with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    event.refresh_from_db()
    assert event.kind == "test"
