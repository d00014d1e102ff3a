"""The form that plans a harvest: repositories, a window of days, what to fetch and what to keep."""

from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.forms import LongSelect
from ingest.forges.naming import Misnamed, Named, forge_of_base, read_base, read_names
from ingest.forges.pages import EARLIEST
from ingest.forms.named import causes, zone_choices
from ingest.models import KeywordList

MOST_MINUTES = 7 * 24 * 60
LAST_YEAR = 2100


def is_in_reach(day: date) -> bool:
    """Is the day one on which an issue can have been opened?"""
    return EARLIEST.year <= day.year <= LAST_YEAR


class ListsField(forms.ModelMultipleChoiceField):
    """Keyword lists with the repositories that they are for, from `lists_to_choose`."""

    widget = forms.CheckboxSelectMultiple

    def label_from_instance(self, obj: Any) -> str:
        paths = [one.partition("/")[2] for one in obj.named or ()]
        return f"{obj.name} ({', '.join(paths) or _('all repositories')})"


class HarvestForm(forms.Form):
    """A plan. `repositories` cleans to a list of `Named`; the window to `opened_from` and `opened_before`."""

    repositories = forms.CharField(
        label=gettext_lazy("Repositories"),
        strip=False,
        widget=forms.Textarea(
            attrs={
                "rows": 6,
                "class": "mono sm",
                "spellcheck": "false",
                "autocapitalize": "off",
                "placeholder": "vllm-project/vllm\nhttps://gitee.com/mindspore/mindspore",
            }
        ),
        help_text=gettext_lazy(
            "One per line: owner/name on GitHub, or an address on GitHub, on Gitee or on your own server."
        ),
    )
    first_day = forms.DateField(
        label=gettext_lazy("First day"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    last_day = forms.DateField(
        label=gettext_lazy("Last day"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    zone = forms.ChoiceField(label=gettext_lazy("Time zone of these days"), widget=LongSelect)
    with_comments = forms.BooleanField(label=gettext_lazy("Fetch comments"), required=False, initial=True)
    with_pull_requests = forms.BooleanField(
        label=gettext_lazy("Also keep pull requests"),
        required=False,
        help_text=gettext_lazy(
            "Usually not needed: a pull request proposes a change and rarely reports a problem."
        ),
    )
    lists = ListsField(
        queryset=KeywordList.objects.none(),
        label=gettext_lazy("Keyword lists"),
        required=False,
        help_text=gettext_lazy("Only issues with a keyword are kept. Without a list, all issues are kept."),
    )
    minutes = forms.IntegerField(
        label=gettext_lazy("Minutes per run"),
        required=False,
        min_value=1,
        max_value=MOST_MINUTES,
        help_text=gettext_lazy(
            "After this time, other jobs run first, then the harvest continues by itself. Empty: no limit."
        ),
    )
    bases = forms.CharField(
        label=gettext_lazy("Addresses of the REST interface"),
        required=False,
        strip=False,
        widget=forms.Textarea(
            attrs={
                "rows": 2,
                "class": "mono sm",
                "spellcheck": "false",
                "placeholder": "git.example.org https://git.example.org/api/v3",
            }
        ),
        help_text=gettext_lazy(
            "Only for your own servers whose address differs from https://HOST/api/v3 (GitHub "
            "Enterprise) or https://HOST/api/v5 (Gitee). Host and address, one per line."
        ),
    )

    def __init__(self, *args: Any, lists: QuerySet[KeywordList], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["lists"].queryset = lists  # type: ignore[attr-defined]  # a ModelChoiceField by its class
        zones = zone_choices()
        here = timezone.get_current_timezone_name()
        if here not in dict(zones):
            zones.insert(0, (here, here))
        self.fields["zone"].choices = zones  # type: ignore[attr-defined]  # a ChoiceField by its class
        self.fields["zone"].initial = here

    def clean_repositories(self) -> list[Named]:
        named, bad = read_names(self.cleaned_data["repositories"])
        if bad:
            raise forms.ValidationError(causes(bad), code="line")
        if not named:
            raise forms.ValidationError(_("Type at least one repository."), code="nothing")
        return named

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        self._set_window(cleaned)
        if "repositories" in cleaned:
            self._set_bases(cleaned)
        return cleaned

    def _set_window(self, cleaned: dict[str, Any]) -> None:
        first, last, zone = (cleaned.get(name) for name in ("first_day", "last_day", "zone"))
        for name in ("first_day", "last_day"):
            if cleaned.get(name) and not is_in_reach(cleaned[name]):
                self.add_error(name, _("Choose a day from 1990 to 2100."))
                return
        if first and last and last < first:
            self.add_error("last_day", _("The last day is before the first day."))
        if not zone:
            return
        cleaned["opened_from"] = first and _midnight(first, zone)
        cleaned["opened_before"] = last and _midnight(last + timedelta(days=1), zone)

    def _set_bases(self, cleaned: dict[str, Any]) -> None:
        """Give each repository the base address that was written for its host."""
        given, bad = _read_bases(
            cleaned.get("bases", ""), {one.host for one in cleaned["repositories"] if one.base_url}
        )
        for message in causes(bad):
            self.add_error("bases", message)
        cleaned["repositories"] = [
            replace(one, base_url=given[one.host], forge=forge_of_base(given[one.host]) or one.forge)
            if one.host in given
            else one
            for one in cleaned["repositories"]
        ]

    @property
    def budget(self) -> int | None:
        """Seconds that a run may take; None for no limit."""
        minutes = self.cleaned_data.get("minutes")
        return minutes * 60 if minutes else None


def _read_bases(text: str, hosts: set[str]) -> tuple[dict[str, str], list[Misnamed]]:
    """Base addresses by host, and the lines that give none. Public forges have no other address."""
    given: dict[str, str] = {}
    bad = []
    for number, line in enumerate(text.splitlines(), 1):
        host, _blank, address = line.strip().partition(" ")
        if not host:
            continue
        try:
            if host.lower() not in hosts:
                raise ValueError(host)  # noqa: TRY301 - the refusal of a line
            given[host.lower()] = read_base(host.lower(), address)
        except ValueError:
            bad.append(Misnamed(number, line.strip().partition("?")[0][:80], "base"))
    return given, bad


def _midnight(day: date, zone: str) -> datetime:
    return datetime.combine(day, time.min, ZoneInfo(zone))


class TokenForm(forms.Form):
    """A token for one host. Its text is never put back into a page: neither here, nor by a refusal, which
    repeats no field with such a name (core.http.typed).
    """

    host = forms.CharField(
        label=gettext_lazy("Host"),
        max_length=253,
        initial="github.com",
        widget=forms.TextInput(attrs={"spellcheck": "false", "autocapitalize": "off", "list": "hosts"}),
    )
    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=60,
        help_text=gettext_lazy("For you and other leads, such as the owner of the token or its last day."),
    )
    token = forms.CharField(
        label=gettext_lazy("Token"),
        max_length=500,
        widget=forms.PasswordInput(
            render_value=False, attrs={"autocomplete": "off", "spellcheck": "false", "data-1p-ignore": ""}
        ),
        help_text=gettext_lazy("The token is stored encrypted and never shown again."),
    )

    def clean_host(self) -> str:
        """The host alone, also from a pasted address."""
        host = self.cleaned_data["host"].strip().lower()
        host = (host.partition("://")[2] or host).partition("/")[0].rpartition("@")[2].removeprefix("www.")
        return "github.com" if host == "api.github.com" else str(host)
