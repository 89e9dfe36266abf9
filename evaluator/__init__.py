"""Arithmetic of Plumbline: bytes in, scores out.

Knows no Django, no network, no clock and no unseeded chance. `__version__`
stands in every scorecard; it rises with any change to a number on a board.
"""

__version__ = "1.0.0"
