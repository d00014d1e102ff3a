"""Processes beside the tests, on their database."""

import os
from pathlib import Path
from urllib.parse import quote

from django.db import connection


def environment(tmp_path: Path) -> dict[str, str]:
    """Lead a process of its own to the test's database."""
    now = connection.get_connection_params()
    who = f"{now.get('user', '')}:{quote(str(now.get('password', '')), safe='')}".rstrip(":")
    return os.environ | {
        "DJANGO_SETTINGS_MODULE": "config.settings.dev",
        "DATABASE_URL": f"postgres://{who}@/{now['dbname']}?host={quote(str(now['host']), safe='')}",
        "CROSSCHECK_DATA": str(tmp_path / "var"),
        "SECRET_KEY": "of a test",
    }
