"""What a report says of issues that came back in a second look: all numbers are of the first labels."""

import pytest
from django.urls import reverse
from django.utils import timezone

from annotate.models import Repeat
from annotate.queries.repeats import counted
from reports.agreement_report import agreement_report
from reports.formats.json_report import report_as_dict
from reports.queries.repeats import Repeats
from reports.queries.second_looks import agreement_after
from reports.sections.dissents import dissents
from reports.sentences.paragraph import how_to_report
from rounds.models import Label, Round, RoundIssue
from rounds.queries.blindness import Reader
from taxonomy.actions.answers import answer
from taxonomy.models import Level
from taxonomy.tree.drafts import ADD, MOVE, RETIRE, SPLIT
from tests.annotate.actions.test_version_upgrade import change, publication
from tests.factories.taxonomy import make_version
from tests.kept import kept
from tests.worlds.looks import look_again
from tests.worlds.pages import client, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=4, members=3)]

SAID = (("C.9", "C.2", "C.9"), ("C.9", "C.9", "C.9"), ("C.1", "C.2", "C.1"), ("A.1", "C.9", "?Docs"))


@kept
def labelled(world):
    round_ = world.round()
    for issue, codes in zip(world.issues, SAID, strict=True):
        for member, code in zip(world.members, codes, strict=True):
            world.submit(round_, issue, member, code)
    return world, round_


def coefficients(report) -> dict:
    return {name: found.as_dict() for name, found in report.overall.coefficients.items()}


def test_categories_count_only_if_first_labels_could_be_one_of_them(world):
    """q is that of the versions that first labels were given in: of both, once there are labels of both."""
    round_ = world.round()
    other = world.round(name="Later", kind=Round.Kind.PILOT)
    for issue, codes in zip(world.issues[:3], SAID, strict=False):
        for member, code in zip(world.members, codes, strict=True):
            world.submit(round_, issue, member, code)
    before = agreement_report(round_)
    themes = before.overall.choosable
    assert before.overall.coefficients["brennan_prediger"].value == pytest.approx(
        (5 / 9 - 1 / themes) / (1 - 1 / themes)
    )
    change(world, ADD, "", name="New theme", parent="C")
    change(world, RETIRE, "B.2")  # nobody chose this category, but everybody could
    world.version = publication(world)

    round_.refresh_from_db()
    found = agreement_report(round_, by=(("round",),), reader=Reader(world.lead))
    assert coefficients(found) == coefficients(before)
    assert f"with one of {themes} themes" in how_to_report(found)
    assert len(found.overall.categories) == themes  # one more, and one less
    for member in world.members:
        world.submit(round_, world.issues[3], member, "C.1")
        world.submit(other, world.issues[3], member, "C.1")
    found = agreement_report(round_, by=(("round",),), reader=Reader(world.lead))
    assert found.overall.choosable == themes + 1
    assert [one.agreement.choosable for one in found.rounds] == [themes + 1, themes]


def test_a_type_counts_only_if_first_labels_below_it_could_count_as_it(world):
    """In a round of themes nobody chooses a type that has themes: q of the types is theirs, as they are now."""
    world.version = make_version(world.study, ("A", "A.1", "C", "C.1", "C.2"))
    round_ = world.round()
    other = world.round(name="Later", kind=Round.Kind.PILOT)
    for member, code in zip(world.members, ("C.1", "C.2", "A.1"), strict=True):
        for each in (round_, other):
            world.submit(each, world.issues[0], member, code)

    def q(level: Level) -> list[int]:
        """In its own report, and beside the other round."""
        rounds = (Round.objects.get(pk=each.pk) for each in (round_, other))
        own, beside = (
            agreement_report(one, level=level, by=(("round",),), reader=Reader(world.lead)) for one in rounds
        )
        (found,) = (one.agreement for one in beside.rounds if one.round.pk == round_.pk)
        return [own.overall.choosable, found.choosable]

    assert (q(Level.TYPE), q(Level.THEME)) == ([2, 2], [3, 3])
    change(world, SPLIT, "C", parts=[{"name": "New", "code": "D"}], stays=True)
    change(world, MOVE, "C.2", parent="D")
    world.version = publication(world)
    assert (q(Level.TYPE), q(Level.THEME)) == ([3, 3], [3, 3])
    change(world, MOVE, "C.1", parent="D")
    change(world, RETIRE, "C")
    publication(world)
    assert (q(Level.TYPE), q(Level.THEME)) == ([2, 2], [3, 3])


def test_lost_repeats_are_the_same_for_the_report_and_the_volunteer_while_a_look_is_open(labelled):
    """Of three planned repeats one was given, and two were lost; then the issue of one of these is blind again."""
    world, round_ = labelled
    Round.objects.filter(pk=round_.pk).update(drift_percent=20)
    round_.refresh_from_db()
    member, now = world.members[0], timezone.now()
    for issue, given in ((0, True), (1, False), (2, False)):
        chosen = {"category": world.category("C.1"), "version": round_.version, "submitted_at": now}
        Repeat.objects.create(
            round=round_, issue=world.issues[issue], volunteer=member, due_at=now, **(chosen if given else {})
        )

    def lost() -> tuple[Repeats, int]:
        report = agreement_report(Round.objects.get(pk=round_.pk), reader=Reader(world.lead))
        return report.repeats, counted(round_, member, since=now).lost

    assert lost() == (Repeats(planned=3, labelled=1), 2)
    change(world, RETIRE, "C.9")
    world.version = publication(world)
    assert RoundIssue.objects.get(round=round_, issue=world.issues[1]).completed_at is None
    assert lost() == (Repeats(planned=3, labelled=1), 2)
    world.waits_for(world.lead, world.issues[1])  # who has yet to label it elsewhere learns nothing of it
    assert lost() == (Repeats(planned=2, labelled=1), 2)


SECOND_LOOK = "No issue of this round counts now, because a second look is open"


def missing(world, round_) -> str:
    return text_of(client(world.lead).get(reverse("agreement", args=[round_.pk])))


def test_a_second_look_that_holds_all_issues_is_named(world):
    round_ = world.round()
    assert "None of the 4 issues has all of its 3 labels yet." in missing(world, round_)
    for issue in world.issues[:3]:
        for member in world.members:
            world.submit(round_, issue, member, "C.9")
    change(world, RETIRE, "C.9")
    world.version = publication(world)
    said = missing(world, round_)
    assert SECOND_LOOK in said
    assert "None of the 4 issues" not in said
    look_again(world, round_, "C.3")
    assert SECOND_LOOK not in missing(world, round_)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "values"), [(RETIRE, {}), (SPLIT, {"parts": [{"name": "Part"}], "stays": True})]
)
def test_the_numbers_are_of_the_first_labels(labelled, kind, values):
    world, round_ = labelled
    before = agreement_report(round_)
    types = agreement_report(round_, level=Level.TYPE)
    categories = {one.code: one.labels for one in before.overall.categories if one.labels}
    assert (before.again, before.looked_at_again, agreement_after(before)) == (0, 0, None)
    assert "second look" not in how_to_report(before)
    assert report_as_dict(before)["second_look"] is None

    change(world, kind, "C.9", **values)
    world.version = publication(world)
    assert SECOND_LOOK not in missing(world, round_)  # the issue without C.9 still counts
    round_ = look_again(world, round_, "C.3")
    found = agreement_report(round_)
    assert coefficients(found) == coefficients(before)
    assert coefficients(agreement_report(round_, level=Level.TYPE)) == coefficients(types)
    assert {one.code: one.labels for one in found.overall.categories if one.labels} == {
        "C.9@v1" if code == "C.9" else code: count for code, count in categories.items()
    }
    assert (found.overall.labels, found.again, found.looked_at_again) == (11, 6, 3)
    assert found.overall.left_out == {"open_labels": 1, "second_look_labels": 6}
    assert [one.alone for one in dissents(found)] == [one.alone for one in dissents(before)]

    now = agreement_after(found)
    assert {one.code: one.labels for one in now.categories if one.labels} == {
        "C.1": 2,
        "C.2": 2,
        "C.3": 6,
        "A.1": 1,
    }
    assert report_as_dict(found)["second_look"]["labels"] == 6
    said = how_to_report(found)
    assert "3 of these issues were in a second look, after their first labels were revealed." in said
    assert "Left out: 1 open label, which has no category yet and 6 labels of a second look" in said
    page = client(world.lead).get(reverse("agreement", args=[round_.pk])).content.decode()
    assert "6 labels were given again; not independent" in page
    assert "C.9@v1" in page


def test_an_open_label_stays_open_before_its_second_look(labelled):
    world, round_ = labelled
    before = agreement_report(round_)
    answer(taxonomy=world.version.taxonomy, name="Docs", category=world.category("C.3"), by=world.lead)
    round_ = look_again(world, round_, "C.3")
    found = agreement_report(round_)
    assert coefficients(found) == coefficients(before)
    assert found.overall.left_out == {"open_labels": 1, "second_look_labels": 1}


def test_a_second_look_before_the_reveal_is_independent(world):
    """Who gives the last label of an issue after a new version may begin a second look: nobody saw a label."""
    round_, issue = world.round(), world.issues[0]
    world.submit(round_, issue, world.members[0], "C.9")
    world.submit(round_, issue, world.members[1], "C.2")
    change(world, RETIRE, "C.9")
    world.version = publication(world)
    round_.refresh_from_db()
    world.submit(round_, issue, world.members[2], "C.2")
    assert RoundIssue.objects.get(round=round_, issue=issue).first_revealed_at is None
    round_ = look_again(world, round_, "C.2")
    found = agreement_report(round_)
    assert (found.again, found.overall.coefficients["percent_agreement"].value) == (0, 1.0)
    assert Label.objects.filter(round__of=round_).count() == 1
