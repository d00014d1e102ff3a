import json
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa

from agreement import Reason, SignKind
from annotate.actions.volunteers import raise_labels_per_issue
from annotate.models import Repeat
from consensus.models import Decision
from reports.agreement_report import agreement_report
from reports.formats.json_report import report_as_dict
from reports.queries.independence import suspicions
from reports.queries.repeats import Repeats
from reports.sections.pairwise import decision_table
from reports.sections.splits import splits
from reports.sections.volunteers import volunteers
from reports.sentences.paragraph import how_to_report
from rounds.models import Round, RoundIssue, RoundVolunteer
from taxonomy.models import Level
from tests import factories
from tests.kept import kept
from tests.worlds.labels import from_rows
from tests.worlds.pages import client, text_of
from tests.worlds.uneven import uneven as uneven_round
from tests.worlds.world import one_after_the_other, small_world

pytestmark = pytest.mark.django_db

CODES = "A A.1 A.2 C C.1 C.1.i C.2".split()
# Three volunteers: a row per issue with its repository, labels and decision.
ROWS = [
    ("ember/engine", "C.1 C.1 C.1", "C.1"),
    ("ember/engine", "C.1 C.2 C.1.i", "C.1"),
    ("ember/engine", "A.1 A.1 A.2", "A.1"),
    ("quill/lattice", "C.2 C.2 C.2", "C.2"),
    ("quill/lattice", "C.2 A.1 C.1", None),
]


@kept
def round_():
    study = factories.make_study(slug="engines")
    version = factories.make_version(study, CODES)
    members = [factories.make_member(study) for _ in range(3)]
    repositories = {
        path: factories.make_repository(study, path) for path in ("ember/engine", "quill/lattice")
    }
    issues = [factories.make_issue(repositories[path]) for path, _labels, _decided in ROWS] + [
        factories.make_issue(repositories["ember/engine"])
    ]
    made = factories.make_round(version, issues, members)
    for issue, (_path, labels, decided) in zip(issues, ROWS, strict=False):
        for member, code in zip(members, labels.split(), strict=True):
            factories.add_label(made, issue, member, code)
        if decided:
            decide(made, issue, decided, 1)
    factories.add_label(made, issues[-1], members[0], "C.1")
    return made


def decide(round_, issue, code, number):
    Decision.objects.filter(round=round_, issue=issue).update(superseded_at=timezone.now())
    Decision.objects.create(
        round=round_, issue=issue, number=number, category=factories.category(round_.version, code),
        version=round_.version, method="imported", decided_at=timezone.now(),
    )  # fmt: skip


def counts(*rows: str, codes: str) -> np.ndarray:
    return np.array([[row.split().count(code) for code in codes.split()] for row in rows])


def test_report_at_the_rounds_depth_counts_deeper_labels_as_their_themes(round_):
    found = agreement_report(round_)

    theme = counts(
        "C.1 C.1 C.1", "C.1 C.2 C.1", "A.1 A.1 A.2", "C.2 C.2 C.2", "C.2 A.1 C.1", codes="A.1 A.2 C.1 C.2"
    )
    assert found.level == Level.THEME
    assert (found.overall.issues, found.overall.raters, found.overall.labels) == (5, 3, 15)
    assert found.overall.coefficients["fleiss_kappa"].value == pytest.approx(fleiss_kappa(theme), abs=1e-14)
    assert [(kappa.code, kappa.labels) for kappa in found.overall.categories] == [
        ("A.1", 3), ("A.2", 1), ("C.1", 6), ("C.2", 5),
    ]  # fmt: skip
    assert found.overall.left_out == {"incomplete_issues": 1, "labels_of_incomplete_issues": 1}
    assert found.columns == ("R1", "R2", "R3")
    shares = {(pair.first, pair.second): pair.agreement for pair in found.overall.pairs}
    assert shares == {(0, 1): 3 / 5, (0, 2): 3 / 5, (1, 2): 2 / 5}
    types = counts("C C C", "C C C", "A A A", "C C C", "C A C", codes="A C")
    kappa = agreement_report(round_, level=Level.TYPE).overall.coefficients["fleiss_kappa"].value
    assert kappa == pytest.approx(fleiss_kappa(types), abs=1e-14)


def test_report_below_the_labels_leaves_them_out_and_says_so(round_):
    found = agreement_report(round_, level=Level.SUB_THEME)

    assert found.overall.labels == 1
    assert found.overall.left_out == {
        "incomplete_issues": 1,
        "labels_of_incomplete_issues": 1,
        "labels_above_the_level": 14,
    }
    assert found.overall.coefficients["fleiss_kappa"].value is None


def test_groups_are_of_the_decided_type_and_of_the_repository(round_):
    found = agreement_report(round_, by=[["type"], ["repository"], ["type", "repository"], ["category"]])

    assert [(group.key, group.agreement.issues) for group in found.groups] == [
        ({}, 5),
        ({"type": "A"}, 1),
        ({"type": "C"}, 3),
        ({"repository": "ember/engine"}, 3),
        ({"repository": "quill/lattice"}, 2),
        ({"type": "A", "repository": "ember/engine"}, 1),
        ({"type": "C", "repository": "ember/engine"}, 2),
        ({"type": "C", "repository": "quill/lattice"}, 1),
        ({"category": "A.1"}, 1),
        ({"category": "C.1"}, 2),
        ({"category": "C.2"}, 1),
    ]
    rows = counts("C.1 C.1 C.1", "C.1 C.2 C.1", "A.1 A.1 A.2", codes="A.1 A.2 C.1 C.2")
    engine = found.by("repository")[0].agreement
    assert engine.coefficients["fleiss_kappa"].value == pytest.approx(fleiss_kappa(rows), abs=1e-14)


def test_months_are_those_of_the_last_label_in_utc(round_):
    months = ["2026-01-31T23:59:59Z", "2026-02-01T00:00:00Z", "2026-02-28T12:00:00Z", "2025-12-01T00:00:00Z"]
    for place, moment in enumerate(months):
        RoundIssue.objects.filter(round=round_, position=place + 1).update(completed_at=moment)
    RoundIssue.objects.filter(round=round_, position=5).update(completed_at="2025-12-31T23:00:00Z")

    found = agreement_report(round_, by=[["month"]])

    assert [(group.key["month"], group.agreement.issues) for group in found.by("month")] == [
        ("2025-12", 2), ("2026-01", 1), ("2026-02", 2),
    ]  # fmt: skip
    february = counts("C.1 C.2 C.1", "A.1 A.1 A.2", codes="A.1 A.2 C.1 C.2")
    kappa = found.by("month")[2].agreement.coefficients["fleiss_kappa"].value
    assert kappa == pytest.approx(fleiss_kappa(february), abs=1e-14)


def test_splits_and_volunteers_are_counted_at_the_reports_level(round_):
    found = agreement_report(round_)

    # C.1 C.1 C.1 | C.1 C.2 C.1 | A.1 A.1 A.2 | C.2 C.2 C.2 | C.2 A.1 C.1
    assert [(split.sizes, split.issues) for split in splits(found)] == [
        ((3,), 2),
        ((2, 1), 2),
        ((1, 1, 1), 1),
    ]
    assert [(one.column, one.labels, one.alone, one.others_agree) for one in volunteers(found)] == [
        (0, 5, 0, 2), (1, 5, 1, 3), (2, 5, 1, 3),
    ]  # fmt: skip
    assert [(one.decision.issues, one.decision.agreement) for one in volunteers(found)] == [
        (4, 1.0), (4, 0.75), (4, 0.75),
    ]  # fmt: skip
    assert volunteers(found)[0].agreement.value == pytest.approx((1 + 0.5 + 0.5 + 1 + 0) / 5)
    others = counts("C.1 C.1", "C.2 C.1", "A.1 A.2", "C.2 C.2", "A.1 C.1", codes="A.1 A.2 C.1 C.2")
    without = volunteers(found)[0].without.value
    assert without == pytest.approx(fleiss_kappa(others), abs=1e-14)
    whole = found.overall.coefficients["fleiss_kappa"].value
    assert volunteers(found)[0].effect == pytest.approx(without - whole, abs=1e-14)
    assert decision_table(found).tolist() == [[2, 0, 0, 0], [1, 0, 0, 0], [0, 0, 5, 0], [0, 0, 1, 3]]
    types = agreement_report(round_, level=Level.TYPE)
    assert [(split.sizes, split.issues) for split in splits(types)] == [((3,), 4), ((2, 1), 1)]


def test_groups_of_decisions_say_how_many_issues_have_none(round_):
    by = [["type"], ["repository"], ["type", "repository"], ["category"], ["type", "category"]]
    found = agreement_report(round_, by=by)

    assert found.complete == 5
    assert (found.undecided("type"), found.undecided("category"), found.undecided("repository")) == (1, 1, 0)
    assert [(group.key, group.agreement.left_out) for group in found.by("type", "repository")] == [
        ({"type": "A", "repository": "ember/engine"}, {}),
        ({"type": "C", "repository": "ember/engine"}, {}),
        ({"type": "C", "repository": "quill/lattice"}, {"undecided_issues": 1}),
    ]
    assert {group.agreement.left_out["undecided_issues"] for group in found.by("type", "category")} == {1}


def test_a_decision_above_the_level_is_in_a_type_and_in_no_category(round_):
    found = agreement_report(round_, level=Level.SUB_THEME, by=[["type"], ["category"]])

    assert [group.agreement.left_out["undecided_issues"] for group in found.by("type")] == [1, 1]
    assert found.by("category") == ()
    old = Decision.objects.filter(category=factories.category(round_.version, "C.1")).order_by("issue_id")[1]
    decide(round_, old.issue, "C.1.i", 2)

    found = agreement_report(round_, level=Level.SUB_THEME, by=[["type"], ["category"]])
    assert [(group.key, group.agreement.left_out["undecided_issues"]) for group in found.by("category")] == [
        ({"category": "C.1.i"}, 4)
    ]


def test_columns_keep_the_rounds_order_when_members_joined_in_another():
    study = factories.make_study()
    version = factories.make_version(study, CODES)
    first, second, third = (factories.make_member(study) for _ in range(3))
    issues = [factories.make_issue(factories.make_repository(study)) for _ in range(4)]
    made = factories.make_round(version, issues, [third, first, second])
    for issue, labels in zip(
        issues, ("C.1 C.1 C.2", "C.2 C.2 C.2", "A.1 A.1 C.1", "C.1 C.1 C.1"), strict=True
    ):
        for member, code in zip((third, first, second), labels.split(), strict=True):
            factories.add_label(made, issue, member, code)

    found = agreement_report(made)

    assert found.columns == (third.pseudonym, first.pseudonym, second.pseudonym)
    assert [(pair.first, pair.second, pair.agreement) for pair in found.overall.pairs] == [
        (0, 1, 1.0), (0, 2, 0.5), (1, 2, 0.5),
    ]  # fmt: skip


def test_nothing_is_reported_before_the_round_reveals(round_):
    Round.objects.filter(pk=round_.pk).update(reveal=Round.Reveal.ROUND_CLOSED)
    round_.refresh_from_db()

    found = agreement_report(round_, by=[["type"], ["repository"]])

    assert [group.key for group in found.groups] == [{}]
    assert (found.overall.issues, found.overall.labels) == (0, 0)
    assert found.overall.coefficients["fleiss_kappa"].value is None


def test_a_superseded_decision_groups_nothing(round_):
    old = Decision.objects.filter(category=factories.category(round_.version, "A.1")).get()
    decide(round_, old.issue, "C.2", 2)

    assert [
        (group.key, group.agreement.issues) for group in agreement_report(round_, by=[["type"]]).groups[1:]
    ] == [({"type": "C"}, 4)]


def test_queries_do_not_grow_with_the_issues(round_, django_assert_num_queries):
    with django_assert_num_queries(11):
        agreement_report(round_, by=[["type"], ["repository"]])
    # While nothing changed, nothing is grouped again.
    with django_assert_num_queries(8):
        agreement_report(round_, by=[["type"], ["repository"]])


def run(**options) -> str:
    out = StringIO()
    call_command("agreement", stdout=out, **options)
    return out.getvalue()


def test_command_prints_tables(round_):
    kappa = agreement_report(round_).overall.coefficients["fleiss_kappa"]

    assert (
        f'all,5,3,15,fleiss_kappa,{kappa.value},{kappa.se},,,"{Reason.FEW_ISSUES.text}"'
        in run(study="engines", format="csv").splitlines()
    )
    assert f"| all | 5 | 3 | 15 | fleiss\\_kappa | {kappa.value:.3f} |" in run(
        study="engines", format="markdown"
    )
    line = f"All & 5 & 3 & 15 & Fleiss’ kappa & {kappa.value:.3f} &"
    assert line in run(study="engines", format="latex")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"study": "nothing"}, "'nothing' has no round"),
        ({"study": "engines", "round": "Pilot"}, "There is no round 'Pilot' in 'engines'"),
        ({"study": "engines", "by": ["moon"]}, "unknown grouping: moon"),
    ],
)
def test_command_says_what_is_wrong(round_, options, words):
    with pytest.raises(CommandError, match=words):
        run(**options)


# Rounds that changed while they were open


UNEVEN = ["C.1 C.1 C.2 -", "C.1 A.1 C.2 -", "A.1 A.1 - C.1", "A.1 A.2 - A.1", "C.2 C.2 - C.2", "C.2 C.1 - ?"]
"""The third volunteer left early, the fourth came late; the last label is open."""


@kept
def uneven():
    made = uneven_round(rows=[(row, None, "2026-01") for row in UNEVEN])
    RoundIssue.objects.filter(round=made).update(completed_at=timezone.now())
    return made


def test_unequal_numbers_of_labels_stand_in_the_columns_of_their_volunteers(uneven):
    found = agreement_report(uneven)

    codes = {code: place for place, code in enumerate("A.1 A.2 B.1 C.1 C.2".split())}
    expected = from_rows([[codes.get(code, -1) for code in row.split()] for row in UNEVEN], 5)
    assert found.numbers.patterns.codes.tolist() == expected.codes.tolist()
    assert found.columns == tuple(
        RoundVolunteer.objects.filter(round=uneven)
        .order_by("column")
        .values_list("member__pseudonym", flat=True)
    )
    assert (found.overall.issues, found.overall.raters, found.overall.labels) == (6, 4, 17)
    assert not found.overall.equal_labels
    assert found.overall.left_out == {"open_labels": 1}


def test_only_an_uneven_round_asks_whose_the_labels_are(uneven, round_):
    def asked(chosen):
        with CaptureQueriesContext(connection) as queries:
            agreement_report(chosen)
        return [query["sql"] for query in queries if "string_agg(labels" in query["sql"]]

    assert sum("c.whose" in sql for sql in asked(round_)) == 0
    assert sum("c.whose" in sql for sql in asked(uneven)) == 1


def test_a_k_of_n_round_whose_k_was_raised_counts_all_its_labels():
    world = small_world(issues=2, members=3)
    made = world.k_of_n(2)
    for member in world.members[:2]:
        world.submit(made, world.issues[0], member, "C.2")
    raise_labels_per_issue(round_=made, to=3, by=world.lead)
    for member, code in zip(world.members, ("C.2", "C.3", "C.2"), strict=True):
        world.submit(made, world.issues[1], member, code)
    made.refresh_from_db()
    found = agreement_report(made).overall
    assert (found.issues, found.labels, found.raters, found.equal_labels) == (2, 5, 3, False)
    assert found.coefficients["percent_agreement"].value == pytest.approx((1 + 1 / 3) / 2)


# The drift check


def _again(made, issue, member, code, **fields):
    fields.setdefault("submitted_at", timezone.now())
    chosen = factories.category(made.version, code) if code else None
    Repeat.objects.create(
        round=made, issue=issue, volunteer=member, due_at=timezone.now(), category=chosen, **fields
    )


def test_second_labels_are_compared_with_the_first_ones_over_revealed_issues(round_):
    issues = [place.issue for place in RoundIssue.objects.filter(round=round_).order_by("position")]
    members = [one.member for one in RoundVolunteer.objects.filter(round=round_).order_by("column")]
    assert agreement_report(round_).intra is None
    assert report_as_dict(agreement_report(round_))["intra_rater"] is None
    _again(round_, issues[0], members[0], "C.1.i")
    _again(round_, issues[2], members[0], "C.1")
    _again(round_, issues[3], members[1], "C.2")
    _again(round_, issues[4], members[1], None, submitted_at=None)
    _again(round_, issues[5], members[0], "C.2")
    found = agreement_report(round_).intra
    assert [(one.rater, one.issues, one.percent_agreement.value) for one in found.raters] == [
        (members[0].pseudonym, 2, 0.5),
        (members[1].pseudonym, 1, 1.0),
    ]
    assert (found.pooled.issues, found.pooled.percent_agreement.value) == (3, pytest.approx(2 / 3))
    square = np.array([[0, 1, 0], [0, 1, 0], [0, 0, 1]])
    assert found.pooled.cohen_kappa.value == pytest.approx(cohens_kappa(square).kappa, abs=1e-14)
    types = agreement_report(round_, level=Level.TYPE).intra
    assert types.pooled.percent_agreement.value == pytest.approx(2 / 3)
    below = agreement_report(round_, level=Level.SUB_THEME).intra
    assert (below.pooled.issues, below.left_out) == (0, {"labels_above_the_level": 3})
    Round.objects.filter(pk=round_.pk).update(closed_at=timezone.now())
    round_.refresh_from_db()
    assert agreement_report(round_).intra.pooled.issues == 4


def test_repeats_that_were_lost_are_said(round_):
    issues = [place.issue for place in RoundIssue.objects.filter(round=round_).order_by("position")]
    member = RoundVolunteer.objects.filter(round=round_).order_by("column")[0].member
    assert report_as_dict(agreement_report(round_))["drift_check"] is None
    Round.objects.filter(pk=round_.pk).update(drift_percent=20)
    round_.refresh_from_db()
    assert agreement_report(round_).repeats is None
    for issue in (issues[0], issues[2], issues[5]):  # the last issue is not complete
        _again(round_, issue, member, None, submitted_at=None)
    found = agreement_report(round_)
    said = (
        "Drift check: 2 issues were to come to their volunteers a second time. Labelled again: 0. Lost, because"
        " the labels of the issue were revealed first: 2."
    )
    assert (found.intra, found.repeats) == (None, Repeats(2, 0))
    assert report_as_dict(found)["drift_check"] == {"planned": 2, "labelled": 0, "lost": 2}
    assert said in how_to_report(found)
    assert said in text_of(client(member).get(reverse("agreement", args=[round_.pk])))
    Repeat.objects.filter(round=round_).update(
        submitted_at=timezone.now(),
        category=factories.category(round_.version, "C.1"),
        version=round_.version,
    )
    found = agreement_report(round_)
    assert found.repeats == Repeats(2, 2)
    assert "Drift check" not in how_to_report(found)  # it says how many issues came a second time


def test_the_drift_check_is_hidden_with_the_labels(round_):
    issue = RoundIssue.objects.filter(round=round_).order_by("position")[0].issue
    member = RoundVolunteer.objects.filter(round=round_).order_by("column")[0].member
    _again(round_, issue, member, "C.1")
    Round.objects.filter(pk=round_.pk).update(reveal="round_closed")
    round_.refresh_from_db()
    assert agreement_report(round_).intra is None


def test_command_takes_the_main_round_where_others_are_of_other_kinds(round_):
    world_rounds = {"kind": "training", "opened": False, "name": "Training"}
    members = [one.member for one in RoundVolunteer.objects.filter(round=round_)]
    issues = [place.issue for place in RoundIssue.objects.filter(round=round_)]
    factories.make_round(round_.version, issues, members, **world_rounds)
    assert json.loads(run(study="engines"))["round"] == round_.name
    factories.make_round(round_.version, issues, members, name="Second", opened=False)
    with pytest.raises(CommandError, match=r"several rounds. Choose one with --round: .*Second"):
        run(study="engines")


def test_signs_of_dependence_are_found_in_the_rounds_order_and_at_the_reports_level():
    """R3 has no dissent where R1 has twenty and then R2 twenty, each after the other."""
    world, round_ = one_after_the_other()
    positions = dict(RoundIssue.objects.filter(round=round_).values_list("position", "issue"))

    found = suspicions(agreement_report(round_))

    assert [(sign.kind, sign.raters) for sign, _issue in found] == [
        (SignKind.SAME_ROWS, ()), (SignKind.SAME_LABEL, (1,)), (SignKind.NEVER_ALONE, (2,)),
    ]  # fmt: skip
    (rows, first), (label, begin), (never, _no_run) = found
    assert (rows.issues, rows.observed, first) == (40, 20, positions[11])
    assert (label.observed, begin) == (30, positions[1])
    assert (never.part, never.issues, never.reference) == (world.repository.path, 10, 20)
    assert suspicions(agreement_report(round_, level=Level.TYPE)) == ()
    blind = RoundIssue.objects.filter(round=round_, position__gt=10)
    assert suspicions(agreement_report(round_, blind=blind)) == ()
