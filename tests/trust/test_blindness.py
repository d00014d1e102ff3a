"""Until reveal, nothing that a member can observe about an issue depends on anybody else's label."""

from datetime import timedelta
from itertools import zip_longest

import pgtrigger
import pytest
from django.core import mail
from django.db import transaction
from django.urls import reverse

from annotate.actions.labels import submit_label
from annotate.actions.training import comment, set_answer
from annotate.actions.turns import skip_issue
from annotate.models import Repeat
from annotate.queries.labels import _done_before
from boards.actions.moves import make_pile
from consensus.actions.consensus import decide_item
from consensus.actions.follow_ups import follow_up
from consensus.actions.threads import say
from consensus.actions.votes import close_vote, open_vote
from consensus.models import AgendaItem, Meeting
from core import clock
from ingest.models import Snapshot
from interviews.actions.quotes import drop_quote, save_quote
from interviews.queries.quotes import Content, Span
from overview.actions.digests import send_digests
from rounds.models import Assignment, Label, Round
from studies.models import Membership
from taxonomy.actions import cast
from tests.factories import category
from tests.factories.annotate import label_input
from tests.long import LONG, only_long
from tests.trust.crawling import Received, both, crawl, without_passing
from tests.trust.interviews import NAMED, NAMES
from tests.trust.meetings import HELD_BACK, elsewhere, voted
from tests.trust.test_routes import ROLES, ROWS, address
from tests.trust.world import CANARIES, OF_A_MODEL, World, draft, label, label_as_a_model, make_world
from tests.worlds.opening import open_without_waiting
from tests.worlds.packages import package_for

OF_PEOPLE = (*NAMES.values(), NAMED)

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

OF_A_ROUND = (
    "round", "label", "own_labels", "disagreements", "agreement", "close_round", "round_volunteers",
    "incomplete_issues", "incomplete_csv", "answers", "meetings", "consensus", "alike", "final_labels",
)  # fmt: skip
SAMPLED = (
    *OF_A_ROUND, "home", "study", "issues", "issue", "training", "screening", "pilot", "study_report", "export", "audit",
    "taxonomy", "follow_ups", "study_meetings", "meeting", "minutes", "frozen_reports", "frozen_report", "board",
    "board_piles", "codings", "code_interview", "people",
)  # fmt: skip
"""The pages that a run looks at which is not long: what others chose could stand here first."""
COMPARED = ("volunteer", "lead", "viewer", "model")
"""Whose whole sessions are compared below: the words of others are looked for in these."""
DOWNLOADS = ({"file": "long"}, {"file": "wide", "folder": "engine"})


@pytest.fixture
def world(settings, tmp_path) -> World:
    settings.DATA_DIR = tmp_path
    return make_world()


def others_at_work(world: World, code: str, *, right: str = "", by_model: str = "") -> None:
    """Another volunteer labels issues 2 and 3, proposes at 6, types at 4 and puts 5 off. None of it is revealed.

    They vote on what is proposed for the taxonomy, and sort the cards of a board apart.

    They label all issues of the other rounds too. `right`: the right label in the training, `code` without it.
    A model labels whatever is not revealed, as `by_model`, `code` without it.
    """
    label_as_a_model(world, world.round, world.issues[1:], by_model or code)
    label_as_a_model(world, world.more.pilot, world.issues, by_model or code)
    label(world, 2, "other volunteer", code, CANARIES["summary"], unsure=True)
    label(world, 3, "other volunteer", code, CANARIES["summary"])
    submit_label(
        round_=world.round,
        issue=world.issues[5],
        member=world.members["other volunteer"],
        given=label_input(
            category=category(world.version, code) if code == "C.9" else None,
            summary=CANARIES["summary"],
            unsure=False,
            form_key=None,
            proposed_name=f"{CANARIES['proposed name']} {code}",
            proposed_reason=CANARIES["proposed reason"],
        ),
    )
    draft(world, 4, "other volunteer", code, CANARIES["draft"])
    skip_issue(
        round_=world.round,
        issue=world.issues[4],
        member=world.members["other volunteer"],
        reason=CANARIES["skip"],
    )
    cast(
        motion=world.more.motion,
        member=world.members["other volunteer"],
        choice="for" if code == "C.9" else "against",
        argument=f"{CANARIES['argument']} {code}",
    )
    for round_, word, issues in (
        (world.more.voting, CANARIES["screening"], world.issues),
        (world.more.pilot, CANARIES["pilot"], world.issues),
        (trained(world, right or code), CANARIES["training"], world.issues[1:4]),
    ):
        for number, issue in enumerate(issues):
            is_open = number == 1 and code == "C.9"
            submit_label(
                round_=round_,
                issue=issue,
                member=world.members["other volunteer"],
                given=label_input(
                    category=None if is_open else category(world.version, code),
                    summary=word,
                    unsure=number == 2,
                    form_key=None,
                    proposed_name=f"{word} {number}" if is_open else "",
                    proposed_reason=word if is_open else "",
                ),
            )
    voted(world, world.more.item, code)
    cards = list(world.more.apart.cards.order_by("number").values_list("pk", flat=True))
    for name, chosen in (("pile", cards[:1]), ("more", cards[1 : 3 if code == "C.9" else 2])):
        make_pile(
            board=world.more.apart,
            member=world.members["other volunteer"],
            name=f"{CANARIES['pile']} {name} {code}",
            cards=chosen,
            seen=9,
        )
    quotes_of_another(world, code)
    comment(
        round_=world.more.training,
        issue=world.issues[1],
        author=world.members["other volunteer"],
        text=f"{CANARIES['comment']} {right or code}",
    )


def quotes_of_another(world: World, code: str) -> None:
    """The other volunteer codes an interview, more with C.9 than with A.1, and drops a quote."""
    places = [Span(1, 0, 2), Span(1, 3, 8), Span(3, 0, 10), Span(3, 4, 19)]
    given = {"coding": world.more.interviews.coding, "member": world.members["other volunteer"]}
    for number, span in enumerate(places if code == "C.9" else places[:2]):
        content = Content(
            (code,) if number else (),
            (f"{CANARIES['open code']} {code} {number}",),
            memo=f"{CANARIES['memo']} {code}",
            strength=number % 3 + 1,
        )
        save_quote(span=span, content=content, **given)
    drop_quote(span=places[1], **given)


def trained(world: World, code: str) -> Round:
    """The training, opened with this as the right label of all its issues."""
    owner = world.members["owner"]
    for issue in world.issues[1:4]:
        set_answer(
            round_=world.more.training,
            issue=issue,
            category=category(world.version, code),
            explanation=f"{CANARIES['explanation']} {code}",
            by=owner,
        )
    world.more.training = open_without_waiting(world.more.training, owner)
    return world.more.training


def everything(world: World, role: str) -> Received:
    """All that a role is sent: every address of the table and all that they link to, every file, every answer of REST."""
    pages = {
        address(world, name)
        for name, method in ROWS
        if method == "get" and not name.startswith(("api_", "account_")) and (LONG or name in SAMPLED)
    }
    label_page = reverse("label", args=[world.round.pk])
    of_rounds = {f"{label_page}?issue={issue.pk}" for issue in world.issues}
    of_rounds |= {
        f"{reverse('disagreements', args=[world.round.pk])}?issue={issue.pk}" for issue in world.issues
    }
    more = world.more
    for round_ in (more.voting, more.pilot, more.training):
        of_rounds |= {reverse(name, args=[round_.pk]) for name in OF_A_ROUND}
        of_rounds |= {
            f"{reverse(name, args=[round_.pk])}?issue={issue.pk}"
            for name in ("label", "disagreements")
            for issue in world.issues[1:3]
        }
    screening_page = reverse("screening", args=[more.voting.pk])
    of_rounds.add(f"{reverse('agreement', args=[world.round.pk])}?coached=no")
    of_rounds |= {f"{screening_page}?{query}" for query in ("at_least=2", "show=excluded", "show=included")}
    of_rounds |= {f"{screening_page}?issue={issue.pk}" for issue in world.issues[:2]}
    of_rounds |= {
        reverse(name, args=[more.voting.pk]) for name in ("screening", "screening_csv", "screening_flow")
    }
    of_rounds |= {reverse(name, args=[more.pilot.pk]) for name in ("pilot", "pilot_training")}
    of_rounds |= of_meetings(world)
    of_board = ("board", "board_piles", "board_state", "board_agreement")
    of_rounds |= {reverse(name, args=[more.apart.pk]) for name in of_board}
    received = crawl(world.client(role), pages | of_rounds if LONG else pages)
    for board in (more.board, more.apart):
        mapping = world.client(role).post(reverse("board_mapping", args=[board.pk]))
        received.add("board_mapping", board.name, mapping)
    for form in DOWNLOADS:
        response = world.client(role).post(reverse("download_export", args=["engines"]), form)
        received.add("download", str(form), response)
    if role in {"volunteer", "lead", "viewer"}:
        received.add("package", "", package_for(world.client(role), world.round))
    api = world.api(role)
    for name, method in ROWS:
        if name.startswith("api_") and method == "get":
            received.add(name, "api", api.get(address(world, name)))
    for round_ in (more.voting, more.pilot, more.training):
        for name in (
            "api_round", "api_labels", "api_disagreements", "api_screening", "api_training", "api_chain", "api_agreement",
        ):  # fmt: skip
            received.add(name, round_.name, api.get(reverse(name, args=[round_.pk])))
        file = f"{reverse('api_labels_csv', args=['engines'])}?round={round_.name}"
        received.add("api_labels_csv", round_.name, api.get(file))
    for query in ("&layout=long", "&layout=wide", "&repository=ember/engine", "&coached=no"):
        received.add("api_labels_csv", query, api.get(address(world, "api_labels_csv") + query))
    for level in ("type", "theme", "sub-theme"):
        found = api.get(
            address(world, "api_agreement"), {"level": level, "by": ["type", "repository", "category"]}
        )
        received.add("api_agreement", level, found)
    received.add("api_agreement", "coached", api.get(address(world, "api_agreement"), {"coached": "no"}))
    for name in ("api_board_state", "api_board_mapping", "api_board_agreement"):
        received.add(name, "apart", api.get(reverse(name, args=[more.apart.pk])))
    received.add("api_claim", "post", api.post(address(world, "api_claim")))
    return received


def of_meetings(world: World) -> set[str]:
    """The addresses of the meetings and of their issue, whoever may see it."""
    more = world.more
    pages = {
        reverse(name, args=[meeting.pk])
        for meeting in (more.past, more.meeting)
        for name in ("meeting", "minutes", "minutes_md", "minutes_pdf")
    }
    for meeting in (more.past, more.meeting):
        pages |= {f"{reverse('meeting', args=[meeting.pk])}?item={item.pk}" for item in meeting.items.all()}
    return pages


def assert_nothing_leaks(answers: dict, role: str) -> None:
    """No answer has a word of what others wrote, and what meetings said reaches whom nothing keeps it from, whole."""
    # The owner wrote the explanations, and reads what is said of them: a lead who does not label there.
    own = {"explanation", "comment"} if role == "owner" else {"model"} if role == "model" else set()
    words = {**CANARIES, "model": OF_A_MODEL}
    leaks = [
        (key, word)
        for key, (_status, text) in answers.items()
        for name, word in words.items()
        if word in text and name not in own
    ]
    assert leaks == []
    assert all(any(words[name] in text for _status, text in answers.values()) for name in own)
    found = {word for _status, text in answers.values() for word in HELD_BACK.values() if word in text}
    sees_it = role in {"owner", "idle volunteer", "viewer"}
    assert found == (set(HELD_BACK.values()) if sees_it else set())
    assert not [key for key, (_s, text) in answers.items() if any(name in text for name in OF_PEOPLE)]
    assert len(answers) > 50
    assert not {
        key: status for key, (status, _text) in answers.items() if status >= 500 and key[0] != "/readyz"
    }


def assert_same(first: dict, second: dict) -> None:
    """Two sessions received the same answers to the same requests."""
    assert first.keys() == second.keys()
    assert [difference(key, value, second[key]) for key, value in first.items() if value != second[key]] == []


@pytest.mark.parametrize("role", [role for role in ROLES if role not in COMPARED])
@pytest.mark.slow
def test_no_byte_of_what_others_wrote_reaches_anybody_before_reveal(world, role):
    others_at_work(world, "C.9")
    Membership.objects.filter(study=world.study).update(gets_digest=True)

    assert_nothing_leaks(everything(world, role).answers, role)

    send_digests(now=clock.now())
    assert mail.outbox
    assert not any(
        word in message.message().as_string()
        for message in mail.outbox
        for word in {*CANARIES.values(), OF_A_MODEL, *HELD_BACK.values()}
    )


@only_long
def test_the_crawl_would_find_them(world):
    """The author is shown the words, and everybody is once the issue is complete: the crawl sees what is there."""
    others_at_work(world, "C.9")
    own = "".join(text for _status, text in everything(world, "other volunteer").answers.values())
    assert {word for word in CANARIES.values() if word in own} == set(CANARIES.values())

    for role in ("lead", "volunteer"):
        label(world, 2, role, "C.1")
    shown = everything(world, "viewer")
    places = {
        key[0].partition("?")[0] for key, (_s, text) in shown.answers.items() if CANARIES["summary"] in text
    }
    assert reverse("disagreements", args=[world.round.pk]) in places
    assert "api_labels_csv" in places
    parts = {
        kind
        for (_address, kind), (status, text) in shown.answers.items()
        if status == 200 and "<html" not in text
    }
    assert parts >= {"live", "disagreements", "alike", "category", "tree"}, parts


def drifting(world: World) -> None:
    """The round checks for drift, and every label of the volunteer so far is days old, and comes again."""
    Round.objects.filter(pk=world.round.pk).update(drift_percent=50, reveal=Round.Reveal.ROUND_CLOSED)
    world.round.refresh_from_db()
    member = world.members["volunteer"]
    _done_before.cache_clear()
    for number in (2, 3):
        made = label(world, number, "volunteer", "C.1", "days ago").label
        Label.objects.filter(pk=made.pk).update(submitted_at=clock.now() - timedelta(days=3))
        own = {"round": world.round, "issue": world.issues[number - 1], "volunteer": member}
        Repeat.objects.update_or_create(**own, defaults={"due_at": clock.now() - timedelta(days=2)})


def evening_of(world: World, role: str) -> Received:
    """An evening in the browser: turns ahead, drafts, labels and skips, as JSON, until nothing is left."""
    received, client, json = Received(), world.client(role), {"Accept": "application/json"}
    urls = {
        name: reverse(name, args=[world.round.pk])
        for name in (
            "label",
            "ahead",
            "save_draft",
            "submit_label",
            "skip_issue",
            "change_label",
            "own_labels",
        )
    }
    member = world.members[role]
    received.add("page", "get", client.get(urls["label"]))
    held, shown, has_skipped = [], None, False
    for step in range(20):
        answer = client.post(urls["ahead"], {"have": [shown["issue"], *held] if shown else []}, headers=json)
        received.add(f"ahead {step}", "post", answer)
        turn = answer.json().get("next")
        shown, held = (turn, held) if shown is None else (shown, [*held, turn["issue"]] if turn else held)
        if shown is None:
            break
        body = {"issue": shown["issue"], "member": member.pk, "summary": f"mine {step}", "have": held}
        proposed = (
            {"proposed_name": f"My own {step}", "proposed_reason": "None fits."} if step % 3 == 2 else {}
        )
        body |= {"category": category(world.version, "C.2").pk} | proposed
        received.add(f"draft {step}", "post", client.post(urls["save_draft"], body, headers=json))
        name = "submit_label"
        if step == 1 and not has_skipped:
            name, has_skipped = "skip_issue", True
            body["reason"] = "unclear"
        answer = client.post(urls[name], body, headers=json)
        received.add(f"{name} {step}", "post", answer)
        received.add(f"change {step}", "post", client.post(urls["change_label"], body, headers=json))
        received.add(f"back {step}", "get", client.get(urls["label"], {"issue": shown["issue"]}))
        following = answer.json().get("next")
        queue = [*held, *([following["issue"]] if following else [])]
        shown, held = ({"issue": queue[0]}, queue[1:]) if queue else (None, [])
    received.add("own", "get", client.get(urls["own_labels"]))
    received.add("end", "get", client.get(urls["label"]))
    return received


def session_of(world: World, role: str) -> Received:
    """One evening of a volunteer: drafts, labels, a change, a skip, and then every page."""
    received = Received()
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
    received.answers |= everything(world, role).answers
    return received


def difference(key, first, second):
    """Where two answers part, to be read in a failure."""
    lines = zip_longest(first[1].splitlines(), second[1].splitlines(), fillvalue="")
    one, other = next(pair for pair in lines if pair[0] != pair[1])
    place = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    around = slice(max(place - 80, 0), place + 120)
    return key, first[0], second[0], (one[around], other[around])


def meeting_goes_on(world: World, code: str) -> None:
    """The present meeting votes, argues, decides and notes of issue 1, and votes again."""
    owner, item, chosen = world.members["owner"], world.more.item, category(world.version, code)
    label_as_a_model(world, world.round, world.issues[:1], code)
    close_vote(vote=item.votes.get(), by=owner)
    said = {"round_": world.round, "issue": world.issues[0]}
    say(author=owner, text=f"For {code}, @R2 and @R3.", category=chosen, **said)
    of_it = {"cause": "slip" if code == "A.1" else "overlap", "rationale": code, "seen_number": 0}
    decide_item(item=item, by=owner, category=chosen, how="chair", **of_it)
    follow_up(item=item, by=owner, kind="guideline", text=f"Choose {code}.")
    open_vote(item=item, by=owner)
    voted(world, item, code)


@pytest.mark.parametrize("role", ["volunteer", "lead", pytest.param("viewer", marks=only_long)])
def test_a_whole_session_is_the_same_whatever_others_chose(world, role):
    """In one world people and models all choose A.1, in the other no two agree. Who still has to label issue 1
    elsewhere learns nothing of what its meeting does either: in no page, report, count, file or mail.
    """
    world.client(role)  # signed in before, and so in both
    still_has_to_label = role != "viewer"

    def session(code):
        others_at_work(world, code, **({"right": "C.2", "by_model": "C.1"} if code == "C.9" else {}))
        if still_has_to_label:
            meeting_goes_on(world, code)
        received = session_of(world, role)
        received.answers |= room_of(world, role, world.more.meeting, world.more.item).answers
        return received.steady()

    first, second = both(session)
    assert_same(first, second)
    assert_nothing_leaks(second, role)
    for name, of, said in (
        ("meeting", world.more.meeting.pk, "1 issue is hidden until you label it"),
        ("agreement", world.round.pk, "1 issue is hidden until you label it"),
        ("export", "engines", "1 issue is hidden until you label it"),
        # Issue 6 too, which the screening has decided.
        ("taxonomy", world.version.taxonomy_id, "2 issues are hidden until you label them"),
    ):
        assert (said in first[reverse(name, args=[of]), "page"][1]) == still_has_to_label


@pytest.mark.parametrize("role", ["volunteer", "lead"])
@pytest.mark.parametrize("drift", [False, True])
def test_an_evening_in_the_browser_is_the_same_whatever_others_chose(world, role, drift):
    again = {}
    world.client(role)

    def session(code):
        if drift:
            drifting(world)
        others_at_work(world, code)
        received = evening_of(world, role).steady()
        again[code] = list(Repeat.objects.exclude(submitted_at=None).values_list("issue", flat=True))
        return received

    first, second = both(session)
    assert_same(first, second)
    assert not any(word in text for _status, text in first.values() for word in CANARIES.values())
    assert not {
        key: status for key, (status, _text) in first.items() if status >= 500 and key[0] != "/readyz"
    }
    assert len([key for key, (status, _text) in first.items() if "submit" in key[0] and status == 200]) >= 4
    assert again["A.1"] == again["C.9"]
    assert bool(again["A.1"]) == (drift and role == "volunteer")


@pytest.mark.parametrize("role", ["volunteer", "lead"])
def test_a_training_tells_ones_own_result_and_nothing_of_others(world, role):
    member = world.members[role]
    world.client(role)

    def session(code):
        others_at_work(world, code, right="C.2")
        received, client, training = Received(), world.client(role), [world.more.training.pk]
        for number, issue in enumerate(world.issues[1:4]):
            body = {"issue": issue.pk, "member": member.pk, "category": category(world.version, "C.2").pk}
            answer = client.post(
                reverse("submit_label", args=training), body, headers={"Accept": "application/json"}
            )
            received.add(f"submit {number}", "post", answer)
            received.add(f"answer {number}", "get", client.get(answer.json()["go"]))
        for name in ("label", "own_labels", "round", "disagreements", "answers", "round_volunteers"):
            received.add(name, "get", client.get(reverse(name, args=training)))
        received.add("trainings", "get", client.get(reverse("training", args=["engines"])))
        received.add("rest", "get", world.api(role).get(reverse("api_training", args=training)))
        return received.steady()

    first, second = both(session)
    assert_same(first, second)
    said = "".join(text for _status, text in first.values())
    assert "passed" in first["trainings", "get"][1]
    assert CANARIES["explanation"] in said
    # A lead reads comments on what they have labelled; nobody else does before the close.
    assert (CANARIES["comment"] in said) == (role == "lead")
    others = [CANARIES[name] for name in ("training", "pilot", "screening", "summary", "proposed name")]
    assert not any(word in said for word in others)


def test_an_issue_that_comes_again_looks_like_a_new_one(world):
    """The bytes of a turn, with and without a first label, differ in nothing but the keys of the form."""
    drifting(world)
    client, issue = world.client("volunteer"), world.issues[1]
    have = [one.pk for one in world.issues if one != issue]
    address, headers = reverse("ahead", args=[world.round.pk]), {"Accept": "application/json"}
    again = client.post(address, {"have": have}, headers=headers)
    assert Label.objects.filter(issue=issue, volunteer=world.members["volunteer"]).exists()
    assert again.json()["next"]["issue"] == issue.pk
    with transaction.atomic():
        Repeat.objects.all().delete()
        Label.objects.filter(issue=issue, volunteer=world.members["volunteer"]).delete()
        slot = {"round": world.round, "issue": issue, "volunteer": world.members["volunteer"]}
        Assignment.objects.filter(**slot).update(submitted_at=None)
        fresh = client.post(address, {"have": have}, headers=headers)
        transaction.set_rollback(True)
    assert without_passing(again.content.decode()) == without_passing(fresh.content.decode())


@only_long
def test_the_comparison_would_find_a_difference(world):
    """The author's own sessions differ: what they chose is on their own page, and nowhere for the viewer."""
    own, shown = world.client("other volunteer"), world.client("viewer")

    def session(code):
        others_at_work(world, code)
        received = Received()
        received.add("own", "get", own.get(reverse("own_labels", args=[world.round.pk])))
        received.add("round", "get", shown.get(reverse("round", args=[world.round.pk])))
        return received.steady()

    first, second = both(session)
    assert first["own", "get"] != second["own", "get"]
    assert first["round", "get"] == second["round", "get"]
    assert Label.objects.filter(issue=world.issues[1]).count() == 0


@only_long
@pytest.mark.parametrize("role", ["volunteer", "lead", "model"])
def test_labels_of_the_forge_tell_nothing_to_whom_a_round_hides_them(world, role):
    """The whole session is the same, whatever the issues are labelled on their forge."""
    Round.objects.filter(pk=world.more.pilot.pk).update(forge_labels=Round.ForgeLabels.HIDDEN)
    world.client(role)
    texts = Snapshot.objects.filter(issue__in=world.issues)
    assert texts.count() == len(world.issues)

    def session(code):
        with pgtrigger.ignore("ingest.Snapshot:snapshot_stays_as_fetched"):
            texts.update(labels=[f"canaryforge {code}"] if code == "C.9" else [])
        return everything(world, role).steady()

    first, second = both(session)
    assert_same(first, second)
    assert len(first) > 50
    assert first["api_issue", "api"][0] == 200


def room_of(world: World, role: str, meeting: Meeting, item: AgendaItem) -> Received:
    """What a role is sent by one meeting and about it: as pages, live, by its acts and over REST."""
    received, client, json = Received(), world.client(role), {"Accept": "application/json"}
    own, of_round = [meeting.pk], [world.round.pk]
    pages = [reverse(name, args=own) for name in ("meeting", "minutes", "minutes_md", "minutes_pdf")]
    pages += [f"{pages[0]}?item={item.pk}"]
    pages += [
        reverse(name, args=of_round) for name in ("meetings", "consensus", "disagreements", "round", "alike")
    ]
    pages += [f"{reverse('disagreements', args=of_round)}?issue={item.issue_id}", reverse("home")]
    pages += [reverse("disagreements_matrix", args=[*of_round, form]) for form in ("csv", "svg")]
    pages += [reverse(name, args=["engines"]) for name in ("study", "follow_ups", "audit")]
    for page in pages:
        received.add(page, "get", client.get(page))
    acts = {
        "say": ("comment_on_item", {"text": ""}),
        "decide": ("decide_item", {"category": item.pk, "how": "unanimity", "seen_number": 0}),
        "park": ("park", {}),
    }
    for name, (act, body) in acts.items():
        answer = client.post(reverse(act, args=[meeting.pk, item.pk]), body, headers=json)
        received.add(name, "post", answer)
    for query in ("", f"?item={item.pk}"):
        answer = client.post(reverse("here", args=own) + query, {"revision": "-1"}, headers=json)
        received.add(f"here {query}", "post", answer)
        received.add(f"here {query}", "get", client.get(reverse("here", args=own) + query, headers=json))
    api = world.api(role)
    for name in ("api_meetings", "api_meeting", "api_minutes", "api_disagreements", "api_bulk"):
        arguments = own if name in {"api_meeting", "api_minutes"} else of_round
        received.add(name, "api", api.get(reverse(name, args=arguments)))
    ballot = reverse("api_ballot", args=[meeting.pk, item.pk])
    received.add("api_ballot", "put", api.put(ballot, {"category": "C.2"}, format="json"))
    Membership.objects.filter(pk=world.members[role].pk).update(gets_digest=True)
    mail.outbox.clear()
    send_digests(now=clock.now())
    for number, message in enumerate(mail.outbox):
        received.answers[f"mail {number}", "mail"] = (200, f"{message.subject}\n{message.body}")
    return received


@only_long
@pytest.mark.parametrize("kind", ["apart", "together", "pair"])
@pytest.mark.slow
def test_a_ballot_tells_nothing_before_its_vote_is_closed(world, kind):
    """A viewer's, a held back lead's and the chair's whole meeting, whatever the other one has voted."""
    roles = ("viewer", "lead", "owner")
    for role in roles:
        world.client(role)
    held = world.more if kind == "together" else elsewhere(world, kind)

    def session(code):
        voted(world, held.item, code)
        # The owner comes last: that is the ballot which closes the vote.
        received = {role: room_of(world, role, held.meeting, held.item).steady() for role in roles}
        return {(role, *key): one for role in roles for key, one in received[role].items()}

    first, second = both(session)
    assert_same(first, second)
    assert not {
        key: status for key, (status, _text) in first.items() if status >= 500 and key[0] != "/readyz"
    }


@only_long
def test_a_model_receives_the_same_whatever_people_choose_before_reveal_and_after(world):
    world.client("model")

    def session(code):
        others_at_work(world, code, by_model="C.1")
        for role in ("lead", "volunteer"):
            label(world, 2, role, code)
        received = everything(world, "model")
        address_, api = address(world, "api_model_labels"), world.api("model")
        for said in ("C.1", "C.2"):
            rows = [{"issue": issue.pk, "category": said} for issue in world.issues[1:3]]
            received.add("labels", said, api.post(address_, rows, format="json"))
        return received.steady()

    first, second = both(session)
    assert_same(first, second)
    assert_nothing_leaks(second, "model")
    assert [first["labels", said][0] for said in ("C.1", "C.2")] == [200, 409]


@only_long
@pytest.mark.parametrize("role", ["lead", "viewer"])
def test_a_model_is_compared_where_the_reader_sees_its_labels(world, role):
    """What it says of an issue that is not revealed is in no comparison; of one that is, who may see it sees it."""
    report, beside = reverse("agreement", args=[world.round.pk]), "Models compared with volunteers"
    label_as_a_model(world, world.round, world.issues[1:], "C.1")
    assert beside not in world.client(role).get(report).content.decode()

    label_as_a_model(world, world.round, world.issues[:1], "C.1")
    assert (beside in world.client(role).get(report).content.decode()) == (role == "viewer")
