"""What rooms to the left of this one wait for."""

from django.dispatch import Signal

published = Signal()
"""Sent in the transaction that publishes a version, with `version` and `by`: who raises undoes it."""

followed = Signal()
"""Asked after a publication what it set going, with `version` and `member`, who published it: who receives
it answers with a sentence, or with "".
"""

answered = Signal()
"""Sent in the transaction that names the category which open labels wait for, with `taxonomy`."""
