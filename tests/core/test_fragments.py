from django.conf import settings as configured
from django.utils.safestring import SafeString

from core import embedded
from core.text.fragments import Fragments, drawn_by

OPTIONS = configured.CACHES["template_fragments"]


def test_what_was_drawn_is_kept_and_its_loss_is_no_error(tmp_path):
    html = "<p>\u8bdd &amp; more</p>" * 100
    address = embedded.ensure_redis(tmp_path)
    kept = Fragments(address, OPTIONS)
    try:
        kept.set("one", SafeString(html), 60)
        assert Fragments(address, OPTIONS).get("one") == html
        assert kept.get("other") is None
    finally:
        embedded.stop_all(tmp_path)
    kept.set("two", "nobody keeps this", 60)
    assert (kept.get("one"), kept.get("two", "nothing")) == (None, "nothing")


def test_another_template_or_renderer_draws_anew(settings, tmp_path):
    folder = tmp_path / "templates" / "ingest"
    folder.mkdir(parents=True)
    template = folder / "_issue.html"
    template.write_text("one")
    settings.BASE_DIR = tmp_path
    drawn_by.cache_clear()
    first = drawn_by()
    assert drawn_by() == first
    template.write_text("three")
    drawn_by.cache_clear()
    assert drawn_by() != first
    drawn_by.cache_clear()
