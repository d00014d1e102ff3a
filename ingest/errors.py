"""Refusals about imports, harvests, keyword lists and saved filters."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from core.errors import DomainError, FieldRefused
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
                "%(name)s is larger than %(limit)s, the most that this server takes at once. "
                "Nothing was stored. Split it and load the parts one after another."
            )
            % {"name": name, "limit": limit_name(limit)}
        )


class FileChanged(DomainError):
    message = gettext_lazy(
        "The file on the server is not the one that was uploaded and shown. Nothing more was stored. "
        "Upload it again."
    )


class FileGone(DomainError):
    message = gettext_lazy("The uploaded file is no longer on the server. Upload it again.")


class NotMapped(DomainError):
    message = gettext_lazy(
        "Nothing was imported: it is not known yet which issue each row is about. Choose the column with the"
        " address, or the column with the number and a repository. Then import the file."
    )


class AlreadyImported(DomainError):
    """The study has imported a file with the same bytes before."""

    message = gettext_lazy("This file was imported before. Nothing was done, and nothing has changed.")


class ImportRunning(DomainError):
    message = gettext_lazy("This import has been started already. Nothing was done twice.")


class ImportStarted(DomainError):
    message = gettext_lazy("This import has brought rows in: it stays in the study's records.")


class ListRefused(DomainError):
    """A keyword list that cannot be taken; `problems` are its reasons, in words."""

    status = 422

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join([_("Nothing was stored."), *self.problems]))


class ListNameTaken(DomainError):
    def __init__(self, name: str) -> None:
        super().__init__(
            _("The study has a keyword list named %(name)s. Nothing was stored. Choose another name.")
            % {"name": name}
        )


class StaleList(DomainError):
    message = gettext_lazy(
        "Somebody stored a newer version of this list. Nothing was stored, and your list is still in the"
        " form. Compare both, then store yours again."
    )


class NothingChanged(DomainError):
    message = gettext_lazy("This list is the same as its current version. No new version was stored.")


class TextsComeIn(DomainError):
    """Texts are being added without a pause; the next sweep searches again."""

    message = gettext_lazy("Texts are being added. Keywords are searched in them once they are there.")


class MarkRefused(DomainError):
    status = 422
    message = gettext_lazy("Choose duplicate, related or not similar. Nothing was stored.")


class NotSimilar(DomainError):
    """A mark of reports that are no pair, or no longer one."""

    message = gettext_lazy(
        "These reports are not similar any more: a text changed. Nothing was stored. Load the page again."
    )


class GroupChanged(DomainError):
    """A group has other members than on the page that was sent."""

    message = gettext_lazy(
        "This group changed while you looked at it. Nothing was stored, and your note is still here. "
        "Load the page again and look at the group."
    )


class FilterRefused(DomainError):
    status = 422


class HarvestRefused(FieldRefused):
    """A plan of a harvest that cannot be stored; nothing was."""

    status = 422


class HarvestRunning(DomainError):
    message = gettext_lazy("This harvest runs already. Nothing was started twice.")


class HarvestIdle(DomainError):
    message = gettext_lazy("This harvest does not run, and waits for nothing. There is nothing to pause.")


class HarvestFetched(DomainError):
    message = gettext_lazy(
        "Everything that this harvest asked for is here. Nothing was done."
        " Refresh it to fetch what changed since."
    )


class HarvestUnfinished(DomainError):
    message = gettext_lazy(
        "This harvest, or a refresh of it, has not fetched everything yet. Nothing was done."
        " Start it again, and refresh it when it is done."
    )


class PagesMissing(DomainError):
    """The walk over some repositories stands still; `troubles` are path and cause of each."""

    def __init__(self, troubles: Sequence[tuple[str, str]]) -> None:
        self.troubles = list(troubles)
        told = ngettext(
            "%(n)d repository is not complete.", "%(n)d repositories are not complete.", len(self.troubles)
        ) % {"n": len(self.troubles)}
        causes = " ".join(f"{path}: {cause}" for path, cause in self.troubles)
        kept = _("Everything fetched so far is kept. Start the harvest again: it goes on at these pages.")
        super().__init__(f"{told} {causes} {kept}")


class TokenRefusedHere(FieldRefused):
    """A text that cannot be a token; it is in no message."""

    status = 422


class TokenUnreadable(DomainError):
    """A token that was sealed under a key which this server does not have any more."""

    def __init__(self, name: str, host: str) -> None:
        super().__init__(
            _(
                "The token %(name)s for %(host)s cannot be read, because SECRET_KEY of this server has"
                " changed. Nothing was asked. Remove the token, and add it again."
            )
            % {"name": f"“{name}”" if name else "", "host": host}
        )


class IssuesInUse(DomainError):
    """Issues that are to be taken back, and are used; `numbers` are some of them."""

    def __init__(self, numbers: Sequence[str]) -> None:
        self.numbers = list(numbers)
        shown = ", ".join(f"#{number}" for number in self.numbers[:10])
        super().__init__(
            _(
                "These issues are in a round, a sample or a list, or have labels: %(numbers)s."
                " Nothing was taken back. Leave them out, and take the others back."
            )
            % {"numbers": shown + ("…" if len(self.numbers) > 10 else "")}
        )


class NothingListed(DomainError):
    message = gettext_lazy("No issue of this study is known by its address only. There is nothing to ask.")


class ResolvingRunning(DomainError):
    message = gettext_lazy("The forges are being asked already. Nothing was started twice.")
