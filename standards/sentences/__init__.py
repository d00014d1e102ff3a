"""Sentences made from facts: items, the method section and the other files say the same. Pure."""
