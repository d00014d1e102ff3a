"""Labelling: plan and open a round, take a turn, draft, submit, train, pilot."""
