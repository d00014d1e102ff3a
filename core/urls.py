from django.urls import URLPattern, path

from core.views import cancel_job, healthz, job, readyz

urlpatterns: list[URLPattern] = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("jobs/<int:job_id>/", job, name="job"),
    path("jobs/<int:job_id>/cancel/", cancel_job, name="cancel_job"),
]
