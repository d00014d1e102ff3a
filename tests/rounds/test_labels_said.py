"""What stands on an issue of its labels is what they say, whoever writes, and whatever is written."""

from datetime import timedelta
from threading import Thread

import pytest
from django.db import connection, transaction
from django.utils import timezone

from annotate.actions.rounds import close_round
from annotate.actions.volunteers import add_volunteer, raise_labels_per_issue, remove_volunteer
from consensus.actions.decisions import reopen, settle_issue
from consensus.models import Decision
from replication.actions.published import import_study
from rounds.models import Assignment, Label, Round, RoundIssue
from tests import factories
from tests.worlds.pages import rows_read
from tests.worlds.published_folders import write_study
from tests.worlds.said import stands
from tests.worlds.uneven import uneven

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=2, members=3)]

AT_CLOSE = Round.Reveal.ROUND_CLOSED


def _labels(round_, issue):
    """The codes that stand on an issue, of whom they are, and what is decided."""
    stands()
    place = RoundIssue.objects.get(round=round_, issue=issue)
    codes = {state.category_id: state.code for state in round_.version.states.all()} | {0: "?"}
    said = [codes[int(one)] for one in place.labels.split()]
    return " ".join(said), [int(one) for one in place.whose.split()], codes.get(place.decided)


def _fill(world, round_, codes, issue=None, members=None):
    for member, code in zip(members or world.members, codes.split(), strict=True):
        world.submit(round_, issue or world.issues[0], member, code)
        stands()


def _ids(*members):
    return sorted(member.pk for member in members)


def test_labels_stand_once_the_issue_is_complete(world):
    round_ = world.round()
    _fill(world, round_, "C.2 C.9", members=world.members[:2])
    assert _labels(round_, world.issues[0]) == ("", [], "?")
    _fill(world, round_, "C.1", members=world.members[2:])
    assert _labels(round_, world.issues[0]) == ("C.2 C.9 C.1", _ids(*world.members), "?")
    assert _labels(round_, world.issues[1]) == ("", [], "?")


def test_what_is_decided_stands_until_it_is_reopened(world):
    round_ = world.round()
    _fill(world, round_, "C.2 C.2 C.2")
    assert _labels(round_, world.issues[0])[2] == "C.2"
    _fill(world, round_, "C.2 C.9 C.9", world.issues[1])
    given = {"round_": round_, "issue": world.issues[1], "by": world.lead}
    settle_issue(**given, category=world.category("C.1"), rationale="It is.", seen_number=0)
    assert _labels(round_, world.issues[1])[2] == "C.1"
    settle_issue(**given, category=world.category("C.9"), rationale="It is not.", seen_number=1)
    assert _labels(round_, world.issues[1])[2] == "C.9"
    reopen(**given, why="Not sure.", seen_number=2)
    assert _labels(round_, world.issues[1]) == ("C.2 C.9 C.9", _ids(*world.members), "?")


def test_an_open_label_stands_as_such_and_can_be_changed_until_reveal(world):
    round_ = world.round(reveal=AT_CLOSE)
    _fill(world, round_, "C.2 C.9", members=world.members[:2])
    world.submit(round_, world.issues[0], world.members[2], "?New")
    assert _labels(round_, world.issues[0])[0] == "C.2 C.9 ?"
    world.change(round_, world.issues[0], world.members[2], "C.1")
    assert _labels(round_, world.issues[0])[0] == "C.2 C.9 C.1"
    world.change(
        round_, world.issues[0], world.members[0], None, proposed_name="New", proposed_reason="None fits."
    )
    assert _labels(round_, world.issues[0])[0] == "? C.9 C.1"
    close_round(round_=round_, by=world.lead)
    assert _labels(round_, world.issues[0])[0] == "? C.9 C.1"


def test_an_issue_that_waits_again_has_no_labels_standing(world):
    round_ = world.k_of_n(2, reveal=AT_CLOSE)
    _fill(world, round_, "C.2 C.9", members=world.members[1:])
    assert _labels(round_, world.issues[0])[1] == _ids(*world.members[1:])
    raise_labels_per_issue(round_=round_, to=3, by=world.lead)
    assert _labels(round_, world.issues[0]) == ("", [], "?")
    _fill(world, round_, "C.1", members=world.members[:1])
    assert _labels(round_, world.issues[0])[0] == "C.1 C.2 C.9"


def test_who_is_taken_out_and_comes_back(world):
    round_ = world.round(reveal=AT_CLOSE)
    _fill(world, round_, "C.2 C.9", members=world.members[:2])
    remove_volunteer(round_=round_, member=world.members[2], by=world.lead)
    assert _labels(round_, world.issues[0])[0] == "C.2 C.9"
    add_volunteer(round_=round_, member=world.members[2], by=world.lead)
    assert _labels(round_, world.issues[0])[0] == ""
    _fill(world, round_, "C.1", members=world.members[2:])
    assert _labels(round_, world.issues[0])[0] == "C.2 C.9 C.1"


def test_a_surplus_label_does_not_stand(world):
    round_ = world.k_of_n(2)
    one, two, three = world.members
    Assignment.objects.filter(round=round_, issue=world.issues[0], slot=1).update(volunteer=one)
    world.submit(round_, world.issues[0], two, "C.2")
    Assignment.objects.filter(round=round_, issue=world.issues[0], slot=1).update(
        volunteer=three, lease_until=timezone.now() + timedelta(hours=1)
    )
    world.submit(round_, world.issues[0], three, "C.2")
    assert _labels(round_, world.issues[0]) == ("C.2 C.2", _ids(two, three), "C.2")
    Label.objects.create(
        round=round_, issue=world.issues[0], volunteer=one, category=world.category("C.9"), surplus=True,
        version=round_.version, submitted_at=timezone.now(),
    )  # fmt: skip
    assert _labels(round_, world.issues[0]) == ("C.2 C.2", _ids(two, three), "C.2")


def test_whatever_is_written_there_the_database_knows_better(world):
    round_ = world.round()
    _fill(world, round_, "C.2 C.2 C.2")
    told = stands()
    for wrong in (
        "labels = '1 1 1'",
        "labels = ''",
        "whose = '7'",
        "decided = 1",
        "decided = 0, labels = 'x'",
    ):
        with connection.cursor() as cursor:
            cursor.execute(f"UPDATE rounds_roundissue SET {wrong}")
        assert stands() == told
    place = RoundIssue.objects.get(round=round_, issue=world.issues[0])
    place.labels = place.whose = "1"
    place.decided = 1
    place.save()
    assert stands() == told
    RoundIssue.objects.create(
        round=round_,
        issue=factories.make_issue(world.repository),
        position=9,
        labels="1",
        whose="1",
        decided=1,
    )
    stands()


def test_labels_and_decisions_of_statements_stand(world):
    """Each kind of statement that the database lets through, on a complete issue whose labels are not seen."""
    round_ = world.round(reveal=AT_CLOSE)
    _fill(world, round_, "C.2 C.9 C.9")
    _fill(world, round_, "C.2 C.9 C.1", world.issues[1])
    Label.objects.filter(volunteer=world.members[0]).update(category=world.category("C.1"))
    assert [_labels(round_, issue)[0] for issue in world.issues] == ["C.1 C.9 C.9", "C.1 C.9 C.1"]
    Label.objects.filter(volunteer=world.members[1]).delete()
    assert [_labels(round_, issue)[0] for issue in world.issues] == ["C.1 C.9", "C.1 C.1"]
    Label.objects.filter(issue=world.issues[0]).delete()
    assert _labels(round_, world.issues[0])[0] == ""
    Label.objects.create(
        round=round_, issue=world.issues[0], volunteer=world.members[1], category=world.category("C.2"),
        version=round_.version, submitted_at=timezone.now(),
        assignment=Assignment.objects.get(issue=world.issues[0], volunteer=world.members[1]),
    )  # fmt: skip
    assert _labels(round_, world.issues[0]) == ("C.2", [world.members[1].pk], "?")
    Label.objects.filter(issue=world.issues[0]).update(surplus=True, assignment=None)
    assert _labels(round_, world.issues[0])[0] == ""
    RoundIssue.objects.filter(round=round_).update(completed_at=None)
    assert _labels(round_, world.issues[1])[0] == ""
    Decision.objects.create(
        round=round_, issue=world.issues[1], category=world.category("C.2"), version=round_.version,
        method="imported", decided_at=timezone.now(),
    )  # fmt: skip
    assert _labels(round_, world.issues[1]) == ("", [], "C.2")


def test_what_is_loaded_stands(tmp_path):
    import_study(folder=write_study(tmp_path), slug="loaded")
    said = [labels.split() for labels, _whose, _decided in stands().values()]
    assert sorted(map(len, said)) == [0, 3, 3, 3, 3]


def test_a_load_reads_its_labels_a_few_times_whatever_was_planned_before(tmp_path, world):
    """In a session that has stored labels before, into small tables: rows read, not time."""
    _fill(world, world.round(), "C.2 C.9 C.9")
    issues = 400
    engine = "Issue_URL,Label1,Label2,Label3,Final_Label\n" + "".join(
        f"https://github.com/ember/engine/issues/{number},C.1,C.2,C.1,C.1\n"
        for number in range(1, issues + 1)
    )
    before = rows_read("rounds_label")
    import_study(folder=write_study(tmp_path, engine=engine), slug="loaded")
    labels = Label.objects.filter(round__study__slug="loaded").count()
    assert labels == 3 * (issues + 1)
    assert rows_read("rounds_label") - before < 20 * labels
    stands()


def test_an_uneven_round_stands():
    uneven()
    assert sorted({len(labels.split()) for labels, _whose, _decided in stands().values()}) == [0, 1, 3, 4]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("label_first", [True, False])
@pytest.mark.slow
def test_nobody_completes_an_issue_with_a_label_out_of_sight(world, label_first):
    """Two transactions that hold nothing: whichever writes first, the other waits for it."""
    round_ = world.round(reveal=AT_CLOSE)
    issue, member = world.issues[0], world.members[0]
    _fill(world, round_, "C.9 C.9", members=world.members[1:])

    def label():
        Label.objects.create(
            round=round_, issue=issue, volunteer=member, category=world.category("C.2"), version=round_.version,
            submitted_at=timezone.now(), assignment=Assignment.objects.get(issue=issue, volunteer=member),
        )  # fmt: skip

    def complete():
        RoundIssue.objects.filter(round=round_, issue=issue).update(completed_at=timezone.now())

    first, second = (label, complete) if label_first else (complete, label)

    def in_a_thread():
        try:
            second()
        finally:
            connection.close()

    with transaction.atomic():
        first()
        other = Thread(target=in_a_thread)
        other.start()
        other.join(timeout=1)
        assert other.is_alive()
    other.join()
    assert _labels(round_, issue)[0] == "C.2 C.9 C.9"
