"""Nothing of ours reads code where data was meant, and the rules that say so do fire."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.bans import banned

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("evaluator", "platform", "worker", "frontend_gradio", "infra")


def test_no_module_of_ours_is_banned() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {reason}"
        for part in PARTS
        for path in sorted((ROOT / part).rglob("*.py"))
        for line, reason in banned(path.read_text())
    ]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "import pickle",
        "from pickle import loads",
        "import numpy as np; np.load('x.npy')",
        "import numpy as np; np.load('x.npy', allow_pickle=True)",
        "import numpy as np; np.load('x.npy', allow_pickle=flag)",
        "import torch; torch.load('x.pt')",
        "import torch; torch.load('x.pt', weights_only=False)",
        "import pandas as pd; pd.read_pickle('x')",
    ],
)
def test_our_rule_fires(line: str) -> None:
    assert list(banned(line))


@pytest.mark.parametrize(
    "line",
    [
        "import numpy as np; np.load('x.npy', allow_pickle=False)",
        "import torch; torch.load('x.pt', weights_only=True)",
        "import json; json.load(open('x'))",
    ],
)
def test_our_rule_lets_data_be_read(line: str) -> None:
    assert not list(banned(line))


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("S301", "import pickle\npickle.loads(b'')\n"),
        ("S302", "import marshal\nmarshal.loads(b'')\n"),
        ("S307", "eval('1 + ' + input())\n"),
        ("S102", "exec(input())\n"),
        ("S506", "import yaml\nyaml.load('x', Loader=yaml.Loader)\n"),
        ("BLE001", "try:\n    1 / 0\nexcept Exception:\n    x = 1\n"),
        ("T201", "print('x')\n"),
    ],
)
def test_ruff_fires_on_a_planted_sample(code: str, line: str) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "ruff", "check", "--no-cache", "--output-format", "concise"),
            *("--stdin-filename", "evaluator/planted.py", "-"),
        ],
        cwd=ROOT,
        input=line,
        capture_output=True,
        text=True,
        check=False,
    )
    assert f" {code} " in done.stdout, done.stdout + done.stderr
