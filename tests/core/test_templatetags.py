"""The small pieces that every page draws."""

import hashlib
import re
import uuid
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.template import engines
from django.utils import timezone

from core.icons import ICONS
from core.models import Job

ROOT = Path(settings.BASE_DIR)


def draw(source: str, request=None, **context) -> str:
    return engines["django"].from_string(source).render(context, request)


def test_icon():
    assert draw('{% icon "check" %}') == (
        f'<svg class="i" viewBox="0 0 16 16" aria-hidden="true">{ICONS["check"]}</svg>'
    )
    with pytest.raises(KeyError):
        draw('{% icon "nonesuch" %}')


def test_every_icon_that_a_template_names_exists():
    named = {
        name
        for template in (ROOT / "templates").rglob("*.html")
        for name in re.findall(r'\{% icon "([^"]+)"', template.read_text())
    }
    assert len(named) > 5
    assert named <= set(ICONS)


@pytest.mark.parametrize(
    ("code", "types", "classes"),
    [
        ("A", {"A": 0, "B": 1, "C": 2, "D": 3}, "code ta"),
        ("B.2", {"A": 0, "B": 1, "C": 2, "D": 3}, "code tb"),
        ("C.2.ii", {"A": 0, "B": 1, "C": 2, "D": 3}, "code tc"),
        ("D.1", {"A": 0, "B": 1, "C": 2, "D": 3}, "code"),
        ("X", {"X": 0, "A": 1}, "code ta"),
        ("Z.1", {"A": 0}, "code"),
        ("A.1", None, "code"),
        ("Q", 2, "code tc"),
        ("Q", 3, "code"),
        ("B.1", {"A": 0, "B": 0}, "code ta"),
    ],
)
def test_code_chip_takes_its_hue_from_the_position_of_its_type(code, types, classes):
    drawn = draw("{% code_chip code types %}", code=code, types=types)
    assert drawn == f'<span class="{classes}">{code}</span>'


def test_code_chip_variants_and_escaping():
    assert draw('{% code_chip code types css="solid" title=name %}', code="<i>", types={}, name='"x"') == (
        '<span class="code solid" title="&quot;x&quot;">&lt;i&gt;</span>'
    )
    assert draw("{{ code|hue:types }}", code="B.1", types={"A": 0, "B": 1}) == "tb"


@pytest.mark.parametrize(
    ("part", "base", "digits", "words"),
    [
        (385, 542, 0, "71 % of 542"),
        (20391, 38736, 1, "52.6 % of 38,736"),
        (13582, 25784, 1, "52.7 % of 25,784"),
        (2, 12, 0, "17 % of 12"),
        (0, 542, 0, "0 % of 542"),
        (542, 542, 0, "100 % of 542"),
        (1, 38736, 0, "under 1 % of 38,736"),
        (38735, 38736, 0, "over 99 % of 38,736"),
        (0, 0, 0, "none of 0"),
    ],
)
def test_percent_of_carries_its_base(part, base, digits, words):
    drawn = draw("{% percent_of part base digits %}", part=part, base=base, digits=digits)
    assert drawn.replace("\xa0", " ") == words


def test_count():
    assert draw("{{ a|count }} {{ b|count }} {{ none|count }}", a=38736, b=7, none=None) == "38,736 7 "


@pytest.mark.parametrize(
    ("ago", "words"),
    [
        (timedelta(seconds=-20), "just now"),
        (timedelta(seconds=44), "just now"),
        (timedelta(seconds=50), "1 minute ago"),
        (timedelta(minutes=3), "3 minutes ago"),
        (timedelta(hours=1), "1 hour ago"),
        (timedelta(hours=5), "5 hours ago"),
        (timedelta(days=1, minutes=1), "1 day ago"),
        (timedelta(days=30, minutes=1), "30 days ago"),
    ],
)
def test_since_is_relative_with_the_exact_time_on_hover(ago, words):
    when = timezone.now() - ago
    assert draw("{% since when %}", when=when) == (
        f'<time class="" datetime="{when:%Y-%m-%dT%H:%M:%SZ}" title="{when:%Y-%m-%d %H:%M} UTC" data-since>'
        f"{words}</time>"
    )


def test_since_names_the_day_of_what_is_long_ago():
    assert draw('{% since when "xs" %}', when=datetime(2024, 6, 11, 14, 2, tzinfo=UTC)) == (
        '<time class="xs" datetime="2024-06-11T14:02:00Z" title="2024-06-11 14:02 UTC">11 Jun 2024</time>'
    )
    day = draw("{% since when %}", when=date(2024, 6, 11))
    assert day == '<time class="" datetime="2024-06-11">11 Jun 2024</time>'
    assert draw("{% since when %}", when=None) == "never"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 s"),
        (38.4, "38 s"),
        (240, "4 min"),
        (5160, "1 h 26 min"),
        (273_600, "3 d 4 h"),
        (None, ""),
        (-5, "0 s"),
    ],
)
def test_duration(seconds, words):
    assert draw("{{ seconds|duration }}", seconds=seconds) == words


def test_form_key_is_new_at_each_rendering():
    twice = draw("{% form_key %}\n{% form_key %}")
    keys = re.findall(r'^<input type="hidden" name="form_key" value="(.+)">$', twice, re.MULTILINE)
    assert len({uuid.UUID(key) for key in keys}) == 2


@pytest.mark.parametrize(
    ("person", "letters"),
    [("Ada Lovelace", "AL"), ("ada", "A"), ("ada.lovelace@example.org", "AL"), ("A B C", "AC"), ("", "")],
)
def test_initials(person, letters):
    assert draw("{{ person|initials }}", person=person) == letters


@pytest.mark.parametrize(
    ("cookie", "attribute"),
    [("dark", ' data-theme="dark"'), ("light", ' data-theme="light"'), ('x" onload="', ""), (None, "")],
)
def test_theme_attribute_follows_the_cookie(asking, cookie, attribute):
    request = asking(cookies={"theme": cookie} if cookie else {})
    assert draw("{% theme_attribute %}", request) == attribute


def test_query_changes_the_address_of_this_page(asking):
    request = asking("/x/?state=open&page=3&type=A&type=B")
    assert draw('{% autoescape off %}{% query state="settled" page=None %}{% endautoescape %}', request) == (
        "?state=settled&type=A&type=B"
    )
    assert draw('{% query state="" page=None type=None %}', request) == "/x/"


def test_pace_of_a_job():
    started = timezone.now() - timedelta(seconds=100)
    running, queued = Job(done=500, total=1000, started_at=started), Job(done=0, total=None)
    pace = "{% with p=job|pace %}{{ p.rate }} {{ p.left|duration }}{% endwith %}"
    assert draw(pace, job=running) == "5 2 min"
    pace = "{% with p=job|pace %}{{ p.rate }} {{ p.left }} {{ p.spent }}{% endwith %}"
    assert draw(pace, job=queued) == "None None None"


def test_vendored_files_are_the_listed_ones():
    rows = re.findall(
        r"^\| `([^`]+)`.*`([0-9a-f]{64})` \|$", (ROOT / "static/vendor/VENDORED.md").read_text(), re.MULTILINE
    )
    fonts = sorted(f"drawing/fonts/{path.name}" for path in (ROOT / "drawing/fonts").glob("*.otf"))
    served = sorted(f"static/vendor/{path.name}" for path in (ROOT / "static/vendor").glob("*.js"))
    assert sorted(name for name, _ in rows) == [*fonts, *served, "tests/vendor/axe.min.js"]
    for name, checksum in rows:
        assert hashlib.sha256((ROOT / name).read_bytes()).hexdigest() == checksum


def test_templates_hold_no_inline_style_or_script():
    for template in (ROOT / "templates").rglob("*.html"):
        source = template.read_text()
        if template.name == "report.html":
            # A file that is handed out: its one sheet of style is in it, and its own policy allows no more.
            assert source.count("<style>{% include") == 1
            assert "default-src 'none'; style-src 'unsafe-inline'" in source
            source = source.replace("<style>{% include", "")
        assert not re.search(r"\sstyle=|\son[a-z]+=|<style|hx-on|javascript:", source), template
        assert not re.search(r"<script(?![^>]*\bsrc=)", source), template
        assert "|safe" not in source or template.name == "_field.html", template
