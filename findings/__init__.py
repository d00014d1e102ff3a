"""What a study found, and the evidence that each finding rests on."""
