"""Forms about accounts."""

from datetime import timedelta
from functools import cache
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from accounts import actions
from accounts.models import Scope, User

DAYS = (30, 90, 180, 365)
AREAS = frozenset("Africa America Antarctica Arctic Asia Atlantic Australia Europe Indian Pacific".split())


class AccountForm(forms.Form):
    """Name, address and password of a new account; the password must not resemble the other two."""

    name = forms.CharField(
        label=_("Your name"), max_length=150, widget=forms.TextInput(attrs={"autocomplete": "name"})
    )
    email = forms.EmailField(
        label=_("Email address"), max_length=254, widget=forms.EmailInput(attrs={"autocomplete": "username"})
    )
    password = forms.CharField(
        label=_("Password"),
        max_length=256,
        strip=False,
        help_text=_("At least 12 characters. A few words make a good password."),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        if {"name", "email", "password"} <= cleaned.keys():
            try:
                validate_password(cleaned["password"], User(name=cleaned["name"], email=cleaned["email"]))
            except forms.ValidationError as error:
                self.add_error("password", error)
        return cleaned


class LanguageForm(forms.Form):
    """A language of this server."""

    language = forms.ChoiceField(choices=lambda: settings.LANGUAGES)


class FirstAccountForm(AccountForm):
    """The first account of a server, with a set-up code if the server requires one."""

    code = forms.CharField(
        label=_("Set-up code"),
        max_length=256,
        help_text=_(
            "The terminal that started Crosscheck shows this code. On a deployed server it is the value of"
            " CROSSCHECK_SETUP_CODE."
        ),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    field_order = ("code", "name", "email", "password")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not actions.needs_setup_code():
            del self.fields["code"]

    def clean_code(self) -> str:
        code: str = self.cleaned_data["code"]
        if not actions.is_setup_code(code):
            raise forms.ValidationError(_("This is not the set-up code of this server."))
        return code


class NameForm(forms.ModelForm):
    class Meta:
        model = User
        fields = ("name",)
        widgets = {"name": forms.TextInput(attrs={"autocomplete": "name"})}


class AddressForm(forms.Form):
    """Another address for an account, with its password if it has one."""

    email = forms.EmailField(
        label=_("New email address"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    password = forms.CharField(
        label=_("Your password"),
        max_length=256,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        if not user.has_usable_password():
            del self.fields["password"]

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"]
        if email.casefold() == self.user.email.casefold():
            raise forms.ValidationError(_("This is your address already."))
        return email

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        if not self.user.check_password(password):
            raise forms.ValidationError(_("This is not your password."))
        return password


@cache
def time_zones() -> tuple[str, ...]:
    """The names of places in the database of time zones, and UTC."""
    return ("UTC", *sorted(name for name in available_timezones() if name.partition("/")[0] in AREAS))


def _zone_choices() -> list[tuple[str, str]]:
    server = gettext("As the server: %(zone)s") % {"zone": settings.TIME_ZONE}
    return [("", server), *((name, name.replace("_", " ")) for name in time_zones())]


class TimeZoneForm(forms.Form):
    """The time zone in which somebody reads dates."""

    time_zone = forms.ChoiceField(label=_("Time zone"), required=False, choices=_zone_choices)


class TokenForm(forms.Form):
    """What a new API token is called, what it may do, and for how long."""

    name = forms.CharField(
        label=_("Name"),
        max_length=80,
        help_text=_("For example the program that uses this token."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scope = forms.ChoiceField(label=_("May do"), choices=Scope.choices, initial=Scope.READ)
    lifetime = forms.TypedChoiceField(
        label=_("Valid for"),
        choices=[(str(days), ngettext_lazy("%(n)d day", "%(n)d days", "n") % {"n": days}) for days in DAYS],
        initial="180",
        coerce=lambda days: timedelta(days=int(days)),
    )

    # The page has a field for the name of the account, too.
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("auto_id", "token_%s")
        super().__init__(*args, **kwargs)
