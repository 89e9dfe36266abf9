"""Resampling of clusters, intervals, paired comparisons and ranks (STATISTICS, 1, 2, 6)."""
