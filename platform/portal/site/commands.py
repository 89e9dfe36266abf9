"""The commands that a page shows to entrants."""

from __future__ import annotations


def commands_for(*, server: str, benchmark: str, version: str, track: str) -> str:
    """From the public questions to a score, in one terminal."""
    address = f"{benchmark}@{version}"
    return (
        f"plumbline login --server {server}\n"
        f"plumbline questions {address} --out {benchmark}\n"
        f"plumbline validate {benchmark} predictions.json --track {track}\n"
        f"plumbline submit predictions.json --benchmark {address} \\\n"
        f'  --track {track} --system "My system" --wait'
    )
