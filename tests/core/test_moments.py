from datetime import UTC, datetime

import pytest
from django.utils import formats, translation

from core.text.moments import day_time, exactly, weekday_time

AT = datetime(2025, 6, 3, 14, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("language", "written"),
    [
        ("en", ("3 June 2025, 14:05 UTC", "3 June, 14:05", "Tue 3 Jun 2025, 14:05")),
        ("zh-hans", ("2025年6月3日 14:05 UTC", "6月3日 14:05", "2025年6月3日 14:05（星期二）")),
    ],
)
def test_moments_are_written_in_the_order_of_the_language(language, written):
    with translation.override(language):
        said = exactly(AT), day_time(AT), weekday_time(AT)

    assert said == written


def test_a_moment_is_written_in_the_zone_of_the_reader(settings):
    settings.TIME_ZONE = "Asia/Shanghai"

    with translation.override("en"):
        assert exactly(AT) == "3 June 2025, 22:05 CST"
        assert day_time(AT) == "3 June, 22:05"


@pytest.mark.parametrize(("language", "written"), [("en", "1,234,567"), ("zh-hans", "1,234,567")])
def test_large_numbers_stand_in_groups_of_three(language, written):
    with translation.override(language):
        assert formats.number_format(1234567, force_grouping=True) == written
