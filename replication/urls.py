from django.urls import URLPattern, path

from replication.views import exports, integrity, packages, published

urlpatterns: list[URLPattern] = [
    path("studies/<slug:slug>/export/", exports.export, name="export"),
    path("studies/<slug:slug>/export/download/", exports.download, name="download_export"),
    path("studies/<slug:slug>/integrity/", integrity.integrity, name="integrity"),
    path("rounds/<int:round_id>/packages/make/", packages.make_package, name="make_package"),
    path("rounds/<int:round_id>/packages/<int:job_id>/", packages.package, name="package"),
    path("rounds/<int:round_id>/packages/<int:job_id>/send/", packages.send_package, name="send_package"),
    path(
        "studies/<slug:slug>/imports/published/", published.new_published_import, name="new_published_import"
    ),
    path(
        "studies/<slug:slug>/imports/published/<int:import_id>/",
        published.published_import,
        name="published_import",
    ),
    path(
        "studies/<slug:slug>/imports/published/<int:import_id>/check/",
        published.check_published_import,
        name="check_published_import",
    ),
    path(
        "studies/<slug:slug>/imports/published/<int:import_id>/confirm/",
        published.confirm_published_import,
        name="confirm_published_import",
    ),
    path(
        "studies/<slug:slug>/imports/published/<int:import_id>/discard/",
        published.discard_published_import,
        name="discard_published_import",
    ),
]
