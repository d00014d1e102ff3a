"""Examples of a codebook that are taken from issues."""

from django.db import transaction

from annotate.errors import NotAnExample
from annotate.queries.examples import can_show, example_line
from ingest.models import Issue
from rounds import errors
from studies.models import Membership
from taxonomy.actions import Acted, act
from taxonomy.models import Taxonomy
from taxonomy.queries.drafts import drafted
from taxonomy.rules import may_edit_taxonomies
from taxonomy.tree.drafts import DESCRIBE


@transaction.atomic
def take_example(*, taxonomy: Taxonomy, key: str, issue: Issue, by: Membership) -> Acted:
    """Add the title and the address of an issue to a category's examples, as a change in the draft of the
    version. An address that is there already changes nothing. Raises NotAllowed, NotAnExample, ChangeRefused.
    """
    if not may_edit_taxonomies(by) or by.study_id != taxonomy.study_id:
        raise errors.NotAllowed
    Taxonomy.objects.select_for_update(no_key=True).get(pk=taxonomy.pk)
    found = drafted(taxonomy)
    if key not in found.draft or not can_show(taxonomy, issue.pk):
        raise NotAnExample
    examples = found.draft[key].examples
    if issue.url in examples.split():
        return Acted(None, found)
    values = {"examples": f"{examples}\n{example_line(issue)}".strip()}
    return act(taxonomy=taxonomy, kind=DESCRIBE, key=key, values=values, by=by.user)
