"""A report says how many of its issues volunteers were coached on, and every door gives it without them."""

import csv
import io
import json
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from annotate.actions.rounds import close_round
from consensus.actions.votes import close_vote
from replication.package import write_package
from reports.actions.report_files import ask_for_report, make_report
from reports.agreement_report import PAGE_BY, agreement_report
from reports.exports import labels_csv
from reports.formats.document import document
from reports.formats.json_report import report_as_dict
from reports.frozen.document import difference
from reports.models import FrozenReport
from rounds.models import Round, RoundIssue
from rounds.queries.blindness import Reader
from tests import factories
from tests.api.conftest import client_of
from tests.kept import kept
from tests.long import only_long
from tests.worlds.meeting import label, meeting_world
from tests.worlds.packages import package_for
from tests.worlds.pages import client, text_of
from tests.worlds.recomputed import summary

pytestmark = pytest.mark.django_db

ROWS = ("C.9 C.9 C.1", "C.9 C.1 C.1", "B.1 B.2 B.2", "C.1 C.1 C.1", "B.1 B.1 B.1")
KEPT = (1, 2, 4)
"""The places of issues that nobody was coached on: the pilot has the first, the training the first and fourth."""


@kept
def world():
    """A closed round of five issues. Issue 0 was in a pilot and a training, issue 3 in the training; issue 4 came
    into a second training when all was labelled. Votes were closed on issues 0 and 1.
    """
    made = meeting_world(issues=5, members=3, rows=ROWS)
    made.plan(quorum=2)
    made.arrive()
    for number, codes in ((0, ("C.9", "C.9", "C.9")), (1, ("C.9", "-", "C.10"))):
        vote = made.vote(made.items[number], *codes)
        vote.refresh_from_db()
        if vote.closed_at is None:
            close_vote(vote=vote, by=made.lead)
    before, after = timezone.now() - timedelta(days=2), timezone.now() + timedelta(seconds=1)
    for name, kind, places, opened in (
        ("Pilot", "pilot", (0,), before),
        ("Training", "training", (0, 3), before),
        ("Late training", "training", (4,), after),
    ):
        issues = [made.issues[place] for place in places]
        round_ = factories.make_round(made.version, issues, made.members, name=name, kind=kind)
        Round.objects.filter(pk=round_.pk).update(opened_at=opened, closed_at=opened)
    return made


@kept
def remaining(world):
    """The numbers of a round that has only the issues that nobody was coached on, with the same labels."""
    issues = [world.issues[place] for place in KEPT]
    study = factories.make_study()
    twin = factories.make_round(factories.make_version(study), issues, [
        factories.make_member(study, pseudonym=one.pseudonym) for one in world.members
    ])  # fmt: skip
    label(twin, {issue.pk: ROWS[place].split() for issue, place in zip(issues, KEPT, strict=True)})
    return report_as_dict(agreement_report(twin))["groups"][0]


def report(world, **options):
    return agreement_report(world.round_, by=PAGE_BY, reader=Reader(None), **options)


def get(world, query="", name="agreement"):
    return client(world.lead).get(f"{reverse(name, args=[world.round_.pk])}?{query}")


def table(world, query):
    return list(csv.DictReader(io.StringIO(get(world, f"format=csv&{query}").content.decode())))


def test_the_numbers_without_are_those_of_a_round_of_the_remaining_issues(world, remaining):
    whole, without = report(world), report(world, without_coached=True)
    assert [(one.complete, one.coached, one.overall.issues) for one in (whole, without)] == [
        (5, 2, 5),
        (3, 2, 3),
    ]
    assert report_as_dict(without)["groups"][0] == remaining
    assert report_as_dict(whole)["groups"][0] != remaining
    said = [(one["coached"], one["coached_left_out"]) for one in map(report_as_dict, (whole, without))]
    assert said == [(2, False), (2, True)]


def test_every_door_gives_the_same_without(world, remaining):
    rest = client_of(world.lead).get(f"/api/v1/rounds/{world.round_.pk}/agreement/?coached=no").json()
    out = io.StringIO()
    call_command(
        "agreement", study=world.study.slug, round=world.round_.name, without_coached=True, stdout=out
    )
    assert rest["groups"] == json.loads(out.getvalue())["groups"] == [remaining]
    (kappa,) = [
        row["value"]
        for row in table(world, "coached=no&table=coefficients")
        if row["coefficient"] == "fleiss_kappa"
    ]
    assert float(kappa) == remaining["coefficients"]["fleiss_kappa"]["value"]
    named = get(world, "format=csv&coached=no").headers["Content-Disposition"]
    assert "-without-coached-report.csv" in named
    assert "without-coached" not in get(world, "format=csv").headers["Content-Disposition"]
    wrong = client_of(world.lead).get(f"/api/v1/rounds/{world.round_.pk}/agreement/?coached=perhaps")
    assert (wrong.status_code, list(wrong.json())) == (400, ["coached"])


@only_long
def test_what_was_voted_on_follows(world):
    both = [get(world, query).context["consensus"]["both"] for query in ("", "coached=no")]
    assert [(one.voted, one.before.issues, one.after.issues) for one in both] == [(2, 5, 5), (1, 3, 3)]


def test_the_page_says_it_and_switches(world):
    whole, without = get(world, "level=type"), get(world, "level=type&coached=no")
    text = text_of(whole)
    assert "2 issues were in a pilot or training before. Volunteers discussed these issues" in text
    assert "2 of these issues were in a pilot or training before, where volunteers" in text
    assert 'href="?level=type&amp;coached=no"' in whole.content.decode()
    text = text_of(without)
    assert "This report leaves out 2 issues that volunteers were coached on" in text
    assert "2 of these issues" not in text
    assert "2 issues that volunteers were coached on in a pilot or training" in text
    assert 'href="?level=type"' in without.content.decode()
    assert 'href="?level=theme&amp;coached=no"' in without.content.decode()
    assert 'all.json?level=type&amp;coached=no"' in without.content.decode()


@only_long
def test_what_was_voted_on_is_read_without_on_its_own_page_too(world):
    whole, without = (get(world, query, "consensus") for query in ("", "coached=no"))
    assert [page.context["both"].before.issues for page in (whole, without)] == [5, 3]
    assert "2 issues were in a pilot or training before" in text_of(whole)
    assert "This report leaves out 2 issues that volunteers were coached on" in text_of(without)
    agreement, consensus = (reverse(name, args=[world.round_.pk]) for name in ("agreement", "consensus"))
    for page in (without, get(world, "coached=no")):
        body = page.content.decode()
        assert (f'href="{agreement}?coached=no"' in body, f'href="{consensus}?coached=no"' in body) == (
            True,
            True,
        )
    assert f'href="{agreement}"' in whole.content.decode()
    path = f"/api/v1/rounds/{world.round_.pk}/consensus/"
    rest = [client_of(world.lead).get(f"{path}?coached={word}").json() for word in ("yes", "no")]
    assert [one["agreement"]["before"]["issues"] for one in rest] == [5, 3]
    assert client_of(world.lead).get(f"{path}?coached=perhaps").status_code == 400


def test_a_round_without_pilot_and_training_says_nothing(world):
    twin = meeting_world(issues=2, members=3, rows=ROWS)
    page = get(twin)
    assert 'id="coached"' not in page.content.decode()
    assert "pilot or training before" not in text_of(page)


@only_long
def test_the_whole_report_as_a_file_follows(world):
    notes = [document(report(world, without_coached=without))["notes"] for without in (False, True)]
    assert [any("in a pilot or training before" in note for note in one) for one in notes] == [True, False]
    jobs = [
        ask_for_report(round_=world.round_, by=world.lead, form="html", without_coached=without)
        for without in (False, True)
    ]
    assert jobs[0] != jobs[1]
    client(world.lead).post(
        reverse("make_agreement_file", args=[world.round_.pk]),
        {"form": "html", "level": "theme", "coached": "no"},
    )
    assert list(FrozenReport.objects.all()) == []
    made = make_report(
        round_=world.round_, by=world.lead, form="html", level=report(world).level, without_coached=True,
        report=lambda *_said: None,
    )  # fmt: skip
    assert "-without-coached-agreement.html" in made["name"]


@only_long
def test_a_frozen_report_keeps_to_its_issues(world, remaining):
    address = reverse("frozen_reports", args=[world.round_.pk])
    lead = client(world.lead)
    for name, form in (("Whole", {}), ("Remaining", {"coached": "no"})):
        assert lead.post(address, {"name": name} | form).status_code == 302
    rest = client_of(world.lead).post(
        f"/api/v1/rounds/{world.round_.pk}/agreement/frozen/",
        {"name": "By REST", "without_coached": True},
        format="json",
    )
    assert (rest.status_code, rest.json()["without_coached"], rest.json()["issues"]) == (201, True, 3)
    whole, without = FrozenReport.objects.get(name="Whole"), FrozenReport.objects.get(name="Remaining")
    assert [(one.without_coached, one.issues) for one in (whole, without)] == [(False, 5), (True, 3)]
    assert json.loads(without.document)["levels"]["theme"]["groups"][0] == remaining
    assert [difference(one).count for one in (whole, without)] == [0, 0]
    checked = text_of(lead.get(without.get_absolute_url() + "?check=yes"))
    assert "the current file has this hash" in checked
    assert "without the issues that volunteers were coached on" in checked
    listed = text_of(get(world, "coached=no"))
    assert "By REST without coached issues" in listed
    assert "counts other issues" in listed
    path = f"/api/v1/studies/{world.study.slug}/exports/labels.csv?layout=long&round={world.round_.name}"
    rows = b"".join(client_of(world.lead).get(f"{path}&coached=no").streaming_content).decode().splitlines()
    assert len(rows) == 1 + 3 * 3


@pytest.mark.slow
@only_long
def test_the_package_follows_and_is_computed_again(world, tmp_path):
    close_round(round_=world.round_, by=world.lead)
    world.round_.refresh_from_db()
    found = {}
    for name, without in (("whole", False), ("remaining", True)):
        to = tmp_path / name
        write_package(world.round_, to, reader=Reader(None), without_coached=without)
        numbers, wrong, _skipped = summary(to)
        assert (numbers > 200, wrong) == (True, 0)
        manifest, told = (json.loads((to / file).read_text()) for file in ("manifest.json", "agreement.json"))
        found[name] = (
            manifest["coached_left_out"], told["coached"], told["coached_left_out"], told["groups"][0]["issues"],
        )  # fmt: skip
        listed = list(csv.reader(io.StringIO((to / "coached.csv").read_text())))
        pilot, training = world.issues[0].url, world.issues[3].url
        assert listed == [
            ["Issue_URL", "Round", "Kind"],
            [pilot, "Pilot", "pilot"],
            [pilot, "Training", "training"],
            [training, "Training", "training"],
        ]
    assert found == {"whole": (False, 2, False, 5), "remaining": (True, 2, True, 3)}
    for file in ("labels_long.csv", "issues.csv", "ballots.csv"):
        assert world.issues[0].url in (tmp_path / "whole" / file).read_text()
        assert world.issues[0].url not in (tmp_path / "remaining" / file).read_text()


def test_the_export_page_offers_it(world, settings, tmp_path):
    settings.PACKAGES_DIR = tmp_path
    page = client(world.lead).get(f"{reverse('export', args=[world.study.slug])}?round={world.round_.pk}")
    assert "Leave out 2 coached issues" in text_of(page)
    assert "2 issues were in a pilot or training before. coached.csv lists these issues." in text_of(page)
    answer = package_for(client(world.lead), world.round_, coached="no")
    assert "-without-coached.zip" in answer.headers["Content-Disposition"]
    assert answer.getvalue().startswith(b"PK")


def test_what_a_reader_may_not_see_is_in_no_count(world):
    world.waits_for(world.members[0], world.issues[0])
    page = client(world.members[0]).get(reverse("agreement", args=[world.round_.pk]))
    assert (page.context["report"].withheld, page.context["report"].coached) == (1, 1)
    assert RoundIssue.objects.filter(round=world.round_).count() == 5
    assert b"".join(labels_csv(world.round_, layout="long")).count(b"\n") == 16
