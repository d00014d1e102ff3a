"""Tests: servers of their own in a folder of their own (tests/conftest.py), cheap passwords, no throttles."""

from .base import *

SECRET_KEY = "a-key-for-tests-only-that-protects-nothing-at-all-0123456789"  # noqa: S105
ALLOWED_HOSTS = ["testserver", "localhost", "127.0.0.1"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False
ACCOUNT_RATE_LIMITS = False
LOGGING["root"]["level"] = "WARNING"
