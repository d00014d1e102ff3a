"""Signals to the rooms above this one."""

from django.dispatch import Signal

published = Signal()
"""Sent in the transaction that publishes a version, with `version` and `by`: an error undoes it."""

followed = Signal()
"""Sent after a publication, with `version` and the publisher's `member`. Receivers return a sentence about
its consequences, or "".
"""

labelled = Signal()
"""Asked about a `taxonomy`: receivers return whether volunteers have labelled by it in a pilot or main round.
"""

answered = Signal()
"""Sent in the transaction that answers an open name without a vote, with `taxonomy`."""
