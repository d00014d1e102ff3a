"""What a password must be, beside the rules of Django (AUTH_PASSWORD_VALIDATORS)."""

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

FEWEST = 6


class DifferentCharacters:
    """At least FEWEST different characters: `aaaaaaaaaaaa` and `abababababab` are long and easy to guess."""

    def validate(self, password: str, user: object = None) -> None:  # noqa: ARG002 - what Django gives
        if len(set(password)) < FEWEST:
            raise ValidationError(self.get_help_text(), code="password_of_few_characters")

    def get_help_text(self) -> str:
        return _("The password needs at least %(fewest)d different characters.") % {"fewest": FEWEST}
