"""The file of one's own data: every table is in it or left out with a reason, and nobody else's data are."""

import io
import json
import zipfile

import pytest
from django.apps import apps
from django.db.models import CASCADE, ForeignKey
from django.test import Client
from django.urls import reverse

from accounts import actions
from accounts.models import Scope, User
from annotate.models import Repeat
from boards.models import Board, Card, Pile, Placement, Sorting
from core import clock
from interviews.actions.codings import open_coding
from interviews.models import Quote
from overview.my_data import LEFT_OUT, OWN
from rounds.models import Label, RoundVolunteer
from studies.models import Membership, Role
from tests.factories import (
    add_label,
    make_issue,
    make_member,
    make_repository,
    make_round,
    make_study,
    make_version,
)
from tests.factories.interviews import make_participant, make_session, make_transcript
from tests.interviews.coding import quote

pytestmark = pytest.mark.django_db

PEOPLE = {User, Membership}


def links() -> dict[str, set[str]]:
    """By table: its links to users and members."""
    found = {}
    for model in apps.get_models(include_auto_created=True):
        named = {
            field.name
            for field in model._meta.concrete_fields
            if isinstance(field, ForeignKey) and field.related_model in PEOPLE
        }
        if named:
            found[model._meta.label] = named
    return found


def parts_of(tables) -> set[str]:
    """The tables whose rows go with a row of one of these tables."""
    return {
        model._meta.label
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.concrete_fields
        if isinstance(field, ForeignKey)
        and field.remote_field.on_delete is CASCADE
        and field.related_model._meta.label in tables
    }


def test_every_table_with_a_link_to_a_person_is_given_or_left_out_with_a_reason():
    assert OWN.keys() | LEFT_OUT.keys() == links().keys() | parts_of(OWN.keys() & links().keys())
    assert OWN.keys() & LEFT_OUT.keys() == set()
    assert all(len(reason) > 5 for reason in LEFT_OUT.values())


def test_the_columns_of_the_lists_exist():
    for table, own in OWN.items():
        model = apps.get_model(table)
        columns = {field.attname for field in model._meta.concrete_fields}
        for path in own.by:
            *before, last = path.split("__")
            end = model
            for name in before:
                end = end._meta.get_field(name).related_model
            assert last in links()[end._meta.label], table
        assert {name for name in own.without if name.startswith("_")} == set()
        unknown = set(own.without) - columns
        # What tables of labels hide together, not each of them has.
        assert unknown <= {"form_key", "assignment_id", "pgh_obj_id", "pgh_context_id"}, table
        list(model.objects.values(*own.more)[:1])


def test_no_secret_column_is_given():
    secrets = {"token_hash", "digest", "password", "sealed", "original", "key", "form_key"}
    given = {
        (table, field.attname)
        for table, own in OWN.items()
        for field in apps.get_model(table)._meta.concrete_fields
        if field.attname in secrets and field.attname not in own.without and not field.primary_key
    }
    # The key of a category.
    assert given == {("taxonomy.Change", "key"), ("taxonomy.Motion", "key")}


@pytest.fixture
def member():
    """A volunteer with a label, a token and a link; another one labelled the same issue."""
    study = make_study(name="Engines")
    mine, other = make_member(study), make_member(study)
    issue = make_issue(make_repository(study))
    round_ = make_round(make_version(study), [issue], [mine, other])
    add_label(round_, issue, mine, "C.1", summary="canary of mine")
    add_label(round_, issue, other, "C.2", summary="canary of another")
    actions.make_token(user=mine.user, name="Harvest", scope=Scope.READ)
    actions.make_sign_in_link(mine.user)
    return mine


def data_of(user) -> dict[str, list[dict]]:
    client = Client()
    client.force_login(user)
    answer = client.get(reverse("my_data"))
    assert answer.headers["Content-Type"] == "application/zip"
    assert answer.headers["Content-Disposition"].startswith('attachment; filename="my-data-')
    assert answer.headers["Cache-Control"] == "no-store"
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as archive:
        assert archive.testzip() is None
        assert "password" in archive.read("README.txt").decode()
        return {
            name.removesuffix(".json"): json.loads(archive.read(name))
            for name in archive.namelist()
            if name.endswith(".json")
        }


def test_the_file_has_what_is_mine_and_nothing_else(member):
    found = data_of(member.user)
    (account,) = found["account"]
    assert (account["email"], account["name"]) == (member.user.email, member.user.name)
    assert "password" not in account
    (label,) = found["rounds.label"]
    url = Label.objects.get(volunteer=member).issue.url
    assert (label["summary"], label["issue__url"], label["volunteer_id"]) == (
        "canary of mine",
        url,
        member.pk,
    )
    (seat,) = found["studies.membership"]
    assert (seat["study__name"], seat["role"], seat["pseudonym"]) == (
        "Engines",
        "volunteer",
        member.pseudonym,
    )
    (token,) = found["knox.authtoken"]
    assert (token["terms__name"], token["terms__scope"], "digest" in token) == ("Harvest", "read", False)
    (link,) = found["accounts.signinlink"]
    assert "token_hash" not in link
    assert len(found["sessions"]) == 1
    assert "canary of another" not in json.dumps(found)
    assert {row.get("volunteer_id") for row in found["rounds.assignment"]} == {member.pk}


def test_numbers_that_count_what_others_did_are_left_out(member):
    found = data_of(member.user)
    for table in ("rounds.label", "rounds.labelevent", "rounds.assignment"):
        for row in found.get(table, []):
            assert {"id", "pgh_id", "slot", "assignment_id", "proposal_id"} & row.keys() == set(), table


def test_the_codes_of_quotes_are_given_without_numbers_that_count_quotes_of_others():
    study = make_study()
    mine, other = make_member(study, Role.LEAD), make_member(study)
    version = make_version(study)
    session = make_session(make_participant(study, mine), mine)
    make_transcript(session, mine)
    coding = open_coding(session=session, version=version, coders=[mine, other], by=mine)
    quote(coding, other, "The memory", "canary of another")
    first = quote(coding, mine, "train models", "C.1", "night work", memo="canary of mine")
    Quote.objects.filter(pk=first.pk).update(carried_from=Quote.objects.exclude(pk=first.pk).get())
    found = data_of(mine.user)
    (row,) = found["interviews.quote"]
    assert (row["memo"], "carried_from_id" in row) == ("canary of mine", False)
    codes = found["interviews.quotecode"]
    assert {(one.get("category_code"), one["open_code__name"]) for one in codes} == {
        ("C.1", None),
        (None, "night work"),
    }
    for one in codes:
        assert [one[f"quote__{name}"] for name in ("start", "end")] == [row["start"], row["end"]]
        assert one["quote__turn__position"] == row["turn__position"] == first.turn.position
        assert one["quote__transcript_id"] == row["transcript_id"]
        assert {"quote_id", "open_code_id", "id", "quote__turn_id", "quote__coder_id"} & one.keys() == set()
    assert {"turn_id", "coder_id", "id"} & row.keys() == set()
    assert "canary of another" not in json.dumps(found)
    assert len(data_of(other.user)["interviews.quotecode"]) == 1


def test_the_piles_of_my_sorting_are_given_and_those_of_another_are_not():
    study = make_study()
    mine, other = make_member(study), make_member(study)
    board = Board.objects.create(taxonomy=make_version(study).taxonomy, name="Themes", made_by=other)
    card = Card.objects.create(board=board, number=7, text="canary of a card")
    for member, name in ((other, "canary of another"), (mine, "Slow"), (None, "canary of all")):
        sorting = Sorting.objects.create(board=board, member=member)
        pile = Pile.objects.create(sorting=sorting, number=3, name=name, position=0)
        Placement.objects.create(board=board, sorting=sorting, card=card, pile=pile, revision=1)
    found = data_of(mine.user)
    assert [(one["name"], one["sorting__board_id"]) for one in found["boards.pile"]] == [("Slow", board.pk)]
    (placed,) = found["boards.placement"]
    assert (placed["card__number"], placed["pile__number"], "card_id" in placed) == (7, 3, False)
    assert "canary" not in json.dumps(found)


def test_the_same_file_whatever_another_volunteer_does(member):
    def without_times(found):
        return found | {"account": None, "sessions": None}

    other = Membership.objects.exclude(pk=member.pk).get()
    issue = make_issue(Label.objects.first().issue.repository)
    round_ = make_round(Label.objects.first().version, [issue], [member, other], name="Second")
    before = without_times(data_of(member.user))
    assert len(before["rounds.assignment"]) == 2

    add_label(round_, issue, other, "C.9", summary="canary of another")

    assert without_times(data_of(member.user)) == before


def test_what_is_to_come_again_is_not_told(member):
    label = Label.objects.get(volunteer=member)
    Repeat.objects.create(round=label.round, issue=label.issue, volunteer=member, due_at=label.submitted_at)
    assert "annotate.repeat" not in data_of(member.user)


def test_who_else_is_named_in_a_row_of_mine_is_left_out(member):
    lead = make_member(member.study)
    admitted = {"admitted_by": lead, "admitted_at": clock.now(), "admitted_reason": "Fine."}
    RoundVolunteer.objects.filter(member=member).update(**admitted)
    rows = data_of(member.user)["rounds.roundvolunteer"]
    assert [("admitted_by_id" in row, row["admitted_reason"]) for row in rows] == [(False, "Fine.")]
    seats = data_of(lead.user)["rounds.roundvolunteer"]
    assert [("member_id" in row, row["admitted_by_id"]) for row in seats] == [(False, lead.pk)]


def test_the_file_costs_a_query_for_each_table(member, django_assert_max_num_queries):
    client = Client()
    client.force_login(member.user)
    with django_assert_max_num_queries(2 * len(OWN) + 20):
        b"".join(client.get(reverse("my_data")).streaming_content)
