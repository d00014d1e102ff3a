"""A meeting in seven browsers: what each of them shows, and whether all show the same."""

import json
import os
import time
from collections.abc import Callable, Collection
from typing import Any

from playwright.sync_api import Page

from consensus.models import AgendaItem, Meeting
from studies.models import Membership

FOLLOW = 2.0
"""Seconds from the server's answer to who acted until all screens show the same."""
GIVE_UP = 20.0

SHOWN = """() => {
  const said = (places, drop = "time, i, kbd, svg") => [...document.querySelectorAll(places)].map((place) => {
    const copy = place.cloneNode(true);
    for (const part of copy.querySelectorAll(drop)) part.remove();
    return copy.textContent.replace(/\\s+/g, " ").trim();
  });
  return {
    revision: Number(document.getElementById("room")?.dataset.revision ?? -1),
    state: said("#bar .live"),
    quorum: said("#bar .quorum"),
    agenda: said("#agenda header, #agenda .group"),
    items: said("#agenda .it"),
    issue: said("#issue h1"),
    labels: said("#labels li"),
    thread: said("#thread .arguments li"),
    people: said("#ballot .people li"),
    tally: said("#ballot .tally"),
    results: said("#ballot .result"),
    decision: said("#decision .stands"),
    chain: said("#decision .chain li"),
    follow: said("#decision .done-list li"),
  };
}"""
"""What every member of a meeting is shown alike: without whose screen it is, and how long ago something was."""


class Seven:
    """The pages of the members of one meeting, by their pseudonyms; `chair` acts where nobody is named."""

    def __init__(self, meeting: Meeting, pages: dict[str, Page], chair: str) -> None:
        self.meeting, self.pages, self.chair = meeting, pages, chair
        self.gone: set[str] = set()
        self.took: list[tuple[str, float, float]] = []

    def act(self, what: str, do: Callable[[Page], object], *, by: str = "", follow: bool = True) -> None:
        """Do something on one page, wait for the server's answer, and for all screens to follow."""
        page = self.pages[by or self.chair]
        with page.expect_response(is_act) as answer:
            do(page)
        assert answer.value.status == 200, (what, answer.value.status, answer.value.text()[:400])
        if follow:
            self.follow(what, time.monotonic())

    def follow(self, what: str, began: float) -> None:
        """Wait until every screen is up to date and shows the same; in time, or say which one differs."""
        while True:
            revision = Meeting.objects.values_list("revision", flat=True).get(pk=self.meeting.pk)
            shown = self.shown()
            elapsed = time.monotonic() - began
            behind = [who for who, one in shown.items() if one["revision"] < revision]
            odd = differences(shown)
            if not behind and not odd:
                break
            if elapsed > GIVE_UP:
                raise AssertionError(f"{what}: behind {behind} of revision {revision}; differing {odd}")
        self.took.append((what, elapsed, 1.0 if elapsed <= FOLLOW else crowding()))

    def late(self) -> list[tuple[str, float, float]]:
        """The steps that took longer than they may, allowing for what others took of the processors."""
        return [step for step in self.took if step[1] > FOLLOW * step[2]]

    def shown(self) -> dict[str, dict[str, Any]]:
        """What each screen shows now, of all that have a connection."""
        return {who: page.evaluate(SHOWN) for who, page in self.pages.items() if who not in self.gone}

    @property
    def screen(self) -> dict[str, Any]:
        """What the chair's screen shows, which is what all show."""
        return dict(self.pages[self.chair].evaluate(SHOWN))

    # --- what the chair does

    def turn_to(self, number: str) -> None:
        """Turn all screens to the issue of this number, wherever it stands on the agenda."""
        item = self.item(number)

        def do(page: Page) -> None:
            # Its group may be folded: a button of the agenda's own form, as the page has them, says which.
            page.evaluate(
                """(item) => {
                  const form = document.querySelector("#turn, form[data-act=turn]");
                  const button = document.createElement("button");
                  button.name = "item";
                  button.value = item;
                  form.append(button);
                  button.click();
                  button.remove();
                }""",
                str(item.pk),
            )

        self.act(f"turn to {number}", do)
        assert self.screen["issue"] == [item.issue.current.title]

    def next(self) -> None:
        self.act("next", lambda page: page.keyboard.press("n"))

    def vote(self, said: dict[str, str]) -> None:
        """Open a ballot and let these vote, by their codes; "" is to abstain. The last one closes it."""
        self.act("open the ballot", lambda page: page.keyboard.press("v"))
        *before, (last, code) = said.items()
        for who, other in before:
            self.act(f"{who} votes", choosing(other), by=who, follow=False)
        self.act(f"{last} votes", choosing(code), by=last)

    def decide(self, code: str, how: str, rationale: str = "", cause: str = "", **more: str) -> None:
        def do(page: Page) -> None:
            self.fill_decision(page, code, how, rationale, cause, **more)
            page.locator("#decide button[type=submit]").click()

        self.act(f"decide {code} {how}", do)

    def fill_decision(
        self,
        page: Page,
        code: str,
        how: str,
        rationale: str,
        cause: str = "",
        *,
        guideline: str = "",
        example="",
    ) -> None:
        if not page.locator("#decide").is_visible():
            page.locator("#again > summary").click()
        option = page.locator("#decide-category option", has_text=f"{code} ").first
        page.locator("#decide-category").select_option(option.get_attribute("value"))
        page.locator("#decide-how").select_option(how)
        page.locator("#decide-rationale").fill(rationale)
        if cause:
            page.locator("#decide label", has=page.locator(f"input[value={cause}]")).click()
        if example:
            page.locator("#decide input[name=example]").check()
        if guideline:
            page.locator("#also > summary").click()
            page.locator("#decide-guideline").fill(guideline)

    def say(self, who: str, text: str) -> None:
        def do(page: Page) -> None:
            page.locator("#say-text").fill(text)
            page.locator("#say button[type=submit]").click()

        self.act(f"{who} says", do, by=who)

    def item(self, number: str) -> AgendaItem:
        items = self.meeting.items.select_related("issue__current")
        return items.get(issue__number=number)


def choosing(code: str) -> Callable[[Page], None]:
    """Vote for a code; "" is to abstain; another category than the labels' is chosen from the list."""

    def do(page: Page) -> None:
        own = page.locator("#vote .opt", has=page.locator(f'.code:text-is("{code}")'))
        if not code or own.count():
            # By one event: between press and release the ballots of others may renew what is under the mouse.
            button = own if code else page.locator("#vote [value=abstain]")
            button.dispatch_event("click")
            return
        option = page.locator("#vote-other option", has_text=f"{code} ").first
        page.locator("#vote-other").select_option(option.get_attribute("value"))

    return do


def crowding() -> float:
    """How many times longer work takes now, or took of late, than it needs: others are at the processors too."""
    began, used = time.monotonic(), time.process_time()
    while time.process_time() - used < 0.1:
        pass
    waiting = os.getloadavg()[0] / (os.cpu_count() or 1)
    return max((time.monotonic() - began) / 0.1, waiting, 1.0)


def is_act(response) -> bool:
    """Is this the answer to something that was done, not to a sign of life?"""
    return response.request.method == "POST" and not response.url.partition("?")[0].endswith(
        ("/here/", "/away/")
    )


def differences(shown: dict[str, dict[str, Any]], but: Collection[str] = ("revision",)) -> str:
    """Which screens differ from the first one, and in what; "" if none does."""
    first_who, first = next(iter(shown.items()))
    found = [
        f"{who} {part}: {json.dumps(one[part], ensure_ascii=False)[:300]}"
        f" but {first_who}: {json.dumps(first[part], ensure_ascii=False)[:300]}"
        for who, one in shown.items()
        for part in first
        if part not in but and one[part] != first[part]
    ]
    return "\n".join(found)


def seat(meeting: Meeting, pseudonym: str) -> Membership:
    return Membership.objects.select_related("user").get(study=meeting.round.study, pseudonym=pseudonym)
