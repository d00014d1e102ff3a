"""The method section: each sentence comes from rows or from an answer, and names the file of its numbers."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from core.csv import csv_lines
from core.text.escaping import markdown
from standards.facts import Facts
from standards.outcomes import Said
from standards.queries.items import ItemLine
from standards.sentences import issues, numbers, raters
from standards.sentences.saying import say


@dataclass(frozen=True)
class Paragraphs:
    """One part of the method section: sentences from rows, and what people wrote (number of item or"
    " pseudonym, text)."""

    title: str
    said: tuple[Said, ...]
    answers: tuple[tuple[str, str], ...] = ()

    @property
    def files(self) -> list[str]:
        """The files that have the numbers of this part, each once."""
        return sorted({name for one in self.said if one.numbers for name in one.files})


def method(facts: Facts, lines: Sequence[ItemLine]) -> list[Paragraphs]:
    """The parts that have something to say, in the order of a paper."""
    given = {line.item.check: line for line in lines if line.answer is not None}

    def part(title: str, said: Iterable[Said | None], *checks: str) -> Paragraphs:
        answers = tuple(
            (given[name].item.number, given[name].answer.text)  # type: ignore[union-attr]  # it has an answer
            for name in checks
            if name in given
        )
        return Paragraphs(title, tuple(dict.fromkeys(one for one in said if one)), answers)

    found = facts.agreement
    told = tuple((name, " ".join(text for text in texts if text)) for name, *texts in facts.backgrounds.named)
    parts = [
        part(
            _("Issues and their sources"),
            [*issues.acquired(facts), issues.issues(facts), issues.years(facts), issues.kinds(facts)],
            "sources",
            "secondary_data",
        ),
        part(
            _("Selection and sampling"),
            [
                issues.keywords(facts),
                issues.screened(facts),
                *issues.samples(facts),
                issues.main_round(facts),
            ],
            "sampling_described",
            "criteria_validated",
        ),
        part(
            _("Raters and their training"),
            [
                raters.how_many_raters(facts),
                *raters.who_saw_what(facts)[2:],
                raters.training(facts),
                raters.admitted(facts),
                *raters.backgrounds(facts),
                raters.reflections(facts),
            ],
        ),
        part(
            _("Procedure"),
            [
                raters.what_was_rated(facts),
                raters.guideline(facts),
                raters.allocation(facts),
                issues.when(facts),
                raters.imported(facts),
            ],
            "procedure",
            "construct_validity",
        ),
        part(
            _("Independence, and who could see what"),
            [*raters.who_saw_what(facts)[:2], raters.imported_independence(facts), raters.signs(facts)],
            "independence",
        ),
        part(
            _("How disagreements were settled"),
            [raters.imported_decisions(facts)]
            if facts.is_imported
            else [*numbers.settled(facts), numbers.argued(facts)],
            "disagreements_settled",
            "by_discussion",
        ),
        part(
            _("Agreement"),
            [
                numbers.variable_type(facts),
                numbers.kappa(facts),
                numbers.beside(facts),
                numbers.fit(facts),
                numbers.band(facts),
                numbers.paradox(facts),
                *(numbers.left_out(found) if found else []),
                planned(facts),
            ],
            "why_this_measure",
        ),
        part(
            _("Interviews"), [issues.interviews(facts)], "participants", "mixed_methods", "interview_material"
        ),
        part(_("Deviations from the protocol"), deviations(facts)),
        part(_("Threats to validity"), threats(facts), "external_validity", "ethics_of_mining", "models"),
    ]
    parts[2] = replace(parts[2], answers=told)
    return [one for one in parts if one.said or one.answers]


def planned(facts: Facts) -> Said:
    """Whether the reported number was planned."""
    protocol = facts.protocol
    if protocol is None or not protocol.coefficient:
        return say(_("No frozen protocol names the number to report first: all numbers are exploratory."))
    if not protocol.is_before:
        return say(
            _("Protocol %(n)s was frozen after the round opened: all numbers are exploratory."),
            n=protocol.number,
        )
    is_planned = facts.agreement is not None and facts.agreement.level == protocol.level
    text = (
        _("Planned in protocol %(number)s: %(coefficient)s at the level %(level)s.")
        if is_planned
        else _(
            "Protocol %(number)s planned %(coefficient)s at the level %(level)s: this number is exploratory."
        )
    )
    return say(text, coefficient=protocol.coefficient, level=protocol.level, number=protocol.number)


def deviations(facts: Facts) -> list[Said]:
    """Each deviation with its reason."""
    if facts.protocol is None:
        return [say(_("No protocol was frozen, so deviations cannot be listed."))]
    if not facts.protocol.deviations:
        return [say(_("No deviation from the protocol was found so far."))]
    said = []
    for one in facts.protocol.deviations:
        values = {
            "name": one.name, "about": one.about, "planned": one.planned, "happened": one.happened,
            "reason": one.reason,
        }  # fmt: skip
        text = (
            _("%(name)s (%(about)s): planned %(planned)s, happened %(happened)s. Reason: %(reason)s")
            if one.reason
            else _(
                "%(name)s (%(about)s): planned %(planned)s, happened %(happened)s. No reason is given yet."
            )
        )
        said.append(say(text, **values))
    return said


def threats(facts: Facts) -> list[Said]:
    """The threats that rows can speak to."""
    said = [say(_("Issues are public reports of chosen repositories; other repositories can differ."))]
    if facts.sources.keyword_lists:
        said.append(say(_("Keywords miss issues that use other words.")))
    if facts.raters.leads and facts.main and not facts.is_imported:
        said.append(say(_("Some raters led the study and knew its questions.")))
    if facts.agreement and facts.agreement.coached:
        said += numbers.left_out(facts.agreement)[-1:]
    if facts.agreement and facts.agreement.incomplete:
        said.append(say(_("Issues without all labels are in no number of agreement.")))
    return said


def method_markdown(facts: Facts, parts: Sequence[Paragraphs]) -> str:
    """The method section as Markdown. Below each part stand the files that have its numbers."""
    text = [f"# {_('Method')}", "", _("Study: %(name)s") % {"name": facts.name}]
    for one in parts:
        text += ["", f"## {one.title}", ""]
        if one.said:
            text.append(" ".join(str(said) for said in one.said))
        for number, answer in one.answers:
            text += ["", f"{markdown(answer)} ({number})"]
        if one.files:
            files = ", ".join(f"`{name}`" for name in one.files)
            text += ["", _("Numbers: %(files)s") % {"files": files}]
    return "\n".join(text) + "\n"


def numbers_csv(parts: Sequence[Paragraphs]) -> Iterator[bytes]:
    """Each number of the method section, with its sentence and the files that have it."""
    rows = (
        (part.title, said.text, name, value, " ".join(said.files))
        for part in parts
        for said in part.said
        for name, value in said.numbers
    )
    return csv_lines(("part", "sentence", "number", "value", "files"), rows)
