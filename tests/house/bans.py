"""Calls that read code where data was meant: numpy, torch and others that ruff has no rule for."""

from __future__ import annotations

import ast
from collections.abc import Iterator

# name of the call -> the keyword that must be there with the value that makes it safe
SAFE_ONLY_WITH = {
    "np.load": ("allow_pickle", False),
    "numpy.load": ("allow_pickle", False),
    "np.save": ("allow_pickle", False),
    "numpy.save": ("allow_pickle", False),
    "torch.load": ("weights_only", True),
}
NEVER = {"pandas.read_pickle", "pd.read_pickle", "joblib.load", "dill.loads", "dill.load"}
MODULES_NEVER = {"pickle", "cPickle", "dill", "shelve", "marshal", "joblib", "cloudpickle"}


def banned(source: str) -> Iterator[tuple[int, str]]:
    """Line and reason of everything banned in a module."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name in NEVER:
                yield node.lineno, f"{name} runs code of strangers"
            elif name in SAFE_ONLY_WITH:
                keyword, value = SAFE_ONLY_WITH[name]
                given = {word.arg: ast.unparse(word.value) for word in node.keywords}
                if given.get(keyword) != repr(value):
                    yield node.lineno, f"{name} without {keyword}={value}"
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names]
            for name in names if isinstance(node, ast.Import) else [node.module or ""]:
                if name.partition(".")[0] in MODULES_NEVER:
                    yield node.lineno, f"import of {name}"
