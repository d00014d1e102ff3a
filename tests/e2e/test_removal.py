"""Taking issues out of a study in a real browser: as axe finds both pages, on a phone too, and by hand."""

import pytest
from django.urls import reverse

from ingest.models import Import, Issue
from studies.models import Role
from tests.e2e.axe import violations
from tests.factories import make_issue, make_member, make_repository, make_round, make_study, make_version

pytestmark = pytest.mark.django_db(transaction=True)

WIDER = "document.documentElement.scrollWidth - innerWidth"


@pytest.mark.parametrize("look", [{"phone": True}])
def test_an_issue_is_removed_and_an_import_says_what_needs_it(open_page, look):
    study = make_study()
    lead = make_member(study, Role.LEAD)
    repository = make_repository(study, "wrong/place")
    run = Import.objects.create(
        study=study, kind=Import.Kind.ISSUES, name="wrong.jsonl", counts={"rows": 2, "complete": True}
    )
    spam, needed = make_issue(repository, "7"), make_issue(repository, "8")
    Issue.objects.update(first_import=run)
    make_round(make_version(study), [needed], [lead], name="Main")

    page = open_page(lead.user, reverse("issue", args=[study.slug, spam.pk]), **look)
    page.get_by_role("link", name="Remove issue …").click()
    assert violations(page) == []
    assert page.evaluate(WIDER) <= 0
    page.get_by_label("Why do you remove this issue?").fill("Spam.")
    page.get_by_role("button", name="Remove issue").click()
    page.get_by_text("wrong/place#7 is removed.").wait_for()
    page.goto(reverse("import", args=[study.slug, run.pk]))
    page.get_by_role("link", name="Take back import …").click()
    page.get_by_text("1 issue is in the round Main").wait_for()
    assert violations(page) == []
    assert page.evaluate(WIDER) <= 0
    assert page.get_by_role("button", name="Take back import").count() == 0
    assert list(Issue.objects.values_list("number", flat=True)) == ["8"]
