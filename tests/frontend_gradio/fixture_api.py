"""A small API with a made-up board of the promised shape: ties, holes, nasty names.

Run it alone to look at the board: `python tests/frontend_gradio/fixture_api.py --port 8901`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

Json = dict[str, Any]

MARKUP_NAME = "<img src=x onerror=\"document.title='owned'\"><b>Bold</b>"
TEMPLATE_NAME = "${document.title='owned'} {{constructor}} `tick` \\u0041"
RTL_NAME = "نموذج التفاعل \u202e7B"
LONG_NAME = "Qwen3-VL-235B-A22B-Instruct-" + "with-a-very-long-suffix-" * 4 + "v2"
HOSTILE_URL = "javascript:alert(1)"

SLICES = [
    ("all", "All questions", 1274),
    ("one-person", "One person", 502),
    ("several-people", "Several people", 772),
    ("same-hoi", "Same interaction", 310),
    ("different-hoi", "Different interactions", 462),
    ("rare", "Rare classes", 138),
    ("withheld", "Top 20 classes", 64),
]
METRICS = [
    ("macro_f1", "Macro-F1", "Macro-F1", True, True),
    ("instance_f1", "Instance-F1", "Instance-F1", True, True),
    ("micro_f1", "Micro-F1", "Micro-F1", True, True),
    ("exact_match", "Exact match", "Exact", True, True),
    ("precision", "Precision, pooled", "Precision", True, False),
    ("recall", "Recall, pooled", "Recall", True, False),
    ("misattribution", "Misattribution", "Misattr.", False, True),
]
TRACKS = [
    ("all-people", "Setting 1: all people", "public"),
    ("target-box", "Setting 2: target box", "public"),
    ("detect-then-answer", "Setting 3: detect, then answer", "hidden"),
]
FACET_VALUES = {
    "vlm-zero-shot": "VLM, zero-shot",
    "hoi-specific": "HOI-specific",
    "fine-tuned": "Fine-tuned",
}
NAMES = [
    "InternVL3-38B", "InternVL3-8B", "Qwen2.5-VL-72B", "Qwen2.5-VL-32B", "Qwen2.5-VL-7B",
    "LLaVA-OneVision-72B", "LLaVA-OneVision-7B", "SmolVLM-2B", "Ovis2-16B", "MiniCPM-V-4",
    "Kimi-VL-A3B", "Gemma-3-27B", "Phi-4-multimodal", "Molmo-72B", "Pixtral-12B",
    "Aria-25B", "DeepSeek-VL2", "Idefics3-8B", LONG_NAME, MARKUP_NAME, TEMPLATE_NAME, RTL_NAME,
]  # fmt: skip
REPORTED = ["ADA-CM", "HOLa", "CMMP", "EZ-HOI", "LAIN", "Human reference"]
TRIVIAL = ["All letters", "No letter"]


def board(track: str = "all-people", n_rows: int | None = None) -> Json:
    """The board of a track; the same at every call."""
    rows = _rows(track, n_rows)
    _rank(rows)
    title, answers = next((title, how) for slug, title, how in TRACKS if slug == track)
    return {
        "benchmark": {
            "name": "sample-hoi",
            "title": "Sample HOI",
            "family": "hoi_choice",
            "family_title": "Multi-answer choice of human-object interactions",
        },
        "version": "1",
        "state": "OPEN",
        "track": {
            "slug": track,
            "title": title,
            "answers": answers,
            "note": "",
            "description": "One question per image, about all people in it.",
        },
        "tracks": [{"slug": slug, "title": name, "n_rows": len(rows)} for slug, name, _ in TRACKS],
        "slices": [
            {
                "slug": slug,
                "title": name,
                "description": f"{name} of the version.",
                "n": n,
                "metrics": [metric[0] for metric in METRICS],
            }
            for slug, name, n in SLICES
        ],
        "metrics": [
            {
                "slug": slug,
                "title": name,
                "short": short,
                "description": f"{name}, as the protocol sheet defines it.",
                "higher_is_better": up,
                "headline": headline,
            }
            for slug, name, short, up, headline in METRICS
        ],
        "primary_metric": "macro_f1",
        "facets": [
            {
                "slug": "kind",
                "title": "Kind",
                "values": [{"slug": s, "title": t} for s, t in FACET_VALUES.items()],
            }
        ],
        "rows": rows,
        "summary": {
            "n_rows": len(rows),
            "minimum_detectable": {"macro_f1": 0.021},
            "draws": 10_000,
            "level": 0.95,
            "seed": 1,
        },
        "reported_differences": [
            {
                "slice": "all",
                "metric": "macro_f1",
                "first": "ADA-CM",
                "second": "HOLa",
                "value": "5.18",
                "low": "3.55",
                "high": "6.68",
                "source": "Table 12",
            }
        ],
        "notes": ["A made-up board: none of these numbers was measured."],
        "generated_at": "2026-11-29T12:00:00+00:00",
        "last_scored_at": "2026-11-29T11:58:00+00:00",
    }


@cache
def large_board() -> Json:
    """A board of a thousand systems."""
    return board(n_rows=1000)


def _rows(track: str, n_rows: int | None) -> list[Json]:
    chance = random.Random(f"board {track}")
    names = NAMES if n_rows is None else [f"System {place:04d}" for place in range(n_rows)]
    rows = [_entrant(place, name, chance) for place, name in enumerate(names)]
    rows += [_printed(place, name, chance) for place, name in enumerate(REPORTED)]
    rows += [_trivial(place, name, chance) for place, name in enumerate(TRIVIAL)]
    return rows


def _row(slug: str, name: str, kind: str, provenance: str, scores: Json) -> Json:
    return {
        "system": slug, "name": name, "kind": kind, "provenance": provenance,
        "provenance_text": "", "team": "", "facets": {}, "url": "", "submitted_at": None,
        "submission": None, "scores": scores,
    }  # fmt: skip


def _entrant(place: int, name: str, chance: random.Random) -> Json:
    skill = 0.68 - 0.018 * (place // 2 * 2) % 0.5  # neighbours in pairs: ties
    scores = {
        slug: {metric[0]: _score(skill, slug, metric[0], n, chance, place) for metric in METRICS}
        for slug, _, n in SLICES
    }
    provenance = "run-here" if place % 5 == 0 else "submitted"
    row = _row(f"system-{place}", name, "entrant", provenance, scores)
    row["team"] = f"Team {place % 4 + 1}"
    row["facets"] = {"kind": list(FACET_VALUES)[place % 3]}
    row["url"] = HOSTILE_URL if place == 0 else f"https://example.org/models/{place}"
    row["submitted_at"] = f"2026-11-{place % 28 + 1:02d}T10:00:00+00:00"
    row["submission"] = f"00000000-0000-4000-8000-{place:012d}"
    return row


def _printed(place: int, name: str, chance: random.Random) -> Json:
    scores: Json = {"all": {}}
    for metric in ("macro_f1", "instance_f1", "micro_f1", "exact_match"):
        value = round(chance.uniform(0.3, 0.6), 4)
        scores["all"][metric] = _shown(value, None, None, 1274) | {"interval": "none"}
    human = name.startswith("Human")
    row = _row(f"reported-{place}", name, "human" if human else "reported", "reported", scores)
    row["provenance_text"] = f"Reported in the paper, Table {place + 2}"
    row["facets"] = {} if human else {"kind": "hoi-specific"}
    return row


def _trivial(place: int, name: str, chance: random.Random) -> Json:
    scores = {
        slug: {
            metric[0]: _score(0.45 - 0.3 * place, slug, metric[0], n, chance, 1)
            for metric in METRICS
        }
        for slug, _, n in SLICES
    }
    return _row(f"trivial-{place}", name, "trivial", "computed", scores)


def _score(
    skill: float, slice_: str, metric: str, n: int, chance: random.Random, place: int
) -> Json:
    if slice_ == "withheld":
        return _hole("withheld: fewer than 100 questions")
    if metric == "misattribution" and place % 7 == 3:
        return _hole("no wrong answer that is true of somebody else")
    value = skill + chance.uniform(-0.01, 0.01) - 0.05 * (slice_ != "all")
    if metric == "misattribution":
        value = 0.25 - 0.1 * skill + chance.uniform(-0.02, 0.02)
    half = 1.6 * (value * (1 - value) / n) ** 0.5
    if metric == "recall" and place == 4:
        return _shown(value, None, None, n) | {"interval": "pending"}
    return _shown(value, value - half, value + half, n)


def _shown(value: float, low: float | None, high: float | None, n: int) -> Json:
    value = round(value, 4)
    interval = "" if low is None or high is None else f"{100 * low:.1f} – {100 * high:.1f}"
    return {
        "value": value, "low": low, "high": high, "text": f"{100 * value:.2f}",
        "interval_text": interval, "n": n, "reason": None, "interval_reason": None,
        "interval": "ready" if interval else "none", "rank": None, "rank_low": None,
        "rank_high": None, "rank_text": "", "rank_interval_text": "",
        "unresolved_from_next": False, "best": False, "best_in_group": [],
    }  # fmt: skip


def _hole(reason: str) -> Json:
    return _shown(0.0, None, None, 0) | {"value": None, "text": "—", "reason": reason}


def _rank(rows: list[Json]) -> None:
    entrants = [row for row in rows if row["kind"] == "entrant"]
    for slice_, _, _ in SLICES:
        for metric, _, _, up, _ in METRICS:
            held = [row for row in entrants if row["scores"][slice_][metric]["value"] is not None]
            held.sort(key=lambda row: row["scores"][slice_][metric]["value"], reverse=up)
            seen: set[str] = set()
            for place, row in enumerate(held, 1):
                score = row["scores"][slice_][metric]
                low, high = max(1, place - 2), min(len(held), place + 2)
                kind = row["facets"]["kind"]
                score |= {
                    "rank": place, "rank_low": low, "rank_high": high, "rank_text": str(place),
                    "rank_interval_text": f"{low}–{high}",
                    "unresolved_from_next": place % 2 == 1 and place < len(held),
                    "best": place == 1,
                    "best_in_group": [] if kind in seen else [f"kind:{kind}"],
                }  # fmt: skip
                seen.add(kind)


def difference(first: Json, second: Json, slice_: str, metric: str) -> Json:
    """First minus second, with an interval as wide as the two suggest."""
    a = first["scores"].get(slice_, {}).get(metric)
    b = second["scores"].get(slice_, {}).get(metric)
    found: Json = {"slice": slice_, "metric": metric, "reason": None}
    if not a or not b or a["value"] is None or b["value"] is None or a["low"] is None:
        return found | {
            "value": None, "low": None, "high": None, "text": "—", "interval_text": "",
            "probability_better": None, "unresolved": True,
            "reason": "no paired difference: one of the two was not scored here",
        }  # fmt: skip
    value = a["value"] - b["value"]
    half = (a["high"] - a["low"]) / 2
    low, high = value - half, value + half
    return found | {
        "value": value, "low": low, "high": high, "level": 0.95,
        "text": _signed(value), "interval_text": f"{_signed(low)} – {_signed(high)}",
        "probability_better": min(0.9999, max(0.0001, 0.5 + value / half / 2)),
        "unresolved": low <= 0 <= high,
    }  # fmt: skip


def _signed(value: float) -> str:
    return f"{'+' if value > 0 else '−'}{abs(100 * value):.2f}"


def catalogue() -> Json:
    """The sample, and boards of reported rows only, of a thousand rows, of none."""
    tracks = [
        {"slug": s, "title": t, "answers": a, "note": "", "partial": False, "n_rows": 30}
        for s, t, a in TRACKS
    ]
    version = {
        "version": "1", "state": "OPEN", "is_reference_only": False, "n_questions": 1274,
        "opened_at": "2026-11-01T00:00:00+00:00", "tracks": tracks,
    }  # fmt: skip
    reference = version | {"version": "paper", "is_reference_only": True, "tracks": tracks[:1]}
    hoi = {
        "name": "sample-hoi", "title": "Sample HOI", "family": "hoi_choice",
        "family_title": "Multi-answer choice of human-object interactions",
        "description": "Questions made for the demo.", "promoted": "1", "versions": [version],
    }  # fmt: skip
    papers = hoi | {
        "name": "papers",
        "title": "Papers <only>",
        "promoted": "paper",
        "versions": [reference],
    }
    large = hoi | {
        "name": "large", "title": "A thousand rows", "versions": [version | {"tracks": tracks[:1]}]
    }  # fmt: skip
    coming = large | {"name": "coming", "title": "Under way"}
    nobody = [version | {"tracks": [tracks[0] | {"n_rows": 0}]}]
    empty = large | {"name": "empty", "title": "Nobody yet", "versions": nobody}
    return {"benchmarks": [hoi, papers, large, coming, empty]}


def _answer(path: str, query: dict[str, list[str]]) -> Json | None:
    parts = [part for part in path.removeprefix("/api/v1/").split("/") if part]
    match parts:
        case ["benchmarks"]:
            return catalogue()
        case ["boards", "sample-hoi", "1", track] if track in {slug for slug, _, _ in TRACKS}:
            return board(track)
        case ["boards", "large", "1", "all-people"]:
            return large_board()
        case ["boards", "empty" | "coming", "1", "all-people"]:
            return board() | {"rows": [], "slices": [], "metrics": [], "facets": []}
        case ["boards", "papers", "paper", "all-people"]:
            found = board()
            found["rows"] = [row for row in found["rows"] if row["kind"] in {"reported", "human"}]
            return found
        case ["boards", "sample-hoi", "1", track, "systems", slug]:
            rows = {row["system"]: row for row in board(track)["rows"]}
            if slug not in rows:
                return None
            others = [row for row in rows.values() if row["system"] != slug]
            return {
                "row": rows[slug],
                "differences": [
                    {"system": other["system"], "name": other["name"]}
                    | difference(rows[slug], other, slice_, metric[0])
                    for other in others
                    for slice_, _, _ in SLICES[:2]
                    for metric in METRICS[:2]
                ],
            }
        case ["comparisons", "sample-hoi", "1", track]:
            rows = {row["system"]: row for row in board(track)["rows"]}
            first, second = (rows.get(query.get(end, [""])[0]) for end in ("first", "second"))
            if not first or not second:
                return None
            return {
                "first": first["system"],
                "second": second["system"],
                "differences": [
                    difference(first, second, slice_, metric[0])
                    for slice_, _, _ in SLICES
                    for metric in METRICS
                ],
            }
    return None


@cache
def _document(path: str, query: str) -> tuple[int, bytes, str]:
    """Status, body and ETag, made once as the portal does."""
    found = _answer(path, parse_qs(query))
    body = json.dumps(
        found or {"code": "policy.board_not_found", "detail": "No such board."}
    ).encode()
    return 200 if found else 404, body, f'"{hashlib.sha256(body).hexdigest()[:16]}"'


class Handler(BaseHTTPRequestHandler):
    """Answers with ETag; counts what was asked, so that tests can see the cache work."""

    protocol_version = "HTTP/1.1"
    seen_headers: list[dict[str, str]]

    def do_GET(self) -> None:
        type(self).seen_headers.append({key.lower(): value for key, value in self.headers.items()})
        parts = urlsplit(self.path)
        status, body, etag = _document(parts.path, parts.query)
        known = self.headers.get("If-None-Match") == etag
        self.send_response(304 if known else status)
        self.send_header("ETag", etag)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "0" if known else str(len(body)))
        self.end_headers()
        if not known:
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet: tests read the answers, not a log."""


@contextmanager
def serving(port: int = 0) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """The API's address, and the headers of every request that it got."""
    seen: list[dict[str, str]] = []
    handler = type("CountingHandler", (Handler,), {"seen_headers": seen})
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", seen
    finally:
        server.shutdown()
        server.server_close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=8901)
    with serving(parser.parse_args().port):
        threading.Event().wait()
