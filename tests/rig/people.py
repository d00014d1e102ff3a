"""People who label over HTTP, each in a thread: what was acknowledged to them, and what went wrong."""

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.client import HTTPConnection, HTTPException
from typing import Any, NamedTuple
from urllib.parse import urlencode

LATE = 60.0
TOKEN = "r" * 32  # of the double-submitted cookie: any text, if header and cookie are equal


class Hidden(HTMLParser):
    """The hidden inputs of a page, by name, in `found`."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: dict[str, str] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "input" and given.get("type") == "hidden" and (name := given.get("name")):
            self.found[name] = given.get("value") or ""


class Person(NamedTuple):
    """A volunteer who is signed in: the number of the membership, and the key of the session."""

    member: int
    session: str


class Stored(NamedTuple):
    """A label, as acknowledged and as it stands in the database."""

    member: int
    issue: int
    summary: str


@dataclass
class Ledger:
    """What all of them were told."""

    acknowledged: list[Stored] = field(default_factory=list)
    answers: Counter[int] = field(default_factory=Counter)
    """By status; 0 is a connection that ended without an answer."""
    refused: list[str] = field(default_factory=list)
    """Answers other than 200, each with its beginning."""
    seconds: list[float] = field(default_factory=list)
    """Of each request that was answered."""


class Labeller(threading.Thread):
    """Labels one issue after another, with a pause between, until told to end or until no issue is left. Claims
    issues in a round of k of n.

    `patient`: what got no answer, or 503, is sent again as it was, as the script of the page does.
    """

    def __init__(
        self,
        port: int,
        person: Person,
        round_id: int,
        categories: Sequence[int],
        *,
        patient: bool,
        pause: float,
    ) -> None:
        super().__init__(daemon=True)
        self.port, self.person, self.categories = port, person, categories
        self.path = f"/rounds/{round_id}/label/"
        self.patient, self.pause = patient, pause
        self.ledger = Ledger()
        self.is_told_to_end = threading.Event()
        self.error: BaseException | None = None
        self.chance = random.Random(person.member)

    def run(self) -> None:
        try:
            while not self.is_told_to_end.is_set() and self.label():
                self.is_told_to_end.wait(self.chance.uniform(0, 2 * self.pause))
        except BaseException as error:  # noqa: BLE001 - the test looks at it
            self.error = error

    def label(self) -> bool:
        """Label the next issue; False if there is none, or if a request failed and this person is not patient."""
        page = self.ask("GET", self.path)
        if page is None:
            return False
        form = Hidden(page).found
        if "form_key" not in form:
            # k of n: a slot is claimed first, while any is free.
            claimed = self.ask("POST", f"{self.path}next/", {})
            return claimed == "" and not self.is_told_to_end.is_set()
        summary = f"{self.person.member}: {form['issue']} \N{SNOWMAN}"
        given = form | {"category": self.chance.choice(self.categories), "summary": summary}
        answer = self.ask("POST", f"{self.path}submit/", given)
        if answer is None:
            return False
        saved = json.loads(answer)["saved"]
        assert saved["issue"] == int(form["issue"])
        self.ledger.acknowledged.append(Stored(self.person.member, saved["issue"], summary))
        return True

    def ask(self, method: str, path: str, given: dict[str, Any] | None = None) -> str | None:
        """The body of an answer of 200; "" for one that sends to another page; None for a refusal."""
        deadline = time.monotonic() + LATE
        while True:
            status, body = self.once(method, path, given)
            if status == 200:
                return body
            if status == 302:
                return ""
            if not (self.patient and status in {0, 502, 503}) or time.monotonic() > deadline:
                self.ledger.refused.append(f"{method} {path}: {status} {body[:300]}")
                return None
            time.sleep(0.2)

    def once(self, method: str, path: str, given: dict[str, Any] | None) -> tuple[int, str]:
        headers = {
            "Cookie": f"sessionid={self.person.session}; csrftoken={TOKEN}",
            "X-CSRFToken": TOKEN,
            "Connection": "close",
            "Accept": "application/json" if given is not None else "text/html",
        }
        body = None
        if given is not None:
            body = urlencode(given)
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        opened = HTTPConnection("127.0.0.1", self.port, timeout=LATE)
        began = time.perf_counter()
        try:
            opened.request(method, path, body, headers)
            answer = opened.getresponse()
            text = answer.read().decode()
        except (OSError, HTTPException) as error:
            self.ledger.answers[0] += 1
            return 0, repr(error)
        finally:
            opened.close()
        self.ledger.answers[answer.status] += 1
        self.ledger.seconds.append(time.perf_counter() - began)
        return answer.status, text


def united(labellers: Iterable[Labeller]) -> Ledger:
    """What all of them were told, once all have ended. Raises what went wrong in one of them."""
    whole = Ledger()
    for one in labellers:
        one.is_told_to_end.set()
    for one in labellers:
        one.join(2 * LATE)
        assert not one.is_alive()
        if one.error:
            raise one.error
        whole.acknowledged += one.ledger.acknowledged
        whole.answers += one.ledger.answers
        whole.refused += one.ledger.refused
        whole.seconds += one.ledger.seconds
    return whole
