"""What a draft would do to labels and decisions, in numbers worked out by hand; and labels under later versions."""

import pytest

from annotate.actions.rounds import close_round
from consensus.queries.category_counts import chosen_alone, chosen_in, label_counts, labels_alone
from reports.queries.dry_run import DryRun, dry_run
from rounds.models import Label, Round
from taxonomy.actions import publish
from taxonomy.queries.drafts import drafted
from taxonomy.tree.drafts import ADD, DESCRIBE, MERGE, MOVE, RETIRE, SPLIT
from tests.annotate.actions.test_version_upgrade import change
from tests.worlds.pages import label_all
from tests.worlds.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=4, members=3)]


@pytest.fixture
def labelled(world: World) -> World:
    """Four issues with three labels each: one unanimous at C.1, the others parted between themes."""
    round_ = world.round()
    label_all(world, round_, "C.1 C.1 C.1", "C.1 C.2 C.2", "C.2 C.3 C.3", "B.1 C.9 C.9")
    return world


def seen(world: World):
    return dry_run(drafted(world.version.taxonomy), world.lead)


def kappas(found: DryRun) -> list[list[float | None]]:
    return [[one.coefficients["fleiss_kappa"].value for one in both] for _level, both in found.kappas]


def test_no_change_does_nothing(labelled: World) -> None:
    found = seen(labelled)

    assert (found.labels, found.follow, found.again, found.effects) == (0, 0, 0, ())


def test_what_follows_and_what_needs_another_look(labelled: World) -> None:
    change(labelled, MERGE, "C.2", into="C.1")
    change(labelled, DESCRIBE, "C.3", name="Other")
    change(labelled, RETIRE, "C.9")
    change(labelled, SPLIT, "B.1", parts=[{"name": "New"}], stays=True)
    change(labelled, ADD, "new", name="Newer")

    found = seen(labelled)

    assert (found.labels, found.follow, found.again) == (12, 5, 3)
    assert [
        (each.entry.code, each.fate.kind, [now.code for now in each.became], each.labels, each.decisions)
        for each in found.effects
        if each.labels
    ] == [
        ("C.2", "merged", ["C.1"], 3, 0),
        ("C.3", "renamed", ["C.3"], 2, 0),
        ("C.9", "retired", [], 2, 0),
        ("B.1", "split", ["B.1", "B.3"], 1, 0),
    ]


def test_kappa_then_is_that_of_the_merged_categories(labelled: World) -> None:
    """Merged, the labels are (x x x), (x x x), (x C.3 C.3), (B.1 C.9 C.9), worked out as fractions:
    P = (1 + 1 + 1/3 + 1/3) / 4 = 2/3; x 7, C.3 2, B.1 1, C.9 2 of 12: Pe = 58/144; kappa = (2/3 - 58/144) / (1 - 58/144)
    = 38/86. Before: P = (1 + 1/3 + 1/3 + 1/3) / 4 = 1/2; C.1 4, C.2 3, C.3 2, B.1 1, C.9 2: Pe = 34/144;
    kappa = 38/110.
    """
    change(labelled, MERGE, "C.2", into="C.1")

    found = seen(labelled)

    assert found.round_name == "Round 1"
    assert [level for level, _both in found.kappas] == ["type", "theme"]
    types, themes = kappas(found)
    assert themes == pytest.approx([38 / 110, 38 / 86], abs=1e-15)
    assert types[0] == types[1]


def test_labels_of_what_is_split_or_retired_are_in_no_kappa(labelled: World) -> None:
    """Without C.9 the last issue has one label: it is in the shares and not in the agreement (statistics: unequal
    numbers). P = (1 + 1/3 + 1/3) / 3 = 5/9; shares C.1 1/3, C.2 1/4, C.3 1/6, B.1 1/4: Pe = 19/72; kappa = 21/53.
    """
    change(labelled, RETIRE, "C.9")

    assert kappas(seen(labelled))[1][1] == pytest.approx(21 / 53, abs=1e-15)


def test_a_split_below_a_theme_leaves_the_kappa_of_themes(world: World) -> None:
    """(C.1.i C.1.i C.2) and three C.1: P = (1/3 + 1) / 2; shares of themes 5/6 and 1/6: Pe = 26/36; kappa = -1/5."""
    round_ = world.round()
    label_all(world, round_, "C.1.i C.1.i C.2", "C.1 C.1 C.1")
    change(world, SPLIT, "C.1.i", parts=[{"name": "New"}], stays=True)

    found = seen(world)

    assert found.again == 2
    assert kappas(found)[1] == pytest.approx([-0.2, -0.2], abs=1e-15)


def test_a_move_to_another_type_changes_the_kappa_of_types(labelled: World) -> None:
    """C.9 below B: the last issue is unanimous there. Before B 1, C 11; after B 3, C 9, all issues unanimous."""
    change(labelled, MOVE, "C.9", parent="B")

    before, after = kappas(seen(labelled))[0]

    assert before == pytest.approx((5 / 6 - 122 / 144) / (1 - 122 / 144), abs=1e-15)
    assert after == 1


def test_only_what_is_revealed_counts(world: World) -> None:
    round_ = world.round()
    world.submit(round_, world.issues[0], world.members[0], "C.1")
    change(world, RETIRE, "C.1")

    assert (seen(world).labels, seen(world).again) == (0, 0)
    for member in world.members[1:]:
        world.submit(round_, world.issues[0], member, "C.1")
    assert (seen(world).labels, seen(world).again) == (3, 3)


def test_what_is_withheld_from_the_reader_is_in_no_number(labelled: World) -> None:
    change(labelled, RETIRE, "C.1")
    assert (seen(labelled).again, seen(labelled).withheld) == (4, 0)

    labelled.waits_for(labelled.lead, labelled.issues[0])

    assert (seen(labelled).labels, seen(labelled).again, seen(labelled).withheld) == (9, 1, 1)


def only_labels(version, reader) -> dict[int, int]:
    return {id_: count.labels for id_, count in label_counts(version, reader).items()}


def test_labels_under_later_versions(labelled: World) -> None:
    close_round(round_=Round.objects.get(), by=labelled.lead)  # it keeps its version
    change(labelled, MERGE, "C.2", into="C.1")
    second = publish(taxonomy=labelled.version.taxonomy, by=None)
    change(labelled, MERGE, "C.1", into="C.3")
    change(labelled, SPLIT, "C.9", parts=[{"name": "New"}], stays=True)
    third = publish(taxonomy=labelled.version.taxonomy, by=None, note="C.9 held two things.")
    ids = {code: labelled.category(code).pk for code in ("C", "C.1", "C.2", "C.3", "C.9", "B.1")}

    first, then, now = (chosen_in(version, labelled.lead) for version in (labelled.version, second, third))

    assert first is not None
    assert then is not None
    assert now is not None
    assert first.labels == {ids["C.1"]: 4, ids["C.2"]: 3, ids["C.3"]: 2, ids["B.1"]: 1, ids["C.9"]: 2}
    assert then.labels == {ids["C.1"]: 7, ids["C.3"]: 2, ids["B.1"]: 1, ids["C.9"]: 2}
    assert now.labels == {ids["C.3"]: 9, ids["B.1"]: 1}
    assert (first.homeless, then.homeless, now.homeless) == (0, 0, 2)
    assert now.decisions == {ids["C.3"]: 1}
    counts = label_counts(third, labelled.lead)
    assert (counts[ids["C.3"]].labels, counts[ids["C"]].labels, counts[ids["C"]].decisions) == (9, 9, 1)
    for version in (labelled.version, second, third):
        assert labels_alone(version, labelled.lead) == only_labels(version, labelled.lead)
    for version, whole in ((labelled.version, first), (second, then), (third, now)):
        alone = chosen_alone(version, labelled.lead)
        assert alone == (whole.labels, whole.decisions, whole.withheld)
    assert {label.category_id for label in Label.objects.all()} == {
        ids[c] for c in ("C.1", "C.2", "C.3", "C.9", "B.1")
    }


def test_a_dry_run_after_a_second_version_counts_labels_as_what_they_became(labelled: World) -> None:
    change(labelled, MERGE, "C.2", into="C.1")
    publish(taxonomy=labelled.version.taxonomy, by=None)
    change(labelled, DESCRIBE, "C.1", name="Other")

    found = seen(labelled)

    assert (found.labels, found.follow) == (12, 7)
    assert kappas(found)[1][0] == pytest.approx(38 / 86, abs=1e-15)
    # The labels of the open round, and then those of issues that no second look holds back.
    second = labelled.version.taxonomy.versions.get(number=2)
    before = labels_alone(second, labelled.lead)
    assert before == only_labels(second, labelled.lead)
    change(labelled, SPLIT, "C.9", parts=[{"name": "New"}], stays=True)
    third = publish(taxonomy=labelled.version.taxonomy, by=None, note="C.9 held two things.")
    assert only_labels(third, labelled.lead) != before
    assert labels_alone(third, labelled.lead) == only_labels(third, labelled.lead)
