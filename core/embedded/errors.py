"""What can go wrong with an embedded server, in words that say what to do."""


class EmbeddedServerError(Exception):
    """An embedded server cannot run. `message` is one or two sentences for the person at the keyboard."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
