"""What was agreed: disagreements, meetings, votes, decisions, minutes."""
