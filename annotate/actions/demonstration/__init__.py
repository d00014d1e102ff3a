"""The demonstration study: invented issues, people and labels (annotate/demo), loaded through the actions.

It has gone the whole way: screened, piloted, trained, well into its main round; a first meeting was held.
Only, labels are not submitted one by one, nor ballots cast: theirs are moments of the past weeks, which no
action takes. They are stored as an import stores them. What goes with them (rounds, audit, who was last seen
when) is dated back too, as far as it can be changed.
"""

from dataclasses import dataclass
from datetime import timedelta

from django.db import connection, transaction
from django.db.models import Max
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.actions import make_account
from accounts.models import User
from annotate.actions.demonstration import boards, drafts, meetings, models, reports, rounds
from annotate.actions.demonstration.data import DATA, rows, text
from annotate.actions.demonstration.past import evenings
from annotate.actions.demonstration.rounds import MAIN_ROUND, ONCE_MORE, TO_TRY
from annotate.actions.demonstration.story import Story, moment
from annotate.models import Decision, Label
from core.errors import DomainError
from ingest.actions import find_keywords, import_issues, receive_upload
from ingest.models import Keyword
from studies.actions import add_member, create_study, record
from studies.models import Event, Guideline, GuidelineReading, Membership, Role, Study
from taxonomy.actions import create_taxonomy
from taxonomy.models import Version
from taxonomy.presets import PRESETS, load_preset
from taxonomy.queries import codebook

__all__ = [
    "DATA",
    "MAIN_ROUND",
    "ONCE_MORE",
    "SLUG",
    "TO_TRY",
    "Demonstration",
    "evenings",
    "load_demonstration",
]

SLUG = "demo"
BEGUN_DAYS_AGO = 36
GUIDELINE_CHANGED_DAYS_AGO = 6

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
    people = list(rows("people.csv"))
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOADING])
        study = Study.objects.filter(slug=SLUG).first()
        if study is not None:
            if not study.memberships.filter(user__email=_address(people[0]["name"])).exists():
                raise DemonstrationSlugTaken
            return Demonstration(study, _members(study), loaded=False)
        study = _study_with_people(people)
        members = _members(study)
        owner, lead = members["R1"].user, members["R2"].user
        _load_issues(study, owner)
        story = Story(study, members, _guidelines(study, members))
        relevance, themes = _taxonomy(study, "relevance", lead), _taxonomy(study, "llm-frameworks", lead)
        screened = rounds.screening(story, relevance)
        rounds.pilot(story, themes, screened)
        trained = rounds.training(story, themes)
        # Before the main round: pages lead to the round that came last.
        rounds.to_try(story, relevance, screened)
        main = rounds.main_round(story, themes, screened, trained)
        rounds.once_more(story, themes)
        _date_back(study)
        # These date themselves back.
        meetings.meetings(story, main, codebook(themes.pk))
        models.keyword_rules(story, main)
        reports.frozen(story, main, codebook(themes.pk))
        drafts.draft(story, themes)
        boards.board(story, themes)
        record(study, "studies.demonstration_loaded", owner, name=study.name)
    # Not before: it waits for whoever adds texts, and lets nobody else add any until the commit.
    find_keywords(study_id=study.pk)
    return Demonstration(study, members, loaded=True)


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
            "Ninety-two invented issue reports of four invented frameworks, screened, and labelled by seven"
            " invented volunteers. Nothing in it is real; everything in it may be tried."
        ),
        by=users[0],
    )
    for user, person in zip(users[1:], people[1:], strict=True):
        add_member(study=study, user=user, role=person["role"], by=users[0])
    begun = moment(BEGUN_DAYS_AGO)
    Study.objects.filter(pk=study.pk).update(slug=SLUG, created_at=begun)
    Membership.objects.filter(study=study).update(joined_at=begun)
    study.refresh_from_db()
    return study


def _load_issues(study: Study, owner: User | None) -> None:
    """Take in the files of issues, as an upload and its worker would, and the words they were found by."""
    for name in ("issues.jsonl", "false_positives.jsonl"):
        with DATA.joinpath(name).open("rb") as stream:
            run = receive_upload(study=study, by=owner, name=name, stream=stream)
        import_issues(run=run)
    Keyword.objects.bulk_create(Keyword(study=study, word=word) for word in text("keywords.txt").splitlines())


def _guidelines(study: Study, members: dict[str, Membership]) -> list[Guideline]:
    """Two versions of the guideline; the visitor has read the first one only."""
    lead = members["R2"]
    made = [
        Guideline.objects.create(
            study=study,
            number=number,
            text=text(f"guideline-{number}.md"),
            note=note,
            published_by=lead,
            published_at=moment(days, 12),
        )
        for number, days, note in (
            (1, BEGUN_DAYS_AGO, ""),
            (2, GUIDELINE_CHANGED_DAYS_AGO, _("C.1 and C.8 told apart, after the comments of the training")),
        )
    ]
    readings = [
        GuidelineReading(guideline=guideline, member=member)
        for guideline in made
        for name, member in members.items()
        if member.role != Role.VIEWER and (guideline.number == 1 or name != "R3")
    ]
    GuidelineReading.objects.bulk_create(readings)
    for guideline in made:
        record(study, "guidelines.published", lead.user, number=guideline.number)
    return made


def _taxonomy(study: Study, preset: str, by: User | None) -> Version:
    return create_taxonomy(study=study, name=PRESETS[preset].title, tree=load_preset(preset), by=by)


def _date_back(study: Study) -> None:
    """Let the audit tell of the past weeks what rounds and labels say, and when each member was last here."""
    first = moment(BEGUN_DAYS_AGO)
    decisions = Decision.objects.filter(round__study=study, decided_by__isnull=False)
    told = {(one.round.name, one.issue_id): one.decided_at for one in decisions.select_related("round")}
    at = {"rounds.created": "created_at", "rounds.opened": "opened_at", "rounds.closed": "closed_at"}
    by_name = {round_.name: round_ for round_ in study.rounds.all()}
    guidelines = {one.number: one.published_at for one in study.guidelines.all()}
    events = list(Event.objects.filter(study=study).order_by("pk"))
    for number, event in enumerate(events):
        round_ = by_name.get(event.detail.get("round"))
        event.at = (
            (round_ and event.verb in at and getattr(round_, at[event.verb]))
            or told.get((event.detail.get("round"), event.detail.get("issue")))
            or (event.verb == "guidelines.published" and guidelines[event.detail["number"]])
            or (round_ and round_.created_at)
            or first + timedelta(minutes=number)
        )
    Event.objects.bulk_update(events, ["at"])
    own = Label.objects.filter(volunteer__study=study).values("volunteer__user")
    for seen in own.annotate(at=Max("submitted_at")):
        User.objects.filter(pk=seen["volunteer__user"], seen_at=None).update(seen_at=seen["at"])
