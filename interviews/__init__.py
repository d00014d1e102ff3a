"""Who is interviewed, what they said, and how it is coded."""
