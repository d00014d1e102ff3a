from django.urls import URLPattern, path

from core.views import cancel_job, healthz, job, readyz
from core.watching.views import metrics, server_page, try_mail

urlpatterns: list[URLPattern] = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
    path("server/", server_page, name="server"),
    path("server/mail/", try_mail, name="try_mail"),
    path("jobs/<int:job_id>/", job, name="job"),
    path("jobs/<int:job_id>/cancel/", cancel_job, name="cancel_job"),
]
