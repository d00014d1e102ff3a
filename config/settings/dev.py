"""Runs on one computer without configuration: embedded servers, a key in the data folder, loopback only."""

from config.secret_key import local_secret_key

from .base import *

DEBUG = env.bool("DEBUG", default=False)
SECRET_KEY = SECRET_KEY or local_secret_key(DATA_DIR)
ALLOWED_HOSTS = ALLOWED_HOSTS or ["localhost", "127.0.0.1", "[::1]"]
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG
