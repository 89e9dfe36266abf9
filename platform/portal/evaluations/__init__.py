"""How it went: evaluations, scores and the log of every change. The only writer of results."""
