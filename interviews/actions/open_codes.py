"""Open codes that become proposals for the taxonomy."""

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils.translation import gettext as _

from interviews.errors import NamesLeft, NotAnOpenCode
from interviews.models import Coding, OpenCode
from interviews.queries.open_codes import open_codes_shown, revealed_codings
from interviews.queries.pseudonyms import names_left
from interviews.rules import may_see_identities
from rounds.actions.proposals import open_proposal_of
from studies.actions import record
from studies.models import Membership, Study
from taxonomy.models import Proposal
from taxonomy.rules import may_propose
from taxonomy.tree import look_alike


@transaction.atomic
def propose_open_code(*, study: Study, name: str, by: Membership) -> Proposal:
    """Propose an open code of a revealed coding as a category, in the taxonomy of its newest coding. All open
    codes with a name that looks alike then point to the proposal. The same twice changes nothing. Raises
    NotAnOpenCode, NamesLeft, IdentityUnreadable and PermissionDenied.
    """
    if by.study_id != study.pk or not may_propose(by):
        raise PermissionDenied
    folded = look_alike(name)
    same = [one for one in open_codes_shown(study, by).order_by("pk") if look_alike(one.name) == folded]
    if not same:
        raise NotAnOpenCode
    known = next((one.proposal for one in same if one.proposal), None)
    if known is None:
        coding = Coding.objects.filter(
            pk__in=revealed_codings(study, by).values("pk"), quotes__codes__open_code__in=same
        ).select_related("version")
        version = coding.order_by("-revealed_at")[0].version
        _require_unnamed(study, same[0], by)
        known = open_proposal_of(version=version, member=by, name=same[0].name)
        record(study, "open_codes.proposed", by.user, name=known.name)
    OpenCode.objects.filter(pk__in=[one.pk for one in same], proposal=None).update(proposal=known)
    return known


def _require_unnamed(study: Study, code: OpenCode, by: Membership) -> None:
    """Raise NamesLeft for an open code with a listed name: the whole study reads proposals. Only who may see
    identities reads the text of the code in the refusal.
    """
    if not names_left(study.pk, [code.name]):
        return
    if may_see_identities(by):
        words = _(
            "The open code “%(name)s” of %(coder)s contains a listed name. Nothing was proposed. Add the"
            " category to a draft of the taxonomy under another name."
        )
        raise NamesLeft(words % {"name": code.name, "coder": code.made_by.pseudonym}, field="name")
    words = _(
        "The name of this open code of %(coder)s contains a listed name of a participant. Nothing was"
        " proposed. Ask a lead to add the category under another name."
    )
    raise NamesLeft(words % {"coder": code.made_by.pseudonym}, field="name")
