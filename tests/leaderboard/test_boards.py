"""Boards as they are built from stored outcomes: order, ranks, intervals, provenance."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from django.db import connections
from django.db.models.functions import Now

from evaluator.families import FAMILIES
from evaluator.outcome import Outcome
from evaluator.scoring import compare_outcomes
from evaluator.statistics.ranking import rank_systems
from portal import services
from portal.api.schemas import BoardOut, ComparisonOut, SystemOut
from portal.errors import DocumentNotFound
from portal.evaluations.models import Evaluation, Event
from portal.exchange.storage import open_store
from portal.leaderboard.disclosure import COMPLEMENT, SMALL
from portal.leaderboard.models import StoredDocument
from portal.leaderboard.reading import definition_of
from tests.published_site import CANARY, HIDDEN, NAME, PUBLIC, VERSION, Site, finish_board
from worker.boards import complete_intervals, rebuild_board
from worker.draws import StoredDraws

Json = dict[str, Any]
HOI = FAMILIES["hoi_choice"]


def board(track: str = PUBLIC) -> Json:
    return services.board_document(benchmark=NAME, version=VERSION, track=track).value


def row(name: str, track: str = PUBLIC) -> Json:
    found: Json = next(row for row in board(track)["rows"] if row["name"] == name)
    return found


def score(row: Json, metric: str = "macro_f1", slice_: str = "all") -> Json:
    found: Json = row["scores"][slice_][metric]
    return found


def all_scores(board: Json) -> Iterator[tuple[Json, str, str, Json]]:
    for row in board["rows"]:
        for slice_, by_metric in row["scores"].items():
            for metric, found in by_metric.items():
                yield row, slice_, metric, found


def test_rows_stand_by_value_and_the_private_one_does_not_stand(site: Site) -> None:
    rows = board()["rows"]
    names = [row["name"] for row in rows]
    assert "Private" not in names
    values = [score(row)["value"] for row in rows]
    assert values == sorted(values, reverse=True)
    assert names[:3] == ["People", "=HYPERLINK(1)", "Beta-7B"]


def test_only_entrants_take_a_rank(site: Site) -> None:
    ranks = {row["name"]: score(row)["rank_text"] for row in board()["rows"] if score(row)["rank"]}
    assert ranks == {
        "=HYPERLINK(1)": "1",
        "Beta-7B": "2=",
        "Beta-7B twin": "2=",
        "Gamma": "4",
        "Silent": "5",
    }


def test_equal_systems_are_unresolved_and_share_rank_and_interval(site: Site) -> None:
    one, other = (score(row(name)) for name in ("Beta-7B", "Beta-7B twin"))
    assert one["value"] == other["value"]
    assert one["unresolved_from_next"]
    assert (one["rank_low"], one["rank_high"]) == (other["rank_low"], other["rank_high"])
    assert one["rank_interval_text"] == "2–3"


def test_ranks_are_those_of_the_statistics(site: Site) -> None:
    entrants = [row for row in board()["rows"] if row["kind"] == "entrant"]
    evaluations = {
        e.submission.system.slug: e
        for e in Evaluation.objects.filter(
            submission__track__slug=PUBLIC, submission__system__kind="entrant"
        ).select_related("submission__system")
    }
    with site.stores.acting_as("scoring"):
        store = open_store("outcomes")
        drawn = [
            StoredDraws(store, evaluations[row["system"]].draws_digest).of_slice("all")["macro_f1"]
            for row in entrants
        ]
    exact = [
        evaluations[row["system"]].scores.get(slice="all", metric="macro_f1").value
        for row in entrants
    ]
    expected = rank_systems(
        np.array(exact), np.stack(drawn), recentred=True, higher_is_better=True, level=0.95
    )
    shown = [score(row) for row in entrants]
    assert [s["rank"] for s in shown] == expected.rank.tolist()
    assert [s["rank_low"] for s in shown] == expected.low.tolist()
    assert [s["rank_high"] for s in shown] == expected.high.tolist()
    detectable = board()["summary"]["minimum_detectable"]["macro_f1"]
    assert detectable == pytest.approx(expected.minimum_detectable, abs=1e-4)


@pytest.mark.parametrize("track", [PUBLIC, HIDDEN])
def test_every_interval_holds_its_value_and_every_hole_has_a_reason(site: Site, track: str) -> None:
    for _, _, _, found in all_scores(board(track)):
        if found["value"] is None:
            assert found["reason"] and found["text"] == "—" and found["rank"] is None
            assert found["interval"] == "none"
        elif found["interval"] == "ready":
            assert found["low"] <= found["value"] <= found["high"]
            assert found["interval_text"]
        else:
            assert found["interval_reason"]


def test_a_value_that_cannot_be_computed_sorts_last_and_is_no_zero(site: Site) -> None:
    silent = score(row("Silent"), "precision")
    assert silent["value"] is None and silent["rank"] is None
    ranks = [score(row, "precision")["rank"] for row in board()["rows"] if row["kind"] == "entrant"]
    assert sorted(r for r in ranks if r) == [1, 2, 2, 4]


def test_fewer_abstentions_rank_higher(site: Site) -> None:
    assert score(row("Silent"), "abstention_rate")["rank"] == 5
    assert score(row("Beta-7B"), "abstention_rate")["rank_text"] == "1="


def test_best_is_marked_overall_and_in_its_group(site: Site) -> None:
    assert score(row("=HYPERLINK(1)"))["best"]
    assert score(row("=HYPERLINK(1)"))["best_in_group"] == ["kind:vlm-zero-shot"]
    assert score(row("Beta-7B twin"))["best_in_group"] == ["kind:fine-tuned"]
    for name in ("People", "Printed-7B", "All letters"):
        assert not score(row(name))["best"]


def test_published_rows_keep_their_print(site: Site) -> None:
    printed = row("Printed-7B")
    assert printed["provenance"] == "reported"
    assert "Table 1" in printed["provenance_text"]
    assert score(printed)["text"] == "61.2"
    assert score(printed)["interval_text"] == "58.0 – 64.1"
    assert (score(printed, "micro_f1")["text"], score(printed, "micro_f1")["low"]) == ("70", None)
    assert [d["value"] for d in board()["reported_differences"]] == ["1.2"]
    assert board(HIDDEN)["reported_differences"] == []


def test_a_mean_over_many_files_has_no_interval_and_says_so(site: Site) -> None:
    random = row("Random")
    assert random["provenance"] == "computed"
    assert score(random)["value"] is not None
    assert score(random)["interval"] == "none" and score(random)["interval_reason"]
    assert score(row("All letters"))["interval"] == "ready"


def test_hidden_answers_are_rounded_and_small_slices_withheld(site: Site) -> None:
    found = board(HIDDEN)
    texts = [s["text"] for _, _, _, s in all_scores(found) if s["value"] is not None]
    assert texts and all(len(text.partition(".")[2]) == 1 for text in texts)
    sizes = {entry["slug"]: entry["n"] for entry in found["slices"]}
    assert sizes["all"] == 260 and sizes["one-person"] is None  # 60 questions
    reasons = {s["reason"] for _, slice_, _, s in all_scores(found) if slice_ == "one-person"}
    assert reasons == {SMALL}
    several = {s["reason"] for _, slice_, _, s in all_scores(found) if slice_ == "several-people"}
    assert several == {COMPLEMENT}  # 260 - 200 would single out the 60
    assert {s["n"] for _, _, _, s in all_scores(found)} == {None, 260}


def test_no_document_holds_truth(site: Site) -> None:
    bodies = [
        gzip.decompress(body) for body in StoredDocument.objects.values_list("body", flat=True)
    ]
    assert len(bodies) > 4
    assert not any(CANARY.lower().encode() in body.lower() for body in bodies)


def test_documents_have_the_promised_shape(site: Site) -> None:
    where = {"benchmark": NAME, "version": VERSION}
    for track in (PUBLIC, HIDDEN):
        found = board(track)
        BoardOut.model_validate(found)
        assert set(found) == set(BoardOut.model_fields)
        detail = services.system_detail(**where, track=track, system="gamma")
        SystemOut.model_validate(detail)
        pair = services.comparison(**where, track=track, first="gamma", second="silent")
        ComparisonOut.model_validate(pair)


def test_comparisons_are_those_of_the_outcomes(site: Site) -> None:
    """The stored difference is the one that `plumbline compare` computes from the files."""
    pair = services.comparison(
        benchmark=NAME, version=VERSION, track=PUBLIC, first="beta-7b", second="gamma"
    )
    evaluations = [
        Evaluation.objects.select_related("version").get(
            submission__system__slug=slug, submission__track__slug=PUBLIC
        )
        for slug in ("beta-7b", "gamma")
    ]
    with site.stores.acting_as("scoring"):
        outcomes = [
            Outcome.from_bytes(open_store("outcomes").get(e.outcome_digest)) for e in evaluations
        ]
    benchmark = definition_of(evaluations[0].version)
    expected = {
        d.metric: d
        for d in compare_outcomes(benchmark, (PUBLIC, PUBLIC), (outcomes[0], outcomes[1]))
        if d.slice == "all"
    }
    assert {d["metric"] for d in pair["differences"]} == set(expected)
    for difference in pair["differences"]:
        exact = expected[difference["metric"]]
        assert exact.interval is not None and exact.value is not None
        assert difference["value"] == pytest.approx(exact.value, abs=5.1e-5)
        assert difference["low"] == pytest.approx(exact.interval.low, abs=5.1e-5)
        assert difference["unresolved"] == exact.unresolved


def test_a_comparison_read_from_the_other_side_is_its_mirror(site: Site) -> None:
    where = {"benchmark": NAME, "version": VERSION, "track": PUBLIC}
    forth = services.comparison(**where, first="gamma", second="beta-7b")["differences"]
    back = services.comparison(**where, first="beta-7b", second="gamma")["differences"]
    for one, other in zip(forth, back, strict=True):
        assert one["value"] == -other["value"] and one["low"] == -other["high"]
        assert one["probability_better"] == pytest.approx(1 - other["probability_better"])
    macro = forth[0]
    assert macro["text"].startswith("−") and back[0]["text"].startswith("+")
    assert macro["interval_text"].count("−") == 2


def test_what_cannot_be_compared_says_why(site: Site) -> None:
    where = {"benchmark": NAME, "version": VERSION, "track": PUBLIC}
    for second in ("printed-7b", "random"):
        differences = services.comparison(**where, first="gamma", second=second)["differences"]
        assert differences
        assert all(d["value"] is None and d["reason"] for d in differences)
    with pytest.raises(DocumentNotFound):
        services.comparison(**where, first="gamma", second="private")


def test_a_second_letter_changes_nothing(site: Site) -> None:
    before = services.board_document(benchmark=NAME, version=VERSION, track=PUBLIC).etag
    evaluation = Evaluation.objects.filter(intervals="READY", outcome_digest__gt="").first()
    assert evaluation is not None
    with site.stores.acting_as("scoring"):
        assert not complete_intervals(evaluation.id)
        finish_board(site, PUBLIC)
    after = services.board_document(benchmark=NAME, version=VERSION, track=PUBLIC).etag
    assert after == before


def test_publishing_and_withdrawing_move_the_row_and_the_tabs(site: Site) -> None:
    ann = site.users["ann"]
    services.publish_submission(user=ann, submission_id=site.submissions["Private"])
    place = {"version_id": site.version_id, "track": PUBLIC}
    assert services.board_stage(**place) == "outdated"
    assert services.stale_boards() == [(site.version_id, PUBLIC)]
    with site.stores.acting_as("scoring"):
        assert not rebuild_board(site.version_id, PUBLIC)
        first_look = row("Private")
        assert services.board_stage(**place) == "first look"
        assert rebuild_board(site.version_id, PUBLIC)
    assert services.board_stage(**place) == "complete"
    complete = row("Private")
    assert score(first_look) == score(complete)
    assert score(first_look, slice_="rare")["rank"] == score(complete, slice_="rare")["rank"] == 1
    assert score(first_look, slice_="rare")["rank_high"] is None
    assert score(complete, slice_="rare")["rank_high"] is not None
    n_rows = len(board()["rows"])
    for track in (PUBLIC, HIDDEN):
        assert board(track)["tracks"][0]["n_rows"] == n_rows
    services.withdraw_submission(user=ann, submission_id=site.submissions["Private"])
    with site.stores.acting_as("scoring"):
        finish_board(site, PUBLIC)
    assert "Private" not in {row["name"] for row in board()["rows"]}
    assert services.stale_boards() == []


def test_a_row_without_intervals_yet_stands_by_its_value(site: Site) -> None:
    evaluation = Evaluation.objects.get(
        submission__system__slug="gamma", submission__track__slug=PUBLIC
    )
    evaluation.intervals, evaluation.draws_digest = Evaluation.Intervals.PENDING, ""
    evaluation.save()
    evaluation.scores.update(low=None, high=None)
    StoredDocument.objects.all().delete()
    with site.stores.acting_as("scoring"):
        finish_board(site, PUBLIC)
    pending = score(row("Gamma"))
    assert (pending["interval"], pending["rank"], pending["rank_low"]) == ("pending", 4, None)
    # It may yet stand anywhere, so the others' rank intervals reach one further down.
    assert score(row("=HYPERLINK(1)"))["rank_high"] >= 2
    differences = services.comparison(
        benchmark=NAME, version=VERSION, track=PUBLIC, first="gamma", second="silent"
    )["differences"]
    assert {d["reason"] for d in differences} == {"not computed yet"}


@pytest.mark.parametrize("slice_", [None, "all", "rare"], ids=["list", "full-slice", "small-slice"])
@pytest.mark.parametrize("is_missing", [True, False], ids=["missing", "damaged"])
def test_lost_draws_are_computed_anew_and_hold_up_no_board(
    site: Site, slice_: str | None, is_missing: bool
) -> None:
    gamma = Evaluation.objects.get(submission__system__slug="gamma", submission__track__slug=PUBLIC)
    outcomes, place = site.stores.folder / "outcomes", {"version_id": site.version_id}
    digest = gamma.draws_digest
    if slice_ is not None:
        listed = json.loads((outcomes / digest[:2] / digest).read_bytes())
        digest = listed["slices"][slice_]["digest"]
    file, before = outcomes / digest[:2] / digest, board()["rows"]
    StoredDocument.objects.filter(track=PUBLIC).delete()
    file.unlink() if is_missing else file.write_bytes(b"cut")
    with site.stores.acting_as("scoring"):
        for _ in range(3):
            rebuild_board(site.version_id, PUBLIC)
        gamma.refresh_from_db()
        assert (gamma.intervals, gamma.draws_digest) == ("PENDING", "")
        assert services.board_stage(**place, track=PUBLIC) != "complete"
        StoredDocument.objects.update(built_at=Now() - timedelta(seconds=10))
        rebuild_board(site.version_id, PUBLIC)
        by_value = score(row("Gamma"))
        assert (by_value["rank"], by_value["rank_low"]) == (4, None)
        assert by_value["interval"] == "ready"  # the bounds are those of the outcome
        assert score(row("Silent"))["rank_low"] is not None
        assert complete_intervals(gamma.id)
        StoredDocument.objects.update(built_at=Now() - timedelta(seconds=10))
        finish_board(site, PUBLIC)
    assert board()["rows"] == before
    kinds = Event.objects.filter(evaluation_id=gamma.id).values_list("kind", flat=True)
    assert list(kinds)[-2:] == ["intervals.lost", "intervals.ready"]


def test_while_more_is_on_its_way_a_board_is_not_built_for_each(site: Site) -> None:
    place = {"version_id": site.version_id, "track": PUBLIC}
    services.publish_submission(user=site.users["ann"], submission_id=site.submissions["Private"])
    waiting = Evaluation.objects.get(
        submission__system__slug="silent", submission__track__slug=PUBLIC
    )
    waiting.intervals = Evaluation.Intervals.PENDING
    waiting.save()
    StoredDocument.objects.filter(track=PUBLIC).update(built_at=Now())
    with site.stores.acting_as("scoring"):
        assert rebuild_board(site.version_id, PUBLIC)  # nothing is due: the last one rings
        assert services.board_stage(**place) == "outdated"
        StoredDocument.objects.update(built_at=Now() - timedelta(seconds=10))
        assert not rebuild_board(site.version_id, PUBLIC)
        assert services.board_stage(**place) == "first look"
        assert rebuild_board(site.version_id, PUBLIC)
        assert services.board_stage(**place) == "first look"


def test_a_board_that_was_never_built_is_still_served(site: Site) -> None:
    StoredDocument.objects.all().delete()
    found = board()
    BoardOut.model_validate(found)
    assert [row["name"] for row in found["rows"]][:2] == ["People", "=HYPERLINK(1)"]
    assert all(s["rank"] is None for _, _, _, s in all_scores(found))


def test_one_builder_at_a_time(built_site: Site, django_db_blocker: Any) -> None:
    """While one holds the board, the others leave at once and build nothing."""
    held, done = threading.Event(), threading.Event()
    seen: list[bool] = []

    def hold() -> None:
        with (
            django_db_blocker.unblock(),
            services.sole_builder(version_id=built_site.version_id, track=PUBLIC) as is_ours,
        ):
            seen.append(is_ours)
            held.set()
            done.wait(20)
        connections.close_all()

    builder = threading.Thread(target=hold)
    builder.start()
    assert held.wait(20)
    with (
        django_db_blocker.unblock(),
        services.sole_builder(version_id=built_site.version_id, track=PUBLIC) as second,
    ):
        seen.append(second)
    done.set()
    builder.join()
    with (
        django_db_blocker.unblock(),
        services.sole_builder(version_id=built_site.version_id, track=PUBLIC) as third,
    ):
        seen.append(third)
    assert seen == [True, False, True]
