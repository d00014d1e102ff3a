"""Whole platforms as a deployment runs them: web hosts behind a front, and people who label over HTTP."""
