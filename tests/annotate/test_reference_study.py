"""The published labels of the reference study at full size: in, counted, and out again; its package computed anew;
all splits of 4 : 3 and better decided at one stroke, and taken back as if nothing had been.
"""

import filecmp
import hashlib
from collections.abc import Iterator
from io import BytesIO, StringIO
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.utils import timezone
from statsmodels.stats.inter_rater import aggregate_raters
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_kappa

from annotate.actions.agendas import put_found_on_agenda, take_off_agenda
from annotate.actions.bulk import decide_majority, take_back
from annotate.models import AgendaItem, Assignment, Decision, Disagreement, Label, Meeting, Round, RoundIssue
from annotate.queries.bulk import forecast
from annotate.queries.disagreements import disagreement_counts
from annotate.queries.final_labels import final_label_changes
from annotate.queries.narrowing import Narrowing
from annotate.reports import agreement_report
from ingest.models import ImportRow, Issue
from studies.models import Role
from tests import factories
from tests.annotate.recomputed import summary

pytestmark = [pytest.mark.slow, pytest.mark.django_db, pytest.mark.usefixtures("imported")]

REPEATED = {
    "mindspore/mindspore.csv": [1772],
    "pytorch/pytorch.csv": [111, 596, 1023, 1094, 2560],
}


@pytest.fixture(scope="module")
def imported(django_db_setup, django_db_blocker, published) -> Iterator[str]:
    """What the command said when it imported the study, in a transaction around all tests of this file."""
    out = StringIO()
    with django_db_blocker.unblock(), transaction.atomic():
        call_command("import_study", str(published), study="reference", stdout=out)
        # Checked here once: what is deferred would be checked anew after each test.
        connection.check_constraints()
        yield out.getvalue()
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def exported(imported, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("exported")
    call_command("export_study", study="reference", to=str(folder))
    return folder


def test_published_labels_come_in_count_and_go_out_again(published, imported, exported):
    assert (Issue.objects.count(), Label.objects.count(), Assignment.objects.count()) == (
        25_784,
        180_488,
        180_488,
    )
    assert (Decision.objects.count(), RoundIssue.objects.exclude(completed_at=None).count()) == (
        25_784,
        25_784,
    )
    reported = ImportRow.objects.order_by("pk")
    assert [(row.file, row.line) for row in reported] == [
        (name, line) for name, lines in REPEATED.items() for line in lines
    ]
    for row in reported:
        assert f"{row.file}, line {row.line}: {row.message}" in imported

    files = [path.relative_to(published) for path in published.glob("*/*.*")]
    same, differ, missing = filecmp.cmpfiles(published, exported, map(str, files), shallow=False)
    assert (sorted(differ), missing, len(same)) == (sorted(REPEATED), [], len(files) - len(REPEATED))
    for name, lines in REPEATED.items():
        given = (published / name).read_bytes().splitlines(keepends=True)
        kept = [text for number, text in enumerate(given, start=1) if number not in lines]
        assert (exported / name).read_bytes() == b"".join(kept)
    assert (exported / "taxonomy.csv").read_bytes() == (published / "taxonomy.csv").read_bytes()

    round_ = Round.objects.get()
    found = agreement_report(round_, by=[["repository"], ["repository", "type"]])
    kappa = {
        group.key["repository"]: group.agreement.coefficients["fleiss_kappa"].value
        for group in found.by("repository")
    }
    assert {
        path: round(value, 4)
        for path, value in kappa.items()
        if "torch" not in path and "mindspore" not in path
    } == {
        "hpcaitech/ColossalAI": 0.7127,
        "NVIDIA/Megatron-LM": 0.8262,
        "ascend/MindSpeed": 0.5673,
        "vllm-project/vllm": 0.7897,
    }
    _equals_statsmodels(round_, found)


def _equals_statsmodels(round_, found):
    """Every group's kappa is that of statsmodels on the same labels read row by row."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT r.path, t.code, array_agg(s.code ORDER BY v."column")
            FROM annotate_label l
            JOIN annotate_roundvolunteer v ON v.round_id = l.round_id AND v.member_id = l.volunteer_id
            JOIN taxonomy_categorystate s ON s.category_id = l.category_id
            JOIN ingest_issue i ON i.id = l.issue_id
            JOIN ingest_repository r ON r.id = i.repository_id
            JOIN annotate_decision d ON d.round_id = l.round_id AND d.issue_id = l.issue_id
            JOIN taxonomy_categorystate ds ON ds.category_id = d.category_id
            JOIN taxonomy_categorystate t ON t.category_id = ds.parent_id
            WHERE l.round_id = %s GROUP BY l.issue_id, r.path, t.code
            """,
            [round_.pk],
        )
        rows = cursor.fetchall()
    compared = 0
    for group in found.groups[1:]:
        labels = [
            codes
            for path, type_, codes in rows
            if path == group.key["repository"] and group.key.get("type", type_) == type_
        ]
        ours = group.agreement.coefficients["fleiss_kappa"].value
        table, _codes = aggregate_raters(np.array(labels))
        if ours is None:
            assert len(labels) < 2 or table.shape[1] == 1
            continue
        assert ours == pytest.approx(statsmodels_kappa(table), abs=1e-12)
        compared += 1
    assert compared >= 20


def test_every_number_of_the_package_is_recomputed(exported):
    numbers, wrong, skipped = summary(exported)

    assert (wrong, skipped) == (0, 0)
    assert numbers > 2000


def _labels() -> str:
    """What the table of labels holds, byte for byte."""
    copied = BytesIO()
    with connection.cursor() as cursor:
        cursor.copy_expert("COPY (SELECT * FROM annotate_label ORDER BY id) TO STDOUT", copied)
    return hashlib.sha256(copied.getvalue()).hexdigest()


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
    assert {group.sizes[0] >= 4 for group in foreseen.decided} == {True}
    assert not [group for group in foreseen.left if group.sizes[0] >= 4]
    assert foreseen.total + foreseen.total_left == before.open
    bulk = decide_majority(round_=round_, by=lead, at_least=4, narrowing=Narrowing())
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT count(*) FROM annotate_decision d
            JOIN annotate_disagreement g ON g.round_id = d.round_id AND g.issue_id = d.issue_id
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
