"""Serves the board: `python -m frontend_gradio --api http://127.0.0.1:8000`."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence

import uvicorn

from frontend_gradio.site import Site


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until told to stop."""
    said = _parser().parse_args(arguments)
    from frontend_gradio.app import create_app  # seconds of import that --help need not spend

    site = Site(
        api_url=said.api, public_url=said.public_url.rstrip("/"), root_path=_root(said.root_path)
    )
    uvicorn.run(
        create_app(site),
        host=said.host,
        port=said.port,
        log_level=said.log_level,
        access_log=False,
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=2,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m frontend_gradio", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=7860)
    parser.add_argument("--root-path", default="", help="path under which a proxy shows the board")
    parser.add_argument(
        "--api",
        default=os.environ.get("PLUMBLINE_API_URL"),
        required="PLUMBLINE_API_URL" not in os.environ,
        help="address of the portal, as this process reaches it (PLUMBLINE_API_URL)",
    )
    parser.add_argument(
        "--public-url",
        default=os.environ.get("PLUMBLINE_PUBLIC_URL", ""),
        help="address of the portal, as readers know it (PLUMBLINE_PUBLIC_URL)",
    )
    parser.add_argument("--log-level", default="warning")
    return parser


def _root(path: str) -> str:
    path = path.strip("/")
    return f"/{path}" if path else ""


if __name__ == "__main__":
    main()
