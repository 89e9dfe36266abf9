"""Settings say everything once: of two values the first would be a lie."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

SETTINGS = Path(__file__).resolve().parents[2] / "platform" / "portal" / "settings"


@pytest.mark.parametrize("path", sorted(SETTINGS.glob("*.py")), ids=lambda path: path.stem)
def test_no_setting_is_given_twice(path: Path) -> None:
    given = Counter(
        target.id
        for statement in ast.parse(path.read_text()).body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name)
    )
    assert [name for name, count in given.items() if count > 1] == []
