"""The platform's addresses, and a view with one query: the least cost of a signed-in page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import path

from config.urls import handler400, handler403, handler404, handler500
from config.urls import urlpatterns as of_the_platform
from ingest.models import Issue

__all__ = ["handler400", "handler403", "handler404", "handler500", "urlpatterns"]


def one_query(request: HttpRequest, pk: int) -> HttpResponse:  # noqa: ARG001 - what a view is given
    """One row by its key, besides the queries of the middleware for every signed-in request."""
    return HttpResponse(get_object_or_404(Issue, pk=pk).url)


urlpatterns = [path("bench/issues/<int:pk>/", one_query), *of_the_platform]
