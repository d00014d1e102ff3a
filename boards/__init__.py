"""Sorting the summaries of labels into sub-themes, from the bottom up."""
