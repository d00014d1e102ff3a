"""The demonstration study: invented issues and people, and what they did."""
