"""Who labels what, what was labelled, and what is revealed to whom."""
