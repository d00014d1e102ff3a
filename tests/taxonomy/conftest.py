"""A published taxonomy with its categories, and who votes on its proposals."""

import pytest

from studies.models import Membership, Role, Study
from taxonomy.models import Taxonomy
from taxonomy.queries.drafts import drafted
from tests.factories import make_member, make_version


@pytest.fixture
def taxonomy(study: Study) -> Taxonomy:
    return make_version(study).taxonomy


@pytest.fixture
def people(taxonomy: Taxonomy) -> list[Membership]:
    return [make_member(taxonomy.study, role) for role in (Role.LEAD, Role.VOLUNTEER, Role.VOLUNTEER)]


@pytest.fixture
def keys(taxonomy: Taxonomy) -> dict[str, str]:
    """The identities of the published categories by their codes."""
    return {entry.code: entry.key for entry in drafted(taxonomy).entries}
