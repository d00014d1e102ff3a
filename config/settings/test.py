"""Tests: separate servers in a separate folder (tests/conftest.py), fast password hashes, no throttles."""

import os
import tempfile

# The data folder of this run: named here, inherited by xdist's workers and by commands in tests, made and
# removed by tests/conftest.py. No variable of the user's environment may lead tests to a real database.
os.environ.setdefault("CROSSCHECK_TEST_DATA", f"{tempfile.gettempdir()}/crosscheck-test-{os.getpid()}")
os.environ |= {"CROSSCHECK_DATA": os.environ["CROSSCHECK_TEST_DATA"], "DATABASE_URL": "", "REDIS_URL": ""}

from .base import *

EMBEDDED_DURABLE = False
# Tests sign in as the owner of the tables and work as the application (tests/database.py).
DATABASES["default"]["USER"], DATABASE_OWNER = OWNER, None

SECRET_KEY = "a-key-for-tests-only-that-protects-nothing-at-all-0123456789"  # noqa: S105
ALLOWED_HOSTS = ["testserver", "localhost", "127.0.0.1"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
SENDS_MAIL = True
# Files are found on request: otherwise each test client, which is a server, would list them at its start.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True
ACCOUNT_RATE_LIMITS = False
API_LIMIT_TOKEN = API_LIMIT_ADDRESS = SIGN_IN_LIMIT = ""
CACHES = CACHES | {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
LOGGING["root"]["level"] = "WARNING"
# Workers of xdist have databases of their own, so the same ids.
PACKAGES_DIR = DATA_DIR / f"packages-{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}"
