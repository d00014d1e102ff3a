"""The pages and the files of frozen reports: who reads them, what they say, and nothing that is held back."""

import json
import re
from uuid import uuid4
from zipfile import ZipFile

import pgtrigger
import pytest
from django.urls import reverse

from annotate.actions.model_labels import ModelRow, label_as_model
from replication.package import write_package
from reports.actions.frozen import freeze_report
from reports.models import FrozenReport
from reports.queries.frozen import package_files
from rounds.queries.blindness import Reader, withheld_issues
from studies.models import Event, Role
from taxonomy.tree.drafts import RETIRE
from tests import factories
from tests.annotate.actions.test_version_upgrade import change, publication
from tests.kept import kept
from tests.worlds.pages import client, label_all, queries_of, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=5, members=3)]


@kept
def round_(world):
    made = world.round(name="Main round")
    label_all(world, made, "C.1 C.1 C.1", "C.2 C.2 C.2", "C.1 C.1 C.2")
    return made


def get(member, name, round_, *more, **query):
    return client(member).get(reverse(name, args=[round_.pk, *more]), query)


def freeze(member, round_, name="Submission", key=None, browser=None):
    form = {"name": name, "form_key": key or str(uuid4())}
    return (browser or client(member)).post(reverse("frozen_reports", args=[round_.pk]), form)


def test_a_lead_freezes_and_everybody_reads_it(world, round_):
    assert "Freeze report" in text_of(get(world.lead, "agreement", round_))
    answer = freeze(world.lead, round_)
    frozen = FrozenReport.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, frozen.get_absolute_url())

    viewer = factories.make_member(world.study, Role.VIEWER, pseudonym="V1")
    for reader in (world.lead, world.members[0], viewer):
        listed = text_of(get(reader, "agreement", round_))
        assert re.search(r"Submission \S.* Lead 3 0\.550 the same", listed)
        page = text_of(get(reader, "frozen_report", round_, frozen.pk))
        assert "Nothing has changed since then: every number and every interval is the same." in page
        assert "No final label changed since then." in page
        assert "All issues 3 9 0.778 0.550" in page
        assert "Type C 2 6 1.000 1.000" in page
        assert frozen.inputs_hash in page
        checked = text_of(get(reader, "frozen_report", round_, frozen.pk, check="yes"))
        assert "Labels and decisions are the same now" in checked
        sent = get(reader, "frozen_json", round_, frozen.pk)
        assert sent.content.decode() == frozen.document
        assert sent["Content-Disposition"] == (
            f'attachment; filename="{world.study.slug}-main-round-submission.json"'
        )
    assert "Freeze report" not in text_of(get(viewer, "agreement", round_))
    assert freeze(viewer, round_, "Other").status_code == 403


def test_what_changed_since_is_shown_with_the_final_labels(world, round_):
    freeze(world.lead, round_)
    frozen = FrozenReport.objects.get()
    world.settle(round_, world.issues[2], "C.2")
    label_all(world, round_, *["- - -"] * 3, "C.1 C.1 C.1")

    page = get(world.members[0], "frozen_report", round_, frozen.pk)
    text = text_of(page)
    assert "1 issue is now complete." in text
    # 11 of 12 … : (10/12 agree, shares 8/12 and 4/12) kappa (5/6 - 5/9) / (4/9) = 0.625.
    assert re.search(r"Fleiss’ kappa 0\.5500 0\.6250 \+0\.0750", text)
    assert "All issues Issues 3 4 +1" in text
    assert "Left out: issues without a decision 1 – –" in text
    link = re.search(r'href="([^"]*final-labels/[^"]*)">([^<]*)<', page.content.decode())
    assert link[2] == "2 final labels changed since then"
    changed = client(world.members[0]).get(link[1])
    assert "2 issues have another final label." in text_of(changed)
    assert 'aria-current="true"><svg' in changed.content.decode().replace("\n", "")
    assert "changed since" in text_of(get(world.lead, "agreement", round_, level="type"))
    assert "the current file has this hash" not in text
    asked = text_of(get(world.lead, "frozen_report", round_, frozen.pk, check="yes"))
    assert "The current file has another hash" in asked


@pytest.mark.parametrize(("level", "first"), [("type", "1.000"), ("theme", "0.550"), ("none", "0.550")])
def test_it_is_read_at_every_level_it_has(world, round_, level, first):
    frozen = freeze_report(round_=round_, by=world.lead, name="Then")
    text = text_of(get(world.lead, "frozen_report", round_, frozen.pk, level=level))
    expected = "undefined: all labels are the same category" if level == "type" else first
    assert f"All issues 3 9 {'1.000' if level == 'type' else '0.778'} {expected}" in text


def test_final_labels_offer_the_moments_of_the_frozen_reports(world, round_):
    frozen = freeze_report(round_=round_, by=world.lead, name="Then & there")
    viewer = factories.make_member(world.study, Role.VIEWER, pseudonym="V1")
    page = get(viewer, "final_labels", round_)
    assert "When an agreement report was frozen Then & there" in text_of(page)
    moment = frozen.frozen_at.isoformat().replace("+", "%2B").replace(":", "%3A")
    assert f"?since={moment}" in page.content.decode()


# --- refusals


@pytest.mark.parametrize(
    ("name", "said"),
    [("", "Enter a name for the report."), ("SUBMISSION", "already"), ("x" * 121, "at most 120")],
)
def test_a_name_that_is_none_is_said_beside_its_field(world, round_, name, said):
    freeze(world.lead, round_)
    answer = freeze(world.lead, round_, name)
    assert (answer.status_code, FrozenReport.objects.count()) == (422, 1)
    assert said in text_of(answer)
    assert f'value="{name}"' in answer.content.decode() if name else True


def test_a_double_click_freezes_once(world, round_):
    key, browser = str(uuid4()), client(world.lead)
    answers = [freeze(world.lead, round_, key=key, browser=browser) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [302, 302]
    assert answers[1]["Location"] == reverse("frozen_reports", args=[round_.pk])
    assert FrozenReport.objects.count() == Event.objects.filter(verb="reports.frozen").count() == 1


def test_another_rounds_report_is_not_found(world, round_):
    frozen = freeze_report(round_=round_, by=world.lead, name="Then")
    other = world.round(name="Other")
    stranger = factories.make_member(factories.make_study(), Role.OWNER)
    for name in ("frozen_report", "frozen_json"):
        assert get(world.lead, name, other, frozen.pk).status_code == 404
        assert get(stranger, name, round_, frozen.pk).status_code == 404


def test_an_empty_round_offers_nothing_to_freeze(world):
    made = world.round(name="New")
    assert "Freeze report" not in text_of(get(world.lead, "agreement", made))
    assert "Frozen reports of this round will be here." in text_of(get(world.lead, "frozen_reports", made))
    answer = freeze(world.lead, made)
    assert answer.status_code == 422
    assert "there is no report to freeze" in text_of(answer)


# --- what the reader still has to label elsewhere


def test_who_has_something_withheld_gets_the_name_and_the_moment_alone(world, round_, tmp_path):
    frozen = freeze_report(round_=round_, by=world.lead, name="Then")
    world.settle(round_, world.issues[2], "C.2")
    reader = world.members[0]
    again = world.waits_for(reader, world.issues[2])

    def bodies() -> list[str]:
        return [
            get(reader, "agreement", round_).content.decode(),
            get(reader, "frozen_reports", round_).content.decode(),
            get(reader, "frozen_report", round_, frozen.pk, check="yes").content.decode(),
        ]

    for body in bodies():
        assert ">Then<" in body
        assert "1 issue is hidden until you label it" in body
        assert not re.search(r"0\.550|changed since|>the same</span>|Compare with current labels", body)
        assert frozen.inputs_hash not in body
    refused = get(reader, "frozen_json", round_, frozen.pk)
    assert refused.status_code == 409
    assert "issues that you still have to label in another round" in text_of(refused)
    write_package(round_, tmp_path / "held.zip", blind=withheld_issues(round_, reader))
    with ZipFile(tmp_path / "held.zip") as archive:
        assert not [name for name in archive.namelist() if name.startswith("reports/")]
        assert json.loads(archive.read("manifest.json"))["withheld_reports"] == 1
    assert "reports/" not in text_of(client(reader).get(reverse("export", args=[world.study.slug])))

    world.submit(again, world.issues[2], reader, "C.1")
    assert "0.550" in bodies()[2]
    assert get(reader, "frozen_json", round_, frozen.pk).status_code == 200


def test_who_looks_again_at_an_issue_does_not_read_what_was_frozen_of_it(world, round_, tmp_path):
    frozen = freeze_report(round_=round_, by=world.lead, name="Then")
    change(world, RETIRE, "C.2")
    world.version = publication(world)
    [first, _second, third] = world.members
    assert get(first, "frozen_json", round_, frozen.pk).status_code == 409, "looks at the second issue again"
    assert "2 issues are hidden until you label them" in text_of(get(third, "frozen_reports", round_))
    round_.refresh_from_db()
    blind = withheld_issues(round_, third)
    assert blind.count() == 0, "nothing of it is revealed"
    write_package(round_, tmp_path / "third.zip", blind=blind, reader=Reader(third))
    with ZipFile(tmp_path / "third.zip") as archive:
        assert not [name for name in archive.namelist() if name.startswith("reports/")]
    assert "reports/" not in text_of(client(third).get(reverse("export", args=[world.study.slug])))
    assert get(world.lead, "frozen_json", round_, frozen.pk).status_code == 200, "labels nothing"

    world.submit(round_.looks.get(), world.issues[1], first, "C.1")
    assert get(first, "frozen_json", round_, frozen.pk).status_code == 200


def test_a_lead_with_something_withheld_is_offered_no_freezing(world, round_):
    world.waits_for(world.lead, world.issues[0])
    page = text_of(get(world.lead, "agreement", round_))
    assert "Freeze report" not in page
    assert "Before you can freeze a report, label 1 issue of this round" in page
    assert "Before you can freeze" not in text_of(get(world.members[0], "agreement", round_))
    answer = freeze(world.lead, round_)
    assert (answer.status_code, FrozenReport.objects.count()) == (409, 0)
    assert "1 issue of this round is hidden until you label it" in text_of(answer)


# --- the package, and what pages cost


def test_the_package_holds_every_frozen_report_to_the_byte(world, round_, tmp_path):
    reports = {
        name: freeze_report(round_=round_, by=world.lead, name=name)
        for name in ("Then & there", "then there", "冻结")
    }
    expected = {
        "reports/then-there.json": reports["Then & there"],
        f"reports/then-there-{reports['then there'].pk}.json": reports["then there"],
        f"reports/{reports['冻结'].pk}.json": reports["冻结"],
    }
    assert package_files(round_) == expected
    # A name that is what another one would become with its key: none takes the file of another.
    last = max(one.pk for one in reports.values())
    for name in (f"x {last + 3}", "x", "x!"):
        freeze_report(round_=round_, by=world.lead, name=name)
    assert len(package_files(round_)) == len(reports) + 3
    hashes = write_package(round_, tmp_path / "package.zip")
    with ZipFile(tmp_path / "package.zip") as archive:
        for name, frozen in expected.items():
            assert archive.read(name).decode() == frozen.document
            assert name in hashes
        kept = json.loads(archive.read("reports/then-there.json"))
        assert kept["inputs"] == {"file": "labels_long.csv", "sha256": hashes["labels_long.csv"]}
    page = text_of(client(world.lead).get(reverse("export", args=[world.study.slug])))
    assert all(name in page for name in expected)


def alter(frozen, *path):
    """Change a number of a stored report, past what guards it."""
    whole = json.loads(frozen.document)
    part = whole["levels"]["theme"]
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] += 1 if isinstance(part[path[-1]], int) else 0.01
    with pgtrigger.ignore("reports.FrozenReport:frozen_reports_stay"):
        FrozenReport.objects.filter(pk=frozen.pk).update(document=json.dumps(whole, indent=2) + "\n")


KAPPA = ("groups", 0, "coefficients", "fleiss_kappa", "value")
ALTERED = "Altered: all labels and decisions are the same as then, but their numbers are not."


def said_of(member, round_, frozen):
    """Whether the list, the page and REST say that a report was altered."""
    listed = text_of(get(member, "frozen_reports", round_))
    page = text_of(get(member, "frozen_report", round_, frozen.pk))
    told = client(member).get(reverse("api_frozen_difference", args=[round_.pk, frozen.pk])).json()["altered"]
    assert ("altered" in listed, ALTERED in page) == (told, told)
    return told, page


def test_numbers_of_the_same_labels_that_differ_are_altered(world, round_):
    freeze(world.lead, round_)
    frozen = FrozenReport.objects.get()
    assert said_of(world.members[0], round_, frozen)[0] is False

    alter(frozen, *KAPPA)
    told, page = said_of(world.members[0], round_, frozen)
    assert told is True
    assert "Somebody changed the stored report, or the way in which Crosscheck computes its numbers." in page
    with pgtrigger.ignore("reports.FrozenReport:frozen_reports_stay"):
        FrozenReport.objects.update(code_version="0.0.9")
    assert "Crosscheck 0.0.9 computed this report" in said_of(world.members[0], round_, frozen)[1]


@pytest.mark.parametrize("what", ["decision", "issue", "model"])
def test_what_other_labels_or_decisions_explain_is_not_altered(world, round_, what):
    freeze(world.lead, round_)
    frozen = FrozenReport.objects.get()
    if what == "decision":
        world.settle(round_, world.issues[2], "C.2")
    elif what == "issue":
        label_all(world, round_, *["- - -"] * 3, "C.1 C.1 C.1")
    else:
        model = factories.make_member(world.study, Role.MODEL, pseudonym="M1")
        rows = [ModelRow(world.issues[0].pk, "C.1")]
        label_as_model(round_=round_, member=model, rows=rows)

    told, page = said_of(world.members[0], round_, frozen)
    assert told is False
    assert "different now" in page
    alter(frozen, *KAPPA)
    assert said_of(world.members[0], round_, frozen)[0] is (what == "model")


@pytest.mark.parametrize("name", ["agreement", "frozen_reports", "frozen_report", "final_labels"])
@pytest.mark.slow(cases=2)
def test_pages_cost_the_same_with_one_frozen_report_and_with_three(world, round_, name):
    counts = []
    browser = client(world.lead)
    for more in (["a"], ["b", "c"]):
        made = [freeze_report(round_=round_, by=world.lead, name=one) for one in more]
        address = reverse(name, args=[round_.pk, *([made[-1].pk] if name == "frozen_report" else [])])
        counts.append(queries_of(browser, address))
    assert counts[0] == counts[1] <= 47
