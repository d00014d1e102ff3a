from django.urls import URLPattern, path

from core.health import healthz

urlpatterns: list[URLPattern] = [
    path("healthz", healthz, name="healthz"),
]
