"""How much of a text is rendered; what goes beyond is shown unformatted."""

DEEPEST = 40  # levels of quotes, lists and details


class TooMuchError(Exception):
    """The text nests deeper, or costs more, than any text that people write."""
