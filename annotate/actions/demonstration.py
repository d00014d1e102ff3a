"""The demonstration study: invented issues, people and labels (annotate/demo), loaded through the actions.

Only the labels are not submitted one by one: theirs are moments of the past two weeks, which no action takes.
They are stored as an import stores them, and completed issues are decided at the moment of their last label.
What goes with them (rounds, audit, who was last seen when) is dated back too, as far as it can be changed.
"""

import csv
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from importlib.resources import files
from io import StringIO

from django.db import connection, transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.actions import make_account
from accounts.models import User
from annotate.actions.decisions import decide_if_unanimous, settle_issue
from annotate.actions.rounds import create_round, open_round
from annotate.models import Assignment, Decision, Label, Round, RoundIssue, RoundVolunteer
from core.errors import DomainError
from ingest.actions import import_issues, receive_upload
from ingest.models import Issue
from studies.actions import add_member, create_study, record
from studies.models import Event, Membership, Role, Study
from taxonomy.actions import create_taxonomy
from taxonomy.models import Level, Version
from taxonomy.presets import PRESETS, load_preset
from taxonomy.queries import Codebook, codebook

SLUG = "demo"
MAIN_ROUND = "Main round"
PILOT = "Screening pilot"
PILOT_REPOSITORY = "quillnet/lattice"
DAYS = 14
LONGEST_EVENING = 18
SEED = 2506

DATA = files("annotate.demo")

# Key of the advisory lock under which the study is loaded: two commands at a time load it once.
_LOADING = 0x64656D6F


class DemonstrationSlugTaken(DomainError):
    message = gettext_lazy(
        "Another study has the address of the demonstration study (demo). Load it where there is none."
    )


@dataclass(frozen=True)
class Demonstration:
    """The study and its members by pseudonym. `loaded`: it was not there before."""

    study: Study
    members: dict[str, Membership]
    loaded: bool


def load_demonstration() -> Demonstration:
    """Load the demonstration study, if it is not there: all of it, or nothing.

    A study that is there stays as its visitors have left it. Nobody in it has a password.
    Raises DemonstrationSlugTaken.
    """
    people = list(_rows("people.csv"))
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOADING])
        study = Study.objects.filter(slug=SLUG).first()
        if study is not None:
            if not study.memberships.filter(user__email=_address(people[0]["name"])).exists():
                raise DemonstrationSlugTaken
            return Demonstration(study, _members(study), loaded=False)
        study = _study_with_people(people)
        members = _members(study)
        owner = members["R1"].user
        _load_issues(study, owner)
        # The pilot first: pages lead to the round that came last.
        _pilot(study, members)
        round_ = _main_round(study, members)
        book = codebook(round_.version_id)
        rows = list(_rows("labels.csv"))
        _store_labels(round_, rows, book)
        _decide(round_, rows, book, lead=members["R2"])
        _date_back(study)
        record(study, "studies.demonstration_loaded", owner, name=study.name)
    return Demonstration(study, members, loaded=True)


def _rows(name: str) -> Iterator[dict[str, str]]:
    text = DATA.joinpath(name).read_bytes().decode()
    yield from csv.DictReader(StringIO(text, newline=""), strict=True)


def _address(name: str) -> str:
    """An address in the domain that is set aside for examples: no mail ever gets anywhere."""
    return name.lower().replace(" ", ".") + "@example.org"


def _members(study: Study) -> dict[str, Membership]:
    seats = Membership.objects.filter(study=study).select_related("user", "study")
    return {seat.pseudonym: seat for seat in seats}


def _study_with_people(people: list[dict[str, str]]) -> Study:
    """The study two weeks ago, with everybody in it; accounts that an earlier demonstration left are used."""
    users = []
    for person in people:
        address = _address(person["name"])
        found = User.objects.filter(email__iexact=address).first()
        users.append(
            found
            or make_account(
                name=person["name"],
                email=address,
                password=None,
                may_create_studies=person["role"] == Role.OWNER,
            )
        )
    study = create_study(
        name=_("LLM framework issues (demonstration)"),
        description=_(
            "Eighty-four invented issue reports of four invented frameworks, labelled by seven invented"
            " volunteers. Nothing in it is real; everything in it may be tried."
        ),
        by=users[0],
    )
    for user, person in zip(users[1:], people[1:], strict=True):
        add_member(study=study, user=user, role=person["role"], by=users[0])
    begun = _first_day()
    Study.objects.filter(pk=study.pk).update(slug=SLUG, created_at=begun)
    Membership.objects.filter(study=study).update(joined_at=begun)
    study.refresh_from_db()
    return study


def _first_day() -> datetime:
    return timezone.now() - timedelta(days=DAYS + 1)


def _load_issues(study: Study, owner: User | None) -> None:
    """Take in the file of issues, as an upload and its worker would."""
    with DATA.joinpath("issues.jsonl").open("rb") as stream:
        run = receive_upload(study=study, by=owner, name="issues.jsonl", stream=stream)
    import_issues(run=run)


def _taxonomy(study: Study, preset: str, by: User | None) -> Version:
    return create_taxonomy(study=study, name=PRESETS[preset].title, tree=load_preset(preset), by=by)


def _main_round(study: Study, members: dict[str, Membership]) -> Round:
    """Everyone labels everything; opened two weeks ago."""
    lead = members["R2"]
    round_ = create_round(
        study=study,
        by=lead,
        name=MAIN_ROUND,
        version=_taxonomy(study, "llm-frameworks", lead.user),
        depth=Level.THEME,
        issues=Issue.objects.filter(repository__study=study).order_by("pk"),
        members=_volunteers(members),
        seed=SEED,
    )
    return _opened(round_, by=lead, at=_first_day() + timedelta(hours=1))


def _pilot(study: Study, members: dict[str, Membership]) -> None:
    """Two volunteers per issue, all slots free: for the visitor to try. A taxonomy of its own, so that
    nobody is asked twice what the main round reveals.
    """
    lead = members["R2"]
    pilot = create_round(
        study=study,
        by=lead,
        name=PILOT,
        kind=Round.Kind.PILOT,
        version=_taxonomy(study, "relevance", lead.user),
        depth=Level.THEME,
        issues=Issue.objects.filter(repository__study=study, repository__path=PILOT_REPOSITORY),
        members=_volunteers(members),
        allocation=Round.Allocation.K_OF_N,
        labels_per_issue=2,
        seed=SEED + 1,
    )
    _opened(pilot, by=lead, at=_first_day() + timedelta(minutes=30))


def _opened(round_: Round, *, by: Membership, at: datetime) -> Round:
    """Open a round, and date it back."""
    round_ = open_round(round_=round_, by=by)
    Round.objects.filter(pk=round_.pk).update(created_at=at, opened_at=at)
    round_.refresh_from_db()
    return round_


def _volunteers(members: dict[str, Membership]) -> list[Membership]:
    return [members[f"R{number}"] for number in range(1, 8)]


def _store_labels(round_: Round, rows: list[dict[str, str]], book: Codebook) -> None:
    """Store the labels in each volunteer's own order, fill their slots, complete the issues."""
    by_url = {row["Issue_URL"]: row for row in rows}
    labels = []
    for volunteer in RoundVolunteer.objects.filter(round=round_).select_related("member"):
        slots = Assignment.objects.filter(round=round_, volunteer=volunteer.member).order_by("rank")
        given = [
            (slot, by_url[slot.issue.url])
            for slot in slots.select_related("issue")
            if by_url[slot.issue.url][volunteer.member.pseudonym]
        ]
        moments = evenings(len(given), seed=SEED + volunteer.column, today=timezone.localdate())
        for (slot, row), moment in zip(given, moments, strict=True):
            summary = row[f"summary{volunteer.column}"]
            labels.append(
                Label(
                    round=round_,
                    issue_id=slot.issue_id,
                    volunteer=volunteer.member,
                    assignment=slot,
                    category_id=book.by_code[row[volunteer.member.pseudonym]].category_id,
                    version_id=round_.version_id,
                    snapshot_id=slot.issue.current_id,
                    summary=summary,
                    unsure=summary.endswith("?"),
                    submitted_at=moment,
                )
            )
    Label.objects.bulk_create(sorted(labels, key=lambda label: label.submitted_at))
    with connection.cursor() as cursor:
        cursor.execute(
            """
            UPDATE annotate_assignment a SET submitted_at = l.submitted_at
            FROM annotate_label l WHERE l.assignment_id = a.id AND a.round_id = %(round)s;
            UPDATE annotate_roundissue i SET completed_at = done.at
            FROM (
                SELECT issue_id, max(submitted_at) AS at FROM annotate_assignment
                WHERE round_id = %(round)s GROUP BY issue_id HAVING count(submitted_at) = count(*)
            ) done
            WHERE i.round_id = %(round)s AND i.issue_id = done.issue_id
            """,
            {"round": round_.pk},
        )


def _decide(round_: Round, rows: list[dict[str, str]], book: Codebook, *, lead: Membership) -> None:
    """Decide what is unanimous, then settle what the lead has settled so far, last night."""
    places = RoundIssue.objects.filter(round=round_, completed_at__isnull=False).select_related("issue")
    complete = {place.issue.url: place for place in places.order_by("completed_at")}
    for place in complete.values():
        if place.completed_at:
            decide_if_unanimous(round_, place.issue, place.completed_at)
    settled = [row for row in rows if row["lead_decision"]]
    evening = evenings(len(settled), seed=SEED, today=timezone.localdate(), days=1)
    for row, moment in zip(settled, evening, strict=True):
        place = complete[row["Issue_URL"]]
        if place.completed_at:
            settle_issue(
                round_=round_,
                issue=place.issue,
                by=lead,
                category=book.by_code[row["lead_decision"]].category,
                rationale=row["lead_rationale"],
                seen_number=0,
                decided_at=max(moment, place.completed_at + timedelta(minutes=5)),
            )


def _date_back(study: Study) -> None:
    """Let the audit tell of the last two weeks what the labels say, and when each member was last here."""
    first = _first_day()
    decisions = Decision.objects.filter(round__study=study, method=Decision.Method.LEAD)
    told = {decision.issue_id: decision.decided_at for decision in decisions}
    events = list(Event.objects.filter(study=study).order_by("pk"))
    for number, event in enumerate(events):
        event.at = told.get(event.detail.get("issue"), first + timedelta(minutes=number))
    Event.objects.bulk_update(events, ["at"])
    own = Label.objects.filter(volunteer__study=study).values("volunteer__user")
    for seen in own.annotate(at=Max("submitted_at")):
        User.objects.filter(pk=seen["volunteer__user"], seen_at=None).update(seen_at=seen["at"])


def evenings(count: int, *, seed: int, today: date, days: int = DAYS) -> list[datetime]:
    """`count` moments in order, in evenings of the `days` before `today`, a label every minute or two.

    Raises ValueError for more than fit into that many evenings.
    """
    chance = random.Random(seed)
    sessions = -(-count // LONGEST_EVENING)
    chosen = sorted(chance.sample(range(1, days + 1), sessions), reverse=True)
    moments = []
    for number, days_ago in enumerate(chosen):
        start = datetime.combine(
            today - timedelta(days=days_ago),
            time(chance.randrange(18, 21), chance.randrange(60), chance.randrange(60)),
            tzinfo=timezone.get_current_timezone(),
        )
        for _label in range(count // sessions + (number < count % sessions)):
            start += timedelta(seconds=min(20 + chance.lognormvariate(4.1, 0.7), 480))
            moments.append(start)
    return moments
