"""Links to the pages that show evidence. Pure."""

from standards.facts import Facts
from standards.outcomes import Link


def main(facts: Facts, page: str) -> Link | None:
    """A page of the main round."""
    return Link(page, (facts.main.round.pk,)) if facts.main else None


def study(facts: Facts, page: str, *, leads_only: bool = False) -> Link:
    """A page of the study."""
    return Link(page, (facts.slug,), leads_only)


def taxonomy(facts: Facts) -> Link | None:
    return Link("taxonomy", (facts.taxonomy.pk,)) if facts.taxonomy else None


def screening(facts: Facts) -> Link | None:
    return Link("screening", (facts.screening.round_pk,)) if facts.screening else None


def sample(facts: Facts) -> Link:
    """The page of the last sample, or the list of samples."""
    if facts.samples:
        return Link("sample", (facts.slug, facts.samples[-1].pk))
    return study(facts, "samples")
