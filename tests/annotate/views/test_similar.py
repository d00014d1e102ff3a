"""While people label, no page of theirs says which issues are similar: two volunteers see the same thing."""

import pytest
from django.urls import reverse

from ingest.actions import mark_pair
from ingest.models import SimilarPair

pytestmark = pytest.mark.django_db


def test_the_labelling_page_shows_no_similar_reports(client, world):
    round_ = world.round()
    one, other = world.issues[:2]
    address = reverse("label", args=[round_.pk])

    def pages() -> list[str]:
        client.force_login(world.members[0].user)
        shown = [client.get(address, {"issue": issue.pk}).text for issue in (one, other)]
        return [page[page.index("<article") : page.index("</article>")] for page in shown]

    before = pages()
    pair = SimilarPair.objects.create(study=world.study, first=one, second=other, likeness=1, is_across=False)
    mark_pair(study=world.study, issues=[one.pk, other.pk], kind="duplicate", note="same", by=world.lead.user)
    assert pages() == before
    texts = [client.get(address, {"issue": issue.pk}).text for issue in (one, other)]
    assert [word in text for text in texts for word in ("imilar", "uplicate")] == [False] * 4
    assert "Similar reports" in client.get(pair.first.get_absolute_url()).text
