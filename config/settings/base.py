"""Settings shared by every way of running; mail, REST and logs have modules of their own beside this one."""

from pathlib import Path
from typing import Any

from core.embedded import broker_url, redis_url
from core.embedded.postgres import APPLICATION
from core.embedded.postgres import ROLE as OWNER

from .environment import BASE_DIR, env, limit
from .logs import *
from .mail import *
from .rest import *

# Everything that the platform writes: embedded servers, uploads, exports, logs.
DATA_DIR = Path(env("CROSSCHECK_DATA", default=str(BASE_DIR / "var"))).resolve()
PACKAGES_DIR = DATA_DIR / "packages"

# Free bytes on its disk, below which nothing more is saved; what the database needs to end what it began.
DISK_MARGIN = env.int("CROSSCHECK_DISK_MARGIN", default=128 << 20)

DEBUG = False
SECRET_KEY = env("SECRET_KEY", default="")
# Former keys, while sessions and tokens of forges made under them are to be read.
SECRET_KEY_FALLBACKS: list[str] = env.list("SECRET_KEY_FALLBACKS", default=[])
ALLOWED_HOSTS: list[str] = env.list("ALLOWED_HOSTS", default=[])
CSRF_TRUSTED_ORIGINS: list[str] = env.list("CSRF_TRUSTED_ORIGINS", default=[])
PORT = env.int("PORT", default=8000)

INSTALLED_APPS = [
    "config.apps.Wiring",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.forms",
    "allauth",
    "allauth.account",
    "csp",
    "django_htmx",
    "drf_spectacular",
    "knox",
    "pgtrigger",
    "pghistory",
    "rest_framework",
    "template_partials.apps.SimpleAppConfig",
    "core",
    "accounts",
    "studies",
    "taxonomy",
    "ingest",
    "harvests",
    "rounds",
    "consensus",
    "annotate",
    "interviews",
    "reports",
    "findings",
    "standards",
    "replication",
    "boards",
    "protocols",
    "overview",
    "demo",
]

MIDDLEWARE = [
    "core.watching.proxies.TrustedProxies",
    "core.watching.requests.Requests",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "accounts.middleware.Language",
    "accounts.middleware.Zone",
    "accounts.middleware.FirstVisit",
    "accounts.middleware.Seen",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "core.middleware.NoStore",
    "core.middleware.SizeLimit",
    "core.disk.refusing.DiskLimit",
    "core.once.AskOnce",
    "core.middleware.DomainErrors",
    "pghistory.middleware.HistoryMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

_TEMPLATE_LOADERS = [
    (
        "template_partials.loader.Loader",
        [
            (
                "django.template.loaders.cached.Loader",
                [
                    "django.template.loaders.filesystem.Loader",
                    "django.template.loaders.app_directories.Loader",
                ],
            )
        ],
    )
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "loaders": _TEMPLATE_LOADERS,
            "builtins": [
                "django.templatetags.i18n",
                "django.templatetags.cache",
                "django.templatetags.static",
                "django.contrib.humanize.templatetags.humanize",
                "template_partials.templatetags.partials",
                "core.templatetags.crosscheck",
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

# PostgreSQL everywhere. Without DATABASE_URL the first connection starts an embedded server. The role of the
# application may change no table and no line of the audit; another one owns the tables and migrates
# (docs/decisions/0052).
if env("DATABASE_URL", default=""):
    DATABASES = {"default": env.db("DATABASE_URL")}
    DATABASES["default"]["CONN_MAX_AGE"] = 600
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
    DATABASE_OWNER = env.db("DATABASE_OWNER_URL") if env("DATABASE_OWNER_URL", default="") else None
else:
    DATABASES = {
        "default": {
            "ENGINE": "core.postgres",
            "NAME": "crosscheck",
            "USER": APPLICATION,
            "CONN_MAX_AGE": 600,
            "CONN_HEALTH_CHECKS": True,
        }
    }
    DATABASE_OWNER = {"USER": OWNER}
# A streaming replica, from which jobs that make whole files read (docs/decisions/0063).
REPLICA: dict[str, Any] | None = (
    env.db("CROSSCHECK_REPLICA_URL") if env("CROSSCHECK_REPLICA_URL", default="") else None
)
DATABASE_APPLICATION: str = DATABASES["default"]["USER"]
# Triggers are declared on the models; each migration installs the changed ones (docs/decisions/0024).
PGTRIGGER_MIGRATIONS = False
PGTRIGGER_INSTALL_ON_MIGRATE = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "accounts.User"
SILENCED_SYSTEM_CHECKS = ["auth.W004"]  # the address is unique in any case: accounts.models.User.Meta
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
    {"NAME": "accounts.passwords.DifferentCharacters"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_ADAPTER = "accounts.signing_in.adapter.InvitationOnly"
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE = True
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_FORMS = {
    "login": "accounts.signing_in.allauth_forms.LoginForm",
    "change_password": "accounts.signing_in.allauth_forms.ChangePasswordForm",
    "set_password": "accounts.signing_in.allauth_forms.SetPasswordForm",
    "reset_password": "accounts.signing_in.allauth_forms.ResetPasswordForm",
    "reset_password_from_key": "accounts.signing_in.allauth_forms.ResetPasswordKeyForm",
}
ACCOUNT_RATE_LIMITS: dict[str, str] | bool = {
    "first_account": "10/m/ip",
    # The key has the account and the address of the browser: see accounts.signing_in.adapter.
    "login_failed": "10/m/ip,5/5m/key",
    "sign_in_link": "30/m/ip",
    # Who is flooded has the link all the same: it came with the first mails.
    "change_address": "20/h/ip,5/h/key",
    "reset_password": "20/m/ip,5/15m/key",
    "accept_invitation": "20/m/ip,10/h/key",
}
# Wrong passwords of one account from all browsers together that have never signed in; empty: any number.
SIGN_IN_LIMIT = limit("SIGN_IN_LIMIT", "30/h")
# The code that the first visitor of a public server must enter to make the first account.
FIRST_ACCOUNT_CODE = env("CROSSCHECK_SETUP_CODE", default="")
FIRST_ACCOUNT_NEEDS_CODE = False

# The beginning of links in mails.
SITE_URL = env("SITE_URL", default=f"http://localhost:{PORT}")

# Redis only wakes workers; the table of jobs is authoritative. Without REDIS_URL an embedded server starts
# at the first use.
REDIS_URL = env("REDIS_URL", default="")
CELERY_BROKER_URL = REDIS_URL or broker_url(DATA_DIR)
CACHES = {
    # What is counted for limits, for all web processes together.
    "default": {
        "BACKEND": "core.limits.shared_cache.Shared",
        "LOCATION": REDIS_URL or redis_url(DATA_DIR),
        "KEY_PREFIX": "shared",
        "OPTIONS": {
            "serializer": "core.limits.shared_cache.Json",
            "socket_timeout": 0.5,
            "socket_connect_timeout": 0.5,
        },
    },
    # The drawn HTML of issues; dropped a month after drawing, or for lack of room.
    "template_fragments": {
        "BACKEND": "core.text.fragments.Fragments",
        "LOCATION": REDIS_URL or redis_url(DATA_DIR),
        "KEY_PREFIX": "drawn",
        "OPTIONS": {
            "serializer": "core.text.fragments.Compressed",
            "socket_timeout": 0.5,
            "socket_connect_timeout": 0.5,
        },
    },
}
CELERY_TASK_DEFAULT_QUEUE = "celery"
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_RESULT_BACKEND = None
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TIMEZONE = "UTC"
# What the workers ring for (config.bell): every so many `seconds`, or once a day from this `hour` (UTC) on.
# A task that finds no worker `expires`: the next one sees the same work.
BELL: dict[str, dict[str, Any]] = {
    "sweep-jobs": {"task": "core.tasks.sweep", "seconds": 15, "expires": 15},
    # Files whose time is over, or whose process was killed.
    "sweep-files": {"task": "core.tasks.sweep_files", "seconds": 60, "expires": 60},
    # After an upgrade or an interrupted import: without it lists would not find the missed texts.
    "search-keywords": {"task": "ingest.tasks.search_what_was_missed", "seconds": 300, "expires": 300},
    # After an upgrade or an interrupted import: until then, texts have no similar reports.
    "compare-reports": {"task": "ingest.tasks.compare_what_was_missed", "seconds": 300, "expires": 300},
    # A harvest that waits for a forge goes on when its time has come.
    "resume-harvests": {"task": "harvests.tasks.resume_harvests", "seconds": 30, "expires": 30},
    # A vote past its deadline takes no ballots: only its outcome waits for this task.
    "close-due-motions": {"task": "taxonomy.tasks.close_due_motions", "seconds": 60, "expires": 60},
    # Studies whose days of grace are over; what a killed run left goes with the next one.
    "remove-studies": {"task": "studies.tasks.remove_due_studies", "seconds": 3600, "expires": 3600},
    # What happened in rounds becomes a link of their chains.
    "seal-rounds": {"task": "rounds.tasks.seal_new", "seconds": 60, "expires": 60},
    # The same without a limit: what committed too late for the run of each minute.
    "seal-all-rounds": {"task": "rounds.tasks.seal_all", "seconds": 3600, "expires": 3600},
    # A morning mail that is hours late is not sent.
    "send-digests": {"task": "overview.tasks.send_digests", "hour": 7, "expires": 6 * 3600},
}

LANGUAGE_CODE = "en"
# Each name in its own language, for those who read no other.
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = env("TIME_ZONE", default="UTC")
USE_I18N = True
FORMAT_MODULE_PATH = "config.formats"
USE_TZ = True

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = env("STATIC_ROOT", default=str(BASE_DIR / "staticfiles"))
FILE_UPLOAD_HANDLERS = [
    "core.uploads.Capped",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "core.uploads.Nameless",
]
FILE_UPLOAD_MAX_MEMORY_SIZE = 1 << 20
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 << 20
DATA_UPLOAD_MAX_NUMBER_FILES = 300
UPLOAD_MAX_BYTES = env.int("UPLOAD_MAX_BYTES", default=512 << 20)

# Networks of the proxies in front of the web process: only what they tell of a visitor is believed.
TRUSTED_PROXIES: list[str] = env.list("TRUSTED_PROXIES", default=[])
# Who may read /metrics: nobody, unless a token or networks are given.
METRICS_TOKEN = env("METRICS_TOKEN", default="")
METRICS_NETWORKS: list[str] = env.list("METRICS_NETWORKS", default=[])

# A folder with further sets of standards, as TOML (docs/administrator.md).
STANDARDS_FOLDER = env("CROSSCHECK_STANDARDS", default="")
# Hosts, each with or without its port, that a harvest may ask although they are in a private network or speak
# http. All others must be public and speak https.
FORGE_HOSTS: list[str] = env.list("FORGE_HOSTS", default=[])

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'none'"],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SESSION_ENGINE = "accounts.sessions"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "core.views.csrf_failure"
FORM_RENDERER = "core.forms.Renderer"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
