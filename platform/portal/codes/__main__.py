"""`python -m portal.codes`: write docs/codes.md again from the list."""

from __future__ import annotations

from pathlib import Path

from portal.codes.page import page

PAGE = Path(__file__).resolve().parents[3] / "docs/codes.md"

if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
