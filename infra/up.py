"""`python -m infra.up`: the whole site under one supervisor.

Services, portal, worker, housekeeping and board start together, each with a log in the
data folder. When one dies, all are stopped and the log to read is named; Ctrl-C or
SIGTERM ends everything within three seconds.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from infra.claim import AlreadyRunning, claimed
from infra.processes import StartFailed, free_port
from infra.site import DEFAULT_PORT, ROOT, ProcessDied, Site, is_free, running_site

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class PortTaken(RuntimeError):
    """The port that was asked for is in use."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the command line asked for; no port means any free one, 8000 if it is."""

    folder: Path
    host: str
    port: int | None


def parser(description: str | None, *, prog: str) -> argparse.ArgumentParser:
    """The options that all commands which start a site share."""
    result = argparse.ArgumentParser(prog=prog, description=description)
    result.add_argument("--data", type=Path, default=ROOT / "demo-data", help="the data folder")
    result.add_argument("--host", default="127.0.0.1", help="where to listen (127.0.0.1)")
    result.add_argument("--port", type=int, help="8000 if it is free, else another")
    return result


def serve(wishes: Wishes, once_up: Callable[[Site], None], *, is_durable: bool = True) -> None:
    """Start a site, call `once_up`, then return with everything stopped.

    Raises:
        AlreadyRunning, PortTaken, StartFailed, ProcessDied: with a sentence for people.
    """
    with claimed(wishes.folder) as claim:
        port = _choose_port(wishes)
        started = running_site(wishes.folder, host=wishes.host, port=port, is_durable=is_durable)
        with started as site:
            claim.note_address(site.address)
            once_up(site)


def reported(command: Callable[[], None]) -> int:
    """Run a command; the exit status, with faults told in one place."""
    for number in STOPS:
        signal.signal(number, _stop_once)
    try:
        command()
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
    except (AlreadyRunning, PortTaken, StartFailed, ProcessDied) as fault:
        print(f"\n{fault}", file=sys.stderr)
        return 1
    return 0


def _choose_port(wishes: Wishes) -> int:
    if wishes.port is None:
        return DEFAULT_PORT if is_free(wishes.host, DEFAULT_PORT) else free_port()
    if not is_free(wishes.host, wishes.port):
        raise PortTaken(f"Port {wishes.port} is in use: name another one, or none.")
    return wishes.port


def _stop_once(number: int, frame: FrameType | None) -> None:
    """Begin to stop, and let nobody interrupt that: it is short."""
    for each in STOPS:
        signal.signal(each, signal.SIG_IGN)
    raise KeyboardInterrupt


def main(arguments: Sequence[str] | None = None) -> int:
    said = parser(__doc__, prog="python -m infra.up").parse_args(arguments)

    def stay(site: Site) -> None:
        print(f"Plumbline is at {site.address} (Ctrl-C stops it)", flush=True)
        site.watch()

    return reported(lambda: serve(Wishes(said.data, said.host, said.port), stay))


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main())
