"""Quotes that could not be carried to a corrected transcript are placed again by hand, after the reveal."""

from django.db import transaction
from django.utils.translation import gettext as _

from interviews.actions.carrying import carried
from interviews.actions.coding_locks import hold_to_settle
from interviews.actions.quotes import newest_of
from interviews.actions.settling import require_settler
from interviews.errors import InterviewRefused, SettledMeanwhile
from interviews.models import Coding, Quote, QuoteCode
from interviews.queries.quotes import Span, left_behind
from studies.models import Membership


@transaction.atomic
def place_again(
    *, coding: Coding, of: str, span: Span, version: int, words: str, transcript: int, by: Membership
) -> Quote:
    """Place a quote of the coder `of`, on `version` of the transcript, at these words of the newest one: with
    its codes, memo and strength, and it is open to settle. `transcript` is the number of the version that was
    read. Raises InterviewRefused, SettledMeanwhile, TranscriptCorrected, CodingBlind, CodingSettled,
    ParticipantErased and PermissionDenied.
    """
    held = hold_to_settle(coding)
    require_settler(held, by)
    newest = newest_of(held, transcript)
    rows = left_behind(held, Quote.objects.filter(coder__member__pseudonym=of), newest).filter(
        transcript__number=version, turn__position=span.turn, start=span.start, end=span.end
    )
    earlier = rows.prefetch_related("codes").first()
    if earlier is None:
        raise SettledMeanwhile
    wanted = words.strip()
    if not wanted:
        raise InterviewRefused(_("Type the words of the quote. Nothing was stored."), field="words")
    found = [
        (turn, start)
        for turn in newest.turns.filter(is_interviewer=False, text__contains=wanted).order_by("position")
        for start in _places(wanted, turn.text)
    ]
    if not found:
        raise InterviewRefused(
            _("No answer of this transcript has these words. Nothing was stored."), field="words"
        )
    if len(found) > 1:
        raise InterviewRefused(
            _("These words occur more than once. Nothing was stored. Type more words."), field="words"
        )
    turn, start = found[0]
    end = start + len(wanted)
    if Quote.objects.filter(coder=earlier.coder, turn=turn, start=start, end=end).exists():
        raise InterviewRefused(
            _("This coder already has a quote of exactly these words. Nothing was stored."), field="words"
        )
    made = carried(earlier, newest, turn, start, end)
    made.save()
    QuoteCode.objects.bulk_create(
        QuoteCode(quote=made, category_id=code.category_id, open_code_id=code.open_code_id)
        for code in earlier.codes.all()
    )
    return made


def _places(wanted: str, text: str) -> list[int]:
    return [at for at in range(len(text) - len(wanted) + 1) if text.startswith(wanted, at)]
