"""What happens in meetings over days: planned, opened, argued and voted in, decided by the chair, closed."""

import re
from typing import TYPE_CHECKING, Any

from django.urls import reverse

from consensus.models import AgendaItem, Comment, Meeting
from studies.models import Membership
from tests.storm import checks
from tests.storm.deeds import JSON, Deed
from tests.storm.leads import lead
from tests.storm.meeting_model import ABSTAIN, MeetingModel

if TYPE_CHECKING:
    from tests.storm.life import Life


def plan(life: "Life", hot: int) -> Deed | None:
    ways = [
        (round_, issue)
        for round_ in life.rounds
        for issue in round_.wanted
        if checks.is_disagreement(round_, issue) and not checks.decided_as(life, round_, issue)
    ]
    if not ways:
        return None
    round_ = life.draw.choice(ways)[0]
    issues = [issue for of, issue in ways if of is round_]
    members = [one for one in life.world.members if round_.seats.get(one.pk)]
    chair = life.draw.choice([life.world.lead, *members])
    name = f"Meeting {life.key()}"
    invited = {one.pk for one in members} | {chair.pk}
    quorum = life.draw.choice([1, 2, 2])
    by_majority = life.draw.random() < 0.5
    form = {
        "name": name, "kind": "apart", "chair": chair.pk, "quorum": quorum, "with_agenda": "1", "starts_at": "",
        "ends_at": "", "participants": sorted(invited),
    } | ({"by_majority": "on"} if by_majority else {})  # fmt: skip
    url = f"{reverse('new_meeting', args=[round_.pk])}?issues={','.join(map(str, issues))}"

    def planned(answer: Any = None) -> None:
        found = list(Meeting.objects.filter(name=name))
        assert len(found) <= 1, f"{name} was planned {len(found)} times"
        if answer is not None:
            assert (answer.status_code == 302) == bool(found), f"answered {answer.status_code}, found {found}"
        for meeting in found:
            items = dict(AgendaItem.objects.filter(meeting=meeting).values_list("issue", "pk"))
            assert items.keys() <= set(issues), f"on the agenda are {items}, asked for were {issues}"
            for other in life.meetings:
                both = items.keys() & other.items.keys()
                same = other.round is round_ and not other.is_closed and both
                assert not same, f"{both} are on two agendas"
            life.meetings.append(
                MeetingModel(meeting.pk, round_, chair, frozenset(invited), quorum, by_majority, items)
            )

    return lead(life, f"a meeting on {issues} of {round_.name} is planned", url, form, planned, planned)


def _drawn(life: "Life", *, is_open: bool = True) -> MeetingModel | None:
    ways = [one for one in life.meetings if one.is_open == is_open and not one.is_closed and one.items]
    return life.draw.choice(ways) if ways else None


def begin(life: "Life", hot: int) -> Deed | None:
    meeting = _drawn(life, is_open=False)
    if meeting is None:
        return None

    def opened(answer: Any = None) -> None:
        is_open = Meeting.objects.get(pk=meeting.pk).opened_at is not None
        assert is_open or answer is None or answer.status_code >= 400, (
            "an answer says that the meeting is open"
        )
        meeting.is_open = is_open

    url = reverse("open_meeting", args=[meeting.pk])
    return lead(life, f"meeting {meeting.pk} is opened", url, {}, opened, opened)


def ballot(life: "Life", hot: int) -> Deed | None:
    meeting = _drawn(life)
    if meeting is None:
        return None
    waiting = [one for one in meeting.items if one not in meeting.votes_closed]
    waiting = [one for one in waiting if not checks.decided_as(life, meeting.round, one)]
    issue = life.draw.choice(waiting or [*meeting.items])
    people = [one for one in life.world.members if one.pk in meeting.invited]
    member = life.draw.choice(people)
    if ("ballot", meeting.pk, issue, member.pk) in life.busy:
        return None
    life.busy |= {("ballot", meeting.pk, issue, member.pk), ("ballots", meeting.pk, issue)}
    choice = life.draw.choice([ABSTAIN, *life.themes(meeting.round)[:2], *life.themes(meeting.round)[:1] * 3])
    form = {"category": ABSTAIN if choice == ABSTAIN else life.pk_of(choice), "form_key": life.key()}
    url = reverse("cast_ballot", args=[meeting.pk, meeting.items[issue]])
    client = life.clients[member.pk]

    def believe(answer: Any) -> None:
        if answer.status_code == 200:
            meeting.ballots.setdefault(issue, {})[member.pk] = choice
            meeting.voted_now.add(issue)

    def unknown() -> None:
        meeting.perhaps.setdefault(issue, {})[member.pk] = choice

    return Deed(
        f"{member.pseudonym} votes {choice} on {issue} in meeting {meeting.pk}",
        lambda: client.post(url, form, **JSON), believe, unknown,
    )  # fmt: skip


def argue(life: "Life", hot: int) -> Deed | None:
    meeting = _drawn(life)
    if meeting is None:
        return None
    issue = life.draw.choice([*meeting.items])
    member: Membership = life.draw.choice([one for one in life.world.members if one.pk in meeting.invited])
    word = life.word(member.pk)
    url = reverse("comment_on_item", args=[meeting.pk, meeting.items[issue]])
    client, form = life.clients[member.pk], {"text": f"I say {word}.", "form_key": life.key()}

    def said(answer: Any = None) -> None:
        found = list(Comment.objects.filter(text__contains=word).values_list("round", "issue", "author"))
        assert found in ([], [(meeting.round.pk, issue, member.pk)]), f"{word} was said as {found}"
        if answer is not None:
            assert (answer.status_code == 200) == bool(found), f"answered {answer.status_code}, found {found}"
        if found:
            life.arguments[word] = (meeting.round, issue)

    return Deed(
        f"{member.pseudonym} argues {word} on {issue}", lambda: client.post(url, form, **JSON), said, said
    )


def _by_chair(meeting: MeetingModel, life: "Life", name: str) -> Any:
    client, url = life.clients[meeting.chair.pk], reverse(name, args=[meeting.pk])
    key = life.key()
    return lambda: client.post(url, {"form_key": key}, **JSON)


def count_votes(life: "Life", hot: int) -> Deed | None:
    """The chair closes what has its quorum, and what the ballots decide is decided."""
    meeting = _drawn(life)
    keys = {("settle", meeting.round.pk, issue) for issue in meeting.items} if meeting else set()
    if meeting is None or keys & life.busy:
        return None
    life.busy |= keys | {("count", meeting.pk)}

    def believe(answer: Any) -> None:
        if answer.status_code == 200:
            meeting.counted = "surely"
        else:
            assert _explains(life, meeting), f"the votes were not counted: {answer.content!r}"

    def unknown() -> None:
        meeting.counted = "perhaps"

    return Deed(f"meeting {meeting.pk} counts", _by_chair(meeting, life, "close_votes"), believe, unknown)


def decide(life: "Life", hot: int) -> Deed | None:
    """The chair decides, with a reason or by the ballots; a lead may decide the same issue at once."""
    meeting = _drawn(life)
    if meeting is None:
        return None
    round_, issue = meeting.round, life.draw.choice([*meeting.items])
    if ("settle", round_.pk, issue) in life.busy:
        return None
    life.busy |= {("settle", round_.pk, issue), ("decide", meeting.pk, issue)}
    how, code = life.draw.choice(["chair", "unanimity", "majority"]), life.draw.choice(life.themes(round_))
    seen, before = checks.decision_number(round_, issue), checks.decided_as(life, round_, issue)
    form = {
        "category": life.pk_of(code), "how": how, "rationale": "As we said.", "seen_number": seen,
        "form_key": life.key(),
    }  # fmt: skip
    url = reverse("decide_item", args=[meeting.pk, meeting.items[issue]])
    client = life.clients[meeting.chair.pk]

    def believe(answer: Any) -> None:
        if answer.status_code == 200:
            round_.decided[issue] = {code}
            meeting.decided[issue] = (how, code)

    def unknown() -> None:
        round_.decided[issue] = {code, before}

    return Deed(
        f"meeting {meeting.pk} decides {issue} as {code} by {how}",
        lambda: client.post(url, form, **JSON), believe, unknown,
    )  # fmt: skip


def end(life: "Life", hot: int) -> Deed | None:
    meeting = _drawn(life)
    if meeting is None:
        return None
    life.busy.add(("end", meeting.pk))

    def closed(answer: Any = None) -> None:
        meeting.is_closed = Meeting.objects.get(pk=meeting.pk).closed_at is not None
        assert meeting.is_closed or answer is None or answer.status_code >= 400, (
            "an answer says that it is closed"
        )

    return Deed(f"meeting {meeting.pk} is closed", _by_chair(meeting, life, "close_meeting"), closed, closed)


def _explains(life: "Life", meeting: MeetingModel) -> bool:
    return ("end", meeting.pk) in life.busy


TOKENS = (
    (re.compile(r'(name="csrfmiddlewaretoken" value=)"[^"]*"'), r"\1"),
    (re.compile(r"(X-CSRFToken[^:]*:[^A-Za-z0-9]*(?:&quot;)?)[A-Za-z0-9]{64}"), r"\1"),
    (re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "UUID"),
    (re.compile(r'<script type="application/json"[^>]*>\s*"?[0-9a-f]+"?'), ""),
)


def without_tokens(text: str) -> str:
    for pattern, instead in TOKENS:
        text = pattern.sub(instead, text)
    return text
