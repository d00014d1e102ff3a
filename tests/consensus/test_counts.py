"""How often categories were chosen, as far as it is revealed, and not a bit further."""

import pytest
from django.urls import reverse
from django.utils import timezone

from consensus.models import Decision
from consensus.queries.category_counts import (
    LabelCount,
    chosen_alone,
    chosen_by_version,
    chosen_in,
    label_counts,
    labels_alone,
)
from ingest.models import Issue
from rounds.models import Label, Round, RoundVolunteer
from taxonomy.actions import act, publish
from taxonomy.queries.codebooks import codebook
from tests.factories import (
    add_label,
    category,
    make_issues,
    make_member,
    make_repository,
    make_round,
    make_study,
    make_version,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return make_study()


@pytest.fixture
def version(study):
    return make_version(study)


@pytest.fixture
def members(study):
    return [make_member(study) for _ in range(2)]


def labelled(version, members, *rows: str, **fields) -> tuple[Round, list[Issue]]:
    """A round over new issues: a row of codes per issue, a code per member; a shorter row leaves labels out."""
    issues = make_issues(make_repository(version.taxonomy.study), len(rows))
    round_ = make_round(version, issues, members, **fields)
    for issue, row in zip(issues, rows, strict=True):
        for member, code in zip(members, row.split(), strict=False):
            add_label(round_, issue, member, code)
    return round_, issues


def by_code(version, reader=None) -> dict[str, tuple[int, int]]:
    """Labels and decisions by code, where there are any."""
    counts, book = label_counts(version, reader), codebook(version)
    assert labels_alone(version, reader) == {id_: count.labels for id_, count in counts.items()}
    whole, alone = chosen_in(version, reader), chosen_alone(version, reader)
    assert alone == (whole and (whole.labels, whole.decisions, whole.withheld))
    return {
        state.code: (count.labels, count.decisions)
        for state in book.states
        if (count := counts.get(state.category_id, LabelCount())) != LabelCount()
    }


def test_counts_complete_issues_up_the_tree(version, members) -> None:
    round_, issues = labelled(version, members, "A.1.i A.1", "C.9")
    Decision.objects.create(
        round=round_,
        issue=issues[0],
        category=category(version, "A.1"),
        version=version,
        method="majority",
        decided_by=members[0],
        decided_at=timezone.now(),
    )

    assert by_code(version) == {"A": (2, 1), "A.1": (2, 1), "A.1.i": (1, 0)}


def test_before_reveal_nothing_depends_on_a_label(client, study, version, members) -> None:
    """Until the round closes, the page of the taxonomy is the same whatever others label."""
    round_, issues = labelled(version, members, "", "", reveal=Round.Reveal.ROUND_CLOSED)
    lead = make_member(study, "owner")
    client.force_login(lead.user)
    address = reverse("taxonomy", args=[version.taxonomy.pk]) + "?version=1&category=C.9"
    client.get(address)

    def seen() -> str:
        # The token against forged forms is new in every answer.
        lines = client.get(address).content.decode().splitlines()
        return "\n".join(line for line in lines if "csrf" not in line.lower())

    before = seen()
    for member in members:
        add_label(round_, issues[0], member, "C.9")
    assert seen() == before
    assert by_code(version) == {}

    Round.objects.filter(pk=round_.pk).update(closed_at=timezone.now())
    assert seen() != before
    assert by_code(version) == {"C": (2, 0), "C.9": (2, 0)}


def test_an_incomplete_issue_is_not_counted(version, members) -> None:
    round_, (issue,) = labelled(version, members, "C.9")
    assert by_code(version) == {}

    add_label(round_, issue, members[1], "C.9")
    assert by_code(version) == {"C": (2, 0), "C.9": (2, 0)}


def test_rounds_of_this_taxonomy_are_added_up_and_others_left_out(study, version, members) -> None:
    other = make_version(study)
    for used, row in ((version, "B.1 B.1"), (version, "B.2 B.2"), (other, "B.1 B.1")):
        labelled(used, members, row)

    assert by_code(version) == {"B": (4, 0), "B.1": (2, 0), "B.2": (2, 0)}
    assert by_code(other) == {"B": (2, 0), "B.1": (2, 0)}


def test_surplus_labels_are_left_out(study, version, members) -> None:
    round_, (issue,) = labelled(version, members, "B.1 B.1")
    Round.objects.filter(pk=round_.pk).update(closed_at=timezone.now())
    late = make_member(study)
    RoundVolunteer.objects.create(round=round_, member=late, column=3, seed=3)
    Label.objects.create(
        round=round_,
        issue=issue,
        volunteer=late,
        category=category(version, "B.2"),
        version=version,
        surplus=True,
        submitted_at=timezone.now(),
    )

    assert by_code(version) == {"B": (2, 0), "B.1": (2, 0)}


def test_takes_a_fixed_number_of_queries(version, members, django_assert_num_queries) -> None:
    for _ in range(3):
        labelled(version, members, "B.1 B.1")

    with django_assert_num_queries(4):
        label_counts(version)
    with django_assert_num_queries(2):  # the codebook was read
        labels_alone(version)


def test_what_a_reader_still_has_to_label_is_not_counted_for_them(version, members) -> None:
    _round, issues = labelled(version, members, "B.1 B.1", "C.9 C.9", "C.9 C.9")
    again = make_round(version, issues[:1], members[:1])

    assert by_code(version, members[0]) == {"C": (4, 0), "C.9": (4, 0)}
    assert label_counts(version, members[0]).withheld == 1
    everything = {"B": (2, 0), "B.1": (2, 0), "C": (4, 0), "C.9": (4, 0)}
    assert by_code(version, members[1]) == by_code(version) == everything
    assert label_counts(version, members[1]).withheld == label_counts(version).withheld == 0

    add_label(again, issues[0], members[0], "A.1")
    assert by_code(version, members[0]) == everything | {"A": (1, 0), "A.1": (1, 0)}


@pytest.mark.parametrize("size", [1, 3])
def test_holding_back_costs_the_same_at_one_issue_and_at_three(
    study, version, members, size, django_assert_num_queries
) -> None:
    _round, issues = labelled(version, members, *["B.1 B.1"] * 3)
    make_round(version, issues[:size], members[:1])

    with django_assert_num_queries(6):
        assert label_counts(version, members[0]).withheld == size
    other = make_member(study)
    with django_assert_num_queries(4):
        assert label_counts(version, other).withheld == 0


def test_the_page_says_how_many_are_withheld(client, version, members) -> None:
    _round, issues = labelled(version, members, "B.1 B.1")
    make_round(version, issues, members[:1])
    said = []
    for member in members:
        client.force_login(member.user)
        page = client.get(reverse("taxonomy", args=[version.taxonomy.pk])).content.decode()
        said.append("1 issue is hidden until you label it" in page)
    assert said == [True, False]


def test_how_often_a_category_was_chosen_under_each_version(study, version, members) -> None:
    """A.1 was chosen four times under version 1, with what is below it, and twice under version 2."""
    taxonomy, chosen = version.taxonomy, category(version, "A.1")
    _round, first = labelled(version, members, "A.1 A.1", "A.1.i A.1.i", "B.1 B.1")
    act(taxonomy=taxonomy, kind="describe", key=str(chosen.key), values={"name": "Other"}, by=None)
    again = make_round(publish(taxonomy=taxonomy, by=None), first[:1], members)
    assert chosen_by_version(taxonomy, chosen.pk, members[0]) == {1: LabelCount(2, 0), 2: LabelCount()}
    for member in members:
        add_label(again, first[0], member, "A.1")

    times = chosen_by_version(taxonomy, chosen.pk, None)

    assert times == {1: LabelCount(4, 0), 2: LabelCount(2, 0)}
    assert times.between(1, 2) == LabelCount(6, 0)
    assert times.between(2, 2) == LabelCount(2, 0)
    assert chosen_by_version(make_version(study).taxonomy, chosen.pk, None) == {}


def test_what_is_withheld_is_in_no_version(client, version, members, django_assert_max_num_queries) -> None:
    _round, issues = labelled(version, members, *["B.1 B.1"] * 3)
    make_round(version, issues[:1], members[:1])
    chosen = category(version, "B.1")

    with django_assert_max_num_queries(8):
        held = chosen_by_version(version.taxonomy, chosen.pk, members[0])
    assert (held[1].labels, held.withheld) == (4, 1)
    assert chosen_by_version(version.taxonomy, chosen.pk, members[1])[1].labels == 6
    client.force_login(members[0].user)
    page = reverse("taxonomy_history", args=[version.taxonomy.pk]) + f"?category={chosen.key}"
    shown = " ".join(client.get(page).content.decode().split())
    assert "4 labels, 0 decisions" in shown
    assert "1 issue is hidden until you label it" in shown
