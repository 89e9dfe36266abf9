"""The examples for production say who holds which key, and name only what exists."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.urls import resolve

INFRA = Path(__file__).resolve().parents[2] / "infra"
HIDDEN = {"PLUMBLINE_STORE_TRUTH", "PLUMBLINE_STORE_OUTCOMES"}
SECRETS = {"PLUMBLINE_SECRET_KEY", "DATABASE_URL", "BROKER_URL"}


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    services: dict[str, Any] = yaml.safe_load((INFRA / "compose.yaml").read_text())["services"]
    return services


@pytest.fixture(scope="module")
def cluster() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((INFRA / "kubernetes" / "plumbline.yaml").read_text()))


def volumes_of(service: dict[str, Any]) -> set[str]:
    return {volume.partition(":")[0] for volume in service.get("volumes", [])}


def test_compose_keeps_the_truth_from_the_portal(services: dict[str, Any]) -> None:
    portal = services["portal"]
    assert not HIDDEN & set(portal["environment"])
    assert not {"truth", "outcomes"} & volumes_of(portal)
    assert set(services["worker"]["environment"]) >= HIDDEN
    assert "truth:/data/truth:ro" in services["worker"]["volumes"]
    housekeeping = services["housekeeping"]
    assert housekeeping["environment"]["PLUMBLINE_ROLE"] == "housekeeping"
    assert not HIDDEN & set(housekeeping["environment"])
    assert volumes_of(housekeeping) == {"uploads"}


def test_compose_gives_the_board_an_address_and_nothing_else(services: dict[str, Any]) -> None:
    board = services["board"]
    assert set(board["environment"]) == {"PLUMBLINE_API_URL", "PLUMBLINE_PUBLIC_URL"}
    assert not volumes_of(board)
    assert board["networks"] == ["pages"]
    assert "pages" not in services["postgres"]["networks"]


def test_the_owner_of_the_database_serves_nothing(
    services: dict[str, Any], cluster: list[dict[str, Any]]
) -> None:
    urls = {
        name: service["environment"]["DATABASE_URL"]
        for name, service in services.items()
        if "DATABASE_URL" in service["environment"]
    }
    as_owner = {name for name, url in urls.items() if url.startswith("postgresql://plumbline:")}
    assert as_owner == {"migrate", "maintain"}
    assert {url.partition(":$")[0] for name, url in urls.items() if name not in as_owner} == {
        "postgresql://plumbline_app"
    }
    for one in cluster:
        is_migration = one["metadata"]["name"] == "plumbline-migrate"
        assert ("plumbline-owner" in str(one)) == is_migration


def test_only_the_proxy_is_reached_from_outside(services: dict[str, Any]) -> None:
    assert [name for name, service in services.items() if service.get("ports")] == ["proxy"]


def test_every_image_that_is_built_has_its_stage(services: dict[str, Any]) -> None:
    stages = set(re.findall(r" AS (\w+)", (INFRA / "images" / "Dockerfile").read_text()))
    builds = [service["build"] for service in services.values() if "build" in service]
    assert {build["target"] for build in builds} == {"portal", "worker", "board"} <= stages
    built = {"plumbline-" + build["target"] for build in builds}
    used = {service["image"] for service in services.values()}
    assert {image for image in used if image.startswith("plumbline-")} == built


def test_the_cluster_keeps_the_truth_from_the_portal(cluster: list[dict[str, Any]]) -> None:
    maps = {one["metadata"]["name"]: one["data"] for one in cluster if one["kind"] == "ConfigMap"}
    assert set(maps["plumbline-scoring"]) >= HIDDEN
    assert not HIDDEN & set(maps["plumbline-site"])
    told = {}
    for one in cluster:
        if one["kind"] == "Deployment":
            for container in one["spec"]["template"]["spec"]["containers"]:
                sources = container.get("envFrom", [])
                refs = [next(iter(source.values()))["name"] for source in sources]
                told[container["name"]] = set(refs)
    assert told == {
        "portal": {"plumbline-site", "plumbline"},
        "worker": {"plumbline-site", "plumbline-scoring", "plumbline"},
        "housekeeping": {"plumbline-site", "plumbline"},
        "board": set(),
    }


def test_every_setting_is_in_the_table_of_the_manual() -> None:
    manual = (INFRA.parent / "docs" / "operations.md").read_text()
    told = set(re.findall(r"^\| `([A-Z_]+)`", manual, flags=re.MULTILINE))
    sources = [path.read_text() for path in (INFRA.parent / "platform" / "portal").rglob("*.py")]
    read = set()
    for source in sources:
        read |= set(re.findall(r'environment\.(?:text|number|flag|words)\(\s*"(\w+)"', source))
    assert read <= told, read - told


def test_alerts_name_figures_that_exist() -> None:
    rules = (INFRA / "prometheus" / "rules.yaml").read_text()
    yaml.safe_load(rules)
    described = (INFRA.parent / "docs" / "operations.md").read_text()
    used = set(re.findall(r"plumbline_\w+", rules))
    assert used
    for name in used:
        assert name.removesuffix("_count") in described
    for alert in re.findall(r"alert: (\w+)", rules):
        assert f"`{alert}`" in described


def test_the_portal_gets_visitors_once_it_is_ready(
    services: dict[str, Any], cluster: list[dict[str, Any]]
) -> None:
    address = "/api/v1/ready"
    assert resolve(address).route == "api/v1/ready"
    assert address in str(services["portal"]["healthcheck"])
    assert services["proxy"]["depends_on"]["portal"]["condition"] == "service_healthy"
    [portal] = [
        one["spec"]["template"]["spec"]["containers"][0]
        for one in cluster
        if one["kind"] == "Deployment" and one["metadata"]["name"] == "portal"
    ]
    assert portal["readinessProbe"]["httpGet"]["path"] == address
    # A probe that asks the database would have all processes started anew when it is away.
    assert portal["livenessProbe"]["httpGet"]["path"] == "/api/v1/problems"
