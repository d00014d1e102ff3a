"""Users, and the links that sign them in."""

from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _

from core import clock

ERASED = "@accounts.invalid"
"""How the address of an account ends whose person was erased; no mail server has this name."""


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, name: str, password: str | None = None, **fields: Any) -> "User":
        user = self.model(email=self.normalize_email(email), name=name, **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def get_by_natural_key(self, email: str | None) -> "User":
        return self.get(email__iexact=email)


class User(AbstractBaseUser, PermissionsMixin):
    """A person, or a program that labels over the REST API, that can sign in."""

    email = models.EmailField(_("email address"), max_length=254)
    name = models.CharField(_("name"), max_length=150)
    is_active = models.BooleanField(default=True)
    may_create_studies = models.BooleanField(default=False)
    language = models.CharField(
        max_length=12,
        blank=True,
        default="",
        db_default="",
        help_text="A code of settings.LANGUAGES; empty: as the browser asks",
    )
    time_zone = models.CharField(
        max_length=64,
        blank=True,
        default="",
        db_default="",
        help_text="Name in the database of time zones; empty: that of the server",
    )
    joined_at = models.DateTimeField(default=clock.now, editable=False)
    seen_at = models.DateTimeField(null=True, help_text="Last request, to the minute")

    objects = UserManager()

    EMAIL_FIELD = "email"
    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["name"]

    class Meta:
        constraints = [
            models.UniqueConstraint(
                Lower("email"),
                name="one_account_per_email_address",
                violation_error_message=_("This address already has an account."),
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_erased(self) -> bool:
        return self.email.endswith(ERASED)


class SignInLink(models.Model):
    """A link that signs its user in once. Only the hash of its token is stored."""

    user = models.ForeignKey(User, models.CASCADE, related_name="sign_in_links")
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=clock.now, editable=False)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.user} until {self.expires_at:%Y-%m-%d %H:%M}"


class AddressChange(models.Model):
    """A new address that a user asked for, until a link proves that the user reads it. Only the hash of the
    link's token is stored.
    """

    user = models.ForeignKey(User, models.CASCADE, related_name="address_changes")
    email = models.EmailField(max_length=254)
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=clock.now, editable=False)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.user} to {self.email}"


class Scope(models.TextChoices):
    """What a token may do at most; its owner's rights are its limit as well."""

    READ = "read", _("Read")
    LABEL = "label", _("Read and label")
    MANAGE = "manage", _("Everything that you may do")


class TokenTerms(models.Model):
    """What one API token is called and may do, and when it was last used. django-rest-knox has the token
    itself; the database deletes this row with it.
    """

    token = models.OneToOneField(
        "knox.AuthToken", models.CASCADE, primary_key=True, related_name="terms", db_constraint=False
    )
    name = models.CharField(max_length=80)
    scope = models.CharField(max_length=6, choices=Scope)
    used_at = models.DateTimeField(null=True, help_text="Last use, to the minute")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~models.Q(name=""), name="a_token_has_a_name"),
            models.CheckConstraint(
                condition=models.Q(scope__in=Scope.values), name="a_token_reads_labels_or_manages"
            ),
        ]

    def __str__(self) -> str:
        return self.name
