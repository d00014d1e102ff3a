"""Deployed: everything comes from the environment, without defaults; unsafe settings are refused."""

from ipaddress import ip_network

from django.core.exceptions import ImproperlyConfigured

from .base import *

LOG_FORMAT = env("LOG_FORMAT", default="json")
LOGGING["formatters"]["line"]["form"] = LOG_FORMAT
LOGGING["loggers"]["crosscheck.requests"]["level"] = "INFO"

_wrong = []
if len(SECRET_KEY) < 50 or SECRET_KEY.startswith(("change", "django-insecure")):
    _wrong.append("SECRET_KEY must be set to at least 50 random characters")
if env.bool("DEBUG", default=False):
    _wrong.append("DEBUG must not be set")
if not ALLOWED_HOSTS or any("*" in host or host.startswith(".") for host in ALLOWED_HOSTS):
    _wrong.append("ALLOWED_HOSTS must name the hosts, without wildcards")
if not env("DATABASE_URL", default="").startswith(("postgres://", "postgresql://")):
    _wrong.append("DATABASE_URL must name the PostgreSQL database")
if not REDIS_URL:
    _wrong.append("REDIS_URL must name the Redis server")
for _name in ("TRUSTED_PROXIES", "METRICS_NETWORKS"):
    try:
        [ip_network(_one, strict=False) for _one in env.list(_name, default=[]) if _one != "unix"]
    except ValueError as _error:
        _wrong.append(f"{_name} must name networks, such as 10.0.0.0/8: {_error}")
if _wrong:
    raise ImproperlyConfigured("Crosscheck does not start in production: " + "; ".join(_wrong) + ".")

FIRST_ACCOUNT_NEEDS_CODE = True
CSRF_TRUSTED_ORIGINS = CSRF_TRUSTED_ORIGINS or [f"https://{host}" for host in ALLOWED_HOSTS]
SITE_URL = env("SITE_URL", default=f"https://{ALLOWED_HOSTS[0]}")
SECURE_SSL_REDIRECT = env.bool("SECURE_SSL_REDIRECT", default=True)
SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)$"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_HSTS_SECONDS = 31536000
SECURE_HSTS_INCLUDE_SUBDOMAINS = True
SECURE_HSTS_PRELOAD = True
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "core.static.HashedModules"},
}
