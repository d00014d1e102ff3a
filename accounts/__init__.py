"""Who is asking: people, sign-in, tokens."""
