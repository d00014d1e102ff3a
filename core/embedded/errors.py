"""What can go wrong with an embedded server, in words that say what to do."""


class EmbeddedServerError(Exception):
    """An embedded server cannot run; its text is one or two sentences for the person at the keyboard."""
