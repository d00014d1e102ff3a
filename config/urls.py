from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("core.urls")),
    path("", include("accounts.urls")),
    path("", include("studies.urls")),
    path("", include("taxonomy.urls")),
    path("", include("ingest.urls")),
    path("", include("harvests.urls")),
    path("", include("annotate.urls")),
    path("", include("interviews.urls")),
    path("", include("consensus.urls")),
    path("", include("reports.urls")),
    path("", include("findings.urls")),
    path("", include("standards.urls")),
    path("", include("replication.urls")),
    path("", include("boards.urls")),
    path("", include("protocols.urls")),
    path("", include("overview.urls")),
    path("api/v1/", include("config.api")),
]

handler400 = "core.views.bad_request"
handler403 = "core.views.forbidden"
handler404 = "core.views.not_found"
handler500 = "core.views.server_error"
