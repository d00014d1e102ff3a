"""The deployed form without its containers: production settings, a web process and a worker, two servers by URL."""

import json
import os
import posixpath
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.parse import quote

import psutil
import psycopg2
import pytest
import yaml
from django.conf import settings
from django.db import connection

from core import embedded
from core.embedded.postgres import _SETTINGS as SETTINGS
from core.embedded.processes import end
from core.embedded.redis import installed
from core.supervisor import GENTLE_END
from core.web.size import most_bytes
from tests.core.places import eventually, free_port, get, place
from tests.long import only_long

pytestmark = pytest.mark.django_db

HOST = "labels.example.org"
OF_ONE_COMPUTER = {
    "listen_addresses", "port", "unix_socket_permissions", "max_connections", "TimeZone", "log_timezone"
}  # fmt: skip
"""Settings of the embedded server about its place, not its work."""
SAFE = {
    "PATH": os.environ["PATH"],
    "DJANGO_SETTINGS_MODULE": "config.settings.prod",
    "SECRET_KEY": "k3y-of-one-test-run-that-is-as-long-as-production-asks-for-0123456789",
    "ALLOWED_HOSTS": HOST,
    "DATABASE_URL": "postgres://crosscheck:secret@127.0.0.1:1/crosscheck",
    "REDIS_URL": "redis://127.0.0.1:1/0",
    "TRUSTED_PROXIES": "127.0.0.1",
}


@pytest.fixture(scope="module")
def database(django_db_setup, django_db_blocker) -> Iterator[str]:
    """The address of a database as empty as the tests', with the same tables: a copy of theirs."""
    now = connection.get_connection_params()
    name, server = f"{now['dbname']}_deployed", {key: now[key] for key in ("host", "user")}
    with closing(psycopg2.connect(dbname="postgres", **server)) as other, django_db_blocker.unblock():
        other.autocommit = True
        connection.close()  # what is copied is open nowhere
        other.cursor().execute(f'CREATE DATABASE "{name}" TEMPLATE "{now["dbname"]}"')
        yield f"postgres://{server['user']}@/{name}?host={quote(str(server['host']), safe='')}"
        other.cursor().execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture(scope="module")
def deployed(database: str) -> Iterator[dict[str, str]]:
    """The environment of a deployment whose database is up to date and whose static files are collected."""
    folder = place()
    port = free_port()
    redis = subprocess.Popen(
        [installed() / "redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", ""],
        cwd=folder,
        stdout=subprocess.DEVNULL,
    )
    environment = {
        **SAFE,
        "DATABASE_URL": database,
        "REDIS_URL": f"redis://127.0.0.1:{port}/0",
        "CROSSCHECK_DATA": str(folder / "data"),
        "STATIC_ROOT": str(folder / "static"),
        "BIND": f"127.0.0.1:{free_port()}",
        "WEB_CONCURRENCY": "1",
    }
    manage(environment, "migrate", "--verbosity", "0")
    manage(environment, "collectstatic", "--noinput", "--verbosity", "0")
    yield environment
    redis.kill()
    redis.wait()
    embedded.stop_all(folder)


@pytest.fixture(scope="module")
def web(deployed: dict[str, str]) -> Iterator[int]:
    """The port of the web process."""
    with running(deployed, "gunicorn", "--config", "deploy/gunicorn.conf.py", "config.wsgi"):
        port = int(deployed["BIND"].rpartition(":")[2])
        assert eventually(lambda: get(port, "/healthz", Host=HOST).status)
        yield port


def manage(environment: dict[str, str], *arguments: str) -> str:
    answer = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=settings.BASE_DIR,
        env=environment,
        text=True,
        capture_output=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


class running:  # noqa: N801 - reads as a sentence after `with`
    """A Python program of the deployment, for the length of a block."""

    def __init__(self, environment: dict[str, str], *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", *arguments],
            cwd=settings.BASE_DIR,
            env=environment,
            stderr=subprocess.DEVNULL,
        )

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        end([psutil.Process(self.process.pid)], GENTLE_END)
        self.process.wait()


@only_long
@pytest.mark.slow
def test_the_deployment_check_finds_nothing(deployed: dict[str, str]) -> None:
    assert manage(deployed, "check", "--deploy", "--fail-level", "WARNING").startswith(
        "System check identified no issues"
    )


@only_long
@pytest.mark.slow
def test_web_is_well_for_its_own_host_alone(web: int) -> None:
    well = get(web, "/healthz", Host=HOST)
    assert (well.status, well.body) == (200, b"ok\n")
    assert get(web, "/healthz", Host="elsewhere.example.org").status == 400


@only_long
@pytest.mark.slow
@pytest.mark.usefixtures("web")
def test_the_health_check_of_the_container_tells_well_from_ill(deployed: dict[str, str]) -> None:
    command = [sys.executable, "deploy/healthcheck.py"]
    assert subprocess.run(command, cwd=settings.BASE_DIR, env=deployed, check=False).returncode == 0
    nobody = {**deployed, "BIND": f"127.0.0.1:{free_port()}"}
    ill = subprocess.run(command, cwd=settings.BASE_DIR, env=nobody, capture_output=True, check=False)
    assert ill.returncode == 1


def test_every_variable_of_the_containers_is_explained() -> None:
    asked = set(re.findall(r"\$\{(\w+)", (settings.BASE_DIR / "docker-compose.yml").read_text()))
    explained = re.findall(r"^#?(\w+)=", (settings.BASE_DIR / ".env.example").read_text(), re.MULTILINE)
    assert asked == {"SITE", "POSTGRES_PASSWORD", "POSTGRES_APP_PASSWORD", "WORKER_CONCURRENCY"}
    assert asked <= set(explained)


def test_the_database_of_the_containers_is_set_as_the_measured_one() -> None:
    services = yaml.safe_load((settings.BASE_DIR / "docker-compose.yml").read_text())["services"]
    given = dict(re.findall(r"-c (\w+)=(\S+)", services["postgres"]["command"]))
    ours = {name: value for name, value in SETTINGS.items() if name not in OF_ONE_COMPUTER}
    assert given == ours


def test_containers_keep_small_logs_and_named_images() -> None:
    services = yaml.safe_load((settings.BASE_DIR / "docker-compose.yml").read_text())["services"]
    for name, service in services.items():
        assert service["logging"]["options"] == {"max-size": "10m", "max-file": "5"}, name
        if service["image"] != "crosscheck":
            assert re.fullmatch(r"\w+:\d+\.\d+", service["image"]), name


def test_the_web_process_believes_the_network_of_the_containers_alone() -> None:
    compose = yaml.safe_load((settings.BASE_DIR / "docker-compose.yml").read_text())
    (network,) = compose["networks"]["default"]["ipam"]["config"]
    assert compose["services"]["web"]["environment"]["TRUSTED_PROXIES"] == network["subnet"]
    assert "ports" not in compose["services"]["web"]


def test_only_who_migrates_and_backs_up_signs_in_as_the_owner() -> None:
    services = yaml.safe_load((settings.BASE_DIR / "docker-compose.yml").read_text())["services"]
    ours = {name: one["environment"] for name, one in services.items() if one["image"] == "crosscheck"}
    assert {name for name, given in ours.items() if "DATABASE_OWNER_URL" in given} == {"migrate", "backup"}
    owner = services["postgres"]["environment"]["POSTGRES_USER"]
    for name, given in ours.items():
        assert given["DATABASE_URL"].startswith("postgres://crosscheck_app:${POSTGRES_APP_PASSWORD"), name
        assert given["POSTGRES_PASSWORD"] == "", name
    assert ours["migrate"]["DATABASE_OWNER_URL"].startswith(f"postgres://{owner}:${{POSTGRES_PASSWORD")


def test_the_database_is_ready_only_when_it_listens_for_the_others() -> None:
    services = yaml.safe_load((settings.BASE_DIR / "docker-compose.yml").read_text())["services"]
    assert services["postgres"]["healthcheck"]["test"][1:4] == ["pg_isready", "--host", "127.0.0.1"]


def test_the_proxy_has_limits_for_heads_and_bodies() -> None:
    lines = [line.split() for line in (settings.BASE_DIR / "deploy" / "Caddyfile").read_text().splitlines()]
    limits = {words[0]: words[1] for words in lines if len(words) == 2 and words[1] != "{"}
    assert (
        limits.items()
        >= {
            "max_header_size": "64KB",
            "read_header": "10s",
            "read_body": "30m",
            "idle": "2m",
            "max_size": f"{most_bytes() >> 20}MiB",
        }.items()
    )
    assert most_bytes() % (1 << 20) == 0


@only_long
@pytest.mark.slow
def test_half_sent_requests_stop_no_page(web: int) -> None:
    head = f"POST /accounts/login/ HTTP/1.1\r\nHost: {HOST}\r\nX-Forwarded-Proto: https\r\n".encode()
    with ExitStack() as stack:
        for number in range(200):
            sender = stack.enter_context(socket.create_connection(("127.0.0.1", web), timeout=20))
            sender.sendall(head if number % 2 else head + b"Content-Length: 500\r\n\r\ncsrf")
        began = time.monotonic()
        assert get(web, "/healthz", Host=HOST).status == 200
        assert time.monotonic() - began < 1
        large = stack.enter_context(socket.create_connection(("127.0.0.1", web), timeout=20))
        large.sendall(
            head.replace(b"accounts/login", b"api/v1/studies") + b"Content-Length: 900000000\r\n\r\n"
        )
        assert large.recv(100).startswith(b"HTTP/1.1 413 ")


@only_long
@pytest.mark.slow
def test_web_answers_over_tls_alone(web: int) -> None:
    plain = get(web, "/accounts/login/", Host=HOST)
    assert (plain.status, plain.headers["Location"]) == (301, f"https://{HOST}/accounts/login/")
    secure = get(web, "/accounts/login/", Host=HOST, X_Forwarded_Proto="https")
    assert secure.headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains; preload"
    assert secure.headers["X-Content-Type-Options"] == "nosniff"


@only_long
@pytest.mark.slow
def test_static_files_have_a_name_by_content_and_are_kept_for_ever(
    web: int, deployed: dict[str, str]
) -> None:
    names = json.loads((Path(deployed["STATIC_ROOT"]) / "staticfiles.json").read_text())["paths"]
    hashed = names["css/crosscheck.css"]
    assert hashed != "css/crosscheck.css"
    answer = get(web, f"/static/{hashed}", Host=HOST, X_Forwarded_Proto="https", Accept_Encoding="gzip")
    assert answer.status == 200
    assert answer.headers["Cache-Control"] == "max-age=315360000, public, immutable"
    assert answer.headers["Content-Encoding"] == "gzip"


@only_long
@pytest.mark.slow
def test_scripts_are_served_as_such_and_import_others_by_their_hashed_names(
    web: int, deployed: dict[str, str]
) -> None:
    names = json.loads((Path(deployed["STATIC_ROOT"]) / "staticfiles.json").read_text())["paths"]
    address = f"/static/{names['js/boards/board.js']}"
    answer = get(web, address, Host=HOST, X_Forwarded_Proto="https")
    assert answer.headers["Content-Type"].startswith("text/javascript")
    imports = re.findall(rb'from "(.+?)";', answer.body)
    assert len(imports) == 5
    hashed = {posixpath.normpath(f"/static/js/boards/{path.decode()}") for path in imports}
    assert hashed <= {f"/static/{name}" for name in names.values()} - {f"/static/{name}" for name in names}


@pytest.mark.slow
@only_long
def test_a_worker_does_the_job_that_another_process_stored(deployed: dict[str, str]) -> None:
    store = "from core.jobs import enqueue; print(enqueue('core.ping', arguments={'n': 7}, by=None).pk)"
    options = ["--concurrency", "1", "--without-gossip", "--without-mingle"]
    with running(deployed, "celery", "--app", "config", "worker", *options):
        job = int(manage(deployed, "shell", "--verbosity", "0", "-c", store))
        with closing(psycopg2.connect(deployed["DATABASE_URL"])) as connection, connection.cursor() as cursor:
            found: list[tuple[str, object]] = []

            def finished() -> bool:
                connection.rollback()
                cursor.execute("SELECT state, result FROM core_job WHERE id = %s", [job])
                found[:] = cursor.fetchall()
                return found[0][0] not in {"queued", "running"}

            assert eventually(finished)
    assert found == [("done", {"pong": {"n": 7}})]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("unsafe", "said"),
    [
        ({"SECRET_KEY": ""}, "SECRET_KEY must be set to at least 50 random characters"),
        ({"SECRET_KEY": "change-me-" + "x" * 60}, "SECRET_KEY must be set to at least 50 random characters"),
        ({"DEBUG": "true"}, "DEBUG must not be set"),
        ({"ALLOWED_HOSTS": ""}, "ALLOWED_HOSTS must name the hosts, without wildcards"),
        ({"ALLOWED_HOSTS": f"{HOST},*"}, "ALLOWED_HOSTS must name the hosts, without wildcards"),
        ({"ALLOWED_HOSTS": ".example.org"}, "ALLOWED_HOSTS must name the hosts, without wildcards"),
        ({"DATABASE_URL": ""}, "DATABASE_URL must name the PostgreSQL database"),
        ({"DATABASE_URL": "sqlite:///labels.sqlite3"}, "DATABASE_URL must name the PostgreSQL database"),
        ({"REDIS_URL": ""}, "REDIS_URL must name the Redis server"),
        (
            {"TRUSTED_PROXIES": "proxy"},
            "TRUSTED_PROXIES must name networks, such as 10.0.0.0/8: 'proxy' does not appear to be an IPv4 or IPv6 network",
        ),
    ],
)
def test_production_refuses_to_start_unsafely(unsafe: dict[str, str], said: str) -> None:
    answer = subprocess.run(
        [sys.executable, "-c", "import config.settings.prod"],
        cwd=settings.BASE_DIR,
        env={**SAFE, **unsafe},
        text=True,
        capture_output=True,
        check=False,
    )
    assert answer.returncode == 1
    assert answer.stderr.splitlines()[-1] == (
        f"django.core.exceptions.ImproperlyConfigured: Crosscheck does not start in production: {said}."
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text"),
    [("API_LIMIT_TOKEN", "1200/min"), ("API_LIMIT_ADDRESS", "many/m"), ("SIGN_IN_LIMIT", "5/5m")],
)
@pytest.mark.parametrize("way", ["prod", "dev"])
def test_a_mistyped_limit_ends_the_start(way: str, name: str, text: str) -> None:
    answer = subprocess.run(
        [sys.executable, "-c", f"import config.settings.{way}"],
        cwd=settings.BASE_DIR,
        env={**SAFE, name: text},
        text=True,
        capture_output=True,
        check=False,
    )
    assert answer.returncode == 1
    assert answer.stderr.splitlines()[-1] == (
        f"django.core.exceptions.ImproperlyConfigured: {name}: '{text}' is no rate such as 1200/m (units: s, m, h, d)."
    )


@pytest.mark.slow
def test_production_starts_safely() -> None:
    subprocess.run(
        [sys.executable, "-c", "import config.settings.prod"], cwd=settings.BASE_DIR, env=SAFE, check=True
    )
