"""How mails are sent."""

from .environment import env

# Without mail nothing is written anywhere: a log would keep the links that mails have.
EMAIL_BACKEND = env("EMAIL_BACKEND", default="django.core.mail.backends.dummy.EmailBackend")
SENDS_MAIL = not EMAIL_BACKEND.startswith(
    ("django.core.mail.backends.dummy", "django.core.mail.backends.console")
)
DEFAULT_FROM_EMAIL = env("DEFAULT_FROM_EMAIL", default="crosscheck@localhost")
EMAIL_HOST = env("EMAIL_HOST", default="localhost")
EMAIL_PORT = env.int("EMAIL_PORT", default=25)
EMAIL_HOST_USER = env("EMAIL_HOST_USER", default="")
EMAIL_HOST_PASSWORD = env("EMAIL_HOST_PASSWORD", default="")
EMAIL_USE_TLS = env.bool("EMAIL_USE_TLS", default=False)
EMAIL_TIMEOUT = 30
