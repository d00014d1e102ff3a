"""The platform as served, with the addresses of bench/urls.py."""

from django.conf import settings

settings.ROOT_URLCONF = "bench.urls"

from config.wsgi import application  # noqa: E402 - the addresses first

__all__ = ["application"]
