"""Refusals about taxonomies."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from core.errors import DomainError
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
        super().__init__(_("The taxonomy was refused and nothing was stored.") + "\n" + causes)


class NameTaken(DomainError):
    message = gettext_lazy("The study has a taxonomy of this name. Choose another name; nothing was stored.")


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
            _("%(person)s has changed %(code)s in the meantime. Nothing of theirs was written over.")
            % {"person": (by and by.made_by) or _("Somebody"), "code": entry.code},
            kept=dict(ours),
        )


class NothingToUndo(DomainError):
    message = gettext_lazy("There is no change of yours to take back.")


class NothingToRedo(DomainError):
    message = gettext_lazy("There is nothing to do again.")


class UndoBlocked(DomainError):
    """A later change depends on the change to be undone."""

    def __init__(self, change: "Change", cause: Refused) -> None:
        self.change = change
        super().__init__(
            _(
                "%(person)s has built on it since, and their change would not go without yours"
                " (%(cause)s). Nothing was changed."
            )
            % {"person": change.made_by or _("Somebody"), "cause": _(cause.template) % cause.values}
        )


class NothingToPublish(DomainError):
    message = gettext_lazy("The draft changes nothing, or has no category. Nothing was published.")


class DraftMoved(DomainError):
    message = gettext_lazy(
        "Somebody has changed the draft since you looked at it. Nothing was published: look at it again."
    )


class NotProposable(DomainError):
    """A proposal that cannot be put to the vote."""

    status = 422


class NoBallot(DomainError):
    message = gettext_lazy("Those vote who were members as the proposal was opened. Your vote was not taken.")


class MotionClosed(DomainError):
    message = gettext_lazy("The vote on this proposal is over. Nothing was changed.")


class NotOwnMotion(DomainError):
    status = 403
    message = gettext_lazy("Who made a proposal withdraws it. Nothing was changed.")


class NotAnAnswer(DomainError):
    status = 422
    message = gettext_lazy("The newest version has no such category. Nothing was stored.")


class NotSaid(DomainError):
    status = 422
    message = gettext_lazy("Write something, in 2,000 characters at most. Nothing was stored.")


class MotionsOpen(DomainError):
    """The draft cannot be published while these votes are open."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self.numbers = tuple(numbers)
        super().__init__(
            ngettext(
                "Proposal %(numbers)s is still put to the vote: the version can be published when it is"
                " decided.",
                "Proposals %(numbers)s are still put to the vote: the version can be published when they are"
                " decided.",
                len(self.numbers),
            )
            % {"numbers": ", ".join(map(str, self.numbers))}
        )
