"""Cards of what waits between the stages of a study: for leads, and for a volunteer who cannot begin."""

from collections.abc import Sequence

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.templatetags.crosscheck import count
from core.text.joining import listed
from overview.queries import between as queries
from overview.views.waits import Wait
from rounds.models import Round
from studies.models import Membership, Study
from taxonomy.models import Taxonomy


def between_stages(seats: Sequence[Membership]) -> list[Wait]:
    """What waits for one person between the stages of their studies. Eleven queries at most."""
    studies = {seat.study_id: seat.study for seat in seats}
    shut = queries.shut_out_of(seats)
    leads = queries.leads_of({round_.study_id for round_, _member, _result in shut})
    return [
        *(_shut_out(one, leads[one[0].study_id]) for one in shut),
        *(_not_passed(*one) for one in queries.trainings_to_talk_about(seats)),
        *map(_second_look, queries.open_second_looks(seats)),
        *(_to_close(*one) for one in queries.rounds_that_wait_for_close(seats)),
        *(_accepted(*one) for one in queries.accepted_in_drafts(seats)),
        *(_follow_ups(studies[id_], n) for id_, n in queries.follow_ups_to_do(seats).items()),
    ]


def _shut_out(own: queries.OwnResult, leads: list[Membership]) -> Wait:
    round_, _member, result = own
    text = ngettext(
        "right label of %(total)s in %(training)s; you need %(needed)s",
        "right labels of %(total)s in %(training)s; you need %(needed)s",
        result.right,
    )
    said = {"total": count(result.total), "training": round_.training, "needed": count(result.needed)}
    return Wait(
        about=round_.name,
        figure=result.right,
        text=text % said,
        url=reverse("round", args=[round_.pk]),
        action=_("Show round"),
        hint=_("You cannot label here yet. To be let in, ask a lead: %(who)s.")
        % {"who": listed(one.known_as for one in leads)},
        icon="lock",
        study=round_.study,
    )


def _not_passed(training: Round, people: list[Membership]) -> Wait:
    return Wait(
        about=training.name,
        figure=len(people),
        text=ngettext("volunteer did not pass", "volunteers did not pass", len(people)),
        url=reverse("round", args=[training.pk]),
        action=_("Show results"),
        hint=listed(member.known_as for member in people),
        icon="people",
        study=training.study,
    )


def _second_look(look: Round) -> Wait:
    return Wait(
        about=str(look.of),
        figure=1,
        text=_("open second look"),
        url=reverse("round", args=[look.pk]),
        action=_("Show second look"),
        hint=_("its issues count again when all labels are given"),
        icon="refresh",
        study=look.study,
    )


def _to_close(round_: Round, issues: int) -> Wait:
    return Wait(
        about=round_.name,
        figure=issues,
        text=ngettext("issue has all its labels", "issues have all their labels", issues),
        url=reverse("close_round", args=[round_.pk]),
        action=_("Close round"),
        hint=_("All labels of %(round)s are in.") % {"round": round_},
        icon="check",
        study=round_.study,
    )


def _accepted(taxonomy: Taxonomy, changes: int) -> Wait:
    return Wait(
        about=taxonomy.name,
        figure=changes,
        text=ngettext("accepted proposal in the draft", "accepted proposals in the draft", changes),
        url=reverse("draft", args=[taxonomy.pk]),
        action=_("Open draft"),
        hint=_("rounds use it after you publish the draft"),
        icon="tree",
        study=taxonomy.study,
    )


def _follow_ups(study: Study, to_do: int) -> Wait:
    return Wait(
        about=_("Meetings"),
        figure=to_do,
        text=ngettext("follow-up to do", "follow-ups to do", to_do),
        url=reverse("follow_ups", args=[study.slug]),
        action=_("Open follow-ups"),
        hint=_("from the decisions of meetings"),
        icon="check",
        study=study,
    )
