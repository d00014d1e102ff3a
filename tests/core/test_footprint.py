"""What the programs of `make run` load before anybody asks for anything: each library is memory all day long."""

import json
import os
import subprocess
import sys

import pytest
from django.conf import settings

HEAVY = {
    "pandas",
    "statsmodels",
    "altair",
    "typst",
    "vl_convert",
    "scipy",
    "openpyxl",
    "playwright",
    "hypothesis",
}
"""Loaded by the first report, picture or spreadsheet that needs them."""
SUPERVISOR = """
from core.management.commands.up import Command, web, worker
from django.conf import settings
settings.DATA_DIR, Command().create_parser("manage.py", "up")
"""
WEB = """
from config.wsgi import application
from django.urls import get_resolver
get_resolver().url_patterns
"""
WORKER = """
from config.celery import app
app.loader.import_default_modules()
from config.bell import Bell
Bell(app)
"""


def loaded(code: str) -> set[str]:
    """The packages that a new process has after the code."""
    tell = "import json, sys; print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
    answer = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", f"{code}\n{tell}"],
        cwd=settings.BASE_DIR,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings.dev"},
        text=True,
        stdout=subprocess.PIPE,
        check=True,
    )
    return set(json.loads(answer.stdout.splitlines()[-1]))


def test_the_supervisor_loads_no_application() -> None:
    found = loaded(SUPERVISOR)
    assert {"django", "psutil", "core", "config"} <= found
    others = {"celery", "kombu", "redis", "rest_framework", "allauth", "numpy", "gunicorn"}
    assert not found & (HEAVY | others | {"accounts", "studies", "rounds", "annotate", "reports", "demo"})


@pytest.mark.slow
@pytest.mark.parametrize("code", [WEB, WORKER], ids=["web", "worker"])
def test_web_and_worker_load_no_library_of_one_page(code) -> None:
    found = loaded(code)
    assert {"django", "celery", "annotate", "reports"} <= found
    assert not found & HEAVY
