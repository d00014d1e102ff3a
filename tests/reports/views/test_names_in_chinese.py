"""A reader of Chinese reads the Chinese names of categories in reports and minutes; files keep the study's own."""

import pgtrigger
import pytest
from django.urls import reverse
from django.utils import translation

from accounts.actions import choose_language
from consensus.actions.meetings import turn_to
from consensus.queries.screening import ExclusionReason
from reports.agreement_report import agreement_report
from reports.sections.categories import CATEGORIES
from rounds.queries.categories import categories_of, codebook
from taxonomy.models import CategoryState
from tests.worlds.meeting import held
from tests.worlds.pages import client

pytestmark = pytest.mark.django_db


def test_agreement_and_minutes_name_categories_in_the_readers_language() -> None:
    world = held(2, members=3, quorum=2)
    turn_to(meeting=world.meeting, item=world.items[0], by=world.lead)
    with pgtrigger.ignore("taxonomy.CategoryState:published_states_stay"):
        CategoryState.objects.filter(code="C.9").update(name_zh="构建失败")
    codebook.cache_clear()
    categories_of.cache_clear()
    choose_language(user=world.members[0].user, language="zh-hans")

    for page in ("agreement", "minutes"):
        address = reverse(page, args=[world.round_.pk if page == "agreement" else world.meeting.pk])
        assert "构建失败" in client(world.members[0]).get(address).text, page
        assert "构建失败" not in client(world.lead).get(address).text, page
    names = [row[1] for row in CATEGORIES.rows(agreement_report(world.round_))]
    assert "Name of C.9" in names
    assert "构建失败" not in names


def test_a_reason_of_a_screening_is_cached_for_readers_of_all_languages() -> None:
    reason = ExclusionReason("F.1", "Not a defect", 3, 0, name_zh="不是缺陷")

    with translation.override("zh-hans"):
        assert reason.title == "不是缺陷"
    with translation.override("en"):
        assert reason.title == "Not a defect"
