"""Files of a round that changed while it was open: everybody keeps their column, open labels are named."""

import csv

import pytest

from annotate.actions.rounds import close_round
from annotate.actions.volunteers import add_volunteer, remove_volunteer
from annotate.exports import labels_csv
from annotate.models import Label
from studies.models import Guideline
from taxonomy.models import Proposal
from tests import factories
from tests.annotate.world import small_world

pytestmark = pytest.mark.django_db


def test_columns_stay_and_open_labels_are_empty_cells_with_their_name_in_the_long_layout():
    world = small_world(issues=2, members=2)
    round_ = world.round()
    one, two = world.members
    world.submit(round_, world.issues[0], two, "C.2")
    remove_volunteer(round_=round_, member=two, by=world.lead)
    new = factories.make_member(world.study, pseudonym="R9")
    add_volunteer(round_=round_, member=new, by=world.lead)
    world.submit(round_, world.issues[0], one, "C.3")
    world.submit(round_, world.issues[1], new, "C.2")
    proposal = Proposal.objects.create(
        taxonomy=world.version.taxonomy,
        version=world.version,
        name="Drivers",
        proposed_by=new,
    )
    guideline = Guideline.objects.create(study=world.study, number=2, text="x", published_by=world.lead)
    Label.objects.filter(volunteer=new).update(
        category=None, proposal=proposal, proposed_reason="none fits", guideline=guideline
    )
    close_round(round_=round_, by=world.lead)
    round_.refresh_from_db()

    wide = list(csv.reader(b"".join(labels_csv(round_)).decode().splitlines()))
    assert wide[0] == ["Issue_URL", "Label1", "Label2", "Label3", "Final_Label"]
    assert [row[1:] for row in wide[1:]] == [["C.3", "C.2", "", ""], ["", "", "", ""]]
    long = list(csv.DictReader(b"".join(labels_csv(round_, layout="long")).decode().splitlines()))
    assert [(row["Volunteer"], row["Label"], row["Open"], row["Guideline"]) for row in long] == [
        ("R1", "C.3", "", ""),
        ("R2", "C.2", "", ""),
        ("R9", "", "Drivers", "2"),
    ]
