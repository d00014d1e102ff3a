"""Until reveal, nothing that a member can observe about an issue depends on anybody else's label."""

from itertools import zip_longest

import pytest
from django.core import mail
from django.db import transaction
from django.urls import reverse

from annotate.actions.turns import skip_issue
from annotate.models import Label
from tests.factories import add_label
from tests.trust.crawling import Received, crawl
from tests.trust.test_routes import ROLES, ROWS, address
from tests.trust.world import CANARIES, World, draft, label, make_world

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

DOWNLOADS = (
    {"file": "package"},
    {"file": "long"},
    {"file": "wide", "folder": "engine"},
)


@pytest.fixture
def world(settings, tmp_path) -> World:
    settings.DATA_DIR = tmp_path
    return make_world()


def others_at_work(world: World, code: str) -> None:
    """Another volunteer labels issues 2 and 3, types at 4 and puts 5 off. Nobody has revealed any of them."""
    label(world, 2, "other volunteer", code, CANARIES["summary"], unsure=True)
    label(world, 3, "other volunteer", code, CANARIES["summary"])
    draft(world, 4, "other volunteer", code, CANARIES["draft"])
    skip_issue(
        round_=world.round,
        issue=world.issues[4],
        member=world.members["other volunteer"],
        reason=CANARIES["skip"],
    )


def everything(world: World, role: str) -> Received:
    """All that a role is sent: every address of the table and all that they link to, every file, every answer of REST."""
    pages = {
        address(world, name)
        for name, method in ROWS
        if method == "get" and not name.startswith(("api_", "account_"))
    }
    label_page = reverse("label", args=[world.round.pk])
    pages |= {f"{label_page}?issue={issue.pk}" for issue in world.issues}
    pages |= {f"{reverse('disagreements', args=[world.round.pk])}?issue={issue.pk}" for issue in world.issues}
    received = crawl(world.client(role), pages)
    for form in DOWNLOADS:
        response = world.client(role).post(reverse("download_export", args=["engines"]), form)
        received.add("download", str(form), response)
    api = world.api(role)
    for name, method in ROWS:
        if name.startswith("api_") and method == "get":
            received.add(name, "api", api.get(address(world, name)))
    for query in ("?layout=long", "?layout=wide", "?repository=ember/engine"):
        received.add("api_labels_csv", query, api.get(address(world, "api_labels_csv") + query))
    for level in ("type", "theme", "sub-theme"):
        found = api.get(
            address(world, "api_agreement"), {"level": level, "by": ["type", "repository", "category"]}
        )
        received.add("api_agreement", level, found)
    received.add("api_claim", "post", api.post(address(world, "api_claim")))
    return received


@pytest.mark.parametrize("role", ROLES)
def test_no_byte_of_what_others_wrote_reaches_anybody_before_reveal(world, role):
    others_at_work(world, "C.9")

    received = everything(world, role)

    leaks = [
        (key, word)
        for key, (_status, text) in received.answers.items()
        for word in CANARIES.values()
        if word in text
    ]
    assert leaks == []
    assert not any(
        word in message.message().as_string() for message in mail.outbox for word in CANARIES.values()
    )
    assert len(received.answers) > 50
    assert not {key: status for key, (status, _text) in received.answers.items() if status >= 500}


def test_the_crawl_would_find_them(world):
    """The author is shown the words, and everybody is once the issue is complete: the crawl sees what is there."""
    others_at_work(world, "C.9")
    own = "".join(text for _status, text in everything(world, "other volunteer").answers.values())
    assert {word for word in CANARIES.values() if word in own} == set(CANARIES.values())

    for member in (world.members["lead"], world.members["volunteer"]):
        add_label(world.round, world.issues[1], member, "C.1")
    shown = everything(world, "viewer")
    places = {
        key[0].partition("?")[0] for key, (_s, text) in shown.answers.items() if CANARIES["summary"] in text
    }
    assert reverse("disagreements", args=[world.round.pk]) in places
    assert "api_labels_csv" in places


def session_of(world: World, role: str) -> Received:
    """One evening of a volunteer: every page, then drafts, labels, a change, a skip, and every page again."""
    received = Received()
    before = everything(world, role)
    received.answers |= {(f"before {name}", kind): value for (name, kind), value in before.answers.items()}
    api, client = world.api(role), world.client(role)
    form = {"category": "C.2", "summary": "mine"}
    for number in (2, 3, 4):
        issue = world.issues[number - 1].pk
        answer = api.post(
            reverse("api_labels", args=[world.round.pk]), {"issue": issue, **form}, format="json"
        )
        received.add(f"label {number}", "api", answer)
    for name in ("save_draft", "skip_issue", "submit_label", "next_issue"):
        body = {"issue": world.issues[4].pk, "reason": "unclear", **form}
        received.add(
            name,
            "post",
            client.post(reverse(name, args=[world.round.pk]), body, headers={"HX-Request": "true"}),
        )
    after = everything(world, role)
    received.answers |= {(f"after {name}", kind): value for (name, kind), value in after.answers.items()}
    return received


def difference(key, first, second):
    """Where two answers part, to be read in a failure."""
    lines = zip_longest(first[1].splitlines(), second[1].splitlines())
    return key, first[0], second[0], next(pair for pair in lines if pair[0] != pair[1])


@pytest.mark.parametrize("role", ["volunteer", "lead", "viewer"])
def test_a_whole_session_is_the_same_whatever_others_chose(world, role):
    sessions = []
    world.client(role)  # signed in before, and so in both
    for code in ("A.1", "C.9"):
        with transaction.atomic():
            others_at_work(world, code)
            sessions.append(session_of(world, role).steady())
            transaction.set_rollback(True)

    first, second = sessions
    assert first.keys() == second.keys()
    assert [difference(key, value, second[key]) for key, value in first.items() if value != second[key]] == []


def test_the_comparison_would_find_a_difference(world):
    """The author's own sessions differ: what they chose is on their pages."""
    sessions = []
    world.client("other volunteer")
    for code in ("A.1", "C.9"):
        with transaction.atomic():
            others_at_work(world, code)
            sessions.append(everything(world, "other volunteer").steady())
            transaction.set_rollback(True)

    assert sessions[0] != sessions[1]
    assert Label.objects.filter(issue=world.issues[1]).count() == 0
