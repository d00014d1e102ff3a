from django.urls import URLPattern, path

from ingest import views

urlpatterns: list[URLPattern] = [
    path("studies/<str:slug>/issues/", views.issues, name="issues"),
    path("studies/<str:slug>/issues/<int:issue_id>/", views.issue, name="issue"),
    path("studies/<str:slug>/keywords/", views.keywords, name="keywords"),
    path("studies/<str:slug>/filters/", views.save_filter, name="save_filter"),
    path("studies/<str:slug>/filters/<int:filter_id>/delete/", views.delete_filter, name="delete_filter"),
    path("studies/<str:slug>/imports/", views.imports, name="imports"),
    path("studies/<str:slug>/imports/new/", views.new_import, name="new_import"),
    path("studies/<str:slug>/imports/<int:import_id>/", views.import_, name="import"),
    path("studies/<str:slug>/imports/<int:import_id>/confirm/", views.confirm_import, name="confirm_import"),
    path("studies/<str:slug>/imports/<int:import_id>/discard/", views.discard_import, name="discard_import"),
    path("studies/<str:slug>/imports/<int:import_id>/rows.csv", views.import_rows, name="import_rows"),
]
