"""Rules of boards that somebody broke, in words that they can act on."""

from django.utils.translation import gettext_lazy as _

from core.errors import DomainError


class BoardRefused(DomainError):
    """Something that cannot be done to a board, or with such values."""

    status = 422


class BoardClash(DomainError):
    """Somebody else was there first: what they did stands, and nothing else was changed."""


class BoardClosed(DomainError):
    message = _("This board is closed: its piles stay as they are. Nothing was changed.")


class NotApart(DomainError):
    message = _("The cards of this board are sorted together now. Nothing was changed.")


class StillApart(DomainError):
    message = _("The cards of this board are still sorted apart. Nothing was changed.")


class NotYourBoard(DomainError):
    status = 403
    message = _("You do not sort the cards of this board now. Nothing was changed.")


class SortingDone(DomainError):
    message = _("You have said that your sorting is done. Nothing was changed.")


class NothingToTakeBack(DomainError):
    message = _("There is no move of yours to take back.")


class NothingToDoAgain(DomainError):
    message = _("There is nothing to do again.")


class BuiltOn(DomainError):
    message = _("Somebody has gone on from there, and what they did would be lost. Nothing was changed.")
