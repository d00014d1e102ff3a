"""What a study planned before it labelled, and where it went another way."""
