"""What stands around every page of a study."""

from typing import Any

from studies.models import Membership, Study


def frame(study: Study, member: Membership | None, tab: str) -> dict[str, Any]:
    """The context of `studies/page.html`, which pages of a study extend: `study`, `membership`, `tab`.

    `tab` is the URL name of the tab that the page belongs to.
    """
    return {"study": study, "membership": member, "tab": tab}
