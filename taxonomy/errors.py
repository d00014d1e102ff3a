"""What a user may run into with taxonomies."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.errors import DomainError
from taxonomy.tree import Problem, TaxonomyFileError


class TaxonomyRefused(DomainError):
    """A taxonomy file was refused; `problems` holds every cause with its line."""

    status = 422

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        causes = "\n".join(
            _("Line %(line)s: %(cause)s")
            % {"line": problem.line, "cause": _(problem.template) % problem.values}
            for problem in problems
        )
        super().__init__(_("The taxonomy was refused and nothing was stored.") + "\n" + causes)

    @classmethod
    def of(cls, error: TaxonomyFileError) -> "TaxonomyRefused":
        return cls(error.problems)


class NameTaken(DomainError):
    message = gettext_lazy("The study has a taxonomy of this name. Choose another name; nothing was stored.")
