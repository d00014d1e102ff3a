"""Setting the weights of categories for agreement with partial credit."""

from django.db import transaction

from agreement.weighted.matrix import MatrixError, read_matrix
from core import clock
from reports.errors import WeightsRefused
from reports.models import WeightMatrix
from reports.queries.weight_matrices import weight_matrices
from reports.rules import may_set_weights
from rounds import errors
from studies.actions import record
from studies.models import Membership
from taxonomy.models import Version
from taxonomy.queries.codebooks import codebook


@transaction.atomic
def set_weights(*, version: Version, by: Membership, text: str) -> WeightMatrix | None:
    """Take the matrix in this CSV text for the weights of a published version; "" goes back to the tree.

    Returns the row that counts from now on, None if the weights of the tree count as before. The same weights
    again add no row. Raises NotAllowed, and WeightsRefused with every mistake by its line.
    """
    if not may_set_weights(by, version):
        raise errors.NotAllowed
    if text.strip():
        try:
            text = read_matrix(text, [state.code for state in codebook(version).states]).as_csv()
        except MatrixError as error:
            raise WeightsRefused(error.problems) from error
    # Lock first, then look: two leads at once make two numbers.
    Version.objects.select_for_update().get(pk=version.pk)
    newest = weight_matrices(version.pk).first()
    if text.strip() == (newest.text.strip() if newest else ""):
        return newest
    made = WeightMatrix.objects.create(
        version=version,
        number=newest.number + 1 if newest else 1,
        text=text.strip() and text,
        set_by=by,
        set_at=clock.now(),
    )
    of = {"version": version.number, "taxonomy": version.taxonomy.name}
    if made.text:
        record(version.taxonomy.study, "reports.weights_set", by.user, number=made.number, **of)
    else:
        record(version.taxonomy.study, "reports.weights_taken_back", by.user, **of)
    return made
