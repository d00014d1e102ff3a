from django.urls import URLPattern, path

from replication.views import exports

urlpatterns: list[URLPattern] = [
    path("studies/<slug:slug>/export/", exports.export, name="export"),
    path("studies/<slug:slug>/export/download/", exports.download, name="download_export"),
]
