"""Refusals about taxonomies."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from core.errors import DomainError
from core.text.joining import listed
from taxonomy.tree import Problem
from taxonomy.tree.draft_trees import Entry
from taxonomy.tree.drafts import Refused

if TYPE_CHECKING:
    from taxonomy.models import Change


class TaxonomyRefused(DomainError):
    """A taxonomy file was refused; `problems` are all causes with their lines."""

    status = 422

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        causes = "\n".join(
            _("Line %(line)s: %(cause)s")
            % {"line": problem.line, "cause": _(problem.template) % problem.values}
            for problem in problems
        )
        super().__init__(
            _("The taxonomy has mistakes. Nothing was stored. Correct these lines:") + "\n" + causes
        )


class NameTaken(DomainError):
    message = gettext_lazy(
        "The study already has a taxonomy with this name. Nothing was stored. Choose another name."
    )


class ChangeRefused(DomainError):
    """A change that the draft cannot make."""

    status = 422

    @classmethod
    def of(cls, refused: Refused, kept: Mapping[str, str] | None = None) -> "ChangeRefused":
        cause = _(refused.template) % refused.values
        return cls(_("Not possible: %(cause)s. Nothing was changed.") % {"cause": cause}, kept=kept)


class ChangeClash(DomainError):
    """Somebody else has changed the same fields. `theirs` and `ours` are the values of these fields."""

    def __init__(
        self, by: "Change | None", entry: Entry, theirs: Mapping[str, str], ours: Mapping[str, str]
    ) -> None:
        self.by, self.entry, self.theirs, self.ours = by, entry, dict(theirs), dict(ours)
        super().__init__(
            _("%(person)s changed %(code)s while you typed. Nothing was overwritten, and your text is kept.")
            % {"person": (by and by.made_by) or _("Another member"), "code": entry.code},
            kept=dict(ours),
        )


class NothingToUndo(DomainError):
    message = gettext_lazy("You have no change to undo.")


class NothingToRedo(DomainError):
    message = gettext_lazy("You have no change to redo.")


class UndoBlocked(DomainError):
    """A later change depends on the change to be undone."""

    def __init__(self, change: "Change", cause: Refused) -> None:
        self.change = change
        super().__init__(
            _("%(person)s has made a change that needs yours (%(cause)s). Nothing was changed.")
            % {"person": change.made_by or _("Another member"), "cause": _(cause.template) % cause.values}
        )


class NothingToPublish(DomainError):
    message = gettext_lazy("The draft has no changes or no categories. Nothing was published.")


class DraftMoved(DomainError):
    message = gettext_lazy(
        "Another member changed the draft after you opened the page. Nothing was published."
        " Check the draft again, then publish."
    )


class DraftKept(DomainError):
    message = gettext_lazy(
        "This draft cannot be deleted: a version was published, or members voted on it or use it elsewhere."
        " Nothing was deleted."
    )


class ReasonMissing(DomainError):
    """New categories that nobody voted on are published with a reason only."""

    status = 422

    def __init__(self, codes: Sequence[str]) -> None:
        self.codes = tuple(codes)
        super().__init__(
            ngettext(
                "Nobody voted on %(codes)s. Nothing was published. Write the reason for this version, or"
                " propose this category.",
                "Nobody voted on %(codes)s. Nothing was published. Write the reason for this version, or"
                " propose these categories.",
                len(self.codes),
            )
            % {"codes": listed(self.codes)}
        )


class NotProposable(DomainError):
    """A proposal that cannot be put to the vote."""

    status = 422


class NoBallot(DomainError):
    message = gettext_lazy(
        "You cannot vote: you became a member after this vote started. Your vote was not stored."
    )


class MotionClosed(DomainError):
    message = gettext_lazy("The vote on this proposal is over. Nothing was changed.")


class NotOwnMotion(DomainError):
    status = 403
    message = gettext_lazy("Only the author of a proposal can withdraw the proposal. Nothing was changed.")


class NotAnAnswer(DomainError):
    status = 422
    message = gettext_lazy("The newest version does not have this category. Nothing was stored.")


class NotJoined(DomainError):
    message = gettext_lazy(
        "These names cannot be joined or separated now. Nothing was changed. Reload the page to see which"
        " names are put to the vote or have a category."
    )


class NotSaid(DomainError):
    status = 422
    message = gettext_lazy("Write a comment of 1 to 2,000 characters. Nothing was stored.")


class MotionsOpen(DomainError):
    """The draft cannot be published while these votes are open."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self.numbers = tuple(numbers)
        super().__init__(
            ngettext(
                "The vote on proposal %(numbers)s is still open. Nothing was published."
                " Publish the version after the vote.",
                "The votes on proposals %(numbers)s are still open. Nothing was published."
                " Publish the version after these votes.",
                len(self.numbers),
            )
            % {"numbers": listed(self.numbers)}
        )
