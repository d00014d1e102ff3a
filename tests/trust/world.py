"""A study with everything in it, made through the real actions: what the trust tests look at."""

import io
from dataclasses import dataclass, field
from types import SimpleNamespace

from django.conf import settings
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.actions import ask_for_address, make_sign_in_link
from annotate.actions.label_drafts import save_draft
from annotate.actions.labels import submit_label
from annotate.actions.model_labels import ModelRow, label_as_model
from annotate.actions.rounds import create_round, open_round
from annotate.actions.samples import draw_sample
from annotate.queries.samples import SampleFrame
from boards.actions.boards import start_board, start_board_from_mapping
from boards.mapping import SubTheme
from consensus.models import BulkDecision
from core import jobs
from core.models import Job
from harvests.actions.harvests import plan_harvest
from harvests.actions.tokens import add_token
from harvests.queries.forge_clients import RepositoryAsked
from ingest.actions.filters import save_filter
from ingest.actions.uploads import receive_upload
from ingest.models import Issue, SimilarPair
from replication.actions.packages import ask_for_package
from replication.actions.uploads import receive_published
from reports.actions.frozen import freeze_report
from reports.queries.report_files import MAKING
from rounds.models import Round
from studies.actions.invitations import invite
from studies.actions.people import end_membership
from studies.models import Membership, Role
from taxonomy.actions import act
from taxonomy.models import Level
from taxonomy.queries.drafts import drafted
from taxonomy.tree.drafts import MERGE, RETIRE
from tests.factories import (
    category,
    make_issue,
    make_list,
    make_member,
    make_repository,
    make_study,
    make_user,
    make_version,
    propose,
)
from tests.factories.annotate import label_input
from tests.trust.findings import make_findings
from tests.trust.interviews import make_interviews
from tests.trust.meetings import HELD_BACK, make_meetings
from tests.trust.protocols import make_protocols
from tests.worlds.opening import open_without_waiting

CANARIES = {
    "summary": "canarysummaryquetzal",
    "draft": "canarydraftibis",
    "skip": "canaryskipshoebill",
    "proposed name": "canarynamehoopoe",
    "proposed reason": "canaryreasonkiwi",
    "screening": "canaryscreeninghoatzin",
    "pilot": "canarypilottoucan",
    "training": "canarytrainingkakapo",
    "explanation": "canaryexplanationjacana",
    "comment": "canarycommentmotmot",
    "argument": "canaryargumentpotoo",
    "pile": "canarypilebittern",
    "memo": "canarymemobustard",
    "open code": "canaryopencodecurlew",
}
OF_A_MODEL = "canarymodelmacaw"
"""What a model says in its summaries: its own business, for ever."""


@dataclass
class World:
    """The study `engines`: issues 1 to 6 in an open round of the lead and three volunteers.

    Issue 1 is complete and a disagreement. `more` has the rest: a sample, `screening` (issue 6, complete and
    excluded), `voting` and `pilot` (all issues, open, revealed at their close), and `training` (issues 2 to 4,
    planned; the owner gives its answers). The lead, the volunteer and the other one label in these three, and
    so issue 1 is kept from them in the main round, with its meetings (tests.trust.meetings) and its frozen report, and
    on the `board`. `apart` is a board that the two volunteers sort apart.
    """

    study: object
    round: object
    version: object
    issues: list[Issue]
    members: dict[str, Membership] = field(default_factory=dict)
    sessions: dict[str, str] = field(default_factory=dict)
    more: SimpleNamespace = field(default_factory=SimpleNamespace)

    def user(self, role: str):
        return (
            None
            if role == "anonymous"
            else self.more.stranger
            if role == "stranger"
            else self.members[role].user
        )

    def client(self, role: str) -> Client:
        """A browser of its own, in the session that this role signed in to once."""
        client = Client(raise_request_exception=False)
        if user := self.user(role):
            if role not in self.sessions:
                client.force_login(user)
                self.sessions[role] = client.cookies[settings.SESSION_COOKIE_NAME].value
            client.cookies[settings.SESSION_COOKIE_NAME] = self.sessions[role]
        return client

    def api(self, role: str) -> APIClient:
        client = APIClient(raise_request_exception=False)
        if user := self.user(role):
            client.force_authenticate(user)
        return client


def label(world: World, number: int, role: str, code: str, summary: str = "", *, unsure: bool = False):
    """Submit a label as the page does."""
    return submit_label(
        round_=world.round,
        issue=world.issues[number - 1],
        member=world.members[role],
        given=label_input(
            category=category(world.version, code), summary=summary, unsure=unsure, form_key=None
        ),
    )


def label_as_a_model(world: World, round_: Round, issues: list[Issue], code: str) -> None:
    rows = [ModelRow(issue.pk, code, OF_A_MODEL) for issue in issues]
    label_as_model(round_=round_, member=world.members["model"], rows=rows)


def make_world() -> World:
    study = make_study(slug="engines", name="Engines")
    owner = make_member(study, Role.OWNER, pseudonym="R1")
    members = {
        "owner": owner,
        "lead": make_member(study, Role.LEAD, pseudonym="R2"),
        "volunteer": make_member(study, Role.VOLUNTEER, pseudonym="R3"),
        "other volunteer": make_member(study, Role.VOLUNTEER, pseudonym="R4"),
        "idle volunteer": make_member(study, Role.VOLUNTEER, pseudonym="R5"),
        "viewer": make_member(study, Role.VIEWER, pseudonym="V1"),
        "model": make_member(study, Role.MODEL, pseudonym="M1"),
        "left": make_member(study, Role.LEAD, pseudonym="R6"),
    }
    end_membership(member=members["left"], by=owner.user)
    version = make_version(study)
    # Nobody's changes in the draft: its pages and the dry run have something to say.
    keys = {entry.code: entry.key for entry in drafted(version.taxonomy).entries}
    act(taxonomy=version.taxonomy, kind=RETIRE, key=keys["C.9"], values={}, by=None)
    act(taxonomy=version.taxonomy, kind=MERGE, key=keys["C.2"], values={"into": keys["C.1"]}, by=None)
    repository = make_repository(study, "ember/engine")
    issues = [make_issue(repository, str(number), year=2024) for number in range(1, 7)]
    round_ = create_round(
        study=study,
        by=owner,
        name="Main round",
        version=version,
        depth=Level.THEME,
        issues=Issue.objects.filter(repository=repository).order_by("pk"),
        members=[members[name] for name in ("lead", "volunteer", "other volunteer")],
        seed=5,
    )
    round_ = open_round(round_=round_, by=owner)
    world = World(study, round_, version, issues, members)
    world.more.stranger = make_user("Stranger")
    lead = members["lead"].user
    lines = io.BytesIO(b"https://github.com/ember/engine/issues/99\n")
    world.more.run = receive_upload(study=study, by=lead, name="list.txt", stream=lines)
    table = io.BytesIO(b"Issue_URL,Label1,Final_Label\nhttps://github.com/ember/engine/issues/98,C.1,C.1\n")
    world.more.published = receive_published(study=study, by=lead, streams=[("engine/engine.csv", table)])
    assert world.more.published.job
    jobs.run(world.more.published.job.pk)
    world.more.harvest = plan_harvest(
        study=study, repositories=[RepositoryAsked("github", "github.com", "ember/engine")], opened_from=None,
        opened_before=None, zone="UTC", with_pull_requests=False, with_comments=True, lists=[], budget=None, by=lead,
    )  # fmt: skip
    world.more.forge_token = add_token(
        study=study, host="github.com", text="ghp_of_the_trust_world", name="of the lead", by=lead
    )
    SimilarPair.objects.create(study=study, first=issues[0], second=issues[1], likeness=0.9, is_across=False)
    world.more.job = Job.objects.create(kind="core.ping", created_by=lead)
    asked = {
        "round": round_.pk,
        "member": members["lead"].pk,
        "form": "html",
        "level": "theme",
        "language": "en",
    }
    world.more.report = Job.objects.create(kind=MAKING, created_by=lead, arguments=asked)
    world.more.package = ask_for_package(round_=round_, by=members["lead"])
    world.more.keyword_list = make_list(study, "Title", name="Terms", search=True).keyword_list
    world.more.saved = save_filter(study=study, name="Of 2024", query={"year": "2024"}, by=lead)
    world.more.kept = save_filter(
        study=study, name="Open", query={"state": "open"}, by=lead, page="disagreements"
    )
    world.more.link = make_sign_in_link(user=members["idle volunteer"].user)
    world.more.new_address = ask_for_address(user=members["idle volunteer"].user, email="new@example.org")
    world.more.invitation, world.more.token = invite(study=study, by=owner.user, role=Role.VOLUNTEER)
    for role, code in (("lead", "C.1"), ("volunteer", "C.1"), ("other volunteer", "C.2")):
        label(world, 1, role, code, HELD_BACK["card"] if role == "other volunteer" else "")
    make_rounds(world)
    make_meetings(world)
    world.more.interviews = make_interviews(world)
    world.more.finding = make_findings(world)
    make_protocols(world)
    world.more.motion = propose(world.version.taxonomy, members["lead"], code="A.2")
    about = category(version, "C")
    world.more.board = start_board(taxonomy=version.taxonomy, name="Board", about=about, by=owner)
    world.more.apart = start_board_from_mapping(
        taxonomy=version.taxonomy,
        name="Apart",
        rows=[SubTheme("", "Kind", ("Crash", "Hang", "Leak"))],
        by=owner,
        sorters=[members["volunteer"], members["other volunteer"]],
        with_piles=False,
    )
    world.more.frozen = freeze_report(round_=round_, by=owner, name="Submission")
    return world


def make_rounds(world: World) -> None:
    """The rounds beside the main one, and a sample."""
    lead, more = world.members["lead"], world.more
    labelling = [world.members[name] for name in ("lead", "volunteer", "other volunteer")]
    more.bulk = BulkDecision.objects.create(
        round=world.round, kind=BulkDecision.Kind.ALIKE, by=world.members["owner"], at=timezone.now()
    )
    more.sample = draw_sample(study=world.study, by=lead, name="Sample", frame=SampleFrame(), seed=5)
    more.screening = _round(
        world, "Screening", Round.Kind.SCREENING, world.issues[5:], [world.members["volunteer"]], opened=True
    )
    submit_label(
        round_=more.screening,
        issue=world.issues[5],
        member=world.members["volunteer"],
        given=label_input(category=category(world.version, "C.1"), summary="", unsure=False, form_key=None),
    )
    hidden = {"reveal": Round.Reveal.ROUND_CLOSED, "opened": True}
    more.voting = _round(world, "Voting", Round.Kind.SCREENING, world.issues, labelling, **hidden)
    more.pilot = _round(world, "Pilot", Round.Kind.PILOT, world.issues, labelling, **hidden)
    more.training = _round(
        world, "Training", Round.Kind.TRAINING, world.issues[1:4], labelling, opened=False, pass_mark=60
    )


def _round(
    world: World, name: str, kind: str, issues: list[Issue], members, *, opened: bool, **fields
) -> Round:
    screens = kind == Round.Kind.SCREENING
    made = create_round(
        study=world.study,
        by=world.members["owner"],
        name=name,
        kind=kind,
        version=world.version,
        depth=Level.TYPE if screens else Level.THEME,
        excludes=category(world.version, "C") if screens else None,
        issues=Issue.objects.filter(pk__in=[issue.pk for issue in issues]).order_by("pk"),
        members=members,
        seed=5,
        **fields,
    )
    return open_without_waiting(made, world.members["owner"]) if opened else made


def draft(world: World, number: int, role: str, code: str, summary: str):
    return save_draft(
        round_=world.round,
        issue=world.issues[number - 1],
        member=world.members[role],
        given=label_input(category=category(world.version, code), summary=summary, unsure=False, revision=0),
    )
