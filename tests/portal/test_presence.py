"""Processes say that they are there; whoever is silent is not counted on."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from portal import services
from portal.evaluations.models import Presence

pytestmark = pytest.mark.django_db

SCORER = "host:1"


def silent_for(seconds: float, name: str = SCORER) -> None:
    rows = Presence.objects.filter(name=name)
    assert rows.update(seen_at=Now() - timedelta(seconds=seconds)) == 1


def test_who_announces_is_present_with_what_it_last_said() -> None:
    services.announce_presence(name=SCORER, queues=("score",), n_slots=1)
    services.announce_presence(name=SCORER, queues=("score", "large"), n_slots=3)
    services.announce_presence(name="host:2", queues=("housekeeping",), n_slots=0)
    found = [(who.name, who.queues, who.n_slots) for who in services.list_present()]
    assert found == [(SCORER, ("score", "large"), 3), ("host:2", ("housekeeping",), 0)]


def test_repeating_keeps_the_start_and_moves_the_last_sight() -> None:
    services.announce_presence(name=SCORER, queues=("score",), n_slots=1)
    [first] = services.list_present()
    services.announce_presence(name=SCORER, queues=("score",), n_slots=1)
    [second] = services.list_present()
    assert second.started_at == first.started_at
    assert second.seen_at > first.seen_at


def test_fifteen_silent_seconds_make_a_process_absent_until_it_speaks() -> None:
    services.announce_presence(name=SCORER, queues=("score",), n_slots=1)
    silent_for(16)
    assert services.list_present() == []
    services.announce_presence(name=SCORER, queues=("score",), n_slots=1)
    assert len(services.list_present()) == 1


def test_who_takes_leave_is_gone_at_once() -> None:
    services.announce_presence(name=SCORER, queues=("score",), n_slots=1)
    services.withdraw_presence(name=SCORER)
    assert services.list_present() == []


def test_rows_of_a_day_ago_go_when_somebody_new_appears() -> None:
    services.announce_presence(name=SCORER, queues=("score",), n_slots=1)
    silent_for(24 * 3600 + 1)
    services.announce_presence(name="host:2", queues=("score",), n_slots=1)
    assert list(Presence.objects.values_list("name", flat=True)) == ["host:2"]


def test_names_longer_than_the_field_are_cut_alike() -> None:
    name = "h" * 300
    services.announce_presence(name=name, queues=("score",), n_slots=1)
    services.announce_presence(name=name, queues=("score",), n_slots=1)
    services.withdraw_presence(name=name)
    assert not Presence.objects.exists()
