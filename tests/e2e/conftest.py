"""A real browser before a real server.

Every page that a test opens is watched: an error in a script, a refusal of the content security policy, or a
request to another host than the server's own fails the test, whatever it tests.
"""

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, Request, ViewportSize, sync_playwright

from accounts.models import User
from studies.models import Membership
from tests.worlds.world import World

# Playwright runs a loop in this thread; the tests themselves ask the database from it, one at a time.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")

NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
ARGUMENTS = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
]
DESKTOP: ViewportSize = {"width": 1440, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}

Open = Callable[..., Page]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "/e2e/" in str(item.path):
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The browser that CHROMIUM names, or one that is installed; `none` leaves these tests out."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None or path == "none":
        pytest.skip("no Chromium: install one, or name it with CHROMIUM=/path/to/chromium")
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*ARGUMENTS, *sandbox])
        yield browser
        browser.close()


@pytest.fixture
def member(world: World) -> Membership:
    return world.members[0]


@pytest.fixture
def open_page(chromium: Browser, live_server) -> Iterator[Open]:
    """`open_page(user, "/rounds/1/label/")` goes there in a browser of their own, where the user is signed in.

    `dark`, `phone`, `script=False` and `language` say what kind of browser; `user=None` is a visitor.
    """
    contexts: list[BrowserContext] = []
    problems: list[str] = []
    under_way: set[Request] = set()

    def watch(page: Page) -> None:
        page.on("pageerror", lambda error: problems.append(f"script: {error}"))
        page.on("console", lambda message: problems.append(message.text) if _is_wrong(message) else None)

    def requested(request: Request) -> None:
        under_way.add(request)
        if not request.url.startswith((f"{live_server.url}/", "data:", "blob:")):
            problems.append(f"request to {request.url}")

    def ended(request: Request) -> None:
        under_way.discard(request)

    def go(
        user: User | None, path: str = "/", *, dark=False, phone=False, script=True, language="en-GB"
    ) -> Page:
        context = chromium.new_context(
            base_url=live_server.url,
            locale=language,
            color_scheme="dark" if dark else "light",
            viewport=PHONE if phone else DESKTOP,
            has_touch=phone,
            java_script_enabled=script,
            reduced_motion="reduce",
        )
        contexts.append(context)
        context.set_default_timeout(10_000)
        # A machine that others use may stand still for ten seconds: a page that never comes still fails.
        context.set_default_navigation_timeout(60_000)
        context.on("page", watch)
        context.on("request", requested)
        context.on("requestfinished", ended)
        context.on("requestfailed", ended)
        if user is not None:
            client = Client()
            client.force_login(user, settings.AUTHENTICATION_BACKENDS[0])
            session = client.cookies[settings.SESSION_COOKIE_NAME].value
            context.add_cookies(
                [{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": live_server.url}]
            )
        page = context.new_page()
        page.goto(path)
        return page

    yield go
    # A page that goes saves its draft: nothing may be on its way when the tables are emptied.
    for context in contexts:
        context.route("**/*", lambda route: route.abort())
    for _ in range(100):
        if not under_way:
            break
        contexts[0].pages[0].wait_for_timeout(50)
    for context in contexts:
        context.close()
    # The server may still be at a request that its page did not wait for.
    for is_over in (_answers_nobody, _is_idle):
        for _ in range(200):
            if is_over():
                break
            time.sleep(0.05)
    assert problems == []


def _answers_nobody() -> bool:
    """Has every thread of the live server's ended that a request began? Between two statements they look idle."""
    return not any("process_request_thread" in thread.name for thread in threading.enumerate())


def _is_idle() -> bool:
    """Does no other connection to this database do anything?"""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) = 0 FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'"
        )
        (idle,) = cursor.fetchone()
    return bool(idle)


def _is_wrong(message) -> bool:
    """Errors of the page, not what the browser and htmx note of an answer of 4xx or a lost connection."""
    noted = ("Failed to load resource", "htmx:sendError", "htmx:afterRequest")
    return message.type == "error" and not message.text.startswith(noted)
