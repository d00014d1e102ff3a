from datetime import timedelta

from django.utils import timezone

from studies.models import Membership, Study
from taxonomy.actions import Acted, act, open_motion
from taxonomy.models import Category, CategoryState, Motion, Taxonomy, Version
from taxonomy.queries.drafts import drafted
from taxonomy.tree.drafts import RETIRE

CODES = "A A.1 A.1.i A.1.ii A.2 B B.1 B.2 C C.1 C.1.i C.2 C.3 C.9 C.10".split()


def make_version(study: Study, codes=CODES, *, taxonomy: Taxonomy | None = None, published=True) -> Version:
    """A version whose tree is given by codes, parents before children: the code's dots are its levels."""
    taxonomy = taxonomy or Taxonomy.objects.create(
        study=study, name=f"Taxonomy {study.taxonomies.count() + 1}"
    )
    version = Version.objects.create(taxonomy=taxonomy, number=taxonomy.versions.count() + 1)
    categories = Category.objects.bulk_create(Category(taxonomy=taxonomy) for _ in codes)
    made = dict(zip(codes, categories, strict=True))
    CategoryState.objects.bulk_create(
        CategoryState(
            version=version,
            category=made[code],
            parent=made.get(code.rpartition(".")[0]),
            level=code.count(".") + 1,
            code=code,
            name=f"Name of {code}",
            definition=f"Definition of {code}",
            position=position,
        )
        for position, code in enumerate(codes)
    )
    if published:
        Version.objects.filter(pk=version.pk).update(published_at=timezone.now())
        version.refresh_from_db()
    return version


def category(version: Version, code: str) -> Category:
    """The category of this code; the categories of a published version are asked for once."""
    if version.published_at is None:
        return Category.objects.get(states__version=version, states__code=code)
    if "by_code" not in version.__dict__:
        states = CategoryState.objects.filter(version=version).select_related("category")
        version.by_code = {state.code: state.category for state in states}
    return version.by_code[code]


def edit(taxonomy: Taxonomy, kind: str, key: str | None, values=None, *, by=None, seen=None) -> Acted:
    """One change in the draft of a taxonomy, by nobody unless said."""
    return act(taxonomy=taxonomy, kind=kind, key=key, values=values or {}, by=by, seen=seen)


def propose(
    taxonomy: Taxonomy, by: Membership, kind: str = RETIRE, code="", *, values=None, **more
) -> Motion:
    """A change put to the vote for a week; `code` is that of the category in the draft that it is about."""
    keys = {entry.code: entry.key for entry in drafted(taxonomy).draft}
    fields = {"reasons": "Nobody uses it.", "deadline": timezone.now() + timedelta(days=7)} | more
    return open_motion(taxonomy=taxonomy, by=by, kind=kind, key=keys.get(code), values=values or {}, **fields)
