"""A package as a member gets it in the browser: asked for, made by the worker, downloaded."""

import os
from pathlib import Path

from django.http import FileResponse
from django.test import Client, override_settings
from django.urls import reverse

from core import jobs
from core.models import Job
from rounds.models import Round


def package_for(reader: Client, round_: Round, **form: str) -> FileResponse:
    """The answer with the package of a round."""
    job = asked_package(reader, round_, **form)
    # The database is where it is, also for a test with a data folder of its own.
    with override_settings(DATA_DIR=Path(os.environ["CROSSCHECK_TEST_DATA"])):
        jobs.run(job.pk)
    answer = reader.post(reverse("send_package", args=[round_.pk, job.pk]))
    assert answer.status_code == 200, Job.objects.get(pk=job.pk).error
    return answer


def asked_package(reader: Client, round_: Round, **form: str) -> Job:
    asked = reader.post(reverse("make_package", args=[round_.pk]), form)
    assert asked.status_code == 302, asked.status_code
    return Job.objects.get(pk=asked["Location"].rstrip("/").rpartition("/")[2])
