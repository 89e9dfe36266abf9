"""Builds ActionLens questions from person-bound action evidence."""
