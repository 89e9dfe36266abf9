"""The command as such: usage, help, versions, signals, faults of ours."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from plumbline import cli
from plumbline.cli import main
from plumbline.commands.grammar import Subparsers, add_command
from plumbline.console import Console, printable
from plumbline.faults import Exit
from plumbline.tables import table
from tests.plumbline.command import Command
from tests.plumbline.scripted_site import ScriptedSite, ok

COMMANDS = (
    *("validate", "score", "compare", "submit", "status", "publish", "withdraw"),
    *("questions", "board", "login", "logout", "whoami", "convert", "bundle crosshoi"),
)


def test_version_names_command_and_evaluator(plumbline: Command) -> None:
    run = plumbline.process("--version")
    assert run.code == 0
    assert re.fullmatch(r"plumbline \S+, evaluator \d+\.\d+\.\d+\n", run.out)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str, plumbline: Command) -> None:
    run = plumbline(*command.split(), "--help")
    assert run.code == 0
    assert f"plumbline {command}" in run.out.split("example:")[1]
    for code in (0, 2, 4):
        assert re.search(rf"^  {code}  \w", run.out.split("exit codes:")[1], re.MULTILINE)


@pytest.mark.parametrize("arguments", [(), ("fly",), ("status",), ("board", "--fly")])
def test_misuse_exits_2_with_usage_on_stderr(
    plumbline: Command, arguments: tuple[str, ...]
) -> None:
    run = plumbline.process(*arguments)
    assert run.code == 2
    assert run.out == ""
    assert "usage: plumbline" in run.err


def test_help_loads_neither_numpy_nor_the_network(plumbline: Command) -> None:
    script = (
        "import sys, plumbline.cli\n"
        "try: plumbline.cli.main(['--help'])\n"
        "except SystemExit: pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env=plumbline.environment,
        check=True,
    )
    assert not set(done.stderr.split()) & {"numpy", "httpx", "msgspec", "django"}


def test_json_may_stand_before_the_command(site: ScriptedSite, plumbline: Command) -> None:
    site.answers("GET /benchmarks", ok({"benchmarks": []}))
    run = plumbline("--json", "--server", site.url, "board")
    assert run.document == {"benchmarks": []}


def test_a_closed_pipe_is_quiet(site: ScriptedSite, plumbline: Command) -> None:
    site.answers("GET /benchmarks", ok({"benchmarks": [{"name": "x", "versions": []}] * 9999}))
    with subprocess.Popen(
        plumbline.line(("board", "--server", site.url, "--json")),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=plumbline.environment,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(30) == Exit.BROKEN_PIPE


def test_an_interrupt_is_quiet(site: ScriptedSite, plumbline: Command) -> None:
    site.answers("GET /submissions/1", ok({"id": "1", "state": "waiting"}))
    with subprocess.Popen(
        plumbline.line(("status", "1", "--wait", "--server", site.url)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=plumbline.environment,
        # A test run in the background ignores Ctrl-C, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        deadline = time.monotonic() + 30
        while not site.received and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        try:
            _, err = process.communicate(timeout=30)
        finally:
            process.kill()
    assert process.returncode == Exit.INTERRUPTED
    assert "Traceback" not in err


@pytest.mark.parametrize("debug", ["", "1"])
def test_a_fault_of_ours_exits_4_and_says_how_to_report_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], debug: str
) -> None:
    def run(*_: object) -> Exit:
        raise RuntimeError("the impossible")

    class Broken:
        @staticmethod
        def add_commands(commands: Subparsers) -> None:
            add_command(
                commands, "break", run, summary="", description="", example="", exits={0: "never"}
            )

    monkeypatch.setattr(cli, "GROUPS", (Broken,))
    monkeypatch.setenv("PLUMBLINE_DEBUG", debug)
    assert main(["break"]) == Exit.OURS
    said = capsys.readouterr()
    assert said.out == ""
    assert "fault of plumbline, not yours (RuntimeError: the impossible)" in said.err
    assert "report" in said.err
    assert ("Traceback" in said.err) == bool(debug)


def test_a_missing_file_is_named(plumbline: Command, site: ScriptedSite, tmp_path: Path) -> None:
    missing = tmp_path / "missing.json"
    run = plumbline(
        *("submit", missing, "--benchmark", "b", "--track", "t", "--system", "s"),
        *("--server", site.url, "--json"),
    )
    assert run.code == 2
    assert str(missing) in run.err
    assert run.document["error"]["code"] == "file"
    assert not site.received


def test_wide_characters_keep_columns_straight() -> None:
    lines = table(("name", "n"), [("高い", "1"), ("e\u0301", "22")], "lr").splitlines()
    assert lines == ["name   n", "高い   1", "e\u0301     22"]


def test_control_and_bidi_characters_are_shown_as_escapes() -> None:
    assert printable("a\x1b[31m\u202eb\nc") == "a\\x1b[31m\\u202eb\nc"


def test_live_remarks_are_said_once_per_change(capsys: pytest.CaptureFixture[str]) -> None:
    console = Console(as_json=True)
    for text in ("waiting", "waiting", "running"):
        console.live(text)
    console.result("not for a script")
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == "waiting\nrunning\n"
