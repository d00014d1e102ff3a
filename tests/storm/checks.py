"""Compares what is stored and shown with what the model says must be."""

import re
from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import quote

from django.urls import reverse

from consensus.models import Decision, Disagreement
from core import clock
from rounds.models import Assignment, Label, Round, RoundIssue, RoundVolunteer
from studies.models import Membership
from tests.storm.meeting_checks import ballots_are_secret, meetings_are_as_answered
from tests.storm.model import Place, RoundModel, Said
from tests.storm.tree_checks import the_taxonomy_is_as_answered

if TYPE_CHECKING:
    from tests.storm.life import Life

WORD = re.compile(r"zq\d+x\d+w")
MOST_HELD = 3


def all_promises(life: "Life") -> None:
    the_taxonomy_is_as_answered(life)
    for round_ in life.rounds:
        labels_are_as_answered(life, round_)
        slots_are_as_many_as_asked(round_)
    meetings_are_as_answered(life)
    for round_ in life.rounds:
        decisions_follow(life, round_)
    if life.draw.random() < 0.15:
        ballots_are_secret(life)
    nobody_sees_too_much(life)
    if life.draw.random() < 0.1:
        numbers_are_the_models(life)


def labels_are_as_answered(life: "Life", round_: RoundModel) -> None:
    """Nothing that was answered is lost, nothing is stored twice, and nothing is there that nobody sent."""
    codes = life.codes
    rows = Label.objects.filter(round=round_.pk).values_list(
        "issue", "volunteer", "category", "summary", "surplus", "submitted_at", "round__closed_at"
    )
    stored: dict[Place, Said] = {}
    for issue, member, category, word, surplus, submitted_at, closed_at in rows:
        place = (issue, member)
        # A clock that was set back between two steps says nothing of their order.
        is_late = closed_at is not None and submitted_at > closed_at and place not in round_.known
        assert not is_late, f"{place} came after {round_.name} was closed"
        assert place not in stored, f"two labels of member {member} at issue {issue}"
        stored[place] = Said(codes[category], word)
        if surplus:
            assert not round_.is_crossed, f"surplus in a crossed round at {place}"
            round_.surplus.add(place)
        else:
            assert place not in round_.surplus, f"{place} counts, and was surplus before"
    for place, sent in round_.perhaps.items():
        if place in stored:
            ways = {*sent, round_.labels.get(place)}
            assert stored[place] in ways, f"{place} is stored as {stored[place]}, sent were {ways}"
            round_.labels[place] = stored[place]
    round_.perhaps.clear()
    round_.known = set(stored)
    lost = round_.labels.items() - stored.items()
    assert not lost, f"answered and not stored in {round_.name}: {lost}; stored is {stored}"
    unknown = stored.items() - round_.labels.items()
    assert not unknown, f"stored in {round_.name}, and nobody was told so: {unknown}"
    for must in round_.must_count:
        assert must not in round_.surplus, f"{must} came within its lease, and does not count"
    round_.must_count.clear()


def slots_are_as_many_as_asked(round_: RoundModel) -> None:
    rows = list(
        Assignment.objects.filter(round=round_.pk).values_list("issue", "slot", "volunteer", "submitted_at")
    )
    seats = RoundVolunteer.objects.filter(round=round_.pk).values_list("member", "left_at")
    now_in = {member: left_at is None for member, left_at in seats}
    for member, is_in in now_in.items():
        expected = round_.seats_asked.pop(member, None)
        assert expected is None or is_in == expected, f"the seat of member {member} is not as answered"
    round_.seats = now_in
    round_.held = {place: until for place, until in round_.held.items() if now_in[place[1]]}
    slots = Counter(issue for issue, *_rest in rows)
    counted = Counter(place[0] for place in round_.labels if place not in round_.surplus)
    for issue, wanted in round_.wanted.items():
        if round_.raising and slots[issue] == round_.raising:
            assert issue not in round_.was_revealed, f"issue {issue} was revealed, and got another slot"
            round_.wanted[issue] = round_.raising
            continue
        assert slots[issue] == wanted, f"issue {issue} has {slots[issue]} slots of {wanted} in {round_.name}"
        if round_.raising:
            revealed = not round_.waits_for_close and counted[issue] == wanted
            assert revealed, f"issue {issue} was left out when {round_.name} asked for more labels"
    round_.majorities = {round_.majority}
    if round_.raising and round_.majority:
        round_.majority = max(round_.majority, round_.raising // 2 + 1)
        round_.majorities.add(round_.majority)
    round_.raising = None
    held: Counter[int] = Counter()
    for issue, _slot, member, submitted_at in rows:
        place = (issue, member)
        if submitted_at is not None:
            assert place in round_.labels, f"a slot at {place} is submitted without a label"
            assert place not in round_.surplus, f"a slot and a surplus label at {place}"
        elif member is not None:
            held[member] += 1
            assert place not in round_.labels, f"a slot waits for {place}, which is labelled"
    submitted = Counter(issue for issue, _slot, _member, at in rows if at is not None)
    assert submitted == counted, (
        f"slots submitted in {round_.name}: {submitted}, labels that count: {counted}"
    )
    if not round_.is_crossed:
        assert all(number <= MOST_HELD for number in held.values()), f"claimed at once: {held}"
    round_.was_revealed = {issue for issue in round_.wanted if round_.is_revealed(issue)}


def decisions_follow(life: "Life", round_: RoundModel) -> None:
    """Complete is what has all labels; equal labels are decided, others are disagreements; nothing before its time."""
    complete = set(
        RoundIssue.objects.filter(round=round_.pk, completed_at__isnull=False).values_list("issue", flat=True)
    )
    expected = {issue for issue in round_.wanted if round_.is_complete(issue)}
    assert complete == expected, f"complete in {round_.name}: {complete}, not {expected}"
    standing = dict(
        Decision.objects.filter(round=round_.pk, superseded_at=None).values_list("issue", "category")
    )
    apart = set(Disagreement.objects.filter(round=round_.pk).values_list("issue", flat=True))
    for issue in round_.wanted:
        theme = round_.tree.theme
        found = theme(life.codes.get(standing.get(issue, 0)))
        themes = set(round_.themes(issue))
        shown = round_.is_complete(issue) and round_.is_revealed(issue)
        assert (issue in apart) == (shown and len(themes) > 1), (
            f"disagreement at {issue} of {round_.name}: {themes}"
        )
        by_lead = round_.decided.get(issue)
        if shown and issue not in round_.ruled:
            ways = {round_.by_rule(issue, majority) for majority in round_.majorities}
            assert found in ways or by_lead, f"{issue} is decided as {found}, not one of {ways}"
            round_.ruled[issue] = found
        elif shown and round_.has_followed and not by_lead:
            # What compares otherwise is decided anew, by the rule of today; other results stand.
            before = theme(round_.ruled[issue])
            ways = themes if len(themes) == 1 else {before, round_.by_rule(issue, round_.majority)}
            assert found in ways, f"{issue} is decided as {found} since the new version, not one of {ways}"
            round_.ruled[issue] = found
        if by_lead is None:
            expected = theme(round_.ruled.get(issue))
            assert found == expected, f"{issue} is decided as {found}, not {expected}"
        else:
            ways = {theme(one) for one in by_lead}
            assert found in ways, f"{issue} is decided as {found}, answered was {by_lead}"


def nobody_sees_too_much(life: "Life") -> None:
    """Somebody reads a page; and somebody who must not looks at an issue that others labelled."""
    draw = life.draw
    readers = [*life.world.members, life.world.lead, life.viewer]
    round_, issue = draw.choice(life.rounds), draw.choice(life.world.issues).pk
    study = life.world.study.slug
    name = quote(round_.name)
    addresses = [
        reverse("round", args=[round_.pk]),
        reverse("label", args=[round_.pk]),
        f"{reverse('label', args=[round_.pk])}?issue={issue}",
        reverse("own_labels", args=[round_.pk]),
        reverse("disagreements", args=[round_.pk]),
        f"{reverse('disagreements', args=[round_.pk])}?issue={issue}",
        reverse("issue", args=[study, issue]),
        reverse("round_volunteers", args=[round_.pk]),
        reverse("final_labels", args=[round_.pk]),
        reverse("taxonomy", args=[life.taxonomy.pk]),
    ]
    if life.taxonomy.motions:
        names = ["proposals", "api_proposals", "api_proposals"]
        addresses += [reverse(name, args=[life.taxonomy.pk]) for name in names]
    for meeting in life.meetings:
        name = "minutes" if meeting.is_closed else "meeting"
        addresses += [reverse(name, args=[meeting.pk])]
    files = f"{reverse('api_labels_csv', args=[study])}?layout=long&round={name}"
    _reads(life, draw.choice(readers), draw.choice([*addresses, files]))
    apart = [
        (reader, one, issue.pk)
        for one in life.rounds
        for issue in life.world.issues
        for reader in readers
        if one.is_revealed(issue.pk) and _waits(life, one, issue.pk, reader.pk)
    ]
    if apart:
        reader, round_, issue = draw.choice(apart)
        page = f"{reverse('disagreements', args=[round_.pk])}?issue={issue}"
        _reads(life, reader, draw.choice([page, files]))


def _reads(life: "Life", reader: Membership, address: str) -> None:
    client = life.rest_of(reader) if address.startswith("/api/") else life.clients[reader.pk]
    with clock.told_by(life.clock):
        answer = client.get(address)
    assert answer.status_code < 500, f"{reader} at {address}: {answer.status_code}"
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    seen = set(WORD.findall(body.decode()))
    hidden = seen - life.written.get(reader.pk, set()) - _revealed_to(life, reader.pk)
    assert not hidden, f"{reader} sees {hidden} at {address} before their reveal"
    life.seen += len(seen)


def _waits(life: "Life", round_: RoundModel, issue: int, reader: int) -> bool:
    """Does the reader still have to label the issue in another round?"""
    return any(one.can_fall_to(issue, reader) for one in life.rounds if one is not round_)


def _revealed_to(life: "Life", reader: int) -> set[str]:
    words = set()
    for round_ in life.rounds:
        for (issue, _member), said in round_.labels.items():
            if round_.is_revealed(issue) and not _waits(life, round_, issue, reader):
                words.add(said.word)
    for word, (round_, issue) in life.arguments.items():
        if round_.is_revealed(issue) and not _waits(life, round_, issue, reader):
            words.add(word)
    for motion in life.taxonomy.motions.values():
        if motion.is_closed:
            words |= {argument for _choice, argument in motion.cast.values()}
    return words


def numbers_are_the_models(life: "Life") -> None:
    """The report of an open or closed round, as REST gives it to a viewer, who labels nowhere."""
    round_ = life.draw.choice(life.rounds)
    with clock.told_by(life.clock):
        answer = life.rest.get(reverse("api_agreement", args=[round_.pk]))
    assert answer.status_code == 200, f"the report of {round_.name}: {answer.status_code}"
    overall = answer.json()["groups"][0]
    compared = [
        issue
        for issue in round_.wanted
        if round_.is_complete(issue) and round_.is_revealed(issue) and len(round_.counted(issue)) > 1
    ]
    assert overall["issues"] == len(compared), (
        f"the report counts {overall['issues']} issues, not {len(compared)}"
    )
    value, expected = overall["coefficients"]["percent_agreement"]["value"], round_.percent_agreement()
    assert (value is None) == (expected is None), f"percent agreement {value}, not {expected}"
    assert value is None or abs(value - float(expected or 0)) < 1e-12, (
        f"percent agreement {value}, not {expected}"
    )
    life.compared += 1


def is_disagreement(round_: RoundModel, issue: int) -> bool:
    return Disagreement.objects.filter(round=round_.pk, issue=issue).exists()


def decision_number(round_: RoundModel, issue: int) -> int:
    standing = Decision.objects.filter(round=round_.pk, issue=issue, superseded_at=None)
    return standing.values_list("number", flat=True).first() or 0


def seen_of(round_: RoundModel, place: Place) -> str:
    label = Label.objects.get(round=round_.pk, issue=place[0], volunteer=place[1])
    moment: datetime = label.changed_at or label.submitted_at
    return moment.isoformat()


def is_closed(round_: RoundModel) -> bool:
    return Round.objects.get(pk=round_.pk).closed_at is not None


def decided_as(life: "Life", round_: RoundModel, issue: int) -> str | None:
    standing = Decision.objects.filter(round=round_.pk, issue=issue, superseded_at=None)
    return life.codes.get(standing.values_list("category", flat=True).first() or 0)


def labels_per_issue(round_: RoundModel) -> int:
    return Round.objects.get(pk=round_.pk).labels_per_issue
