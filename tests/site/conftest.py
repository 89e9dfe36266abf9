"""The pages are tested on the published site of `tests.published_site`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from tests.conftest import Stores
from tests.published_site import Site, published_site
from tests.servers import Broker


@pytest.fixture(scope="module")
def built_site(
    django_db_setup: None,
    django_db_blocker: Any,
    broker_server: Broker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Site]:
    """The site, in the database for the whole module."""
    folder = tmp_path_factory.mktemp("site")
    with published_site(django_db_blocker, broker_server.url, folder) as site:
        yield site


@pytest.fixture
def site(built_site: Site, stores: Stores, db: None) -> Iterator[Site]:
    """The site as its web process sees it; what a test changes is rolled back."""
    with built_site.stores.acting_as("web"):
        yield built_site


@pytest.fixture
def ann(site: Site) -> Client:
    """The browser of somebody with submissions, signed in."""
    browser = Client()
    browser.force_login(site.users["ann"])
    return browser


@pytest.fixture
def stranger(site: Site) -> Client:
    """The browser of nobody in particular."""
    return Client()
