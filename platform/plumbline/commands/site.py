"""The site a command talks to, and how benchmarks are named there."""

from __future__ import annotations

import argparse

from plumbline import credentials
from plumbline.addresses import site_address
from plumbline.client import Client
from plumbline.faults import Exit, Fault


def client_of(args: argparse.Namespace) -> Client:
    """A client for the named site, signed in where a token is at hand."""
    site = site_address(credentials.server(args.server))
    return Client(site, credentials.token(site))


def named_version(client: Client, address: str) -> tuple[str, str]:
    """Benchmark and version of `NAME` or `NAME@VERSION`; the promoted one by default.

    Raises:
        Fault: not such a name, or the benchmark has no version to show.
    """
    name, at, version = address.partition("@")
    if not name or (at and not version):
        raise Fault(f"{address!r} is not NAME or NAME@VERSION.")
    if version:
        return name, version
    benchmark = client.benchmark(name)
    promoted = benchmark.get("promoted")
    if promoted:
        return name, str(promoted)
    versions = [str(found["version"]) for found in benchmark["versions"]]
    if len(versions) == 1:
        return name, versions[0]
    listed = ", ".join(f"{name}@{found}" for found in versions) or "none"
    raise Fault(f"{name} has no promoted version; name one of: {listed}.", Exit.NOT_FINE)
