"""Rows to test with: a file per room, plain functions with sensible defaults."""

from tests.factories.accounts import make_user
from tests.factories.annotate import add_label, label_input, make_round
from tests.factories.consensus import make_meeting
from tests.factories.ingest import make_issue, make_issues, make_list, make_repository
from tests.factories.interviews import (
    make_audience,
    make_guide,
    make_participant,
    make_session,
    make_transcript,
)
from tests.factories.studies import make_member, make_study
from tests.factories.taxonomy import category, edit, make_version, propose

__all__ = [
    "add_label",
    "category",
    "edit",
    "label_input",
    "make_audience",
    "make_guide",
    "make_issue",
    "make_issues",
    "make_list",
    "make_meeting",
    "make_member",
    "make_participant",
    "make_repository",
    "make_round",
    "make_session",
    "make_study",
    "make_transcript",
    "make_user",
    "make_version",
    "propose",
]
