"""The pages of findings, by role and by kind of evidence."""

import pytest
from django.urls import reverse

from findings.actions.findings import add_finding, freeze_finding
from findings.models import Evidence, Finding
from findings.queries.findings import finding_line
from interviews.models import Consent
from tests.findings.world import FindingWorld, finding_world
from tests.kept import kept
from tests.worlds.pages import client, queries_of, text_of

pytestmark = pytest.mark.django_db


@kept
def world() -> FindingWorld:
    return finding_world()


@pytest.fixture
def lead(world):
    return client(world.lead)


def of(name, finding, *more):
    return reverse(name, args=[finding.pk, *more])


def test_a_lead_writes_a_finding_and_attaches_evidence_of_each_kind(world, lead):
    listed = reverse("findings", args=[world.study.slug])
    assert "No finding yet" in text_of(lead.get(listed))
    address = reverse("new_finding", args=[world.study.slug])
    assert lead.post(address, {"text": " "}).status_code == 422
    made = lead.post(address, {"text": "Kappa is {1}."})
    finding = Finding.objects.get()
    assert made.url == finding.get_absolute_url()
    assert "No evidence yet" in text_of(lead.get(made.url))

    shown = lead.get(of("attach_evidence", finding, "number"), {"round": world.round.pk, "level": "theme"})
    assert "All issues: Fleiss’ kappa" in text_of(shown)
    fewer = lead.get(
        of("attach_evidence", finding, "number"), {"round": world.round.pk, "level": "theme", "q": "gwet all"}
    )
    assert 0 < len(fewer.context["figures"]) < len(shown.context["figures"])
    key = {"round": world.round.pk, "level": "theme", "figure": "groups|all|fleiss_kappa"}
    assert lead.post(of("attach_evidence", finding, "number"), key | {"figure": ""}).status_code == 422
    assert lead.post(of("attach_evidence", finding, "number"), key).url == finding.get_absolute_url()

    assert "“" not in text_of(lead.get(of("attach_evidence", finding, "quote"), {"q": "nowhere"}))
    chosen = lead.get(of("attach_evidence", finding, "quote"), {"q": "MODELS u1"})
    assert [name for name, _session, _line in chosen.context["quotes"]] == ["U1.1.2.9-15"]
    lead.post(of("attach_evidence", finding, "quote"), {"quote": "U1.1.2.9-15", "note": "why"})
    twice = lead.post(of("attach_evidence", finding, "quote"), {"quote": "U1.1.2.9-15"})
    assert (twice.status_code, "already attached" in twice.text) == (422, True)

    issue = world.base.issues[0]
    wrong = lead.post(of("attach_evidence", finding, "issue"), {"issue": "https://example.org/1"})
    assert (wrong.status_code, "no such issue" in wrong.text) == (422, True)
    lead.post(of("attach_evidence", finding, "issue"), {"issue": issue.url, "round": world.round.pk})
    lead.post(
        of("attach_evidence", finding, "ranking"),
        {"question": world.question.pk, "category": world.category("A").pk},
    )
    assert list(Evidence.objects.values_list("number", "kind")) == [
        (1, "number"), (2, "quote"), (3, "issue"), (4, "ranking"),
    ]  # fmt: skip
    line = finding_line(finding, world.lead)
    page = text_of(lead.get(finding.get_absolute_url()))
    assert f"Kappa is {line.evidence[0].shown} ." in page
    assert "settled quote U1, 2025-05-06, turn 2 as confirmed models A.1 why" in page
    assert lead.get(of("attach_evidence", finding, "magic")).status_code == 404
    chain = text_of(lead.get(reverse("finding_chain", args=[world.study.slug])))
    assert "U1, 2025-05-06, turn 2 settled quote models A.1 why as confirmed Finding 1, evidence 2" in chain


def test_evidence_is_removed_brought_back_and_confirmed(world, lead):
    finding = world.finding()
    lead.post(of("remove_evidence", finding, 2))
    page = text_of(lead.get(finding.get_absolute_url()))
    assert ("U1, 2025-05-06" in page, "Evidence 2: settled quote" in page) == (False, True)
    lead.post(of("remove_evidence", finding, 2), {"back": "1"})
    world.base.settle(world.round, world.base.issues[2], "C.9", seen=1)
    page = text_of(lead.get(finding.get_absolute_url()))
    assert "1 piece of evidence changed since somebody confirmed it" in page
    assert "changed" in page
    assert "before: A.1" in page
    assert "evidence changed" in text_of(lead.get(reverse("findings", args=[world.study.slug])))
    lead.post(of("confirm_evidence", finding))
    assert "before:" not in text_of(lead.get(finding.get_absolute_url()))


def test_a_lead_edits_moves_freezes_and_deletes(world, lead):
    one, two = (add_finding(study=world.study, text=text, by=world.lead) for text in ("one", "two"))
    lead.post(of("move_finding", two), {"by": "up"})
    assert list(Finding.objects.values_list("text", flat=True)) == ["two", "one"]
    lead.post(of("move_finding", two), {"by": "down"})
    lead.post(of("move_finding", two), {"by": "down"})
    assert list(Finding.objects.values_list("text", flat=True)) == ["one", "two"]
    assert lead.post(of("move_finding", two)).status_code == 404
    form = lead.get(of("edit_finding", one)).context["form"]
    assert form.initial == {"text": "one", "revision": 1}
    lead.post(of("edit_finding", one), {"text": "first", "revision": 1})
    stale = lead.post(of("edit_finding", one), {"text": "late", "revision": 1})
    assert (stale.status_code, "Somebody else changed this finding" in stale.text) == (409, True)
    lead.post(of("freeze_finding", one))
    assert "froze this finding" in text_of(lead.get(one.get_absolute_url()))
    assert lead.get(of("attach_evidence", one, "quote")).status_code == 409
    assert lead.post(of("delete_finding", one)).status_code == 409
    lead.post(of("freeze_finding", one), {"again": "1"})
    lead.post(of("delete_finding", one))
    listed = text_of(lead.get(reverse("findings", args=[world.study.slug])))
    assert "1 deleted finding" in listed
    lead.post(of("restore_finding", one))
    assert list(Finding.objects.values_list("text", flat=True)) == ["two", "first"]


def test_other_members_read_frozen_findings_with_what_they_may_see(world):
    finding = world.finding()
    listed = reverse("findings", args=[world.study.slug])
    for member in (world.volunteer, world.viewer):
        assert "No finding yet" in text_of(client(member).get(listed))
        assert client(member).get(finding.get_absolute_url()).status_code == 403
    freeze_finding(finding=finding, by=world.lead)
    for member in (world.volunteer, world.viewer):
        page = client(member).get(finding.get_absolute_url())
        assert "models" in text_of(page)
        assert "<form" not in page.text[page.text.index("<main") : page.text.index("</main>")]
    Consent.objects.update(withdrawn_on="2025-07-01")
    page = text_of(client(world.viewer).get(finding.get_absolute_url()))
    assert ("models" in page, "[not to be quoted]" in page) == (False, True)
    for form in ("csv", "md"):
        file = client(world.viewer).get(reverse("findings_file", args=[world.study.slug, form]))
        body = b"".join(file.streaming_content) if file.streaming else file.content
        assert (b"models" in body, b"[not to be quoted]" in body) == (False, True)
    assert client(world.model).get(listed).status_code == 403
    assert client(world.stranger).get(finding.get_absolute_url()).status_code == 404
    assert (
        client(world.viewer).get(reverse("findings_file", args=[world.study.slug, "pdf"])).status_code == 404
    )


def test_pages_cost_the_same_for_one_and_for_three(world, lead):
    finding = world.finding()
    pages = [reverse(name, args=[world.study.slug]) for name in ("findings", "finding_chain")]
    one = [queries_of(lead, page) for page in pages]
    alone = queries_of(lead, finding.get_absolute_url())
    for _ in range(2):
        world.finding()
    assert [queries_of(lead, page) for page in pages] == one
    assert queries_of(lead, finding.get_absolute_url()) == alone
