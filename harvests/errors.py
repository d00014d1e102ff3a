"""Refusals about harvests, tokens of forges, and issues known by their address only."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from core.errors import DomainError, FieldRefused


class HarvestRefused(FieldRefused):
    """A plan of a harvest that cannot be stored; nothing was."""

    status = 422


class HarvestRunning(DomainError):
    message = gettext_lazy("This harvest is already running. Nothing was changed.")


class HarvestIdle(DomainError):
    message = gettext_lazy("This harvest is not running. Nothing was changed.")


class HarvestFetched(DomainError):
    message = gettext_lazy(
        "This harvest is complete. Nothing was changed. Refresh the harvest to fetch later changes."
    )


class HarvestUnfinished(DomainError):
    message = gettext_lazy(
        "This harvest, or a refresh of this harvest, is not complete yet. Nothing was "
        "changed. Resume the harvest first, then refresh it."
    )


class SelectionRunning(DomainError):
    message = gettext_lazy(
        "Issues of this harvest are already being selected. Nothing was changed. Wait until this selection is"
        " finished, then select again."
    )


class PagesMissing(DomainError):
    """The walk over some repositories stands still; `troubles` are path and cause of each."""

    def __init__(self, troubles: Sequence[tuple[str, str]]) -> None:
        self.troubles = list(troubles)
        told = ngettext(
            "%(n)d repository is not complete.", "%(n)d repositories are not complete.", len(self.troubles)
        ) % {"n": len(self.troubles)}
        causes = " ".join(f"{path}: {cause}" for path, cause in self.troubles)
        kept = _("All fetched pages are kept. Start the harvest again to continue with these pages.")
        super().__init__(f"{told} {causes} {kept}")


class TokenRefusedHere(FieldRefused):
    """A text that cannot be a token; it is in no message."""

    status = 422


class TokenUnreadable(DomainError):
    """A token that was sealed under a key which this server does not have any more."""

    def __init__(self, name: str, host: str) -> None:
        super().__init__(
            _(
                "The token %(name)s for %(host)s cannot be read, because SECRET_KEY of this server "
                "has changed. No request was sent. Remove the token, then add it again."
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
                "These issues are in a round, a sample or a list, or have labels: %(numbers)s. No "
                "issue was taken back. Leave these issues out, then take the others back."
            )
            % {"numbers": shown + ("…" if len(self.numbers) > 10 else "")}
        )


class NothingListed(DomainError):
    message = gettext_lazy("All issues of this study have a text. Nothing was changed.")


class ResolvingRunning(DomainError):
    message = gettext_lazy("The forges are already being asked. Nothing was changed.")
