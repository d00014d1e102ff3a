"""Rounds, labels, disagreements, agreement and exports over REST, by the actions that the pages use."""
