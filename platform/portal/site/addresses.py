"""Addresses of what other processes serve: boards and the API."""

from __future__ import annotations

from urllib.parse import quote, urlencode

API = "/api/v1"


def board_address(benchmark: str, version: str, track: str) -> str:
    return "/board/?" + urlencode({"benchmark": benchmark, "version": version, "track": track})


def system_address(benchmark: str, version: str, track: str, system: str) -> str:
    query = {"benchmark": benchmark, "version": version, "track": track, "system": system}
    return "/board/system?" + urlencode(query)


def questions_address(benchmark: str, version: str, track: str) -> str:
    path = f"{API}/benchmarks/{quote(benchmark)}/versions/{quote(version)}/questions"
    return f"{path}?{urlencode({'track': track})}"
