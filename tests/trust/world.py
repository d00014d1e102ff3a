"""A study with everything in it, made through the real actions: what the trust tests look at."""

import io
from dataclasses import dataclass, field
from types import SimpleNamespace

from django.conf import settings
from django.test import Client
from rest_framework.test import APIClient

from accounts.actions import make_sign_in_link
from annotate.actions.labels import save_draft, submit_label
from annotate.actions.rounds import create_round, open_round
from core.models import Job
from ingest.actions.uploads import receive_upload
from ingest.models import Issue
from studies.actions.invitations import invite
from studies.actions.people import end_membership
from studies.models import Membership, Role
from taxonomy.models import Level
from tests.factories import (
    category,
    make_issue,
    make_member,
    make_repository,
    make_study,
    make_user,
    make_version,
)

CANARIES = {
    "summary": "canarysummaryquetzal",
    "draft": "canarydraftibis",
    "skip": "canaryskipshoebill",
    "proposed name": "canarynamehoopoe",
    "proposed reason": "canaryreasonkiwi",
}


@dataclass
class World:
    """The study `engines`: issues 1 to 6 in an open round of the lead and three volunteers.

    Issue 1 is complete and a disagreement. Issues 2 to 5 are labelled by some. `other` is another study.
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
        category=category(world.version, code),
        summary=summary,
        unsure=unsure,
        form_key=None,
    )


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
    world.more.job = Job.objects.create(kind="core.ping", created_by=lead)
    world.more.link = make_sign_in_link(user=members["idle volunteer"].user)
    world.more.invitation, world.more.token = invite(study=study, by=owner.user, role=Role.VOLUNTEER)
    for role, code in (("lead", "C.1"), ("volunteer", "C.1"), ("other volunteer", "C.2")):
        label(world, 1, role, code)
    return world


def draft(world: World, number: int, role: str, code: str, summary: str):
    return save_draft(
        round_=world.round,
        issue=world.issues[number - 1],
        member=world.members[role],
        category=category(world.version, code),
        summary=summary,
        unsure=False,
        seen_revision=0,
    )
