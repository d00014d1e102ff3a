"""What a screening kept, as a page, a file and JSON."""

import pytest
from django.urls import reverse
from rest_framework.test import APIClient

from annotate.actions.rounds import close_round
from consensus.actions.bulk import decide_majority
from consensus.models import BulkDecision, Decision
from consensus.queries.disagreement_filters import Narrowing
from rounds.models import Round
from studies.models import Role
from tests import factories
from tests.kept import kept
from tests.worlds.pages import client as signed_in
from tests.worlds.pages import text_of
from tests.worlds.parted import get as get_disagreements
from tests.worlds.screened import screening, screening_world
from tests.worlds.world import World

pytestmark = pytest.mark.django_db


@kept
def world() -> World:
    return screening_world()


def get(member, round_, query=""):
    return signed_in(member).get(reverse("screening", args=[round_.pk]) + (f"?{query}" if query else ""))


def post(member, round_, name, *more, **form):
    return signed_in(member).post(reverse(name, args=[round_.pk, *more]), form)


def decide(member, world, round_, issue, code, seen=1, rationale="Read again."):
    return post(
        member, round_, "screen_issue", issue.pk,
        category=world.category(code).pk, rationale=rationale, seen_number=seen,
    )  # fmt: skip


def test_the_page_shows_numbers_with_their_base(world):
    text = text_of(get(world.lead, screening(world)))
    assert "3 of 4 decided issues are excluded. 3 issues are undecided." in text
    assert text.count("4 issues are kept: 1 included and 3 undecided.") >= 2
    assert "Identified 7" in text
    assert "ember/engine 4 3 75.0 % of 4 0 1" in text
    assert "ember/docs 3 0 no decision 3 3" in text
    assert "of 3 excluded issues" in text
    assert "F.1 Name of F.1 1 1" in text
    assert "Fleiss' kappa 0.500" in text
    assert "Percent agreement 77.8 %" in text
    assert "Open disagreements 2" in text


def test_before_anything_is_complete_the_page_says_what_to_wait_for(world):
    planned = world.round(opened=False, kind=Round.Kind.SCREENING, depth=1, excludes=world.category("F"))
    assert "when the round is open and issues are complete" in text_of(get(world.lead, planned))
    assert "Excluded issues will be here when the first issue is complete" in text_of(
        get(world.lead, screening(world, "T - -"))
    )
    one = text_of(get(world.lead, screening(world, "T T T")))
    assert "Fleiss' kappa undefined: only one issue has two labels or more" in one


def test_a_kappa_without_an_interval_says_why(world):
    """Two issues that agree equally; with a third that does not they are still too few."""
    alike = text_of(get(world.lead, screening(world, "T T T", "F F F")))
    assert "Fleiss' kappa 1.000 no interval: all issues agree equally" in alike
    varied = text_of(get(world.lead, screening(world, "T T T", "F F F", "T T F")))
    assert "95 % interval" not in varied
    assert "no interval: fewer than 10 issues have two labels or more" in varied


def test_a_lead_who_still_has_to_label_sees_nothing_unrevealed(world):
    round_ = screening(world, reveal=Round.Reveal.ROUND_CLOSED)
    assert "Until then nobody sees results" in text_of(get(world.lead, round_, "at_least=2"))
    assert get(world.lead, round_, f"issue={world.issues[0].pk}").status_code == 404
    assert decide(world.lead, world, round_, world.issues[0], "T", seen=0).status_code == 404
    assert post(world.lead, round_, "decide_majority", at_least=2).status_code == 409


def test_an_excluded_issue_comes_back_with_its_votes_and_history(world):
    round_ = screening(world)
    issue = world.issues[1]
    assert get(world.lead, round_, f"issue={world.issues[6].pk}").status_code == 404, "not complete"
    page = text_of(get(world.lead, round_, f"issue={issue.pk}"))
    assert "R1 F.1 R2 F.2 R3 F" in page
    assert decide(world.lead, world, round_, issue, "T").status_code == 302
    text = text_of(get(world.lead, round_, "show=included"))
    assert "T lead by Lead “Read again.” before: F unanimous" in text
    assert decide(world.lead, world, round_, issue, "F.2", seen=2).status_code == 302
    assert Decision.objects.filter(round=round_, issue=issue).count() == 3


def test_a_decision_without_a_reason_is_refused_and_the_form_stays(world):
    round_ = screening(world)
    response = decide(world.lead, world, round_, world.issues[0], "T", rationale=" ")
    assert response.status_code == 422
    assert "Give the reason for this decision in one sentence." in text_of(response)
    assert Decision.objects.filter(round=round_).count() == 4


def test_a_stale_decision_shows_both_sides(world):
    round_ = screening(world)
    decide(world.lead, world, round_, world.issues[0], "T")
    response = decide(world.lead, world, round_, world.issues[0], "F.1", rationale="No, it is not.")
    assert response.status_code == 409
    text = text_of(response)
    assert "Somebody else decided this issue while you typed" in text
    assert "T lead by Lead “Read again.”" in text
    assert "No, it is not." in text


def test_a_majority_is_shown_before_it_is_made_and_taken_back_at_once(world):
    round_ = screening(world)
    dry = signed_in(world.lead).get(reverse("decide_majority", args=[round_.pk]), {"at_least": 2})
    assert "T Name of T 1 50.0 % of 2 F Name of F 1 50.0 % of 2" in text_of(dry)
    assert Decision.objects.filter(method="majority").count() == 0

    done = post(world.lead, round_, "decide_majority", at_least=2)
    assert (done.status_code, done["Location"]) == (302, reverse("screening", args=[round_.pk]))
    assert "2 issues decided in bulk by Lead" in text_of(get(world.lead, round_))
    bulk = BulkDecision.objects.get()
    back = post(world.lead, round_, "take_back_bulk", bulk.pk)
    assert (back.status_code, back["Location"]) == (302, reverse("screening", args=[round_.pk]))
    assert "Open disagreements 2" in text_of(get(world.lead, round_))


def test_where_a_meeting_decides_no_majority_is_offered(world):
    round_ = screening(world, rule=Round.Rule.MEETING)
    assert "Preview decisions" not in text_of(get(world.lead, round_))


def test_volunteers_and_viewers_read_and_decide_nothing(world):
    round_ = screening(world)
    viewer = factories.make_member(world.study, Role.VIEWER)
    for member in (world.members[0], viewer):
        body = get(member, round_, f"issue={world.issues[0].pk}&at_least=2").content.decode()
        assert "Include issue" not in body
        assert 'name="at_least"' not in body
        assert decide(member, world, round_, world.issues[0], "T").status_code == 403
        assert post(member, round_, "decide_majority", at_least=2).status_code == 403


def test_no_other_round_has_this_page(world):
    assert get(world.lead, world.round()).status_code == 404


def test_once_closed_a_round_can_be_planned_with_what_is_kept(world):
    round_ = screening(world)
    asked = f"?kind=main&amp;source=kept:{round_.pk}"
    assert asked not in get(world.lead, round_).content.decode().replace("&source", "&amp;source")
    close_round(round_=round_, by=world.lead)
    assert asked in get(world.lead, round_).content.decode().replace("&source", "&amp;source")
    assert asked not in get(world.members[0], round_).content.decode().replace("&source", "&amp;source")


def test_the_list_is_filtered_and_refuses_what_no_link_says(world):
    round_ = screening(world)
    docs = world.issues[4].repository_id
    assert "No decided issue matches these filters." in text_of(get(world.lead, round_, f"repository={docs}"))
    for query in ("show=all", "after=x", "repository=99999999999999999999", "issue=0"):
        assert get(world.lead, round_, query).status_code == 404


def test_the_table_as_a_file(world):
    response = signed_in(world.lead).get(reverse("screening_csv", args=[screening(world).pk]))
    assert response["Content-Disposition"].startswith("attachment")
    assert response.content.decode() == (
        "repository,issues,false_positives,rate_percent,kept,decided,open_disagreements,incomplete\n"
        "ember/docs,3,0,,3,0,2,1\n"
        "ember/engine,4,3,75.0,1,4,0,0\n"
        "all,7,3,75.0,4,4,2,1\n"
    )


def test_the_figure_as_a_file(world):
    response = signed_in(world.lead).get(reverse("screening_flow", args=[screening(world).pk]))
    assert response["Content-Type"] == "image/svg+xml"
    body = response.content.decode()
    assert body.startswith('<svg xmlns="http://www.w3.org/2000/svg"')
    assert "Excluded 3, F.1 Name of F.1 1, reasons differ 1, no reason 1." in body


def test_rest_says_the_same(world):
    round_ = screening(world)
    api = APIClient()
    api.force_authenticate(world.lead.user)
    said = api.get(reverse("api_screening", args=[round_.pk])).json()
    assert said["all"] == {
        "issues": 7, "false_positives": 3, "rate_percent": 75.0, "kept": 4, "decided": 4,
        "open_disagreements": 2, "incomplete": 1,
    }  # fmt: skip
    assert [row["repository"] for row in said["repositories"]] == ["ember/docs", "ember/engine"]
    assert said["reasons"] == {
        "base": 3,
        "codes": [
            {"code": "F.1", "name": "Name of F.1", "issues": 1, "shared": 1},
            {"code": "F.2", "name": "Name of F.2", "issues": 0, "shared": 1},
        ],
        "differ": 1,
        "unsaid": 1,
    }
    assert said["agreement"]["fleiss_kappa"]["value"] == pytest.approx(0.5)
    other = world.round()
    assert api.get(reverse("api_screening", args=[other.pk])).status_code == 404


def test_open_labels_stand_in_lists_panel_and_rest(world):
    round_ = screening(world, "- T T", "- - -")
    for issue, members in ((world.issues[0], world.members[:1]), (world.issues[1], world.members)):
        for member in members:
            world.submit(round_, issue, member, "?Build farm")
    body = get_disagreements(world.lead, round_).content.decode()
    assert 'title="R1: proposed name: Build farm"' in body
    for issue in world.issues[:2]:
        panel = text_of(get_disagreements(world.lead, round_, f"issue={issue.pk}"))
        assert "proposes the name “Build farm”" in panel
    api = APIClient()
    api.force_authenticate(world.lead.user)
    rows = api.get(reverse("api_disagreements", args=[round_.pk])).json()["results"]
    assert [(row["labels"], row["open"]) for row in rows] == [
        ({"R2": "T", "R3": "T"}, {"R1": "Build farm"}),
        ({}, {"R1": "Build farm", "R2": "Build farm", "R3": "Build farm"}),
    ]
    bulk = decide_majority(round_=round_, by=world.lead, at_least=2, narrowing=Narrowing())
    assert bulk.decisions.count() == 1


def test_the_page_costs_the_same_at_one_issue_and_at_three(world, django_assert_max_num_queries):
    client, counts = signed_in(world.lead), []
    for rows in (("F.1 F.1 F.1",), ("F.1 F.1 F.1", "T T F", "F F F")):
        address = reverse("screening", args=[screening(world, *rows).pk])
        client.get(address)
        with django_assert_max_num_queries(30) as found:
            client.get(address)
        counts.append(len(found))
    assert counts[0] == counts[1]


def test_what_is_withheld_is_said_on_the_page_and_with_its_files(world):
    round_ = screening(world)
    first, second = world.members[:2]
    world.waits_for(first, world.issues[0])

    held, whole = (text_of(get(member, round_)) for member in (first, second))
    assert "1 issue is hidden until you label it in another round." in held
    assert "2 of 3 decided issues are excluded. 3 issues are undecided." in held
    assert "Hidden from you 1" in held
    assert "held back" not in whole.lower()
    assert "3 of 4 decided issues are excluded. 3 issues are undecided." in whole
    assert get(first, round_, f"issue={world.issues[0].pk}").status_code == 404
    assert get(second, round_, f"issue={world.issues[0].pk}").status_code == 200
    for name, words in (
        ("screening_csv", "ember/engine,3,2,"),
        ("screening_flow", "Hidden from you"),
    ):
        files = [signed_in(member).get(reverse(name, args=[round_.pk])) for member in (first, second)]
        assert [file["Crosscheck-Withheld"] for file in files] == ["1", "0"]
        assert [words in file.content.decode() for file in files] == [True, False]
