"""What the publication of a version started, in a sentence for the member who published it."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.queries.second_looks import begun
from core.templatetags.crosscheck import count
from studies.models import Membership
from taxonomy.models import Version


def sentence(*, version: Version, member: Membership | None, **_sent: object) -> str:
    """How many labels of how many people need a second look, or only the reader's own; "" for none."""
    number, asked, is_own = begun(version, member)
    labels = ngettext("%(n)s label", "%(n)s labels", number) % {"n": count(number)}
    if is_own:
        return _("A second look begins for %(labels)s of yours.") % {"labels": labels}
    people = ngettext("%(n)s person", "%(n)s people", asked) % {"n": count(asked)}
    said = _("A second look begins for %(labels)s of %(people)s.") % {"labels": labels, "people": people}
    return said if number else ""
