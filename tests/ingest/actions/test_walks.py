"""The walk over a repository: nothing is lost, and nothing is asked for twice."""

import pytest

from core.models import Job
from ingest.models import Issue
from tests.ingest.harvesting import finished, plan, run, stored, token, truth

pytestmark = pytest.mark.django_db


class TestWithoutFaults:
    def test_github(self, server, study):
        repository = server.github("team/tool", issues=230)
        token(server, study)
        harvest = plan(server, study, repository)
        job = run(harvest)
        assert (job.state, job.error) == (Job.State.DONE, "")
        assert stored(harvest) == {"team/tool": truth(repository)}
        assert [row.outcome for row in harvest.repositories.all()] == ["complete"]
        assert Issue.objects.count() == len(repository.truth(pulls=False))
        assert dict(server.asked) == {"count": 4, "issues": 4, "comments": 4}

    def test_gitee(self, server, study):
        repository = server.gitee("team/tool", issues=230)
        harvest = plan(server, study, repository)
        job = finished(harvest)
        assert (job.state, job.error) == (Job.State.DONE, "")
        assert stored(harvest) == {"team/tool": truth(repository, pulls=False)}
        assert [row.outcome for row in harvest.repositories.all()] == ["complete"]
        # Gitee counts by a list of one.
        assert dict(server.asked) == {"issues": 6, "comments": 4}
