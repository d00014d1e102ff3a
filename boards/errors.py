"""Errors of boards: a broken rule, and what the member can do about it."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from boards.mapping import MappingRefused
from core.errors import DomainError


class BoardRefused(DomainError):
    """An act that is impossible on this board, or has invalid values."""

    status = 422


class MappingNotRead(BoardRefused):
    """A file was refused; `problems` has every cause with its line."""

    def __init__(self, refused: MappingRefused) -> None:
        self.problems = refused.problems
        causes = (
            _("Line %(line)s: %(cause)s")
            % {"line": problem.line, "cause": _(problem.template) % problem.values}
            for problem in refused.problems
        )
        super().__init__("\n".join([_("The file was refused and nothing was stored."), *causes]))


class BoardClash(DomainError):
    """Somebody else was faster: their change stays, and this act changed nothing."""


class BoardClosed(DomainError):
    message = gettext_lazy("This board is closed: its piles stay as they are. Nothing was changed.")


class NotApart(DomainError):
    message = gettext_lazy("The cards of this board are sorted together now. Nothing was changed.")


class StillApart(DomainError):
    message = gettext_lazy("The cards of this board are still sorted apart. Nothing was changed.")


class NothingToCompare(DomainError):
    message = gettext_lazy(
        "There is no agreement to show: the cards are still sorted apart, or were sorted together all along."
    )


class NotYourBoard(DomainError):
    status = 403
    message = gettext_lazy("You do not sort the cards of this board now. Nothing was changed.")


class SortingDone(DomainError):
    message = gettext_lazy("You have said that your sorting is done. Nothing was changed.")


class NothingToTakeBack(DomainError):
    message = gettext_lazy("There is no move of yours to take back.")


class NothingToDoAgain(DomainError):
    message = gettext_lazy("There is nothing to do again.")


class BuiltOn(DomainError):
    message = gettext_lazy(
        "Somebody has gone on from there, and what they did would be lost. Nothing was changed."
    )
