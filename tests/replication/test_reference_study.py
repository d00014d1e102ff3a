"""The published labels of the reference study: in, counted, and out again; its package computed anew; all splits of
4 : 3 and better decided at one stroke, and taken back as if nothing had been.

A long run takes all of its repositories, `make test` three of them.
"""

import filecmp
import hashlib
import shutil
from collections.abc import Iterator
from io import BytesIO, StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.utils import timezone

from consensus.actions.agendas import put_found_on_agenda, take_off_agenda
from consensus.actions.bulk import decide_majority, take_back
from consensus.models import AgendaItem, Decision, Disagreement, Meeting
from consensus.queries.bulk import forecast
from consensus.queries.disagreement_filters import Narrowing
from consensus.queries.disagreements import disagreement_counts
from ingest.models import ImportRow, Issue
from reports.agreement_report import agreement_report
from reports.queries.final_labels import final_label_changes
from reports.sentences.paragraph import how_to_report
from rounds.models import Assignment, Label, Round, RoundIssue
from studies.models import Role
from tests import factories
from tests.long import LONG, only_long
from tests.worlds.recomputed import summary

pytestmark = [pytest.mark.slow, pytest.mark.django_db, pytest.mark.usefixtures("imported")]

SOME = ("Megatron-LM", "MindSpeed", "mindspore")
REPEATED = {"mindspore/mindspore.csv": [1772]}
ISSUES = 4_207
if LONG:
    REPEATED["pytorch/pytorch.csv"] = [111, 596, 1023, 1094, 2560]
    ISSUES = 25_784


@pytest.fixture(scope="module")
def given(published, tmp_path_factory) -> Path:
    """The folder to import."""
    if LONG:
        return published
    folder = tmp_path_factory.mktemp("given")
    for name in SOME:
        shutil.copytree(published / name, folder / name)
    shutil.copy(published / "taxonomy.csv", folder)
    return folder


@pytest.fixture(scope="module")
def imported(django_db_setup, django_db_blocker, given) -> Iterator[str]:
    """What the command said when it imported the study, in a transaction around all tests of this file."""
    out = StringIO()
    with django_db_blocker.unblock(), transaction.atomic():
        call_command("import_study", str(given), study="reference", stdout=out)
        # Checked here once: what is deferred would be checked anew after each test.
        connection.check_constraints()
        yield out.getvalue()
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def exported(imported, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("exported")
    call_command("export_study", study="reference", to=str(folder))
    return folder


def test_published_labels_come_in_count_and_go_out_again(given, imported, exported):
    assert (Issue.objects.count(), Label.objects.count(), Assignment.objects.count()) == (
        ISSUES,
        7 * ISSUES,
        7 * ISSUES,
    )
    assert (Decision.objects.count(), RoundIssue.objects.exclude(completed_at=None).count()) == (
        ISSUES,
        ISSUES,
    )
    reported = ImportRow.objects.order_by("pk")
    assert [(row.file, row.line) for row in reported] == [
        (name, line) for name, lines in REPEATED.items() for line in lines
    ]
    for row in reported:
        assert f"{row.file}, line {row.line}: {row.message}" in imported

    files = [path.relative_to(given) for path in given.glob("*/*.*")]
    same, differ, missing = filecmp.cmpfiles(given, exported, map(str, files), shallow=False)
    assert (sorted(differ), missing, len(same)) == (sorted(REPEATED), [], len(files) - len(REPEATED))
    for name, lines in REPEATED.items():
        lines_given = (given / name).read_bytes().splitlines(keepends=True)
        kept = [text for number, text in enumerate(lines_given, start=1) if number not in lines]
        assert (exported / name).read_bytes() == b"".join(kept)
    assert (exported / "taxonomy.csv").read_bytes() == (given / "taxonomy.csv").read_bytes()


@pytest.mark.usefixtures("imported")
def test_the_paragraph_claims_no_independence_and_explains_its_kappas():
    """All eleven repositories give 0.717, 0.755 and 0.757 by type, 0.762 together, and 0.963 of types alone."""
    report = agreement_report(Round.objects.get(), by=[["type"]])
    said = how_to_report(report)
    kappa = report.overall.coefficients["fleiss_kappa"].value
    types = {
        group.key["type"]: group.agreement.coefficients["fleiss_kappa"].value for group in report.by("type")
    }
    assert "independently" not in said
    assert "without seeing" not in said
    assert "Their independence was not observed: the labels were imported. A search found" in said
    assert all(f"κ = {value:.3f} [" in said for value in types.values())
    assert (
        f"All issues together give κ = {kappa:.3f}. Distinguishing the types counts there too, and on this"
        " volunteers agree more: κ of types alone is 0.96" in said
    )
    assert "All imported issues are labelled, and Crosscheck knows of no sample." in said


@only_long
def test_every_number_of_the_package_is_recomputed(exported):
    numbers, wrong, skipped = summary(exported)

    assert (wrong, skipped) == (0, 0)
    assert numbers > 2000


def _labels() -> str:
    """What the table of labels holds, byte for byte."""
    copied = BytesIO()
    with connection.cursor() as cursor:
        cursor.copy_expert("COPY (SELECT * FROM rounds_label ORDER BY id) TO STDOUT", copied)
    return hashlib.sha256(copied.getvalue()).hexdigest()


@only_long
def test_a_majority_of_the_published_study_and_back():
    round_ = Round.objects.get()
    lead = factories.make_member(round_.study, Role.LEAD, pseudonym="Lead")
    differ = Disagreement.objects.filter(round=round_)
    # The files came with final labels; here the disagreements wait, as before the meetings.
    Decision.objects.filter(issue__in=differ.values("issue")).update(superseded_at=timezone.now())
    began = timezone.now()
    before, labels = disagreement_counts(round_, lead), _labels()
    assert (before.open, before.agenda, before.decided) == (differ.count(), 0, 0)

    foreseen = forecast(round_, lead, 4, Narrowing())
    assert {sizes[0] >= 4 for sizes in foreseen.decided} == {True}
    assert not [sizes for sizes in foreseen.left if sizes[0] >= 4]
    assert foreseen.total + foreseen.total_left == before.open
    bulk = decide_majority(round_=round_, by=lead, at_least=4, narrowing=Narrowing())
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT count(*) FROM consensus_decision d
            JOIN consensus_disagreement g ON g.round_id = d.round_id AND g.issue_id = d.issue_id
            WHERE d.bulk_id = %s AND d.method = 'majority' AND d.superseded_at IS NULL
              AND d.category_id = g.chosen[1] AND g.votes[1] >= 4
            """,
            [bulk.pk],
        )
        assert cursor.fetchone() == (foreseen.total,)
    assert disagreement_counts(round_, lead).decided == foreseen.total
    assert final_label_changes(round_, lead, began).counts == {
        "changed": 0, "reopened": 0, "new": foreseen.total,
    }  # fmt: skip

    assert take_back(bulk=bulk, by=lead) == foreseen.total
    assert _labels() == labels
    assert disagreement_counts(round_, lead) == before
    made = bulk.decisions.all()
    assert (made.count(), made.filter(superseded_at=None).count()) == (foreseen.total, 0)
    assert not Decision.objects.filter(
        round=round_, superseded_at=None, issue__in=differ.values("issue")
    ).exists()
    assert final_label_changes(round_, lead, began).count == 0

    meeting = Meeting.objects.create(round=round_, name="All", chair=lead, created_by=lead, quorum=1)
    assert put_found_on_agenda(meeting=meeting, by=lead, narrowing=Narrowing()) == before.open
    assert forecast(round_, lead, 4, Narrowing()).agenda == before.open
    take_off_agenda(item=AgendaItem.objects.order_by("pk")[0], by=lead)
    assert disagreement_counts(round_, lead).agenda == before.open - 1
