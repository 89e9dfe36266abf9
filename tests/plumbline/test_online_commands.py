"""Commands that ask a site: exit codes, what goes to stdout, what to stderr."""

from __future__ import annotations

import hashlib
import json
import stat
from pathlib import Path

import pytest

from tests.plumbline.command import Command
from tests.plumbline.scripted_site import Answer, ScriptedSite, ok, problem

ID = "0f8fad5b-d9cb-469f-a165-70867728950e"
TOKEN = {"PLUMBLINE_TOKEN": "plb_x"}


def submission(state: str, **more: object) -> dict[str, object]:
    return {"id": ID, "state": state, "page_url": f"/submissions/{ID}/", **more}


SCORED = submission(
    "scored",
    intervals="ready",
    visibility="PUBLISHED",
    board_url="/board/?benchmark=sample-hoi&version=1&track=target-box",
    scores=[
        {"slice": "all", "metric": "macro_f1", "text": "58.23", "interval_text": "56.1 – 60.2"},
        {"slice": "rare", "metric": "macro_f1", "text": "40.00", "interval_text": None},
    ],
)
PROBLEM = {
    "code": "VALUE",
    "where": "/predictions/0/answer/0",
    "found": '"E"',
    "wanted": "one of A, B, C, D",
    "hint": "Use the letters of the question.",
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "predictions.json"
    path.write_text('{"predictions": []}')
    return path


def submit(plumbline: Command, site: ScriptedSite, file: Path, *more: str) -> list[str | Path]:
    return [
        *("submit", file, "--benchmark", "sample-hoi", "--track", "target-box"),
        *("--system", "My model", "--server", site.url, *more),
    ]


def test_submit_and_wait_ends_with_the_scores(
    site: ScriptedSite, plumbline: Command, file: Path
) -> None:
    site.answers("POST /submissions", ok(submission("waiting"), 202))
    site.answers(
        f"GET /submissions/{ID}",
        ok(submission("waiting", position=3, wait_text="2 are before this one. Patience.")),
        ok(submission("running", progress={"done": 3, "total": 9})),
        ok({**SCORED, "intervals": "pending"}),
        ok(SCORED),
    )
    run = plumbline(
        *submit(plumbline, site, file, "--publish", "--wait", "--facet", "kind=fine-tuned"),
        environment=TOKEN,
    )
    assert run.code == 0
    for said in ("waiting: 2 are before this one. Patience.", "running, 3 of 9"):
        assert said in run.err
    assert "macro_f1    58.23  56.1 – 60.2" in run.out
    assert "1 more slices" in run.out
    assert f"board  {site.url}/board/?benchmark=sample-hoi" in run.out
    assert b'{"kind": "fine-tuned"}' in site.requests("POST", "/submissions")[0].body


def test_submit_json_is_one_document_and_remarks_are_elsewhere(
    site: ScriptedSite, plumbline: Command, file: Path
) -> None:
    site.answers("POST /submissions", ok({"id": ID, "state": "waiting", "url": "/x"}, 202))
    site.answers(f"GET /submissions/{ID}", ok(SCORED))
    run = plumbline(*submit(plumbline, site, file, "--wait", "--json"), environment=TOKEN)
    assert run.code == 0
    assert run.document["state"] == "scored"
    assert run.document["scores"][0]["metric"] == "macro_f1"
    assert ID in run.err


def test_submit_without_wait_names_the_submission(
    site: ScriptedSite, plumbline: Command, file: Path
) -> None:
    nested = {"id": ID, "state": "waiting", "submission": submission("waiting", wait_text="Next.")}
    site.answers("POST /submissions", ok({**nested, "duplicate_of": ID}))
    run = plumbline(*submit(plumbline, site, file), environment=TOKEN)
    assert run.code == 0
    assert run.out.startswith(f"{ID}  waiting: Next.")
    assert "The same answers were handed in before" in run.err


def test_status_says_why_it_is_tried_again_and_when_the_track_last_moved(
    site: ScriptedSite, plumbline: Command
) -> None:
    interrupted = submission(
        "waiting",
        wait_text="It is tried again in 8 s. Next in line.",
        retry={"code": "infra.store", "sentence": "Our file store did not answer.", "due_at": None},
        board_last_scored_at="2026-11-30T10:02:03.456Z",
    )
    site.answers(f"GET /submissions/{ID}", ok(interrupted))
    run = plumbline("status", ID, "--server", site.url, environment=TOKEN)
    assert run.code == 0
    sentences = "It is tried again in 8 s. Next in line. Our file store did not answer."
    assert f"{ID}  waiting: {sentences}\n" in run.out
    assert "last score on this track  2026-11-30 10:02:03 UTC\n" in run.out


def test_answers_that_stay_private_say_how_to_publish_them(
    site: ScriptedSite, plumbline: Command, file: Path
) -> None:
    earlier = {**SCORED, "visibility": "private", "duplicate_of": ID}
    site.answers("POST /submissions", ok(earlier))
    run = plumbline(*submit(plumbline, site, file, "--publish"), environment=TOKEN)
    assert f"plumbline publish {ID}" in run.err


def test_answers_that_are_published_by_sending_them_again_say_so(
    site: ScriptedSite, plumbline: Command, file: Path
) -> None:
    earlier = {**SCORED, "visibility": "published", "duplicate_of": ID, "is_published_now": True}
    site.answers("POST /submissions", ok(earlier))
    run = plumbline(*submit(plumbline, site, file, "--publish"), environment=TOKEN)
    assert "It was private and is published now." in run.err


def test_a_token_cut_short_by_an_ellipsis_is_said(site: ScriptedSite, plumbline: Command) -> None:
    run = plumbline("whoami", "--server", site.url, environment={"PLUMBLINE_TOKEN": "plb_ab…"})
    assert (run.code, "copy it whole" in run.err) == (2, True)


@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_a_rejected_submission_lists_its_problems_and_exits_1(
    site: ScriptedSite, plumbline: Command, file: Path, flags: tuple[str, ...]
) -> None:
    site.answers("POST /submissions", ok(submission("waiting"), 202))
    site.answers(
        f"GET /submissions/{ID}", ok(submission("rejected", problems=[PROBLEM], n_problems=30))
    )
    run = plumbline(*submit(plumbline, site, file, "--wait", *flags), environment=TOKEN)
    assert run.code == 1
    assert "Traceback" not in run.err
    if flags:
        assert run.document["problems"] == [PROBLEM]
        return
    assert "rejected: 30 problems" in run.out
    assert "/predictions/0/answer/0  [VALUE]" in run.out
    for said in ('found   "E"', "wanted  one of A, B, C, D", "to do   Use the letters"):
        assert said in run.out
    assert "29 more" in run.out


def test_a_file_refused_at_the_door_exits_1_with_its_problems(
    site: ScriptedSite, plumbline: Command, file: Path
) -> None:
    refusal = problem(422, "input.VALUE", "1 problem.", problems=[PROBLEM], n_problems=1)
    site.answers("POST /submissions", refusal)
    run = plumbline(*submit(plumbline, site, file, "--json"), environment=TOKEN)
    assert run.code == 1
    assert run.document["error"]["code"] == "input.VALUE"
    assert run.document["problems"] == [PROBLEM]
    assert "1 problem." in run.err


def test_a_failure_of_the_site_exits_3(site: ScriptedSite, plumbline: Command) -> None:
    failure = {
        "code": "scorer.memory",
        "sentence": "Scoring ran out of memory.",
        "remedy": "Look at the file.",
    }
    site.answers(f"GET /submissions/{ID}", ok(submission("failed", failure=failure)))
    run = plumbline("status", ID, "--wait", "--server", site.url, environment=TOKEN)
    assert run.code == 3
    assert "failed (scorer.memory): Scoring ran out of memory. Look at the file." in run.out


@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_a_refusal_is_told_with_its_code_and_what_to_do(
    site: ScriptedSite, plumbline: Command, flags: tuple[str, ...]
) -> None:
    closed = problem(422, "policy.closed", "It is closed.", remedy="Choose an open version.")
    site.answers(f"GET /submissions/{ID}", closed)
    run = plumbline("status", ID, "--server", site.url, *flags, environment=TOKEN)
    assert run.code == 1
    assert "plumbline: Refused. It is closed. [policy.closed]\n  Choose an open" in run.err
    if flags:
        error = run.document["error"]
        assert (error["code"], error["remedy"]) == ("policy.closed", "Choose an open version.")


def test_waiting_outlives_a_restart_of_the_site(site: ScriptedSite, plumbline: Command) -> None:
    away = [Answer(503)] * 4
    site.answers(f"GET /submissions/{ID}", ok(submission("waiting")), *away, ok(SCORED))
    run = plumbline("status", ID, "--wait", "--server", site.url, environment=TOKEN)
    assert run.code == 0
    assert "Waiting for it to come back" in run.err


@pytest.mark.parametrize(
    ("answer", "code", "said"),
    [
        (problem(401, "policy.sign_in", "no"), 3, "plumbline login --server"),
        (problem(429, "policy.too_many_requests", "Five a day.", retry_after=60), 3, "Five a day."),
        (problem(403, "policy.forbidden", "Not your submission."), 1, "Not your submission"),
        (problem(404, "policy.submission_not_found", "There is no such submission."), 1, "no such"),
        (Answer(500, b"<h1>oops</h1>"), 3, "answered 500"),
        (Answer(200, b"<html>"), 3, "not a JSON object"),
        (ok({"hello": "world"}), 3, "names no submission"),
    ],
)
def test_faults_have_their_exit_codes_and_no_traceback(
    site: ScriptedSite, plumbline: Command, answer: Answer, code: int, said: str
) -> None:
    site.answers(f"GET /submissions/{ID}", answer)
    run = plumbline("status", ID, "--server", site.url, environment=TOKEN)
    assert run.code == code
    assert said in run.err
    assert run.out == ""
    assert "Traceback" not in run.err


def test_a_site_that_is_not_there_exits_3(plumbline: Command, site: ScriptedSite) -> None:
    site.close()
    run = plumbline.process("board", "--server", site.url, "--json")
    assert run.code == 3
    assert "refuses the connection" in run.err
    assert run.document["error"]["code"] == "unreachable"


def test_without_a_site_the_command_says_how_to_name_one(plumbline: Command) -> None:
    run = plumbline("board")
    assert run.code == 2
    assert "PLUMBLINE_SERVER" in run.err


def test_login_keeps_a_token_that_only_its_owner_can_read(
    site: ScriptedSite, plumbline: Command
) -> None:
    site.answers("POST /tokens", ok({"token": "plb_abcdef_secret"}, 201))
    site.answers("GET /me", ok({"username": "ada"}))
    run = plumbline(
        *("login", "--server", f"{site.url}/", "--user", "ada", "--password-stdin"),
        stdin="pa ss \n",
    )
    assert run.code == 0
    assert "as ada" in run.out
    assert "plb_abcdef" not in run.out + run.err
    sent = json.loads(site.requests("POST", "/tokens")[0].body)
    assert (sent["username"], sent["password"]) == ("ada", "pa ss ")
    assert stat.S_IMODE(plumbline.credentials.stat().st_mode) == 0o600
    assert stat.S_IMODE(plumbline.credentials.parent.stat().st_mode) == 0o700
    assert plumbline("whoami").out.startswith("ada at")
    assert site.received[-1].headers["Authorization"] == "Bearer plb_abcdef_secret"


def test_a_token_is_only_sent_to_its_own_site(site: ScriptedSite, plumbline: Command) -> None:
    plumbline.credentials.parent.mkdir(parents=True)
    kept = {"tokens": {"http://other.example": "plb_x"}, "latest": "http://other.example"}
    plumbline.credentials.write_text(json.dumps(kept))
    site.answers("GET /benchmarks", ok({"benchmarks": []}))
    assert plumbline("board", "--server", site.url).code == 0
    assert "Authorization" not in site.received[-1].headers


def test_a_wrong_password_exits_1_and_keeps_nothing(site: ScriptedSite, plumbline: Command) -> None:
    site.answers("POST /tokens", problem(401, "wrong_password", "Name or password is wrong."))
    run = plumbline(
        *("login", "--server", site.url, "--user", "ada", "--password-stdin"), stdin="no\n"
    )
    assert run.code == 1
    assert "Name or password is wrong." in run.err
    assert not plumbline.credentials.exists()


def test_login_without_a_terminal_says_what_to_do(site: ScriptedSite, plumbline: Command) -> None:
    run = plumbline("login", "--server", site.url)
    assert run.code == 2
    assert "--password-stdin" in run.err


def test_logout_revokes_and_forgets(site: ScriptedSite, plumbline: Command) -> None:
    site.answers("GET /me", ok({"username": "ada"}))
    plumbline("login", "--server", site.url, "--token-stdin", stdin="plb_abcdef_secret\n")
    site.answers("GET /tokens", ok({"tokens": [{"prefix": "plb_zz"}, {"prefix": "plb_ab"}]}))
    site.answers("DELETE /tokens/plb_ab", Answer(204))
    run = plumbline("logout", "--json")
    assert run.code == 0
    assert run.document["revoked"] is True
    assert len(site.requests("DELETE", "/tokens/plb_ab")) == 1
    plumbline("whoami", "--server", site.url)
    assert "Authorization" not in site.received[-1].headers
    assert "secret" not in plumbline.credentials.read_text()


def test_spoilt_credentials_are_said(plumbline: Command) -> None:
    plumbline.credentials.parent.mkdir(parents=True)
    plumbline.credentials.write_text("[]")
    run = plumbline("whoami")
    assert run.code == 2
    assert "delete it and log in again" in run.err


QUESTIONS = b'{"track": "target-box", "id": "q", "image": "x.jpg", "choices": ["a", "b"]}\n'


def definition(**digests: str) -> dict[str, object]:
    return {
        "name": "sample-hoi",
        "title": "Sample",
        "family": "hoi_choice",
        "version": "2",
        "tracks": [{"slug": "target-box", "title": "Target box", "answers": "hidden"}],
        "rules": "paper",
        "cluster": "image",
        "bootstrap": {"draws": 100, "seed": 1},
        "licence": "CC0",
        "digests": digests,
    }


def test_questions_write_a_folder_of_the_promoted_version(
    site: ScriptedSite, plumbline: Command, tmp_path: Path
) -> None:
    digest = hashlib.sha256(QUESTIONS).hexdigest()
    digests = {"questions.jsonl": digest, "truth.jsonl": "0" * 64, "references.csv": "1" * 64}
    site.answers("GET /benchmarks/sample-hoi", ok({"promoted": "2", "versions": []}))
    site.answers(
        "GET /benchmarks/sample-hoi/versions/2",
        ok({"definition": {**definition(), "digests": digests}}),
    )
    site.answers("GET /benchmarks/sample-hoi/versions/2/questions", Answer(200, QUESTIONS))
    out = tmp_path / "questions"
    run = plumbline("questions", "sample-hoi", "--out", out, "--server", site.url, "--json")
    assert run.code == 0, run.err
    assert run.document["benchmark"] == "sample-hoi@2"
    assert sorted(path.name for path in out.iterdir()) == ["benchmark.json", "questions.jsonl"]
    again = plumbline("questions", "sample-hoi", "--out", out, "--server", site.url)
    assert again.code == 2
    assert "not empty" in again.err


def test_questions_that_are_not_what_the_digest_says_are_refused(
    site: ScriptedSite, plumbline: Command, tmp_path: Path
) -> None:
    site.answers(
        "GET /benchmarks/sample-hoi/versions/2",
        ok({"definition": {**definition(), "digests": {"questions.jsonl": "0" * 64}}}),
    )
    site.answers("GET /benchmarks/sample-hoi/versions/2/questions", Answer(200, QUESTIONS))
    out = tmp_path / "questions"
    run = plumbline("questions", "sample-hoi@2", "--out", out, "--server", site.url)
    assert run.code == 3
    assert "digest" in run.err
    assert not out.exists() or not list(out.iterdir())


def test_a_version_of_published_results_has_no_questions(
    site: ScriptedSite, plumbline: Command, tmp_path: Path
) -> None:
    site.answers("GET /benchmarks/sample-hoi/versions/2", ok({"definition": definition()}))
    run = plumbline("questions", "sample-hoi@2", "--out", tmp_path / "q", "--server", site.url)
    assert run.code == 1
    assert "published results only" in run.err


def row(name: str, value: float | None, **more: object) -> dict[str, object]:
    cell = {"value": value, "text": None if value is None else f"{100 * value:.2f}", **more}
    cell["reason"] = "nothing to count" if value is None else None
    scores = {"all": {"macro_f1": cell}, "rare": {"macro_f1": cell}}
    return {"system": name.lower(), "name": name, "provenance": "submitted", "scores": scores}


def board() -> dict[str, object]:
    return {
        "benchmark": {"name": "sample-hoi"},
        "version": "1",
        "track": {"slug": "target-box"},
        "slices": [{"slug": "all", "metrics": ["macro_f1", "recall"]}, {"slug": "rare"}],
        "metrics": [{"slug": "macro_f1", "higher_is_better": True}, {"slug": "recall"}],
        "primary_metric": "macro_f1",
        "rows": [
            row("None", None),
            row("Low", 0.2, rank_text="2", rank_interval_text="1–2", interval_text="10.0 – 30.0"),
            row("Esc\x1b[31m", 0.25),
            row("高い", 0.3, rank_text="1", rank_interval_text="1–2", unresolved_from_next=True),
        ],
    }


def test_a_board_is_ordered_by_value_and_none_comes_last(
    site: ScriptedSite, plumbline: Command
) -> None:
    site.answers("GET /boards/sample-hoi/1/target-box", ok(board()))
    run = plumbline("board", "sample-hoi@1", "--track", "target-box", "--server", site.url)
    assert run.code == 0
    lines = run.out.splitlines()
    assert lines[0] == "sample-hoi@1, target-box, all, macro_f1 in percent"
    assert lines[3].startswith("  1≈  1–2")
    assert [next(n for n in ("高い", "Esc", "Low", "None") if n in x) for x in lines[3:7]] == [
        *("高い", "Esc", "Low", "None")
    ]
    assert "\x1b" not in run.out
    assert "not told apart" in lines[7]


@pytest.mark.parametrize(
    ("option", "value", "known"),
    [("--slice", "tail", "all, rare"), ("--metric", "map", "macro_f1, recall")],
)
def test_an_unknown_slice_or_metric_names_the_known_ones(
    site: ScriptedSite, plumbline: Command, option: str, value: str, known: str
) -> None:
    site.answers("GET /boards/sample-hoi/1/target-box", ok(board()))
    run = plumbline(
        *("board", "sample-hoi@1", "--track", "target-box", "--server", site.url, option, value)
    )
    assert run.code == 1
    assert known in run.err
    assert run.out == ""


def test_board_without_a_name_lists_benchmarks(site: ScriptedSite, plumbline: Command) -> None:
    tracks = [{"slug": "target-box", "n_rows": 3}]
    versions = [{"version": "1", "tracks": tracks}]
    site.answers("GET /benchmarks", ok({"benchmarks": [{"name": "a", "versions": versions}]}))
    run = plumbline("board", "--server", site.url)
    assert run.code == 0
    assert "a@1        target-box     3" in run.out


def test_board_csv_comes_as_it_is(site: ScriptedSite, plumbline: Command) -> None:
    site.answers("GET /boards/a/1/t.csv", Answer(200, b"system,macro_f1\nx,1\n"))
    asked = ("board", "a@1", "--track", "t", "--slice", "rare", "--csv", "--server", site.url)
    run = plumbline(*asked)
    assert (run.code, run.out) == (0, "system,macro_f1\nx,1\n")
    assert site.received[-1].query == "slice=rare"


@pytest.mark.parametrize("verb", ["publish", "withdraw"])
def test_publish_and_withdraw_say_so(site: ScriptedSite, plumbline: Command, verb: str) -> None:
    site.answers(f"POST /submissions/{ID}/{verb}", ok(SCORED))
    run = plumbline(verb, ID, "--server", site.url, environment=TOKEN)
    assert run.code == 0
    assert ID in run.out
