"""Intervals: of issues, of few people, of clusters and of one category, and where they are in doubt."""
