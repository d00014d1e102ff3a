"""Sentences about issues: where they come from, how they were chosen, what they are like."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from standards.facts import Facts
from standards.outcomes import Said
from standards.sentences.saying import ISSUES, Percent, say


def issues(facts: Facts) -> Said | None:
    found = facts.issues
    if not found.total:
        return None
    return say(
        ngettext(
            "The study has %(issues)s issues of one repository: %(paths)s.",
            "The study has %(issues)s issues of %(repositories)s repositories: %(paths)s.",
            found.repositories,
        ),
        *ISSUES,
        issues=found.total,
        repositories=found.repositories,
        paths=list(found.paths) + (["…"] if found.repositories > len(found.paths) else []),
    )


def years(facts: Facts) -> Said | None:
    found = facts.issues
    if found.first_year is None:
        return None
    return say(
        _("They were opened from %(first)s to %(last)s."),
        *ISSUES,
        first=str(found.first_year),
        last=str(found.last_year),
    )


def kinds(facts: Facts) -> Said | None:
    found = facts.issues
    if not found.total:
        return None
    return say(
        _(
            "%(pulls)s of them are pull requests, and for %(unknown)s that is unknown; %(texts)s have a"
            " stored text."
        ),
        *ISSUES,
        pulls=found.pull_requests,
        unknown=found.unknown_kind,
        texts=found.with_text,
    )


def acquired(facts: Facts) -> list[Said]:
    """How issues came into the study."""
    found = facts.sources
    said = []
    if found.harvested:
        said.append(
            say(
                _(
                    "Repositories harvested from their forge: %(repositories)s; with the number of issues"
                    " that the forge counts: %(complete)s. Pages in the journal: %(pages)s."
                ),
                repositories=found.harvested,
                complete=found.harvested_complete,
                pages=found.pages,
            )
        )
    if found.imports:
        said.append(
            say(
                _("Files and lists imported: %(imports)s; rows refused: %(refused)s."),
                imports=found.imports,
                refused=found.refused_rows,
            )
        )
    return said


def keywords(facts: Facts) -> Said | None:
    found = facts.sources
    if not found.keyword_lists:
        return None
    return say(
        _("Keyword lists that say what is searched for: %(lists)s, with %(terms)s terms."),
        lists=found.keyword_lists,
        terms=found.terms,
    )


def screened(facts: Facts) -> Said | None:
    """The rate of false positives, as people found it."""
    found = facts.screening
    if found is None or not found.decided:
        return None
    return say(
        _(
            "People screened %(decided)s of the found issues and excluded %(excluded)s as false positives"
            " (%(rate)s %%, 95 %% CI %(low)s to %(high)s %%, Wilson)."
        ),
        decided=found.decided,
        excluded=found.excluded,
        rate=Percent(100 * found.excluded / found.decided),
        low=Percent(100 * (found.low or 0)),
        high=Percent(100 * (found.high or 0)),
    )


def samples(facts: Facts) -> list[Said]:
    return [
        say(
            _(
                "The sample “%(name)s” has %(drawn)s of %(frame)s issues, drawn by chance with the seed"
                " %(seed)s from %(strata)s strata."
            ),
            name=one.name,
            drawn=one.drawn,
            frame=one.frame,
            seed=str(one.seed),
            strata=one.strata,
        )
        for one in facts.samples
    ]


def main_round(facts: Facts) -> Said | None:
    if facts.main is None:
        return None
    if facts.main.complete is None:
        return say(
            _("“%(round)s” has %(issues)s issues. How many are complete is hidden until it is closed."),
            *ISSUES,
            round=facts.main.round.name,
            issues=facts.main.issues,
        )
    return say(
        _("“%(round)s” has %(issues)s issues; %(complete)s are complete."),
        *ISSUES,
        round=facts.main.round.name,
        issues=facts.main.issues,
        complete=facts.main.complete,
    )


def interviews(facts: Facts) -> Said | None:
    found = facts.interviews
    if not found.sessions:
        return None
    return say(
        _(
            "Interviews held: %(sessions)s, with %(participants)s participants. Participants with a consent"
            " in force: %(consented)s."
        ),
        sessions=found.sessions,
        participants=found.participants,
        consented=found.consented,
    )


def when(facts: Facts) -> Said | None:
    """When the main round was open."""
    round_ = facts.main.round if facts.main else None
    if round_ is None or round_.opened_at is None or facts.is_imported:
        return None
    if round_.closed_at is None:
        return say(_("The round opened on %(opened)s and is open."), opened=round_.opened_at)
    return say(
        _("The round was open from %(opened)s to %(closed)s."),
        opened=round_.opened_at,
        closed=round_.closed_at,
    )
