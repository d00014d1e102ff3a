"""The agreement of coders as rows of a CSV file: one for each number, with its unit."""

from collections.abc import Iterator

from agreement.coefficients import Coefficient
from interviews.queries.coded import coded_interviews, revealed_of
from interviews.queries.coding_agreement import CodingAgreement, PairOverlap, agreement_of
from studies.models import Membership, Study
from taxonomy.models import Level, Taxonomy
from taxonomy.queries.codebooks import codebook
from taxonomy.queries.taxonomies import published_version

HEADER = (
    "Unit", "Taxonomy", "Level", "Interviews", "Coders", "Code", "Name", "Measure", "Value", "Low", "High",
    "Reason",
)  # fmt: skip
ANSWER, QUOTE, CHARACTER, NONE = "answer and category", "quote", "character in a quote", "does not count"
LEVELS = {"type": Level.TYPE, "theme": Level.THEME, "sub-theme": Level.SUB_THEME}
Row = tuple[object, ...]


def agreement_rows(found: CodingAgreement, taxonomy: str, level: str) -> Iterator[Row]:
    """In the order of HEADER: categories, all of them together, pairs of coders, and what does not count.
    Numbers that are undefined are empty, with the reason in words.
    """
    interviews = " ".join(found.interviews)
    begins = (taxonomy, level, interviews)
    for one in found.categories:
        named = ("", one.state.code, one.state.title)
        yield (ANSWER, *begins, *named, "answers_any_coder", one.any_coder, "", "", "")
        yield (ANSWER, *begins, *named, "answers_all_coders", one.all_coders, "", "", "")
        for name, number in one.coefficients.items():
            yield (ANSWER, *begins, *named, name, *_numbers(number))
    if found.answers:
        yield (ANSWER, *begins, "", "", "", "answers", found.answers, "", "", "")
    for name, number in found.pooled.items():
        yield (ANSWER, *begins, "", "", "", name, *_numbers(number))
    for pair in found.pairs:
        yield from _pair(pair, begins)
    for name, count in (("codes_outside_level", found.outside), ("quotes_left_behind", found.left_behind)):
        if count:
            yield (NONE, *begins, "", "", "", name, count, "", "", "")
    for interview, coder in found.unfinished:
        yield (NONE, taxonomy, level, interview, coder, "", "", "unfinished_coder", "", "", "", "")


def _pair(pair: PairOverlap, begins: Row) -> Iterator[Row]:
    named = (f"{pair.first} {pair.second}", "", "")
    counts = {"quotes": pair.quotes, "overlap_the_other": pair.met, "with_an_equal_code": pair.equal}
    for name, count in counts.items():
        yield (QUOTE, *begins, *named, name, count, "", "", "")
    if pair.characters:
        yield (CHARACTER, *begins, *named, "shared_characters", *_numbers(pair.characters))


def _numbers(number: Coefficient) -> tuple[object, ...]:
    reason = number.reason.text if number.reason else ""
    return (number.value, number.low, number.high, reason)


def study_rows(study: Study, member: Membership | None) -> Iterator[Row]:
    """The rows of all taxonomies and levels, of the revealed interviews that this member may read; None: the
    shell, which reads all. Nine queries for each taxonomy.
    """
    shown = revealed_of(study, member)
    for taxonomy in Taxonomy.objects.filter(pk__in=shown.values("version__taxonomy")).order_by("pk"):
        version = published_version(taxonomy)
        if version is None:
            continue  # a coding has a published one
        interviews, book = coded_interviews(shown.filter(version__taxonomy=taxonomy)), codebook(version)
        for name, level in LEVELS.items():
            if book.at_level(level):
                yield from agreement_rows(agreement_of(interviews, book, level), taxonomy.name, name)
