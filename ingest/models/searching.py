"""The words by which the full-text search finds texts."""

from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

from ingest.models.issues import Snapshot


class TsVector(models.TextField):
    """PostgreSQL's `tsvector`: a set of words. Written by SQL (ingest.actions.searching), read by the
    function `ingest_texts_with` beside its migration."""

    def db_type(self, connection: BaseDatabaseWrapper) -> str:  # noqa: ARG002 - as Django calls it
        return "tsvector"


class SearchedText(models.Model):
    """The words of one snapshot, for the full-text search; made with it, or soon after."""

    snapshot = models.OneToOneField(Snapshot, models.CASCADE, primary_key=True, related_name="+")
    words = TsVector(help_text="ingest.searching.lexemes of its title, body and comments")

    class Meta:
        indexes = [GinIndex(fields=["words"], name="texts_by_their_words")]

    def __str__(self) -> str:
        return f"words of snapshot {self.snapshot_id}"
