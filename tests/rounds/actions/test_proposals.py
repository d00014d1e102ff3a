"""Labels for which no category fits: open, with what their author proposes."""

import pytest

from annotate import errors
from annotate.actions.labels import submit_label
from annotate.models import Draft
from annotate.queries.labels import own_labels
from annotate.queries.turns import turn_at
from rounds.errors import ProposalIncomplete, ProposalTooLong
from rounds.models import Label
from taxonomy.models import Proposal
from tests.factories.annotate import label_input

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=1, members=1)]

NAME, REASON = "Silent data corruption", "Wrong numbers without any error."


def _propose(world, round_, issue, member, name=NAME, reason=REASON, nearest=None, summary=""):
    return submit_label(
        round_=round_,
        issue=issue,
        member=member,
        given=label_input(
            category=world.category(nearest) if nearest else None,
            summary=summary,
            unsure=False,
            form_key=None,
            proposed_name=name,
            proposed_reason=reason,
        ),
    ).label


def test_an_open_label_has_no_category_and_says_which_one_is_missing(world):
    round_, issue, member = world.round(), world.issues[0], world.members[0]
    label = _propose(world, round_, issue, member, nearest="C", summary="nan everywhere")
    stored = Label.objects.select_related("proposal").get()
    assert (stored, stored.category, stored.summary) == (label, None, "nan everywhere")
    # Its nearest category is too broad for a label of this round, and near enough.
    assert (stored.proposed_reason, stored.nearest) == (REASON, world.category("C"))
    proposal = stored.proposal
    assert (proposal.name, proposal.proposed_by, proposal.state) == (NAME, member, "open")
    assert (proposal.taxonomy, proposal.version) == (world.version.taxonomy, world.version)
    row = own_labels(round_, member).rows[0]
    assert (row.code, row.label.proposal.name, row.changeable) == ("", NAME, False)


@pytest.mark.world(issues=4, members=2)
def test_one_person_proposes_a_name_once_however_it_is_written(world):
    round_ = world.round()
    member, other = world.members
    _propose(world, round_, world.issues[0], member, "Café  outage", "one")
    _propose(world, round_, world.issues[1], member, " CAFE\u0301 OUTAGE ", "two", nearest="C.2")
    _propose(world, round_, world.issues[2], member, "another", "three")
    _propose(world, round_, world.issues[0], other, "café outage", "mine")
    found = Proposal.objects.order_by("pk").values_list("name", "proposed_by")
    assert list(found) == [("Café outage", member.pk), ("another", member.pk), ("café outage", other.pk)]
    labels = Label.objects.filter(proposal__name="Café outage").order_by("pk")
    assert list(labels.values_list("proposed_reason", "nearest")) == [
        ("one", None),
        ("two", world.category("C.2").pk),
    ]


@pytest.mark.parametrize(
    ("name", "reason", "error"),
    [
        ("", "", errors.CategoryMissing),
        ("  ", " \n", errors.CategoryMissing),
        (NAME, "", ProposalIncomplete),
        ("", REASON, ProposalIncomplete),
        ("n" * 201, REASON, ProposalTooLong),
        (NAME, "r" * 1001, ProposalTooLong),
    ],
)
def test_what_is_no_proposal_is_refused_and_stores_nothing(world, name, reason, error):
    with pytest.raises(error) as refused:
        _propose(world, world.round(), world.issues[0], world.members[0], name, reason, summary="kept")
    assert refused.value.kept["summary"] == "kept"
    assert (refused.value.kept.get("proposed_name", ""), refused.value.kept.get("proposed_reason", "")) == (
        name,
        reason,
    )
    assert (Label.objects.count(), Proposal.objects.count()) == (0, 0)


@pytest.mark.world(issues=2, members=1)
def test_each_label_says_for_itself_why_nothing_fits_as_long_as_it_likes(world):
    """A later label changes nothing of an earlier one, which others may have read by now."""
    round_, member = world.round(), world.members[0]
    first = _propose(world, round_, world.issues[0], member, reason="a" * 1000)
    second = _propose(world, round_, world.issues[1], member, reason="b" * 1000, nearest="C.2")
    first.refresh_from_db()
    assert (first.proposed_reason, first.nearest) == ("a" * 1000, None)
    assert second.proposed_reason == "b" * 1000
    assert first.proposal == second.proposal == Proposal.objects.get()


@pytest.mark.world(issues=1, members=2)
def test_the_same_again_is_said_again(world):
    round_, issue, member = world.round(), world.issues[0], world.members[0]
    first = _propose(world, round_, issue, member)
    assert _propose(world, round_, issue, member) == first
    with pytest.raises(errors.AlreadyLabelled):
        _propose(world, round_, issue, member, reason="Another reason.")
    assert Label.objects.get().proposed_reason == REASON


@pytest.mark.world(issues=1, members=2)
def test_an_open_label_gets_a_category_and_loses_it_again(world):
    round_, issue, member = world.round(), world.issues[0], world.members[0]
    _propose(world, round_, issue, member)
    world.change(round_, issue, member, "C.2")
    label = Label.objects.get()
    assert (label.category, label.proposal, label.proposed_reason) == (world.category("C.2"), None, "")
    assert Proposal.objects.get().name == NAME  # its history still says what was missing
    world.change(round_, issue, member, "C.3", proposed_name=NAME.upper(), proposed_reason="Really.")
    label.refresh_from_db()
    assert (label.category, label.proposal) == (None, Proposal.objects.get())
    assert (label.proposed_reason, label.nearest) == ("Really.", world.category("C.3"))


@pytest.mark.world(issues=1, members=2)
def test_the_reason_is_changed_with_its_label(world):
    round_, issue, member = world.round(), world.issues[0], world.members[0]
    _propose(world, round_, issue, member, nearest="C.2")
    world.change(round_, issue, member, None, proposed_name=NAME, proposed_reason="Shorter.")
    found = Label.objects.get()
    assert (found.proposed_reason, found.nearest) == ("Shorter.", None)


def test_a_draft_keeps_what_is_proposed_as_it_was_typed(world):
    round_, issue, member = world.round(), world.issues[0], world.members[0]
    draft = world.draft(round_, issue, member, "C.2", proposed_name="half a na")
    assert (draft.revision, Draft.objects.get().proposed_name) == (1, "half a na")
    assert turn_at(round_, member, issue.pk).draft.proposed_name == "half a na"
    assert Proposal.objects.count() == 0
    with pytest.raises(errors.StaleDraft) as stale:
        world.draft(round_, issue, member, "C.2", proposed_name="another name")
    assert stale.value.stored.proposed_name == "half a na"
    assert stale.value.kept == {"category": "C.2", "summary": "", "proposed_name": "another name"}
