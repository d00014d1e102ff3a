"""The coding page of an interview of three hours with 2,000 quotes: opening it, and from key to mark."""

import random
import statistics
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from bench.ground import Ground, Measurement, account, median_of, percentile, seconds
from bench.page import FLAGS, LATE, Client, chromium, in_browser, web_server
from bench.submit import signed_in
from interviews.models import (
    Audience,
    Coder,
    Coding,
    OpenCode,
    Participant,
    Quote,
    QuoteCode,
    Session,
    Transcript,
    Turn,
)
from studies.actions import create_study
from studies.models import Membership, Study
from taxonomy.actions import create_taxonomy
from taxonomy.models import Version
from taxonomy.presets import PRESETS, load_preset

QUOTES = 2_000
TURNS = 1_200
WORDS = (5, 60)
"""Of a turn: 1,200 turns of these lengths are three hours at 150 words a minute, and somewhat more."""
SEED = 20250506
OPEN, PAINT = 1.0, 0.1
TIMES = 5
KEYS = 20
PAINTED = """() => {
    const page = performance.getEntriesByType("navigation")[0];
    const paint = performance.getEntriesByName("first-contentful-paint")[0];
    const quotes = performance.getEntriesByName("QUOTES")[0];
    if (!page.loadEventEnd || !paint || !quotes) return null;
    return Math.max(page.domContentLoadedEventEnd, paint.startTime, quotes.startTime) / 1000;
}"""
SHOWN, ALL_PAINTED = (PAINTED.replace("QUOTES", mark) for mark in ("quotes-shown", "quotes-painted"))
# Notes the seconds from the event of a key until the frame after it is painted.
TIME_KEYS = """() => {
    globalThis.took = [];
    addEventListener("keydown", (event) => {
        if (event.key !== "Enter" || !event.ctrlKey) return;
        const began = event.timeStamp;
        const painted = () => globalThis.took.push((performance.now() - began) / 1000);
        requestAnimationFrame(() => setTimeout(painted));
    }, { capture: true });
}"""


def rows(ground: Ground) -> Iterator[Measurement]:
    coding, member = coded_interview()
    path, cookie = coding.get_absolute_url(), signed_in(member).cookies["sessionid"].value
    ground.say(f"the coding page, {TURNS:,} turns with {QUOTES:,} quotes …")
    with web_server() as address:
        client = Client(address, cookie)
        served = median_of(TIMES, lambda: client.get(path))
        browser = chromium()
        if browser is None:
            return
        shown, _asked = in_browser(browser, address, path, cookie, ready_at=SHOWN)
        opened, _asked = in_browser(browser, address, path, cookie, ready_at=ALL_PAINTED)
        least, _asked = in_browser(browser, address, "/healthz", cookie)
        size = f"{TURNS:,} turns, {QUOTES:,} quotes"
        yield Measurement.timed(
            f"coding page, {size}: quotes in view painted",
            shown,
            least,
            "the same browser, a page of one word",
            most=OPEN,
            note="from navigation; the other quotes are painted while nothing else is to be done",
        )
        yield Measurement.timed(
            f"coding page, {size}: all quotes painted",
            opened,
            least,
            "the same browser, a page of one word",
            most=OPEN,
            note=f"from navigation; {Path(browser).name}; the server's part is {seconds(served)}",
        )
        few, _member = coded_interview(1)
        times = keys_to_marks(browser, address, path, cookie)
        least_ = keys_to_marks(browser, address, few.get_absolute_url(), cookie)
        yield Measurement.timed(
            f"from key to painted mark, {size}: median",
            statistics.median(times),
            statistics.median(least_),
            "the same key with no other quote",
            most=PAINT,
            note=f"{KEYS} quotes; 95 % within {percentile(times, 0.95) * 1000:.0f} ms",
        )


def keys_to_marks(executable: str, address: str, path: str, cookie: str) -> list[float]:
    """The seconds from the key that saves the quote of a turn until its mark is painted, for 20 turns."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as run:
        browser = run.chromium.launch(executable_path=executable, args=FLAGS)
        context: Any = browser.new_context(viewport={"width": 1440, "height": 900})
        context.add_cookies([{"name": "sessionid", "value": cookie, "url": address}])
        page = context.new_page()
        page.set_default_timeout(LATE * 1000)
        page.goto(address + path, wait_until="load")
        page.wait_for_selector("body[data-painted]")
        page.evaluate(TIME_KEYS)
        for number in range(1 + KEYS):
            page.locator("#main").focus()
            for key in ("j", "j", "a", "Enter"):
                page.keyboard.press(key)
            page.keyboard.type("c9")
            page.keyboard.press("Control+Enter")
            while page.evaluate("globalThis.took.length") <= number:
                page.wait_for_timeout(5)
        page.wait_for_selector("body[data-waiting='0']")
        times: list[float] = page.evaluate("globalThis.took")[1:]
        browser.close()
    return times


def coded_interview(quotes: int = QUOTES) -> tuple[Coding, Membership]:
    """An interview of three hours that a lead has coded with so many quotes, one to three codes each."""
    study, version, member = _study()
    chance = random.Random(SEED)
    audience, _made = Audience.objects.get_or_create(study=study, name="Users", prefix="U")
    participant = Participant.objects.create(
        study=study, audience=audience, number=audience.participants.count() + 1, added_by=member
    )
    session = Session.objects.create(
        study=study, participant=participant, interviewer=member, held_on=date(2025, 5, 6)
    )
    transcript = Transcript.objects.create(session=session, stored_by=member, number=1)
    turns = Turn.objects.bulk_create(
        Turn(
            transcript=transcript,
            position=place,
            speaker=str(participant) if place % 2 else "R1",
            is_interviewer=place % 2 == 0,
            begins=place * 9_000,
            text=_spoken(chance),
        )
        for place in range(TURNS)
    )
    coding = Coding.objects.create(session=session, version=version, opened_by=member)
    coder = Coder.objects.create(coding=coding, member=member)
    _quoted(coding, coder, [turn for turn in turns if not turn.is_interviewer], quotes, chance)
    return coding, member


def _study() -> tuple[Study, Version, Membership]:
    slug, lead = "made-interviews", account("Interviewer")
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        study = create_study(name="Interviews", slug=slug, by=lead)
        preset = "llm-frameworks"
        create_taxonomy(study=study, name=PRESETS[preset].title, tree=load_preset(preset), by=lead)
    return study, Version.objects.get(taxonomy__study=study), study.memberships.get(user=lead)


def _spoken(chance: random.Random) -> str:
    """The words of a turn: of one to twelve letters."""
    return " ".join(
        "".join(chance.choices("etaoinshrdlcum", k=chance.randint(1, 12)))
        for _word in range(chance.randint(*WORDS))
    )


def _quoted(coding: Coding, coder: Coder, turns: list[Turn], quotes: int, chance: random.Random) -> None:
    """Quotes of some words each, that may overlap."""
    spans: set[tuple[int, int, int]] = set()
    while len(spans) < quotes:
        place = chance.randrange(len(turns))
        length = len(turns[place].text)
        start = chance.randrange(max(1, length - 12))
        spans.add((place, start, min(length, start + chance.randint(8, 120))))
    made = Quote.objects.bulk_create(
        Quote(
            coding=coding,
            coder=coder,
            transcript_id=turns[place].transcript_id,
            turn=turns[place],
            start=start,
            end=end,
            made_by=coder.member,
        )
        for place, start, end in sorted(spans)
    )
    categories = list(coding.version.states.values_list("category_id", flat=True))
    own, _made = OpenCode.objects.get_or_create(
        study_id=coder.member.study_id, made_by=coder.member, name="own"
    )
    codes = []
    for quote in made:
        codes += [
            QuoteCode(quote=quote, category_id=one) for one in chance.sample(categories, chance.randint(1, 3))
        ]
        if chance.random() < 0.2:
            codes.append(QuoteCode(quote=quote, open_code=own))
    QuoteCode.objects.bulk_create(codes)
