"""Files on this server that repeat what a study has: what is removed from the study must leave them, too."""

from collections.abc import Callable

from django.db import transaction

from studies.models import Study

Remover = Callable[[int], None]
_removers: list[Remover] = []


def also_remove(remover: Remover) -> None:
    """Register what a room keeps: `remover` gets the id of the study, in the transaction of the removal."""
    _removers.append(remover)


@transaction.atomic
def remove_copies(study_id: int) -> None:
    """Remove all kept files of a study, because a person or a text was removed from it. Holds the study, so
    that whoever asks for a new file meanwhile gets one without them.
    """
    hold_study(study_id)
    for remover in _removers:
        remover(study_id)


def hold_study(study_id: int) -> None:
    """Lock the study's row until the transaction ends."""
    Study.objects.select_for_update(no_key=True).filter(pk=study_id).first()
