"""Refusals about imports, keyword lists, similar reports and saved filters."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.errors import DomainError
from core.text.joining import remarks
from ingest.readers import Refusal
from ingest.words import limit_name


class FileRefused(DomainError):
    """No row of a file can be taken; nothing was stored."""

    status = 422

    def __init__(self, name: str, refusal: Refusal) -> None:
        self.refusal = refusal
        super().__init__(f"{name}: {refusal.text(_)}" if name else refusal.text(_))


class FileTooLarge(DomainError):
    status = 422

    def __init__(self, name: str, limit: int) -> None:
        super().__init__(
            _(
                "%(name)s is larger than %(limit)s, the limit for one file. Nothing was stored. "
                "Split the file and import the parts one after another."
            )
            % {"name": name, "limit": limit_name(limit)}
        )


class FileChanged(DomainError):
    message = gettext_lazy(
        "The file on the server differs from the uploaded file. Rows stored before are kept; "
        "no more rows were stored. Upload the file again."
    )


class FileGone(DomainError):
    message = gettext_lazy(
        "The uploaded file is no longer on the server. Nothing more was stored. Upload the file again."
    )


class NotMapped(DomainError):
    message = gettext_lazy(
        "The file does not say which issue each row is about. Nothing was imported. Choose "
        "the column with the address, or the column with the number and a repository. Then "
        "import the file."
    )


class AlreadyImported(DomainError):
    """The study has imported a file with the same bytes before."""

    message = gettext_lazy("This file was imported before. Nothing was changed.")


class OneRefused(DomainError):
    """One of several files cannot be imported; none was started."""

    def __init__(self, name: str, cause: DomainError) -> None:
        told = {"name": name, "cause": cause.message}
        super().__init__(_("%(name)s: %(cause)s No import was started.") % told)


class ImportRunning(DomainError):
    message = gettext_lazy("This import has already started. Nothing was changed.")


class ImportStarted(DomainError):
    message = gettext_lazy("This import has stored rows, so it cannot be discarded. Nothing was changed.")


class NotTakenBack(DomainError):
    message = gettext_lazy(
        "Only an import of issues from a file that has ended can be taken back. Nothing was changed."
    )


class ImportInUse(DomainError):
    """Something refers to issues of an import that is to be taken back; `references` say what, in words."""

    def __init__(self, references: Sequence[str]) -> None:
        self.references = list(references)
        told = _("This import cannot be taken back: %(references)s. Nothing was changed.")
        super().__init__(told % {"references": remarks(references)})


class IssueInUse(DomainError):
    """Something refers to an issue that is to be removed; `references` say what, in words."""

    def __init__(self, references: Sequence[str], *, kept: str = "") -> None:
        self.references = list(references)
        told = _("This issue cannot be removed: %(references)s. Nothing was changed.")
        super().__init__(told % {"references": remarks(references)}, kept={"why": kept})


class IssueGone(DomainError):
    message = gettext_lazy("Somebody has removed this issue already. Nothing was changed.")


class RemovalRefused(DomainError):
    """No reason, or none that can be stored."""

    status = 422


class ListRefused(DomainError):
    """A keyword list that cannot be taken; `problems` are its reasons, in words."""

    status = 422

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join([_("Nothing was stored."), *self.problems]))


class ListNameTaken(DomainError):
    def __init__(self, name: str) -> None:
        super().__init__(
            _("The study already has a keyword list named %(name)s. Nothing was stored. Choose another name.")
            % {"name": name}
        )


class StaleList(DomainError):
    message = gettext_lazy(
        "Somebody saved a newer version of this list. Nothing was stored; your list is still "
        "in the form. Compare both lists, then save your list again."
    )


class NothingChanged(DomainError):
    message = gettext_lazy("This list is the same as its current version. No new version was stored.")


class TextsComeIn(DomainError):
    """Texts are being added without a pause; the next sweep searches again."""

    message = gettext_lazy(
        "New texts are being added now. The search for keywords starts when all new texts are stored."
    )


class MarkRefused(DomainError):
    status = 422
    message = gettext_lazy("Choose duplicate, related or not similar. Nothing was stored.")


class NotSimilar(DomainError):
    """A mark of reports that are no pair, or no longer one."""

    message = gettext_lazy(
        "These reports are no longer similar, because a text changed. Nothing was stored. Reload the page."
    )


class GroupChanged(DomainError):
    """A group has other members than on the page that was sent."""

    message = gettext_lazy(
        "This group changed while you looked at it. Nothing was stored; your note is still "
        "here. Reload the page and check the group."
    )


class FilterRefused(DomainError):
    status = 422
