"""Puts the pages together: Gradio inside, our own wall and dress around it."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Both are read when Gradio is imported.
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
os.environ["HF_HUB_OFFLINE"] = "1"

import gradio as gr
from fastapi import FastAPI
from gradio.components.navbar import Navbar
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import PlainTextResponse
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from frontend_gradio.document import Dressed, house_dress
from frontend_gradio.guard import Guard
from frontend_gradio.markup import Safe, join, tag
from frontend_gradio.pages import about, board, compare, system
from frontend_gradio.pages.chrome import footer, header
from frontend_gradio.pages.drawn import Drawn, in_trouble, loading
from frontend_gradio.site import Site
from frontend_gradio.source import Source, Trouble
from frontend_gradio.state import View

ASSETS = Path(__file__).parent / "assets"
Draw = Callable[[Source, Site, View], Drawn]


def create_app(site: Site) -> ASGIApp:
    """The board as an ASGI application, whole and safe without a proxy."""
    host = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    host.mount("/house", StaticFiles(directory=ASSETS))
    host.add_route("/health", lambda _: PlainTextResponse("ok\n"))
    pages = build_pages(site, Source(site.api_url))
    # Gradio warns of this for several pages although it is turned off below.
    warnings.filterwarnings("ignore", message="SSR mode is not supported", module="gradio")
    gr.mount_gradio_app(
        host,
        pages,
        path="/",
        root_path=site.root_path or None,
        allowed_paths=[],
        show_error=False,
        max_file_size=1,
        enable_monitoring=False,
        mcp_server=False,
        footer_links=[],
        run_history=False,
        ssr_mode=False,
        pwa=False,
        theme=gr.themes.Base(font=["system-ui", "sans-serif"], font_mono=["monospace"]),
    )
    dressed = Dressed(host, house_dress(site.root_path))
    return Guard(GZipMiddleware(dressed, minimum_size=2_000, compresslevel=4), site.root_path)


def build_pages(site: Site, source: Source) -> gr.Blocks:
    """All pages as Gradio's blocks."""
    blocks = gr.Blocks(title="Boards · Plumbline", analytics_enabled=False)
    with blocks:
        _page(site, source, board.draw, "the board", has_table=True)
    for name, draw, what in (
        ("system", system.draw, "the system"),
        ("compare", compare.draw, "the comparison"),
    ):
        with blocks.route(name, f"/{name}", show_in_navbar=False):
            _page(site, source, draw, what, has_table=False)
    with blocks.route("about", "/about", show_in_navbar=False):
        _markup(header(site), "b-chrome")
        _markup(about.draw(site), "b-page", elem_id="content")
        _markup(footer(site), "b-chrome", script="Plumbline.colours()")
    return blocks


def _page(site: Site, source: Source, draw: Draw, what: str, *, has_table: bool) -> None:
    """One page: its head asks for a view, and everything on it is drawn anew."""
    Navbar(visible=False)
    _markup(header(site), "b-chrome")
    head = _part("page(element, props, trigger, watch)", loading(what), elem_id="content")
    table = _part("table(element, props, watch)") if has_table else None
    above = _part("part(element, props, watch)")
    figure = gr.Plot(show_label=False, container=False, elem_id="figure", visible="hidden")
    foot = _part("part(element, props, watch)")
    _markup(footer(site), "b-chrome", script="Plumbline.colours()")
    parts = [head, *([table] if table else []), above, figure, foot]

    def answer(event: gr.EventData) -> list[Any]:
        return _answer(source, site, draw, event, has_table=has_table)

    head.submit(
        answer,
        inputs=None,
        outputs=parts,
        queue=False,
        trigger_mode="always_last",
        show_progress="hidden",
        api_visibility="private",
    )


def _answer(
    source: Source, site: Site, draw: Draw, event: gr.EventData, *, has_table: bool
) -> list[Any]:
    """What the parts of a page show for the view that the browser asks for.

    Any: each part's own JSON, and Gradio's update of the figure.
    """
    asked = event._data if isinstance(event._data, dict) else {}
    try:
        drawn = draw(source, site, View.from_query(asked.get("query")))
    except Trouble as trouble:
        drawn = in_trouble(trouble, site.page("", {}))
    head = {
        "html": drawn.head,
        "title": drawn.title,
        "query": drawn.query,
        "turn": str(asked.get("turn", ""))[:12],
        "retry": drawn.retry_seconds,
        "failed": drawn.failed,
    }
    # Hidden, it still stands in the page, where its text alternative is put.
    figure = gr.update(value=drawn.figure, visible=True if drawn.figure else "hidden")
    words = tag("p", drawn.figure_words, id="figure-words", class_="b-hidden")
    above = {"html": join(drawn.above_figure, words if drawn.figure_words else None)}
    # As text: Gradio wraps every object in it in a proxy, which takes seconds for 1,000 rows.
    table = json.dumps(drawn.table, ensure_ascii=False, separators=(",", ":"))
    return [head, *([table] if has_table else []), above, figure, {"html": drawn.foot}]


def _part(script: str, first: Safe | str = "", elem_id: str | None = None) -> gr.HTML:
    """A part that our script draws.

    Gradio's own templating compiles what it puts into a template, so nothing
    that comes from the API may pass through it: the template stays empty.
    """
    return gr.HTML(
        value={"html": str(first)},
        html_template="",
        js_on_load=f"Plumbline.{script}",
        apply_default_css=False,
        padding=False,
        elem_id=elem_id,
        elem_classes=["b-page"],
    )


def _markup(
    html: Safe, kind: str, *, elem_id: str | None = None, script: str | None = None
) -> gr.HTML:
    """Fixed markup of this package; holds nothing from the API."""
    return gr.HTML(
        str(html),
        js_on_load=script,
        apply_default_css=False,
        padding=False,
        elem_id=elem_id,
        elem_classes=[kind],
    )
