"""One small study to label in."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from uuid import uuid4

from django.db import transaction
from django.utils import timezone

from annotate.actions.label_drafts import save_draft
from annotate.actions.labels import SubmittedLabel, change_label, submit_label
from annotate.actions.rounds import create_round
from annotate.models import Draft
from consensus.actions.decisions import settle_issue
from consensus.models import Decision
from ingest.models import Issue, Repository
from rounds.models import Assignment, Label, Round
from rounds.queries.rounds import rounds_for
from studies.models import Membership, Role, Study
from taxonomy.models import Category, Level, Version
from tests import factories
from tests.worlds.opening import open_without_waiting


@dataclass
class World:
    study: Study
    version: Version
    repository: Repository
    issues: list[Issue]
    lead: Membership
    members: list[Membership]

    def round(self, *, opened: bool = True, **fields) -> Round:
        """A round over all issues, planned and opened through the actions."""
        fields.setdefault("name", f"Round {self.study.rounds.count() + 1}")
        fields.setdefault("depth", Level.THEME)
        fields.setdefault("issues", Issue.objects.filter(repository__study=self.study).order_by("pk"))
        fields.setdefault("members", self.members)
        fields.setdefault("version", self.version)
        made = create_round(study=self.study, by=self.lead, **fields)
        if opened:
            open_without_waiting(made, self.lead)
        return rounds_for(self.lead.user).get(pk=made.pk)

    def k_of_n(self, k: int, **fields) -> Round:
        return self.round(allocation=Round.Allocation.K_OF_N, labels_per_issue=k, **fields)

    def waits_for(self, member: Membership, *issues: Issue) -> Round:
        """Another open round, in which this member still has to label these issues."""
        chosen = Issue.objects.filter(pk__in=[issue.pk for issue in issues]).order_by("pk")
        return self.round(members=[member], issues=chosen)

    def category(self, code: str) -> Category:
        return factories.category(self.version, code)

    def change(
        self, round_: Round, issue: Issue, member: Membership, code: str | None, summary: str = "", **fields
    ) -> Label:
        """Change a label through the action."""
        category = self.category(code) if code else None
        given = factories.label_input(category=category, summary=summary, **fields)
        return change_label(round_=round_, issue=issue, member=member, given=given)

    def draft(
        self,
        round_: Round,
        issue: Issue,
        member: Membership,
        code: str | None = None,
        summary: str = "",
        revision: int = 0,
        **fields,
    ) -> Draft:
        """Save a draft through the action; the form knew the draft of this revision."""
        category = self.category(code) if code else None
        given = factories.label_input(category=category, summary=summary, revision=revision, **fields)
        return save_draft(round_=round_, issue=issue, member=member, given=given)

    def submit(self, round_: Round, issue: Issue, member: Membership, code: str, **fields) -> SubmittedLabel:
        """Submit through the action; a slot of a k-of-n round is given to the member first if one is free.

        The code "?Farm" proposes a category of that name.
        """
        fields = {"summary": "", "unsure": False, "form_key": uuid4()} | fields
        if code.startswith("?"):
            fields |= {"proposed_name": code[1:], "proposed_reason": "Nothing fits."}
        if round_.allocation == Round.Allocation.K_OF_N:
            own = Assignment.objects.filter(round=round_, issue=issue)
            free = own.filter(volunteer=None).first()
            if free and not own.filter(volunteer=member).exists():
                Assignment.objects.filter(pk=free.pk).update(volunteer=member)
        return submit_label(
            round_=round_,
            issue=issue,
            member=member,
            given=factories.label_input(
                category=None if code.startswith("?") else self.category(code), **fields
            ),
        )

    def expire(self, round_: Round, member: Membership) -> None:
        """End the leases of the slots that the member has not submitted."""
        held = Assignment.objects.filter(round=round_, volunteer=member, submitted_at=None)
        held.update(lease_until=timezone.now() - timedelta(seconds=1))

    def settle(
        self,
        round_: Round,
        issue: Issue,
        code: str,
        *,
        rationale: str = "Said by the lead.",
        cause: str = "",
        by: Membership | None = None,
        seen: int = 0,
    ) -> Decision:
        """A decision of the lead, or of another member, who has seen the decision of this number."""
        return settle_issue(
            round_=round_,
            issue=issue,
            by=by or self.lead,
            category=self.category(code),
            rationale=rationale,
            cause=cause,
            seen_number=seen,
        )


def small_world(issues: int = 3, members: int = 3) -> World:
    study = factories.make_study()
    repository = factories.make_repository(study)
    return World(
        study=study,
        version=factories.make_version(study),
        repository=repository,
        issues=factories.make_issues(repository, issues),
        lead=factories.make_member(study, Role.LEAD, pseudonym="Lead"),
        members=[factories.make_member(study, pseudonym=f"R{number}") for number in range(1, members + 1)],
    )


@contextmanager
def undone() -> Iterator[None]:
    """Whatever is written inside is taken back at the end, so that the same moment can be lived twice."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def one_after_the_other() -> tuple[World, Round]:
    """Fifty issues in their order: three volunteers agree on ten, then R1 differs on twenty, then R2 on twenty."""
    world = small_world(issues=50, members=3)
    round_ = world.round()
    order = round_.round_issues.order_by("position").values_list("issue", flat=True)
    issues = {issue.pk: issue for issue in world.issues}
    for place, issue in enumerate(order):
        odd = (None, 0, 0, 1, 1)[place // 10]
        for column, member in enumerate(world.members):
            world.submit(round_, issues[issue], member, "C.2" if column == odd else "C.1")
    return world, round_
