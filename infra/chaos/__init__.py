"""Kills parts of a running site at random under load, and counts what was lost: nothing."""
