"""What is asked of forges: harvests, the journal of their pages, selections, tokens."""
