"""What is logged, and in which form."""

from typing import Any

from .environment import env

# Lines of the log: "text" for people, "json" for machines (config/logs.py).
LOG_FORMAT = env("LOG_FORMAT", default="text")
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": "config.logs.formatter", "form": LOG_FORMAT}},
    "filters": {"refusals": {"()": "config.logs.Refusals"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["refusals"]}},
    "root": {"handlers": ["console"], "level": env("LOG_LEVEL", default="INFO")},
    "loggers": {
        # It logs each trigger at every migration: seventy lines that would hide a warning.
        "pgtrigger": {"level": "WARNING"},
        # A line for each request, where somebody collects lines.
        "crosscheck.requests": {"level": "INFO" if LOG_FORMAT == "json" else "WARNING"},
    },
}
