"""The demonstration study: invented issues, people and labels (demo/invented), loaded through the actions.

The study has been screened, piloted and trained, has most labels of its main round, and has held one meeting.
Each action runs with the clock set to its moment, in the order of these moments.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db import connection, transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.actions import make_account, make_administrator
from accounts.models import User
from core import clock
from core.errors import DomainError
from demo import boards, drafts, interviews, meetings, model_labels, rounds
from demo.data import DATA, rows, text
from demo.paper import findings, protocols, reports, standards
from demo.story import Story, moment
from harvests.actions import plan_harvest
from harvests.queries.forge_clients import RepositoryAsked
from ingest.actions import ListContent, find_keywords, import_issues, import_keyword_lists, receive_upload
from ingest.keywords import read_list
from ingest.models import KeywordList
from studies.actions import add_member, create_study, mark_guideline_read, publish_guideline, record
from studies.models import Membership, Role, Study
from taxonomy.actions import create_taxonomy
from taxonomy.models import Version
from taxonomy.presets import PRESETS, load_preset

SLUG = "demo"
BEGUN_DAYS_AGO = 36
GUIDELINE_CHANGED_DAYS_AGO = 6

SERVING = ("emberline/ember-serve", "gridloom/gridloom")
NEXT_WINDOW = datetime(2025, 5, 1, tzinfo=UTC)
"""Where the harvest begins that the study has planned."""
NOWHERE = "https://demonstration.invalid/api/v3"
"""The REST interface of the invented forge: no host has a name that ends in `.invalid`."""
TRAINING = ("quillnet/lattice", "gitee.com/quillnet/quillnet-ascend")

# Key of the advisory lock for loading the study: two commands at the same time load it only once.
_LOADING = 0x64656D6F


class DemonstrationSlugTaken(DomainError):
    message = gettext_lazy(
        "Another study already uses the address of the demonstration study (demo). Load the demonstration"
        " on a server without such a study."
    )


@dataclass(frozen=True)
class Demonstration:
    """The study and its members by pseudonym. `loaded` is False if the study was already there."""

    study: Study
    members: dict[str, Membership]
    loaded: bool


def load_demonstration() -> Demonstration:
    """Load the whole demonstration study, if it does not exist. An existing study stays as its visitors have
    left it. Nobody in it has a password. Raises DemonstrationSlugTaken.
    """
    people = list(rows("people.csv"))
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOADING])
        study = Study.objects.filter(slug=SLUG).first()
        if study is not None:
            if not study.memberships.filter(user__email=_address(people[0]["name"])).exists():
                raise DemonstrationSlugTaken
            return Demonstration(study, _members(study), loaded=False)
        study = _load(people)
    # After the commit, because find_keywords blocks everybody else who adds texts until its own commit.
    find_keywords(study_id=study.pk)
    return Demonstration(study, _members(study), loaded=True)


def _load(people: list[dict[str, str]]) -> Study:
    """Load the study in the order of its story: the earlier rounds, the main round, the present."""
    now = clock.now()
    begun = moment(now, BEGUN_DAYS_AGO)
    with clock.at(begun):
        study = _study_with_people(people)
    story = Story(study, _members(study), now)
    with clock.at(begun + timedelta(minutes=10)):
        _load_issues(story)
    with clock.at(begun + timedelta(minutes=20)):
        relevance, themes = _taxonomy(story, "relevance"), _taxonomy(story, "llm-frameworks")
    with story.at(BEGUN_DAYS_AGO, 12):
        _publish_guideline(story, 1)
    screened = rounds.screening(story, relevance)
    rounds.pilot(story, themes, screened)
    trained = rounds.training(story, themes)
    protocols.protocol(story, themes)
    # Before the main round, because pages link to the newest round.
    rounds.to_try(story, relevance, screened)
    main = rounds.main_round(story, themes, screened, trained)
    main.plan(story.moment(GUIDELINE_CHANGED_DAYS_AGO, 12), _publish_guideline, story, 2)
    main.plan(story.moment(1, 7), rounds.once_more, story, themes)
    meetings.plan_meetings(main, completed_at=rounds.plan_main_labels(main))
    interviews.plan_interviews(main, themes)
    main.run()
    # The rest happens now.
    model_labels.keyword_rules(story, main.round)
    findings.findings(main)
    protocols.explained(story)
    reports.frozen(main)
    drafts.draft(story, themes)
    boards.board(story, themes)
    standards.answers(story)
    _plan_next_harvest(story)
    record(study, "studies.demonstration_loaded", story.owner.user, name=study.name)
    return study


def _address(name: str) -> str:
    """An address in a domain that is reserved for examples: no mail reaches anybody."""
    return name.lower().replace(" ", ".") + "@example.org"


def _members(study: Study) -> dict[str, Membership]:
    seats = Membership.objects.filter(study=study).select_related("user", "study")
    return {seat.pseudonym: seat for seat in seats}


def _study_with_people(people: list[dict[str, str]]) -> Study:
    """Create the study with all its members; accounts that an earlier demonstration left are used again."""
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
            "92 invented issue reports of four invented frameworks, screened and labelled by seven invented"
            " volunteers. Nothing here is real. You can try everything."
        ),
        slug=SLUG,
        by=users[0],
    )
    if not User.objects.filter(is_superuser=True).exists():
        # So that the page of the server can be seen, too. A server with an administrator keeps to its own.
        make_administrator(user=users[0])
    for user, person in zip(users[1:], people[1:], strict=True):
        add_member(study=study, user=user, role=person["role"], by=users[0])
    return study


def _load_issues(story: Story) -> None:
    """Import the files of issues, as an upload and its worker would, and the keyword lists."""
    for name in ("issues.jsonl", "false_positives.jsonl"):
        with DATA.joinpath(name).open("rb") as stream:
            run = receive_upload(study=story.study, by=story.owner.user, name=name, stream=stream)
        import_issues(run=run)
    serving, training = read_list(text("keyword_lists.txt")).lists
    import_keyword_lists(
        study=story.study,
        lists=[
            (_("Serving"), ListContent(serving.terms, SERVING)),
            (_("Training"), ListContent(training.terms, TRAINING)),
        ],
        by=story.owner.user,
    )


def _plan_next_harvest(story: Story) -> None:
    """Plan a harvest and leave it unstarted: without a forge there is nothing true to show of its run.

    Starting it asks a host that cannot be there, and no forge about an invented repository.
    """
    plan_harvest(
        study=story.study,
        repositories=[RepositoryAsked("github", "github.com", "gridloom/gridloom", NOWHERE)],
        opened_from=NEXT_WINDOW,
        opened_before=None,
        zone="UTC",
        with_pull_requests=False,
        with_comments=True,
        lists=list(KeywordList.objects.filter(study=story.study, name=_("Serving"))),
        budget=None,
        by=story.owner.user,
    )


def _publish_guideline(story: Story, number: int) -> None:
    """Publish a version of the guideline. All volunteers read it; the visitor (R3) reads only the first."""
    notes = {1: "", 2: _("How to tell C.1 from C.8, after the comments of the training")}
    guideline = publish_guideline(
        study=story.study, text=text(f"guideline-{number}.md"), note=notes[number], by=story.lead.user
    )
    for member in story.volunteers(*(["R3"] if number == 2 else [])):
        mark_guideline_read(member=member, guideline=guideline)


def _taxonomy(story: Story, preset: str) -> Version:
    return create_taxonomy(
        study=story.study, name=PRESETS[preset].title, tree=load_preset(preset), by=story.lead.user
    )
