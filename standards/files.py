"""The files of this room, for pages, REST and the replication package."""

from collections.abc import Iterable, Iterator

from rounds.models import Round
from standards.checks import CHECKS
from standards.facts import Facts
from standards.queries.facts import facts_of_panel, read_facts
from standards.queries.items import ItemLine, item_lines, not_met_in_panel
from standards.sets import standards
from standards.texts.availability import citation_cff, data_availability
from standards.texts.checklist import checklist_csv, checklist_markdown
from standards.texts.method import method, method_markdown, numbers_csv
from studies.models import Membership, Study

BUILT_IN = "reviewers"
TEXTS = ("method.md", "method_numbers.csv", "data_availability.md", "CITATION.cff")
"""Files that belong to the study and not to one set."""


def text_file(name: str, facts: Facts, lines: list[ItemLine]) -> Iterable[bytes]:
    """One of `TEXTS`; `lines` are those of the built-in set. KeyError for another name."""
    match name:
        case "method.md":
            return [method_markdown(facts, method(facts, lines)).encode()]
        case "method_numbers.csv":
            return numbers_csv(method(facts, lines))
        case "data_availability.md":
            return [data_availability(facts).encode()]
        case "CITATION.cff":
            return [citation_cff(facts.citation, facts.name).encode()]
    raise KeyError(name)


def package_files(round_: Round, member: Membership | None) -> Iterator[tuple[str, Iterable[bytes]]]:
    """The files of this room for the replication package of a round, as this member may know them; None, a
    command, knows all. `checklist.md` and `checklist.csv` are of the built-in set; further sets add their key
    to the name.
    """
    study = round_.study
    facts = read_facts(study, member, of=round_, whole=True)
    found = standards(CHECKS)
    lines = {key: item_lines(one, facts, study) for key, one in found.items()}
    for key, one in found.items():
        name = "checklist" if key == BUILT_IN else f"checklist-{key}"
        yield f"{name}.md", [checklist_markdown(one, lines[key]).encode()]
        yield f"{name}.csv", checklist_csv(lines[key])
    for name in TEXTS:
        yield name, text_file(name, facts, lines[BUILT_IN])


def unmet_items(study: Study, member: Membership) -> list[ItemLine]:
    """What is not met and can still be mended, for the overview: nothing computed from labels."""
    facts = facts_of_panel(study, member)
    return not_met_in_panel(standards(CHECKS)[BUILT_IN], facts, study)
