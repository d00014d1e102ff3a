import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotate.agreement import fleiss_kappa
from annotate.models import Decision, Round
from annotate.reports import LevelTooDeep, agreement_report
from taxonomy.models import Level
from tests.factories import (
    add_label,
    category,
    make_issue,
    make_member,
    make_repository,
    make_round,
    make_study,
    make_version,
)

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


@pytest.fixture
def round_():
    study = make_study(slug="engines")
    version = make_version(study, CODES)
    members = [make_member(study) for _ in range(3)]
    repositories = {path: make_repository(study, path) for path in ("ember/engine", "quill/lattice")}
    issues = [make_issue(repositories[path]) for path, _labels, _decided in ROWS] + [
        make_issue(repositories["ember/engine"])
    ]
    made = make_round(version, issues, members)
    for issue, (_path, labels, decided) in zip(issues, ROWS, strict=False):
        for member, code in zip(members, labels.split(), strict=True):
            add_label(made, issue, member, code)
        if decided:
            Decision.objects.create(
                round=made, issue=issue, category=category(version, decided), version=version, method="lead",
                rationale="because", decided_by=members[0], decided_at=timezone.now(),
            )  # fmt: skip
    add_label(made, issues[-1], members[0], "C.1")
    return made


def counts(*rows: str, codes: str) -> list[list[int]]:
    return [[row.split().count(code) for code in codes.split()] for row in rows]


def test_report_at_the_rounds_depth_counts_deeper_labels_as_their_themes(round_):
    found = agreement_report(round_)

    theme = counts(
        "C.1 C.1 C.1", "C.1 C.2 C.1", "A.1 A.1 A.2", "C.2 C.2 C.2", "C.2 A.1 C.1", codes="A.1 A.2 C.1 C.2"
    )
    assert found.level == Level.THEME
    assert (found.overall.issues, found.overall.raters, found.overall.labels) == (5, 3, 15)
    assert found.overall.coefficients["fleiss_kappa"].value == pytest.approx(fleiss_kappa(theme), abs=1e-15)
    assert [(kappa.code, kappa.labels) for kappa in found.overall.categories] == [
        ("A.1", 3), ("A.2", 1), ("C.1", 6), ("C.2", 5),
    ]  # fmt: skip
    assert found.overall.left_out == {"incomplete_issues": 1, "labels_of_incomplete_issues": 1}


def test_report_at_the_type_level(round_):
    found = agreement_report(round_, level=Level.TYPE)

    types = counts("C C C", "C C C", "A A A", "C C C", "C A C", codes="A C")
    assert found.overall.coefficients["fleiss_kappa"].value == pytest.approx(fleiss_kappa(types), abs=1e-15)


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
    assert engine.coefficients["fleiss_kappa"].value == pytest.approx(fleiss_kappa(rows), abs=1e-15)


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
    old = Decision.objects.filter(category=category(round_.version, "C.1")).order_by("issue_id")[1]
    Decision.objects.filter(pk=old.pk).update(superseded_at=timezone.now())
    Decision.objects.create(
        round=round_, issue=old.issue, number=2, category=category(round_.version, "C.1.i"),
        version=round_.version, method="lead", rationale="because", decided_by=old.decided_by,
        decided_at=timezone.now(),
    )  # fmt: skip

    found = agreement_report(round_, level=Level.SUB_THEME, by=[["type"], ["category"]])
    assert [(group.key, group.agreement.left_out["undecided_issues"]) for group in found.by("category")] == [
        ({"category": "C.1.i"}, 4)
    ]


def test_pairs_are_of_the_volunteers_in_the_rounds_order(round_):
    found = agreement_report(round_)

    assert found.columns == ("R1", "R2", "R3")
    shares = {(pair.first, pair.second): pair.agreement for pair in found.overall.pairs}
    assert shares == {(0, 1): 3 / 5, (0, 2): 3 / 5, (1, 2): 2 / 5}


def test_columns_keep_the_rounds_order_when_members_joined_in_another():
    study = make_study()
    version = make_version(study, CODES)
    first, second, third = (make_member(study) for _ in range(3))
    issues = [make_issue(make_repository(study)) for _ in range(4)]
    made = make_round(version, issues, [third, first, second])
    for issue, labels in zip(
        issues, ("C.1 C.1 C.2", "C.2 C.2 C.2", "A.1 A.1 C.1", "C.1 C.1 C.1"), strict=True
    ):
        for member, code in zip((third, first, second), labels.split(), strict=True):
            add_label(made, issue, member, code)

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
    old = Decision.objects.filter(category=category(round_.version, "A.1")).get()
    Decision.objects.filter(pk=old.pk).update(superseded_at=timezone.now())
    Decision.objects.create(
        round=round_, issue=old.issue, number=2, category=category(round_.version, "C.2"), version=round_.version,
        method="lead", rationale="because", decided_by=old.decided_by, decided_at=timezone.now(),
    )  # fmt: skip

    assert [
        (group.key, group.agreement.issues) for group in agreement_report(round_, by=[["type"]]).groups[1:]
    ] == [({"type": "C"}, 4)]


def test_a_level_that_the_taxonomy_lacks_is_refused():
    study = make_study()
    made = make_round(make_version(study, ["A", "A.1", "C", "C.1"]), [], [make_member(study)])

    with pytest.raises(LevelTooDeep):
        agreement_report(made, level=Level.SUB_THEME)


def test_queries_do_not_grow_with_the_issues(round_, django_assert_num_queries):
    with django_assert_num_queries(8):
        agreement_report(round_, by=[["type"], ["repository"]])


def run(**options) -> str:
    out = StringIO()
    call_command("agreement", stdout=out, **options)
    return out.getvalue()


def test_command_prints_the_reports_json(round_):
    printed = json.loads(run(study="engines", by=["type,repository"]))

    expected = agreement_report(round_, by=[["type", "repository"]]).as_dict()
    assert printed.pop("as_of")
    expected.pop("as_of")
    assert printed == json.loads(json.dumps(expected))
    assert set(printed) == {"study", "round", "level", "groups"}
    assert (printed["study"], printed["level"]) == ("engines", "theme")
    assert set(printed["groups"][0]) == {
        "group", "issues", "raters", "labels", "left_out", "coefficients", "categories",
    }  # fmt: skip
    assert set(printed["groups"][0]["coefficients"]) == {
        "percent_agreement", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "brennan_prediger", "light_kappa",
    }  # fmt: skip


def test_command_prints_tables(round_):
    kappa = agreement_report(round_).overall.coefficients["fleiss_kappa"]

    assert (
        f"all,5,3,15,fleiss_kappa,{kappa.value},{kappa.se},{kappa.low},{kappa.high},"
        in run(study="engines", format="csv").splitlines()
    )
    assert f"| all | 5 | 3 | 15 | fleiss_kappa | {kappa.value:.3f} |" in run(
        study="engines", format="markdown"
    )
    assert rf"all & 5 & 3 & 15 & fleiss\_kappa & {kappa.value:.3f} &" in run(study="engines", format="latex")


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


def test_raters_of_a_round_of_some_are_those_who_labelled_a_complete_issue():
    study = make_study()
    version = make_version(study, CODES)
    members = [make_member(study) for _ in range(5)]
    issues = [make_issue(make_repository(study)) for _ in range(3)]
    made = make_round(version, issues, members, allocation="k_of_n", labels_per_issue=2)
    for issue, (first, second) in zip(issues, ((0, 1), (1, 2), (3, None)), strict=True):
        add_label(made, issue, members[first], "C.1")
        if second is not None:
            add_label(made, issue, members[second], "C.2")

    found = agreement_report(made)

    assert (found.overall.raters, found.overall.issues, found.columns) == (3, 2, ())
