"""Which version: benchmarks, their fixed editions and tracks."""
