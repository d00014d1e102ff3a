import pytest
from django.template import RequestContext, Template
from django.utils.html import format_html

from core import panels


@pytest.fixture
def place(monkeypatch):
    """A place of a page for which two rooms make something, the second only for issue 7."""
    monkeypatch.delitem(panels._makers, "a.place", raising=False)
    panels.register("a.place", lambda _request, *, issue: format_html("<b>{}</b>", issue))
    panels.register("a.place", lambda request, *, issue: request.path if issue == 7 else "")
    yield "a.place"
    del panels._makers["a.place"]


def test_panels_are_what_the_rooms_above_make_without_what_is_empty(rf, place):
    request = rf.get("/there/")
    assert panels.panels(request, place, issue=7) == ["<b>7</b>", "/there/"]
    assert panels.panels(request, place, issue="<i>") == ["<b>&lt;i&gt;</b>"]
    assert panels.panels(request, "another.place", issue=7) == []


def test_a_template_shows_the_panels_of_a_place(rf, place):
    template = Template('{% panels "a.place" issue=issue %}|{% panels "another.place" issue=issue %}')
    assert template.render(RequestContext(rf.get("/there/"), {"issue": 7})) == "<b>7</b>/there/|"
