"""Failures of an embedded server, in words that tell the user what to do."""


class EmbeddedServerError(Exception):
    """An embedded server cannot run; the text is one or two sentences for the user."""
