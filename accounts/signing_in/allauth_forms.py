"""The forms of django-allauth in the house style (ACCOUNT_FORMS): no placeholders that repeat the labels."""

from typing import Any

from allauth.account import forms as allauth


class _WithoutPlaceholders:
    fields: dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)


class LoginForm(_WithoutPlaceholders, allauth.LoginForm):
    pass


class ChangePasswordForm(_WithoutPlaceholders, allauth.ChangePasswordForm):
    pass


class SetPasswordForm(_WithoutPlaceholders, allauth.SetPasswordForm):
    pass


class ResetPasswordForm(_WithoutPlaceholders, allauth.ResetPasswordForm):
    pass


class ResetPasswordKeyForm(_WithoutPlaceholders, allauth.ResetPasswordKeyForm):
    pass
