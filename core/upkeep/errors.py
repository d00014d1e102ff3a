"""Why a backup was not made, or not restored."""


class BackupError(Exception):
    """The text is for the administrator."""
