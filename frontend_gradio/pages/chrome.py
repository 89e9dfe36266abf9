"""Header and footer of every page; the portal's own pages repeat this markup."""

from __future__ import annotations

from frontend_gradio.markup import Safe, join, tag
from frontend_gradio.site import Site

MARK = Safe(
    '<svg viewBox="0 0 16 24" fill="none" stroke="currentColor" stroke-width="1.5" '
    'stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">'
    '<path d="M3 1.5h10M8 1.5v8.5"/>'
    '<path fill="currentColor" d="M4.5 11.5h7v2.25L8 22.25 4.5 13.75z"/></svg>'
)

THEMES = ("auto", "light", "dark")


def header(site: Site) -> Safe:
    """Wordmark and links; nobody is signed in here, so none of them depends on who reads."""
    boards = site.page("", {})
    return tag(
        "header",
        tag("a", "Skip to the content", href="#content", class_="pl-skip b-skip"),
        tag(
            "div",
            tag("a", MARK, "Plumbline", href=boards, class_="pl-wordmark"),
            tag(
                "nav",
                tag("a", "Boards", href=boards, aria_current="true"),
                tag("a", "Submit", href=site.portal("/submit/")),
                tag("a", "My submissions", href=site.portal("/submissions/")),
                tag("a", "API", href=site.portal("/api/v1/docs")),
                tag(
                    "a",
                    "Sign in",
                    href=site.portal("/account/sign-in/"),
                    class_="pl-nav__end",
                ),
                class_="pl-nav",
                aria_label="Main",
            ),
            class_="pl-header__row",
        ),
        class_="pl-header",
    )


def footer(site: Site) -> Safe:
    """The last line of every page; the switch of colours is brought to life by our script."""
    return tag(
        "footer",
        tag(
            "div",
            tag("span", "Every score with its interval, every rank with its doubt."),
            tag(
                "nav",
                tag("a", "Benchmarks", href=site.portal("/benchmarks/")),
                tag("a", "How to read a board", href=site.page("about", {})),
                tag("a", "Status", href=site.portal("/status/")),
                tag("a", "OpenAPI", href=site.portal("/api/v1/openapi.json")),
                class_="b-footer-nav",
                aria_label="Footer",
            ),
            tag(
                "span",
                *(tag("button", theme.title(), type="button", value=theme) for theme in THEMES),
                class_="b-theme",
                role="group",
                aria_label="Colours",
            ),
            class_="pl-footer__row",
        ),
        class_="pl-footer",
    )


def trail(*steps: tuple[str, str]) -> Safe:
    """The way up: (title, address) of the pages above this one."""
    return tag(
        "nav",
        join(*(tag("a", title, href=address) for title, address in steps)),
        class_="b-trail",
        aria_label="You are in",
    )
