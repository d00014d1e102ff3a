"""Tests: servers of their own in a folder of their own (tests/conftest.py), cheap passwords, no throttles."""

import os
import tempfile

# A data folder per run: named here, inherited by xdist's workers and by commands that tests start, made and
# removed by tests/conftest.py. Nothing in a person's own environment may lead tests to a database of theirs.
os.environ.setdefault("CROSSCHECK_TEST_DATA", f"{tempfile.gettempdir()}/crosscheck-test-{os.getpid()}")
os.environ |= {"CROSSCHECK_DATA": os.environ["CROSSCHECK_TEST_DATA"], "DATABASE_URL": "", "REDIS_URL": ""}

from .base import *

EMBEDDED_DURABLE = False

SECRET_KEY = "a-key-for-tests-only-that-protects-nothing-at-all-0123456789"  # noqa: S105
ALLOWED_HOSTS = ["testserver", "localhost", "127.0.0.1"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
# Files are found when asked for: each test client is a server of its own, and would list them at its start.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True
ACCOUNT_RATE_LIMITS = False
LOGGING["root"]["level"] = "WARNING"
