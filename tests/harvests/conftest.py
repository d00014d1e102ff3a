"""Uploads, repositories and the server of forges are those of tests/ingest."""

from tests.ingest.conftest import _no_bell, repository, server, uploads

__all__ = ["_no_bell", "repository", "server", "uploads"]
