"""Rounds, labels, disagreements, agreement and exports over REST: doors to the actions that the pages use."""
