"""Takes the pictures of docs/pictures, from a platform of its own with the demonstration study. `CHROMIUM`
names the browser, as in `make screenshots`. Arguments are the names of the pictures to take, all by default.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
LARGEST = 265_000
DESK = (1440, 900)
PHONE = (390, 844)
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--force-color-profile=srgb", "--hide-scrollbars",
]  # fmt: skip
OF_A_ROUND = {"label", "disagreements", "agreement"}
ENVIRONMENT: dict[str, str] = {}
"""The environment of the platform, once it runs."""
LINK = re.compile(r"Sign in as [^(]*\((\w+),.*?(http://\S+)", re.DOTALL)


def choose_a_category(page: Page) -> None:
    """Act as a volunteer who has read the report and the news, chosen a category and begun a summary."""
    page.get_by_role("button", name="Mark as read").click()
    page.wait_for_timeout(500)
    page.fill("#find", "c7")
    page.keyboard.press("Enter")
    page.fill("#summary", "Streamed pieces split characters of several bytes.")
    page.locator("#find").focus()
    page.wait_for_timeout(1500)  # until the draft is saved


def show(page: Page, address: str) -> None:
    """Go to this address, relative to the page, and wait until all is loaded."""
    page.goto(urljoin(page.url, address))
    page.wait_for_load_state("networkidle")


def follow(page: Page, tab: str) -> None:
    """Go to a tab of the study or of the round; its name may be followed by a count."""
    named = page.get_by_role("navigation").get_by_role("link", name=re.compile(rf"^{tab}\b"))
    show(page, named.first.get_attribute("href") or "")


def open_the_largest(page: Page) -> None:
    """From the list of taxonomies to the taxonomy of the main round."""
    page.get_by_role("link", name="Root cause").click()
    page.wait_for_url("**/taxonomies/*/")
    page.wait_for_load_state("networkidle")


def its_board(page: Page) -> None:
    """From there to the board, with some cards chosen for a pile."""
    open_the_largest(page)
    show(page, "boards/")
    page.locator("th a").first.click()
    page.wait_for_selector(".bcard")
    for key in ("j", "x", "J", "1"):
        page.keyboard.press(key)
    page.wait_for_timeout(500)


def plan_a_round(page: Page) -> None:
    """From the list of rounds to the form of a new one."""
    page.get_by_role("link", name="Plan round").first.click()
    page.wait_for_url("**/rounds/new/**")
    page.wait_for_load_state("networkidle")


def what_was_kept(page: Page) -> None:
    """From the list of rounds to the screening and its kept issues."""
    page.get_by_role("link", name="Screening", exact=True).click()
    page.locator('a[href$="/screening/"]').first.click()
    page.wait_for_url("**/screening/")
    page.wait_for_load_state("networkidle")


def code_an_answer(page: Page) -> None:
    """Act as a coder who has selected some words and found a category for them."""
    show(page, "coding/")
    page.get_by_role("link", name="Code interview").click()
    page.wait_for_url("**/codings/*/")
    for key in ("j", "j", "ArrowRight", "ArrowRight", *["Shift+ArrowRight"] * 8, "Enter"):
        page.keyboard.press(key)
    page.keyboard.type("parallel")
    page.wait_for_timeout(500)


def settle_quotes(page: Page) -> None:
    """From the interviews to the quotes that two coders have still to settle."""
    show(page, "coding/")
    page.get_by_role("link", name="Settle quotes").click()
    page.wait_for_url("**/reconcile/")
    page.wait_for_load_state("networkidle")


def finding_that_changed(page: Page) -> None:
    """From the report to the findings, and to the draft whose evidence changed."""
    follow(page, "Findings")
    named = page.get_by_role("link", name="Finding 2", exact=True)
    show(page, named.get_attribute("href") or "")


MEETING = """
import json
from consensus.actions.meetings import open_meeting, turn_to
from consensus.actions.presence import here
from consensus.actions.votes import cast_ballot, open_vote
from consensus.models import Meeting
from consensus.queries.votes import open_vote_on
from studies.models import Membership
from taxonomy.queries.codebooks import codebook

meeting = Meeting.objects.select_related("round__study", "round__version").get(name="Second meeting")
people = Membership.objects.filter(study=meeting.round.study).select_related("user", "study")
seats = {seat.pseudonym: seat for seat in people}
open_meeting(meeting=meeting, by=seats["R2"])
meeting.refresh_from_db()
for number in range(1, 8):
    here(meeting=meeting, member=seats[f"R{number}"])
item = meeting.items.get(issue__number="2950")
turn_to(meeting=meeting, item=item, by=seats["R2"])
if open_vote_on(item) is None:
    open_vote(item=item, by=seats["R2"])
book = codebook(meeting.round.version_id)
for who, code in {"R1": "C.9", "R2": "C.9", "R3": "C.9", "R5": "C.9", "R7": "C.7"}.items():
    cast_ballot(item=item, member=seats[who], category=book.by_code[code].category)
print(json.dumps({one.name: one.pk for one in Meeting.objects.all()}))
"""
"""The second meeting in progress: open, everybody present, most have voted on its first issue."""


def meeting_room(page: Page) -> None:
    """The meeting room, with everybody present while the picture is taken."""
    show(page, f"/meetings/{hold_the_meeting()['Second meeting']}/")
    page.wait_for_timeout(1500)


def minutes_of_the_first(page: Page) -> None:
    show(page, f"/meetings/{hold_the_meeting()['First meeting']}/minutes/")


def hold_the_meeting() -> dict[str, int]:
    """Each meeting's id; presence lasts half a minute, so this is called before each picture."""
    command = [sys.executable, "manage.py", "shell", "-v0", "-c", MEETING]
    done = subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, text=True, check=True, stdout=subprocess.PIPE)
    found: dict[str, int] = json.loads(done.stdout.splitlines()[-1])
    return found


@dataclass(frozen=True)
class Picture:
    """One file: the member, the tab of the study, size, scheme, and the acts before (`after`). `at` is the
    address of the page, relative to where `after` ends.
    """

    name: str
    who: str
    tab: str
    size: tuple[int, int] = DESK
    scheme: str = "light"
    after: Callable[[Page], None] | None = None
    at: str = ""


TABLE = [
    Picture("label-light", "R3", "label", after=choose_a_category),
    Picture("label-dark", "R3", "label", scheme="dark"),  # with the draft of the picture before
    Picture("label-phone", "R3", "label", size=PHONE),
    Picture("study", "R2", "overview"),
    Picture("plan", "R2", "rounds", after=plan_a_round),
    Picture("screening", "R2", "rounds", after=what_was_kept),
    Picture("training", "R2", "overview", at="training/"),
    Picture("disagreements", "R2", "disagreements", at="?type=C"),  # bugs: any machine has fonts for them
    Picture("meeting-light", "R2", "overview", after=meeting_room),
    Picture("meeting-dark", "R3", "overview", scheme="dark", after=meeting_room),
    Picture("meeting-phone", "R3", "overview", size=PHONE, after=meeting_room),
    Picture("minutes", "R2", "overview", after=minutes_of_the_first),
    Picture("agreement", "R2", "agreement"),
    Picture("taxonomy", "R2", "taxonomy", after=open_the_largest),
    Picture("draft", "R2", "taxonomy", after=open_the_largest, at="draft/?category=C.2.ii"),
    Picture("board", "R2", "taxonomy", after=its_board),
    Picture("figure", "R2", "taxonomy", after=open_the_largest, at="figure/"),
    Picture("coding", "R3", "interviews", after=code_an_answer),
    Picture("reconcile", "R2", "interviews", after=settle_quotes),
    Picture("rankings", "R1", "interviews", at="rankings/"),
    Picture("finding", "R1", "report", after=finding_that_changed),
]


def main(names: list[str]) -> None:
    pictures = [picture for picture in TABLE if not names or picture.name in names]
    if unknown := set(names) - {picture.name for picture in TABLE}:
        sys.exit(f"There is no picture {', '.join(sorted(unknown))}.")
    PICTURES.mkdir(parents=True, exist_ok=True)
    too_large = []
    with platform() as links, sync_playwright() as run:
        browser = run.chromium.launch(executable_path=os.environ.get("CHROMIUM") or None, args=FLAGS)
        cookies = {who: signed_in(browser, links[who]) for who in {picture.who for picture in pictures}}
        for picture in pictures:
            size = take(browser, picture, links[picture.who], cookies[picture.who])
            print(f"{picture.name}.png {size / 1000:.0f} kB", flush=True)
            too_large += [picture.name] if size > LARGEST else []
        browser.close()
    if too_large:
        sys.exit(f"Larger than {LARGEST / 1000:.0f} kB: {', '.join(too_large)}.")


@contextmanager
def platform() -> Iterator[dict[str, str]]:
    """Runs the platform in its own data folder; yields the sign-in links that it prints, by pseudonym."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="crosscheck-pictures-") as folder:
        ENVIRONMENT.update(os.environ)
        ENVIRONMENT.update({
            "CROSSCHECK_DATA": f"{folder}/data", "PORT": str(port), "DATABASE_URL": "", "REDIS_URL": "",
            "NO_COLOR": "1", "PYTHONUNBUFFERED": "1",
        })  # fmt: skip
        command = [sys.executable, "manage.py", "up", "--demo"]
        up = subprocess.Popen(command, cwd=ROOT, env=ENVIRONMENT, text=True, stdout=subprocess.PIPE)
        try:
            said = ""
            for line in up.stdout or ():
                said += line
                if line.startswith("Ctrl-C"):
                    break
            links = dict(LINK.findall(said))
            if not links:
                sys.exit(f"The platform did not start:\n{said}")
            yield links
        finally:
            up.send_signal(signal.SIGINT)
            up.communicate()


def signed_in(browser: Browser, link: str) -> list[dict[str, object]]:
    """The cookies after signing in by this link."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(link)
    page.locator("main form button").first.click()
    page.wait_for_url(lambda url: "/link/" not in url)
    cookies = [dict(cookie) for cookie in context.cookies()]
    context.close()
    return cookies


def take(browser: Browser, picture: Picture, link: str, cookies: list[dict[str, object]]) -> int:
    """Take one picture; return its size in bytes."""
    width, height = picture.size
    context: BrowserContext = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=picture.scheme,  # type: ignore[arg-type]
        is_mobile=picture.size == PHONE,
        has_touch=picture.size == PHONE,
        reduced_motion="reduce",
        locale="en-GB",
    )
    context.add_cookies(cookies)  # type: ignore[arg-type]
    page = context.new_page()
    page.on("pageerror", lambda error: print(f"{picture.name}: {error}", file=sys.stderr))
    show(page, urljoin(link, "/studies/demo/"))
    if picture.tab in OF_A_ROUND:
        follow(page, "Rounds")
        show(page, page.get_by_role("link", name="Main round", exact=True).get_attribute("href") or "")
    if picture.tab != "overview":
        follow(page, picture.tab.capitalize())
    if picture.after:
        picture.after(page)
    if picture.at:
        show(page, picture.at)
    page.mouse.move(1, 1)
    path = PICTURES / f"{picture.name}.png"
    page.screenshot(path=path, animations="disabled", caret="hide")
    context.close()
    return path.stat().st_size


if __name__ == "__main__":
    main(sys.argv[1:])
