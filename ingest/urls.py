from django.urls import URLResolver, include, path

from ingest.views import imports, issues

of_study = [
    path("issues/", issues.issues, name="issues"),
    path("issues/<int:issue_id>/", issues.issue, name="issue"),
    path("keywords/", issues.keywords, name="keywords"),
    path("filters/", issues.save_filter, name="save_filter"),
    path("filters/<int:filter_id>/delete/", issues.delete_filter, name="delete_filter"),
    path("imports/", imports.imports, name="imports"),
    path("imports/new/", imports.new_import, name="new_import"),
    path("imports/<int:import_id>/", imports.import_, name="import"),
    path("imports/<int:import_id>/confirm/", imports.confirm_import, name="confirm_import"),
    path("imports/<int:import_id>/discard/", imports.discard_import, name="discard_import"),
    path("imports/<int:import_id>/rows.csv", imports.import_rows, name="import_rows"),
]
urlpatterns: list[URLResolver] = [path("studies/<str:slug>/", include(of_study))]
