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
        super().__init__(
            "\n".join([_("The file has mistakes. Nothing was stored. Correct these lines:"), *causes])
        )


class BoardClash(DomainError):
    """Somebody else was faster: their change stays, and this act changed nothing."""


class BoardClosed(DomainError):
    message = gettext_lazy("This board is closed, and its piles no longer change. Nothing was changed.")


class NotApart(DomainError):
    message = gettext_lazy("The joint session of this board has started. Nothing was changed.")


class StillApart(DomainError):
    message = gettext_lazy(
        "Members still sort this board alone. Nothing was changed. Wait for the joint session."
    )


class NothingToCompare(DomainError):
    message = gettext_lazy(
        "No comparison is available. Members still sort alone, or nobody sorted this board alone."
    )


class NotYourBoard(DomainError):
    status = 403
    message = gettext_lazy("You cannot sort the cards of this board now. Nothing was changed.")


class SortingDone(DomainError):
    message = gettext_lazy(
        "You have finished sorting. Nothing was changed. To go on, press “Continue sorting”."
    )


class NothingToTakeBack(DomainError):
    message = gettext_lazy("You have no move to undo.")


class NothingToDoAgain(DomainError):
    message = gettext_lazy("You have no move to redo.")


class BuiltOn(DomainError):
    message = gettext_lazy("Another member has made a later change that would be lost. Nothing was changed.")
