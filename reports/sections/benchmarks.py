"""The word of Landis and Koch for each coefficient, with Gwet's probability of this word."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext_lazy

from agreement import benchmark
from reports.agreement_report import AgreementReport
from reports.frozen.figures import listed
from reports.sections.columns import COEFFICIENT, VALUE, Column
from reports.sections.section import JsonPart, Section
from reports.sentences.benchmarks import LANDIS_KOCH_WORDS
from reports.sentences.definitions import COEFFICIENTS


def benchmarks(report: AgreementReport) -> Iterator[dict[str, Any]]:
    """Each coefficient beyond chance that has a standard error."""
    for name in COEFFICIENTS:
        coefficient = report.overall.coefficients[name]
        found = benchmark(coefficient) if name != "percent_agreement" else None
        if found:
            yield {
                "coefficient": name,
                "value": coefficient.value,
                "word": found.word,
                "word_probability": found.at_least[found.word],
                "sure_word": found.sure,
                "sure_probability": found.at_least[found.sure],
            }


def _without_value(one: Mapping[str, Any]) -> dict[str, Any]:
    """As in the JSON, which has the value in its coefficient."""
    return {key: value for key, value in one.items() if key != "value"}


def _word(_report: AgreementReport, text: str) -> str:
    return str(LANDIS_KOCH_WORDS.get(text, text))


def _of(one: Mapping[str, Any]) -> str:
    return str(one["coefficient"])


BENCHMARKS = Section(
    key="benchmark",
    title=gettext_lazy("Words for the coefficients"),
    columns=(
        COEFFICIENT,
        VALUE,
        Column("word", gettext_lazy("Word"), words=_word),
        Column("word_probability", gettext_lazy("Probability of this word or a higher one")),
        Column("sure_word", gettext_lazy("Word with 95 % probability"), words=_word),
        Column("sure_probability", gettext_lazy("Its probability")),
    ),
    rows=lambda report: (one.values() for one in benchmarks(report)),
    json=JsonPart(
        "benchmark",
        lambda report: [_without_value(one) for one in benchmarks(report)],
        listed("benchmark", "word_probability", "sure_probability", of=_of),
        parts={"benchmark": gettext_lazy("Word for %(of)s")},
    ),
)
