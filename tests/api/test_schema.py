"""Whatever is sent, each endpoint answers as its schema says, and never with a server error."""

from datetime import date

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from knox.models import AuthToken
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

from annotate.models import Sample
from boards.actions.boards import start_board_from_mapping
from boards.mapping import SubTheme
from consensus.actions.agendas import put_on_agenda
from consensus.actions.meetings import open_meeting, plan_meeting
from consensus.models import BulkDecision
from core import jobs
from findings.actions.evidence import attach_issue
from findings.actions.findings import add_finding
from findings.models import Finding
from harvests.actions import plan_harvest
from harvests.queries.forge_clients import RepositoryAsked
from ingest.models import Import
from interviews.actions.codings import open_coding
from interviews.actions.consents import publish_consent_text, record_consent
from interviews.actions.transcripts import import_transcript
from interviews.models import Coding
from interviews.queries.pseudonyms import Spoken
from reports.actions.frozen import freeze_report
from reports.actions.report_files import ask_for_report
from taxonomy.queries.codebooks import codebook
from tests.api.conftest import client_of
from tests.factories import make_guide, make_list, make_participant, make_session, make_transcript
from tests.interviews.coding import quote, reveal
from tests.long import sampled


@pytest.fixture
def schema(world):
    """The schema, as the application in this process serves it, with a token of the lead's."""
    for code, member in (("C.1", world.first), ("C.2", world.second)):
        body = {"issue": world.issues[0].pk, "category": code}
        client_of(member).post(f"/api/v1/rounds/{world.round.pk}/labels/", body, format="json")
    # As Django's own test client does: the connection holds the test's transaction.
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    _token, key = AuthToken.objects.create(world.first.user)
    headers = {"Authorization": f"Token {key}", "Accept": "application/json"}
    loaded = schemathesis.openapi.from_wsgi("/api/v1/schema/", WSGIHandler(), headers=headers)
    loaded.config.update(headers=headers)
    yield loaded
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance]


def of_interviews(world) -> dict[str, int]:
    """A participant with a consent and an interview, whose transcript waits to be pseudonymised."""
    ranks = {"is_ranking": True, "taxonomy": world.version.taxonomy, "level": 1}
    guide = make_guide(world.study, world.lead, ranks)
    participant = make_participant(world.study, world.lead)
    session = make_session(participant, world.lead, guide=guide)
    import_transcript(session=session, turns=[Spoken("A", "Yes.")], file_format="txt", by=world.lead)
    text = publish_consent_text(study=world.study, text="Yes.", by=world.lead)
    consent = record_consent(
        participant=participant, text=text, given_on=date(2025, 5, 6), permits=[], by=world.lead
    )
    return {
        "guide_id": guide.pk,
        "question_id": guide.parts.get().questions.get().pk,
        "participant_id": participant.pk,
        "session_id": session.pk,
        "coding_id": revealed_coding(world).pk,
        "consent_id": consent.pk,
        "audience_id": participant.audience_id,
    }


def revealed_coding(world) -> Coding:
    """A revealed coding with one quote, which is not settled."""
    session = make_session(make_participant(world.study, world.lead), world.lead)
    make_transcript(session, world.lead)
    coding = open_coding(
        session=session, version=world.version, coders=[world.first, world.lead], by=world.lead
    )
    code = codebook(world.version).states[0].code
    quote(coding, world.first, "memory", code, "an open code", memo="A memo.", strength=2)
    return reveal(coding)


def finding(world) -> Finding:
    """A finding with an issue as evidence."""
    made = add_finding(study=world.study, text="As in {1}.", by=world.lead)
    attach_issue(finding=made, issue=world.issues[0], round_=world.round, by=world.lead)
    return made


@pytest.mark.slow
def test_endpoints_answer_as_their_schema_says(schema, world):
    meeting = plan_meeting(round_=world.round, by=world.lead, name="First", chair=world.lead, quorum=1)
    open_meeting(meeting=meeting, by=world.lead)
    put_on_agenda(meeting=meeting, by=world.lead, issues=[world.issues[0].pk])
    sample = Sample.objects.create(study=world.study, name="Draw", seed=1, plan={}, created_by=world.lead)
    made = {"kind": "majority", "at_least": 2, "by": world.lead, "at": timezone.now()}
    bulk = BulkDecision.objects.create(round=world.round, **made)
    frozen = freeze_report(round_=world.round, by=None, name="Submission")
    board = start_board_from_mapping(
        taxonomy=world.version.taxonomy, name="Board", rows=[SubTheme("", "Kind", ("Crash",))], by=world.lead
    )
    file = ask_for_report(round_=world.round, by=world.first, form="html")
    jobs.run(file.pk)
    real = {
        "slug": world.study.slug,
        "round_id": world.round.pk,
        "issue_id": world.issues[0].pk,
        "taxonomy_id": world.version.taxonomy_id,
        "number": 1,
        "sample_id": sample.pk,
        "meeting_id": meeting.pk,
        "item_id": meeting.items.get().pk,
        "bulk_id": bulk.pk,
        "frozen_id": frozen.pk,
        "job_id": file.pk,
        "board_id": board.pk,
        "harvest_id": plan_harvest(
            study=world.study,
            repositories=[RepositoryAsked("github", "github.com", "ember/engine")],
            opened_from=None,
            opened_before=None,
            zone="UTC",
            with_pull_requests=False,
            with_comments=True,
            lists=[],
            budget=None,
            by=world.lead.user,
        ).pk,
        **of_interviews(world),
        "finding_id": finding(world).pk,
        "key": "reviewers",
        "item": "R11",
        "name": "method.md",
        "import_id": Import.objects.create(study=world.study, kind="issues", name="a.csv").pk,
        "list_id": make_list(world.study, "Title", search=True).keyword_list_id,
    }
    tried = set()
    for operation in (result.ok() for result in schema.get_all_operations()):

        @given(case=operation.as_strategy())
        @settings(max_examples=sampled(30, 2), suppress_health_check=list(HealthCheck), derandomize=True)
        def answers_as_it_says(case):
            # Addresses that exist; all else is made up.
            form = "svg" if "figure" in case.path else "jsonld"
            case.path_parameters.update(
                {name: (real | {"form": form})[name] for name in case.path_parameters}
            )
            case.call_and_validate(checks=CHECKS)

        answers_as_it_says()
        tried.add(operation.label)
    assert len(tried) >= 32
