from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("core.urls")),
    path("", include("accounts.urls")),
    path("", include("studies.urls")),
    path("", include("taxonomy.urls")),
    path("", include("ingest.urls")),
    path("", include("annotate.urls")),
    path("accounts/", include("allauth.urls")),
    path("api/v1/", include("config.api")),
]
