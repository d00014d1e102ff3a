"""The answers of participants to ranking questions."""

from collections.abc import Mapping

from django.db import transaction
from django.utils.translation import gettext as _

from core import clock
from interviews.actions.leading import hold, require_lead
from interviews.errors import InterviewRefused
from interviews.models import Place, Question, Ranking, Session
from interviews.queries.rankings import competition_places, ranking_questions, states_to_rank
from studies.actions import record
from studies.models import Membership
from taxonomy.queries.taxonomies import published_version

MOST_PLACE = 999


@transaction.atomic
def record_ranking(
    *, session: Session, question: Question, places: Mapping[int, int], by: Membership
) -> Ranking | None:
    """Record an order of categories: place by the category's id, equal places are ties. It replaces an
    earlier answer; no places at all delete that. Raises InterviewRefused, ParticipantErased and
    PermissionDenied.
    """
    require_lead(session.study_id, by)
    participant = hold(session.participant)
    asked = ranking_questions(session).filter(pk=question.pk).first()
    if asked is None:
        raise InterviewRefused(_("This participant was not asked this question. Nothing was stored."))
    earlier = Ranking.objects.filter(session=session, question=asked).select_related("version").first()
    if not places:
        if earlier:
            earlier.delete()
            record(session.study, "rankings.removed", by.user, participant=str(participant))
        return None
    version = earlier.version if earlier else published_version(asked.taxonomy) if asked.taxonomy else None
    if version is None:
        raise InterviewRefused(_("The taxonomy of this question is not published. Nothing was stored."))
    known = {state.category_id for state in states_to_rank(asked, version)}
    if set(places) - known:
        raise InterviewRefused(
            _("The question does not ask about one of these categories. Nothing was stored.")
        )
    if any(not 1 <= place <= MOST_PLACE for place in places.values()):
        raise InterviewRefused(_("Places are whole numbers from 1. Nothing was stored."))
    counted = competition_places(places)
    if asked.top is None and set(counted) != known:
        raise InterviewRefused(
            _("This question asks for all categories. Nothing was stored. Fill each place.")
        )
    if asked.top is not None and max(counted.values()) > asked.top:
        words = _("This question asks for the first %(top)s places only. Nothing was stored.")
        raise InterviewRefused(words % {"top": asked.top})
    ranking = earlier or Ranking(session=session, question=asked, version=version)
    ranking.recorded_by, ranking.recorded_at = by, clock.now()
    ranking.save()
    ranking.places.all().delete()
    Place.objects.bulk_create(
        Place(ranking=ranking, category_id=category, place=place) for category, place in counted.items()
    )
    record(session.study, "rankings.recorded", by.user, participant=str(participant))
    return ranking
